/* The compute capability that all devices report.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/state/capability.h"

#include <stddef.h>

#include "cl/device.h"

/* The first is the one without a wish.
 * Source: CUDA C++ Programming Guide 13.0, technical specifications per compute capability. */
static const struct facade_capability all[] = {
    {75, 1024, 16, 64 * 1024, 64 * 1024},
    {80, 2048, 32, 163 * 1024, 164 * 1024},
    {86, 1536, 16, 99 * 1024, 100 * 1024},
    {90, 2048, 32, 227 * 1024, 228 * 1024},
};

const struct facade_capability *facade_capability(void)
{
    const unsigned wanted = ocl_wanted_capability();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].number == wanted)
            return &all[i];
    return &all[0];
}

/* What the shape of a launch says of the code that it is best run by: narrow thread blocks side by side, as one that is wider; and
 * more memory than caches hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/device.h"
#include "cl/memory.h"
#include "cl/program/translation.h"

enum { LANES = 32, WORD = 4, FIELD = 16, VAST = 63 };

size_t ocl_widened(const struct ocl_ptx_kernel *ptx, size_t row, const size_t block[3])
{
    const size_t width = block[0];
    if (!ptx->widens || row == 0 || width == 0 || width >= LANES || LANES % width != 0)
        return 1;
    const size_t count = LANES / width;
    return row % count == 0 && count * width * block[1] * block[2] <= OCL_BLOCK_THREADS ? count : 1;
}

bool ocl_is_vast(const struct ocl_device_facts *device, const size_t groups[3],
                 const size_t items[3])
{
    double words = 1;
    for (int d = 0; d < 3; d++)
        words *= (double)groups[d] * (double)items[d];
    return device->cache_bytes > 0 && words * WORD > (double)device->cache_bytes;
}

bool ocl_points_to_vast(const struct ocl_device_facts *device, const void *value, size_t bytes)
{
    struct ocl_memory_view view;
    const void *pointer;
    if (bytes != sizeof pointer || device->cache_bytes == 0)
        return false;
    memcpy(&pointer, value, sizeof pointer);
    return ocl_memory_find(pointer, &view) && view.bytes > device->cache_bytes;
}

/* The largest power of two that divides it, up to a warp's lanes. */
static size_t divisor_of(size_t row)
{
    const size_t divisor = row & (~row + 1);
    return divisor < LANES ? divisor : LANES;
}

uint64_t ocl_shape_pack(const struct ocl_device_facts *device, const size_t groups[3],
                        const size_t items[3])
{
    uint64_t packed = (uint64_t)divisor_of(groups[0]) << 3 * FIELD |
                      (uint64_t)ocl_is_vast(device, groups, items) << VAST;
    for (int i = 0; i < 3; i++) {
        if (items[i] == 0 || items[i] > UINT16_MAX)
            return 0;
        packed |= (uint64_t)items[i] << FIELD * i;
    }
    return packed;
}

struct ocl_packed_shape ocl_shape_unpack(uint64_t packed)
{
    struct ocl_packed_shape shape = {.row = packed >> 3 * FIELD & UINT16_MAX >> 1,
                                     .is_vast = packed >> VAST};
    for (int i = 0; i < 3; i++)
        shape.block[i] = packed >> FIELD * i & UINT16_MAX;
    return shape;
}

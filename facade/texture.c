/* Channel descriptions; texture objects are in unsupported.def. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "facade/internal.h"

/* A pure function of its arguments: it needs no device and cannot fail. */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}

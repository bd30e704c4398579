/* What kernels were compiled to ahead of time, which a program brings along: a read-only part of the program cache
 * (clemcc --precompile makes it).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PACK_H
#define OCL_PACK_H

#include <stdbool.h>
#include <stddef.h>

struct ocl_pack;
struct ocl_kernel;

/* Until it is released, the program cache has what is in the bytes as well, each entry under the whole key that it was stored
 * under: the driver's and LLVM's version, the device, and the processor's instructions are among it, so that nothing is found
 * on another processor. The bytes are copied; the same ones again are held once more.
 * Returns NULL, traced, where they are damaged or there is no memory: all is compiled from text then.
 * Threads: any; also before main(). */
struct ocl_pack *ocl_pack_open(const void *data, size_t bytes);
/* Once more, for another ocl_pack_release(). Both take NULL. */
struct ocl_pack *ocl_pack_hold(struct ocl_pack *pack);
void ocl_pack_release(struct ocl_pack *pack);

/* ---- Making one ---- */

/* From now on the process notes what it stores in the program cache or finds there. */
void ocl_pack_begin(void);
/* What was noted, which the caller frees, and the end of it. NULL: there is nothing, or no memory. */
void *ocl_pack_end(size_t *bytes);

/* Makes the code of a kernel for thread blocks of all shapes. Whether it has machine code of clem's own; false also where it
 * cannot be had. Kernels of PTX only. */
bool ocl_kernel_precompile(struct ocl_kernel *kernel);

#endif

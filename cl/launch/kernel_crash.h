/* What is known of a kernel's access that ends the process. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_CRASH_H
#define OCL_KERNEL_CRASH_H

/* From now on a line on stderr names the kernel, the address and the memory nearest to it (crash.h), where kernels are code
 * of this process. */
void ocl_kernel_crash_watch(void);

#endif

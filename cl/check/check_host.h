/* What the program itself does to memory that kernels have as well, while work is on its way of which the host does not know that
 * it is complete: such memory lies in pages that nobody may touch then, so that a touch of the program's is seen, and opens what
 * is around it. Private to cl/.
 *
 * What is seen is the first touch of a page by each fault, to the byte, of threads that call CUDA's functions, outside of those
 * calls. All else that touches such a page, kernels and copies on threads of the driver, the library in a call, opens the whole of
 * the memory; the end of a kernel, and of each call, closes it again. So touches are missed, and none is made up.
 * Everything here does nothing where no races are looked for.
 * Threads: any. Locks: a leaf, under which no such memory is touched.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_HOST_H
#define OCL_CHECK_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/base/crash.h"

/* Memory of whole pages of the process's own comes, or goes: that of a block. */
void ocl_host_watch(void *base, size_t bytes);
void ocl_host_unwatch(const void *base);

/* A kernel has ended. */
void ocl_host_settle(void);

/* For the handler of SIGSEGV: whether the address is of such memory, which can be touched now. code: of the instruction. */
bool ocl_host_fault(uint64_t address, enum ocl_crash_access access, uint64_t code);

/* The system is given a buffer, which fails where a thread would fault: its memory is looked at no more. */
void ocl_host_lend(const void *buffer, size_t bytes);

#endif

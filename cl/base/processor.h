/* What the host's processor can do. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROCESSOR_H
#define OCL_PROCESSOR_H

enum { OCL_PROCESSOR_BYTES = 17 };

/* Writes 16 digits that stand for the set of instructions that the kernel lists for the first processor, in whatever order:
 * machine code is kept for that set alone. Empty where the kernel lists none. root is put before /proc.
 * Cost: opens a file. Source: proc(5), /proc/cpuinfo. */
void ocl_processor_features(const char *root, char digits[OCL_PROCESSOR_BYTES]);

#endif

/* What a kernel's own failure leaves behind: each call is made behind it in a process of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_WILD_H
#define TESTS_FAULT_WILD_H

#include <stdbool.h>

/* How the kernel fails. */
enum hurt { HURT_WRITE, HURT_READ, HURT_MISALIGNED, HURT_TRAP, HURTS };

/* An address that no allocation has. */
#define WILD_ADDRESS 0x123456789000u

/* When the call is made: at once behind the launch; when the kernel has certainly failed and nobody has asked; when a wait
 * has answered with the failure. */
enum moment { AT_ONCE, UNTOLD, TOLD, MOMENTS };

enum { UNTOLD_US = 200000, CALL_SECONDS = 60 };

/* Prints a line for each call; one that hangs or ends its process has one that says so. The status is that of the worst
 * process: 0 right, 1 wrong, 77 not possible on this device.
 * only: NULL, or the one call to make. */
int wild_cuda(enum hurt hurt, const char *only);

/* The same of OpenCL's own calls, without clem: 0, for what the driver answers is right as it is, or 77. */
int wild_opencl(const char *only);

/* Runs the function in a child and prints what became of it: its status, 1 for a signal. */
int wild_child(const char *name, int (*function)(void *), void *argument);

#endif

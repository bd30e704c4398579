/* Stacks of the host, kept once each: where a call of the program's was made. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STACK_H
#define OCL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "cl/check.h"

struct ocl_check_text;

/* The caller's stack, by a number; 0: none, or there is no room for another. The same stack has the same number.
 * Cost: some microseconds, less where the thread was here before. The first call of the process loads the unwinder. */
uint32_t ocl_stack_take(void);
uint32_t ocl_stack_keep(const struct ocl_stack *stack); /* NULL: 0 */

/* NULL: there is none of the number. It stays as long as the process. */
const struct ocl_stack *ocl_stack_of(uint32_t number);

/* A line for each frame, from the program's call of clem on. In handlers of signals too, in which names may be missing. */
void ocl_stack_write(uint32_t stack, struct ocl_check_text *text);

/* Calls visit with the name and the file of each frame that has any; stops where it returns true, and returns that. */
bool ocl_stack_visit(uint32_t stack, bool (*visit)(const char *name, const void *argument),
                     const void *argument);

#endif

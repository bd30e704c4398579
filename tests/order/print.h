/* A program as C text that compiles alone, against CUDA's or clem's headers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_PRINT_H
#define ORDER_PRINT_H

#include <stdio.h>

#include "program.h"

/* print_program: its objects and commands; the whole one with the kernel and main() around them. */
void print_program(FILE *file, const struct program *program, bool is_whole);

/* print_command: one line of C, without a check's values. */
void print_command(FILE *file, const struct program *program, int index);

#endif

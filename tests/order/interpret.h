/* Runs a program through the CUDA runtime API.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_INTERPRET_H
#define ORDER_INTERPRET_H

#include "program.h"

struct outcome {
    bool is_wrong;
    int command;    /* where, or -1 */
    int checks;     /* reads of which a byte was determined */
    char text[400]; /* what is wrong */
};

/* interpreter_begin: loads the kernels; the outcome says why not. */
bool interpreter_begin(struct outcome *outcome);

/* interpret: all objects of the program are made, and gone on return. */
void interpret(const struct program *program, struct outcome *outcome);

/* The kernel's PTX, and its name. */
extern const char order_kernels[];

#endif

/* Runs a program through the CUDA runtime API.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_INTERPRET_H
#define ORDER_INTERPRET_H

#include "program.h"

struct outcome {
    bool is_wrong;
    int command;    /* where, or -1 */
    int checks;     /* reads of which a byte was determined */
    double us[3];   /* how long it took to make the objects, to run, and to free them */
    char text[400]; /* what is wrong */
};

/* interpreter_begin: loads the kernels, of OpenCL C if so, and looks at the devices; the outcome says why not. */
bool interpreter_begin(struct facts *facts, bool is_opencl, struct outcome *outcome);

/* interpret: all objects of the program are made, and gone on return. */
void interpret(const struct program *program, struct outcome *outcome);

/* The PTX: the kernel change and the variable store, of STORE_BYTES. */
enum { STORE_BYTES = 262144 };
extern const char order_loop[];
extern const char order_kernels[];

/* What stands for the variable on the host, once it is registered. */
extern char order_store[];

/* The kernel alone, as OpenCL C, for clem. */
extern const char order_opencl[];

#endif

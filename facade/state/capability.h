/* The compute capability that all devices report.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CAPABILITY_H
#define FACADE_CAPABILITY_H

/* 7.5, or what CLEM_COMPUTE_CAPABILITY says, with the limits that programs compute with. */
struct facade_capability {
    unsigned number; /* 75 is 7.5 */
    int threads;     /* at most on a multiprocessor */
    int blocks;      /* likewise */
    /* Shared memory of a block that opts in, and of a multiprocessor. Units: bytes. */
    unsigned opt_in_shared, shared;
};

const struct facade_capability *facade_capability(void);

#endif

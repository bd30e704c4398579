/* Compiling for PoCL in a process of its own, clem-compile, which leaves what it makes in PoCL's cache. PoCL compiles one
 * program at a time in a process, and nobody can stop it: a launch beside would wait. And where its compiler ends the process,
 * that is not the user's. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_APART_H
#define OCL_APART_H

#include "cl/base/own_file.h"
#include "cl/device/device_private.h"

enum ocl_apart_outcome {
    OCL_APART_IS_DONE,   /* what is built from this text and launched finds all in the cache */
    OCL_APART_IS_NOT,    /* there is no such process, or the driver refused: to be compiled here */
    OCL_APART_HAS_ENDED, /* the compiler ended its process, and would end this one */
};

struct ocl_apart_job {
    const struct ocl_device *device; /* of PoCL's */
    const char *text;                /* as for ocl_driver_build_own() */
    size_t bytes;
    const char *options;
    const char *name; /* of the kernel, which must end at once where all its arguments are zeros */
    bool is_nice;     /* nobody waits yet: others' work goes first */
    const struct own_file *file; /* of ocl_apart_compile()'s own, which begins and ends with NULL */
};

/* Whether there is another process to compile in: not for programs with more rights than who started them, where
 * CLEM_COMPILE says so, where PoCL keeps nothing, and in builds with sanitizers, which do not know how it is started. */
bool ocl_apart_is_possible(const struct ocl_device *device);

/* Compiles a program, and its kernel for work-groups of one work-item. Waits for nobody else's job: each has a process, of
 * which one stays for ten seconds for what comes next. All go when this process ends, however that ends.
 * Units:   *signal is what ended the compiler, or 0 where it did so itself; OCL_APART_HAS_ENDED only.
 * Threads: any; it blocks, so no lock may be held. It is no cancellation point. */
enum ocl_apart_outcome ocl_apart_compile(struct ocl_apart_job *job, int *signal);

/* Ends the process that another thread's job is in, if it is: ocl_apart_compile() returns OCL_APART_IS_NOT. Never blocks. */
void ocl_apart_end(const struct ocl_apart_job *job);

/* The process's end of a socket to a new clem-compile, or -1. The child is nobody's whom the program could meet: neither
 * SIGCHLD nor a wait() of the program's hears of it. */
int ocl_apart_start(void);

#endif

/* Compiling in a process of its own, clem-compile: for PoCL, whose cache then has what came of it, and LLVM IR, of which the
 * object file comes back. PoCL compiles one program at a time in a process, and nobody can stop it: a launch beside would wait.
 * And where a compiler ends its process, that is not the user's. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_APART_H
#define OCL_APART_H

#include "cl/base/own_file.h"
#include "cl/device/device_private.h"
#include "cl/llvm/compile.h"

enum ocl_apart_outcome {
    OCL_APART_IS_DONE,   /* what is built from this text and launched finds all in the cache */
    OCL_APART_IS_NOT,    /* there is no such process, or the driver refused: to be compiled here */
    OCL_APART_HAS_ENDED, /* the compiler ended its process, and would end this one */
    OCL_APART_IS_REFUSED /* of LLVM IR: LLVM has said why not */
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

/* LLVM IR for this processor. */
struct ocl_apart_code {
    const char *library;      /* the path of LLVM's */
    const char *text;         /* ends with NUL */
    const char *name;         /* for the trace */
    struct ocl_object object; /* where it is done; the caller frees its data */
    char *why;                /* where it is refused, or NULL; the caller frees it */
    int signal; /* what ended the process, where one has; 0: itself, or nobody saw it */
};

/* Whether there may be another process: as above, but whatever the driver keeps. */
bool ocl_apart_is_allowed(void);

/* As ocl_apart_compile(), of LLVM IR. OCL_APART_HAS_ENDED also where the process was ended from outside: what took too much
 * memory there would do so here. */
enum ocl_apart_outcome ocl_apart_compile_code(struct ocl_apart_code *code);

/* Ends the process that another thread's job is in, if it is: ocl_apart_compile() returns OCL_APART_IS_NOT. Never blocks. */
void ocl_apart_end(const struct ocl_apart_job *job);

/* The process's end of a socket to a new clem-compile, or -1. The child is nobody's whom the program could meet: neither
 * SIGCHLD nor a wait() of the program's hears of it. */
int ocl_apart_start(void);

#endif

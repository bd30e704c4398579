/* What libclem and clem-compile say to each other over a socket of theirs. Private to cl/apart/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_APART_WIRE_H
#define OCL_APART_WIRE_H

#include <stdint.h>

/* The number under which clem-compile has its end of the socket. */
enum { OCL_APART_FILE = 3 };

enum ocl_apart_kind {
    OCL_APART_PROGRAM,  /* OpenCL C, for PoCL's cache */
    OCL_APART_CODE,     /* LLVM IR; the object file comes back */
    OCL_APART_LONG_CODE /* the same, so long that LLVM is to be quicker than its code */
};

/* A job's head, in the machine's own order of bytes: both come from one build. Behind it lie the kernel's name, the options (of
 * CODE: the path of LLVM's library) and the text, each with its NUL, which the counts include. */
struct ocl_apart_head {
    uint32_t kind;
    uint32_t device; /* of a program: its place among the platform's devices */
    uint32_t is_nice;
    uint32_t name_bytes, options_bytes;
    uint64_t text_bytes;
};

/* What comes back, a byte each: BEGUN, and then one of the others. Behind CRASHED a byte more is the signal, or 0 where the
 * compiler ended the process by itself. Behind DONE and FAILED of CODE are 8 bytes, a number, and as many bytes more: the
 * object file, and what LLVM says, without NUL. */
enum ocl_apart_word {
    OCL_APART_BEGUN = 'b',  /* the whole job has arrived */
    OCL_APART_DONE = 'd',   /* the driver's cache holds the kernel */
    OCL_APART_FAILED = 'f', /* the driver said no */
    OCL_APART_CRASHED = 'c'
};

#endif

/* clang as a compiler for CUDA sources: finding it, and the arguments that make PTX of a source
 * with no NVIDIA file on the machine. Shared by clemcc and the run-time compiler; knows nothing of
 * the library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CLANG_FLAGS_H
#define FACADE_CLANG_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- Lists of arguments ---- */

/* NULL-terminated once something was added. Starts as {0}; after failed memory it takes no more and
 * says so. Owns its strings. */
struct clang_arguments {
    char **values;
    size_t count, capacity;
    bool has_failed;
};
void clang_arguments_add(struct clang_arguments *list, const char *value);
__attribute__((format(printf, 2, 3))) void clang_arguments_format(struct clang_arguments *list,
                                                                  const char *format, ...);
void clang_arguments_append(struct clang_arguments *list, const struct clang_arguments *more);
void clang_arguments_free(struct clang_arguments *list);

/* ---- Values of options ---- */

/* Whether a value is one of those that there are, with | between them. "#": a number. NULL: any. */
bool clang_is_choice(const char *choices, const char *value);

/* Whether CUDA 13.0, or one before it, knows the architecture that is written kindN, such as sm_90a for the kind "sm_". */
bool clang_is_architecture(const char *kind, const char *name);

/* The compute capability of an architecture's name, as 75 for sm_75, or of CLEM_COMPUTE_CAPABILITY for what names none
 * ("native", "all"); not below 7.5, with which CUDA 13 begins. */
unsigned clang_capability(const char *name);

/* Of two compute capabilities that code is asked for, the one whose code a device of CLEM_COMPUTE_CAPABILITY would take: the
 * nearest from below, or else the lower. first 0: none yet. */
unsigned clang_nearer(unsigned first, unsigned second);

/* ---- The compiler ---- */

#define CLANG_OLDEST 14

/* Where it is, or the name to find it by in PATH, and its major version. */
struct clang_compiler {
    char path[4096];
    unsigned version;
};

/* CLEM_CLANG, or the newest of clang-N and clang in PATH that is CLANG_OLDEST or newer. False:
 * `path` says what CLEM_CLANG named, or is empty, and `version` what was found there, or 0. */
bool clang_find(struct clang_compiler *compiler);

/* ---- The two passes ---- */

struct clang_device_options {
    unsigned capability;     /* -arch: 75 is 7.5. 0: what CLEM_COMPUTE_CAPABILITY says, or 7.5 */
    bool no_fma;             /* -fmad=false: a*b+c stays two operations */
    bool flush_denormals;    /* -ftz=true */
    bool approximate_divide; /* -prec-div=false */
    bool approximate_sqrt;   /* -prec-sqrt=false */
    bool fast_math;          /* -use_fast_math: all of those and the fast intrinsics */
    bool debug;              /* -G */
    bool line_info;          /* -lineinfo */
    bool run_time_compiler;  /* no headers of the C and C++ libraries: __CUDACC_RTC__ */
};

/* The language standard of a CUDA source for which `name` was asked: the headers want C++11. */
const char *clang_cuda_standard(const char *name);

/* What both passes get but the architecture: language, the headers in include_dir and the first of them. */
void clang_add_common(struct clang_arguments *list, const char *include_dir);

/* What makes the device pass of a source: PTX text. The caller adds "-o", a file and the source. */
void clang_add_device(struct clang_arguments *list, const struct clang_compiler *compiler,
                      const struct clang_device_options *options);

/* What makes the host pass; `image` is the file that goes into the object as device code. */
void clang_add_host(struct clang_arguments *list, const struct clang_device_options *options,
                    const char *image);

/* What brings that for which a device pass ended, by what it said, as arguments up to NULL: the division or conversion
 * of 128-bit integers, or alignas() behind __shared__. NULL: it ended for something else. */
const char *const *clang_brings_missing(const char *log);

void clang_add_all(struct clang_arguments *list, const char *const *values);

#endif

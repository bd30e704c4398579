/* What operations are made of: calls of entry points, each of which is noted and timed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_OPERATION_H
#define TESTS_FAULT_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

/* Everything that an operation makes it also frees, whether or not something fails on the way. Returns the number of the
 * first error, which both APIs have in common, or 0. Every operation is a row of operations.def. */
#define OPERATION(name, ...) int operation_##name(void);
#include "operations.def"
#undef OPERATION

/* Calls the entry point, or its form for a default stream per thread where the operation is run so (main.c). What is
 * called is its symbol: cuda.h's names are those of today's versions. The value is the error's number. */
#ifdef __clang__ /* functions without arguments: C allows them here from C23 on */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif
#define CALL(name, ...) CALL_EXPORTED(name, __VA_ARGS__)
#define CALL_EXPORTED(name, ...)                                                                   \
    fault_call_ends(                                                                               \
        (int)((__typeof__(&name))fault_call_begins(#name, (void (*)(void))(name)))(__VA_ARGS__))

/* For entry points that return no error. */
#define NOTE(name)          NOTE_EXPORTED(name)
#define NOTE_EXPORTED(name) ((__typeof__(&name))fault_call_begins(#name, (void (*)(void))(name)))

/* Within an operation that has `int error`: a call that is made while nothing has failed, and one that is always made. */
#define TRY(...)                                                                                   \
    do {                                                                                           \
        if (error == 0)                                                                            \
            error = CALL(__VA_ARGS__);                                                             \
    } while (0)
#define END(...) error = fault_first(error, CALL(__VA_ARGS__))

/* What must be so when nothing has failed. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (error == 0 && !(condition))                                                            \
            fault_wrong(__FILE__, __LINE__, #condition);                                           \
    } while (0)

static inline int fault_first(int a, int b)
{
    return a != 0 ? a : b;
}

void (*fault_call_begins(const char *name, void (*function)(void)))(void);
int fault_call_ends(int error);

/* sharing.c: the process that has what operations share with it, until its input ends. */
int share_until_end(void);

/* graphics.c: whether there is an OpenGL, which its operations need to get anywhere. */
bool graphics_is_there(void);

/* Ends the process: something is wrong that no fault excuses. */
_Noreturn void fault_wrong(const char *file, int line, const char *what);

/* Whether blocks of a launch may wait for each other, as those of GPUs may not. */
static inline bool fault_can_cooperate(void)
{
    int can = 1;
    return cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0) != cudaSuccess || can != 0;
}

#endif

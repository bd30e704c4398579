/* Threads of clem's own, and calls that are made on one because they want more stack than the caller may have.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_OWN_THREAD_H
#define OCL_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts a thread that takes none of the program's signals, but SIGSEGV: users' functions touch managed memory. It begins with the
 * default floating-point environment.
 * stack_bytes: 0 for the system's default. False: the system gives no thread. */
bool own_thread_start(pthread_t *thread, size_t stack_bytes, void *(*function)(void *),
                      void *argument);

/* What function(argument) returns; no_thread, without the call, where it would want a thread and the system gives none.
 * Compilers, and drivers that start, take megabytes of stack: where the calling thread may not have them left, the call
 * is made on a thread of clem's own. Only there, since that is no owner of locks that the caller holds within the C
 * library; of the loader's, in a library's constructor, the caller makes the call itself after a second. Costs some
 * microseconds, a hundred in the main thread. */
int own_thread_call(int (*function)(void *), void *argument, int no_thread);

/* The calling thread's stack, from its lowest byte on; false: not known. Costs as much as the former. */
struct own_stack {
    uintptr_t lowest;
    size_t bytes;
};
bool own_thread_stack(struct own_stack *stack);

/* Whether the caller's frame lies in that stack, with what compilers may take left below it. */
bool own_thread_has_room(const struct own_stack *stack);

/* Whether other threads can load libraries while this one waits for them: not within dlopen(), as libraries' constructors
 * are, which is told after five seconds. True where the system gives no thread to try it. Costs some ten microseconds. */
bool own_thread_may_load(void);

#endif

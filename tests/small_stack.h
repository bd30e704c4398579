/* Threads with next to no stack.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SMALL_STACK_H
#define TESTS_SMALL_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "cl/sanitized.h"
#include "tests/test.h"

/* What facade/README.md promises ("Threads with small stacks"); frames that a sanitizer guards are several times larger. */
enum { SMALL_STACK_ROOM = OCL_IS_SANITIZED ? 512 * 1024 : 16 * 1024 };

/* A thread's thread-local variables lie in its stack, and so does what the C library keeps there. */
static inline void *measure_taken(void *taken)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t bytes = 0;
    const char here = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0)
            *(size_t *)taken = (size_t)((const char *)lowest + bytes - &here);
        pthread_attr_destroy(&attributes);
    }
    return NULL;
}

/* A thread that has this room and less than a page more, where the C library lets threads have so little. */
static inline void run_with_small_stack(void *(*body)(void *), void *data)
{
    enum { PAGE = 4096 };
    pthread_t thread;
    pthread_attr_t attributes;
    size_t taken = 0, guard = 0;
    assert_int_equal(pthread_create(&thread, NULL, measure_taken, &taken), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(taken > 0);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_getguardsize(&attributes, &guard), 0);
    const size_t wanted = (SMALL_STACK_ROOM + taken + PAGE - 1) / PAGE * PAGE + guard;
    const size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN); /* 128 KiB on arm64 */
    const size_t bytes = wanted < least ? least : wanted;
    assert_int_equal(pthread_attr_setstacksize(&attributes, bytes), 0);
    assert_int_equal(pthread_create(&thread, &attributes, body, data), 0);
    pthread_attr_destroy(&attributes);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

#endif

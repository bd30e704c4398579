/* Threads with next to no stack.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SMALL_STACK_H
#define TESTS_SMALL_STACK_H

#include <pthread.h>
#include <stdbool.h>

#include "cl/sanitized.h"
#include "tests/test.h"

/* The smallest that the system gives: from 16 KiB on, in which the program's thread-local variables are. Frames that a
 * sanitizer guards are several times larger. */
static inline void run_with_small_stack(void *(*body)(void *), void *data)
{
    pthread_t thread;
    pthread_attr_t attributes;
    bool is_started = false;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    for (size_t bytes = OCL_IS_SANITIZED ? 512 * 1024 : 16 * 1024; !is_started && bytes < 1 << 20;
         bytes += 8 * 1024)
        is_started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                     pthread_create(&thread, &attributes, body, data) == 0;
    pthread_attr_destroy(&attributes);
    assert_true(is_started);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

#endif

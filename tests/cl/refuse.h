/* For tests that want the driver to be short of memory, or its buffers in some place. In block_registered.c, which stands
 * before the driver's function.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_REFUSE_H
#define TESTS_CL_REFUSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether clCreateBuffer() fails for want of memory. Called by any thread; may take its time. */
typedef bool refuse_buffer(size_t bytes);
extern _Atomic(refuse_buffer *) refusing; /* NULL: it does what it is asked for */

/* The host memory that a buffer without any is made of; NULL: as the driver likes. */
typedef void *place_buffer(size_t bytes);
extern _Atomic(place_buffer *) placing;

#endif

/* For tests that want the driver to be short of memory. In block_registered.c, which stands before the driver's function.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_REFUSE_H
#define TESTS_CL_REFUSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether clCreateBuffer() fails for want of memory. Called by any thread; may take its time. */
typedef bool refuse_buffer(size_t bytes);
extern _Atomic(refuse_buffer *) refuse; /* NULL: it does what it is asked for */

#endif

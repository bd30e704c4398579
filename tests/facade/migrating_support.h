/* What the tests of functions over the C library share: managed memory whose pages the device has, where they migrate.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_MIGRATING_SUPPORT_H
#define TESTS_FACADE_MIGRATING_SUPPORT_H

#include "tests/facade/managed_support.h"

/* Large enough that it does not come back as a whole by itself. */
enum { COUNT = 6 * 1024 * 1024 / 4, BYTES = COUNT * 4 };

/* Managed memory that a kernel has just written, with nothing of it touched by the host since. */
static inline int *made_by_kernel(int v)
{
    int *p = managed_block(BYTES), is_shared = 0;
    assert_success(cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, 0));
    if (!is_shared && has_sanitizer())
        TEST_SKIP("pages move, and a sanitizer's functions take the place of libclem's");
    run_on("pattern", p, COUNT, v, NULL);
    assert_success(cudaDeviceSynchronize());
    return p;
}

static inline void again_by_kernel(int *p, int v)
{
    run_on("pattern", p, COUNT, v, NULL);
    assert_success(cudaDeviceSynchronize());
}

#endif

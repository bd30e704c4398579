/* A library with thread-local memory of the scarce kind, which many programs bring: tests/programs/late.c opens copies.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t own[3];

__attribute__((visibility("default"))) uint64_t clem_test_count(void);

uint64_t clem_test_count(void)
{
    return ++own[0] + own[1] + own[2];
}

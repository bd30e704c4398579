/* SPDX-License-Identifier: Apache-2.0 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
#include "calls.h"

const struct calls per_thread_calls = {
#define ENTRY(member, name) .member = name,
    CALLS(ENTRY)
#undef ENTRY
};

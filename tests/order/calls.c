/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

const struct calls ordinary_calls = {
#define ENTRY(member, name) .member = name,
    CALLS(ENTRY)
#undef ENTRY
};

/* How a call of a program is recorded and shown. Private to facade/calls/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CALLS_H
#define FACADE_CALLS_H

#include <stdbool.h>
#include <string.h>

#include "cl/profile.h"

/* What is known of an argument's or a result's type. */
enum facade_value_kind {
    FACADE_VALUE_BYTES,
    FACADE_VALUE_SIGNED,
    FACADE_VALUE_UNSIGNED,
    FACADE_VALUE_REAL,
    FACADE_VALUE_POINTER,
    FACADE_VALUE_TEXT
};

struct facade_value {
    const char *name;
    const void *at;
    size_t bytes;
    enum facade_value_kind kind;
};

/* Enumerations are numbers. Texts are those that a function reads; what it writes may hold anything. */
#define FACADE_VALUE_KIND(value)                                                                   \
    _Generic((value),                                                                              \
        const char *: FACADE_VALUE_TEXT,                                                           \
        float: FACADE_VALUE_REAL,                                                                  \
        double: FACADE_VALUE_REAL,                                                                 \
        int: FACADE_VALUE_SIGNED,                                                                  \
        long: FACADE_VALUE_SIGNED,                                                                 \
        long long: FACADE_VALUE_SIGNED,                                                            \
        default: __builtin_classify_type(value) == 1 ? FACADE_VALUE_UNSIGNED                       \
                 : __builtin_classify_type(value) == 5 ? FACADE_VALUE_POINTER                      \
                                                       : FACADE_VALUE_BYTES)

struct facade_call {
    struct ocl_profile_call record;
    unsigned state; /* bits of enum ocl_profile_bit, at the call's begin */
};

/* Begins to watch where the environment asks for it and it is time. Returns bits of enum ocl_profile_bit. */
unsigned facade_calls_watch(void);

void facade_call_begin(struct facade_call *call);

/* index: the call's in the list. arguments are read only where calls are shown. */
void facade_call_end(const struct facade_call *call, unsigned index,
                     const struct facade_value *result, const struct facade_value *arguments,
                     size_t count);

/* Makes the context of a live stream, event, module, function or array current, where none is. False: it does not; else
 * facade_loan_end() takes it away again. */
bool facade_loan_begin(const void *handle);
void facade_loan_end(void);

#endif

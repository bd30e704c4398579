/* The functions that programs call. Each passes on what it is given to its body, which has an inner name (write.cmake), and
 * where somebody watches, says so: this is the one place that every call of CUDA's passes, and none of clem's own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/calls/calls.h"
#include "include/crt/host_runtime_abi.h"
#include "include/cudaGL.h"
#include "include/cudaProfiler.h"
#include "include/cuda_gl_interop.h"
#include "include/cuda_profiler_api.h"
#include "include/cuda_runtime_api.h"

#define ARGUMENT(name)                                                                             \
    {                                                                                              \
#name, &(name), sizeof(name), FACADE_VALUE_KIND(name)                                      \
    }

/* Where nobody watches, a call is one read, and a jump to its body. */
#define CALL_OF(inner, index, type, name, parameters, arguments, values, count)                    \
    __attribute__((noinline, cold)) static type watched_##name parameters                          \
    {                                                                                              \
        struct facade_call call_;                                                                  \
        facade_call_begin(&call_);                                                                 \
        type result_ = inner##_##name arguments;                                                   \
        const struct facade_value value_ = {#type, &result_, sizeof result_,                       \
                                            FACADE_VALUE_KIND(result_)};                           \
        facade_call_end(&call_, index, &value_, values, count);                                    \
        return result_;                                                                            \
    }                                                                                              \
    type name parameters                                                                           \
    {                                                                                              \
        return __builtin_expect(ocl_profile_now() == 0, 1) ? inner##_##name arguments              \
                                                           : watched_##name arguments;             \
    }

#define CALL_AS(index, type, name, parameters, arguments, values, count)                           \
    __attribute__((visibility("hidden"))) type clem_body_##name parameters;                        \
    CALL_OF(clem_body, index, type, name, parameters, arguments, values, count)

/* Once more with the context of an argument, where the first time ended because none is current. */
#define CALL_LENT(index, type, name, parameters, arguments, lender, ...)                           \
    __attribute__((visibility("hidden"))) type clem_body_##name parameters;                        \
    static inline type lent_##name parameters                                                      \
    {                                                                                              \
        type result_ = clem_body_##name arguments;                                                 \
        if (__builtin_expect(result_ == CUDA_ERROR_INVALID_CONTEXT, 0) &&                          \
            facade_loan_begin(lender)) {                                                           \
            result_ = clem_body_##name arguments;                                                  \
            facade_loan_end();                                                                     \
        }                                                                                          \
        return result_;                                                                            \
    }                                                                                              \
    CALL_OF(lent, index, type, name, parameters, arguments, VALUES(__VA_ARGS__),                   \
            sizeof VALUES(__VA_ARGS__) / sizeof(struct facade_value))

#define VALUES(...) ((const struct facade_value[]){__VA_ARGS__})
#define CALL(index, type, name, parameters, arguments, ...)                                        \
    CALL_AS(index, type, name, parameters, arguments, VALUES(__VA_ARGS__),                         \
            sizeof VALUES(__VA_ARGS__) / sizeof(struct facade_value))
#define CALL_BARE(index, type, name, parameters, arguments)                                        \
    CALL_AS(index, type, name, parameters, arguments, NULL, 0)

#pragma GCC visibility push(default)
#include "calls_rows.h"
#pragma GCC visibility pop
#undef CALL
#undef CALL_LENT
#undef CALL_BARE

/* Bodies of the runtime functions that clem does not offer, so that programs which name them link. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "facade/state/internal.h"
#include "include/crt/host_runtime_abi.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* OpenGL, EGL and VDPAU functions have no header here: the rows are their declarations as well. */
#pragma GCC visibility push(default)
#define UNSUPPORTED(type, name, parameters)              type name parameters;
#define UNSUPPORTED_VALUE(type, name, parameters, value) type name parameters;
#define UNSUPPORTED_VOID(name, parameters)               void name parameters;
#include "facade/lists/unsupported.def"
#undef UNSUPPORTED
#undef UNSUPPORTED_VALUE
#undef UNSUPPORTED_VOID
#pragma GCC visibility pop

#define UNSUPPORTED(type, name, parameters)                                                        \
    type name parameters                                                                           \
    {                                                                                              \
        return facade_unsupported(#name);                                                          \
    }
#define UNSUPPORTED_VALUE(type, name, parameters, value)                                           \
    type name parameters                                                                           \
    {                                                                                              \
        (void)facade_unsupported(#name);                                                           \
        return value;                                                                              \
    }
#define UNSUPPORTED_VOID(name, parameters)                                                         \
    void name parameters                                                                           \
    {                                                                                              \
        (void)facade_unsupported(#name);                                                           \
    }
#include "facade/lists/unsupported.def"

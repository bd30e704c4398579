/* The C library's functions behind those that libclem defines over them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/host/host_next.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ENTRY(group, name, status) _Atomic(facade_any_function *) facade_next_##name;
#include "facade/lists/host_entry_points.def"
#undef ENTRY

/* The lookup may itself read or write; that call goes to the system, as do those that other threads
 * make at that moment. */
static atomic_flag is_looking = ATOMIC_FLAG_INIT;

facade_any_function *facade_find_next(_Atomic(facade_any_function *) *known, const char *name)
{
    facade_any_function *function = atomic_load_explicit(known, memory_order_relaxed);
    if (function != NULL || atomic_flag_test_and_set(&is_looking))
        return function;
    const int error = errno;
    function = (facade_any_function *)(uintptr_t)dlsym(RTLD_NEXT, name);
    atomic_flag_clear(&is_looking);
    errno = error;
    atomic_store_explicit(known, function, memory_order_relaxed);
    return function;
}

static bool is_in(const void *address, const char *begin)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *name = slash != NULL ? slash + 1 : info.dli_fname;
    return strncmp(name, begin, strlen(begin)) == 0;
}

bool facade_is_driver(const void *caller)
{
    return is_in(caller, "libpocl");
}

bool facade_is_compiler(const void *caller)
{
    return is_in(caller, "libLLVM") || is_in(caller, "libclang-cpp");
}

#if FACADE_STANDS_IN

/* A program's own constructors and signal handlers may call these functions: the first come before
 * this and look for themselves, the second must not have to. */
__attribute__((constructor)) static void find_all(void)
{
#define ENTRY(group, name, status) (void)NEXT(name);
#include "facade/lists/host_entry_points.def"
#undef ENTRY
}

#endif

/* The C library's functions behind those that libclem defines over them. Private to facade/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_HOST_NEXT_H
#define FACADE_HOST_NEXT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cl/sanitized.h"

/* Sanitizers define these functions themselves, and look at the buffer before the system does:
 * what is written here would hide theirs. */
#define FACADE_STANDS_IN !OCL_IS_SANITIZED

#define EXPORTED __attribute__((visibility("default")))

typedef void facade_any_function(void);

/* NULL while one is looked for, and for what the C library does not have. */
facade_any_function *facade_find_next(_Atomic(facade_any_function *) *known, const char *name);

#define ENTRY(group, name, status) extern _Atomic(facade_any_function *) facade_next_##name;
#include "facade/lists/host_entry_points.def"
#undef ENTRY

/* Whether code at this address is PoCL's, or of the compiler that it uses: by the name of the library. */
bool facade_is_driver(const void *caller);
bool facade_is_compiler(const void *caller);

/* host_signal.c: the mask with which the system may wait: SIGSEGV stays unblocked while managed memory may migrate. mask
 * may be NULL. */
const sigset_t *facade_system_mask(const sigset_t *mask, sigset_t *copy);

#define NEXT(name) facade_find_next(&facade_next_##name, #name)

#endif

/* The C library's functions that hand a buffer to the system, defined over it. The system does not
 * fault on pages that the device owns: it refuses them, or stops short, and a program that writes
 * what its kernels made would lose it. So managed memory in a buffer comes to the host first.
 * SPDX-License-Identifier: Apache-2.0 */

/* Both forms of a function are defined here, so no header may turn one into the other. */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cl/managed.h"
#include "cl/process.h"

/* Sanitizers define these functions themselves, and look at the buffer before the system does:
 * what is written here would hide theirs. */
#if defined(__has_feature)
#define IS_SANITIZED                                                                               \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                        \
     __has_feature(memory_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#if !IS_SANITIZED

#define EXPORTED __attribute__((visibility("default")))

/* --- the functions behind these --------------------------------------------------------------- */

typedef void any_function(void);

/* The lookup may itself read or write; that call goes to the system, as do those that other threads
 * make at that moment. */
static atomic_flag is_looking = ATOMIC_FLAG_INIT;

/* NULL while one is looked for, and for what the C library does not have. */
static any_function *find_next(_Atomic(any_function *) *known, const char *name)
{
    any_function *function = atomic_load_explicit(known, memory_order_relaxed);
    if (function != NULL || atomic_flag_test_and_set(&is_looking))
        return function;
    const int error = errno;
    function = (any_function *)(uintptr_t)dlsym(RTLD_NEXT, name);
    atomic_flag_clear(&is_looking);
    errno = error;
    atomic_store_explicit(known, function, memory_order_relaxed);
    return function;
}

#define ENTRY(group, name, status) static _Atomic(any_function *) next_##name;
#include "facade/host_entry_points.def"
#undef ENTRY

#define NEXT(name) find_next(&next_##name, #name)

/* A program's own constructors and signal handlers may call these functions: the first come before
 * this and look for themselves, the second must not have to. */
__attribute__((constructor)) static void find_all(void)
{
#define ENTRY(group, name, status) (void)NEXT(name);
#include "facade/host_entry_points.def"
#undef ENTRY
}

/* --- the memory ------------------------------------------------------------------------------- */

/* is_write: the system will write there. Costs two atomic reads while no memory migrates. A forked
 * child has nobody who could bring its pages: there the system says what it will. */
static void prepare(const void *buffer, size_t bytes, bool is_write)
{
    const int error = errno;
    if (!ocl_process_is_forked())
        ocl_managed_make_resident(buffer, bytes, is_write);
    errno = error;
}

/* A product that no size_t holds is the C library's to refuse. */
static void prepare_items(const void *buffer, size_t bytes, size_t count, bool is_write)
{
    size_t all = 0;
    if (!__builtin_mul_overflow(bytes, count, &all))
        prepare(buffer, all, is_write);
}

static void prepare_list(const struct iovec *list, int count, bool is_write)
{
    for (int i = 0; list != NULL && i < count; i++)
        prepare(list[i].iov_base, list[i].iov_len, is_write);
}

/* --- reading and writing ---------------------------------------------------------------------- */

typedef ssize_t read_function(int fd, void *buffer, size_t bytes);
typedef ssize_t write_function(int fd, const void *buffer, size_t bytes);
typedef ssize_t pread_function(int fd, void *buffer, size_t bytes, off_t offset);
typedef ssize_t pwrite_function(int fd, const void *buffer, size_t bytes, off_t offset);
typedef ssize_t vector_function(int fd, const struct iovec *list, int count);

EXPORTED ssize_t read(int fd, void *buffer, size_t bytes)
{
    read_function *const next = (read_function *)NEXT(read);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes) : syscall(SYS_read, fd, buffer, bytes);
}

EXPORTED ssize_t write(int fd, const void *buffer, size_t bytes)
{
    write_function *const next = (write_function *)NEXT(write);
    prepare(buffer, bytes, false);
    return next != NULL ? next(fd, buffer, bytes) : syscall(SYS_write, fd, buffer, bytes);
}

EXPORTED ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    pread_function *const next = (pread_function *)NEXT(pread);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes, offset)
                        : syscall(SYS_pread64, fd, buffer, bytes, offset);
}

EXPORTED ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    pwrite_function *const next = (pwrite_function *)NEXT(pwrite);
    prepare(buffer, bytes, false);
    return next != NULL ? next(fd, buffer, bytes, offset)
                        : syscall(SYS_pwrite64, fd, buffer, bytes, offset);
}

/* The names for files beyond 2 GiB; where offsets have 64 bits anyway, the same functions. */
_Static_assert(sizeof(off_t) == sizeof(off64_t), "one kind of offset");

EXPORTED ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    pread_function *const next = (pread_function *)NEXT(pread64);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes, offset)
                        : syscall(SYS_pread64, fd, buffer, bytes, offset);
}

EXPORTED ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    pwrite_function *const next = (pwrite_function *)NEXT(pwrite64);
    prepare(buffer, bytes, false);
    return next != NULL ? next(fd, buffer, bytes, offset)
                        : syscall(SYS_pwrite64, fd, buffer, bytes, offset);
}

EXPORTED ssize_t readv(int fd, const struct iovec *list, int count)
{
    vector_function *const next = (vector_function *)NEXT(readv);
    prepare_list(list, count, true);
    return next != NULL ? next(fd, list, count) : syscall(SYS_readv, fd, list, count);
}

EXPORTED ssize_t writev(int fd, const struct iovec *list, int count)
{
    vector_function *const next = (vector_function *)NEXT(writev);
    prepare_list(list, count, false);
    return next != NULL ? next(fd, list, count) : syscall(SYS_writev, fd, list, count);
}

/* --- sockets ---------------------------------------------------------------------------------- */

typedef ssize_t send_function(int fd, const void *buffer, size_t bytes, int flags);
typedef ssize_t recv_function(int fd, void *buffer, size_t bytes, int flags);

EXPORTED ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
    send_function *const next = (send_function *)NEXT(send);
    prepare(buffer, bytes, false);
    return next != NULL ? next(fd, buffer, bytes, flags)
                        : syscall(SYS_sendto, fd, buffer, bytes, flags, NULL, 0);
}

EXPORTED ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
    recv_function *const next = (recv_function *)NEXT(recv);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes, flags)
                        : syscall(SYS_recvfrom, fd, buffer, bytes, flags, NULL, NULL);
}

/* --- streams ---------------------------------------------------------------------------------- */

typedef size_t fread_function(void *buffer, size_t bytes, size_t count, FILE *file);
typedef size_t fwrite_function(const void *buffer, size_t bytes, size_t count, FILE *file);

EXPORTED size_t fread(void *buffer, size_t bytes, size_t count, FILE *file)
{
    fread_function *const next = (fread_function *)NEXT(fread);
    prepare_items(buffer, bytes, count, true);
    if (next != NULL)
        return next(buffer, bytes, count, file);
    flockfile(file);
    /* The function: it is a macro as well. */
    const size_t done = (fread_unlocked)(buffer, bytes, count, file);
    funlockfile(file);
    return done;
}

EXPORTED size_t fwrite(const void *buffer, size_t bytes, size_t count, FILE *file)
{
    fwrite_function *const next = (fwrite_function *)NEXT(fwrite);
    prepare_items(buffer, bytes, count, false);
    if (next != NULL)
        return next(buffer, bytes, count, file);
    flockfile(file);
    const size_t done = (fwrite_unlocked)(buffer, bytes, count, file);
    funlockfile(file);
    return done;
}

/* --- the checked forms, for buffers whose size the compiler knows ----------------------------- */

/* Where the C library has none, nobody calls it by that name; and in the middle of a lookup the
 * plain form has to do. Source: the GNU C library's headers, features that _FORTIFY_SOURCE enables.
 */

typedef ssize_t read_checked(int fd, void *buffer, size_t bytes, size_t room);
typedef ssize_t pread_checked(int fd, void *buffer, size_t bytes, off_t offset, size_t room);
typedef ssize_t recv_checked(int fd, void *buffer, size_t bytes, size_t room, int flags);
typedef size_t fread_checked(void *buffer, size_t room, size_t bytes, size_t count, FILE *file);

EXPORTED read_checked __read_chk;
EXPORTED pread_checked __pread_chk, __pread64_chk;
EXPORTED recv_checked __recv_chk;
EXPORTED fread_checked __fread_chk;

ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room)
{
    read_checked *const next = (read_checked *)NEXT(__read_chk);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes, room) : read(fd, buffer, bytes);
}

ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room)
{
    pread_checked *const next = (pread_checked *)NEXT(__pread_chk);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes, offset, room) : pread(fd, buffer, bytes, offset);
}

ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room)
{
    pread_checked *const next = (pread_checked *)NEXT(__pread64_chk);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes, offset, room) : pread(fd, buffer, bytes, offset);
}

ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags)
{
    recv_checked *const next = (recv_checked *)NEXT(__recv_chk);
    prepare(buffer, bytes, true);
    return next != NULL ? next(fd, buffer, bytes, room, flags) : recv(fd, buffer, bytes, flags);
}

size_t __fread_chk(void *buffer, size_t room, size_t bytes, size_t count, FILE *file)
{
    fread_checked *const next = (fread_checked *)NEXT(__fread_chk);
    prepare_items(buffer, bytes, count, true);
    return next != NULL ? next(buffer, room, bytes, count, file)
                        : fread(buffer, bytes, count, file);
}

#endif

/* The C library's functions that hand a buffer to the system, defined over it. The system does not
 * fault on pages that the device owns: it refuses them, or stops short, and a program that writes
 * what its kernels made would lose it. So managed memory in a buffer comes to the host first.
 * SPDX-License-Identifier: Apache-2.0 */

/* Both forms of a function are defined here, so no header may turn one into the other. */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cl/managed.h"
#include "cl/process.h"
#include "cl/signals.h"
#include "facade/host/host_next.h"

#if FACADE_STANDS_IN

/* --- the memory ------------------------------------------------------------------------------- */

/* A forked child has nobody who could bring its pages: there the system says what it will. */
static bool may_migrate(void)
{
    return ocl_signals_are_shared() && !ocl_process_is_forked();
}

/* is_write: the system will write there. Costs an atomic read while no memory migrates. */
static void prepare(const void *buffer, size_t bytes, bool is_write)
{
    const int error = errno;
    if (may_migrate())
        ocl_managed_make_resident(buffer, bytes, is_write);
    errno = error;
}

/* As long as a path can be; what lies behind it may come too. */
static void prepare_path(const char *path)
{
    prepare(path, PATH_MAX, false);
}

static void prepare_string(const char *text)
{
    if (may_migrate())
        prepare(text, strlen(text), false);
}

/* Without a descriptor, which may lack: the system reads a set of signals before it refuses what shall be done with it. */
static bool is_readable(uintptr_t address)
{
    const uintptr_t word = address & ~(uintptr_t)7;
    return syscall(SYS_rt_sigprocmask, -1, word, NULL, 8) == 0 || errno != EFAULT;
}

/* The program's own description of its buffers, no longer than a page. A bad address is the system's to refuse: false. */
static bool take(void *copy, const void *description, size_t bytes)
{
    const int error = errno;
    const uintptr_t first = (uintptr_t)description, last = first + bytes - 1;
    const struct iovec here = {copy, bytes}, there = {(void *)first, bytes};
    prepare(description, bytes, false);
    const ssize_t taken = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    bool is_taken = taken == (ssize_t)bytes;
    if (taken < 0 && errno != EFAULT) { /* a sandbox refuses the call */
        is_taken = is_readable(first) && is_readable(last);
        if (is_taken)
            memcpy(copy, description, bytes);
    }
    errno = error;
    return is_taken;
}

/* A product that no size_t holds is the C library's to refuse. */
static void prepare_items(const void *buffer, size_t bytes, size_t count, bool is_write)
{
    size_t all = 0;
    if (!__builtin_mul_overflow(bytes, count, &all))
        prepare(buffer, all, is_write);
}

static void prepare_list(const struct iovec *list, size_t count, bool is_write)
{
    struct iovec one;
    for (size_t i = 0; i < count && may_migrate() && take(&one, &list[i], sizeof one); i++)
        prepare(one.iov_base, one.iov_len, is_write);
}

static void prepare_vector(const struct iovec *list, int count, bool is_write)
{
    prepare_list(list, count > 0 ? (size_t)count : 0, is_write);
}

/* A message is answered in its header too: with the sender, flags and lengths. */
static void prepare_message(const struct msghdr *message, bool is_write)
{
    struct msghdr copy;
    if (!may_migrate() || !take(&copy, message, sizeof copy))
        return;
    prepare(message, sizeof *message, is_write);
    prepare(copy.msg_name, copy.msg_namelen, is_write);
    prepare(copy.msg_control, copy.msg_controllen, is_write);
    prepare_list(copy.msg_iov, copy.msg_iovlen, is_write);
}

static void prepare_messages(struct mmsghdr *messages, unsigned count, bool is_write)
{
    for (unsigned i = 0; i < count && may_migrate(); i++) {
        prepare_message(&messages[i].msg_hdr, is_write);
        prepare(&messages[i], sizeof messages[i], true);
    }
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
    prepare_vector(list, count, true);
    return next != NULL ? next(fd, list, count) : syscall(SYS_readv, fd, list, count);
}

EXPORTED ssize_t writev(int fd, const struct iovec *list, int count)
{
    vector_function *const next = (vector_function *)NEXT(writev);
    prepare_vector(list, count, false);
    return next != NULL ? next(fd, list, count) : syscall(SYS_writev, fd, list, count);
}

/* What Linux has no call of the same shape for fails while a lookup goes on. */
static int fail_with(int error)
{
    errno = error;
    return -1;
}

typedef ssize_t placed_function(int fd, const struct iovec *list, int count, off_t offset);
typedef ssize_t flagged_function(int fd, const struct iovec *list, int count, off_t offset,
                                 int flags);

#define PLACED(name, is_write)                                                                     \
    EXPORTED ssize_t name(int fd, const struct iovec *list, int count, off_t offset)               \
    {                                                                                              \
        placed_function *const next = (placed_function *)NEXT(name);                               \
        prepare_vector(list, count, is_write);                                                     \
        return next != NULL ? next(fd, list, count, offset) : fail_with(ENOSYS);                   \
    }
PLACED(preadv, true)
PLACED(preadv64, true)
PLACED(pwritev, false)
PLACED(pwritev64, false)

#define FLAGGED(name, is_write)                                                                    \
    EXPORTED ssize_t name(int fd, const struct iovec *list, int count, off_t offset, int flags)    \
    {                                                                                              \
        flagged_function *const next = (flagged_function *)NEXT(name);                             \
        prepare_vector(list, count, is_write);                                                     \
        return next != NULL ? next(fd, list, count, offset, flags) : fail_with(ENOSYS);            \
    }
FLAGGED(preadv2, true)
FLAGGED(preadv64v2, true)
FLAGGED(pwritev2, false)
FLAGGED(pwritev64v2, false)

/* --- random bytes ----------------------------------------------------------------------------- */

typedef ssize_t random_function(void *buffer, size_t bytes, unsigned flags);
typedef int entropy_function(void *buffer, size_t bytes);

EXPORTED ssize_t getrandom(void *buffer, size_t bytes, unsigned flags)
{
    random_function *const next = (random_function *)NEXT(getrandom);
    prepare(buffer, bytes, true);
    return next != NULL ? next(buffer, bytes, flags) : syscall(SYS_getrandom, buffer, bytes, flags);
}

EXPORTED int getentropy(void *buffer, size_t bytes)
{
    entropy_function *const next = (entropy_function *)NEXT(getentropy);
    prepare(buffer, bytes, true);
    return next != NULL ? next(buffer, bytes) : fail_with(ENOSYS);
}

/* --- facts about files ------------------------------------------------------------------------ */

/* One layout for both names, which C libraries before 2.33 do not export: there the system is asked. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one kind of stat");

typedef int path_stat(const char *path, void *facts);
typedef int fd_stat(int fd, void *facts);
typedef int at_stat(int fd, const char *path, void *facts, int flags);

static int stat_at(facade_any_function *next, int fd, const char *path, void *facts, int flags)
{
    prepare_path(path);
    prepare(facts, sizeof(struct stat), true);
    return next != NULL ? ((at_stat *)next)(fd, path, facts, flags)
                        : (int)syscall(SYS_newfstatat, fd, path, facts, flags);
}

static int stat_path(facade_any_function *next, const char *path, void *facts, int flags)
{
    if (next == NULL)
        return stat_at(NULL, AT_FDCWD, path, facts, flags);
    prepare_path(path);
    prepare(facts, sizeof(struct stat), true);
    return ((path_stat *)next)(path, facts);
}

static int stat_fd(facade_any_function *next, int fd, void *facts)
{
    prepare(facts, sizeof(struct stat), true);
    return next != NULL ? ((fd_stat *)next)(fd, facts) : (int)syscall(SYS_fstat, fd, facts);
}

#define STAT(suffix)                                                                               \
    EXPORTED int stat##suffix(const char *path, struct stat##suffix *facts)                        \
    {                                                                                              \
        return stat_path(NEXT(stat##suffix), path, facts, 0);                                      \
    }                                                                                              \
    EXPORTED int lstat##suffix(const char *path, struct stat##suffix *facts)                       \
    {                                                                                              \
        return stat_path(NEXT(lstat##suffix), path, facts, AT_SYMLINK_NOFOLLOW);                   \
    }                                                                                              \
    EXPORTED int fstat##suffix(int fd, struct stat##suffix *facts)                                 \
    {                                                                                              \
        return stat_fd(NEXT(fstat##suffix), fd, facts);                                            \
    }                                                                                              \
    EXPORTED int fstatat##suffix(int fd, const char *path, struct stat##suffix *facts, int flags)  \
    {                                                                                              \
        return stat_at(NEXT(fstatat##suffix), fd, path, facts, flags);                             \
    }
STAT()
STAT(64)

typedef int statx_function(int fd, const char *path, int flags, unsigned mask, struct statx *facts);

EXPORTED int statx(int fd, const char *path, int flags, unsigned mask, struct statx *facts)
{
    statx_function *const next = (statx_function *)NEXT(statx);
    prepare_path(path);
    prepare(facts, sizeof *facts, true);
    return next != NULL ? next(fd, path, flags, mask, facts)
                        : (int)syscall(SYS_statx, fd, path, flags, mask, facts);
}

/* --- waiting for files ------------------------------------------------------------------------ */

typedef int poll_function(struct pollfd *files, nfds_t count, int milliseconds);
typedef int ppoll_function(struct pollfd *files, nfds_t count, const struct timespec *time,
                           const sigset_t *mask);
typedef int select_function(int count, fd_set *in, fd_set *out, fd_set *errors,
                            struct timeval *time);
typedef int pselect_function(int count, fd_set *in, fd_set *out, fd_set *errors,
                             const struct timespec *time, const sigset_t *mask);

EXPORTED int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    poll_function *const next = (poll_function *)NEXT(poll);
    prepare_items(files, sizeof *files, count, true);
    return next != NULL ? next(files, count, milliseconds) : fail_with(ENOSYS);
}

EXPORTED int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time,
                   const sigset_t *mask)
{
    ppoll_function *const next = (ppoll_function *)NEXT(ppoll);
    sigset_t copy;
    prepare_items(files, sizeof *files, count, true);
    return next != NULL ? next(files, count, time, facade_system_mask(mask, &copy))
                        : fail_with(ENOSYS);
}

static void prepare_sets(int count, fd_set *in, fd_set *out, fd_set *errors)
{
    const size_t bytes = count > 0 ? ((size_t)count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask) : 0;
    prepare(in, bytes, true);
    prepare(out, bytes, true);
    prepare(errors, bytes, true);
}

EXPORTED int select(int count, fd_set *in, fd_set *out, fd_set *errors, struct timeval *time)
{
    select_function *const next = (select_function *)NEXT(select);
    prepare_sets(count, in, out, errors);
    return next != NULL ? next(count, in, out, errors, time) : fail_with(ENOSYS);
}

EXPORTED int pselect(int count, fd_set *in, fd_set *out, fd_set *errors,
                     const struct timespec *time, const sigset_t *mask)
{
    pselect_function *const next = (pselect_function *)NEXT(pselect);
    sigset_t copy;
    prepare_sets(count, in, out, errors);
    return next != NULL ? next(count, in, out, errors, time, facade_system_mask(mask, &copy))
                        : fail_with(ENOSYS);
}

typedef int epoll_function(int fd, struct epoll_event *events, int count, int milliseconds);
typedef int epoll_pwait_function(int fd, struct epoll_event *events, int count, int milliseconds,
                                 const sigset_t *mask);
typedef int epoll_pwait2_function(int fd, struct epoll_event *events, int count,
                                  const struct timespec *time, const sigset_t *mask);

static void prepare_events(struct epoll_event *events, int count)
{
    prepare_items(events, sizeof *events, count > 0 ? (size_t)count : 0, true);
}

EXPORTED int epoll_wait(int fd, struct epoll_event *events, int count, int milliseconds)
{
    epoll_function *const next = (epoll_function *)NEXT(epoll_wait);
    prepare_events(events, count);
    return next != NULL ? next(fd, events, count, milliseconds) : fail_with(ENOSYS);
}

EXPORTED int epoll_pwait(int fd, struct epoll_event *events, int count, int milliseconds,
                         const sigset_t *mask)
{
    epoll_pwait_function *const next = (epoll_pwait_function *)NEXT(epoll_pwait);
    sigset_t copy;
    prepare_events(events, count);
    return next != NULL ? next(fd, events, count, milliseconds, facade_system_mask(mask, &copy))
                        : fail_with(ENOSYS);
}

EXPORTED epoll_pwait2_function epoll_pwait2; /* C libraries from 2.35 on have it */
int epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *time,
                 const sigset_t *mask)
{
    epoll_pwait2_function *const next = (epoll_pwait2_function *)NEXT(epoll_pwait2);
    sigset_t copy;
    prepare_events(events, count);
    prepare(time, sizeof *time, false);
    return next != NULL ? next(fd, events, count, time, facade_system_mask(mask, &copy))
                        : fail_with(ENOSYS);
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

typedef ssize_t sendto_function(int fd, const void *buffer, size_t bytes, int flags,
                                __CONST_SOCKADDR_ARG address, socklen_t address_bytes);
typedef ssize_t recvfrom_function(int fd, void *buffer, size_t bytes, int flags,
                                  __SOCKADDR_ARG address, socklen_t *address_bytes);
typedef ssize_t sendmsg_function(int fd, const struct msghdr *message, int flags);
typedef ssize_t recvmsg_function(int fd, struct msghdr *message, int flags);
typedef int sendmmsg_function(int fd, struct mmsghdr *messages, unsigned count, int flags);
typedef int recvmmsg_function(int fd, struct mmsghdr *messages, unsigned count, int flags,
                              struct timespec *time);

EXPORTED ssize_t sendto(int fd, const void *buffer, size_t bytes, int flags,
                        __CONST_SOCKADDR_ARG address, socklen_t address_bytes)
{
    sendto_function *const next = (sendto_function *)NEXT(sendto);
    prepare(buffer, bytes, false);
    prepare(address.__sockaddr__, address_bytes, false);
    return next != NULL
               ? next(fd, buffer, bytes, flags, address, address_bytes)
               : syscall(SYS_sendto, fd, buffer, bytes, flags, address.__sockaddr__, address_bytes);
}

static void prepare_answer(void *address, socklen_t *address_bytes)
{
    prepare(address, sizeof(struct sockaddr_storage), true);
    prepare(address_bytes, sizeof *address_bytes, true);
}

EXPORTED ssize_t recvfrom(int fd, void *buffer, size_t bytes, int flags, __SOCKADDR_ARG address,
                          socklen_t *address_bytes)
{
    recvfrom_function *const next = (recvfrom_function *)NEXT(recvfrom);
    prepare(buffer, bytes, true);
    prepare_answer(address.__sockaddr__, address_bytes);
    return next != NULL ? next(fd, buffer, bytes, flags, address, address_bytes)
                        : syscall(SYS_recvfrom, fd, buffer, bytes, flags, address.__sockaddr__,
                                  address_bytes);
}

EXPORTED ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    sendmsg_function *const next = (sendmsg_function *)NEXT(sendmsg);
    prepare_message(message, false);
    return next != NULL ? next(fd, message, flags) : syscall(SYS_sendmsg, fd, message, flags);
}

EXPORTED ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    recvmsg_function *const next = (recvmsg_function *)NEXT(recvmsg);
    prepare_message(message, true);
    return next != NULL ? next(fd, message, flags) : syscall(SYS_recvmsg, fd, message, flags);
}

EXPORTED int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    sendmmsg_function *const next = (sendmmsg_function *)NEXT(sendmmsg);
    prepare_messages(messages, count, false);
    return next != NULL ? next(fd, messages, count, flags)
                        : (int)syscall(SYS_sendmmsg, fd, messages, count, flags);
}

EXPORTED int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                      struct timespec *time)
{
    recvmmsg_function *const next = (recvmmsg_function *)NEXT(recvmmsg);
    prepare_messages(messages, count, true);
    prepare(time, sizeof *time, true);
    return next != NULL ? next(fd, messages, count, flags, time)
                        : (int)syscall(SYS_recvmmsg, fd, messages, count, flags, time);
}

/* --- streams ---------------------------------------------------------------------------------- */

typedef size_t fread_function(void *buffer, size_t bytes, size_t count, FILE *file);
typedef size_t fwrite_function(const void *buffer, size_t bytes, size_t count, FILE *file);

/* While a lookup goes on, by the byte. */
static size_t read_slowly(void *buffer, size_t bytes, size_t count, FILE *file)
{
    unsigned char *const to = buffer;
    size_t done = 0;
    for (int byte; done < bytes * count && (byte = fgetc(file)) != EOF; done++)
        to[done] = (unsigned char)byte;
    return bytes > 0 ? done / bytes : 0;
}

static size_t write_slowly(const void *buffer, size_t bytes, size_t count, FILE *file)
{
    const unsigned char *const from = buffer;
    size_t done = 0;
    while (done < bytes * count && fputc(from[done], file) != EOF)
        done++;
    return bytes > 0 ? done / bytes : 0;
}

EXPORTED size_t fread(void *buffer, size_t bytes, size_t count, FILE *file)
{
    fread_function *const next = (fread_function *)NEXT(fread);
    prepare_items(buffer, bytes, count, true);
    return next != NULL ? next(buffer, bytes, count, file)
                        : read_slowly(buffer, bytes, count, file);
}

EXPORTED size_t fwrite(const void *buffer, size_t bytes, size_t count, FILE *file)
{
    fwrite_function *const next = (fwrite_function *)NEXT(fwrite);
    prepare_items(buffer, bytes, count, false);
    return next != NULL ? next(buffer, bytes, count, file)
                        : write_slowly(buffer, bytes, count, file);
}

/* What moves through the stream's own buffer, as for fgets() and getline(), the C library touches
 * itself; longer texts it hands to the system where they lie. */

typedef int put_function(const char *text, FILE *file);
typedef int puts_function(const char *text);

static int put_bytes(const char *text, FILE *file)
{
    const size_t bytes = strlen(text);
    return fwrite(text, 1, bytes, file) == bytes ? 1 : EOF;
}

EXPORTED int fputs(const char *text, FILE *file)
{
    put_function *const next = (put_function *)NEXT(fputs);
    prepare_string(text);
    return next != NULL ? next(text, file) : put_bytes(text, file);
}

EXPORTED int fputs_unlocked(const char *text, FILE *file)
{
    put_function *const next = (put_function *)NEXT(fputs_unlocked);
    prepare_string(text);
    return next != NULL ? next(text, file) : put_bytes(text, file);
}

EXPORTED int puts(const char *text)
{
    puts_function *const next = (puts_function *)NEXT(puts);
    prepare_string(text);
    if (next != NULL)
        return next(text);
    return put_bytes(text, stdout) == EOF ? EOF : fputc('\n', stdout);
}

#undef fread_unlocked
#undef fwrite_unlocked

EXPORTED size_t fread_unlocked(void *buffer, size_t bytes, size_t count, FILE *file)
{
    fread_function *const next = (fread_function *)NEXT(fread_unlocked);
    prepare_items(buffer, bytes, count, true);
    return next != NULL ? next(buffer, bytes, count, file)
                        : read_slowly(buffer, bytes, count, file);
}

EXPORTED size_t fwrite_unlocked(const void *buffer, size_t bytes, size_t count, FILE *file)
{
    fwrite_function *const next = (fwrite_function *)NEXT(fwrite_unlocked);
    prepare_items(buffer, bytes, count, false);
    return next != NULL ? next(buffer, bytes, count, file)
                        : write_slowly(buffer, bytes, count, file);
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
EXPORTED fread_checked __fread_chk, __fread_unlocked_chk;
typedef ssize_t recvfrom_checked(int fd, void *buffer, size_t bytes, size_t room, int flags,
                                 __SOCKADDR_ARG address, socklen_t *address_bytes);
typedef int poll_checked(struct pollfd *files, nfds_t count, int milliseconds, size_t room);
typedef int ppoll_checked(struct pollfd *files, nfds_t count, const struct timespec *time,
                          const sigset_t *mask, size_t room);
EXPORTED recvfrom_checked __recvfrom_chk;
EXPORTED poll_checked __poll_chk;
EXPORTED ppoll_checked __ppoll_chk;

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

size_t __fread_unlocked_chk(void *buffer, size_t room, size_t bytes, size_t count, FILE *file)
{
    fread_checked *const next = (fread_checked *)NEXT(__fread_unlocked_chk);
    prepare_items(buffer, bytes, count, true);
    return next != NULL ? next(buffer, room, bytes, count, file)
                        : fread_unlocked(buffer, bytes, count, file);
}

ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
                       __SOCKADDR_ARG address, socklen_t *address_bytes)
{
    recvfrom_checked *const next = (recvfrom_checked *)NEXT(__recvfrom_chk);
    prepare(buffer, bytes, true);
    prepare_answer(address.__sockaddr__, address_bytes);
    return next != NULL ? next(fd, buffer, bytes, room, flags, address, address_bytes)
                        : recvfrom(fd, buffer, bytes, flags, address, address_bytes);
}

int __poll_chk(struct pollfd *files, nfds_t count, int milliseconds, size_t room)
{
    poll_checked *const next = (poll_checked *)NEXT(__poll_chk);
    prepare_items(files, sizeof *files, count, true);
    return next != NULL ? next(files, count, milliseconds, room) : poll(files, count, milliseconds);
}

int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *time,
                const sigset_t *mask, size_t room)
{
    ppoll_checked *const next = (ppoll_checked *)NEXT(__ppoll_chk);
    sigset_t copy;
    prepare_items(files, sizeof *files, count, true);
    return next != NULL ? next(files, count, time, facade_system_mask(mask, &copy), room)
                        : ppoll(files, count, time, mask);
}

#endif

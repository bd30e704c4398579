/* Tests of facade/host/host_io.c: what kernels left in managed memory reaches files whole, and what
 * files hold reaches kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#undef _FORTIFY_SOURCE
#include "tests/facade/migrating_support.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_file(void)
{
    char path[] = "/tmp/clem_host_io_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

/* Compares a file with a pattern. The buffer is no managed memory. */
static void check_file(int fd, int v)
{
    int *seen = malloc(BYTES);
    assert_non_null(seen);
    assert_int_equal(pread(fd, seen, BYTES, 0), BYTES);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], pattern_value(i, v));
    free(seen);
}

TEST_BODY(host_io_write_takes_what_kernels_made)
{
    int fd = open_file(), *p = made_by_kernel(1);
    assert_int_equal(write(fd, p, BYTES), BYTES);
    check_file(fd, 1);
    again_by_kernel(p, 2);
    assert_int_equal(pwrite(fd, p, BYTES, 0), BYTES);
    check_file(fd, 2);
    again_by_kernel(p, 3);
    assert_int_equal(pwrite64(fd, p, BYTES, 0), BYTES);
    check_file(fd, 3);
    again_by_kernel(p, 4);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    const struct iovec list[] = {{p, 12}, {NULL, 0}, {p + 3, 4096}, {p + 1027, BYTES - 4108}};
    assert_int_equal(writev(fd, list, 4), BYTES);
    check_file(fd, 4);
    close(fd);
    assert_success(cudaFree(p));
}

TEST_BODY(host_io_streams_take_what_kernels_made)
{
    int fd = open_file(), *p = made_by_kernel(5);
    FILE *file = fdopen(fd, "w+");
    assert_non_null(file);
    assert_int_equal(fwrite(p, sizeof *p, COUNT, file), COUNT);
    assert_int_equal(fflush(file), 0);
    check_file(fd, 5);
    again_by_kernel(p, 6);
    rewind(file);
    for (size_t i = 0; i < COUNT; i += COUNT / 8)
        assert_int_equal(fwrite(p + i, sizeof *p, COUNT / 8, file), COUNT / 8);
    assert_int_equal(fflush(file), 0);
    check_file(fd, 6);
    assert_int_equal(fwrite(p, 0, 5, file), 0);
    fclose(file);
    assert_success(cudaFree(p));
}

/* A file of one pattern. */
static int pattern_file(int v)
{
    int fd = open_file(), *bytes = malloc(BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < COUNT; i++)
        bytes[i] = pattern_value(i, v);
    assert_int_equal(pwrite(fd, bytes, BYTES, 0), BYTES);
    free(bytes);
    return fd;
}

/* What was read is there for the host, and a kernel adds to it. */
static void check_read(int *p, int v)
{
    assert_int_equal(p[COUNT / 3], pattern_value(COUNT / 3, v));
    run_on("add", p, COUNT, 1, NULL);
    assert_success(cudaDeviceSynchronize());
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(p[i], pattern_value(i, v) + 1);
    again_by_kernel(p, 1000);
}

TEST_BODY(host_io_read_gives_to_kernels)
{
    int fd = pattern_file(7), *p = made_by_kernel(0);
    assert_int_equal(read(fd, p, BYTES), BYTES);
    check_read(p, 7);
    assert_int_equal(pread(fd, p, BYTES, 0), BYTES);
    check_read(p, 7);
    assert_int_equal(pread64(fd, p, BYTES, 0), BYTES);
    check_read(p, 7);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    const struct iovec list[] = {{p, 8}, {p + 2, BYTES - 8}};
    assert_int_equal(readv(fd, list, 2), BYTES);
    check_read(p, 7);
    rewind(stdin); /* another stream is not disturbed */
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    FILE *file = fdopen(fd, "r");
    assert_non_null(file);
    assert_int_equal(fread(p, sizeof *p, COUNT, file), COUNT);
    check_read(p, 7);
    assert_int_equal(fread(p, sizeof *p, COUNT, file), 0);
    fclose(file);
    assert_success(cudaFree(p));
}

static void *drain(void *data)
{
    const int *fds = data;
    char *bytes = malloc(BYTES);
    size_t got = 0;
    THREAD_CHECK(bytes != NULL);
    while (got < BYTES) {
        const ssize_t more = recv(fds[1], bytes + got, BYTES - got, 0);
        THREAD_CHECK(more > 0);
        got += (size_t)more;
    }
    for (size_t sent = 0; sent < BYTES;) {
        const ssize_t more = send(fds[1], bytes + sent, BYTES - sent, 0);
        THREAD_CHECK(more > 0);
        sent += (size_t)more;
    }
    free(bytes);
    return NULL;
}

/* There and back through another thread. */
TEST_BODY(host_io_sockets_carry_it)
{
    int fds[2], *p = made_by_kernel(8);
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(pthread_create(&thread, NULL, drain, fds), 0);
    for (size_t sent = 0; sent < BYTES;) {
        const ssize_t more = send(fds[0], (char *)p + sent, BYTES - sent, 0);
        assert_true(more > 0);
        sent += (size_t)more;
    }
    again_by_kernel(p, 9);
    for (size_t got = 0; got < BYTES;) {
        const ssize_t more = recv(fds[0], (char *)p + got, BYTES - got, 0);
        assert_true(more > 0);
        got += (size_t)more;
    }
    pthread_join(thread, &failed);
    assert_null(failed);
    check_read(p, 8);
    close(fds[0]);
    close(fds[1]);
    assert_success(cudaFree(p));
}

/* The forms that compilers call when they know the buffer's size. */
ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);
size_t __fread_chk(void *buffer, size_t room, size_t bytes, size_t count, FILE *file);

TEST_BODY(host_io_checked_forms_read_too)
{
    int fd = pattern_file(9), *p = made_by_kernel(0), fds[2];
    assert_int_equal(__read_chk(fd, p, BYTES, BYTES), BYTES);
    check_read(p, 9);
    assert_int_equal(__pread_chk(fd, p, BYTES, 0, BYTES), BYTES);
    check_read(p, 9);
    assert_int_equal(__pread64_chk(fd, p, BYTES, 0, BYTES), BYTES);
    check_read(p, 9);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    FILE *file = fdopen(fd, "r");
    assert_non_null(file);
    assert_int_equal(__fread_chk(p, BYTES, sizeof *p, COUNT, file), COUNT);
    check_read(p, 9);
    fclose(file);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(send(fds[0], "abcd", 4, 0), 4);
    assert_int_equal(__recv_chk(fds[1], p + 10, 4, 4, 0), 4);
    assert_memory_equal(p + 10, "abcd", 4);
    assert_int_equal(p[11], pattern_value(11, 1000));
    close(fds[0]);
    close(fds[1]);
    assert_success(cudaFree(p));
}

/* The same memory, with every page the device's again. */
static void *fresh(int *p)
{
    again_by_kernel(p, 9);
    return p;
}

/* Compilers refuse what the system shall refuse, when they see it. */
static const void *volatile nowhere = (const void *)(uintptr_t)16;

TEST_BODY(host_io_vectors_at_places)
{
    int fd = pattern_file(9), *p = made_by_kernel(9);
    const struct iovec list[] = {{p, 4096}, {p + 1024, BYTES - 4096}};
    assert_int_equal(preadv(fd, list, 2, 0), BYTES);
    check_read(p, 9);
    assert_int_equal(preadv64(fd, list, 2, 0), BYTES);
    check_read(p, 9);
    assert_int_equal(preadv2(fd, list, 2, 0, 0), BYTES);
    check_read(p, 9);
    assert_int_equal(preadv64v2(fd, list, 2, 0, 0), BYTES);
    check_read(p, 9);
    for (int i = 10; i < 14; i++) {
        again_by_kernel(p, i);
        assert_int_equal(i == 10   ? pwritev(fd, list, 2, 0)
                         : i == 11 ? pwritev64(fd, list, 2, 0)
                         : i == 12 ? pwritev2(fd, list, 2, 0, 0)
                                   : pwritev64v2(fd, list, 2, 0, 0),
                         BYTES);
        check_file(fd, i);
    }
    /* The list itself lies there, too. */
    struct iovec *inside = (struct iovec *)(void *)(p + COUNT / 2);
    again_by_kernel(p, 14);
    *inside = (struct iovec){p, 4096};
    run_on("add", p, 1024, 0, NULL);
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(pwritev(fd, inside, 1, 0), 4096);
    assert_int_equal(pwritev(fd, nowhere, 1, 0), -1);
    assert_int_equal(errno, EFAULT);
    close(fd);
    assert_success(cudaFree(p));
}

/* As some sandboxes do, for this thread alone. */
static bool refuse_to_look(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

struct sandboxed {
    int fd, *memory;
    bool is_sandboxed;
    ssize_t written, refused;
    int error;
};

/* Nor is a descriptor left. */
static void *write_sandboxed(void *argument)
{
    struct sandboxed *told = argument;
    struct rlimit before = {0}, none;
    const struct iovec list[] = {{told->memory, 4096}, {told->memory + 1024, BYTES - 4096}};
    getrlimit(RLIMIT_NOFILE, &before);
    told->is_sandboxed = refuse_to_look();
    none = (struct rlimit){0, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    told->written = pwritev(told->fd, list, 2, 0);
    told->refused = pwritev(told->fd, nowhere, 1, 0);
    told->error = errno;
    setrlimit(RLIMIT_NOFILE, &before);
    return NULL;
}

TEST_BODY(host_io_vectors_in_a_sandbox)
{
    struct sandboxed told = {.fd = pattern_file(9), .memory = made_by_kernel(10)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_sandboxed, &told), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (told.is_sandboxed)
        check_file(told.fd, 10);
    close(told.fd);
    assert_success(cudaFree(told.memory));
    if (!told.is_sandboxed)
        TEST_SKIP("the system has no such filters");
    assert_int_equal(told.written, BYTES);
    assert_int_equal(told.refused, -1);
    assert_int_equal(told.error, EFAULT);
}

TEST_BODY(host_io_messages_carry_it)
{
    enum { PART = 16384, PARTS = 3 };
    int fds[2], *p = made_by_kernel(9);
    char *part = (char *)p + BYTES / 2;
    struct sockaddr_un *address = (struct sockaddr_un *)(void *)(p + 70000);
    socklen_t *address_bytes = (socklen_t *)(p + 140000);
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
    for (int way = 0; way < PARTS; way++) {
        struct iovec here = {part, PART};
        struct mmsghdr message = {.msg_hdr = {.msg_iov = &here, .msg_iovlen = 1}};
        fresh(p);
        assert_int_equal(way == 0   ? sendto(fds[0], part, PART, 0, NULL, 0)
                         : way == 1 ? sendmsg(fds[0], &message.msg_hdr, 0)
                                    : sendmmsg(fds[0], &message, 1, 0) * PART,
                         PART);
        run_on("pattern", p, COUNT, 77, NULL);
        assert_success(cudaDeviceSynchronize());
        *address_bytes = sizeof *address;
        assert_int_equal(
            way == 0   ? recvfrom(fds[1], part, PART, 0, (struct sockaddr *)address, address_bytes)
            : way == 1 ? recvmsg(fds[1], &message.msg_hdr, 0)
                       : recvmmsg(fds[1], &message, 1, 0, NULL) * PART,
            PART);
        for (size_t i = 0; i < PART / 4; i++)
            assert_int_equal(p[COUNT / 2 + i], pattern_value(COUNT / 2 + i, 9));
    }
    assert_int_equal(sendmsg(fds[0], nowhere, 0), -1);
    assert_int_equal(errno, EFAULT);
    close(fds[0]);
    close(fds[1]);
    assert_success(cudaFree(p));
}

TEST_BODY(host_io_answers_reach_it)
{
    int *p = made_by_kernel(9), fds[2];
    const int fd = open_file();
    assert_int_equal(getrandom(fresh(p), 4096, 0), 4096);
    assert_int_equal(getentropy(fresh(p), 256), 0);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(fstat(fd, fresh(p)), 0);
    assert_int_equal(((struct stat *)(void *)p)->st_size, 3);
    assert_int_equal(fstat64(fd, fresh(p)), 0);
    assert_int_equal(((struct stat64 *)(void *)p)->st_size, 3);
    assert_int_equal(stat("/", fresh(p)), 0);
    assert_int_equal(lstat("/", fresh(p)), 0);
    assert_int_equal(stat64("/", fresh(p)), 0);
    assert_int_equal(lstat64("/", fresh(p)), 0);
    assert_int_equal(fstatat(AT_FDCWD, "/", fresh(p), 0), 0);
    assert_int_equal(fstatat64(AT_FDCWD, "/", fresh(p), 0), 0);
    assert_int_equal(statx(AT_FDCWD, "/", 0, STATX_ALL, fresh(p)), 0);

    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    struct pollfd *file = fresh(p);
    *file = (struct pollfd){fds[0], POLLIN, 0};
    assert_int_equal(poll(file, 1, 1000), 1);
    assert_int_equal(ppoll(file, 1, NULL, NULL), 1);
    assert_int_equal(file->revents, POLLIN);
    fd_set *set = fresh(p);
    FD_ZERO(set);
    FD_SET(fds[0], set);
    assert_int_equal(select(fds[0] + 1, set, NULL, NULL, NULL), 1);
    assert_int_equal(pselect(fds[0] + 1, set, NULL, NULL, NULL, NULL), 1);
    struct epoll_event event = {.events = EPOLLIN};
    const int epoll = epoll_create1(0);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &event), 0);
    assert_int_equal(epoll_wait(epoll, fresh(p), 4, 1000), 1);
    assert_int_equal(epoll_pwait(epoll, fresh(p), 4, 1000, NULL), 1);
    close(epoll);
    close(fds[0]);
    close(fds[1]);
    close(fd);
    assert_success(cudaFree(p));
}

TEST_BODY(host_io_texts_and_unlocked_streams)
{
    int fd = open_file(), *p = made_by_kernel(9);
    FILE *file = fdopen(fd, "w+");
    assert_non_null(file);
    assert_success(cudaMemset(p, 'a', BYTES - 1));
    assert_success(cudaMemset((char *)p + BYTES - 1, 0, 1));
    assert_success(cudaDeviceSynchronize());
    assert_true(fputs((char *)p, file) != EOF);
    assert_true(fputs_unlocked((char *)p, file) != EOF);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), 2 * (BYTES - 1));
    rewind(file);
    assert_int_equal(fwrite_unlocked(fresh(p), 1, BYTES, file), BYTES);
    assert_int_equal(fflush(file), 0);
    check_file(fd, 9);
    rewind(file);
    assert_int_equal(fread_unlocked(p, 1, BYTES, file), BYTES);
    check_read(p, 9);
    fclose(file);
    assert_success(cudaFree(p));
}

TEST_BODY(host_io_errors_are_the_systems)
{
    int *p = made_by_kernel(1);
    volatile int less_than_none = -1;
    errno = 0;
    assert_int_equal(write(-1, p, 16), -1);
    assert_int_equal(errno, EBADF);
    errno = 0;
    assert_int_equal(read(-1, p, 16), -1);
    assert_int_equal(errno, EBADF);
    int fd = open_file();
    errno = 0;
    assert_int_equal(write(fd, nowhere, 16), -1);
    assert_int_equal(errno, EFAULT);
    errno = 77;
    assert_int_equal(write(fd, p, 16), 16);
    assert_int_equal(pwrite(fd, p, 0, 0), 0);
    assert_int_equal(errno, 77);
    errno = 0;
    assert_int_equal(writev(fd, NULL, less_than_none), -1);
    assert_int_equal(errno, EINVAL);
    close(fd);
    assert_success(cudaFree(p));
}

/* A handler that writes while the thread is in the middle of anything. */
static int signal_fd;
static void on_signal(int number)
{
    (void)number;
    (void)!write(signal_fd, "x", 1);
}

TEST_BODY(host_io_works_in_signal_handlers)
{
    int *p = made_by_kernel(1), written = 0;
    signal_fd = open_file();
    struct sigaction action = {.sa_handler = on_signal}, before;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    for (int i = 0; i < 100; i++) {
        raise(SIGUSR1);
        written++;
        if (i % 20 == 0)
            again_by_kernel(p, i);
    }
    assert_int_equal(lseek(signal_fd, 0, SEEK_END), written);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    close(signal_fd);
    assert_success(cudaFree(p));
}

/* A forked child gets what the system says, and soon. */
TEST_BODY(host_io_children_do_not_hang)
{
    int fd = open_file(), *p = made_by_kernel(1), status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        const ssize_t done = write(fd, p, BYTES);
        _exit(done == -1 ? errno == EFAULT : done > 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_int_equal(pwrite(fd, p, BYTES, 0), BYTES);
    check_file(fd, 1);
    close(fd);
    assert_success(cudaFree(p));
}

/* Programs call libclem's functions by the C library's names. */
TEST_BODY(host_io_functions_are_libclems)
{
    if (has_sanitizer())
        TEST_SKIP("sanitizers define these functions themselves");
    static const char *const names[] = {
#define ENTRY(group, name, status) #name,
#include "facade/lists/host_entry_points.def"
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        Dl_info info;
        void *function = dlsym(RTLD_DEFAULT, names[i]);
        if (function == NULL)
            print_error("%s\n", names[i]);
        assert_non_null(function);
        assert_true(dladdr(function, &info) != 0);
        assert_non_null(strstr(info.dli_fname, "libclem"));
    }
}

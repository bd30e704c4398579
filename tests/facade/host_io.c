/* Tests of facade/host_io.c: what kernels left in managed memory reaches files whole, and what
 * files hold reaches kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#undef _FORTIFY_SOURCE
#include "tests/facade/migrating_support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>
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

TEST_BODY(host_io_errors_are_the_systems)
{
    int *p = made_by_kernel(1);
    /* Compilers refuse what the system shall refuse, when they see it. */
    const void *volatile nowhere = (const void *)(uintptr_t)16;
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
        alarm(20);
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
#include "facade/host_entry_points.def"
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

/* Tests of facade/host/host_wait.c: kernels are compiled in programs that keep what becomes of children to themselves.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"

/* In no cache, so that the driver compiles it now. */
static int run_new_kernel(int value)
{
    char text[256];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(text, sizeof text,
             "__kernel void k(__global int *p) { p[0] = %d; /*%d*/ p[1] = %ld; }\n", value,
             (int)getpid(), now.tv_nsec);
    cudaLibrary_t library = load_text(text);
    int *p = device_ints(2);
    void *args[] = {&p};
    assert_success(launch_1d(find_kernel(library, "k"), 1, 1, args, 0, NULL));
    const int read = read_device_int(p);
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
    return read;
}

static void skip_with_sanitizers(void)
{
    if (has_sanitizer())
        TEST_SKIP("sanitizers define these functions themselves");
}

TEST_BODY(host_wait_compiles_where_children_are_ignored)
{
    skip_with_sanitizers();
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run_new_kernel(3), 3);
    int status = 77;
    const pid_t child = fork();
    if (child == 0)
        _exit(3);
    assert_int_equal(waitpid(child, &status, 0), -1); /* the program's own waits are as they were */
    assert_int_equal(errno, ECHILD);
    assert_int_equal(wait4(child, &status, 0, NULL), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(status, 77);
}

static atomic_bool is_over;

static void *take_all_children(void *unused)
{
    while (!atomic_load(&is_over))
        if (waitpid(-1, NULL, 0) <= 0)
            usleep(100);
    return unused;
}

TEST_BODY(host_wait_compiles_where_all_children_are_waited_for)
{
    skip_with_sanitizers();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, take_all_children, NULL), 0);
    assert_int_equal(run_new_kernel(5), 5);
    atomic_store(&is_over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

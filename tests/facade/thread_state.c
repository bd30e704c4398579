/* What libclem keeps for each thread: how little of it is thread-local memory, and what becomes of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"

static int find_size(struct dl_phdr_info *info, size_t bytes, void *data)
{
    (void)bytes;
    if (strstr(info->dlpi_name, "/libclem.so") == NULL)
        return 0;
    *(size_t *)data = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)data = info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

TEST_BODY(thread_state_is_one_pointer)
{
    size_t bytes = SIZE_MAX;
    assert_int_equal(dl_iterate_phdr(find_size, &bytes), 1);
    assert_true(bytes <= sizeof(void *));
}

/* Programs with many libraries leave little thread-local memory to those that are opened late. */
TEST_BODY(thread_state_lets_big_programs_open_the_library)
{
    enum { LIBRARIES = 40 };
    char folder[] = "/tmp/clem-late-XXXXXX", command[16384];
    Dl_info info;
    assert_non_null(mkdtemp(folder));
    assert_true(dladdr((void *)(uintptr_t)&cudaGetLastError, &info) != 0);
    size_t used = (size_t)snprintf(command, sizeof command, "%s", LATE_HELPER);
    for (int i = 0; i < LIBRARIES; i++) {
        char copy[4096];
        snprintf(copy, sizeof copy, "cp %s %s/%d.so", TLS_LIBRARY, folder, i);
        assert_int_equal(system(copy), 0);
        used += (size_t)snprintf(command + used, sizeof command - used, " %s/%d.so", folder, i);
    }
    snprintf(command + used, sizeof command - used, " %s", info.dli_fname);
    const int status = system(command);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(status, 0);
}

static pthread_key_t late_key;
static _Atomic int late_calls;

/* Runs before or after libclem's own, and once more in a later round. */
static void call_late(void *value)
{
    void *p = NULL;
    if (cudaMalloc(&p, 64) == cudaSuccess && cudaFree(p) == cudaSuccess &&
        cudaFree(&late_key) != cudaSuccess && cudaGetLastError() != cudaSuccess)
        late_calls++;
    if (value == &late_key)
        pthread_setspecific(late_key, &late_calls);
}

static void *use_and_end(void *unused)
{
    cudaStream_t stream = cudaStreamPerThread;
    (void)unused;
    pthread_setspecific(late_key, &late_key);
    if (cudaStreamSynchronize(stream) != cudaSuccess || cudaFree(&late_key) == cudaSuccess)
        return NULL;
    return &late_key;
}

TEST_BODY(thread_state_ends_with_the_thread)
{
    enum { THREADS = 100 };
    size_t before = 0;
    assert_int_equal(pthread_key_create(&late_key, call_late), 0);
    for (int i = 0; i < 2 * THREADS; i++) {
        pthread_t thread;
        void *result = NULL;
        if (i == THREADS)
            before = mallinfo2().uordblks;
        assert_int_equal(pthread_create(&thread, NULL, use_and_end, NULL), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(late_calls, 4 * THREADS);
    assert_true(mallinfo2().uordblks < before + THREADS * (size_t)100);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

/* A child has the thread that forked, with what that thread had. */
TEST_BODY(thread_state_survives_a_fork)
{
    int status = 0;
    assert_int_equal(cudaFree(&status), cudaErrorInvalidValue);
    const pid_t child = fork();
    if (child == 0)
        _exit(cudaPeekAtLastError() == cudaErrorInvalidValue ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

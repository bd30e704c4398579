/* Tests of facade/state/log.c: messages, listeners, positions, dumps.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/cl/captured.h"
#include "tests/facade/runtime_support.h"

#include <cuda.h>

/* Makes one build fail, which logs; the name in the code tells the message from others. */
static void make_message(const char *name)
{
    char text[256];
    cudaKernel_t kernel = NULL;
    snprintf(text, sizeof text, "__kernel void k(__global int *p) { p[0] = %s; }\n", name);
    cudaLibrary_t library = load_text(text);
    assert_fails(cudaErrorInvalidKernelImage, cudaLibraryGetKernel(&kernel, library, "k"));
    assert_success(cudaLibraryUnload(library));
}

struct listener {
    const char *name;
    int messages, errors;
    bool is_well_formed;
    void *unregister; /* a handle to give back from inside */
};

static void listen(void *data, cudaLogLevel level, char *message, size_t length)
{
    struct listener *listener = data;
    listener->messages++;
    listener->errors += level == cudaLogLevelError && strstr(message, listener->name) != NULL;
    listener->is_well_formed = strlen(message) == length && message[0] == '[';
    if (listener->unregister != NULL) {
        cudaLogsUnregisterCallback(listener->unregister);
        listener->unregister = NULL;
    }
}

TEST_BODY(log_listeners_hear_until_they_leave)
{
    struct listener a = {"first_name", 0, 0, false, NULL}, b = a;
    cudaLogsCallbackHandle handle_a = NULL, handle_b = NULL;
    assert_success(cudaLogsRegisterCallback(listen, &a, &handle_a));
    assert_success(cudaLogsRegisterCallback(listen, &b, &handle_b));
    assert_ptr_not_equal(handle_a, handle_b);
    make_message("first_name");
    assert_true(a.errors > 0 && a.is_well_formed);
    assert_int_equal(a.messages, b.messages);
    assert_success(cudaLogsUnregisterCallback(handle_a));
    int heard = a.messages;
    make_message("second_name");
    assert_int_equal(a.messages, heard);
    assert_true(b.messages > heard);
    assert_success(cudaLogsUnregisterCallback(handle_b));
    assert_fails(cudaErrorInvalidValue, cudaLogsUnregisterCallback(handle_b));
    assert_fails(cudaErrorInvalidValue, cudaLogsUnregisterCallback(NULL));
    assert_fails(cudaErrorInvalidValue, cudaLogsRegisterCallback(NULL, NULL, &handle_a));
}

TEST_BODY(log_listeners_may_leave_from_inside)
{
    struct listener a = {"some_name", 0, 0, false, NULL};
    cudaLogsCallbackHandle handle = NULL;
    assert_success(cudaLogsRegisterCallback(listen, &a, &handle));
    a.unregister = handle;
    make_message("some_name");
    int heard = a.messages;
    assert_true(heard > 0);
    make_message("other_name");
    assert_int_equal(a.messages, heard);
}

/* Frees what does not build as soon as it hears of it, and loads something else, which may get its place. */
struct change_of_code {
    cudaLibrary_t bad, good;
    bool is_done;
};

static void change_code(void *data, cudaLogLevel level, char *message, size_t length)
{
    struct change_of_code *change = data;
    (void)level, (void)message, (void)length;
    if (change->is_done)
        return;
    change->is_done = cudaLibraryUnload(change->bad) == cudaSuccess &&
                      cudaLibraryLoadData(&change->good, "__kernel void good(__global int *p) {}",
                                          NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess;
}

TEST_BODY(log_listeners_may_unload_what_does_not_build)
{
    struct change_of_code change = {0};
    cudaLogsCallbackHandle handle = NULL;
    cudaKernel_t kernel = NULL;
    assert_success(cudaLogsRegisterCallback(change_code, &change, &handle));
    assert_success(
        cudaLibraryLoadData(&change.bad, "__kernel void bad(", NULL, NULL, 0, NULL, NULL, 0));
    assert_int_not_equal(cudaLibraryGetKernel(&kernel, change.bad, "bad"), cudaSuccess);
    (void)cudaGetLastError();
    assert_true(change.is_done);
    assert_success(cudaLibraryGetKernel(&kernel, change.good, "good"));
    assert_success(cudaLibraryUnload(change.good));
    assert_success(cudaLogsUnregisterCallback(handle));
}

TEST_BODY(log_positions_cut_the_list)
{
    static char text[25600];
    cudaLogIterator start = 0, middle = 0;
    size_t bytes = sizeof text;
    assert_success(cudaLogsCurrent(&start, 0));
    make_message("early_name");
    assert_success(cudaLogsCurrent(&middle, 0));
    make_message("late_name");
    cudaLogIterator position = middle;
    assert_success(cudaLogsDumpToMemory(&position, text, &bytes, 0));
    assert_int_equal(strlen(text), bytes);
    assert_null(strstr(text, "early_name"));
    assert_non_null(strstr(text, "late_name"));
    /* The position moved behind everything. */
    bytes = sizeof text;
    assert_success(cudaLogsDumpToMemory(&position, text, &bytes, 0));
    assert_int_equal(bytes, 0);
    assert_string_equal(text, "");
    bytes = sizeof text;
    assert_success(cudaLogsDumpToMemory(&start, text, &bytes, 0));
    assert_true(strstr(text, "early_name") != NULL &&
                strstr(text, "early_name") < strstr(text, "late_name"));
    assert_fails(cudaErrorInvalidValue, cudaLogsCurrent(NULL, 0));
}

TEST_BODY(log_dumps_to_files)
{
    char path[] = "/tmp/clem-test-XXXXXX";
    static char in_file[25600], in_memory[25600];
    size_t bytes = sizeof in_memory;
    cudaLogIterator position = 0, same = 0;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_success(cudaLogsCurrent(&position, 0));
    same = position;
    make_message("filed_name");
    assert_success(cudaLogsDumpToFile(&position, path, 0));
    assert_success(cudaLogsDumpToMemory(&same, in_memory, &bytes, 0));
    ssize_t got = read(fd, in_file, sizeof in_file - 1);
    close(fd);
    unlink(path);
    assert_int_equal(got, bytes);
    assert_string_equal(in_file, in_memory);
    assert_non_null(strstr(in_file, "filed_name"));
    assert_fails(cudaErrorInvalidValue, cudaLogsDumpToFile(NULL, NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaLogsDumpToFile(NULL, "/nonexistent/file", 0));
}

/* A small buffer holds the newest whole lines; one that holds none is refused. Nothing is written
 * behind it. */
TEST_BODY(log_small_buffers_get_the_newest)
{
    static char all[25600], part[25601];
    size_t all_bytes = sizeof all;
    make_message("name_1");
    make_message("name_2");
    make_message("name_3");
    assert_success(cudaLogsDumpToMemory(NULL, all, &all_bytes, 0));
    for (size_t room = 1; room <= all_bytes + 1; room += 7) {
        size_t bytes = room;
        memset(part, '#', sizeof part);
        cudaError_t error = cudaLogsDumpToMemory(NULL, part, &bytes, 0);
        assert_int_equal(part[room], '#');
        if (error == cudaSuccess) {
            assert_true(bytes > 0 && bytes < room);
            assert_int_equal(strlen(part), bytes);
            assert_memory_equal(part, all + all_bytes - bytes, bytes);
            assert_true(bytes == all_bytes || all[all_bytes - bytes - 1] == '\n');
        } else {
            assert_int_equal(error, cudaErrorInvalidValue);
        }
    }
    cudaGetLastError();
    size_t bytes = 0;
    assert_fails(cudaErrorInvalidValue, cudaLogsDumpToMemory(NULL, part, &bytes, 0));
    bytes = 100;
    assert_fails(cudaErrorInvalidValue, cudaLogsDumpToMemory(NULL, NULL, &bytes, 0));
    assert_fails(cudaErrorInvalidValue, cudaLogsDumpToMemory(NULL, part, NULL, 0));
}

/* The list is bounded: the oldest messages leave it, and positions before them begin with the
 * oldest that is left. */
TEST_BODY(log_keeps_the_newest_hundred)
{
    static char text[25600];
    static const uint32_t elf[4] = {0x464c457f};
    cudaLogIterator start = 0, now = 0;
    assert_success(cudaFree(NULL));
    assert_success(cudaLogsCurrent(&start, 0));
    for (int i = 0; i < 150; i++) {
        cudaLibrary_t library = NULL;
        cudaKernel_t kernel = NULL;
        if (cudaLibraryLoadData(&library, elf, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess) {
            assert_int_not_equal(cudaLibraryGetKernel(&kernel, library, "k"), cudaSuccess);
            assert_success(cudaLibraryUnload(library));
        }
    }
    assert_success(cudaLogsCurrent(&now, 0));
    assert_true(now - start >= 150);
    size_t bytes = sizeof text, lines = 0;
    assert_success(cudaLogsDumpToMemory(&start, text, &bytes, 0));
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 100);
    assert_true(start == now);
}

static void *log_and_dump(void *data)
{
    struct listener listener = {"no such", 0, 0, false, NULL};
    static _Thread_local char text[4096];
    static const uint32_t elf[4] = {0x464c457f};
    (void)data;
    for (int i = 0; i < 30; i++) {
        cudaLogsCallbackHandle handle = NULL;
        cudaLibrary_t library = NULL;
        cudaKernel_t kernel = NULL;
        size_t bytes = sizeof text;
        THREAD_SUCCESS(cudaLogsRegisterCallback(listen, &listener, &handle));
        if (cudaLibraryLoadData(&library, elf, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess) {
            THREAD_CHECK(cudaLibraryGetKernel(&kernel, library, "k") != cudaSuccess);
            THREAD_SUCCESS(cudaLibraryUnload(library));
        }
        THREAD_SUCCESS(cudaLogsUnregisterCallback(handle));
        THREAD_SUCCESS(cudaLogsDumpToMemory(NULL, text, &bytes, 0));
        THREAD_CHECK(bytes > 0 && text[bytes - 1] == '\n' && text[0] == '[');
    }
    return NULL;
}

TEST_BODY(log_dumps_beside_new_messages)
{
    char data[1] = {0};
    assert_success(cudaFree(NULL));
    run_threads(4, log_and_dump, data, 0);
}

struct slow_listener {
    atomic_int begun, ended;
};

static void listen_slowly(void *data, cudaLogLevel level, char *message, size_t length)
{
    struct slow_listener *listener = data;
    (void)level;
    (void)message;
    (void)length;
    atomic_store(&listener->begun, 1);
    usleep(50000);
    atomic_store(&listener->ended, 1);
}

static void *make_message_elsewhere(void *data)
{
    (void)data;
    make_message("elsewhere");
    return NULL;
}

/* What the callback was given may go as soon as it is unregistered. */
TEST_BODY(log_unregistering_waits_for_callbacks)
{
    struct slow_listener listener = {0, 0};
    cudaLogsCallbackHandle handle = NULL;
    pthread_t thread;
    assert_success(cudaLogsRegisterCallback(listen_slowly, &listener, &handle));
    assert_int_equal(pthread_create(&thread, NULL, make_message_elsewhere, NULL), 0);
    while (atomic_load(&listener.begun) == 0)
        usleep(1000);
    assert_success(cudaLogsUnregisterCallback(handle));
    assert_int_equal(atomic_load(&listener.ended), 1);
    assert_fails(cudaErrorInvalidValue, cudaLogsUnregisterCallback(handle));
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void listen_until_told(void *data, cudaLogLevel level, char *message, size_t length)
{
    struct slow_listener *listener = data;
    (void)level;
    (void)message;
    (void)length;
    atomic_store(&listener->begun, 1);
    while (atomic_load(&listener->ended) == 0)
        usleep(1000);
}

static void *unregister_elsewhere(void *handle)
{
    (void)cudaLogsUnregisterCallback(handle);
    return NULL;
}

/* A thread that is cancelled while it waits for a callback leaves the log to others. */
TEST_BODY(log_unregistering_may_be_cancelled)
{
    struct slow_listener listener = {0, 0};
    cudaLogsCallbackHandle handle = NULL;
    pthread_t talking, leaving;
    cudaLogIterator position = 0;
    assert_success(cudaLogsRegisterCallback(listen_until_told, &listener, &handle));
    assert_int_equal(pthread_create(&talking, NULL, make_message_elsewhere, NULL), 0);
    while (atomic_load(&listener.begun) == 0)
        usleep(1000);
    assert_int_equal(pthread_create(&leaving, NULL, unregister_elsewhere, handle), 0);
    usleep(50000);
    assert_int_equal(pthread_cancel(leaving), 0);
    usleep(50000);
    atomic_store(&listener.ended, 1);
    assert_int_equal(pthread_join(leaving, NULL), 0);
    assert_int_equal(pthread_join(talking, NULL), 0);
    assert_success(cudaLogsCurrent(&position, 0));
    assert_fails(cudaErrorInvalidValue, cudaLogsUnregisterCallback(handle));
}

/* --- what stderr hears without being asked --------------------------------------------------------- */

/* Loading cannot tell yet, and the error that comes later says little. */
TEST_BODY(log_of_code_that_does_not_build)
{
    static const char text[] = "__kernel void k(__global int *p) { p[0] = no_such_name; }\n";
    char printed[8192], buffer[4096] = "";
    enum cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void *values[] = {buffer, (void *)(uintptr_t)sizeof buffer};
    struct listener listener = {"no_such_name", 0, 0, false, NULL};
    cudaLogsCallbackHandle handle = NULL;
    cudaKernel_t kernel = NULL;
    cudaLibrary_t library = load_text(text), other = NULL;

    unsetenv("CLEM_TRACE");
    assert_success(cudaLogsRegisterCallback(listen, &listener, &handle));
    struct capture capture = capture_begin();
    const cudaError_t errors[] = {cudaLibraryGetKernel(&kernel, library, "k"),
                                  cudaLibraryGetKernel(&kernel, library, "k")};
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(errors[0], cudaErrorInvalidKernelImage);
    assert_int_equal(errors[1], cudaErrorInvalidKernelImage);
    assert_int_equal(count_text(printed, "clem: a program does not build on "), 1);
    assert_non_null(strstr(printed, "no_such_name"));
    assert_int_equal(listener.errors, 1);
    /* With a buffer for it, the log goes there. */
    capture = capture_begin();
    const cudaError_t error = cudaLibraryLoadData(&other, text, options, values, 2, NULL, NULL, 0);
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(error, cudaErrorInvalidKernelImage);
    assert_int_equal(count_text(printed, "clem: a program does not build on "), 0);
    assert_non_null(strstr(buffer, "no_such_name"));
    assert_int_equal((size_t)values[1], strlen(buffer));
    assert_int_equal(listener.errors, 2);
    cudaGetLastError();
    assert_success(cudaLogsUnregisterCallback(handle));
    assert_success(cudaLibraryUnload(library));
}

/* Launches, and remembers the message. */
static const char *message_of_launch(const void *kernel, dim3 grid, dim3 block, size_t shared)
{
    static char text[4096];
    size_t bytes = sizeof text;
    int *p = NULL;
    void *args[] = {&p};
    cudaLogIterator start = 0;
    assert_success(cudaLogsCurrent(&start, 0));
    assert_true(cudaLaunchKernel(kernel, grid, block, args, shared, NULL) != cudaSuccess);
    cudaGetLastError();
    assert_success(cudaLogsDumpToMemory(&start, text, &bytes, 0));
    return text;
}

#define assert_message(kernel, grid, block, shared, words)                                         \
    do {                                                                                           \
        const char *message_ = message_of_launch(kernel, grid, block, shared);                     \
        if (strstr(message_, words) == NULL)                                                       \
            fail_msg("no \"%s\" in: %s", words, message_);                                         \
    } while (0)

TEST_BODY(log_of_launches_beyond_a_limit)
{
    static const char text[] =
        "__kernel void k(__global int *p, __local int *t) { t[get_local_id(0)] = 1; p[0] = t[0]; "
        "}\n"
        "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(__global int *p)\n"
        "{ p[0] = 8; }\n";
    const dim3 one = {1, 1, 1};
    char printed[8192], words[128];
    struct cudaDeviceProp properties;
    cudaLibrary_t library = load_text(text);
    const void *k = find_kernel(library, "k"), *eight = find_kernel(library, "eight");

    unsetenv("CLEM_TRACE");
    assert_success(cudaGetDeviceProperties(&properties, 0));
    struct capture capture = capture_begin();
    snprintf(words, sizeof words,
             "kernel k cannot be launched: a block of 100000 x 1 x 1, and the "
             "device takes %d x",
             properties.maxThreadsDim[0]);
    assert_message(k, one, ((dim3){100000, 1, 1}), 0, words);
    snprintf(words, sizeof words, "threads, and the device takes %d at most",
             properties.maxThreadsPerBlock);
    assert_message(k, one, ((dim3){128, 64, 1}), 0, words);
    assert_message(k, ((dim3){1, 70000, 1}), one, 0, "a grid of 1 x 70000 x 1, and the device");
    assert_message(k, one, one, (size_t)1 << 40, "1099511627776 bytes of dynamic shared memory");
    assert_message(eight, one, one, 0,
                   "wants work-groups of 8 x 1 x 1 work-items, and they are of 1 x 1 x 1");
    assert_message(k, ((dim3){0, 1, 1}), one, 0, "a grid of 0 x 1 x 1 is empty");
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(count_text(printed, "clem: kernel k cannot be launched"), 1);
    assert_int_equal(count_text(printed, "clem: kernel eight cannot be launched"), 1);
    assert_int_equal(count_text(printed, "is empty"), 0);
    assert_success(cudaLibraryUnload(library));
}

static void listen_to_driver(void *data, CUlogLevel level, char *message, size_t length)
{
    listen(data, (cudaLogLevel)level, message, length);
}

/* One log for both APIs. */
TEST_BODY(log_of_the_driver_api)
{
    struct listener a = {"driver_name", 0, 0, false, NULL};
    CUlogsCallbackHandle handle = NULL;
    CUlogIterator start = 0, position;
    char text[4096] = "", path[] = "/tmp/clem-log-XXXXXX";
    size_t bytes = sizeof text;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(cuLogsCurrent(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLogsCurrent(&start, 0), CUDA_SUCCESS);
    assert_int_equal(cuLogsRegisterCallback(NULL, NULL, &handle), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLogsRegisterCallback(listen_to_driver, &a, &handle), CUDA_SUCCESS);
    make_message("driver_name");
    assert_true(a.errors > 0 && a.is_well_formed);
    position = start;
    assert_int_equal(cuLogsDumpToMemory(&position, text, &bytes, 0), CUDA_SUCCESS);
    assert_non_null(strstr(text, "driver_name"));
    assert_true(position > start);
    position = start;
    assert_int_equal(cuLogsDumpToFile(&position, path, 0), CUDA_SUCCESS);
    assert_true(lseek(file, 0, SEEK_END) > 0);
    assert_int_equal(cuLogsUnregisterCallback(handle), CUDA_SUCCESS);
    assert_int_equal(cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
    close(file);
    unlink(path);
}

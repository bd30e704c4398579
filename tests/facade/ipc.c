/* Memory of other processes, by handles.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "tests/facade/processes.h"

#include <cuda.h>

enum { BYTES = 300000, LARGE = 5 << 20, INSIDE = 4711 };

/* Whether the device's memory can be shared, asked in a process of its own. */
static int tell_support(int other)
{
    cudaIpcMemHandle_t handle;
    void *memory;
    CHECK_SUCCESS(cudaMalloc(&memory, 1000));
    const cudaError_t error = cudaIpcGetMemHandle(&handle, memory);
    CHECK(error == cudaSuccess || error == cudaErrorNotSupported);
    const char can = error == cudaSuccess;
    say(other, &can, 1);
    return 0;
}

static bool memory_can_be_shared(void)
{
    int ends[2];
    char can = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pid_t child = start_process(tell_support, ends[0], ends[1]);
    close(ends[0]);
    assert_int_equal(recv(ends[1], &can, 1, MSG_WAITALL), 1);
    close(ends[1]);
    assert_int_equal(end_of(child), 0);
    return can != 0;
}

#define NEEDS_SHARING()                                                                            \
    if (!memory_can_be_shared())                                                                   \
    TEST_SKIP("device memory is not the host's, or kernels have no addresses")

static void *make_memory(size_t bytes, int value)
{
    void *memory;
    CHECK_SUCCESS(cudaMalloc(&memory, bytes));
    CHECK_SUCCESS(cudaMemset(memory, value, bytes));
    return memory;
}

static bool holds(const void *memory, size_t bytes, int value)
{
    unsigned char *copy = malloc(bytes);
    CHECK(copy != NULL);
    memset(copy, ~value, bytes);
    CHECK_SUCCESS(cudaMemcpy(copy, memory, bytes, cudaMemcpyDeviceToHost));
    size_t i = 0;
    while (i < bytes && copy[i] == (unsigned char)value)
        i++;
    free(copy);
    return i == bytes;
}

static void say_memory(int to, void *memory)
{
    cudaIpcMemHandle_t handle;
    CHECK_SUCCESS(cudaIpcGetMemHandle(&handle, memory));
    say(to, &handle, sizeof handle);
}

static void *hear_memory(int from)
{
    cudaIpcMemHandle_t handle;
    void *memory = NULL;
    hear(from, &handle, sizeof handle);
    CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
    return memory;
}

/* --- both sides see one memory ------------------------------------------------------------------ */

static int export_and_look(int other)
{
    unsigned char *before = make_memory(BYTES, 1), *memory = make_memory(BYTES, 2),
                  *after = make_memory(BYTES, 3), *large = make_memory(LARGE, 4);
    say_memory(other, memory + INSIDE);
    say_memory(other, large);
    CHECK(holds(memory, BYTES, 2) && holds(large, LARGE, 4));
    await_turn(other);
    CHECK(holds(memory, BYTES, 22) && holds(large, LARGE, 44));
    CHECK(holds(before, BYTES, 1) && holds(after, BYTES, 3));
    CHECK_SUCCESS(cudaMemset(memory, 5, BYTES));
    CHECK_SUCCESS(cudaDeviceSynchronize());
    give_turn(other);
    await_turn(other);
    CHECK_SUCCESS(cudaFree(memory));
    CHECK_SUCCESS(cudaFree(large));
    memory = make_memory(LARGE, 6);
    CHECK(holds(memory, LARGE, 6) && holds(before, BYTES, 1) && holds(after, BYTES, 3));
    CHECK_SUCCESS(cudaDeviceReset());
    return 0;
}

static int import_and_change(int other)
{
    struct cudaPointerAttributes attributes;
    unsigned char *memory = hear_memory(other), *large = hear_memory(other);
    CHECK(holds(memory, BYTES, 2) && holds(large, LARGE, 4));
    CHECK_SUCCESS(cudaPointerGetAttributes(&attributes, memory + INSIDE));
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == memory + INSIDE);
    CHECK_SUCCESS(cudaMemset(memory, 22, BYTES));
    CHECK_SUCCESS(cudaMemsetAsync(large, 44, LARGE, NULL));
    CHECK_SUCCESS(cudaDeviceSynchronize());
    give_turn(other);
    await_turn(other);
    CHECK(holds(memory, BYTES, 5));
    CHECK_SUCCESS(cudaMemcpy(large, memory, BYTES, cudaMemcpyDeviceToDevice));
    CHECK(holds(large, BYTES, 5) && holds(large + BYTES, LARGE - BYTES, 44));
    CHECK_SUCCESS(cudaIpcCloseMemHandle(memory));
    CHECK_SUCCESS(cudaIpcCloseMemHandle(large));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_is_one_for_both)
{
    NEEDS_SHARING();
    run_two(export_and_look, import_and_change, 0);
}

/* --- opening and closing ------------------------------------------------------------------------ */

static int open_own(int other)
{
    cudaIpcMemHandle_t handle;
    void *memory = make_memory(BYTES, 1), *opened = NULL;
    (void)other;
    CHECK_SUCCESS(cudaIpcGetMemHandle(&handle, memory));
    CHECK_CALL(cudaErrorDeviceUninitialized, cudaIpcOpenMemHandle(&opened, handle, 1));
    CHECK_CALL(cudaErrorDeviceUninitialized, cudaGetLastError());
    CHECK_CALL(CUDA_ERROR_INVALID_CONTEXT,
               cuIpcOpenMemHandle((CUdeviceptr *)&opened, *(CUipcMemHandle *)&handle, 1));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcCloseMemHandle(memory));
    CHECK(opened == NULL && holds(memory, BYTES, 1));
    return 0;
}

TEST_BODY(ipc_memory_is_not_opened_by_who_exports_it)
{
    NEEDS_SHARING();
    run_one(open_own);
}

static int export_two(int other)
{
    unsigned char *memory = make_memory(BYTES, 1);
    say_memory(other, memory);
    say_memory(other, memory + BYTES - 1);
    say_memory(other, make_memory(BYTES, 2));
    await_turn(other);
    CHECK(holds(memory, BYTES, 9));
    return 0;
}

static int open_twice(int other)
{
    unsigned char *first = hear_memory(other), *again = hear_memory(other),
                  *second = hear_memory(other);
    CHECK(first == again && first != second);
    CHECK_SUCCESS(cudaIpcCloseMemHandle(first));
    CHECK(holds(first, BYTES, 1));
    CHECK_SUCCESS(cudaMemset(first, 9, BYTES));
    CHECK_SUCCESS(cudaIpcCloseMemHandle(first));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcCloseMemHandle(first));
    CHECK(holds(second, BYTES, 2));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemset(first, 9, BYTES));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcCloseMemHandle(second + 256));
    CHECK_SUCCESS(cudaIpcCloseMemHandle(second));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_opened_twice_is_closed_twice)
{
    NEEDS_SHARING();
    run_two(export_two, open_twice, 0);
}

enum { MANY = 6 };

static int export_many(int other)
{
    for (int i = 0; i < MANY; i++)
        say_memory(other, make_memory(BYTES, i));
    await_turn(other);
    return 0;
}

/* Each is closed before or after each other one in some round. */
static int close_in_any_order(int other)
{
    cudaIpcMemHandle_t handles[MANY];
    hear(other, handles, sizeof handles);
    for (int round = 0; round < MANY; round++) {
        void *memory[MANY];
        for (int i = 0; i < MANY; i++)
            CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory[i], handles[i], 1));
        const int step = round % 2 == 0 ? 1 : MANY - 1;
        for (int n = 0, i = round; n < MANY; n++, i = (i + step) % MANY) {
            CHECK(holds(memory[i], BYTES, i));
            CHECK_SUCCESS(cudaIpcCloseMemHandle(memory[i]));
        }
    }
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_is_closed_in_any_order)
{
    NEEDS_SHARING();
    run_two(export_many, close_in_any_order, 0);
}

static int export_one(int other)
{
    say_memory(other, make_memory(BYTES, 7));
    await_turn(other);
    return 0;
}

static int reset_and_open_again(int other)
{
    cudaIpcMemHandle_t handle;
    void *memory = NULL;
    hear(other, &handle, sizeof handle);
    for (int i = 0; i < 2; i++) {
        CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory, handle, 1));
        CHECK(holds(memory, BYTES, 7));
        CHECK_SUCCESS(cudaDeviceReset());
    }
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcCloseMemHandle(memory));
    CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory, handle, 1));
    CHECK_SUCCESS(cudaIpcCloseMemHandle(memory));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_goes_with_the_context)
{
    NEEDS_SHARING();
    run_two(export_one, reset_and_open_again, 0);
}

enum { OPENERS = 8 };

struct opener {
    pthread_t thread;
    cudaIpcMemHandle_t handle;
    void *memory;
};

static void *open_and_close(void *data)
{
    struct opener *opener = data;
    for (int i = 0; i < 50; i++) {
        void *memory = NULL;
        CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory, opener->handle, 1));
        CHECK(holds(memory, 1000, 7));
        CHECK_SUCCESS(cudaIpcCloseMemHandle(memory));
    }
    return NULL;
}

static int open_in_threads(int other)
{
    struct opener openers[OPENERS];
    cudaIpcMemHandle_t handle;
    hear(other, &handle, sizeof handle);
    CHECK_SUCCESS(cudaFree(NULL));
    for (int i = 0; i < OPENERS; i++) {
        openers[i].handle = handle;
        CHECK(pthread_create(&openers[i].thread, NULL, open_and_close, &openers[i]) == 0);
    }
    for (int i = 0; i < OPENERS; i++)
        pthread_join(openers[i].thread, NULL);
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_is_opened_by_many_threads)
{
    NEEDS_SHARING();
    run_two(export_one, open_in_threads, 0);
}

/* --- what is no handle, and no memory ------------------------------------------------------------ */

static int export_wrong_memory(int other)
{
    cudaIpcMemHandle_t handle;
    void *pinned, *managed, *ordered, *memory = make_memory(BYTES, 1);
    int local = 0;
    (void)other;
    CHECK_SUCCESS(cudaMallocHost(&pinned, BYTES));
    CHECK_SUCCESS(cudaMallocManaged(&managed, BYTES, cudaMemAttachGlobal));
    CHECK_SUCCESS(cudaMallocAsync(&ordered, BYTES, NULL));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcGetMemHandle(NULL, memory));
    void *const wrong[] = {NULL, pinned, managed, ordered, &local};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_CALL(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, wrong[i]));
    CHECK_SUCCESS(cudaFreeAsync(ordered, NULL));
    return 0;
}

TEST_BODY(ipc_handles_are_of_device_memory)
{
    NEEDS_SHARING();
    run_one(export_wrong_memory);
}

static int export_again(int other)
{
    cudaIpcMemHandle_t first, second, again;
    void *memory = make_memory(LARGE, 1);
    CHECK_SUCCESS(cudaIpcGetMemHandle(&first, memory));
    CHECK_SUCCESS(cudaIpcGetMemHandle(&again, memory));
    CHECK(memcmp(&first, &again, sizeof first) == 0);
    CHECK_SUCCESS(cudaFree(memory));
    void *const same = make_memory(LARGE, 2);
    CHECK(same == memory); /* what was kept is handed out again */
    CHECK_SUCCESS(cudaIpcGetMemHandle(&second, same));
    CHECK(memcmp(&first, &second, sizeof first) != 0);
    say(other, &first, sizeof first);
    say(other, &second, sizeof second);
    await_turn(other);
    return 0;
}

static int open_wrong_handles(int other)
{
    cudaIpcMemHandle_t freed, good, wrong;
    void *memory = NULL, *before = &memory;
    hear(other, &freed, sizeof freed);
    hear(other, &good, sizeof good);
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcOpenMemHandle(&memory, freed, 1));
    for (size_t i = 0; i < sizeof good; i++) {
        wrong = good;
        wrong.reserved[i] = (char)(wrong.reserved[i] ^ 4);
        memory = before;
        CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcOpenMemHandle(&memory, wrong, 1));
        CHECK(memory == before);
    }
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcOpenMemHandle(NULL, good, 1));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcOpenMemHandle(&memory, good, 2));
    CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory, good, 0));
    CHECK(holds(memory, LARGE, 2));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_handles_that_are_wrong_open_nothing)
{
    NEEDS_SHARING();
    run_two(export_again, open_wrong_handles, 0);
}

static int misuse_opened_memory(int other)
{
    cudaIpcMemHandle_t handle;
    void *memory = hear_memory(other);
    bool is_capable = true;
    CHECK_CALL(cudaErrorInvalidValue, cudaFree(memory));
    CHECK_CALL(cudaErrorInvalidValue, cudaFreeAsync(memory, NULL));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, memory));
    CHECK_SUCCESS(cuPointerGetAttribute(
        &is_capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, (CUdeviceptr)memory));
    CHECK(!is_capable);
    CHECK_SUCCESS(cuPointerGetAttribute(&is_capable,
                                        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                        (CUdeviceptr)make_memory(BYTES, 1)));
    CHECK(is_capable && holds(memory, BYTES, 7));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_is_its_exporters_to_free)
{
    NEEDS_SHARING();
    run_two(export_one, misuse_opened_memory, 0);
}

static int export_by_driver(int other)
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr memory;
    CUipcMemHandle handle;
    CHECK_SUCCESS(cuInit(0));
    CHECK_SUCCESS(cuDeviceGet(&device, 0));
    CHECK_CALL(CUDA_ERROR_INVALID_CONTEXT, cuIpcGetMemHandle(&handle, 0));
    CHECK_SUCCESS(cuDevicePrimaryCtxRetain(&context, device));
    CHECK_SUCCESS(cuCtxSetCurrent(context));
    CHECK_SUCCESS(cuMemAlloc(&memory, BYTES));
    CHECK_SUCCESS(cuMemsetD32(memory, 0x12345678, BYTES / 4));
    CHECK_CALL(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(NULL, memory));
    CHECK_SUCCESS(cuIpcGetMemHandle(&handle, memory));
    say(other, &handle, sizeof handle);
    await_turn(other);
    return 0;
}

static int import_by_driver(int other)
{
    CUipcMemHandle handle;
    CUdeviceptr memory = 0;
    unsigned word = 0;
    CHECK_SUCCESS(cudaFree(NULL));
    hear(other, &handle, sizeof handle);
    CHECK_CALL(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(NULL, handle, 1));
    CHECK_SUCCESS(cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    CHECK_SUCCESS(cuMemcpyDtoH(&word, memory + 400, sizeof word));
    CHECK(word == 0x12345678);
    CHECK_SUCCESS(cuIpcCloseMemHandle(memory));
    CHECK_CALL(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(memory));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_has_driver_functions)
{
    NEEDS_SHARING();
    run_two(export_by_driver, import_by_driver, 0);
}

/* --- processes that end --------------------------------------------------------------------------- */

static int export_and_be_killed(int other)
{
    const pid_t self = getpid();
    say_memory(other, make_memory(BYTES, 7));
    say_memory(other, make_memory(BYTES, 8));
    say(other, &self, sizeof self);
    pause();
    return 0;
}

static bool has_socket(const cudaIpcMemHandle_t *handle)
{
    char name[64] = "@clem-ipc-", line[512];
    for (int i = 0; i < 16; i++)
        sprintf(name + strlen(name), "%02x", (unsigned char)handle->reserved[16 + i]);
    FILE *sockets = fopen("/proc/net/unix", "r");
    CHECK(sockets != NULL);
    bool found = false;
    while (!found && fgets(line, sizeof line, sockets))
        found = strstr(line, name) != NULL;
    fclose(sockets);
    return found;
}

static int outlive_exporter(int other)
{
    cudaIpcMemHandle_t first, second;
    void *memory = NULL, *late = NULL;
    pid_t exporter;
    char end;
    hear(other, &first, sizeof first);
    hear(other, &second, sizeof second);
    hear(other, &exporter, sizeof exporter);
    CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory, first, 1));
    CHECK(has_socket(&first));
    CHECK(kill(exporter, SIGKILL) == 0);
    CHECK(recv(other, &end, 1, 0) == 0);
    while (has_socket(&first))
        usleep(1000);
    CHECK(holds(memory, BYTES, 7));
    CHECK_SUCCESS(cudaMemset(memory, 6, BYTES));
    CHECK(holds(memory, BYTES, 6));
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcOpenMemHandle(&late, second, 1));
    CHECK_SUCCESS(cudaIpcOpenMemHandle(&late, first, 1)); /* open already */
    CHECK(late == memory);
    CHECK_SUCCESS(cudaIpcCloseMemHandle(memory));
    CHECK_SUCCESS(cudaIpcCloseMemHandle(memory));
    return 0;
}

TEST_BODY(ipc_memory_outlives_its_exporter)
{
    NEEDS_SHARING();
    run_two(export_and_be_killed, outlive_exporter, SIGKILL);
}

/* The child of a fork must keep no client waiting that its parent would have answered. */
static int fork_and_end(int other)
{
    const double begin = seconds_now();
    cudaIpcMemHandle_t handle;
    void *memory = make_memory(BYTES, 7);
    CHECK_SUCCESS(cudaIpcGetMemHandle(&handle, memory));
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        void *opened;
        CHECK(cudaIpcOpenMemHandle(&opened, handle, 1) != cudaSuccess);
        CHECK(cudaIpcGetMemHandle(&handle, memory) != cudaSuccess);
        pause();
        _exit(0);
    }
    say(other, &handle, sizeof handle);
    say(other, &child, sizeof child);
    await_turn(other);
    CHECK(holds(memory, BYTES, 9) && seconds_now() - begin < 60);
    return 0;
}

static int meet_a_fork(int other)
{
    cudaIpcMemHandle_t handle;
    void *memory = NULL;
    pid_t child;
    hear(other, &handle, sizeof handle);
    hear(other, &child, sizeof child);
    CHECK_SUCCESS(cudaIpcOpenMemHandle(&memory, handle, 1));
    CHECK(holds(memory, BYTES, 7));
    CHECK_SUCCESS(cudaMemset(memory, 9, BYTES));
    CHECK_SUCCESS(cudaIpcCloseMemHandle(memory));
    give_turn(other);
    while (has_socket(&handle)) /* until the parent is gone; its child is there */
        usleep(1000);
    const double begin = seconds_now();
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcOpenMemHandle(&memory, handle, 1));
    CHECK(seconds_now() - begin < 5 && kill(child, SIGKILL) == 0);
    return 0;
}

TEST_BODY(ipc_memory_is_the_parents_after_a_fork)
{
    NEEDS_SHARING();
    run_two(fork_and_end, meet_a_fork, 0);
}

/* --- other worlds ----------------------------------------------------------------------------------- */

/* cmocka's skip for a child: the parent asks first. */
static bool can_have_namespace(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_NEWPID) == 0 ? 0 : 1);
    return end_of(child) == 0;
}

static int import_elsewhere(int other)
{
    CHECK(unshare(CLONE_NEWPID) == 0);
    const pid_t child = fork();
    if (child == 0) {
        CHECK(getpid() == 1);
        void *memory = hear_memory(other);
        CHECK(holds(memory, BYTES, 7));
        CHECK_SUCCESS(cudaIpcCloseMemHandle(memory));
        give_turn(other);
        _exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

TEST_BODY(ipc_memory_crosses_namespaces_of_processes)
{
    NEEDS_SHARING();
    if (!can_have_namespace())
        TEST_SKIP("no namespaces without more rights");
    run_two(export_one, import_elsewhere, 0);
}

enum { NOBODY = 65534 };

/* Asks as the library does, but does not look whose process it asks. */
static bool is_answered(const cudaIpcMemHandle_t *handle)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char request[24], answer[16];
    for (int i = 0; i < 16; i++)
        sprintf(name.sun_path + 10 + 2 * i, "%02x", (unsigned char)handle->reserved[16 + i]);
    memcpy(name.sun_path + 1, "clem-ipc-", 9);
    memcpy(request, handle->reserved, 8);
    memcpy(request + 8, handle->reserved + 32, 16);
    const int to = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(to, (struct sockaddr *)&name,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + 9 + 32)) == 0);
    const bool is_sent = send(to, request, sizeof request, MSG_NOSIGNAL) == sizeof request;
    const bool is_read = recv(to, answer, sizeof answer, MSG_WAITALL) == sizeof answer;
    close(to);
    return is_sent && is_read;
}

static int import_as_another(int other)
{
    cudaIpcMemHandle_t handle;
    void *memory = NULL;
    hear(other, &handle, sizeof handle);
    CHECK(is_answered(&handle));
    CHECK(setuid(NOBODY) == 0);
    CHECK(!is_answered(&handle));
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcOpenMemHandle(&memory, handle, 1));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_memory_is_not_another_users)
{
    NEEDS_SHARING();
    if (getuid() != 0)
        TEST_SKIP("only root can become another user");
    run_two(export_one, import_as_another, 0);
}

/* --- while the device is busy ----------------------------------------------------------------------- */

enum { ROUNDS = 30, SLOT = 1 << 16 };

struct writer {
    pthread_t thread;
    int way;
    _Atomic(char *) memory;
    atomic_bool is_over;
    atomic_uint rounds;
};

/* What is written must be there afterwards, whatever happens to the pages meanwhile. */
static void *write_and_look(void *data)
{
    struct writer *writer = data;
    unsigned char *host = malloc(SLOT), *back = malloc(SLOT);
    cudaStream_t stream;
    CHECK(host && back);
    CHECK_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (unsigned i = 1; !atomic_load(&writer->is_over); i++) {
        char *at = atomic_load(&writer->memory);
        if (!at)
            continue;
        at += writer->way * SLOT;
        memset(host, (int)(i & 0xff), SLOT);
        if (writer->way == 0) {
            CHECK_SUCCESS(cudaMemcpyAsync(at, host, SLOT, cudaMemcpyHostToDevice, stream));
        } else if (writer->way == 1) {
            CHECK_SUCCESS(cudaMemsetAsync(at, (int)(i & 0xff), SLOT, stream));
        } else {
            CHECK_SUCCESS(cudaMemcpy(at, host, SLOT, cudaMemcpyHostToDevice));
        }
        CHECK_SUCCESS(cudaMemcpyAsync(back, at, SLOT, cudaMemcpyDeviceToHost, stream));
        CHECK_SUCCESS(cudaStreamSynchronize(stream));
        CHECK(memcmp(host, back, SLOT) == 0);
        atomic_fetch_add(&writer->rounds, 1);
    }
    free(host);
    free(back);
    CHECK_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

enum { WRITERS = 3 };

static int export_under_writers(int other)
{
    struct writer writers[WRITERS] = {{.way = 0}, {.way = 1}, {.way = 2}};
    cudaIpcMemHandle_t handle;
    char *memory[ROUNDS];
    (void)other;
    for (int i = 0; i < ROUNDS; i++)
        memory[i] = make_memory(LARGE, 0);
    CHECK_SUCCESS(cudaDeviceSynchronize()); /* fills are the legacy stream's */
    for (int i = 0; i < WRITERS; i++)
        CHECK(pthread_create(&writers[i].thread, NULL, write_and_look, &writers[i]) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WRITERS; i++)
            atomic_store(&writers[i].memory, memory[round]);
        for (int i = 0; i < WRITERS; i++) { /* all are at it */
            const unsigned before = atomic_load(&writers[i].rounds);
            while (atomic_load(&writers[i].rounds) < before + 2)
                sched_yield();
        }
        CHECK_SUCCESS(cudaIpcGetMemHandle(&handle, memory[round]));
    }
    for (int i = 0; i < WRITERS; i++) {
        atomic_store(&writers[i].is_over, true);
        pthread_join(writers[i].thread, NULL);
    }
    return 0;
}

TEST_BODY(ipc_memory_loses_nothing_when_it_becomes_shared)
{
    NEEDS_SHARING();
    run_one(export_under_writers);
}

/* Without sharing the calls say so, and nothing else. */
static int refuse(int other)
{
    cudaIpcMemHandle_t handle = {{0}};
    void *memory, *opened;
    (void)other;
    CHECK_SUCCESS(cudaMalloc(&memory, BYTES));
    CHECK_CALL(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, memory));
    CHECK_CALL(cudaErrorNotSupported, cudaIpcOpenMemHandle(&opened, handle, 1));
    CHECK_CALL(cudaErrorNotSupported, cudaIpcCloseMemHandle(memory));
    return 0;
}

TEST_BODY(ipc_memory_is_refused_where_it_cannot_be)
{
    if (memory_can_be_shared())
        TEST_SKIP("device memory can be shared here");
    run_one(refuse);
}

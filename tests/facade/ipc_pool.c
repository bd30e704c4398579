/* Pools whose memory several processes have.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "tests/facade/processes.h"

#include <cuda.h>

enum { BYTES = 300000 };

static int tell_support(int other)
{
    int types = 0;
    CHECK_SUCCESS(cudaFree(NULL));
    CHECK_SUCCESS(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
    say(other, &types, sizeof types);
    return 0;
}

static bool pools_can_be_shared(void)
{
    int ends[2], types = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pid_t child = start_process(tell_support, ends[0], ends[1]);
    close(ends[0]);
    assert_int_equal(recv(ends[1], &types, sizeof types, MSG_WAITALL), sizeof types);
    close(ends[1]);
    assert_int_equal(end_of(child), 0);
    return (types & cudaMemHandleTypePosixFileDescriptor) != 0;
}

#define NEEDS_SHARING()                                                                            \
    if (!pools_can_be_shared())                                                                    \
    TEST_SKIP("the device's memory is not the host's, or kernels have no addresses")

static cudaMemPool_t make_pool(enum cudaMemAllocationHandleType types)
{
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .handleTypes = types,
                                                .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool = NULL;
    CHECK_SUCCESS(cudaMemPoolCreate(&pool, &properties));
    return pool;
}

/* As programs pass descriptors on. */
static void say_file(int to, int file)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {.bytes = {0}};
    struct iovec part = {"f", 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    CHECK(sendmsg(to, &message, MSG_NOSIGNAL) == 1);
}

static int hear_file(int from)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char byte;
    int file = -1;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    CHECK(recvmsg(from, &message, 0) == 1);
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}

static void *take_from(cudaMemPool_t pool, int value)
{
    void *memory = NULL;
    CHECK_SUCCESS(cudaMallocFromPoolAsync(&memory, BYTES, pool, NULL));
    CHECK_SUCCESS(cudaMemsetAsync(memory, value, BYTES, NULL));
    return memory;
}

static bool holds(const void *memory, int value)
{
    static unsigned char copy[BYTES];
    memset(copy, ~value, sizeof copy);
    CHECK_SUCCESS(cudaMemcpy(copy, memory, BYTES, cudaMemcpyDeviceToHost));
    return copy[0] == (unsigned char)value && memcmp(copy, copy + 1, BYTES - 1) == 0;
}

static void say_pool(int to, cudaMemPool_t pool)
{
    int file = -1;
    CHECK_SUCCESS(
        cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(file > 2);
    say_file(to, file);
    CHECK(close(file) == 0);
}

static cudaMemPool_t hear_pool(int from)
{
    const int file = hear_file(from);
    cudaMemPool_t pool = NULL;
    CHECK_SUCCESS(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file,
                                                       cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(close(file) == 0);
    return pool;
}

static int export_pool(int other)
{
    const cudaMemPool_t pool = make_pool(cudaMemHandleTypePosixFileDescriptor);
    struct cudaMemPoolPtrExportData data;
    say_pool(other, pool);
    void *first = take_from(pool, 1), *second = take_from(pool, 2);
    CHECK_SUCCESS(cudaMemPoolExportPointer(&data, first));
    say(other, &data, sizeof data);
    CHECK_SUCCESS(cuMemPoolExportPointer((CUmemPoolPtrExportData *)&data, (CUdeviceptr)second));
    say(other, &data, sizeof data);
    await_turn(other);
    CHECK(holds(first, 11) && holds(second, 2));
    CHECK_SUCCESS(cudaFreeAsync(first, NULL));
    CHECK_SUCCESS(cudaFreeAsync(second, NULL));
    CHECK_SUCCESS(cudaMemPoolDestroy(pool));
    return 0;
}

static int import_pool(int other)
{
    const cudaMemPool_t pool = hear_pool(other);
    struct cudaMemPoolPtrExportData data[2];
    void *first = NULL, *second = NULL, *again = NULL, *wrong = NULL;
    hear(other, data, sizeof data);
    CHECK_SUCCESS(cudaMemPoolImportPointer(&first, pool, &data[0]));
    CHECK_SUCCESS(
        cuMemPoolImportPointer((CUdeviceptr *)&second, pool, (CUmemPoolPtrExportData *)&data[1]));
    CHECK_SUCCESS(cudaMemPoolImportPointer(&again, pool, &data[0]));
    CHECK(first == again && holds(first, 1) && holds(second, 2));
    CHECK_SUCCESS(cudaMemset(first, 11, BYTES));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcCloseMemHandle(first));
    CHECK_CALL(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&wrong, BYTES, pool, NULL));
    CHECK_CALL(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, pool));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data[0], first));
    CHECK_SUCCESS(cudaFree(first));
    CHECK(holds(first, 11));
    CHECK_SUCCESS(cudaFreeAsync(first, NULL));
    CHECK_CALL(cudaErrorInvalidValue, cudaFreeAsync(first, NULL));
    CHECK_SUCCESS(cudaMemPoolDestroy(pool));
    CHECK(holds(second, 2));
    CHECK_SUCCESS(cudaFree(second));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_pool_memory_is_one_for_both)
{
    NEEDS_SHARING();
    run_two(export_pool, import_pool, 0);
}

static int export_two_pools(int other)
{
    const cudaMemPool_t first = make_pool(cudaMemHandleTypePosixFileDescriptor),
                        second = make_pool(cudaMemHandleTypePosixFileDescriptor);
    struct cudaMemPoolPtrExportData data;
    cudaIpcMemHandle_t handle;
    void *plain;
    say_pool(other, first);
    void *memory = take_from(second, 1);
    CHECK_SUCCESS(cudaMemPoolExportPointer(&data, memory));
    say(other, &data, sizeof data);
    CHECK_SUCCESS(cudaMalloc(&plain, BYTES));
    CHECK_SUCCESS(cudaIpcGetMemHandle(&handle, plain));
    say(other, &handle, sizeof handle);
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, memory));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, plain));
    await_turn(other);
    return 0;
}

static int import_wrongly(int other)
{
    const cudaMemPool_t pool = hear_pool(other);
    struct cudaMemPoolPtrExportData data;
    cudaIpcMemHandle_t handle;
    cudaMemPool_t wrong_pool = NULL;
    const int none = open("/dev/null", O_RDWR);
    void *wrong = NULL;
    int file;
    hear(other, &data, sizeof data);
    hear(other, &handle, sizeof handle);
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolImportPointer(&wrong, pool, &data));
    CHECK_CALL(cudaErrorInvalidResourceHandle,
               cudaIpcOpenMemHandle(&wrong, *(cudaIpcMemHandle_t *)&data, 1));
    memcpy(&data, &handle, sizeof data);
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolImportPointer(&wrong, pool, &data));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolImportPointer(NULL, pool, &data));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolImportPointer(&wrong, pool, NULL));
    const enum cudaMemAllocationHandleType type = cudaMemHandleTypePosixFileDescriptor;
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(&file, pool, type, 0));
    CHECK_CALL(cudaErrorInvalidValue,
               cudaMemPoolImportFromShareableHandle(&wrong_pool, (void *)(intptr_t)none, type, 0));
    CHECK_CALL(cudaErrorInvalidValue,
               cudaMemPoolImportFromShareableHandle(&wrong_pool, (void *)(intptr_t)-1, type, 0));
    const cudaMemPool_t plain = make_pool(cudaMemHandleTypeNone),
                        own = make_pool(cudaMemHandleTypePosixFileDescriptor);
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(&file, plain, type, 0));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, take_from(plain, 1)));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(NULL, own, type, 0));
    CHECK_CALL(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(&file, own, type, 1));
    CHECK_CALL(cudaErrorInvalidValue,
               cudaMemPoolExportToShareableHandle(&file, own, cudaMemHandleTypeNone, 0));
    CHECK_SUCCESS(
        cuMemPoolExportToShareableHandle(&file, own, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CHECK_SUCCESS(cuMemPoolImportFromShareableHandle(&wrong_pool, (void *)(intptr_t)file,
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CHECK_SUCCESS(cudaMemPoolExportPointer(&data, take_from(own, 1)));
    CHECK_CALL(cudaErrorDeviceUninitialized, cudaMemPoolImportPointer(&wrong, wrong_pool, &data));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_pool_handles_that_are_wrong_import_nothing)
{
    NEEDS_SHARING();
    run_two(export_two_pools, import_wrongly, 0);
}

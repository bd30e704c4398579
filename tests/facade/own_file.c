/* Programs that close all files, as those do that become daemons, and open others: their numbers were clem's, which must leave
 * the program's files alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/facade/driver_support.h"
#include "tests/facade/runtime_support.h"

static const size_t GRAIN = (size_t)2 << 20;
enum { FILES = 12, FIRST = 3, LAST = 64, INTERPROCESS = 6 };

static const char text[] = "the program's";

/* Files, each followed by one end of a pair of sockets. */
static int files[FILES], sockets[FILES][2];

/* What the driver has open for a moment must not go: it rests. */
static void close_all(void)
{
    assert_success(cudaDeviceSynchronize());
    for (int file = FIRST; file < LAST; file++)
        close(file);
}

static void open_files(void)
{
    for (int i = 0; i < FILES; i++) {
        files[i] = memfd_create("program", 0);
        assert_true(files[i] >= 0);
        assert_int_equal(write(files[i], text, sizeof text), sizeof text);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets[i]), 0);
    }
}

static void check_files(void)
{
    char found[sizeof text];
    struct stat facts;
    for (int i = 0; i < FILES; i++) {
        assert_int_equal(fstat(files[i], &facts), 0);
        assert_int_equal(facts.st_size, sizeof text);
        assert_int_equal(pread(files[i], found, sizeof found, 0), sizeof found);
        assert_string_equal(found, text);
        for (int end = 0; end < 2; end++) {
            assert_int_equal(fcntl(sockets[i][end], F_GETFD), 0);
            assert_int_equal(recv(sockets[i][end], found, sizeof found, 0), -1); /* nobody wrote */
        }
    }
}

static CUmemGenericAllocationHandle make(bool is_shared)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemGenericAllocationHandle handle = 0;
    prop.requestedHandleTypes = is_shared ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0;
    assert_driver(cuMemCreate(&handle, GRAIN, &prop, 0));
    return handle;
}

static void write_new_at(CUdeviceptr address)
{
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                    CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const CUmemGenericAllocationHandle handle = make(false);
    assert_driver(cuMemMap(address, GRAIN, 0, handle, 0));
    assert_driver(cuMemRelease(handle));
    assert_driver(cuMemSetAccess(address, GRAIN, &access, 1));
    assert_driver(cuMemsetD8(address, 0x55, GRAIN));
}

TEST_BODY(own_file_of_virtual_memory_is_not_the_programs)
{
    CUdeviceptr address = 0;
    int has_it = 0, file = -1;
    unsigned char byte = 0;
    assert_success(cudaFree(NULL));
    assert_driver(
        cuDeviceGetAttribute(&has_it, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    if (!has_it)
        TEST_SKIP("no virtual memory management");
    assert_driver(cuMemAddressReserve(&address, 2 * GRAIN, 0, 0, 0));
    write_new_at(address);
    const CUmemGenericAllocationHandle kept = make(false), shared = make(true);
    close_all();
    open_files();
    assert_int_not_equal(
        cuMemExportToShareableHandle(&file, shared, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        CUDA_SUCCESS);
    assert_int_not_equal(cuMemMap(address + GRAIN, GRAIN, 0, kept, 0), CUDA_SUCCESS);
    assert_driver(cuMemRelease(kept));
    assert_driver(cuMemRelease(shared));
    write_new_at(address + GRAIN);
    for (int i = 0; i < 2; i++) { /* what was mapped before is as it was */
        assert_driver(cuMemcpyDtoH(&byte, address + (size_t)i * GRAIN, 1));
        assert_int_equal(byte, 0x55);
    }
    assert_driver(cuMemUnmap(address, 2 * GRAIN));
    assert_driver(cuMemAddressFree(address, 2 * GRAIN));
    check_files();
}

TEST_BODY(own_file_of_shared_memory_is_not_the_programs)
{
    cudaIpcMemHandle_t handle;
    cudaIpcEventHandle_t event_handle;
    cudaEvent_t event = NULL;
    void *memory = NULL, *more = NULL;
    assert_success(cudaMalloc(&memory, 3 << 20));
    if (cudaIpcGetMemHandle(&handle, memory) == cudaErrorNotSupported)
        TEST_SKIP("no memory for other processes");
    assert_success(cudaEventCreateWithFlags(&event, INTERPROCESS));
    assert_success(cudaIpcGetEventHandle(&event_handle, event));
    close_all();
    open_files();
    assert_success(cudaEventRecord(event, NULL));
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaMemset(memory, 1, 3 << 20));
    assert_success(cudaFree(memory));
    assert_success(cudaMalloc(&more, 40 << 20));
    assert_success(cudaIpcGetMemHandle(&handle, more));
    assert_success(cudaFree(more));
    assert_success(cudaDeviceReset());
    check_files();
}

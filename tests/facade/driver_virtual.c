/* Tests of facade/driver/driver_virtual.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/facade/driver_support.h"
#include "tests/facade/ended.h"
#include "tests/facade/runtime_support.h"

enum { GRAIN = 2 << 20, WORDS = GRAIN / 4 };

static const char kernels[] =
    "kernel void put(global int *out, int value) { out[get_global_id(0)] = value; }\n"
    "kernel void follow(global ulong *at) { *(global int *)at[0] = (int)at[1]; }\n";

static CUfunction find_kernel_named(const char *name)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    assert_driver(cuModuleLoadData(&module, kernels));
    assert_driver(cuModuleGetFunction(&function, module, name));
    return function;
}

static CUmemAllocationProp properties_of(int device)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
}

static CUmemGenericAllocationHandle make(size_t bytes)
{
    const CUmemAllocationProp prop = properties_of(0);
    CUmemGenericAllocationHandle handle = 0;
    assert_driver(cuMemCreate(&handle, bytes, &prop, 0));
    return handle;
}

static void allow(CUdeviceptr address, size_t bytes, CUmemAccess_flags flags)
{
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    assert_driver(cuMemSetAccess(address, bytes, &access, 1));
}

static CUdeviceptr reserve(size_t bytes)
{
    CUdeviceptr address = 0;
    assert_driver(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    return address;
}

/* Maps new memory that only the mapping keeps. */
static void map_new(CUdeviceptr address, size_t bytes)
{
    const CUmemGenericAllocationHandle handle = make(bytes);
    assert_driver(cuMemMap(address, bytes, 0, handle, 0));
    assert_driver(cuMemRelease(handle));
}

static CUdeviceptr make_mapped(size_t parts)
{
    const CUdeviceptr address = reserve(parts * GRAIN);
    for (size_t i = 0; i < parts; i++)
        map_new(address + i * GRAIN, GRAIN);
    allow(address, parts * GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    return address;
}

static void end_mapped(CUdeviceptr address, size_t parts)
{
    assert_driver(cuMemUnmap(address, parts * GRAIN));
    assert_driver(cuMemAddressFree(address, parts * GRAIN));
}

static int read_word(CUdeviceptr address)
{
    int word = -1;
    assert_driver(cuMemcpyDtoH(&word, address, sizeof word));
    return word;
}

static void launch(CUfunction function, unsigned groups, unsigned items, void **arguments)
{
    assert_driver(cuLaunchKernel(function, groups, 1, 1, items, 1, 1, 0, NULL, arguments, NULL));
}

static bool is_supported(void)
{
    int value = 0;
    assert_driver(
        cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    return value != 0;
}

static CUcontext use_it(void)
{
    CUcontext context = driver_use_primary();
    if (!is_supported())
        TEST_SKIP("no virtual memory management");
    return context;
}

/* ---- Whether ---- */

TEST_BODY(driver_virtual_is_there_as_the_attribute_says)
{
    CUdeviceptr address = 0;
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp prop = properties_of(0);
    size_t grain = 0;
    int files = -1;
    assert_driver(cuInit(0));
    const bool before = is_supported(); /* as expected of a context that is not open yet */
    driver_use_primary();
    assert_int_equal(is_supported(), before);
    assert_driver(cuDeviceGetAttribute(
        &files, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
    assert_int_equal(files, before);
    const CUresult expected = before ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
    assert_int_equal(cuMemGetAllocationGranularity(&grain, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                     expected);
    assert_int_equal(cuMemAddressReserve(&address, GRAIN, 0, 0, 0), expected);
    assert_int_equal(cuMemCreate(&handle, GRAIN, &prop, 0), expected);
    assert_int_equal(cuMemMap(address, GRAIN, 0, handle, 0), expected);
    assert_int_equal(cuMemUnmap(address, GRAIN), expected);
    assert_int_equal(cuMemRelease(handle), expected);
    assert_int_equal(cuMemAddressFree(address, GRAIN), expected);
}

TEST_BODY(driver_virtual_refuses_what_attributes_exclude)
{
    CUmemGenericAllocationHandle handle = 0;
    use_it();
    CUmemAllocationProp prop = properties_of(0);
    prop.location.type = CU_MEM_LOCATION_TYPE_HOST;
    assert_int_equal(cuMemCreate(&handle, GRAIN, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
    prop = properties_of(0);
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    assert_int_equal(cuMemCreate(&handle, GRAIN, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
    prop = properties_of(0);
    prop.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
    assert_int_equal(cuMemCreate(&handle, GRAIN, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
    prop = properties_of(0);
    prop.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    assert_driver(cuMemCreate(&handle, GRAIN, &prop, 0));
    assert_driver(cuMemGetAllocationPropertiesFromHandle(&prop, handle));
    assert_int_equal(prop.allocFlags.compressionType, CU_MEM_ALLOCATION_COMP_NONE);
    assert_driver(cuMemRelease(handle));
}

/* ---- Growing ---- */

TEST_BODY(driver_virtual_vector_grows_in_place)
{
    enum { PARTS = 6 };
    use_it();
    CUfunction put = find_kernel_named("put");
    CUdeviceptr vector = reserve((size_t)1 << 40);
    for (int i = 0; i < PARTS; i++) {
        map_new(vector + (size_t)i * GRAIN, GRAIN);
        allow(vector + (size_t)i * GRAIN, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        if (i > 0)
            assert_int_equal(read_word(vector + (size_t)i * GRAIN - 4), i - 1);
        launch(put, (unsigned)(i + 1) * WORDS / 256, 256, (void *[]){&vector, &i});
    }
    assert_int_equal(read_word(vector), PARTS - 1);
    assert_int_equal(read_word(vector + PARTS * GRAIN - 4), PARTS - 1);
    /* It shrinks, too. */
    assert_driver(cuMemUnmap(vector + (PARTS - 1) * GRAIN, GRAIN));
    assert_int_equal(cuMemsetD32(vector, 1, PARTS * WORDS), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemsetD32(vector, 77, (PARTS - 1) * WORDS));
    assert_int_equal(read_word(vector + (PARTS - 1) * GRAIN - 4), 77);
    assert_driver(cuMemUnmap(vector, (size_t)1 << 40));
    assert_driver(cuMemAddressFree(vector, (size_t)1 << 40));
}

static long resident_pages(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages;
}

TEST_BODY(driver_virtual_reservation_costs_nothing)
{
    const size_t bytes = (size_t)1 << (has_sanitizer() ? 36 : 44); /* which leaves few addresses */
    size_t free_before = 0, free_after = 0, total = 0;
    use_it();
    assert_driver(cuMemGetInfo(&free_before, &total));
    const long before = resident_pages();
    const CUdeviceptr address = reserve(bytes);
    map_new(address + bytes - GRAIN, GRAIN);
    assert_true(has_sanitizer() || resident_pages() - before < 512); /* those have shadows */
    assert_driver(cuMemGetInfo(&free_after, &total));
    assert_true(free_before - free_after <= 64 << 20);
    assert_driver(cuMemUnmap(address, bytes));
    assert_driver(cuMemAddressFree(address, bytes));
}

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

TEST_BODY(driver_virtual_memory_takes_few_files)
{
    enum { COUNT = 300 };
    CUmemGenericAllocationHandle handles[COUNT];
    use_it();
    handles[0] = make(GRAIN);
    const int before = open_files();
    for (int i = 1; i < COUNT; i++)
        handles[i] = make(GRAIN);
    assert_int_equal(open_files(), before);
    for (int i = 0; i < COUNT; i++)
        assert_driver(cuMemRelease(handles[i]));
}

/* Memory is zero when it is new, though another had its pages, and counts as taken while it lives. */
TEST_BODY(driver_virtual_memory_is_given_back)
{
    size_t before = 0, during = 0, after = 0, total = 0;
    use_it();
    const CUdeviceptr address = reserve(16 * GRAIN);
    assert_driver(cuMemGetInfo(&before, &total));
    map_new(address, 16 * GRAIN);
    allow(address, 16 * GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_driver(cuMemsetD8(address, 7, 16 * GRAIN));
    assert_driver(cuCtxSynchronize());
    assert_driver(cuMemGetInfo(&during, &total));
    assert_true(before >= during + 15 * (size_t)GRAIN);
    const long touched = resident_pages();
    assert_driver(cuMemUnmap(address, 16 * GRAIN));
    assert_true(touched - resident_pages() > 15 * (GRAIN / 4096));
    assert_driver(cuMemGetInfo(&after, &total));
    assert_true(after >= during + 15 * (size_t)GRAIN);
    map_new(address, 16 * GRAIN);
    allow(address, 16 * GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ);
    assert_int_equal(read_word(address + 5 * GRAIN), 0);
    end_mapped(address, 16);
}

/* ---- The same memory at two addresses ---- */

TEST_BODY(driver_virtual_memory_has_two_addresses)
{
    use_it();
    CUfunction put = find_kernel_named("put"), follow = find_kernel_named("follow");
    const CUmemGenericAllocationHandle handle = make(GRAIN);
    CUdeviceptr one = reserve(GRAIN), other = reserve(GRAIN);
    int value = 41;
    assert_driver(cuMemMap(one, GRAIN, 0, handle, 0));
    assert_driver(cuMemMap(other, GRAIN, 0, handle, 0));
    allow(one, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    allow(other, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    launch(put, WORDS / 256, 256, (void *[]){&one, &value});
    assert_int_equal(read_word(other + GRAIN - 4), 41);
    /* A kernel follows a pointer that lies in such memory, into such memory. */
    const uint64_t words[2] = {other + 64, 1234};
    assert_driver(cuMemcpyHtoD(one, words, sizeof words));
    launch(follow, 1, 1, (void *[]){&one});
    assert_int_equal(read_word(one + 64), 1234);
    assert_driver(cuMemRelease(handle));
    assert_driver(cuMemUnmap(one, GRAIN));
    assert_int_equal(read_word(other + 64), 1234);
    CUmemGenericAllocationHandle again = 0; /* all handles were released */
    assert_driver(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)other));
    assert_driver(cuMemMap(one, GRAIN, 0, again, 0));
    assert_driver(cuMemRelease(again));
    allow(one, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ);
    assert_int_equal(read_word(one + 64), 1234);
    end_mapped(one, 1);
    end_mapped(other, 1);
}

/* ---- Protection ---- */

enum { READS = 1, WRITES = 2 };

/* Every kind of copy and fill that reads or writes 64 bytes there. */
static void assert_calls(CUdeviceptr address, int allowed)
{
    static char host[64];
    const CUresult reads = (allowed & READS) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    const CUresult writes = (allowed & WRITES) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    const CUdeviceptr other = driver_allocate(64);
    void *const pointer = (void *)(uintptr_t)address;
    assert_int_equal(cuMemcpyDtoH(host, address, 64), reads);
    assert_int_equal(cuMemcpyHtoD(address, host, 64), writes);
    assert_int_equal(cuMemcpyDtoHAsync(host, address, 64, NULL), reads);
    assert_int_equal(cuMemcpyHtoDAsync(address, host, 64, NULL), writes);
    assert_int_equal(cuMemcpyDtoD(other, address, 64), reads);
    assert_int_equal(cuMemcpyDtoD(address, other, 64), writes);
    assert_int_equal(cuMemcpyPeer(other, NULL, address, NULL, 64), reads);
    assert_int_equal(cuMemcpy(address, (uintptr_t)host, 64), writes);
    assert_int_equal(cuMemsetD8(address, 1, 64), writes);
    assert_int_equal(cuMemsetD2D32(address, 16, 1, 2, 4), writes);
    assert_int_equal(cudaMemcpy(pointer, host, 64, cudaMemcpyDefault), (int)writes);
    assert_int_equal(cudaMemcpy(host, pointer, 64, cudaMemcpyDefault), (int)reads);
    assert_int_equal(cudaMemcpy2D(host, 16, pointer, 16, 8, 4, cudaMemcpyDefault), (int)reads);
    assert_int_equal(cudaMemcpy2D(pointer, 16, host, 16, 8, 4, cudaMemcpyDefault), (int)writes);
    (void)cudaGetLastError();
    assert_driver(cuCtxSynchronize());
    assert_driver(cuMemFree(other));
}

TEST_BODY(driver_virtual_access_is_kept)
{
    use_it();
    const CUdeviceptr address = reserve(4 * GRAIN);
    assert_calls(address, 0);
    map_new(address, GRAIN);
    assert_calls(address, 0);
    allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ);
    assert_calls(address, READS);
    allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_calls(address, READS | WRITES);
    assert_calls(address + GRAIN - 32, 0); /* goes beyond what is mapped */
    map_new(address + GRAIN, GRAIN);
    allow(address + GRAIN, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ);
    assert_calls(address + GRAIN - 32, READS);
    allow(address, 2 * GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_calls(address + GRAIN - 32, READS | WRITES);
    allow(address, 2 * GRAIN, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    assert_calls(address + GRAIN - 32, 0);
    end_mapped(address, 4);
}

static char root[] = "/tmp/clem-ranges-XXXXXX";

static void remove_root(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    if (system(command) != 0)
        print_error("%s stays\n", root);
}

/* A limit of the system's, as another one would have it. */
static void limit_ranges(unsigned most)
{
    char command[256];
    assert_non_null(mkdtemp(root));
    atexit(remove_root);
    snprintf(command, sizeof command,
             "mkdir -p %s/proc/sys/vm && echo %u > %s/proc/sys/vm/max_map_count", root, most, root);
    assert_int_equal(system(command), 0);
    assert_int_equal(setenv("CLEM_HOST_ROOT", root, 1), 0);
}

/* Where the process may have no more ranges of pages, a driver's compiler ends it. */
TEST_BODY(driver_virtual_mappings_leave_room_to_others)
{
    enum { MOST_RANGES = 4000 };
    size_t count = 0;
    int has_it = 0;
    limit_ranges(MOST_RANGES);
    assert_driver(cuInit(0));
    assert_driver(
        cuDeviceGetAttribute(&has_it, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    if (!has_it)
        remove_root(); /* what skips a test ends the process at once */
    use_it();
    const CUmemGenericAllocationHandle memory = make(GRAIN);
    const size_t all = (size_t)2 * MOST_RANGES * GRAIN;
    const CUdeviceptr address = reserve(all);
    while (count < MOST_RANGES &&
           cuMemMap(address + 2 * count * GRAIN, GRAIN, 0, memory, 0) == CUDA_SUCCESS) {
        allow(address + 2 * count * GRAIN, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        count++;
    }
    assert_true(count > MOST_RANGES / 8 && count < MOST_RANGES / 2);
    assert_driver(cuMemUnmap(address, all));
    assert_driver(cuMemMap(address, GRAIN, 0, memory, 0));
    assert_driver(cuMemUnmap(address, GRAIN));
    assert_driver(cuMemAddressFree(address, all));
    assert_driver(cuMemRelease(memory));
}

/* A mapping ends by cuMemUnmap() alone. */
TEST_BODY(driver_virtual_memory_is_not_freed_as_others)
{
    use_it();
    const CUdeviceptr address = reserve(2 * GRAIN);
    void *const pointer = (void *)(uintptr_t)address;
    map_new(address, GRAIN);
    allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_int_equal(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFreeAsync(address, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFreeHost(pointer), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cudaFreeAsync(pointer, NULL), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    assert_driver(cuMemsetD8(address, 1, GRAIN));
    end_mapped(address, 2);
}

/* In a process that has not begun with OpenCL: a kernel writes where it must not. */
static void write_wrongly(const void *is_mapped)
{
    int value = 3;
    use_it();
    CUfunction put = find_kernel_named("put");
    CUdeviceptr address = reserve(GRAIN);
    if (*(const bool *)is_mapped) {
        map_new(address, GRAIN);
        allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ);
    }
    launch(put, 1, 1, (void *[]){&address, &value});
    (void)cuCtxSynchronize();
}

static void assert_ends_with_a_line(bool is_mapped)
{
    char text[1024];
    const int status =
        ended_run(write_wrongly, &is_mapped, text, sizeof text, "no virtual memory management");
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    const char *line = strstr(text, "clem: kernel put wrote to 0x");
    assert_non_null(line);
    assert_non_null(strstr(line, ", an address of cuMemAddressReserve()"));
    assert_null(strstr(line + 1, "clem: "));
}

TEST_BODY(driver_virtual_bad_access_of_a_kernel_is_told)
{
    assert_ends_with_a_line(true);
    assert_ends_with_a_line(false);
}

static sigjmp_buf after_fault;

static void jump_out(int number)
{
    (void)number;
    siglongjmp(after_fault, 1);
}

TEST_BODY(driver_virtual_program_keeps_its_handler)
{
    const struct sigaction ours = {.sa_handler = jump_out};
    volatile int faults = 0;
    use_it();
    assert_int_equal(sigaction(SIGSEGV, &ours, NULL), 0);
    volatile int *word = (volatile int *)(uintptr_t)reserve(GRAIN); /* clem watches from here on */
    for (int i = 0; i < 2; i++) {
        if (sigsetjmp(after_fault, 1) == 0)
            *word = 1;
        else
            faults++;
    }
    assert_int_equal(faults, 2);
    assert_driver(cuMemAddressFree((uintptr_t)word, GRAIN));
}

/* ---- Order ---- */

struct unmapping {
    CUdeviceptr address;
    CUcontext context;
    _Atomic bool is_done;
};

static void *unmap_now(void *data)
{
    struct unmapping *unmapping = data;
    assert_driver(cuCtxSetCurrent(unmapping->context));
    assert_driver(cuMemUnmap(unmapping->address, GRAIN));
    atomic_store(&unmapping->is_done, true);
    return NULL;
}

/* A launch and an asynchronous copy that wait in a stream still find the memory. */
TEST_BODY(driver_virtual_unmapping_waits_for_work)
{
    static int result;
    static struct gate gate = GATE_INITIALIZER;
    struct unmapping unmapping = {.context = use_it()};
    CUfunction put = find_kernel_named("put");
    CUdeviceptr address = make_mapped(1), pinned = driver_allocate(4);
    int value = 5;
    pthread_t thread;
    CUstream stream = NULL;
    launch(put, 1, 1, (void *[]){&address, &value}); /* compiled by now */
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuLaunchHostFunc(stream, gate_wait, &gate));
    value = 6;
    assert_driver(cuLaunchKernel(put, WORDS / 256, 1, 1, 256, 1, 1, 0, stream,
                                 (void *[]){&address, &value}, NULL));
    assert_driver(cuMemcpyDtoDAsync(pinned, address + GRAIN - 4, 4, stream));
    unmapping.address = address;
    assert_int_equal(pthread_create(&thread, NULL, unmap_now, &unmapping), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    assert_false(atomic_load(&unmapping.is_done));
    gate_open(&gate);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_driver(cuStreamSynchronize(stream));
    assert_driver(cuMemcpyDtoH(&result, pinned, 4));
    assert_int_equal(result, 6);
    assert_driver(cuMemAddressFree(address, GRAIN));
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuMemFree(pinned));
}

TEST_BODY(driver_virtual_memory_in_graphs_and_streams)
{
    use_it();
    const CUdeviceptr address = make_mapped(2);
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    void *const across = (void *)(uintptr_t)(address + GRAIN - 8);
    int words[4] = {0};
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_success(cudaMemsetAsync(across, 3, 16, stream));
    assert_success(
        cudaMemcpyAsync((void *)(uintptr_t)address, across, 16, cudaMemcpyDefault, stream));
    assert_success(cudaStreamEndCapture(stream, &graph));
    assert_success(cudaGraphInstantiate(&exec, graph, 0));
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(
        cudaMemcpyAsync(words, (void *)(uintptr_t)address, 16, cudaMemcpyDefault, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(words[0], 0x03030303);
    assert_int_equal(words[3], 0x03030303);
    assert_driver(cuStreamWriteValue32(stream, address + GRAIN, 99, 0));
    assert_driver(cuStreamWaitValue32(stream, address + GRAIN, 99, CU_STREAM_WAIT_VALUE_EQ));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(read_word(address + GRAIN), 99);
    allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ); /* what the graph writes to */
    assert_int_equal(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    end_mapped(address, 2);
}

/* ---- What is told of it ---- */

TEST_BODY(driver_virtual_pointers_are_told_apart)
{
    CUcontext context = NULL;
    CUdeviceptr start = 0;
    CUmemorytype type = 0;
    int access = -1;
    size_t bytes = 0;
    int device = -1;
    bool is_mapped = false;
    void *host = NULL;
    use_it();
    const CUdeviceptr address = reserve(4 * GRAIN);
    assert_int_equal(
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address + GRAIN),
        CUDA_ERROR_INVALID_VALUE);
    map_new(address + GRAIN, 2 * GRAIN);
    const CUdeviceptr inside = address + 2 * GRAIN + 5;
    assert_driver(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_driver(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, inside));
    assert_null(context);
    assert_driver(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, inside));
    assert_int_equal(start, address + GRAIN);
    assert_driver(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, inside));
    assert_int_equal(bytes, 2 * GRAIN);
    assert_driver(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside));
    assert_int_equal(device, 0);
    assert_driver(cuPointerGetAttribute(&is_mapped, CU_POINTER_ATTRIBUTE_MAPPED, inside));
    assert_true(is_mapped);
    assert_int_not_equal(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, inside),
                         CUDA_SUCCESS);
    assert_driver(cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, inside));
    assert_int_equal(access, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE);
    allow(address + GRAIN, 2 * GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ);
    assert_driver(cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, inside));
    assert_int_equal(access, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ);
    assert_int_equal(cudaFree((void *)(uintptr_t)(address + GRAIN)), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    end_mapped(address, 4);
}

/* ---- Contexts ---- */

TEST_BODY(driver_virtual_memory_outlives_contexts)
{
    CUcontext own = NULL, other = NULL;
    use_it();
    assert_driver(cuCtxCreate(&own, NULL, 0, 0));
    CUdeviceptr address = make_mapped(1);
    int value = 8;
    assert_driver(cuMemsetD32(address, 7, WORDS));
    assert_driver(cuCtxCreate(&other, NULL, 0, 0));
    assert_int_equal(read_word(address), 7); /* of another context */
    assert_driver(cuCtxDestroy(own));
    assert_int_equal(read_word(address + 4), 7);
    launch(find_kernel_named("put"), WORDS / 256, 256, (void *[]){&address, &value});
    assert_int_equal(read_word(address + GRAIN - 4), 8);
    assert_driver(cuCtxDestroy(other));
    assert_success(cudaDeviceReset());
    driver_use_primary();
    assert_int_equal(read_word(address + 8), 8);
    allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READ);
    assert_driver(cuCtxSetCurrent(NULL));
    assert_driver(cuMemUnmap(address, GRAIN));
    assert_driver(cuMemAddressFree(address, GRAIN));
}

TEST_BODY(driver_virtual_memory_needs_no_context)
{
    assert_driver(cuInit(0));
    if (!is_supported())
        TEST_SKIP("no virtual memory management");
    const CUdeviceptr address = make_mapped(1);
    driver_use_primary();
    assert_driver(cuMemsetD32(address, 11, WORDS));
    assert_int_equal(read_word(address + GRAIN - 4), 11);
    end_mapped(address, 1);
}

/* ---- Two processes ---- */

static void send_file(int socket, int file)
{
    char byte = 0, room[CMSG_SPACE(sizeof file)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    assert_int_equal(sendmsg(socket, &message, 0), 1);
}

static int receive_file(int socket)
{
    int file = -1;
    char byte = 0, room[CMSG_SPACE(sizeof file)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message) != NULL)
        memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}

/* Another process's part: adds one to the word that it finds. */
static int add_in_child(int socket)
{
    CUmemGenericAllocationHandle handle = 0;
    CUmemAllocationProp prop;
    const int file = receive_file(socket);
    driver_use_primary();
    CUdeviceptr address = reserve(GRAIN);
    if (file < 0 ||
        cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)file,
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != CUDA_SUCCESS)
        return 1;
    close(file);
    assert_driver(cuMemGetAllocationPropertiesFromHandle(&prop, handle));
    assert_int_equal(prop.requestedHandleTypes, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    assert_driver(cuMemMap(address, GRAIN, 0, handle, 0));
    allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_driver(cuMemsetD32(address, (unsigned)read_word(address) + 1, WORDS));
    assert_driver(cuCtxSynchronize());
    return 0;
}

TEST_BODY(driver_virtual_memory_of_two_processes)
{
    int sockets[2], file = -1, status = 0;
    CUmemGenericAllocationHandle handle = 0;
    CUmemAllocationProp prop = properties_of(0);
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    fflush(NULL);
    const pid_t child = fork(); /* before either has begun with OpenCL */
    assert_true(child >= 0);
    if (child == 0) {
        close(sockets[0]);
        _exit(add_in_child(sockets[1]));
    }
    close(sockets[1]);
    use_it();
    const CUdeviceptr address = reserve(GRAIN);
    assert_driver(cuMemCreate(&handle, GRAIN, &prop, 0));
    assert_driver(cuMemMap(address, GRAIN, 0, handle, 0));
    allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_driver(cuMemsetD32(address, 41, WORDS));
    assert_driver(cuCtxSynchronize());
    assert_driver(
        cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    assert_driver(cuMemRelease(handle));
    send_file(sockets[0], file);
    close(file);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read_word(address + GRAIN - 4), 42);
    close(sockets[0]);
    end_mapped(address, 1);
}

/* A file whose owner could cut it short is not taken: reading it would end the process. */
TEST_BODY(driver_virtual_imports_no_file)
{
    CUmemGenericAllocationHandle handle = 0;
    use_it();
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), GRAIN), 0);
    assert_int_equal(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fileno(file),
                                                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                     CUDA_ERROR_UNKNOWN);
    fclose(file);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 25, OWN_PARTS = 3 };

struct worker {
    CUcontext context;
    CUdeviceptr address; /* of OWN_PARTS of one reservation of all */
    unsigned number;
};

static void *work(void *data)
{
    const struct worker *worker = data;
    assert_driver(cuCtxSetCurrent(worker->context));
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned value = worker->number * 1000 + round;
        for (size_t i = 0; i < OWN_PARTS; i++)
            map_new(worker->address + i * GRAIN, GRAIN);
        allow(worker->address, OWN_PARTS * GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        assert_driver(cuMemsetD32(worker->address + GRAIN - 64, value, 32));
        assert_int_equal(read_word(worker->address + GRAIN + 60), value);
        allow(worker->address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_NONE);
        assert_int_equal(cuMemsetD32(worker->address, 1, 1), CUDA_ERROR_INVALID_VALUE);
        assert_driver(cuMemUnmap(worker->address, OWN_PARTS * GRAIN));
        assert_int_equal(cuMemsetD32(worker->address, 1, 1), CUDA_ERROR_INVALID_VALUE);
        const CUdeviceptr more = make_mapped(1);
        end_mapped(more, 1);
    }
    return NULL;
}

TEST_BODY(driver_virtual_is_used_by_threads)
{
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    CUcontext context = use_it();
    const CUdeviceptr address = reserve(THREADS * OWN_PARTS * GRAIN);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){context, address + i * OWN_PARTS * GRAIN, i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_driver(cuMemAddressFree(address, THREADS * OWN_PARTS * GRAIN));
}

/* Copies while the memory comes and goes: each is done, or refused. */
struct copier {
    CUcontext context;
    CUdeviceptr address; /* nobody else's */
    _Atomic bool *is_over;
    int done, refused;
};

static void *copy_on(void *data)
{
    struct copier *copier = data;
    char host[4096] = {0};
    CUstream stream = NULL;
    assert_driver(cuCtxSetCurrent(copier->context));
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; !atomic_load(copier->is_over); i++) {
        CUresult result = CUDA_SUCCESS;
        switch (i % 4) {
        case 0:
            result = cuMemcpyHtoD(copier->address, host, sizeof host);
            break;
        case 1:
            result = cuMemcpyDtoHAsync(host, copier->address, sizeof host, stream);
            break;
        case 2:
            result = cuMemsetD32Async(copier->address, i, 1024, stream);
            break;
        default:
            result = cuMemcpyDtoDAsync(copier->address, copier->address + 8192, 4096, stream);
        }
        assert_true(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_VALUE);
        copier->done += result == CUDA_SUCCESS;
        copier->refused += result != CUDA_SUCCESS;
    }
    assert_driver(cuStreamSynchronize(stream));
    assert_driver(cuStreamDestroy(stream));
    return NULL;
}

TEST_BODY(driver_virtual_threads_copy_while_it_is_unmapped)
{
    enum { COPIERS = 3, TIMES = 150 };
    _Atomic bool is_over = false;
    pthread_t threads[COPIERS];
    struct copier copiers[COPIERS];
    CUcontext context = use_it();
    const CUdeviceptr address = reserve(GRAIN);
    for (unsigned i = 0; i < COPIERS; i++) {
        copiers[i] = (struct copier){context, address + i * 65536, &is_over, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, copy_on, &copiers[i]), 0);
    }
    for (int i = 0; i < TIMES; i++) {
        map_new(address, GRAIN);
        allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
        if (i % 2 == 0)
            allow(address, GRAIN, CU_MEM_ACCESS_FLAGS_PROT_NONE);
        assert_driver(cuMemUnmap(address, GRAIN));
    }
    atomic_store(&is_over, true);
    for (unsigned i = 0; i < COPIERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(copiers[i].refused > 0);
    }
    assert_driver(cuMemAddressFree(address, GRAIN));
}

/* ---- Two devices ---- */

TEST_BODY(driver_virtual_memory_of_two_devices)
{
    int count = 0, second_can = 0, value = 21;
    CUmemGenericAllocationHandle handle = 0;
    CUcontext first = use_it(), second = NULL;
    assert_driver(cuDeviceGetCount(&count));
    if (count < 2)
        TEST_SKIP("one device");
    assert_driver(cuDeviceGetAttribute(&second_can,
                                       CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1));
    if (second_can == 0)
        TEST_SKIP("the second device has no virtual memory management");
    const CUmemAllocationProp prop = properties_of(1);
    CUdeviceptr address = reserve(2 * GRAIN);
    map_new(address, GRAIN);
    assert_driver(cuMemCreate(&handle, GRAIN, &prop, 0));
    assert_driver(cuMemMap(address + GRAIN, GRAIN, 0, handle, 0));
    assert_driver(cuMemRelease(handle));
    const CUmemAccessDesc both[] = {
        {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
        {{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    assert_driver(cuMemSetAccess(address, 2 * GRAIN, both, 2));
    assert_driver(cuDevicePrimaryCtxRetain(&second, 1));
    assert_driver(cuCtxSetCurrent(second));
    launch(find_kernel_named("put"), 2 * WORDS / 256, 256, (void *[]){&address, &value});
    assert_driver(cuCtxSynchronize());
    assert_driver(cuCtxSetCurrent(first));
    assert_int_equal(read_word(address), 21);
    assert_int_equal(read_word(address + GRAIN), 21);
    assert_driver(cuMemsetD32(address, 5, 2 * WORDS));
    assert_driver(cuMemcpyPeer(address + GRAIN, second, address, first, 64));
    assert_int_equal(read_word(address + 2 * GRAIN - 4), 5);
    end_mapped(address, 2);
}

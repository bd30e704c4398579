/* Tests of facade/device/device.c: choosing, flags, limits, PCI addresses, reset.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include "tests/facade/runtime_support.h"

#include <cuda.h>

static int device_count(void)
{
    int count = 0;
    assert_success(cudaGetDeviceCount(&count));
    assert_true(count > 0);
    return count;
}

/* --- choosing --------------------------------------------------------------------------------- */

TEST_BODY(device_first_is_current_until_chosen)
{
    int device = -1;
    assert_success(cudaGetDevice(&device));
    assert_int_equal(device, 0);
    for (int i = device_count() - 1; i >= 0; i--) {
        assert_success(cudaSetDevice(i));
        assert_success(cudaGetDevice(&device));
        assert_int_equal(device, i);
    }
}

TEST_BODY(device_refuses_unknown_ordinals)
{
    int count = device_count(), device = -1;
    const int wrong[] = {-1, count, count + 1, INT32_MAX, INT32_MIN};
    assert_success(cudaSetDevice(0));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(cudaErrorInvalidDevice, cudaSetDevice(wrong[i]));
        assert_fails(cudaErrorInvalidDevice, cudaInitDevice(wrong[i], 0, 0));
        assert_success(cudaGetDevice(&device));
        assert_int_equal(device, 0);
    }
    assert_fails(cudaErrorInvalidValue, cudaGetDevice(NULL));
    assert_fails(cudaErrorInvalidValue, cudaGetDeviceCount(NULL));
}

static void *new_thread_has_device_0(void *data)
{
    int device = -1, last = *(int *)data;
    THREAD_SUCCESS(cudaGetDevice(&device));
    THREAD_CHECK(device == 0);
    THREAD_SUCCESS(cudaSetDevice(last));
    THREAD_SUCCESS(cudaGetDevice(&device));
    THREAD_CHECK(device == last);
    return NULL;
}

/* A choice is the thread's alone, in both directions. */
TEST_BODY(device_choice_belongs_to_the_thread)
{
    int last = device_count() - 1, device = -1;
    assert_success(cudaSetDevice(last));
    run_threads(1, new_thread_has_device_0, &last, 0);
    assert_success(cudaGetDevice(&device));
    assert_int_equal(device, last);
    int first = 0;
    run_threads(1, new_thread_has_device_0, &first, 0);
    assert_success(cudaGetDevice(&device));
    assert_int_equal(device, last);
}

TEST_BODY(device_memory_and_streams_belong_to_the_current_one)
{
    for (int i = 0; i < device_count(); i++) {
        struct cudaPointerAttributes attributes;
        cudaStream_t stream = NULL;
        void *p = NULL;
        int device = -1;
        assert_success(cudaSetDevice(i));
        assert_success(cudaMalloc(&p, 100));
        assert_success(cudaPointerGetAttributes(&attributes, p));
        assert_int_equal(attributes.device, i);
        assert_success(cudaStreamCreate(&stream));
        assert_success(cudaStreamGetDevice(stream, &device));
        assert_int_equal(device, i);
        assert_success(cudaStreamDestroy(stream));
        assert_success(cudaFree(p));
    }
}

TEST_BODY(device_list_of_valid_ones)
{
    int zero = 0, count = device_count(), bad = count, device = -1;
    assert_success(cudaSetValidDevices(&zero, 1));
    assert_success(cudaSetValidDevices(NULL, 0));
    assert_success(cudaGetDevice(&device));
    assert_int_equal(device, 0);
    assert_fails(cudaErrorInvalidValue, cudaSetValidDevices(NULL, 1));
    assert_fails(cudaErrorInvalidValue, cudaSetValidDevices(&zero, -1));
    assert_fails(cudaErrorInvalidValue, cudaSetValidDevices(&zero, count + 1));
    assert_fails(cudaErrorInvalidDevice, cudaSetValidDevices(&bad, 1));
}

/* --- flags ------------------------------------------------------------------------------------ */

TEST_BODY(device_flags_are_kept)
{
    static const unsigned valid[] = {cudaDeviceScheduleAuto,
                                     cudaDeviceScheduleSpin,
                                     cudaDeviceScheduleYield,
                                     cudaDeviceScheduleBlockingSync,
                                     cudaDeviceScheduleSpin | cudaDeviceMapHost,
                                     cudaDeviceLmemResizeToMax};
    unsigned flags = 77;
    assert_success(cudaFree(NULL));
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
        assert_success(cudaSetDeviceFlags(valid[i]));
        assert_success(cudaGetDeviceFlags(&flags));
        assert_int_equal(flags, valid[i] | cudaDeviceMapHost);
    }
}

TEST_BODY(device_flags_refuse_what_means_nothing)
{
    static const unsigned wrong[] = {3, 7, 0x100, ~0u};
    unsigned flags = 0;
    assert_success(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(cudaErrorInvalidValue, cudaSetDeviceFlags(wrong[i]));
        assert_fails(cudaErrorInvalidValue,
                     cudaInitDevice(0, wrong[i], cudaInitDeviceFlagsAreValid));
    }
    assert_fails(cudaErrorInvalidValue, cudaGetDeviceFlags(NULL));
    assert_success(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags & cudaDeviceScheduleMask, cudaDeviceScheduleYield);
    assert_success(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
    assert_success(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags & cudaDeviceScheduleMask, cudaDeviceScheduleSpin);
}

/* --- limits and configurations ---------------------------------------------------------------- */

TEST_BODY(device_limits_are_kept_until_reset)
{
    size_t first = 0, value = 0;
    assert_success(cudaDeviceGetLimit(&first, cudaLimitStackSize));
    assert_true(first > 0);
    assert_success(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    assert_success(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    assert_int_equal(value, 4096);
    assert_success(cudaDeviceSetLimit(cudaLimitStackSize, 4097));
    assert_success(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    assert_int_equal(value, 4112);
    assert_success(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)64 << 20));
    assert_success(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    assert_int_equal(value, (size_t)64 << 20);
    assert_success(cudaDeviceReset());
    assert_success(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    assert_int_equal(value, first);
}

TEST_BODY(device_limits_refuse_what_means_nothing)
{
    size_t value = 77;
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetLimit(&value, (enum cudaLimit)99));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetLimit(&value, (enum cudaLimit)(-1)));
    assert_fails(cudaErrorUnsupportedLimit,
                 cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
    assert_fails(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2));
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetLimit((enum cudaLimit)99, 0));
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, SIZE_MAX));
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 1000));
    assert_int_equal(value, 77);
}

TEST_BODY(device_cache_and_bank_configurations)
{
    enum cudaFuncCache cache = cudaFuncCachePreferL1;
    enum cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
    assert_success(cudaDeviceGetCacheConfig(&cache));
    assert_int_equal(cache, cudaFuncCachePreferNone);
    for (int i = cudaFuncCachePreferNone; i <= cudaFuncCachePreferEqual; i++) {
        assert_success(cudaDeviceSetCacheConfig((enum cudaFuncCache)i));
        assert_success(cudaDeviceGetCacheConfig(&cache));
        assert_int_equal(cache, i);
    }
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((enum cudaFuncCache)4));
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((enum cudaFuncCache)(-1)));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetCacheConfig(NULL));
    assert_success(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    assert_success(cudaDeviceGetSharedMemConfig(&banks));
    assert_int_equal(banks, cudaSharedMemBankSizeFourByte);
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)9));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetSharedMemConfig(NULL));
}

/* --- PCI addresses ---------------------------------------------------------------------------- */

TEST_BODY(device_pci_text_leads_back)
{
    for (int i = 0; i < device_count(); i++) {
        char text[64], lower[64];
        int found = -1;
        assert_success(cudaDeviceGetPCIBusId(text, sizeof text, i));
        assert_int_equal(strlen(text), 12);
        assert_true(text[4] == ':' && text[7] == ':' && text[10] == '.');
        assert_success(cudaDeviceGetByPCIBusId(&found, text));
        assert_int_equal(found, i);
        for (size_t k = 0; k < sizeof text; k++)
            lower[k] = (char)tolower((unsigned char)text[k]);
        found = -1;
        assert_success(cudaDeviceGetByPCIBusId(&found, lower));
        assert_int_equal(found, i);
    }
}

TEST_BODY(device_pci_text_needs_room)
{
    char text[16];
    int device = 77;
    assert_success(cudaDeviceGetPCIBusId(text, 13, 0));
    assert_int_equal(strlen(text), 12);
    memset(text, 'x', sizeof text);
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(text, 12, 0));
    assert_int_equal(text[12], 'x');
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(text, 0, 0));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(NULL, 64, 0));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(text, 16, -1));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "fffe:fe:1e.0"));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "garbage"));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, ""));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, NULL));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(NULL, "0000:00:00.0"));
    assert_int_equal(device, 77);
}

/* --- peers ------------------------------------------------------------------------------------ */

TEST_BODY(device_has_no_access_to_itself_as_a_peer)
{
    int can = 77;
    assert_success(cudaDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    assert_fails(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, -1));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, device_count(), 0));
    assert_fails(cudaErrorInvalidValue, cudaDeviceCanAccessPeer(NULL, 0, 0));
    assert_fails(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    assert_fails(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(0, 1));
    assert_fails(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
}

/* --- reset ------------------------------------------------------------------------------------ */

static const char *const set_text =
    "__kernel void set(__global int *p, int v) { p[get_global_id(0)] = v; }\n";

TEST_BODY(device_reset_ends_handles_and_pointers)
{
    struct cudaPointerAttributes attributes;
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    void *memory = NULL, *pinned = NULL;
    int on_host = 0;
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaEventCreate(&event));
    assert_success(cudaMalloc(&memory, 1000));
    assert_success(cudaMallocHost(&pinned, 1000));
    assert_success(cudaDeviceReset());
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamQuery(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaMemsetAsync(memory, 0, 4, stream));
    assert_int_not_equal(cudaEventQuery(event), cudaSuccess);
    assert_int_not_equal(cudaEventDestroy(event), cudaSuccess);
    cudaGetLastError();
    assert_success(cudaPointerGetAttributes(&attributes, memory));
    assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
    assert_fails(cudaErrorInvalidValue, cudaFree(memory));
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(pinned));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy(memory, &on_host, sizeof on_host, cudaMemcpyHostToDevice));
}

/* Everything works again, twice; kernels of libraries that were loaded before as well. */
TEST_BODY(device_reset_may_be_followed_by_use)
{
    cudaLibrary_t library = load_text(set_text);
    const void *kernel = find_kernel(library, "set");
    for (int round = 0; round < 3; round++) {
        int *p = device_ints(64), value = 5 + round;
        void *args[] = {&p, &value};
        cudaStream_t stream = NULL;
        cudaEvent_t event = NULL;
        assert_success(cudaStreamCreate(&stream));
        assert_success(cudaEventCreate(&event));
        assert_success(launch_1d(kernel, 2, 32, args, 0, stream));
        assert_success(cudaEventRecord(event, stream));
        assert_success(cudaEventSynchronize(event));
        assert_int_equal(read_device_int(p), value);
        assert_int_equal(read_device_int(p + 63), value);
        assert_success(cudaDeviceReset());
    }
    assert_success(cudaDeviceReset());
    assert_success(cudaLibraryUnload(library));
}

/* A CPU's memory is the host's, of which other processes take and give back as they like. */
static bool reset_gave_back(void)
{
    size_t before = 0, during = 0, after = 0, total = 0;
    enum { BYTES = 64 << 20 };
    void *p = NULL;
    assert_success(cudaMemGetInfo(&before, &total));
    assert_success(cudaMalloc(&p, BYTES));
    assert_success(cudaMemset(p, 1, BYTES));
    assert_success(cudaMemGetInfo(&during, &total));
    assert_success(cudaDeviceReset());
    assert_success(cudaMemGetInfo(&after, &total));
    return during + BYTES / 2 < before && after > during + BYTES / 2;
}

TEST_BODY(device_reset_gives_memory_back)
{
    bool is_given_back = false;
    for (int i = 0; i < 30 && !is_given_back; i++)
        is_given_back = reset_gave_back();
    assert_true(is_given_back);
}

struct release {
    struct gate gate;
    atomic_bool is_open;
};

static void *open_a_little_later(void *data)
{
    struct release *release = data;
    for (int i = 0; i < 20; i++)
        pause_briefly();
    atomic_store(&release->is_open, true);
    gate_open(&release->gate);
    return NULL;
}

/* Work that is queued is waited for, whatever streams it is in. */
TEST_BODY(device_reset_waits_for_work)
{
    static struct release release = {GATE_INITIALIZER, false};
    cudaStream_t stream = NULL;
    pthread_t opener;
    int *p = device_ints(16);
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&release.gate, stream);
    assert_success(cudaMemsetAsync(p, 1, 64, stream));
    assert_int_equal(pthread_create(&opener, NULL, open_a_little_later, &release), 0);
    assert_success(cudaDeviceReset());
    assert_true(atomic_load(&release.is_open));
    pthread_join(opener, NULL);
}

TEST_BODY(device_synchronize_waits_for_all_streams)
{
    static struct release release = {GATE_INITIALIZER, false};
    cudaStream_t stream = NULL;
    pthread_t opener;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&release.gate, stream);
    assert_int_equal(pthread_create(&opener, NULL, open_a_little_later, &release), 0);
    assert_success(cudaDeviceSynchronize());
    assert_true(atomic_load(&release.is_open));
    assert_success(cudaStreamQuery(stream));
    pthread_join(opener, NULL);
    assert_success(cudaStreamDestroy(stream));
}

/* --- notifications and writes of other devices ------------------------------------------------- */

static void never(cudaAsyncNotificationInfo_t *info, void *data, cudaAsyncCallbackHandle_t handle)
{
    (void)info;
    (void)data;
    (void)handle;
}

TEST_BODY(device_notifications_are_registered)
{
    cudaAsyncCallbackHandle_t one = NULL, other = NULL;
    CUasyncCallbackHandle drivers = NULL;
    assert_success(cudaDeviceRegisterAsyncNotification(0, never, NULL, &one));
    assert_success(cudaDeviceRegisterAsyncNotification(0, never, NULL, &other));
    assert_true(one != other);
    assert_success(cudaDeviceUnregisterAsyncNotification(0, one));
    assert_fails(cudaErrorInvalidValue, cudaDeviceUnregisterAsyncNotification(0, one));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceUnregisterAsyncNotification(999, other));
    assert_int_equal(cuDeviceUnregisterAsyncNotification(0, (CUasyncCallbackHandle)other),
                     CUDA_SUCCESS);
    assert_fails(cudaErrorInvalidValue, cudaDeviceRegisterAsyncNotification(0, NULL, NULL, &one));
    assert_fails(cudaErrorInvalidValue, cudaDeviceRegisterAsyncNotification(0, never, NULL, NULL));
    assert_fails(cudaErrorInvalidDevice,
                 cudaDeviceRegisterAsyncNotification(999, never, NULL, &one));
    assert_int_equal(cuDeviceRegisterAsyncNotification(0, NULL, NULL, &drivers),
                     CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(device_remote_writes_are_flushed)
{
    int options = 0;
    assert_success(cudaDeviceFlushGPUDirectRDMAWrites(
        cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToAllDevices));
    assert_fails(cudaErrorInvalidValue,
                 cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                                    (enum cudaFlushGPUDirectRDMAWritesScope)1));
    assert_int_equal(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                                CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
                     CUDA_SUCCESS);
    assert_success(cudaDeviceGetAttribute(&options, cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0));
    assert_int_equal(options, cudaFlushGPUDirectRDMAWritesOptionHost);
}

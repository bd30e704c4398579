/* Tests of facade/device/peer.c and facade/driver/driver_peer.c, and of copies between two devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

#include "cl/sanitized.h"

#include <clem.h>
#include <cuda.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BYTES = 300000 };

/* PoCL makes as many devices as it is asked for; elsewhere there are as many as there are. */
static int device_count(void)
{
    int count = 0;
    setenv("POCL_DEVICES", "pthread pthread", 0);
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        count = 0;
    return count;
}

static void need_two_devices(void)
{
    if (device_count() < 2)
        TEST_SKIP("there are no two devices");
}

static char *allocate_on(int device, size_t bytes)
{
    char *p = NULL;
    assert_success(cudaSetDevice(device));
    assert_success(cudaMalloc((void **)&p, bytes));
    return p;
}

static cudaStream_t stream_on(int device)
{
    cudaStream_t stream = NULL;
    assert_success(cudaSetDevice(device));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static unsigned char byte_at(const char *p)
{
    unsigned char found = 0;
    assert_success(cudaMemcpy(&found, p, 1, cudaMemcpyDefault));
    return found;
}

static bool can_access(int device, int peer)
{
    int can = 77;
    assert_success(cudaDeviceCanAccessPeer(&can, device, peer));
    assert_true(can == 0 || can == 1);
    return can != 0;
}

/* --- access ----------------------------------------------------------------------------------- */

TEST_BODY(peer_answers_fit_together)
{
    int supported = 7;
    need_two_devices();
    assert_false(can_access(0, 0));
    for (int device = 0; device < 2; device++) {
        bool can = can_access(device, 1 - device);
        assert_int_equal(can_access(device, 1 - device), can);
        assert_success(cudaDeviceGetP2PAttribute(&supported, cudaDevP2PAttrAccessSupported, device,
                                                 1 - device));
        assert_int_equal(supported, can);
        assert_int_equal(cuDeviceCanAccessPeer(&supported, device, 1 - device), CUDA_SUCCESS);
        assert_int_equal(supported, can);
    }
}

TEST_BODY(peer_access_is_enabled_once)
{
    need_two_devices();
    assert_success(cudaSetDevice(0));
    assert_fails(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    assert_fails(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1000, 0));
    assert_fails(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    if (!can_access(0, 1)) {
        assert_fails(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(1, 0));
        return;
    }
    assert_success(cudaDeviceEnablePeerAccess(1, 0));
    assert_fails(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
    assert_success(cudaDeviceDisablePeerAccess(1));
    assert_fails(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    assert_success(cudaDeviceEnablePeerAccess(1, 0));
    assert_success(cudaDeviceReset());
    assert_fails(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
}

TEST_BODY(peer_access_of_contexts)
{
    CUcontext first = NULL, second = NULL;
    need_two_devices();
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRetain(&first, 0), CUDA_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRetain(&second, 1), CUDA_SUCCESS);
    assert_int_equal(cuCtxSetCurrent(first), CUDA_SUCCESS);
    assert_int_equal(cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxEnablePeerAccess(second, 1), CUDA_ERROR_INVALID_VALUE);
    if (!can_access(0, 1))
        TEST_SKIP("kernels of one device do not reach the other one's memory");
    assert_int_equal(cuCtxEnablePeerAccess(second, 0), CUDA_SUCCESS);
    assert_int_equal(cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    assert_int_equal(cuCtxDisablePeerAccess(second), CUDA_SUCCESS);
    assert_int_equal(cuCtxDisablePeerAccess(second), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

/* A kernel on device 0 reads device 1's memory and writes to it. */
TEST_BODY(peer_kernels_reach_the_other_memory)
{
    need_two_devices();
    if (!can_access(0, 1))
        TEST_SKIP("kernels of one device do not reach the other one's memory");
    int *theirs = (int *)(void *)allocate_on(1, 1000 * sizeof(int));
    assert_success(cudaMemset(theirs, 1, 1000 * sizeof(int)));
    assert_success(cudaDeviceSynchronize());
    int *own = (int *)(void *)allocate_on(0, 1000 * sizeof(int)), found[2];
    assert_success(cudaDeviceEnablePeerAccess(1, 0));
    cudaLibrary_t library =
        load_text("kernel void add(global int *own, global int *theirs) {"
                  " int i = (int)get_global_id(0); own[i] = theirs[i]; theirs[i] = i; }\n");
    void *args[] = {&own, &theirs};
    assert_success(launch_1d(find_kernel(library, "add"), 10, 100, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaMemcpy(&found[0], own + 999, sizeof(int), cudaMemcpyDefault));
    assert_success(cudaMemcpy(&found[1], theirs + 999, sizeof(int), cudaMemcpyDefault));
    assert_int_equal(found[0], 0x01010101);
    assert_int_equal(found[1], 999);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(own));
    assert_success(cudaFree(theirs));
}

TEST_BODY(peer_pools_are_visible_where_access_is)
{
    cudaMemPool_t pool = NULL;
    struct cudaMemLocation there = {cudaMemLocationTypeDevice, 1};
    struct cudaMemAccessDesc wanted = {there, cudaMemAccessFlagsProtReadWrite};
    enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtReadWrite;
    need_two_devices();
    assert_success(cudaDeviceGetDefaultMemPool(&pool, 0));
    assert_success(cudaMemPoolGetAccess(&flags, pool, &there));
    assert_int_equal(flags, cudaMemAccessFlagsProtNone);
    if (!can_access(1, 0)) {
        assert_fails(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &wanted, 1));
        return;
    }
    assert_success(cudaMemPoolSetAccess(pool, &wanted, 1));
    assert_success(cudaMemPoolGetAccess(&flags, pool, &there));
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    wanted.flags = cudaMemAccessFlagsProtNone;
    assert_success(cudaMemPoolSetAccess(pool, &wanted, 1));
    assert_success(cudaMemPoolGetAccess(&flags, pool, &there));
    assert_int_equal(flags, cudaMemAccessFlagsProtNone);
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Every form of copy, both ways, from odd places. */
TEST_BODY(peer_copies_of_every_form)
{
    need_two_devices();
    char *p[2] = {allocate_on(0, BYTES), allocate_on(1, BYTES)};
    for (int turn = 0; turn < 8; turn++) {
        const int from = turn % 2, to = 1 - from;
        const char *source = p[from] + 3;
        char *target = p[to] + 5;
        assert_success(cudaSetDevice(turn / 4));
        assert_success(cudaMemset(p[from], 10 + turn, BYTES));
        assert_success(cudaMemset(p[to], 0, BYTES));
        assert_success(cudaDeviceSynchronize());
        if (turn / 2 % 2 == 0)
            assert_success(cudaMemcpyPeer(target, to, source, from, BYTES - 10));
        else
            assert_success(cudaMemcpy(target, source, BYTES - 10, cudaMemcpyDefault));
        assert_int_equal(byte_at(p[to] + 4), 0);
        assert_int_equal(byte_at(p[to] + 5), 10 + turn);
        assert_int_equal(byte_at(p[to] + BYTES - 6), 10 + turn);
        assert_int_equal(byte_at(p[to] + BYTES - 5), 0);
    }
    assert_success(cudaFree(p[0]));
    assert_success(cudaFree(p[1]));
}

TEST_BODY(peer_copies_of_volumes)
{
    need_two_devices();
    char *p[2] = {allocate_on(0, BYTES), allocate_on(1, BYTES)};
    struct cudaMemcpy3DPeerParms copy;
    memset(&copy, 0, sizeof copy);
    assert_success(cudaMemset(p[0], 0, BYTES));
    assert_success(cudaMemset(p[1], 6, BYTES));
    assert_success(cudaDeviceSynchronize());
    copy.srcDevice = 1;
    copy.srcPtr = (struct cudaPitchedPtr){p[1], 128, 100, 20};
    copy.dstDevice = 0;
    copy.dstPtr = (struct cudaPitchedPtr){p[0], 256, 100, 30};
    copy.dstPos = (struct cudaPos){10, 2, 1};
    copy.extent = (struct cudaExtent){50, 9, 3};
    assert_success(cudaMemcpy3DPeer(&copy));
    const size_t first = (30 + 2) * 256 + 10, last = (3 * 30 + 2 + 8) * 256 + 10 + 49;
    assert_int_equal(byte_at(p[0] + first - 1), 0);
    assert_int_equal(byte_at(p[0] + first), 6);
    assert_int_equal(byte_at(p[0] + first + 50), 0);
    assert_int_equal(byte_at(p[0] + last), 6);
    assert_int_equal(byte_at(p[0] + last + 1), 0);
    assert_success(cudaFree(p[0]));
    assert_success(cudaFree(p[1]));
}

/* Ordered in the stream that it was given, and by an event in the other device's. */
TEST_BODY(peer_copies_are_in_order)
{
    cudaStream_t streams[2];
    cudaEvent_t written = NULL, copied = NULL;
    unsigned char found = 0;
    need_two_devices();
    char *p[2] = {allocate_on(0, BYTES), allocate_on(1, BYTES)};
    for (int device = 0; device < 2; device++) {
        assert_success(cudaSetDevice(device));
        assert_success(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
        assert_success(
            cudaEventCreateWithFlags(device == 0 ? &written : &copied, cudaEventDisableTiming));
    }
    for (int round = 1; round < 20; round++) {
        assert_success(cudaSetDevice(0));
        assert_success(cudaMemsetAsync(p[0], round, BYTES, streams[0]));
        assert_success(cudaEventRecord(written, streams[0]));
        assert_success(cudaSetDevice(1));
        assert_success(cudaStreamWaitEvent(streams[1], written, 0));
        assert_success(cudaMemcpyPeerAsync(p[1], 1, p[0], 0, BYTES, streams[1]));
        assert_success(cudaEventRecord(copied, streams[1]));
        assert_success(cudaSetDevice(0));
        assert_success(cudaStreamWaitEvent(streams[0], copied, 0));
        assert_success(cudaMemsetAsync(p[0], 0, BYTES, streams[0]));
        assert_success(cudaMemcpyAsync(&found, p[1] + BYTES - 1, 1, cudaMemcpyDefault, streams[1]));
        assert_success(cudaStreamSynchronize(streams[1]));
        assert_int_equal(found, round);
    }
    for (int device = 0; device < 2; device++) {
        assert_success(cudaStreamDestroy(streams[device]));
        assert_success(cudaFree(p[device]));
    }
    assert_success(cudaEventDestroy(written));
    assert_success(cudaEventDestroy(copied));
}

/* The caller goes on while the stream that the copy is in is held, and what the copy needs
 * stays. */
TEST_BODY(peer_copies_wait_in_their_stream)
{
    struct gate gate = GATE_INITIALIZER;
    cudaStream_t stream = NULL;
    unsigned char found = 0;
    need_two_devices();
    char *p[2] = {allocate_on(0, BYTES), allocate_on(1, BYTES)};
    assert_success(cudaMemset(p[1], 1, BYTES));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaSetDevice(0));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    assert_success(cudaMemsetAsync(p[0], 8, BYTES, stream));
    assert_success(cudaMemcpyPeerAsync(p[1], 1, p[0], 0, BYTES, stream));
    assert_success(cudaMemsetAsync(p[0], 9, BYTES, stream));
    assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
    assert_int_equal(byte_at(p[1]), 1);
    gate_open(&gate);
    assert_success(cudaMemcpyAsync(&found, p[0], 1, cudaMemcpyDefault, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(found, 9);
    assert_int_equal(byte_at(p[1]), 8);
    assert_int_equal(byte_at(p[1] + BYTES - 1), 8);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p[0]));
    assert_success(cudaFree(p[1]));
}

/* Rows of memory that its stream frees behind the copy: the copy's turn comes when it is freed already. */
TEST_BODY(peer_copies_of_rows_outlast_a_free)
{
    enum { ROWS = 3, ROW = 5, PITCH = 7, ROWS_BYTES = ROWS * PITCH };
    struct gate gate = GATE_INITIALIZER;
    cudaStream_t stream = NULL;
    char *from = NULL;
    need_two_devices();
    char *to = allocate_on(1, ROWS_BYTES);
    assert_success(cudaMemset(to, 1, ROWS_BYTES));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaSetDevice(0));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaMallocAsync((void **)&from, ROWS_BYTES, stream));
    assert_success(cudaMemsetAsync(from, 8, ROWS_BYTES, stream));
    gate_hold(&gate, stream);
    assert_success(cudaMemcpy2DAsync(to, PITCH, from, PITCH, ROW, ROWS, cudaMemcpyDefault, stream));
    assert_success(cudaFreeAsync(from, stream));
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    for (int row = 0; row < ROWS; row++) {
        assert_int_equal(byte_at(to + row * PITCH + ROW - 1), 8);
        assert_int_equal(byte_at(to + row * PITCH + ROW), 1);
    }
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(to));
}

static void CUDART_CB take_time(void *data)
{
    (void)data;
    usleep(30000);
}

/* The same by cudaFree(), which waits. */
TEST_BODY(peer_copies_of_rows_end_before_a_free)
{
    enum { ROWS = 3, ROW = 5, PITCH = 7, ROWS_BYTES = ROWS * PITCH };
    need_two_devices();
    char *to = allocate_on(1, ROWS_BYTES);
    char *from = allocate_on(0, ROWS_BYTES);
    assert_success(cudaMemset(from, 8, ROWS_BYTES));
    assert_success(cudaLaunchHostFunc(cudaStreamLegacy, take_time, NULL));
    assert_success(
        cudaMemcpy2DAsync(to, PITCH, from, PITCH, ROW, ROWS, cudaMemcpyDefault, cudaStreamLegacy));
    assert_success(cudaFree(from));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(byte_at(to + (ROWS - 1) * PITCH + ROW - 1), 8);
    assert_success(cudaFree(to));
}

/* The same in a stream of the other device, which cudaFree() does not wait for. */
TEST_BODY(peer_rows_in_turn_outlast_a_free)
{
    enum { ROWS = 3, ROW = 5, PITCH = 7, ROWS_BYTES = ROWS * PITCH };
    struct gate gate = GATE_INITIALIZER;
    need_two_devices();
    char *to = allocate_on(1, ROWS_BYTES), *from = allocate_on(0, ROWS_BYTES),
         *filled = allocate_on(0, ROWS_BYTES);
    assert_success(cudaMemset(from, 8, ROWS_BYTES));
    assert_success(cudaDeviceSynchronize());
    cudaStream_t stream = stream_on(1);
    assert_success(cudaMemset(to, 1, ROWS_BYTES));
    assert_success(cudaDeviceSynchronize());
    gate_hold(&gate, stream);
    assert_success(cudaMemcpy2DAsync(to, PITCH, from, PITCH, ROW, ROWS, cudaMemcpyDefault, stream));
    assert_success(cudaMemset2DAsync(filled, PITCH, 3, ROW, ROWS, stream));
    assert_success(cudaFree(from));
    assert_success(cudaFree(filled));
    assert_fails(cudaErrorInvalidValue, cudaFree(from));
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    for (int row = 0; row < ROWS; row++) {
        assert_int_equal(byte_at(to + row * PITCH + ROW - 1), 8);
        assert_int_equal(byte_at(to + row * PITCH + ROW), 1);
    }
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(to));
}

/* For new memory: nothing more, or what there was before. */
static void limit_memory(bool is_short)
{
    static struct rlimit before;
    if (is_short)
        assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    const struct rlimit limit = {is_short ? 1 : before.rlim_cur, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
}

/* When its turn comes there is no memory for what is on the way, but soon after there is. */
TEST_BODY(peer_copies_outlast_a_lack_of_memory)
{
    enum { LARGE = 16 << 20 };
    struct gate gate = GATE_INITIALIZER;
    cudaStream_t stream = NULL;
    need_two_devices();
    if (OCL_IS_SANITIZED)
        TEST_SKIP("a sanitizer ends the process when memory is short");
    char *p[2] = {allocate_on(0, LARGE), allocate_on(1, LARGE)};
    for (int device = 0; device < 2; device++) {
        assert_success(cudaSetDevice(device));
        assert_success(cudaMemset(p[device], 5 + device, LARGE));
        assert_success(cudaDeviceSynchronize());
    }
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    assert_success(cudaMemcpyPeerAsync(p[1], 1, p[0], 0, LARGE, stream));
    limit_memory(true);
    gate_open(&gate);
    usleep(50000);
    limit_memory(false);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(byte_at(p[1]), 5);
    assert_int_equal(byte_at(p[1] + LARGE - 1), 5);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p[0]));
    assert_success(cudaFree(p[1]));
}

/* After what any stream of the source's, the target's and the current device has got, before what they get later, and
 * without holding up the caller. Source: CUDA Runtime API 13.0, cudaMemcpyPeer. */
static void check_among_streams(int current, int from, int to, bool is_plain)
{
    struct patience patience = PATIENCE_INITIALIZER;
    char *source = allocate_on(from, BYTES), *target = allocate_on(to, BYTES),
         *read = allocate_on(to, BYTES);
    cudaStream_t writer = stream_on(from), later = stream_on(from), reader = stream_on(to);
    patience_hold(&patience, writer);
    assert_success(cudaMemsetAsync(source, 1, BYTES, writer));
    assert_success(cudaSetDevice(current));
    if (is_plain)
        assert_success(cudaMemcpy(target, source, BYTES, cudaMemcpyDeviceToDevice));
    else
        assert_success(cudaMemcpyPeer(target, to, source, from, BYTES));
    assert_success(cudaMemsetAsync(source, 2, BYTES, later));
    assert_success(cudaMemcpyAsync(read, target, BYTES, cudaMemcpyDefault, reader));
    assert_int_equal(cudaStreamQuery(reader), cudaErrorNotReady);
    assert_true(patience_end(&patience));
    assert_success(cudaStreamSynchronize(reader));
    assert_success(cudaStreamSynchronize(later));
    assert_int_equal(byte_at(read), 1);
    assert_int_equal(byte_at(read + BYTES - 1), 1);
    assert_int_equal(byte_at(source), 2);
    assert_success(cudaStreamDestroy(writer));
    assert_success(cudaStreamDestroy(later));
    assert_success(cudaStreamDestroy(reader));
    assert_success(cudaFree(source));
    assert_success(cudaFree(target));
    assert_success(cudaFree(read));
}

TEST_BODY(peer_copies_are_ordered_with_all_streams)
{
    need_two_devices();
    for (int way = 0; way < 8; way++)
        check_among_streams(way & 1, way >> 1 & 1, way >> 2, false);
    check_among_streams(0, 0, 1, true);
    check_among_streams(0, 1, 0, true);
}

/* Copies in the legacy stream from or to memory of another device. */
enum legacy_copy { COPY_PEER, COPY_LINEAR, COPY_ROWS, COPY_PINNED, COPY_WITHIN, LEGACY_COPIES };

struct legacy_ends {
    char *source, *target, *within; /* on device 0; on device 1 */
    char *pinned;
};

static cudaError_t copy_in_legacy(enum legacy_copy copy, const struct legacy_ends *at)
{
    switch (copy) {
    case COPY_PEER:
        return cudaMemcpyPeerAsync(at->target, 1, at->source, 0, BYTES, NULL);
    case COPY_LINEAR:
        return cudaMemcpyAsync(at->target, at->source, BYTES, cudaMemcpyDeviceToDevice, NULL);
    case COPY_ROWS:
        return cudaMemcpy2DAsync(at->target, 1000, at->source, 1000, 1000, BYTES / 1000,
                                 cudaMemcpyDeviceToDevice, NULL);
    case COPY_PINNED:
        return cudaMemcpyAsync(at->target, at->pinned, BYTES, cudaMemcpyHostToDevice, NULL);
    default:
        return cudaMemcpyAsync(at->target, at->within, BYTES, cudaMemcpyDeviceToDevice, NULL);
    }
}

/* In the order of both devices' legacy streams, and of the blocking ones: as on two H100, driver 580. */
static void check_legacy_copy(enum legacy_copy copy, bool is_legacy)
{
    struct patience patience = PATIENCE_INITIALIZER;
    struct legacy_ends at = {allocate_on(0, BYTES), allocate_on(1, BYTES), allocate_on(1, BYTES),
                             NULL};
    char *read = allocate_on(1, BYTES);
    cudaStream_t stream = NULL, held = stream_on(1);
    if (!is_legacy)
        assert_success(cudaStreamCreate(&stream));
    assert_success(cudaMallocHost((void **)&at.pinned, BYTES));
    memset(at.pinned, 1, BYTES);
    assert_success(cudaMemset(at.within, 1, BYTES));
    assert_success(cudaMemset(at.source, 1, BYTES));
    assert_success(cudaDeviceSynchronize());
    patience_hold(&patience, stream);
    assert_success(cudaMemsetAsync(at.target, 2, BYTES, stream));
    assert_success(cudaSetDevice(0));
    assert_success(copy_in_legacy(copy, &at));
    assert_success(cudaSetDevice(1));
    assert_success(cudaMemcpyAsync(read, at.target, BYTES, cudaMemcpyDeviceToDevice, stream));
    assert_success(cudaMemsetAsync(read, 7, BYTES, held)); /* waits for nothing of this */
    assert_success(cudaStreamSynchronize(held));
    assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
    assert_true(patience_end(&patience));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(byte_at(read), 1);
    assert_int_equal(byte_at(read + BYTES - 1), 1);
    assert_int_equal(byte_at(at.target + BYTES / 2), 1);
    assert_success(cudaStreamDestroy(held));
    if (!is_legacy)
        assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFreeHost(at.pinned));
    assert_success(cudaFree(at.source));
    assert_success(cudaFree(at.target));
    assert_success(cudaFree(at.within));
    assert_success(cudaFree(read));
}

TEST_BODY(peer_copies_of_a_legacy_stream_are_in_the_order_of_both)
{
    need_two_devices();
    for (enum legacy_copy copy = COPY_PEER; copy < LEGACY_COPIES; copy++) {
        check_legacy_copy(copy, true);
        check_legacy_copy(copy, false);
    }
}

/* Seconds of the processors' time that each copy of a byte from device 0 to device 1 takes, of so many that wait together
 * in the legacy stream: between all work of both devices, or asynchronous. */
static double cost_of_waiting(unsigned count, bool is_alone, char *target, const char *source)
{
    struct patience patience = PATIENCE_INITIALIZER;
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    patience_hold(&patience, NULL);
    for (unsigned i = 0; i < count; i++)
        assert_success(is_alone ? cudaMemcpyPeer(target, 1, source, 0, 1)
                                : cudaMemcpyPeerAsync(target, 1, source, 0, 1, NULL));
    assert_true(patience_end(&patience));
    assert_success(cudaDeviceSynchronize());
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    return ((double)(after.tv_sec - before.tv_sec) +
            1e-9 * (double)(after.tv_nsec - before.tv_nsec)) /
           count;
}

/* 11 and 10 times as dear where what opens a gate looks through all closed ones, and where each copy between all work waits for
 * all copies before it; 1.5 times where not. */
TEST_BODY(peer_copies_that_wait_cost_the_same_among_thousands)
{
    clemDeviceInfo info;
    need_two_devices();
    assert_success(clemGetDeviceInfo(&info, 0));
    if (info.deviceClass != 2)
        TEST_SKIP("what thousands of queues cost is the driver's affair here");
    char *there = allocate_on(1, 1), *here = allocate_on(0, 1);
    (void)cost_of_waiting(500, false, there, here);
    const double few = cost_of_waiting(1000, false, there, here);
    assert_true(cost_of_waiting(8000, false, there, here) < 5 * few);
    const double few_alone = cost_of_waiting(250, true, there, here);
    assert_true(cost_of_waiting(2000, true, there, here) < 5 * few_alone);
    assert_success(cudaFree(there));
    assert_success(cudaFree(here));
}

/* Memory of the same stream is there again at once. */
TEST_BODY(peer_copies_hold_up_no_pool)
{
    struct patience patience = PATIENCE_INITIALIZER;
    char *there = NULL, *first = NULL, *second = NULL;
    need_two_devices();
    there = allocate_on(1, BYTES);
    cudaStream_t stream = stream_on(0);
    if (cudaMallocAsync((void **)&first, BYTES, stream) != cudaSuccess)
        TEST_SKIP("the device has no pools");
    patience_hold(&patience, stream);
    assert_success(cudaMemsetAsync(first, 5, BYTES, stream));
    assert_success(cudaMemcpyPeerAsync(there, 1, first, 0, BYTES, stream));
    assert_success(cudaFreeAsync(first, stream));
    assert_success(cudaMallocAsync((void **)&second, BYTES, stream));
    assert_success(cudaMemsetAsync(second, 6, BYTES, stream));
    assert_true(patience_end(&patience));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(byte_at(there), 5);
    assert_int_equal(byte_at(there + BYTES - 1), 5);
    assert_int_equal(byte_at(second), 6);
    assert_success(cudaFree(second));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(there));
}

/* Freed and reset with copies under way. */
TEST_BODY(peer_copies_end_before_their_device)
{
    need_two_devices();
    for (int round = 0; round < 6; round++) {
        char *p[2] = {allocate_on(0, BYTES), allocate_on(1, BYTES)};
        assert_success(cudaSetDevice(0));
        for (int i = 0; i < 4; i++)
            assert_success(
                cudaMemcpyPeerAsync(p[i % 2], i % 2, p[1 - i % 2], 1 - i % 2, BYTES, NULL));
        if (round % 3 == 0) {
            assert_success(cudaFree(p[1]));
            assert_success(cudaFree(p[0]));
        } else {
            assert_success(cudaSetDevice(round % 3 - 1));
            assert_success(cudaDeviceReset());
        }
    }
}

TEST_BODY(peer_copies_refuse_bad_arguments)
{
    need_two_devices();
    const int count = device_count();
    char *p[2] = {allocate_on(0, 4096), allocate_on(1, 4096)};
    assert_fails(cudaErrorInvalidDevice, cudaMemcpyPeer(p[1], count, p[0], 0, 16));
    assert_fails(cudaErrorInvalidDevice, cudaMemcpyPeer(p[1], 1, p[0], -1, 16));
    assert_fails(cudaErrorInvalidValue, cudaMemcpyPeer(p[1], 1, p[0], 0, 4097));
    assert_fails(cudaErrorInvalidValue, cudaMemcpyPeer(NULL, 1, p[0], 0, 16));
    assert_success(cudaMemcpyPeer(p[1], 1, p[0], 0, 0));
    assert_success(cudaFree(p[0]));
    assert_success(cudaFree(p[1]));
}

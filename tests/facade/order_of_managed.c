/* Attachments and prefetches of managed memory take effect in their stream's order, and hold up no caller.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/managed_support.h"

/* Small ones share what the driver gives, large ones have it for themselves. */
static const int counts[] = {1000, 1000000};
enum { COUNTS = sizeof counts / sizeof *counts };

static int *attached_block(int count, unsigned flags)
{
    void *p = NULL;
    cudaError_t error = cudaMallocManaged(&p, (size_t)count * sizeof(int), flags);
    if (error == cudaErrorNotSupported)
        TEST_SKIP("this strategy has no managed memory");
    assert_int_equal(error, cudaSuccess);
    return p;
}

static cudaStream_t new_stream(void)
{
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static void prefetch(const int *p, int count, enum cudaMemLocationType where, cudaStream_t stream)
{
    const struct cudaMemLocation location = {.type = where};
    assert_success(cudaMemPrefetchAsync(p, (size_t)count * sizeof *p, location, 0, stream));
}

static void check_pattern(const int *p, int count, int v)
{
    for (int i = 0; i < count; i++)
        if (p[i] != pattern_value((size_t)i, v))
            fail_msg("word %d holds %d", i, p[i]);
}

/* Until it is the attachment's turn the memory is the host's, which writes it; the kernel behind the attachment sees that.
 * Source: CUDA Runtime API 13.0, cudaStreamAttachMemAsync. */
static void check_still_the_hosts(int count, unsigned flags)
{
    struct patience patience = PATIENCE_INITIALIZER;
    cudaStream_t stream = new_stream();
    int *p = attached_block(count, cudaMemAttachHost);
    memset(p, 0, (size_t)count * sizeof *p);
    patience_hold(&patience, stream);
    assert_success(cudaStreamAttachMemAsync(stream, p, 0, flags));
    run_on("add", p, count, 3, stream);
    for (int i = 0; i < count; i++)
        p[i] = pattern_value((size_t)i, 0);
    assert_true(patience_end(&patience));
    assert_success(cudaStreamSynchronize(stream));
    check_pattern(p, count, 3);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(order_of_managed_attachments)
{
    for (int i = 0; i < COUNTS; i++)
        check_still_the_hosts(counts[i], cudaMemAttachSingle);
}

/* The stream has the memory until the attachment to the host takes effect, and so a prefetch behind that sees what the
 * stream's kernel wrote. */
TEST_BODY(order_of_managed_prefetches)
{
    for (int i = 0; i < COUNTS; i++) {
        struct patience patience = PATIENCE_INITIALIZER;
        cudaStream_t stream = new_stream();
        int *p = attached_block(counts[i], cudaMemAttachHost);
        memset(p, 0, (size_t)counts[i] * sizeof *p);
        assert_success(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachSingle));
        assert_success(cudaStreamSynchronize(stream));
        patience_hold(&patience, stream);
        run_on("pattern", p, counts[i], 5, stream);
        assert_success(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachHost));
        prefetch(p, counts[i], cudaMemLocationTypeHost, stream);
        assert_true(patience_end(&patience));
        assert_success(cudaStreamSynchronize(stream));
        check_pattern(p, counts[i], 5);
        assert_success(cudaStreamDestroy(stream));
        assert_success(cudaFree(p));
    }
}

/* So many launches on the memory, within a graph that is gone through when its stream's turn comes. */
static cudaGraphExec_t launches_in_turn(int *p, int count, int launches)
{
    cudaGraph_t graph = NULL;
    cudaGraphNode_t node = NULL;
    cudaGraphExec_t exec = NULL;
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional,
                                         .conditional = {.type = cudaGraphCondTypeIf, .size = 1}};
    cudaStream_t stream = new_stream();
    assert_success(cudaGraphCreate(&graph, 0));
    assert_success(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1,
                                                    cudaGraphCondAssignDefault));
    assert_success(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    assert_success(cudaStreamBeginCaptureToGraph(stream, params.conditional.phGraph_out[0], NULL,
                                                 NULL, 0, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < launches; i++)
        run_on("add", p, count, 1, stream);
    assert_success(cudaStreamEndCapture(stream, NULL));
    assert_success(cudaGraphInstantiate(&exec, graph, 0));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    return exec;
}

/* The pages that the host has go to the device before kernels of a conditional node, whatever the memory is attached to. */
TEST_BODY(order_of_managed_conditional_nodes)
{
    for (int i = 0; i < COUNTS; i++) {
        cudaStream_t stream = new_stream();
        int *p = attached_block(counts[i], cudaMemAttachGlobal);
        cudaGraphExec_t exec = launches_in_turn(p, counts[i], 1);
        assert_success(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachSingle));
        run_on("pattern", p, counts[i], 0, stream);
        for (int launch = 0; launch < 3; launch++) {
            assert_success(cudaStreamSynchronize(stream));
            check_pattern(p, counts[i], launch);
            assert_success(cudaGraphLaunch(exec, stream));
        }
        assert_success(cudaStreamSynchronize(stream));
        check_pattern(p, counts[i], 3);
        assert_success(cudaGraphExecDestroy(exec));
        assert_success(cudaStreamDestroy(stream));
        assert_success(cudaFree(p));
    }
}

/* Whoever touches memory that any kernel may use waits for all, and for those that are still to be launched within them. */
TEST_BODY(order_of_managed_touch_during_conditional_nodes)
{
    enum { LAUNCHES = 200 };
    const int count = counts[0];
    int is_shared = 0; /* touches wait for nothing then */
    cudaStream_t stream = new_stream();
    int *p = attached_block(count, cudaMemAttachGlobal);
    int *touched = attached_block(count, cudaMemAttachGlobal);
    cudaGraphExec_t exec = launches_in_turn(p, count, LAUNCHES);
    assert_success(cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, 0));
    for (int round = 0; round < 20; round++) {
        run_on("pattern", p, count, 0, stream);
        run_on("pattern", touched, count, round, stream);
        assert_success(cudaGraphLaunch(exec, stream));
        if (is_shared)
            assert_success(cudaStreamSynchronize(stream));
        check_pattern(touched, count, round);
        check_pattern(p, count, LAUNCHES);
    }
    assert_success(cudaStreamSynchronize(stream));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(touched));
    assert_success(cudaFree(p));
}

static void run_to_and_fro(int *p, int count, cudaStream_t stream)
{
    run_on("pattern", p, count, 1, stream);
    prefetch(p, count, cudaMemLocationTypeHost, stream);
    assert_success(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachHost));
    assert_success(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachSingle));
    prefetch(p, count, cudaMemLocationTypeDevice, stream);
    run_on("add", p, count, 1, stream);
    assert_success(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachGlobal));
    run_on("add", p, count, 1, stream);
}

TEST_BODY(order_of_managed_calls_hold_up_no_caller)
{
    for (int i = 0; i < COUNTS; i++) {
        struct patience patience = PATIENCE_INITIALIZER;
        cudaStream_t stream = new_stream();
        int *p = attached_block(counts[i], cudaMemAttachGlobal);
        patience_hold(&patience, stream);
        run_to_and_fro(p, counts[i], stream);
        assert_true(patience_end(&patience));
        assert_success(cudaStreamSynchronize(stream));
        check_pattern(p, counts[i], 3);
        assert_success(cudaStreamDestroy(stream));
        assert_success(cudaFree(p));
    }
}

/* What is attached to a stream that is gone by then belongs to all. */
TEST_BODY(order_of_managed_attachment_to_a_destroyed_stream)
{
    struct patience patience = PATIENCE_INITIALIZER;
    cudaStream_t stream = new_stream(), other = new_stream();
    cudaEvent_t event = NULL;
    const int count = counts[1];
    int *p = attached_block(count, cudaMemAttachHost);
    assert_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    memset(p, 0, (size_t)count * sizeof *p);
    patience_hold(&patience, stream);
    assert_success(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachSingle));
    assert_success(cudaEventRecord(event, stream));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamWaitEvent(other, event, 0));
    run_on("pattern", p, count, 9, other);
    assert_true(patience_end(&patience));
    assert_success(cudaStreamSynchronize(other));
    check_pattern(p, count, 9);
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(other));
    assert_success(cudaFree(p));
}

/* A launch on another device either sees what the host wrote, and the host what it wrote, or is refused and does nothing; where
 * pages move it is refused by name. */
static void check_another_device(int count, int is_concurrent)
{
    const size_t bytes = (size_t)count * sizeof(int);
    int *foreign = NULL, *own = NULL;
    assert_success(cudaSetDevice(0));
    foreign = managed_block(bytes);
    assert_success(cudaSetDevice(1));
    own = managed_block(bytes);
    for (int i = 0; i < count; i++)
        foreign[i] = own[i] = pattern_value((size_t)i, 0);
    void *args[] = {&foreign, &count, &(int){5}};
    const cudaError_t error =
        launch_1d(managed_kernel("add"), (unsigned)(count + 63) / 64, 64, args, 0, NULL);
    if (!is_concurrent)
        assert_int_equal(error, cudaErrorNotSupported);
    (void)cudaGetLastError();
    run_on("add", own, count, 3, NULL);
    assert_success(cudaDeviceSynchronize());
    check_pattern(foreign, count, error == cudaSuccess ? 5 : 0);
    check_pattern(own, count, 3);
    assert_success(cudaMemcpy(own, foreign, bytes, cudaMemcpyDefault));
    check_pattern(own, count, error == cudaSuccess ? 5 : 0);
    assert_success(cudaFree(own));
    assert_success(cudaFree(foreign));
}

TEST_BODY(order_of_managed_memory_of_another_device)
{
    int devices = 0, is_concurrent = 0;
    assert_success(cudaGetDeviceCount(&devices));
    if (devices < 2)
        TEST_SKIP("there is one device");
    assert_success(cudaDeviceGetAttribute(&is_concurrent, cudaDevAttrConcurrentManagedAccess, 1));
    for (int i = 0; i < COUNTS; i++)
        check_another_device(counts[i], is_concurrent);
}

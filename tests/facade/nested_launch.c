/* Kernels that launch kernels, as the host's functions see them. What the kernels themselves see: tests/programs/nested.cu.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

enum { DEPTH = 3, SUM = 1 + 2 + 4 + 8, THREADS = 4, ROUNDS = 10 };

#define LAUNCH_INTO(kernel, threads, stream)                                                       \
    "{ .param .b64 f; mov.u64 %d2, " kernel "; st.param.b64 [f], %d2;\n"                           \
    ".param .align 4 .b8 g[12]; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], "  \
    "1;\n"                                                                                         \
    ".param .align 4 .b8 b[12]; st.param.b32 [b], " threads                                        \
    "; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"                                            \
    ".param .b32 s; st.param.b32 [s], 0; .param .b64 r;\n"                                         \
    "call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %d3, [r]; }\n"           \
    "setp.eq.u64 %p2, %d3, 0;\n@%p2 bra DONE;\n"                                                   \
    "st.global.u64 [%d3], %d1;\nst.global.u32 [%d3+8], %r2;\n"                                     \
    "{ .param .b64 p; st.param.b64 [p], %d3; .param .b64 s; st.param.b64 [s], " stream             \
    "; .param .b32 r;\n"                                                                           \
    "call (r), __cudaCDP2LaunchDeviceV2, (p, s); }\n"

#define LAUNCH(kernel, threads) LAUNCH_INTO(kernel, threads, "0")

/* again: launches itself into the tail stream (3). descend: each thread adds one, and launches a grid of two as long as there is a depth. hopeless: launches a kernel that no
 * device here has the instructions for. astray: fills the word, or with a depth what is nobody's. */
static const char text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f,\n"
    ".param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".visible .entry descend(.param .u64 out, .param .u32 depth)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [out];\nld.param.u32 %r1, [depth];\nred.global.add.u32 [%d1], 1;\n"
    "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nadd.u32 %r2, %r1, -1;\n" LAUNCH(
        "descend",
        "2") "DONE:\nret;\n}\n"
             ".visible .entry again(.param .u64 out, .param .u32 depth)\n{\n"
             ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
             "ld.param.u64 %d1, [out];\nmov.u32 %r2, 0;\n" LAUNCH_INTO(
                 "again", "1",
                 "3") "DONE:\nret;\n}\n"
                      ".visible .entry hopeless(.param .u64 out, .param .u32 depth)\n{\n"
                      ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
                      "ld.param.u64 %d1, [out];\nmov.u32 %r2, 0;\n" LAUNCH(
                          "beyond",
                          "1") "DONE:\nret;\n}\n"
                               ".visible .entry beyond(.param .u64 out, .param .u32 depth)\n{\n"
                               ".reg .b32 %r<4>; .reg .b64 %d<2>;\nmov.u32 %r1, %envreg5;\n"
                               "ld.param.u64 %d1, [out];\nst.global.u32 [%d1], %r1;\nret;\n}\n"
                               ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 p, "
                               ".param .b32 v,\n"
                               ".param .b64 n, .param .b64 s);\n"
                               ".visible .entry astray(.param .u64 out, .param .u32 depth)\n{\n"
                               ".reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %d<2>;\nld.param.u32 "
                               "%r1, [depth];\n"
                               "ld.param.u64 %d1, [out];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 mov.u64 "
                               "%d1, 64;\n"
                               "{ .param .b64 p; st.param.b64 [p], %d1; .param .b32 v; "
                               "st.param.b32 [v], 1;\n"
                               ".param .b64 n; st.param.b64 [n], 4; .param .b64 s; st.param.b64 "
                               "[s], 0; .param .b32 r;\n"
                               "call (r), __cudaCDP2MemsetAsync, (p, v, n, s); }\nret;\n}\n";

/* False under the strategy handle, where such a kernel is refused. */
static bool begin(cudaLibrary_t *library, cudaKernel_t *kernel, const char *name, unsigned **out)
{
    const char *forced = getenv("CLEM_ADDRESS");
    unsigned depth = 0;
    void *arguments[] = {out, &depth};
    assert_success(cudaMalloc((void **)out, sizeof **out));
    assert_success(cudaMemset(*out, 0, sizeof **out));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaLibraryLoadData(library, text, NULL, NULL, 0, NULL, NULL, 0));
    assert_success(cudaLibraryGetKernel(kernel, *library, name));
    if (forced == NULL || strcmp(forced, "handle") != 0)
        return true;
    assert_fails(cudaErrorNotSupported, cudaLaunchKernel((const void *)*kernel, (dim3){1, 1, 1},
                                                         (dim3){1, 1, 1}, arguments, 0, NULL));
    assert_success(cudaLibraryUnload(*library));
    assert_success(cudaFree(*out));
    return false;
}

static cudaError_t launch(cudaKernel_t kernel, unsigned *out, unsigned depth, cudaStream_t stream)
{
    void *arguments[] = {&out, &depth};
    return cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0,
                            stream);
}

static unsigned read_number(const unsigned *out)
{
    unsigned value = 0;
    assert_success(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

TEST_BODY(nested_launch_waits_for_nobody_and_ends_behind_its_children)
{
    struct gate gate = GATE_INITIALIZER;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaStream_t stream;
    cudaEvent_t done;
    unsigned *out;
    if (!begin(&library, &kernel, "descend", &out))
        return;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    assert_success(cudaLaunchHostFunc(stream, gate_wait, &gate));
    assert_success(launch(kernel, out, DEPTH, stream));
    assert_success(launch(kernel, out, 0, stream));
    assert_success(cudaEventRecord(done, stream));
    assert_int_equal(cudaEventQuery(done), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaEventSynchronize(done));
    assert_int_equal(read_number(out), SUM + 1);
    assert_success(cudaEventDestroy(done));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

/* The stream goes before its work is done, and the library while kernels of it are still to be launched. */
TEST_BODY(nested_launch_outlives_stream_and_library)
{
    for (int i = 0; i < ROUNDS; i++) {
        cudaLibrary_t library;
        cudaKernel_t kernel;
        cudaStream_t stream;
        unsigned *out;
        if (!begin(&library, &kernel, "descend", &out))
            return;
        assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        assert_success(launch(kernel, out, DEPTH, stream));
        assert_success(cudaStreamDestroy(stream));
        assert_success(cudaLibraryUnload(library));
        assert_success(cudaDeviceSynchronize());
        assert_int_equal(read_number(out), SUM);
        assert_success(cudaFree(out));
    }
}

TEST_BODY(nested_launch_of_what_cannot_run_fails_the_context)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned *out;
    if (!begin(&library, &kernel, "hopeless", &out))
        return;
    assert_success(launch(kernel, out, 0, NULL));
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    assert_int_equal(launch(kernel, out, 0, NULL), cudaErrorLaunchFailure);
    (void)cudaGetLastError();
    assert_success(cudaDeviceReset());
}

TEST_BODY(nested_launch_of_a_copy_to_nowhere_fails_the_context)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned *out, value = 0;
    if (!begin(&library, &kernel, "astray", &out))
        return;
    assert_success(launch(kernel, out, 0, NULL));
    assert_success(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 0x01010101);
    assert_success(launch(kernel, out, 1, NULL));
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    (void)cudaGetLastError();
    assert_success(cudaDeviceReset());
}

struct worker {
    cudaKernel_t kernel;
    unsigned *out;
};

static void *launch_many(void *data)
{
    const struct worker *worker = data;
    cudaStream_t stream = NULL;
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < ROUNDS; i++)
        THREAD_SUCCESS(launch(worker->kernel, worker->out, DEPTH, stream));
    THREAD_SUCCESS(cudaStreamSynchronize(stream));
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

TEST_BODY(nested_launch_is_for_many_threads)
{
    pthread_t threads[THREADS];
    cudaLibrary_t library;
    struct worker worker;
    if (!begin(&library, &worker.kernel, "descend", &worker.out))
        return;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_many, &worker), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(read_number(worker.out), THREADS * ROUNDS * SUM);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(worker.out));
}

/* More launches than have memory at once: the caller waits for the first of them. */
TEST_BODY(nested_launch_may_be_called_in_a_long_loop)
{
    enum { LAUNCHES = 600 };
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned *out;
    if (!begin(&library, &kernel, "descend", &out))
        return;
    for (int i = 0; i < LAUNCHES; i++)
        assert_success(launch(kernel, out, 1, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_number(out), LAUNCHES * 3);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

/* Each of 16 threads adds one and launches two that do, as far as they may. */
TEST_BODY(nested_launch_keeps_to_the_limit)
{
    enum { WIDTH = 16, LIMIT = 5 };
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned *out, depth = 1;
    void *arguments[] = {&out, &depth};
    size_t limit = 0;
    if (!begin(&library, &kernel, "descend", &out))
        return;
    assert_success(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    assert_int_equal(limit, 2048);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned launched = i % 2 == 0 ? WIDTH : LIMIT;
        assert_success(
            cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, i % 2 == 0 ? limit : LIMIT));
        assert_success(cudaMemset(out, 0, sizeof *out));
        assert_success(cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){WIDTH, 1, 1},
                                        arguments, 0, NULL));
        assert_success(cudaDeviceSynchronize());
        assert_int_equal(read_number(out), WIDTH + 2 * launched);
    }
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

/* A kernel that launches itself for ever. */
TEST_BODY(nested_launch_without_an_end_ends_at_a_reset)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned *out;
    if (!begin(&library, &kernel, "again", &out))
        return;
    assert_success(launch(kernel, out, 0, NULL));
    assert_int_equal(cudaStreamQuery(NULL), cudaErrorNotReady);
    assert_success(cudaDeviceReset());
    assert_success(cudaMalloc((void **)&out, sizeof *out));
    assert_success(cudaFree(out));
}

TEST_BODY(nested_launch_in_a_graph_ends_behind_its_children)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    unsigned *out, value = 0;
    if (!begin(&library, &kernel, "descend", &out))
        return;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_success(cudaMemsetAsync(out, 0, sizeof *out, stream));
    assert_success(launch(kernel, out, DEPTH, stream));
    assert_success(launch(kernel, out, 1, stream));
    assert_success(cudaStreamEndCapture(stream, &graph));
    assert_success(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < ROUNDS; i++) {
        assert_success(cudaGraphLaunch(exec, stream));
        assert_success(cudaMemcpyAsync(&value, out, sizeof value, cudaMemcpyDeviceToHost, stream));
        assert_success(cudaStreamSynchronize(stream));
        assert_int_equal(value, SUM + 3);
    }
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

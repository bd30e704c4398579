/* Kernels that launch kernels: order, streams, the tail, trees, errors, and what the host sees of it.
 * nvcc: -rdc=true -lcudadevrt
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda_device_runtime_api.h>

/* clang has no statement for it in device code. */
#ifndef clem_launch
#define clem_launch(kernel, grid, block, shared, stream, ...)                                      \
    ((kernel)<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__), cudaPeekAtLastError())
#endif

/* ---- Order ---- */

__global__ void note(int *list, int what)
{
    list[1 + list[0]++] = what;
}

__global__ void note_twice(int *list, int what)
{
    clem_launch(note, 1, 1, 0, cudaStreamTailLaunch, list, what + 2);
    clem_launch(note, 1, 1, 0, 0, list, what + 1);
    list[1 + list[0]++] = what;
}

/* A grid's own launches come before what follows it in its stream, its tail behind all else of it, and its parent's tail behind
 * everything. */
__global__ void in_order(int *list)
{
    clem_launch(note_twice, 1, 1, 0, cudaStreamTailLaunch, list, 50);
    clem_launch(note, 1, 1, 0, cudaStreamTailLaunch, list, 60);
    clem_launch(note_twice, 1, 1, 0, 0, list, 10);
    clem_launch(note_twice, 1, 1, 0, 0, list, 20);
    list[1 + list[0]++] = 0;
}

static void check_order(void)
{
    device_array<int> list(16);
    CUDA(cudaMemset(list.data, 0, 16 * sizeof(int)));
    in_order<<<1, 1>>>(list.data);
    CUDA(cudaGetLastError());
    /* The launches of the host's stream come behind all of it. */
    note<<<1, 1>>>(list.data, 70);
    LAUNCHED();
    std::vector<int> seen = list.host();
    EXPECT(seen[0] == 12);
    std::vector<int> children(seen.begin() + 1, seen.begin() + 1 + 12);
    EXPECT(children == (std::vector<int>{0, 10, 11, 12, 20, 21, 22, 50, 51, 52, 60, 70}) ||
           program_prints_hashes);
}

/* ---- Streams, events, copies ---- */

__global__ void add(int *to, const int *from, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        to[i] += from[i];
}

/* errors: of all that is wrong on purpose, in the order of the calls. */
__global__ void by_streams(int *a, int *b, int n, int *errors)
{
    cudaStream_t one, two;
    cudaEvent_t done;
    errors[0] = cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking) |
                cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking) |
                cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMemsetAsync(b, 0, (size_t)n * sizeof *b, one);
    clem_launch(add, dim3((unsigned)(n + 63) / 64), dim3(64), 0, one, b, a, n);
    errors[1] = cudaEventRecord(done, one);
    errors[2] = cudaStreamWaitEvent(two, done, 0);
    clem_launch(add, dim3((unsigned)(n + 63) / 64), dim3(64), 0, two, b, a, n);
    cudaMemcpyAsync(a, b, (size_t)n * sizeof *a, cudaMemcpyDeviceToDevice, two);
    errors[3] = cudaEventDestroy(done) | cudaStreamDestroy(one) | cudaStreamDestroy(two);
    errors[4] = cudaGetLastError();
    int device = -1;
    errors[5] = cudaGetDevice(&device) | device;
}

static void check_streams(void)
{
    enum { N = 1000 };
    std::vector<int> numbers(N), twice(N);
    for (int i = 0; i < N; i++)
        numbers[i] = i, twice[i] = 2 * i;
    device_array<int> a(numbers), b(N), errors(6);
    by_streams<<<1, 1>>>(a.data, b.data, N, errors.data);
    LAUNCHED();
    EXPECT(a.host() == twice);
    EXPECT(b.host() == twice);
    EXPECT(errors.host() == std::vector<int>(6));
}

/* ---- Trees ---- */

/* The nodes below, depth first, each a grid; leaves are counted. */
__global__ void count_leaves(const int *first, const int *count, int node, int *leaves)
{
    if (count[node] == 0 && threadIdx.x == 0)
        atomicAdd(leaves, 1);
    else if (threadIdx.x < count[node])
        clem_launch(count_leaves, 1, 4, 0, cudaStreamFireAndForget, first, count,
                    first[node] + (int)threadIdx.x, leaves);
}

static void check_tree(void)
{
    std::vector<int> first(1, 0), count(1, 0);
    int leaves = 0;
    for (size_t node = 0; node < first.size(); node++) {
        count[node] = first.size() < 300 ? 1 + (int)(random_word(node) % 4) : 0;
        first[node] = (int)first.size();
        leaves += count[node] == 0;
        first.resize(first.size() + (size_t)count[node]);
        count.resize(first.size());
    }
    device_array<int> f(first), c(count), counted(1);
    CUDA(cudaMemset(counted.data, 0, sizeof(int)));
    count_leaves<<<1, 4>>>(f.data, c.data, 0, counted.data);
    LAUNCHED();
    EXPECT(counted.host()[0] == leaves);
}

__global__ void fibonacci(int n, unsigned *sum)
{
    if (n < 2) {
        atomicAdd(sum, (unsigned)n);
        return;
    }
    clem_launch(fibonacci, 1, 1, 0, 0, n - 1, sum);
    clem_launch(fibonacci, 1, 1, 0, 0, n - 2, sum);
}

static void check_fibonacci(void)
{
    device_array<unsigned> sum(1);
    CUDA(cudaMemset(sum.data, 0, sizeof(unsigned)));
    fibonacci<<<1, 1>>>(9, sum.data);
    LAUNCHED();
    EXPECT(sum.host()[0] == 34);
}

/* ---- Parameters ---- */

struct mixed {
    char letter;
    double number;
    short words[3];
};

template <class T> __global__ void take(char a, T value, short b, double c, unsigned char d, double *to)
{
    to[0] = a + b + c + d + value.letter + value.number + value.words[2];
}

__global__ void give(double *to)
{
    const mixed value = {1, 2.5, {3, 4, 5}};
    clem_launch((take<mixed>), 1, 1, 0, 0, (char)7, value, (short)-300, 0.25, (unsigned char)200, to);
}

/* ---- Errors ---- */

__global__ void nothing()
{
}

/* Of the thread that made it, and of no other of whatever block; the third thread leaves its error. */
__global__ void fail(int *errors)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    int *mine = errors + 4 * thread;
    mine[0] = cudaPeekAtLastError();
    mine[1] = thread == 1 || thread == 2 ? clem_launch(nothing, 1, 2048, 0, 0) : cudaSuccess;
    if (thread == 2)
        return;
    mine[2] = cudaGetLastError();
    mine[3] = cudaGetLastError();
}

enum { DEEPEST = 40 };

__global__ void descend(int *deepest, int depth)
{
    *deepest = depth;
    if (depth < DEEPEST && clem_launch(descend, 1, 1, 0, 0, deepest, depth + 1) != cudaSuccess)
        deepest[1] = cudaGetLastError();
}

__global__ void too_many(int *refused)
{
    clem_launch(nothing, 1, 1, 0, 0);
    const int error = cudaGetLastError();
    if (error != cudaSuccess) {
        atomicAdd(&refused[0], 1);
        refused[1] = error;
    }
}

__device__ int source = 5;

/* What CUDA says of what it refuses. */
__global__ void misuse(int *errors)
{
    cudaStream_t stream = 0;
    cudaEvent_t event = 0;
    void *memory = 0;
    errors[0] = cudaStreamCreateWithFlags(&stream, 0);
    errors[1] = cudaEventCreateWithFlags(&event, 0);
    errors[2] = cudaGetLastError();
    clem_launch(nothing, 0, 1, 0, 0);
    errors[3] = cudaGetLastError();
    clem_launch(nothing, dim3(1, 70000), 1, 0, 0);
    errors[4] = cudaGetLastError();
    clem_launch(nothing, 1, 1, 1000000, 0);
    errors[5] = cudaGetLastError();
    clem_launch(nothing, 1, 1, 0, (cudaStream_t)0x100);
    errors[6] = cudaGetLastError();
    clem_launch(nothing, 1, 1, 0, cudaStreamLegacy);
    errors[7] = cudaGetLastError();
    errors[8] = cudaMalloc(&memory, 0);
    errors[9] = cudaFree(0);
    /* Memory of blocks and threads is not there any more when a copy is made. */
    __shared__ int of_block;
    int of_thread = 7;
    of_block = 7;
    errors[10] = cudaMemcpyAsync(errors, &of_block, sizeof(int), cudaMemcpyDeviceToDevice, 0);
    errors[11] = cudaMemsetAsync(&of_thread, 0, sizeof(int), 0);
    errors[12] = cudaGetLastError();
    errors[13] = cudaMemcpyAsync(errors + 13, &source, sizeof(int), cudaMemcpyDeviceToDevice, 0);
    errors[14] = of_thread;
}

/* A name and a description, each with its zero. */
__global__ void describe(int error, char *words)
{
    const char *const all[] = {cudaGetErrorName((cudaError_t)error),
                               cudaGetErrorString((cudaError_t)error)};
    for (int i = 0; i < 2; i++) {
        const char *at = all[i];
        do {
            *words++ = *at;
        } while (*at++ != 0);
    }
}

static void check_words(cudaError_t error)
{
    device_array<char> words(256);
    describe<<<1, 1>>>((int)error, words.data);
    LAUNCHED();
    const std::vector<char> got = words.host();
    EXPECT(strcmp(got.data(), cudaGetErrorName(error)) == 0);
    EXPECT(strcmp(got.data() + strlen(got.data()) + 1, cudaGetErrorString(error)) == 0);
}

static void check_errors(void)
{
    check_words(cudaSuccess);
    check_words(cudaErrorLaunchPendingCountExceeded);
    check_words(cudaErrorLaunchMaxDepthExceeded);
    check_words(cudaErrorInvalidConfiguration);

    enum { BLOCKS = 20 };
    device_array<int> errors(12 * BLOCKS), deepest(2);
    fail<<<BLOCKS, 3>>>(errors.data);
    LAUNCHED();
    const int wrong = cudaErrorInvalidConfiguration;
    std::vector<int> expected(12 * BLOCKS);
    expected[5] = expected[6] = expected[9] = wrong;
    EXPECT(errors.host() == expected);

    CUDA(cudaMemset(deepest.data, 0, 2 * sizeof(int)));
    descend<<<1, 1>>>(deepest.data, 0);
    LAUNCHED();
    /* An H200 goes on; this program ends it. */
    EXPECT(deepest.host() == (std::vector<int>{24, cudaErrorLaunchMaxDepthExceeded}) ||
           deepest.host() == (std::vector<int>{DEEPEST, 0}));

    device_array<int> misused(15);
    misuse<<<1, 1>>>(misused.data);
    LAUNCHED();
    const int value = cudaErrorInvalidValue;
    EXPECT(misused.host() == (std::vector<int>{0, value, value, wrong, wrong, wrong, value, 0, value,
                                               0, value, value, value, 5, 7}));
}

/* How many wait at once depends on how fast they begin; with clem, all of a grid's do. */
static void check_limit(void)
{
    size_t most = 0;
    CUDA(cudaDeviceGetLimit(&most, cudaLimitDevRuntimePendingLaunchCount));
    EXPECT(most == 2048);
    device_array<int> refused(2);
    CUDA(cudaMemset(refused.data, 0, 2 * sizeof(int)));
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 64));
    too_many<<<3, 32>>>(refused.data);
    LAUNCHED();
    EXPECT(refused.host()[0] <= 32);
    EXPECT(refused.host()[0] == 0 || refused.host()[1] == cudaErrorLaunchPendingCountExceeded);
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, most));
    CUDA(cudaMemset(refused.data, 0, 2 * sizeof(int)));
    too_many<<<3, 32>>>(refused.data);
    LAUNCHED();
    EXPECT(refused.host()[0] == 0);
}

/* ---- What the host sees ---- */

/* A parent is complete when all that it launched is: for events, other streams, and graphs. */
static void check_host(void)
{
    device_array<unsigned> sum(1);
    cudaStream_t one, two;
    cudaEvent_t done;
    unsigned seen = 0;
    CUDA(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CUDA(cudaMemset(sum.data, 0, sizeof(unsigned)));
    CUDA(cudaDeviceSynchronize());
    fibonacci<<<1, 1, 0, one>>>(6, sum.data);
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(done, one));
    CUDA(cudaStreamWaitEvent(two, done, 0));
    CUDA(cudaMemcpyAsync(&seen, sum.data, sizeof seen, cudaMemcpyDeviceToHost, two));
    CUDA(cudaStreamSynchronize(two));
    EXPECT(seen == 8);
    EXPECT(cudaEventQuery(done) == cudaSuccess);
    EXPECT(cudaStreamQuery(one) == cudaSuccess);

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CUDA(cudaMemsetAsync(sum.data, 0, sizeof(unsigned), one));
    fibonacci<<<1, 1, 0, one>>>(7, sum.data);
    fibonacci<<<1, 1, 0, one>>>(5, sum.data);
    CUDA(cudaStreamEndCapture(one, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) {
        CUDA(cudaGraphLaunch(exec, one));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaMemcpy(&seen, sum.data, sizeof seen, cudaMemcpyDeviceToHost));
        EXPECT(seen == 13 + 5);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaEventDestroy(done));
    CUDA(cudaStreamDestroy(one));
    CUDA(cudaStreamDestroy(two));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_order();
    check_streams();
    check_tree();
    check_fibonacci();
    device_array<double> given(1);
    give<<<1, 1>>>(given.data);
    LAUNCHED();
    EXPECT(given.host()[0] == 7 - 300 + 0.25 + 200 + 1 + 2.5 + 5);
    check_errors();
    check_limit();
    check_host();
    return program_end();
}

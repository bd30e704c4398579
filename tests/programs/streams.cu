/* Streams and events: chains that overlap, waiting for another stream, the default stream's order, host functions, time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void step(unsigned *values, int n, unsigned k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = values[i] * 1664525u + k;
}

__global__ void combine(unsigned *out, const unsigned *a, const unsigned *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] ^ (b[i] << 1);
}

static const int n = 20000;

static void CUDART_CB note(void *data)
{
    ++*(int *)data;
}

static unsigned stepped(unsigned value, int steps)
{
    for (int k = 0; k < steps; k++)
        value = value * 1664525u + (unsigned)k;
    return value;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int chains = 4, steps = 25;
    cudaStream_t streams[chains];
    cudaEvent_t done[chains], start, stop;
    unsigned *memory[chains], *host[chains];
    int calls = 0;
    for (int c = 0; c < chains; c++) {
        CUDA(cudaStreamCreateWithFlags(&streams[c],
                                       c % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
        CUDA(cudaEventCreateWithFlags(&done[c], cudaEventDisableTiming));
        CUDA(cudaMalloc((void **)&memory[c], n * sizeof(unsigned)));
        CUDA(cudaMallocHost((void **)&host[c], n * sizeof(unsigned)));
        for (int i = 0; i < n; i++)
            host[c][i] = random_word((uint64_t)c * n + i);
    }
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventRecord(start, streams[0]));
    for (int c = 0; c < chains; c++)
        CUDA(cudaMemcpyAsync(memory[c], host[c], n * sizeof(unsigned), cudaMemcpyHostToDevice,
                             streams[c]));
    for (unsigned k = 0; k < steps; k++)
        for (int c = 0; c < chains; c++)
            step<<<(n + 255) / 256, 256, 0, streams[c]>>>(memory[c], n, k);
    for (int c = 0; c < chains; c++) {
        CUDA(cudaGetLastError());
        CUDA(cudaEventRecord(done[c], streams[c]));
        CUDA(cudaLaunchHostFunc(streams[c], note, &calls));
        CUDA(cudaStreamSynchronize(streams[c]));
    }
    EXPECT(calls == chains);
    /* memory[0] gets what stream 1 and stream 3 made; stream 2 waits for that and copies out. */
    CUDA(cudaStreamWaitEvent(streams[0], done[1], 0));
    CUDA(cudaStreamWaitEvent(streams[0], done[3], 0));
    combine<<<(n + 255) / 256, 256, 0, streams[0]>>>(memory[0], memory[1], memory[3], n);
    CUDA(cudaEventRecord(stop, streams[0]));
    CUDA(cudaStreamWaitEvent(streams[2], stop, 0));
    CUDA(cudaMemcpyAsync(host[0], memory[0], n * sizeof(unsigned), cudaMemcpyDeviceToHost,
                         streams[2]));
    CUDA(cudaStreamSynchronize(streams[2]));
    std::vector<unsigned> got(host[0], host[0] + n);
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == (stepped(host[1][i], steps) ^ stepped(host[3][i], steps) << 1));
    result("combined", got);
    float milliseconds = -1;
    CUDA(cudaEventSynchronize(stop));
    EXPECT(cudaEventQuery(stop) == cudaSuccess && cudaStreamQuery(streams[0]) == cudaSuccess);
    CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
    EXPECT(milliseconds > 0);

    /* The legacy default stream waits for blocking streams, and they for it. */
    step<<<(n + 255) / 256, 256, 0, streams[2]>>>(memory[2], n, steps);
    step<<<(n + 255) / 256, 256>>>(memory[2], n, steps + 1);
    step<<<(n + 255) / 256, 256, 0, streams[0]>>>(memory[2], n, steps + 2);
    CUDA(cudaMemcpy(got.data(), memory[2], n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == stepped(host[2][i], steps + 3));
    result("ordered", got);
    for (int c = 0; c < chains; c++) {
        CUDA(cudaStreamDestroy(streams[c]));
        CUDA(cudaEventDestroy(done[c]));
        CUDA(cudaFree(memory[c]));
        CUDA(cudaFreeHost(host[c]));
    }
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    return program_end();
}

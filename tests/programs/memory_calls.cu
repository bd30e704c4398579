/* Memory calls between kernels: memset of one and two dimensions with bytes around untouched, arithmetic on device
 * pointers, copies inside a device, stream-ordered allocation, what one launch stores and the next loads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void add(unsigned char *memory, int by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        memory[i] = (unsigned char)(memory[i] + by);
}

__global__ void next(unsigned *to, const unsigned *from, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[(i * 17 + 3) % n] + 1;
}

static void fills(void)
{
    const int n = 1000;
    device_array<unsigned char> memory(n);
    for (int start = 0; start < 8; start++) {
        CUDA(cudaMemset(memory.data, 0x11, n));
        CUDA(cudaMemset(memory.data + 100 + start, 0xab, 333 + start));
        add<<<4, 256>>>(memory.data, 1, n);
        LAUNCHED();
        const std::vector<unsigned char> got = memory.host();
        for (int i = 0; i < n; i++)
            EXPECT(got[i] == (i >= 100 + start && i < 433 + 2 * start ? 0xac : 0x12));
        result("fill", got);
    }
    void *round_trip = (void *)(uintptr_t)((uintptr_t)(memory.data + 100) - 100);
    EXPECT(round_trip == memory.data);
    CUDA(cudaMemset(memory.data, 0, n));
    CUDA(cudaMemset2D(memory.data + 5, 50, 7, 20, 10));
    const std::vector<unsigned char> got = memory.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == (i >= 5 && (i - 5) / 50 < 10 && (i - 5) % 50 < 20 ? 7 : 0));
    CUDA(cudaMemcpy(memory.data + 500, memory.data + 5, 20, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2D(memory.data + 600, 30, memory.data + 5, 50, 20, 3, cudaMemcpyDeviceToDevice));
    const std::vector<unsigned char> copied = memory.host();
    for (int i = 0; i < 20; i++)
        EXPECT(copied[500 + i] == 7 && copied[600 + i] == 7 && copied[660 + i] == 7);
    EXPECT(copied[499] == 0 && copied[520] == 0 && copied[620] == 0);
}

static void launches(void)
{
    const int n = 1024;
    std::vector<unsigned> values = random_words(n);
    device_array<unsigned> a(values), b(n);
    for (int turn = 0; turn < 20; turn++) {
        next<<<n / 128, 128>>>(turn % 2 ? a.data : b.data, turn % 2 ? b.data : a.data, n);
        std::vector<unsigned> after(n);
        for (int i = 0; i < n; i++)
            after[i] = values[(i * 17 + 3) % n] + 1;
        values = after;
    }
    LAUNCHED();
    EXPECT(a.host() == values);
    result("launches", values);
}

static void ordered(void)
{
    int has = 0;
    CUDA(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, 0));
    if (!has)
        return;
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    for (int turn = 0; turn < 5; turn++) {
        unsigned char *memory, bytes[100];
        CUDA(cudaMallocAsync((void **)&memory, 100, stream));
        CUDA(cudaMemsetAsync(memory, turn, 100, stream));
        add<<<1, 128, 0, stream>>>(memory, 10, 100);
        CUDA(cudaMemcpyAsync(bytes, memory, 100, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaFreeAsync(memory, stream));
        CUDA(cudaStreamSynchronize(stream));
        EXPECT(bytes[0] == turn + 10 && bytes[99] == turn + 10);
    }
    CUDA(cudaStreamDestroy(stream));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    fills();
    launches();
    ordered();
    return program_end();
}

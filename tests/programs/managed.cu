/* Managed memory, static and dynamic: one pointer for both sides, touched in turns, and all that is allowed on device
 * memory.
 * Pointers live in managed memory here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__device__ __managed__ int y = 5;
__managed__ float series[100] = {0.5f, 1.5f};

struct chain_link {
    int value;
    chain_link *next;
};

__managed__ chain_link *head;

__global__ void use_static(int by)
{
    if (threadIdx.x == 0)
        y += by;
    series[threadIdx.x] += (float)threadIdx.x;
}

__global__ void sum_matrix(const float *a, const float *b, float *c, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && row < height)
        c[row * width + x] = a[row * width + x] + b[row * width + x];
}

__global__ void double_list(void)
{
    for (chain_link *l = head; l; l = l->next)
        l->value *= 2;
}

__global__ void count_in(int *counter)
{
    atomicAdd(counter, 1);
}

static void matrices(void)
{
    const int width = 100, height = 75, n = width * height;
    float *a, *b, *c;
    CUDA(cudaMallocManaged((void **)&a, n * sizeof(float)));
    CUDA(cudaMallocManaged((void **)&b, n * sizeof(float), cudaMemAttachGlobal));
    CUDA(cudaMallocManaged((void **)&c, n * sizeof(float)));
    const std::vector<float> random = random_floats(2 * n, 0, 1);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++)
            a[i] = random[i] + (float)round, b[i] = random[n + i];
        CUDA(cudaMemset(c, 0xff, n * sizeof(float)));
        sum_matrix<<<dim3(4, 10), dim3(32, 8)>>>(a, b, c, width, height);
        LAUNCHED();
        int wrong = 0;
        for (int i = 0; i < n; i++)
            wrong += c[i] != a[i] + b[i];
        EXPECT(wrong == 0);
        result("matrix", c, n * sizeof(float));
    }
    std::vector<float> copied(n);
    CUDA(cudaMemcpy(copied.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost));
    EXPECT(memcmp(copied.data(), c, n * sizeof(float)) == 0);
    CUDA(cudaMemcpy(a, b, n * sizeof(float), cudaMemcpyDeviceToDevice));
    CUDA(cudaDeviceSynchronize());
    EXPECT(memcmp(a, b, n * sizeof(float)) == 0);
    cudaPointerAttributes is;
    CUDA(cudaPointerGetAttributes(&is, c));
    EXPECT(is.type == cudaMemoryTypeManaged);
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    CUDA(cudaFree(c));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    EXPECT(y == 5 && series[1] == 1.5f && series[99] == 0);
    y = 7;
    use_static<<<1, 100>>>(3);
    LAUNCHED();
    EXPECT(y == 10);
    y++;
    use_static<<<1, 100>>>(-1);
    LAUNCHED();
    EXPECT(y == 10);
    for (int i = 0; i < 100; i++)
        EXPECT(series[i] == (float)(2 * i) + (i == 0 ? 0.5f : i == 1 ? 1.5f : 0.0f));
    result("series", series, sizeof series);
    matrices();

    int *counter;
    CUDA(cudaMallocManaged((void **)&counter, sizeof *counter));
    *counter = 100;
    count_in<<<10, 100>>>(counter);
    LAUNCHED();
    EXPECT(*counter == 1100);
    CUDA(cudaFree(counter));

    chain_link *list;
    CUDA(cudaMallocManaged((void **)&list, 50 * sizeof *list));
    for (int i = 0; i < 50; i++)
        list[i] = {i, i < 49 ? &list[i + 1] : nullptr};
    head = list;
    double_list<<<1, 1>>>();
    LAUNCHED();
    for (int i = 0; i < 50; i++)
        EXPECT(list[i].value == 2 * i);
    CUDA(cudaFree(list));
    return program_end();
}

/* Host memory that kernels reach: mapped and registered memory, one pointer for both sides, what is asked about pointers,
 * cudaMemcpyDefault, write-combined memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void sum_arrays(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void sum_arrays_offset(const float *a, const float *b, float *c, int n, int offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int k = i + offset;
    if (k < n)
        c[i] = a[k] + b[k];
}

static const int n = 10000;

static void check(const float *c, const std::vector<float> &a, const std::vector<float> &b)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += c[i] != a[i] + b[i];
    EXPECT(wrong == 0);
    result("sum", c, n * sizeof(float));
}

static void mapped(const std::vector<float> &a, const std::vector<float> &b, unsigned flags)
{
    float *ha, *hb, *da, *db;
    CUDA(cudaHostAlloc((void **)&ha, n * sizeof(float), flags | cudaHostAllocMapped));
    CUDA(cudaHostAlloc((void **)&hb, n * sizeof(float), flags | cudaHostAllocMapped));
    memcpy(ha, a.data(), n * sizeof(float));
    memcpy(hb, b.data(), n * sizeof(float));
    CUDA(cudaHostGetDevicePointer((void **)&da, ha, 0));
    CUDA(cudaHostGetDevicePointer((void **)&db, hb, 0));
    float *none = nullptr;
    EXPECT(cudaHostGetDevicePointer((void **)&none, hb, 1) == cudaErrorInvalidValue);
    cudaGetLastError();
    device_array<float> c(n);
    sum_arrays<<<(n + 127) / 128, 128>>>(da, db, c.data, n);
    LAUNCHED();
    check(c.host().data(), a, b);
    sum_arrays_offset<<<(n + 127) / 128, 128>>>(da, db, c.data, n, 11);
    LAUNCHED();
    const std::vector<float> shifted = c.host();
    for (int i = 0; i + 11 < n; i++)
        EXPECT(shifted[i] == a[i + 11] + b[i + 11]);
    CUDA(cudaFreeHost(ha));
    CUDA(cudaFreeHost(hb));
}

static void unified_addresses(const std::vector<float> &a, const std::vector<float> &b)
{
    int has = 0;
    CUDA(cudaDeviceGetAttribute(&has, cudaDevAttrUnifiedAddressing, 0));
    EXPECT(has == 1);
    float *ha, *hb, *hc, *device;
    CUDA(cudaMallocHost((void **)&ha, n * sizeof(float)));
    CUDA(cudaMallocHost((void **)&hb, n * sizeof(float)));
    CUDA(cudaMallocHost((void **)&hc, n * sizeof(float)));
    CUDA(cudaMalloc((void **)&device, n * sizeof(float)));
    memcpy(ha, a.data(), n * sizeof(float));
    memcpy(hb, b.data(), n * sizeof(float));
    memset(hc, 0, n * sizeof(float));
    sum_arrays<<<(n + 127) / 128, 128>>>(ha, hb, hc, n);
    LAUNCHED();
    check(hc, a, b);
    CUDA(cudaMemcpy(device, hc, n * sizeof(float), cudaMemcpyDefault));
    memset(hc, 0, n * sizeof(float));
    CUDA(cudaMemcpy(hc, device, n * sizeof(float), cudaMemcpyDefault));
    check(hc, a, b);
    cudaPointerAttributes is;
    CUDA(cudaPointerGetAttributes(&is, ha + 5));
    EXPECT(is.type == cudaMemoryTypeHost && is.hostPointer == ha + 5);
    CUDA(cudaPointerGetAttributes(&is, device + 5));
    EXPECT(is.type == cudaMemoryTypeDevice && is.devicePointer == device + 5);
    CUDA(cudaPointerGetAttributes(&is, a.data()));
    EXPECT(is.type == cudaMemoryTypeUnregistered);
    CUDA(cudaFree(device));
    CUDA(cudaFreeHost(ha));
    CUDA(cudaFreeHost(hb));
    CUDA(cudaFreeHost(hc));
}

static void registered(const std::vector<float> &a, const std::vector<float> &b)
{
    std::vector<float> c(n), x(a), y(b);
    float *da, *db, *dc;
    CUDA(cudaHostRegister(x.data(), n * sizeof(float), cudaHostRegisterMapped));
    CUDA(cudaHostRegister(y.data(), n * sizeof(float), cudaHostRegisterMapped));
    CUDA(cudaHostRegister(c.data(), n * sizeof(float), cudaHostRegisterMapped));
    CUDA(cudaHostGetDevicePointer((void **)&da, x.data(), 0));
    CUDA(cudaHostGetDevicePointer((void **)&db, y.data(), 0));
    CUDA(cudaHostGetDevicePointer((void **)&dc, c.data(), 0));
    sum_arrays<<<(n + 127) / 128, 128>>>(da, db, dc, n);
    LAUNCHED();
    check(c.data(), a, b);
    CUDA(cudaHostUnregister(x.data()));
    CUDA(cudaHostUnregister(y.data()));
    CUDA(cudaHostUnregister(c.data()));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    CUDA(cudaSetDeviceFlags(cudaDeviceMapHost));
    const std::vector<float> a = random_floats(n, 0, 1), b = random_floats(n, 0, 1, n);
    mapped(a, b, cudaHostAllocDefault);
    mapped(a, b, cudaHostAllocPortable);
    mapped(a, b, cudaHostAllocWriteCombined);
    unified_addresses(a, b);
    registered(a, b);
    return program_end();
}

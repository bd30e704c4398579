/* The same in C++, with the typed overloads.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static const char code[] =
    "__kernel void scale(__global float *x, float by) { x[get_global_id(0)] *= by; }";

int main()
{
    std::vector<float> x(1000, 2.0f);
    float *dx = nullptr;
    float by = 21.0f;
    cudaLibrary_t library;
    cudaKernel_t scale;
    if (cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0) !=
            cudaSuccess ||
        cudaLibraryGetKernel(&scale, library, "scale") != cudaSuccess ||
        cudaMalloc(&dx, x.size() * sizeof(float)) != cudaSuccess)
        return 2;
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    void *args[] = {&dx, &by};
    cudaLaunchKernel(reinterpret_cast<const void *>(scale), dim3(10), dim3(100), args, 0, nullptr);
    cudaMemcpy(x.data(), dx, x.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    std::printf("x[999] = %g\n", static_cast<double>(x[999]));
    return x[999] == 42.0f ? 0 : 1;
}

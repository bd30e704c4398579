// Twenty kernels of vector_add's size, of which a program may use some. small.cl is the same in OpenCL C.
// SPDX-License-Identifier: Apache-2.0
#define SMALL(name, expression)                                                                    \
    extern "C" __global__ void small_##name(const float *a, const float *b, float *c, int n)       \
    {                                                                                              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                       \
        if (i < n)                                                                                 \
            c[i] = (expression);                                                                   \
    }

SMALL(add, a[i] + b[i])
SMALL(subtract, a[i] - b[i])
SMALL(multiply, a[i] * b[i])
SMALL(divide, a[i] / b[i])
SMALL(larger, a[i] > b[i] ? a[i] : b[i])
SMALL(smaller, a[i] < b[i] ? a[i] : b[i])
SMALL(scale, 2.5f * a[i])
SMALL(saxpy, 2.5f * a[i] + b[i])
SMALL(square, a[i] * a[i] + b[i] * b[i])
SMALL(average, 0.5f * (a[i] + b[i]))
SMALL(blend, a[i] + 0.25f * (b[i] - a[i]))
SMALL(reverse, a[n - 1 - i] + b[i])
SMALL(even, i % 2 == 0 ? a[i] : b[i])
SMALL(index, (float)i * a[i])
SMALL(step, a[i] < 0 ? 0.0f : 1.0f)
SMALL(relu, a[i] < 0 ? 0.0f : a[i])
SMALL(leaky, a[i] < 0 ? 0.01f * a[i] : a[i])
SMALL(cubic, ((b[i] * a[i] + 2) * a[i] + 1) * a[i])
SMALL(truncate, (float)(int)a[i])
SMALL(neighbours, a[i] + (i > 0 ? b[i - 1] : b[i]))

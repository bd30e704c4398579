/* Code of kernels: function pointers, templates, functors, lambdas, virtual functions, calls that are not inlined,
 * kernels as template arguments.
 * Pointers live in device memory here.
 * nvcc: --extended-lambda
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

typedef int operation(int, int);

__device__ int add(int a, int b)
{
    return a + b;
}
__device__ int subtract(int a, int b)
{
    return a - b;
}
__device__ __noinline__ int multiply(int a, int b)
{
    return a * b;
}
__device__ operation *const table[3] = {add, subtract, multiply};
__device__ operation *chosen = multiply;

__global__ void by_table(int *out)
{
    const int i = threadIdx.x;
    out[i] = table[i % 3](i, 5) + chosen(i, 2);
}

__global__ void by_argument(int *out, operation *f)
{
    out[threadIdx.x] = f((int)threadIdx.x, 3);
}

__global__ void address_of(operation **out)
{
    out[0] = subtract;
}

template <int n, class F> struct repeat {
    __device__ static float apply(F f, float x)
    {
        return repeat<n - 1, F>::apply(f, f(x));
    }
};
template <class F> struct repeat<0, F> {
    __device__ static float apply(F, float x)
    {
        return x;
    }
};

struct scale {
    float by;
    __host__ __device__ float operator()(float x) const
    {
        return x * by;
    }
};

template <int n, class F> __global__ void map(float *values, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = repeat<n, F>::apply(f, values[i]);
}

class shape
{
  public:
    __device__ virtual ~shape()
    {
    }
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const
    {
        return 4;
    }
};

class square : public shape
{
    float side;

  public:
    __device__ explicit square(float s) : side(s)
    {
    }
    __device__ float area() const override
    {
        return side * side;
    }
};

class triangle : public shape
{
    float base, height;

  public:
    __device__ triangle(float b, float h) : base(b), height(h)
    {
    }
    __device__ float area() const override
    {
        return base * height / 2;
    }
    __device__ int corners() const override
    {
        return 3;
    }
};

__global__ void objects(float *out)
{
    const float t = (float)threadIdx.x;
    square s(t);
    triangle r(t, 2);
    const shape *which = threadIdx.x & 1 ? (const shape *)&r : (const shape *)&s;
    out[threadIdx.x] = which->area() * 10 + (float)which->corners();
}

__device__ __noinline__ void swap_through_pointers(int *a, int *b)
{
    const int kept = *a;
    *a = *b;
    *b = kept;
}

/* The same function on pointers to local, shared and global memory. */
__global__ void generic(int *memory)
{
    __shared__ int shared[64];
    int local[2] = {(int)threadIdx.x, -1};
    shared[threadIdx.x] = 1000 + (int)threadIdx.x;
    swap_through_pointers(&local[0], &local[1]);
    swap_through_pointers(&local[1], &shared[threadIdx.x]);
    swap_through_pointers(&shared[threadIdx.x], &memory[threadIdx.x]);
    memory[64 + threadIdx.x] = local[0] * 10000 + local[1] + shared[threadIdx.x];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(64);
    device_array<operation *> address(1);
    by_table<<<1, 64>>>(out.data);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < 64; i++)
        EXPECT(got[i] == (i % 3 == 0 ? i + 5 : i % 3 == 1 ? i - 5 : i * 5) + 2 * i);
    result("table", got);
    address_of<<<1, 1>>>(address.data);
    by_argument<<<1, 64>>>(out.data, address.host()[0]);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < 64; i++)
        EXPECT(got[i] == i - 3);

    const float offset = 0.5f;
    std::vector<float> values = random_floats(256, -1, 1);
    device_array<float> x(values);
    map<3><<<2, 128>>>(x.data, scale{-2});
    map<2><<<2, 128>>>(x.data, [=] __device__(float v) { return v + offset; });
    LAUNCHED();
    const std::vector<float> mapped = x.host();
    for (int i = 0; i < 256; i++)
        EXPECT(mapped[i] == values[i] * -8 + offset + offset);
    result("mapped", mapped);

    objects<<<1, 64>>>(x.data);
    LAUNCHED();
    const std::vector<float> areas = x.host();
    for (int i = 0; i < 64; i++)
        EXPECT(areas[i] == (float)(i & 1 ? i * 10 + 3 : i * i * 10 + 4));

    std::vector<int> memory(128);
    for (int i = 0; i < 64; i++)
        memory[i] = 5000 + i;
    device_array<int> dmemory(memory);
    generic<<<1, 64>>>(dmemory.data);
    LAUNCHED();
    got = dmemory.host();
    for (int i = 0; i < 64; i++)
        EXPECT(got[i] == i && got[64 + i] == -10000 + 1000 + i + 5000 + i);
    return program_end();
}

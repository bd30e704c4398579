/* Objects with virtual functions that kernels put into shared and global memory, and the memory functions of the C library
 * in kernels, with lengths that are known only there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <new>

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape()
    {
    }
};

struct square : shape {
    int side;
    __device__ explicit square(int a) : side(a)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
};

struct box : shape {
    int width, height;
    __device__ box(int w, int h) : width(w), height(h)
    {
    }
    __device__ int area() const override
    {
        return width * height;
    }
};

/* The object is the first thing in shared memory: its offset there is 0, its address is not null. */
__global__ void areas(int *out, int side)
{
    __shared__ __align__(8) unsigned char memory[sizeof(box)];
    __shared__ shape *object;
    if (threadIdx.x == 0)
        object = side % 2 ? static_cast<shape *>(new (memory) square(side))
                          : static_cast<shape *>(new (memory) box(side, 3));
    __syncthreads();
    out[threadIdx.x] = object != nullptr ? object->area() + (int)threadIdx.x : -1;
}

/* The length counts down in a loop, next to the pointer that it is added to. */
__global__ void moves(char *to, const char *from, size_t length, int value)
{
    __shared__ char middle[64];
    memset(middle, value, length);
    memcpy(to, from, length);
    for (size_t left = length; left != 0; left--)
        to[left + 2] = to[left - 1];
    memcpy(to + 64, middle, length);
}

static void check_areas(int side)
{
    device_array<int> out(40);
    areas<<<1, 40>>>(out.data, side);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int i = 0; i < 40; i++)
        EXPECT(got[i] == (side % 2 ? side * side : side * 3) + i);
    result("areas", got);
}

static void check_moves(size_t length)
{
    std::vector<char> from(128), expected(128, 1);
    for (int i = 0; i < 128; i++)
        from[i] = (char)random_word(i);
    device_array<char> source(from), target(expected);
    moves<<<1, 1>>>(target.data, source.data, length, 77);
    LAUNCHED();
    memcpy(&expected[0], &from[0], length);
    memmove(&expected[3], &expected[0], length);
    memset(&expected[64], 77, length);
    const std::vector<char> got = target.host();
    EXPECT(memcmp(&got[0], &expected[0], 128) == 0);
    result("moves", got);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_areas(5);
    check_areas(8);
    check_moves(0);
    check_moves(1);
    check_moves(20);
    check_moves(60);
    return program_end();
}

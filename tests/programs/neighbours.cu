/* Sums over neighbours in shared memory, before and behind a thread's own place, near and far, in tiles that begin at multiples of
 * all that lines of a cache have or beside them, which the block has just stored, and stores again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { BLOCKS = 5, MOST_THREADS = 256, RIM = 40, ROOM = MOST_THREADS + 2 * RIM, STEPS = 3 };

/* Weights differ, so that a neighbour in another's place is noticed. */
template <class T, int BEFORE, int BEHIND> __host__ __device__ T weigh(const T *at)
{
    T sum = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int away = -BEFORE; away <= BEHIND; away++)
        sum = sum * 3 + at[away];
    return sum;
}

/* AHEAD words lie before the tile. */
template <class T, int BEFORE, int BEHIND, int AHEAD> __global__ void smooth(T *out, const T *in)
{
    __shared__ __align__(128) T memory[AHEAD + ROOM];
    T *tile = memory + AHEAD, own = 0;
    const int t = threadIdx.x, threads = blockDim.x;
    for (int first = 0; first < ROOM; first += threads)
        if (first + t < ROOM)
            tile[first + t] = in[(int)blockIdx.x * threads + first + t];
    for (int step = 0; step < STEPS; step++) {
        __syncthreads();
        own = weigh<T, BEFORE, BEHIND>(tile + RIM + t);
        __syncthreads();
        tile[RIM + t] = own;
    }
    out[blockIdx.x * threads + t] = own;
}

template <class T, int BEFORE, int BEHIND>
static std::vector<T> wanted(const std::vector<T> &in, int threads)
{
    std::vector<T> out(BLOCKS * threads);
    for (int block = 0; block < BLOCKS; block++) {
        std::vector<T> tile(in.begin() + block * threads, in.begin() + block * threads + ROOM),
            own(threads);
        for (int step = 0; step < STEPS; step++) {
            for (int t = 0; t < threads; t++)
                own[t] = weigh<T, BEFORE, BEHIND>(&tile[RIM + t]);
            std::copy(own.begin(), own.end(), tile.begin() + RIM);
        }
        std::copy(own.begin(), own.end(), out.begin() + block * threads);
    }
    return out;
}

template <class T, int BEFORE, int BEHIND, int AHEAD> static void check(const char *name)
{
    for (int threads : {32, 37, 96, 256}) {
        std::vector<T> in(BLOCKS * threads + ROOM);
        for (size_t i = 0; i < in.size(); i++)
            in[i] = (T)random_word(i);
        device_array<T> din(in), dout(BLOCKS * threads);
        smooth<T, BEFORE, BEHIND, AHEAD><<<BLOCKS, threads>>>(dout.data, din.data);
        LAUNCHED();
        const std::vector<T> out = dout.host();
        EXPECT((out == wanted<T, BEFORE, BEHIND>(in, threads)));
        result(name, out);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check<uint32_t, 1, 1, 0>("words");
    check<uint32_t, 4, 4, 24>("words_at_a_line");
    check<uint32_t, 1, 1, 8>("words_at_half_a_line");
    check<uint32_t, 3, 9, 5>("words_beside_lines");
    check<uint32_t, 40, 40, 0>("words_from_far");
    check<uint32_t, 0, 17, 40>("words_behind");
    check<uint16_t, 2, 2, 0>("halves");
    check<uint64_t, 2, 3, 0>("longs");
    return program_end();
}

/* Threads that go up columns of more memory than caches hold, whose warps may be taken in any order: all as often, each block or each
 * lane by its own number of turns, and behind edges that end whole warps or parts of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct space {
    int width, height, layers;
};

__host__ __device__ static int turns_of_block(space s, int block)
{
    return s.layers - block % 3;
}

__host__ __device__ static int turns_of_lane(space s, int x)
{
    return s.layers - x % 5;
}

__host__ __device__ static bool is_edge(space s, int x, int y)
{
    return x < 1 || y < 1 || x >= s.width - 1 || y >= s.height - 1;
}

__host__ __device__ static unsigned around(const unsigned *at, space s)
{
    return at[-1] + 3 * at[1] + 5 * at[-s.width] + 7 * at[s.width] + 11 * at[0];
}

__global__ void climb(const unsigned *in, unsigned *out, space s)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (is_edge(s, x, y))
        return;
    for (int z = 0; z < s.layers; z++) {
        const size_t at = ((size_t)z * s.height + y) * s.width + x;
        out[at] = around(in + at, s);
    }
}

__global__ void climb_by_block(const unsigned *in, unsigned *out, space s)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (is_edge(s, x, y))
        return;
    const unsigned *from = in + (size_t)y * s.width + x;
    unsigned *to = out + (size_t)y * s.width + x, sum = 0;
    for (int z = 0; z < turns_of_block(s, blockIdx.x + blockIdx.y); z++) {
        sum = sum * 3 + *from;
        *to = sum;
        from += s.width * s.height;
        to += s.width * s.height;
    }
}

__global__ void climb_by_lane(const unsigned *in, unsigned *out, space s)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (is_edge(s, x, y))
        return;
    const unsigned *from = in + (size_t)y * s.width + x;
    unsigned sum = 1;
#pragma unroll 1
    for (int z = 0; z < turns_of_lane(s, x); z++, from += s.width * s.height)
        sum = sum * 5 + *from;
    out[(size_t)y * s.width + x] = sum;
}

static size_t memory_words;

static void compare(const char *name, const std::vector<unsigned> &got,
                    const std::vector<unsigned> &right, dim3 block, space s)
{
    size_t wrong = 0;
    for (size_t i = 0; i < right.size(); i++)
        wrong += got[i] != right[i];
    if (!EXPECT(wrong == 0))
        printf("    %s: %zu wrong, block %u x %u, %d x %d x %d\n", name, wrong, block.x, block.y,
               s.width, s.height, s.layers);
}

static void try_shape(unsigned *in, unsigned *out, const std::vector<unsigned> &words, dim3 block,
                      space s)
{
    const size_t layer = (size_t)s.width * s.height, all = layer * s.layers;
    const dim3 grid((s.width + block.x - 1) / block.x, (s.height + block.y - 1) / block.y);
    std::vector<unsigned> right[3], got(all);
    for (auto &one : right)
        one.assign(all, 0);
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++) {
            const size_t column = (size_t)y * s.width + x;
            unsigned of_block = 0, of_lane = 1;
            for (int z = 0; !is_edge(s, x, y) && z < s.layers; z++)
                right[0][z * layer + column] = around(&words[z * layer + column], s);
            for (int z = 0; !is_edge(s, x, y) && z < turns_of_block(s, x / block.x + y / block.y); z++)
                right[1][z * layer + column] = of_block = of_block * 3 + words[z * layer + column];
            for (int z = 0; !is_edge(s, x, y) && z < turns_of_lane(s, x); z++)
                of_lane = of_lane * 5 + words[z * layer + column];
            if (!is_edge(s, x, y))
                right[2][column] = of_lane;
        }
    static const struct {
        const char *name;
        void (*run)(const unsigned *, unsigned *, space);
    } kernels[] = {{"climb", climb}, {"climb_by_block", climb_by_block}, {"climb_by_lane", climb_by_lane}};
    for (int i = 0; i < 3; i++) {
        CUDA(cudaMemset(out, 0, all * sizeof *out));
        kernels[i].run<<<grid, block>>>(in, out, s);
        LAUNCHED();
        CUDA(cudaMemcpy(got.data(), out, all * sizeof *out, cudaMemcpyDeviceToHost));
        compare(kernels[i].name, got, right[i], block, s);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    cudaDeviceProp facts;
    CUDA(cudaGetDeviceProperties(&facts, 0));
    const size_t least = (size_t)1 << 22, most = (size_t)1 << 28, held = (size_t)facts.l2CacheSize + (1 << 20);
    memory_words = (held < least ? least : held < most ? held : most) / sizeof(unsigned);
    const std::vector<unsigned> words = random_words(least / sizeof(unsigned));
    device_array<unsigned> in(memory_words), out(memory_words);
    CUDA(cudaMemcpy(in.data, words.data(), words.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    static const dim3 blocks[] = {dim3(32, 4), dim3(64, 1), dim3(32, 32), dim3(16, 16), dim3(8, 8),
                                  dim3(33, 3), dim3(256)};
    static const space spaces[] = {{64, 9, 1}, {352, 12, 29}, {1000, 7, 40}, {2100, 5, 17}, {31, 33, 100}};
    for (const dim3 &block : blocks)
        for (const space &s : spaces)
            try_shape(in.data, out.data, words, block, s);
    return program_end();
}

/* Blocks that are narrower than a warp, of all shapes, in rows of any length: whoever runs several side by side must be seen by nobody.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int height = 24, depth = 6;

/* All that a thread may know of y and z, and where it is in the row. */
__global__ void place(const unsigned *in, unsigned *out, int width, int wanted)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < wanted && y < height - 1 && x > 0)
        out[(z * height + y) * width + x] = in[(z * height + y) * width + x - 1] * 3 + in[x] + y +
                                            100 * z + 1000 * blockIdx.y + 10000 * threadIdx.z +
                                            gridDim.y + blockDim.z;
}

/* Each thread has a number of turns of its own. */
__global__ void go_round(const unsigned *in, unsigned *out, int width, int wanted)
{
    const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned sum = y;
    for (unsigned i = 0; i < in[x] % 7; i++)
        sum += in[x + i] ^ in[(z * height + y) * width];
    if (x < wanted)
        out[(z * height + y) * width + x] = sum;
}

/* Blocks that know which they are. */
__global__ void name_blocks(const unsigned *in, unsigned *out, int width, int wanted)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < wanted)
        out[(z * height + y) * width + x] =
            in[x] + blockIdx.x + 100 * threadIdx.x + 10000 * blockDim.x + 100000 * gridDim.x;
}

static unsigned right_place(const std::vector<unsigned> &in, dim3 grid, dim3 block, int width,
                            int wanted, int x, int y, int z)
{
    if (x == 0 || x >= wanted || y >= height - 1)
        return 0;
    return in[(z * height + y) * width + x - 1] * 3 + in[x] + y + 100 * z + 1000 * (y / block.y) +
           10000 * (z % block.z) + grid.y + block.z;
}

static unsigned right_round(const std::vector<unsigned> &in, dim3, dim3, int width, int wanted,
                            int x, int y, int z)
{
    unsigned sum = y;
    for (unsigned i = 0; i < in[x] % 7; i++)
        sum += in[x + i] ^ in[(z * height + y) * width];
    return x < wanted ? sum : 0;
}

static unsigned right_name(const std::vector<unsigned> &in, dim3 grid, dim3 block, int, int wanted,
                           int x, int, int)
{
    return x < wanted
               ? in[x] + x / block.x + 100 * (x % block.x) + 10000 * block.x + 100000 * grid.x
               : 0;
}

typedef void kernel(const unsigned *, unsigned *, int, int);
typedef unsigned answer(const std::vector<unsigned> &, dim3, dim3, int, int, int, int, int);

static void try_shape(dim3 block, unsigned columns, int less)
{
    static const struct {
        kernel *run;
        answer *right;
    } all[] = {{place, right_place}, {go_round, right_round}, {name_blocks, right_name}};
    const dim3 grid(columns, height / block.y, depth / block.z);
    const int width = (int)(block.x * columns), wanted = width - less;
    for (const auto &one : all) {
        device_array<unsigned> in(random_words((unsigned)(width * height * depth + 8)));
        device_array<unsigned> out(std::vector<unsigned>((size_t)(width * height * depth)));
        one.run<<<grid, block>>>(in.data, out.data, width, wanted);
        LAUNCHED();
        const std::vector<unsigned> got = out.host(), from = in.host();
        size_t wrong = 0;
        for (int z = 0; z < depth; z++)
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++)
                    wrong += got[(z * height + y) * width + x] !=
                             one.right(from, grid, block, width, wanted, x, y, z);
        if (!EXPECT(wrong == 0))
            printf("    %zu wrong: kernel %d, block %u x %u x %u, %u columns, %d less\n", wrong,
                   (int)(&one - all), block.x, block.y, block.z, columns, less);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    static const dim3 blocks[] = {dim3(16, 8), dim3(16, 2, 3), dim3(8, 8), dim3(8, 4, 2),
                                  dim3(4, 3),  dim3(1, 24),    dim3(2, 1), dim3(12, 8)};
    for (const dim3 &block : blocks)
        for (unsigned columns : {1u, 2u, 3u, 4u, 32u, 64u})
            for (int less : {0, 1})
                try_shape(block, columns, less);
    return program_end();
}

/* Rows of words that lie beside each other, as those of a stencil's neighbours, which may be taken out of each other as long as nobody
 * has stored between: whole warps and parts of them, rows that begin anywhere, and columns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct picture {
    int width, height, pitch, layers;
};

__host__ __device__ static bool is_inside(picture p, int x, int y)
{
    return x >= 3 && x < p.width - 3 && y >= 1 && y < p.height - 1;
}

/* One word beside, two, and three. */
template <class T> __host__ __device__ static T blended(const T *at, int pitch)
{
    return at[0] + 3 * at[-1] + 5 * at[1] + 7 * at[2] + 11 * at[-2] + 13 * at[3] + 17 * at[-3] +
           19 * at[pitch - 1] + 23 * at[pitch + 1] + 29 * at[-pitch];
}

template <class T> __global__ void blend(const T *in, T *out, picture p)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (is_inside(p, x, y))
        out[y * p.pitch + x] = blended(in + y * p.pitch + x, p.pitch);
}

template <class T> __global__ void climb(const T *in, T *out, picture p)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (!is_inside(p, x, y))
        return;
    const T *from = in + y * p.pitch + x;
    T *to = out + y * p.pitch + x;
    for (int z = 0; z < p.layers; z++) {
        *to = blended(from, p.pitch);
        from += p.pitch * p.height;
        to += p.pitch * p.height;
    }
}

/* What a thread has just stored is what it reads: `to` is a word behind `in`. */
__global__ void shift(const unsigned *in, unsigned *to, unsigned *out)
{
    const unsigned i = threadIdx.x;
    const unsigned before = in[i];
    __syncwarp();
    to[i] = 100 * before;
    out[i] = in[i + 1] + before;
}

template <class T> static std::vector<T> numbers(size_t count)
{
    std::vector<T> values(count);
    for (size_t i = 0; i < count; i++)
        values[i] = (T)(i * 2654435761u >> 7);
    return values;
}

template <class T> static void try_picture(picture p, dim3 block, int first)
{
    const size_t layer = (size_t)p.pitch * p.height, all = layer * p.layers + 64;
    const std::vector<T> in = numbers<T>(all);
    const dim3 blocks((p.width + block.x - 1) / block.x, (p.height + block.y - 1) / block.y);
    device_array<T> from(in), to(all), up(all);
    blend<<<blocks, block>>>(from.data + first, to.data + first, p);
    climb<<<blocks, block>>>(from.data + first, up.data + first, p);
    LAUNCHED();
    const std::vector<T> got = to.host(), climbed = up.host();
    size_t wrong = 0;
    for (int z = 0; z < p.layers; z++)
        for (int y = 0; y < p.height; y++)
            for (int x = 0; x < p.width; x++) {
                const size_t at = first + z * layer + (size_t)y * p.pitch + x;
                const T right = is_inside(p, x, y) ? blended(&in[at], p.pitch) : 0;
                wrong += climbed[at] != right;
                wrong += z == 0 && got[at] != right;
            }
    if (!EXPECT(wrong == 0))
        printf("    %zu wrong, block %u x %u, %d x %d x %d, %d behind\n", wrong, block.x, block.y,
               p.width, p.height, p.layers, first);
}

static void try_shift(void)
{
    const std::vector<unsigned> in = numbers<unsigned>(33);
    device_array<unsigned> words(in), out(32);
    shift<<<1, 32>>>(words.data, words.data + 1, out.data);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    for (unsigned i = 0; i < 32; i++)
        EXPECT(got[i] == 101 * in[i]);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const picture pictures[] = {{256, 20, 256, 3}, {131, 9, 133, 4}, {40, 5, 40, 1}};
    for (picture p : pictures)
        for (dim3 block : {dim3(32, 4), dim3(128, 1), dim3(16, 8), dim3(24, 3)})
            for (int first : {0, 5, 16}) {
                try_picture<unsigned>(p, block, first);
                try_picture<unsigned long long>(p, block, first);
            }
    try_shift();
    return program_end();
}

/* Launches whose memory is more than the processor's caches hold: each word is where it belongs, for the host and for the next launch.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void fill(unsigned *out, unsigned n, unsigned seed)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (i ^ seed) * 2654435761u;
}

/* Rows that begin anywhere, and are stored at a distance from what is read. */
__global__ void blend(const unsigned *in, unsigned *out, unsigned n, unsigned behind)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i + behind] = in[i - 1] + 3 * in[i] + in[i + 1];
}

/* Each word is its own next. */
__global__ void step(unsigned *words, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        words[i] = words[i] * 5 + i;
}

__global__ void move_pairs(const ulonglong2 *in, ulonglong2 *out, unsigned n)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned i = y * gridDim.x * blockDim.x + x;
    if (i < n)
        out[i] = make_ulonglong2(in[i].y, in[i].x);
}

static unsigned filled(unsigned i, unsigned seed)
{
    return (i ^ seed) * 2654435761u;
}

static unsigned blended(unsigned i, unsigned seed)
{
    return filled(i - 1, seed) + 3 * filled(i, seed) + filled(i + 1, seed);
}

/* Words, of which caches hold fewer, unless they are of another age. */
static unsigned size_of_vast(void)
{
    cudaDeviceProp facts;
    CUDA(cudaGetDeviceProperties(&facts, 0));
    const unsigned least = 1u << 20, most = 1u << 26, held = (unsigned)facts.l2CacheSize / 4;
    return (held < least ? least : held > most ? most : held) + 4096;
}

static void try_distance(unsigned n, unsigned behind, unsigned seed)
{
    const unsigned blocks = (n + 255) / 256, spare = 64;
    device_array<unsigned> in(n), out(n + spare);
    fill<<<blocks, 256>>>(in.data, n, seed);
    blend<<<blocks, 256>>>(in.data, out.data, n, behind);
    step<<<blocks, 256>>>(out.data + behind, n);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    size_t wrong = 0;
    for (unsigned i = 1; i < n - 1; i++)
        wrong += got[i + behind] != blended(i, seed) * 5 + i;
    if (!EXPECT(wrong == 0))
        printf("    %zu wrong of %u, %u behind\n", wrong, n, behind);
}

static void try_pairs(unsigned n)
{
    const unsigned width = 64 * 32;
    device_array<unsigned> in(4 * n), out(4 * n);
    fill<<<(4 * n + 255) / 256, 256>>>(in.data, 4 * n, 7);
    move_pairs<<<dim3(64, (n + width * 8 - 1) / (width * 8)), dim3(32, 8)>>>(
        (const ulonglong2 *)in.data, (ulonglong2 *)out.data, n);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    size_t wrong = 0;
    for (unsigned i = 0; i < 4 * n; i++)
        wrong += got[i] != filled(i ^ 2, 7);
    if (!EXPECT(wrong == 0))
        printf("    %zu wrong of %u pairs\n", wrong, n);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const unsigned n = size_of_vast();
    for (unsigned behind : {0u, 16u, 5u})
        try_distance(n + behind, behind, 11 * behind);
    try_pairs(n);
    return program_end();
}

/* An alignment of two sequences by tiles of 32 x 32 along diagonals: a launch for each diagonal of tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { TILE = 32, GAP = 2 };
static int n; /* of each sequence */
static int *first, *second, *score;

static void prepare(void)
{
    n = pair_size(320, 2048);
    first = pair_input<int>(n, [](uint64_t i) { return pair_random(i) % 4; });
    second = pair_input<int>(n, [](uint64_t i) { return pair_random(i + 99) % 4; });
    score = pair_output<int>((long long)(n + 1) * (n + 1));
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE int best_of(int diagonal, int above, int left, bool is_same)
{
    int best = diagonal + (is_same ? 3 : -1);
    best = best > above - GAP ? best : above - GAP;
    return best > left - GAP ? best : left - GAP;
}

#ifdef __CUDACC__
__global__ void begin(int *score, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        score[i] = score[i * (n + 1)] = -GAP * i;
}

__global__ void align(const int *first, const int *second, int *score, int n, int diagonal,
                      int least)
{
    __shared__ int part[TILE + 1][TILE + 1];
    const int tx = blockIdx.x + least, ty = diagonal - tx, t = threadIdx.x, pitch = n + 1;
    int *corner = score + ty * TILE * pitch + tx * TILE;
    part[0][t + 1] = corner[t + 1];
    part[t + 1][0] = corner[(t + 1) * pitch];
    if (t == 0)
        part[0][0] = corner[0];
    __syncthreads();
    for (int step = 0; step < 2 * TILE - 1; step++) {
        const int x = t, y = step - t;
        if (y >= 0 && y < TILE)
            part[y + 1][x + 1] = best_of(part[y][x], part[y][x + 1], part[y + 1][x],
                                         first[tx * TILE + x] == second[ty * TILE + y]);
        __syncthreads();
    }
    for (int y = 0; y < TILE; y++)
        corner[(y + 1) * pitch + t + 1] = part[y + 1][t + 1];
}

static void work(void)
{
    const int tiles = n / TILE;
    begin<<<pair_blocks(n + 1, 256), 256>>>(score, n);
    for (int diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
        const int least = std::max(0, diagonal - tiles + 1), most = std::min(diagonal, tiles - 1);
        align<<<most - least + 1, TILE>>>(first, second, score, n, diagonal, least);
    }
}
#else
static void align(int tx, int ty)
{
    for (int y = ty * TILE + 1; y <= (ty + 1) * TILE; y++)
        for (int x = tx * TILE + 1; x <= (tx + 1) * TILE; x++) {
            int *at = score + y * (n + 1) + x;
            *at = best_of(at[-n - 2], at[-n - 1], at[-1], first[x - 1] == second[y - 1]);
        }
}

static void work(void)
{
    const int tiles = n / TILE;
    for (int i = 0; i <= n; i++)
        score[i] = score[i * (n + 1)] = -GAP * i;
    for (int diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
        const int least = std::max(0, diagonal - tiles + 1), most = std::min(diagonal, tiles - 1);
#pragma omp parallel for
        for (int tx = least; tx <= most; tx++)
            align(tx, diagonal - tx);
    }
}
#endif

/* Lanes of a warp that store at one place, each another value: NVIDIA's hardware keeps the first lane's (seen on an H200),
 * which sparse products count on that sum by shuffles and store from all lanes. Only of threads that meet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* Rows of numbers, eight threads to each: only the first has the sum. */
__global__ void sums_of_rows(const int *in, int *out, int rows, int columns)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x),
              groups = (int)(gridDim.x * blockDim.x) / 8;
    for (int row = t / 8; row < rows; row += groups) {
        int sum = 0;
        for (int i = t % 8; i < columns; i += 8)
            sum += in[row * columns + i];
        for (int step = 4; step > 0; step /= 2)
            sum += __shfl_down_sync(~0u, sum, step, 8);
        out[row] = sum;
    }
}

/* One place for a whole warp of blocks of one warp. */
__global__ void last_of_block(int *out)
{
    const int t = (int)threadIdx.x, next = __shfl_down_sync(~0u, t * 3 + 1, 1);
    out[blockIdx.x] = next + 100 * t;
}

/* The same of stores of several words: they are all of one lane. NVIDIA's hardware stores them by parts of a warp, so that
 * it is not the first. */
__global__ void four_at_once(uint4 *out)
{
    const unsigned t = threadIdx.x, next = __shfl_xor_sync(~0u, t, 1);
    if (t % 32 >= 5)
        out[t / 32] = make_uint4(t, next, t + 1, next + 1);
}

/* Volatile stores, at one place for a block of one warp and at one for some lanes, to global and to shared memory. */
__global__ void volatile_places(volatile int *out)
{
    __shared__ volatile int places[8];
    const int t = (int)threadIdx.x, next = __shfl_down_sync(~0u, t * 5 + 1, 1);
    out[12 * blockIdx.x] = next;
    out[12 * blockIdx.x + 4 + t / 4] = next;
    places[3] = next + 1;
    __syncthreads();
    if (t == 0)
        out[12 * blockIdx.x + 1] = places[3];
}

static void look_at_volatile_stores()
{
    device_array<int> out(24);
    volatile_places<<<2, 32>>>(out.data);
    LAUNCHED();
    const std::vector<int> host = out.host();
    for (int i = 0; i < 24; i += 12) {
        EXPECT(host[i] == 6 && host[i + 1] == 7);
        for (int group = 0; group < 8; group++)
            EXPECT(host[i + 4 + group] == (4 * group + 1) * 5 + 1);
    }
}

/* ---- Whatever the order of threads, none takes what it stored itself for older than what it stored before ---- */

#define NOTHING_MOVES asm volatile("" ::: "memory")

/* Each stores alone, in its turn of the loop. */
__global__ void own_turn(unsigned *place, unsigned *seen, int turns)
{
    const unsigned t = threadIdx.x;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < turns; i++)
        if (t % 32 == (unsigned)i) {
            place[t / 32] = t + 1;
            NOTHING_MOVES;
            seen[t] = place[t / 32];
        }
    __syncthreads();
}

/* One of those that stay wins each turn, and goes. */
__global__ void elections(unsigned *wins)
{
    __shared__ unsigned place[4];
    const unsigned t = threadIdx.x;
    bool is_done = false;
    __syncthreads();
    for (int turn = 0; !is_done && turn < 1000; turn++) {
        place[t / 32] = t;
        NOTHING_MOVES;
        if (place[t / 32] == t) {
            wins[t] = 1;
            is_done = true;
        }
    }
    __syncthreads();
}

/* The last that each thread does to its place is to store less than a thousand. */
__global__ void small_at_last(unsigned *places)
{
    const unsigned t = threadIdx.x;
    __syncthreads();
    atomicXor(&places[t / 32], 1u << 20);
    places[t / 32] = t + 1;
    __syncthreads();
}

static void look_at_own_stores()
{
    const int threads = 96;
    device_array<unsigned> place(4), seen(threads), wins(threads), places(3);
    own_turn<<<1, threads>>>(place.data, seen.data, 32);
    LAUNCHED();
    elections<<<1, threads>>>(wins.data);
    LAUNCHED();
    small_at_last<<<1, threads>>>(places.data);
    LAUNCHED();
    for (int i = 0; i < threads; i++) {
        EXPECT(seen.host()[i] == (unsigned)i + 1);
        EXPECT(wins.host()[i] == 1);
    }
    for (unsigned value : places.host())
        EXPECT(value > 0 && value <= (unsigned)threads);
}

int main(int count, char **arguments)
{
    const int rows = 64, columns = 37;
    program_begin(count, arguments);
    std::vector<int> values(rows * columns), expected(rows);
    for (int i = 0; i < rows * columns; i++) {
        values[i] = (int)(random_word(i) % 1000);
        expected[i / columns] += values[i];
    }
    device_array<int> in(values), out(rows), places(5);
    sums_of_rows<<<2, 64>>>(in.data, out.data, rows, columns);
    LAUNCHED();
    EXPECT(out.host() == expected);
    result("rows", out.host());
    last_of_block<<<5, 32>>>(places.data);
    LAUNCHED();
    EXPECT(places.host() == std::vector<int>(5, 4));
    result("blocks", places.host());
    device_array<uint4> fours(2);
    four_at_once<<<1, 64>>>(fours.data);
    LAUNCHED();
    for (unsigned i = 0; i < 2; i++) {
        const uint4 four = fours.host()[i];
        EXPECT(four.x / 32 == i && four.x % 32 >= 5);
        EXPECT(four.y == (four.x ^ 1u) && four.z == four.x + 1 && four.w == four.y + 1);
    }
    look_at_volatile_stores();
    look_at_own_stores();
    return program_end();
}

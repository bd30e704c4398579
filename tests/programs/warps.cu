/* Warps that are not whole, in blocks of many shapes: lanes that go ways of their own, loops that each leaves at another turn,
 * barriers within loops while others have ended, exchanges between those lanes that took a branch.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* A thread's own way: loops within branches within loops. */
__host__ __device__ static inline unsigned walk(unsigned x)
{
    unsigned sum = x * 2654435761u;
    for (unsigned i = 0; i < x % 7; i++) {
        if ((sum ^ i) % 3 == 0)
            continue;
        unsigned y = sum % 97 + i;
        while (y != 1) {
            if (y == 0 || y > 100000)
                break;
            y = y % 2 ? 3 * y + 1 : y / 2;
            sum += y ^ (sum >> 3);
        }
        if (x % 5 == 4)
            return sum ^ 0x55u;
        sum += x % 2 ? y << (sum % 40 % 32) : (unsigned)(((unsigned long long)sum * y) >> 5);
    }
    return sum + (x % 11 > 5 ? (unsigned)((int)x / ((int)(x % 4) - 5)) : sum / (x % 9 + 1));
}

__device__ static unsigned thread_of_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ static unsigned threads_of_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

__global__ void paths(unsigned *out)
{
    const unsigned i = blockIdx.x * threads_of_block() + thread_of_block();
    out[i] = walk(i * 3 + 1);
}

/* In each round a thread takes what its neighbour had; those from `end` on leave at once, others after the round that is
 * theirs. */
__global__ void rounds(unsigned *out, unsigned end, unsigned count)
{
    __shared__ unsigned values[1024];
    const unsigned t = thread_of_block(), n = min(end, threads_of_block());
    if (t >= n)
        return;
    unsigned mine = t + 1;
#pragma unroll 1
    for (unsigned round = 0; round < count; round++) {
        values[t] = mine;
        __syncthreads();
        unsigned other = values[(t + round + 1) % n];
        if (other % 3 == round % 3)
            other = other * 5 + 1;
        else if (t % 2)
            for (unsigned k = 0; k < other % 4; k++)
                other += k * t;
        __syncthreads();
        mine += other;
    }
    out[t] = mine;
}

/* Those that take a branch exchange values there, the others elsewhere. */
__global__ void lanes(unsigned *out)
{
    const unsigned t = thread_of_block(), lane = t % 32, first = t - lane;
    const unsigned there = min(32u, threads_of_block() - first);
    const unsigned all = 0xffffffffu >> (32 - there);
    const unsigned value = t * 7 % 13;
    const unsigned odd = __ballot_sync(all, value % 2);
    unsigned result;
    if (value % 2) {
        result = __popc(odd) * 100 + __shfl_sync(odd, value, 31 - __clz(odd));
        if (__any_sync(odd, lane == there - 1))
            result += 10000;
    } else {
        const unsigned even = all & ~odd;
        result = __match_any_sync(even, value) ^ (__all_sync(even, value < 12) ? 0x80000000u : 0);
    }
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(all, result, step);
        if (lane >= step)
            result += other ^ step;
    }
    out[t] = result;
}

static void expect_paths(const unsigned *found, unsigned count)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++)
        wrong += found[i] != walk(i * 3 + 1);
    EXPECT(wrong == 0);
}

static void expect_rounds(const unsigned *found, unsigned threads, unsigned end, unsigned count)
{
    const unsigned n = end < threads ? end : threads;
    std::vector<unsigned> mine(n), before;
    for (unsigned t = 0; t < n; t++)
        mine[t] = t + 1;
    for (unsigned round = 0; round < count; round++) {
        before = mine;
        for (unsigned t = 0; t < n; t++) {
            unsigned other = before[(t + round + 1) % n];
            if (other % 3 == round % 3)
                other = other * 5 + 1;
            else if (t % 2)
                for (unsigned k = 0; k < other % 4; k++)
                    other += k * t;
            mine[t] = before[t] + other;
        }
    }
    EXPECT(memcmp(mine.data(), found, n * sizeof *found) == 0);
}

static void expect_lanes(const unsigned *found, unsigned threads)
{
    for (unsigned first = 0; first < threads; first += 32) {
        const unsigned there = threads - first < 32 ? threads - first : 32;
        unsigned odd = 0, least = 0, values[32], results[32];
        bool all_below = true;
        for (unsigned l = 0; l < there; l++) {
            values[l] = (first + l) * 7 % 13;
            odd |= values[l] % 2 << l;
            all_below &= values[l] % 2 || values[l] < 12;
        }
        for (unsigned l = 0; l < there; l++)
            least = odd >> l & 1 ? values[l] : least; /* of the highest lane that took the branch */
        for (unsigned l = 0; l < there; l++) {
            unsigned same = 0;
            for (unsigned k = 0; k < there; k++)
                same |= (unsigned)(values[k] == values[l]) << k;
            results[l] = values[l] % 2
                             ? __builtin_popcount(odd) * 100 + least + (odd >> (there - 1) & 1) * 10000
                             : same ^ (all_below ? 0x80000000u : 0);
        }
        for (unsigned step = 1; step < 32; step *= 2)
            for (unsigned l = there; l-- > step;)
                results[l] += results[l - step] ^ step;
        EXPECT(memcmp(results, found + first, there * sizeof *found) == 0);
    }
}

int main(int argc, char **argv)
{
    static const dim3 shapes[] = {dim3(1),     dim3(31),     dim3(32),      dim3(33), dim3(100),
                                  dim3(7, 5, 3), dim3(16, 16), dim3(64, 1, 2), dim3(3, 11), dim3(1024)};
    program_begin(argc, argv);
    unsigned *out;
    std::vector<unsigned> found(2048);
    CUDA(cudaMalloc(&out, found.size() * sizeof *out));
    for (const dim3 &shape : shapes) {
        const unsigned threads = shape.x * shape.y * shape.z;
        paths<<<2, shape>>>(out);
        LAUNCHED();
        CUDA(cudaMemcpy(found.data(), out, 2 * threads * sizeof *out, cudaMemcpyDeviceToHost));
        expect_paths(found.data(), 2 * threads);
        for (unsigned end : {1024u, 17u, 45u, 1u}) {
            rounds<<<1, shape>>>(out, end, 9);
            LAUNCHED();
            CUDA(cudaMemcpy(found.data(), out, threads * sizeof *out, cudaMemcpyDeviceToHost));
            expect_rounds(found.data(), threads, end, 9);
        }
        lanes<<<1, shape>>>(out);
        LAUNCHED();
        CUDA(cudaMemcpy(found.data(), out, threads * sizeof *out, cudaMemcpyDeviceToHost));
        expect_lanes(found.data(), threads);
    }
    CUDA(cudaFree(out));
    return program_end();
}

/* malloc() in kernels under stress: no two pieces of memory overlap, any thread of any kernel frees them, an exhausted
 * heap gives NULL and is whole again afterwards, and the largest piece can be had after everything was freed.
 * Small by default; `--full` takes half a GiB and more threads. Pointers live in device memory here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* What a thread's i-th piece holds: a word that tells whose it is, in every word of it. */
__device__ unsigned mark(unsigned thread, unsigned round)
{
    return (thread * 2654435761u) ^ (round * 40503u) ^ 0x5bd1e995u;
}

__device__ unsigned size_of(unsigned thread, unsigned round, unsigned most)
{
    const unsigned word = random_word(((uint64_t)round << 32) | thread);
    const unsigned shift = word % 8; /* small ones are more frequent */
    return ((word >> 8) % (most >> shift | 1) + 4) & ~3u;
}

__device__ void fill(unsigned *memory, unsigned bytes, unsigned value)
{
    for (unsigned i = 0; i < bytes / 4; i++)
        memory[i] = value + i;
}

__device__ bool holds(const unsigned *memory, unsigned bytes, unsigned value)
{
    for (unsigned i = 0; i < bytes / 4; i++)
        if (memory[i] != value + i)
            return false;
    return true;
}

__global__ void take(unsigned **out, unsigned most, unsigned round, unsigned *missing)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, bytes = size_of(i, round, most);
    out[i] = (unsigned *)malloc(bytes);
    if (out[i])
        fill(out[i], bytes, mark(i, round));
    else
        atomicAdd(missing, 1);
}

/* Each thread looks at and frees what another thread took. */
__global__ void give(unsigned **in, unsigned most, unsigned round, unsigned count, unsigned *wrong)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x,
                   other = (count - 1 - i + count / 3) % count;
    if (in[other] && !holds(in[other], size_of(other, round, most), mark(other, round)))
        atomicAdd(wrong, 1);
    free(in[other]);
}

/* Takes and gives in one kernel, several pieces at a time, in an order of its own. */
__global__ void churn(unsigned most, unsigned rounds, unsigned *wrong, unsigned *missing)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *kept[4] = {NULL, NULL, NULL, NULL}, sizes[4] = {0, 0, 0, 0}, marks[4] = {0, 0, 0, 0};
    for (unsigned round = 0; round < rounds + 4; round++) {
        const unsigned slot =
            round < rounds ? random_word(i * 1000003ull + round) % 4 : round - rounds;
        if (kept[slot] && !holds(kept[slot], sizes[slot], marks[slot]))
            atomicAdd(wrong, 1);
        free(kept[slot]);
        kept[slot] = NULL;
        if (round >= rounds)
            continue;
        sizes[slot] = size_of(i, round, most), marks[slot] = mark(i, round);
        kept[slot] = (unsigned *)malloc(sizes[slot]);
        if (kept[slot])
            fill(kept[slot], sizes[slot], marks[slot]);
        else
            atomicAdd(missing, 1);
    }
}

/* Takes pieces of one size until there are none; a list through their first words. */
__global__ void exhaust(void **list, size_t bytes, unsigned *pieces)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    void **last = NULL;
    unsigned taken = 0;
    for (void **p; (p = (void **)malloc(bytes)) != NULL; taken++) {
        p[0] = last;
        last = p;
    }
    list[i] = last;
    atomicAdd(pieces, taken);
}

__global__ void give_lists(void **list)
{
    void **last = (void **)list[blockIdx.x * blockDim.x + threadIdx.x];
    while (last) {
        void **previous = (void **)last[0];
        free(last);
        last = previous;
    }
}

/* A pointer is stored, so that no compiler leaves malloc and free out. */
__device__ char *volatile seen;

/* The largest piece of so many MiB. */
__global__ void largest(unsigned mebibytes, unsigned *out)
{
    for (; mebibytes > 0; mebibytes--) {
        seen = (char *)malloc((size_t)mebibytes << 20);
        if (seen) {
            seen[((size_t)mebibytes << 20) - 1] = 1;
            free(seen);
            break;
        }
    }
    *out = mebibytes;
}

static unsigned value(const device_array<unsigned> &array, int i = 0)
{
    return array.host()[i];
}

static unsigned largest_now(unsigned mebibytes)
{
    device_array<unsigned> out(1);
    largest<<<1, 1>>>(mebibytes, out.data);
    LAUNCHED();
    return value(out);
}

static void across_kernels(int blocks, int threads, unsigned most, bool must_fit)
{
    device_array<unsigned *> pointers(blocks * threads);
    device_array<unsigned> wrong(1), missing(1);
    for (unsigned round = 0; round < 3; round++) {
        take<<<blocks, threads>>>(pointers.data, most, round, missing.data);
        give<<<blocks, threads>>>(pointers.data, most, round, blocks * threads, wrong.data);
    }
    LAUNCHED();
    EXPECT(value(wrong) == 0);
    if (!EXPECT(!must_fit || value(missing) == 0))
        printf("    %d x %d of up to %u: %u got none\n", blocks, threads, most, value(missing));
}

static void within_kernels(int blocks, int threads, unsigned most, unsigned rounds)
{
    device_array<unsigned> wrong(1), missing(1);
    churn<<<blocks, threads>>>(most, rounds, wrong.data, missing.data);
    churn<<<blocks, threads>>>(most, rounds, wrong.data, missing.data);
    LAUNCHED();
    EXPECT(value(wrong) == 0);
    EXPECT(value(missing) == 0);
}

/* All of the heap in pieces of one size, taken and given twice: as many, the second time. */
static void all_of_it(size_t bytes, size_t heap, unsigned whole)
{
    const int threads = 128;
    device_array<void *> lists(threads);
    unsigned before = 0;
    for (int time = 0; time < 2; time++) {
        device_array<unsigned> pieces(1);
        exhaust<<<2, threads / 2>>>(lists.data, bytes, pieces.data);
        give_lists<<<2, threads / 2>>>(lists.data);
        LAUNCHED();
        const unsigned now = value(pieces);
        EXPECT(now * (double)bytes <= (double)heap * 1.2 &&
               now * (double)bytes >= (double)heap * 0.5);
        if (time > 0 && !EXPECT(now >= before - before / 8))
            printf("    %zu bytes: %u pieces, before %u\n", bytes, now, before);
        before = now;
    }
    EXPECT(largest_now(whole) == whole);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const bool is_full = count > 1 && strcmp(arguments[count - 1], "--full") == 0;
    const size_t heap = is_full ? (size_t)1 << 30 : (size_t)32 << 20;
    size_t before = 0, after = 0, total = 0;
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap));
    device_array<unsigned> something(1);
    CUDA(cudaMemGetInfo(&before, &total));
    const unsigned whole = largest_now((unsigned)(heap >> 20));
    CUDA(cudaMemGetInfo(&after, &total));
    EXPECT(whole >= (heap >> 20) * 9 / 10);
    EXPECT(after <= before);
    size_t limit = 0;
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit >= heap);
    EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap * 2) == cudaErrorInvalidValue);
    cudaGetLastError();
    if (!program_prints_hashes)
        printf("%zu MiB of heap took %.1f MiB of the device's memory\n", heap >> 20,
               (double)(before - after) / 1048576);
    across_kernels(is_full ? 64 : 8, 32, 12 << 10, true);
    across_kernels(is_full ? 64 : 4, 512, 64, true);
    across_kernels(is_full ? 500 : 25, 1, 1 << 20, true);
    across_kernels(8, 128, is_full ? 8 << 20 : 256 << 10, false);
    within_kernels(is_full ? 64 : 4, 256, 2000, 20);
    within_kernels(4, 32, 20000, 20);
    EXPECT(largest_now(whole) == whole);
    all_of_it(4096, heap, whole);
    all_of_it(100, is_full ? heap : heap, whole);
    all_of_it(300000, heap, whole);
    return program_end();
}

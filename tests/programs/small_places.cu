/* Atomic operations on shared memory at places that numbers of 8 and 16 bits name, times sizes of several kinds: by whole warps and by
 * some of their threads, with a value for all and with each thread's own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { THREADS = 128, BYTES = 256, SHORTS = 1024, SKIPPED = 16 };

struct counter {
    unsigned mask, sum, parity;
};

struct result_of_block {
    unsigned bytes[BYTES], few[BYTES], shorts[SHORTS], shifted[64];
    counter counters[64];
    unsigned long long wide[64];
};

__global__ void count(result_of_block *results, const unsigned char *bytes,
                      const unsigned short *shorts, const unsigned *words, int n)
{
    __shared__ result_of_block own;
    for (unsigned i = threadIdx.x; i < sizeof own / 4; i += THREADS)
        ((unsigned *)&own)[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += THREADS) {
        const unsigned char byte = bytes[i];
        const unsigned word = words[i];
        atomicAdd(&own.bytes[byte], 1u);
        if (word & 1)
            atomicAdd(&own.few[byte] - SKIPPED, word);
        atomicAdd(&own.shorts[shorts[i] & (SHORTS - 1)], word);
        atomicSub(&own.shifted[word >> 26], 3u);
        atomicOr(&own.counters[word & 63].mask, 1u << (byte & 31));
        atomicAdd(&own.counters[byte >> 2].sum, word);
        if (word & 2)
            atomicXor(&own.counters[byte & 63].parity, word);
        atomicAdd(&own.wide[shorts[i] >> 10], (unsigned long long)word << 20);
    }
    __syncthreads();
    unsigned *const to = (unsigned *)&results[blockIdx.x];
    for (unsigned i = threadIdx.x; i < sizeof own / 4; i += THREADS)
        to[i] = ((unsigned *)&own)[i];
}

static void expect(result_of_block &own, unsigned char byte, unsigned short number, unsigned word)
{
    own.bytes[byte]++;
    if (word & 1)
        own.few[byte - SKIPPED] += word;
    own.shorts[number & (SHORTS - 1)] += word;
    own.shifted[word >> 26] -= 3;
    own.counters[word & 63].mask |= 1u << (byte & 31);
    own.counters[byte >> 2].sum += word;
    if (word & 2)
        own.counters[byte & 63].parity ^= word;
    own.wide[number >> 10] += (unsigned long long)word << 20;
}

int main(int count_of_arguments, char **arguments)
{
    program_begin(count_of_arguments, arguments);
    const int n = 5000; /* the last warps have some threads */
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned short> shorts(n);
    std::vector<unsigned> words(n);
    std::vector<unsigned> expected(sizeof(result_of_block) / 4);
    for (int i = 0; i < n; i++) {
        bytes[i] = (unsigned char)(SKIPPED + random_word(i) % (BYTES - SKIPPED));
        shorts[i] = (unsigned short)random_word(i + n);
        words[i] = random_word(i + 2 * n);
        expect(*(result_of_block *)expected.data(), bytes[i], shorts[i], words[i]);
    }
    device_array<unsigned char> some_bytes(bytes);
    device_array<unsigned short> some_shorts(shorts);
    device_array<unsigned> some_words(words), results(expected.size());
    count<<<1, THREADS>>>((result_of_block *)results.data, some_bytes.data, some_shorts.data,
                          some_words.data, n);
    LAUNCHED();
    EXPECT(results.host() == expected);
    result("results", results.host());
    return program_end();
}

/* Integer kernels of the long kind: SHA-256 of many messages, a counter-based generator, CRC by table, 128-bit products,
 * 64-bit indices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const unsigned host_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__constant__ unsigned rounds[64];
__constant__ unsigned crc_table[256];

__host__ __device__ inline unsigned turned(unsigned v, int by)
{
    return v >> by | v << (32 - by);
}

__host__ __device__ inline void sha256(unsigned *digest, const unsigned *message, const unsigned *k)
{
    unsigned w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned v[8];
    for (int i = 0; i < 16; i++)
        w[i] = message[i];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) +
               w[i - 7] + (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 8; i++)
        v[i] = s[i];
    for (int i = 0; i < 64; i++) {
        const unsigned a = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) +
                           ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        const unsigned b = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) +
                           ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (int j = 7; j > 0; j--)
            v[j] = v[j - 1];
        v[4] += a;
        v[0] = a + b;
    }
    for (int i = 0; i < 8; i++)
        digest[i] = s[i] + v[i];
}

/* "abc" with its padding is message 0. */
__global__ void hash(unsigned *out, const unsigned *messages)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sha256(out + 8 * i, messages + 16 * i, rounds);
}

__host__ __device__ inline unsigned long long generated(unsigned long long index,
                                                        unsigned long long key)
{
    unsigned long long low = index, high = key;
    for (int i = 0; i < 6; i++) {
#ifdef __CUDA_ARCH__
        const unsigned long long top = __umul64hi(low, 0xd2b74407b1ce6e93ull);
#else
        const unsigned long long top =
            (unsigned long long)((unsigned __int128)low * 0xd2b74407b1ce6e93ull >> 64);
#endif
        low = low * 0xd2b74407b1ce6e93ull;
        const unsigned long long kept = low;
        low = top ^ high ^ key;
        high = kept;
        key += 0x9e3779b97f4a7c15ull;
    }
    return low;
}

__global__ void generate(unsigned long long *out, unsigned long long first)
{
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = generated(first + i, 42);
}

__global__ void crc(unsigned *out, const unsigned char *data, int bytes)
{
    const unsigned char *mine = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * bytes;
    unsigned value = ~0u;
    for (int i = 0; i < bytes; i++)
        value = crc_table[(value ^ mine[i]) & 255] ^ value >> 8;
    out[blockIdx.x * blockDim.x + threadIdx.x] = ~value;
}

/* An index beyond 32 bits that comes back into the buffer. */
__global__ void far_index(int *out, size_t far_start, int n)
{
    const size_t i = far_start + blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int *base = out - far_start;
    if (i < far_start + n)
        base[i] = (int)(i % 1000);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 256;
    std::vector<unsigned> messages = random_words(16 * n);
    memset(messages.data(), 0, 64);
    messages[0] = 0x61626380, messages[15] = 24;
    CUDA(cudaMemcpyToSymbol(rounds, host_rounds, sizeof host_rounds));
    device_array<unsigned> in(messages), out(8 * n);
    hash<<<n / 64, 64>>>(out.data, in.data);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    EXPECT(got[0] == 0xba7816bf && got[7] == 0xf20015ad);
    for (int i = 0; i < n; i++) {
        unsigned digest[8];
        sha256(digest, &messages[16 * i], host_rounds);
        EXPECT(memcmp(&got[8 * i], digest, sizeof digest) == 0);
    }
    result("digests", got);
    device_array<unsigned long long> words(n);
    generate<<<n / 64, 64>>>(words.data, 1ull << 40);
    LAUNCHED();
    const std::vector<unsigned long long> numbers = words.host();
    for (int i = 0; i < n; i++)
        EXPECT(numbers[i] == generated((1ull << 40) + i, 42));
    result("generated", numbers);
    unsigned table[256];
    for (unsigned i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    CUDA(cudaMemcpyToSymbol(crc_table, table, sizeof table));
    const std::vector<unsigned char> text = {'1', '2', '3', '4', '5', '6', '7', '8', '9',
                                             '1', '2', '3', '4', '5', '6', '7', '8', '9'};
    device_array<unsigned char> dtext(text);
    crc<<<1, 2>>>(out.data, dtext.data, 9);
    LAUNCHED();
    EXPECT(out.host()[0] == 0xcbf43926 && out.host()[1] == 0xcbf43926);
    device_array<int> near(1000);
    far_index<<<8, 128>>>(near.data, (size_t)5 << 32, 1000);
    LAUNCHED();
    const std::vector<int> indices = near.host();
    for (int i = 0; i < 1000; i++)
        EXPECT(indices[i] == (int)((((size_t)5 << 32) + i) % 1000));
    return program_end();
}

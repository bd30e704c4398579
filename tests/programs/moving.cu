/* Bytes that move within the local and the shared memory of threads, and between those and the device's, as C++ libraries
 * have them moved.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#if defined(__clang__)
#define MOVE(to, from, bytes) __builtin_memmove(to, from, bytes)
#else
#define MOVE(to, from, bytes) move_bytes(to, from, bytes)
#endif

enum { BYTES = 160, ROOM = BYTES + 32 };

__host__ __device__ inline void move_bytes(void *to, const void *from, size_t bytes)
{
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    if (t <= f)
        for (size_t i = 0; i < bytes; i++)
            t[i] = f[i];
    else
        for (size_t i = bytes; i-- > 0;)
            t[i] = f[i];
}

/* Within local memory: by a distance that run time knows, up and down. */
__global__ void within(unsigned char *out, const unsigned char *in, int bytes)
{
    alignas(8) unsigned char room[ROOM];
    const int by = (int)threadIdx.x;
    for (int i = 0; i < ROOM; i++)
        room[i] = in[i];
    MOVE(room + by, room, bytes);
    MOVE(room + 3, room + by / 2, bytes - 3);
    for (int i = 0; i < ROOM; i++)
        out[threadIdx.x * ROOM + i] = room[i];
}

/* Device memory to local to shared to local to device memory. */
__global__ void between(unsigned char *out, const unsigned char *in, int bytes)
{
    alignas(8) __shared__ unsigned char shared[32 * ROOM];
    unsigned char room[ROOM] = {0}, *own = shared + threadIdx.x * ROOM;
    const int by = (int)threadIdx.x;
    MOVE(room + by, in, bytes);
    MOVE(own, room, ROOM);
    MOVE(own + by / 2, own, bytes);
    MOVE(room, own, ROOM);
    MOVE(out + threadIdx.x * ROOM, room, ROOM);
}

#if defined(__clang__)
/* What is known when it is compiled is still known. */
__host__ __device__ constexpr int constant()
{
    int a[4] = {1, 2, 3, 4};
    __builtin_memmove(a + 1, a, 3 * sizeof(int));
    return a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3];
}
static_assert(constant() == 1123, "");
#endif

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<unsigned char> values(ROOM);
    for (int i = 0; i < ROOM; i++)
        values[i] = (unsigned char)random_word(i);
    for (int bytes = BYTES - 1; bytes <= BYTES; bytes++) {
        device_array<unsigned char> in(values), out(32 * ROOM);
        within<<<1, 32>>>(out.data, in.data, bytes);
        LAUNCHED();
        const std::vector<unsigned char> moved = out.host();
        between<<<1, 32>>>(out.data, in.data, bytes);
        LAUNCHED();
        const std::vector<unsigned char> handed = out.host();
        for (int by = 0; by < 32; by++) {
            unsigned char room[ROOM], other[ROOM] = {0};
            memcpy(room, values.data(), ROOM);
            move_bytes(room + by, room, bytes);
            move_bytes(room + 3, room + by / 2, bytes - 3);
            EXPECT(memcmp(room, &moved[by * ROOM], ROOM) == 0);
            memcpy(other + by, values.data(), bytes);
            move_bytes(other + by / 2, other, bytes);
            EXPECT(memcmp(other, &handed[by * ROOM], ROOM) == 0);
        }
        result("moved", moved);
        result("handed on", handed);
    }
    return program_end();
}

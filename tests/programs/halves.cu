/* Numbers that come as halves of one of 64 bits: a lane, a clamp, and a factor.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int results = 4;

__global__ void take_apart(unsigned *all)
{
    const unsigned t = threadIdx.x;
    unsigned *r = all + t * results;
    asm volatile("{.reg .b64 q;\n\t.reg .b32 a, b;\n\tmov.b64 q, 0x500000003;\n\tmov.b64 {a, b}, q;\n\t"
                 "shfl.sync.idx.b32 %0, %2, a, 31, -1;\n\tshfl.sync.idx.b32 %1, %2, b, 31, -1;}"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(t));
    asm volatile("{.reg .b64 q;\n\t.reg .b32 a, b;\n\tmov.b64 q, 0x1f00000002;\n\tmov.b64 {a, b}, q;\n\t"
                 "shfl.sync.down.b32 %0, %1, a, b, -1;}"
                 : "=r"(r[2])
                 : "r"(t));
    asm volatile("{.reg .b32 a, b;\n\tmov.b64 {a, b}, 0x500000003;\n\tmad.lo.u32 %0, %1, b, a;}"
                 : "=r"(r[3])
                 : "r"(t));
}

/* A table is read by such a factor, so that it decides an address. */
__global__ void look_up(unsigned *out, const unsigned *table)
{
    unsigned place;
    asm volatile("{.reg .b32 a, b;\n\tmov.b64 {a, b}, 0x500000003;\n\tmad.lo.u32 %0, %1, b, a;}"
                 : "=r"(place)
                 : "r"(threadIdx.x));
    out[threadIdx.x] = table[place];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const unsigned n = 32;
    device_array<unsigned> out(n * results), found(n), table(random_words(5 * n + 3));
    take_apart<<<1, n>>>(out.data);
    LAUNCHED();
    look_up<<<1, n>>>(found.data, table.data);
    LAUNCHED();
    const std::vector<unsigned> got = out.host(), read = found.host(), words = table.host();
    for (unsigned t = 0; t < n; t++) {
        const unsigned right[results] = {3, 5, t + 2 < n ? t + 2 : t, 5 * t + 3};
        for (int k = 0; k < results; k++)
            if (!EXPECT(got[t * results + k] == right[k]))
                printf("    result %d of %u: %u, not %u\n", k, t, got[t * results + k], right[k]);
        EXPECT(read[t] == words[5 * t + 3]);
    }
    return program_end();
}

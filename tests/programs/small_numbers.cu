/* Numbers of 8 and 16 bits that are computed with as ints: sums, products and comparisons that stay within 16 bits, that just leave
 * them, and that come back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { COUNT = 1 << 16, RESULTS = 41 };

struct numbers {
    unsigned char *a, *b;
    signed char *c;
    unsigned short *d;
    short *e;
};

__host__ __device__ static inline int least(int a, int b)
{
    return a < b ? a : b;
}

__host__ __device__ static inline int most(int a, int b)
{
    return a > b ? a : b;
}

__host__ __device__ static inline int size_of(int a)
{
    return a < 0 ? -a : a;
}

/* Each result is what ints give; they lie COUNT apart. */
__host__ __device__ static inline void compute(struct numbers v, int at, int *out)
{
    const int a = v.a[at], b = v.b[at], c = v.c[at], d = v.d[at], e = v.e[at];
    int i = 0;
    out[COUNT * i++] = a + b;
    out[COUNT * i++] = a - b;
    out[COUNT * i++] = (a - b) * 128; /* -32640 to 32640 */
    out[COUNT * i++] = (a - b) * 129; /* leaves 16 bits */
    out[COUNT * i++] = a * b;         /* to 65025 */
    out[COUNT * i++] = a * b + 510;   /* to 65535 */
    out[COUNT * i++] = a * b + 511;   /* to 65536 */
    out[COUNT * i++] = a * b - 1;     /* -1 to 65024: no reading of 16 bits has both */
    out[COUNT * i++] = c * 256;       /* -32768 to 32512 */
    out[COUNT * i++] = -(c * 256);    /* to 32768 */
    out[COUNT * i++] = size_of(c * 256);
    out[COUNT * i++] = size_of(c * 255);
    out[COUNT * i++] = -e;
    out[COUNT * i++] = size_of(e);
    out[COUNT * i++] = e + 1;
    out[COUNT * i++] = e - 1;
    out[COUNT * i++] = d + 1;
    out[COUNT * i++] = d - 1;
    out[COUNT * i++] = d >> 3;
    out[COUNT * i++] = e >> 3;
    out[COUNT * i++] = (int)((unsigned)e >> 3);
    out[COUNT * i++] = (int)((unsigned)(a - b) >> 1);
    out[COUNT * i++] = (a - b) >> 1;
    out[COUNT * i++] = a << 7;
    out[COUNT * i++] = a << 8;
    out[COUNT * i++] = a << 9;
    out[COUNT * i++] = least(a - b, c);
    out[COUNT * i++] = most(a - b, c);
    out[COUNT * i++] = least(d, a);
    out[COUNT * i++] = most(d, a * 200);
    out[COUNT * i++] = least(d, e); /* readings differ */
    out[COUNT * i++] = most(d, e);
    out[COUNT * i++] = (int)((unsigned)(a - b) < 255u ? (unsigned)(a - b) : 255u);
    out[COUNT * i++] = (int)((unsigned)(a - b) > 255u ? (unsigned)(a - b) : 255u);
    out[COUNT * i++] = least(most(a + 2 * b - 3 * c, 0), 255);
    out[COUNT * i++] = a > c ? a * 3 : c * 5;
    out[COUNT * i++] = a * 299 + b * 587; /* leaves 16 bits on the way */
    out[COUNT * i++] = (a * 77 + b * 150 + 29 * (a ^ b) + 128) >> 8;
    out[COUNT * i++] =
        (unsigned char)(a - b) + (signed char)(a + b) + (short)(d + e) + (unsigned short)(e - d);
    out[COUNT * i++] = d * a + e;
    out[COUNT * i++] = size_of(a - 2 * b) * 200; /* 51,000 where only the larger end is seen */
}

__global__ void compute_all(struct numbers in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        compute(in, i, out + i);
}

/* A register that is set on two ways, and one that grows from turn to turn: what is known of one way is not known of the other. */
__host__ __device__ static inline int grow(const unsigned char *bytes, int i, int turns)
{
    int sum = bytes[i], product = 1;
    for (int turn = 0; turn < turns; turn++) {
        sum += bytes[(i + turn) % COUNT];
        if (bytes[(i * 7 + turn) % COUNT] & 1)
            product *= 3;
        else
            sum = sum * 2 - bytes[i];
    }
    return sum + product;
}

__global__ void grow_all(const unsigned char *bytes, int *out, int turns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        out[i] = grow(bytes, i, turns);
}

/* Registers that are set again under a guard, and halves that are read with another sign than they came with. */
__global__ void read_otherwise(struct numbers in, const int *wide, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short smaller;
    asm("{\n"
        ".reg .pred p;\n"
        ".reg .u32 t;\n"
        "setp.ne.u32 p, %3, 0;\n"
        "mov.u32 t, %1;\n"
        "@p ld.global.u8 t, [%2];\n"
        "add.u32 %0, t, t;\n"
        "}"
        : "=r"(out[i])
        : "r"(wide[i]), "l"(in.a + i), "r"(i % 3));
    asm("min.s16 %0, %1, %2;" : "=h"(smaller) : "h"(in.d[i]), "h"((short)7));
    out[COUNT + i] = (short)smaller * 2;
}

/* The median of nine, and weighted sums, as images are filtered. */
__host__ __device__ static inline void order(int &a, int &b)
{
    const int low = least(a, b);
    b = most(a, b), a = low;
}

__host__ __device__ static inline int filtered(const unsigned char *at, int pitch)
{
    int v[9], sum = 0;
    for (int k = 0; k < 9; k++) {
        v[k] = at[k / 3 * pitch + k % 3];
        sum += v[k] * (k == 4 ? 8 : -1) * 13;
    }
    for (int last = 8; last > 0; last--)
        for (int k = 0; k < last; k++)
            order(v[k], v[k + 1]);
    return v[4] << 16 | least(size_of(sum) >> 4, 0xffff);
}

__global__ void filter(const unsigned char *bytes, int *out, int pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < pitch - 2)
        out[y * pitch + x] = filtered(bytes + y * pitch + x, pitch);
}

template <class T> static T *make(int count)
{
    T *memory;
    CUDA(cudaMallocManaged(&memory, count * sizeof(T)));
    return memory;
}

static unsigned char *make_bytes(void)
{
    unsigned char *const bytes = make<unsigned char>(COUNT);
    for (int i = 0; i < COUNT; i++)
        bytes[i] = (unsigned char)(i < 512 ? (i & 1 ? 255 : 0) : (i * 2654435761u) >> 24);
    return bytes;
}

/* All pairs of bytes, and with each what the others have at their ends and between. */
static void fill(struct numbers v)
{
    static const int ends[] = {0, 1, 127, 128, 255, 256, 32767, 32768, 65534, 65535};
    for (int i = 0; i < COUNT; i++) {
        const int k = i % 11;
        v.a[i] = (unsigned char)i, v.b[i] = (unsigned char)(i >> 8);
        v.c[i] = (signed char)(i * 37 >> 4);
        v.d[i] = (unsigned short)(k < 10 ? ends[k] : i * 40503);
        v.e[i] = (short)(k < 10 ? ends[9 - k] : i * 30011);
    }
}

static void check_computed(void)
{
    struct numbers in = {make<unsigned char>(COUNT), make<unsigned char>(COUNT),
                         make<signed char>(COUNT), make<unsigned short>(COUNT), make<short>(COUNT)};
    int *const out = make<int>(RESULTS * COUNT);
    std::vector<int> expected(RESULTS * COUNT);
    fill(in);
    compute_all<<<COUNT / 128, 128>>>(in, out);
    LAUNCHED();
    for (int i = 0; i < COUNT; i++)
        compute(in, i, &expected[i]);
    for (int k = 0; k < RESULTS; k++)
        if (!EXPECT(memcmp(out + k * COUNT, &expected[k * COUNT], COUNT * sizeof *out) == 0))
            printf("result %d\n", k);
    for (void *memory :
         {(void *)in.a, (void *)in.b, (void *)in.c, (void *)in.d, (void *)in.e, (void *)out})
        CUDA(cudaFree(memory));
}

static void check_read_otherwise(const unsigned char *bytes)
{
    struct numbers in = {make<unsigned char>(COUNT), NULL, NULL, make<unsigned short>(COUNT), NULL};
    int *const wide = make<int>(COUNT), *const out = make<int>(2 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        in.a[i] = bytes[i];
        in.d[i] = (unsigned short)(bytes[i] << 8);
        wide[i] = i * 16000;
    }
    read_otherwise<<<COUNT / 64, 64>>>(in, wide, out);
    LAUNCHED();
    for (int i = 0; i < COUNT; i++) {
        EXPECT(out[i] == (i % 3 ? in.a[i] : wide[i]) * 2);
        EXPECT(out[COUNT + i] == least((short)in.d[i], 7) * 2);
    }
    for (void *memory : {(void *)in.a, (void *)in.d, (void *)wide, (void *)out})
        CUDA(cudaFree(memory));
}

static void check_grown(const unsigned char *bytes)
{
    int *const out = make<int>(COUNT);
    for (int turns = 0; turns <= 12; turns += 4) {
        grow_all<<<COUNT / 256, 256>>>(bytes, out, turns);
        LAUNCHED();
        for (int i = 0; i < COUNT; i++)
            EXPECT(out[i] == grow(bytes, i, turns));
    }
    CUDA(cudaFree(out));
}

static void check_filtered(const unsigned char *bytes)
{
    enum { PITCH = 200, ROWS = COUNT / PITCH - 2 };
    int *const out = make<int>(PITCH * ROWS);
    filter<<<dim3(2, ROWS), 100>>>(bytes, out, PITCH);
    LAUNCHED();
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < PITCH - 2; x++)
            EXPECT(out[y * PITCH + x] == filtered(bytes + y * PITCH + x, PITCH));
    CUDA(cudaFree(out));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    unsigned char *const bytes = make_bytes();
    check_computed();
    check_read_otherwise(bytes);
    check_grown(bytes);
    check_filtered(bytes);
    CUDA(cudaFree(bytes));
    return program_end();
}

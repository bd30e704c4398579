/* Floats of 8 bits, on the device and on the host, each against the nearest of all there are: from half, bfloat16, float and
 * double, saturated and not, alone, two and four of them; back, and into integers. Between half and bfloat16, their raw pairs, and
 * the constants of both.
 * Compute capability: 80
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda_fp8.h>

enum { FLOATS = 4096 };

/* What a byte stands for. */
static double value_of(unsigned byte, bool is_e4m3)
{
    const unsigned size = byte & 0x7f, digits = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15;
    const double fraction = (double)(size & ((1u << digits) - 1)) / (1 << digits);
    const int exponent = (int)(size >> digits);
    double value =
        exponent == 0 ? ldexp(fraction, 1 - (int)bias) : ldexp(1 + fraction, exponent - (int)bias);
    if (!is_e4m3 && size == 0x7c)
        value = INFINITY;
    else if (size > (is_e4m3 ? 0x7eu : 0x7cu))
        value = NAN;
    return byte & 0x80 ? -value : value;
}

static unsigned nearest(double value, bool is_e4m3, bool saturates)
{
    const unsigned most = is_e4m3 ? 0x7e : 0x7b;
    unsigned best = 0;
    if (std::isnan(value))
        return 0x7f;
    /* One that is not there follows the largest: from the middle on a number is too large. */
    for (unsigned i = 1; i <= most + 1; i++) {
        const double here = i > most ? (is_e4m3 ? 480.0 : 65536.0) : value_of(i, is_e4m3);
        const double above = here - fabs(value), below = fabs(value) - value_of(i - 1, is_e4m3);
        if (above < below || (above == below && i % 2 == 0))
            best = i;
    }
    if (best > most && saturates)
        best = most;
    return best | (std::signbit(value) ? 0x80 : 0);
}

struct made {
    unsigned char bytes[2][2]; /* kind, saturation */
    unsigned char half, bf16, whole;
    unsigned short pair;
    unsigned four;
    float back[2];
    int integer;
    float halves;
};

__host__ __device__ static made make(float a)
{
    made m;
    for (int kind = 0; kind < 2; kind++)
        for (int saturation = 0; saturation < 2; saturation++)
            m.bytes[kind][saturation] = __nv_cvt_float_to_fp8(a, (__nv_saturation_t)saturation,
                                                              (__nv_fp8_interpretation_t)kind);
    m.half = __nv_fp8_e4m3(__half(a)).__x;
    m.bf16 = __nv_fp8_e5m2(__nv_bfloat16(a)).__x;
    m.whole = __nv_fp8_e4m3((int)a).__x;
    m.pair = __nv_fp8x2_e5m2(float2{a, -a}).__x;
    m.four = __nv_fp8x4_e4m3(float4{a, 1, -a, 2 * a}).__x;
    m.back[0] = (float)__nv_fp8_e4m3(a);
    m.back[1] = (float)__nv_fp8_e5m2((double)a);
    m.integer = (int)__nv_fp8_e5m2(a);
    const float2 two = (float2)__nv_fp8x2_e4m3(__half2(__half(a), __half(1.0f)));
    const float4 four = (float4)__nv_fp8x4_e5m2(float4{1, a, 2, 3});
    m.halves = two.x + two.y + four.y + four.w;
    return m;
}

__global__ void make_all(const float *a, made *to)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = make(a[blockIdx.x * blockDim.x + threadIdx.x]);
}

static void check(float a, const made &m)
{
    for (int kind = 0; kind < 2; kind++)
        for (int saturation = 0; saturation < 2; saturation++)
            EXPECT(m.bytes[kind][saturation] == nearest(a, kind == 0, saturation == 1));
    const unsigned e4m3 = nearest(a, true, true), e5m2 = nearest(a, false, true);
    const double four = value_of(e4m3, true), five = value_of(e5m2, false);
    EXPECT(m.half == nearest(__half2float(__half(a)), true, true));
    EXPECT(m.bf16 == nearest(__bfloat162float(__nv_bfloat16(a)), false, true));
    EXPECT(m.whole == nearest((double)(int)a, true, true));
    EXPECT(m.pair == (e5m2 | (e5m2 ^ 0x80) << 8));
    EXPECT(m.four ==
           (e4m3 | 0x3800u | (e4m3 ^ 0x80) << 16 | nearest(2 * (double)a, true, true) << 24));
    EXPECT(m.back[0] == (float)four && m.back[1] == (float)five);
    EXPECT(m.integer == (int)five);
    const double half = value_of(nearest(__half2float(__half(a)), true, true), true);
    EXPECT(m.halves == (float)((float)half + 1) + (float)five + 3);
}

/* Numbers of every size there is, the edges between them, and what is too large. */
static std::vector<float> numbers()
{
    std::vector<float> values = random_floats(FLOATS, -600.0f, 600.0f);
    for (int i = 0; i < FLOATS / 4; i++)
        values[(size_t)i] = ldexpf(values[(size_t)i], i % 32 - 24);
    for (unsigned i = 0; i < 0x7c; i++) {
        const double here = value_of(i, i % 2), next = value_of(i + 1, i % 2);
        values[FLOATS / 2 + 2 * i] = (float)here;
        values[FLOATS / 2 + 2 * i + 1] = (float)-((here + next) / 2);
    }
    const float edges[] = {464, 465, 480, -464, 57344, 61440, -61439, 65536, 1e9f, -1e9f, 0, -0.0f};
    memcpy(&values[FLOATS / 2 + 300], edges, sizeof edges);
    return values;
}

__global__ void read_constants(unsigned short *to)
{
    const __half half = CUDART_INF_FP16, largest = CUDART_MAX_NORMAL_FP16;
    to[0] = __half_as_ushort(half);
    to[1] = __half_as_ushort(largest);
    to[2] = __bfloat16_as_ushort(CUDART_MAX_NORMAL_BF16);
    to[3] = __half_as_ushort(__half(CUDART_ONE_BF16));
    to[4] = __bfloat16_as_ushort(__nv_bfloat16(CUDART_ONE_FP16));
    const __half2_raw raw = __half2(CUDART_ZERO_FP16, CUDART_NEG_ZERO_FP16);
    to[5] = raw.y;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const std::vector<float> values = numbers();
    float *a;
    made *made_there;
    unsigned short *constants;
    CUDA(cudaMallocManaged(&a, FLOATS * sizeof *a));
    CUDA(cudaMallocManaged(&made_there, FLOATS * sizeof *made_there));
    CUDA(cudaMallocManaged(&constants, 6 * sizeof *constants));
    memcpy(a, values.data(), FLOATS * sizeof *a);
    make_all<<<FLOATS / 128, 128>>>(a, made_there);
    read_constants<<<1, 1>>>(constants);
    LAUNCHED();
    for (size_t i = 0; i < FLOATS; i++) {
        check(values[i], made_there[i]);
        check(values[i], make(values[i]));
    }
    const unsigned short expected[] = {0x7c00, 0x7bff, 0x7f7f, 0x3c00, 0x3f80, 0x8000};
    EXPECT(memcmp(constants, expected, sizeof expected) == 0);
    CUDA(cudaFree(a));
    CUDA(cudaFree(made_there));
    CUDA(cudaFree(constants));
    return program_end();
}

// Filters of images and transforms of blocks and signals.
// SPDX-License-Identifier: Apache-2.0

__constant__ float gaussian[64];

__device__ inline float4 colour_of(unsigned c)
{
    return make_float4((c & 255) / 255.0f, (c >> 8 & 255) / 255.0f, (c >> 16 & 255) / 255.0f, (c >> 24) / 255.0f);
}

__device__ inline unsigned word_of(float4 c)
{
    return (unsigned)(__saturatef(c.w) * 255) << 24 | (unsigned)(__saturatef(c.z) * 255) << 16 | (unsigned)(__saturatef(c.y) * 255) << 8 |
           (unsigned)(__saturatef(c.x) * 255);
}

extern "C" __global__ void bilateral(const unsigned *in, unsigned *out, int width, int height, float sigma, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float4 centre = colour_of(in[y * width + x]);
    float4 sum = {0, 0, 0, 0};
    float weights = 0;
    for (int i = -radius; i <= radius; i++)
        for (int j = -radius; j <= radius; j++) {
            const int sx = min(max(x + j, 0), width - 1), sy = min(max(y + i, 0), height - 1);
            const float4 c = colour_of(in[sy * width + sx]);
            const float r = c.x - centre.x, g = c.y - centre.y, b = c.z - centre.z;
            const float weight = gaussian[i + radius] * gaussian[j + radius] * __expf(-(r * r + g * g + b * b) / (2 * sigma * sigma));
            sum.x += weight * c.x;
            sum.y += weight * c.y;
            sum.z += weight * c.z;
            weights += weight;
        }
    sum.x /= weights;
    sum.y /= weights;
    sum.z /= weights;
    out[y * width + x] = word_of(sum);
}

// Four pixels at a time out of a tile of bytes with a border.
extern "C" __global__ void sobel(const unsigned char *in, uchar4 *out, int pitch, int width, int height, float scale)
{
    extern __shared__ unsigned char tile[];
    const int row = 4 * blockDim.x + 2, x0 = 4 * blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
    for (int y = threadIdx.y; y < (int)blockDim.y + 2; y += blockDim.y)
        for (int x = threadIdx.x; x < row; x += blockDim.x) {
            const int sx = min(max(x0 + x - 1, 0), width - 1), sy = min(max(y0 + y - 1, 0), height - 1);
            tile[y * row + x] = in[sy * pitch + sx];
        }
    __syncthreads();
    unsigned char found[4];
    const unsigned char *above = tile + threadIdx.y * row + 4 * threadIdx.x;
#pragma unroll
    for (int i = 0; i < 4; i++, above++) {
        const unsigned char *at = above + row, *below = at + row;
        const int horizontal = above[2] + 2 * at[2] + below[2] - above[0] - 2 * at[0] - below[0];
        const int vertical = above[0] + 2 * above[1] + above[2] - below[0] - 2 * below[1] - below[2];
        const int sum = (int)(scale * (float)(abs(horizontal) + abs(vertical)));
        found[i] = (unsigned char)(sum > 255 ? 255 : sum);
    }
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = y0 + threadIdx.y;
    if (4 * x < width && y < height)
        out[y * (pitch / 4) + x] = make_uchar4(found[0], found[1], found[2], found[3]);
}

__constant__ float taps[17];

// Rows of a separable convolution: eight results for each thread, and a halo.
extern "C" __global__ void convolution_rows(float *out, const float *in, int width, int height, int pitch)
{
    enum { WIDE = 16, HIGH = 4, STEPS = 8, HALO = 1, RADIUS = 8 };
    __shared__ float tile[HIGH][(STEPS + 2 * HALO) * WIDE];
    const int x = (blockIdx.x * STEPS - HALO) * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    in += y * pitch + x;
    out += y * pitch + x;
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++)
        tile[threadIdx.y][threadIdx.x + i * WIDE] = in[i * WIDE];
#pragma unroll
    for (int i = 0; i < HALO; i++)
        tile[threadIdx.y][threadIdx.x + i * WIDE] = x >= -i * WIDE ? in[i * WIDE] : 0;
#pragma unroll
    for (int i = HALO + STEPS; i < HALO + STEPS + HALO; i++)
        tile[threadIdx.y][threadIdx.x + i * WIDE] = width - x > i * WIDE ? in[i * WIDE] : 0;
    __syncthreads();
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * tile[threadIdx.y][threadIdx.x + i * WIDE + j];
        out[i * WIDE] = sum;
    }
}

__device__ inline void dct_of_eight(float *v, int stride)
{
    const float a = 1.387039845f, b = 1.306562965f, c = 1.175875602f, d = 0.785694958f, e = 0.541196100f, f = 0.275899379f,
                norm = 0.353553390f;
    const float s07 = v[0] + v[7 * stride], d07 = v[0] - v[7 * stride], s16 = v[stride] + v[6 * stride], d61 = v[6 * stride] - v[stride];
    const float s25 = v[2 * stride] + v[5 * stride], d25 = v[2 * stride] - v[5 * stride], s34 = v[3 * stride] + v[4 * stride],
                d43 = v[4 * stride] - v[3 * stride];
    const float ss = s07 + s34, ds = s07 - s34, sp = s16 + s25, dp = s16 - s25;
    v[0] = norm * (ss + sp);
    v[2 * stride] = norm * (b * ds + e * dp);
    v[4 * stride] = norm * (ss - sp);
    v[6 * stride] = norm * (e * ds - b * dp);
    v[stride] = norm * (a * d07 - c * d61 + d * d25 - f * d43);
    v[3 * stride] = norm * (c * d07 + f * d61 - a * d25 + d * d43);
    v[5 * stride] = norm * (d * d07 + a * d61 + f * d25 - c * d43);
    v[7 * stride] = norm * (f * d07 + d * d61 + c * d25 + a * d43);
}

// Sixteen blocks of 8 x 8 for each block of threads: columns, then rows.
extern "C" __global__ void dct_8x8(float *to, const float *from, int stride)
{
    enum { WIDE = 32, HIGH = 16, ROW = WIDE + 1 };
    __shared__ float tile[HIGH * ROW];
    const int tx = threadIdx.y * 8 + threadIdx.x, ty = threadIdx.z * 8;
    const int x = blockIdx.x * WIDE + tx, y = blockIdx.y * HIGH + ty;
    from += y * stride + x;
    to += y * stride + x;
    float *const column = tile + ty * ROW + tx;
#pragma unroll
    for (int i = 0; i < 8; i++)
        column[i * ROW] = from[i * stride];
    __syncthreads();
    dct_of_eight(tile + (ty + threadIdx.x) * ROW + threadIdx.y * 8, 1);
    __syncthreads();
    dct_of_eight(column, ROW);
#pragma unroll
    for (int i = 0; i < 8; i++)
        to[i * stride] = column[i * ROW];
}

__device__ inline float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ inline void butterfly(float2 &a, float2 &b)
{
    const float2 c = a;
    a = make_float2(c.x + b.x, c.y + b.y);
    b = make_float2(c.x - b.x, c.y - b.y);
}

__device__ inline void fft_of_four(float2 &a, float2 &b, float2 &c, float2 &d)
{
    butterfly(a, c);
    butterfly(b, d);
    d = make_float2(d.y, -d.x);
    butterfly(a, b);
    butterfly(c, d);
}

__device__ inline void fft_of_eight(float2 *v)
{
    const float half = 0.70710678f;
    for (int i = 0; i < 4; i++)
        butterfly(v[i], v[i + 4]);
    v[5] = make_float2((v[5].x + v[5].y) * half, (v[5].y - v[5].x) * half);
    v[6] = make_float2(v[6].y, -v[6].x);
    v[7] = make_float2((v[7].y - v[7].x) * half, (-v[7].x - v[7].y) * half);
    fft_of_four(v[0], v[1], v[2], v[3]);
    fft_of_four(v[4], v[5], v[6], v[7]);
}

// In the order in which fft_of_eight() leaves them.
__device__ inline int reversed(int i)
{
    return (i & 1) << 2 | (i & 2) | i >> 2;
}

__device__ inline void twiddle(float2 *v, int i, int n)
{
#pragma unroll
    for (int j = 1; j < 8; j++) {
        float sine, cosine;
        __sincosf(-6.2831853f * reversed(j) / n * i, &sine, &cosine);
        v[j] = times(v[j], make_float2(cosine, sine));
    }
}

__device__ inline void exchange(float2 *v, float *room, int to, int to_step, int from, int from_step)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        room[to + i * to_step] = v[reversed(i)].x;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i].x = room[from + i * from_step];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++)
        room[to + i * to_step] = v[reversed(i)].y;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i].y = room[from + i * from_step];
    __syncthreads();
}

// 512 points by 64 threads: three times eight in registers, exchanged through shared memory between.
extern "C" __global__ void fft(float2 *data)
{
    __shared__ float room[8 * 8 * 9];
    const int t = threadIdx.x, high = t >> 3, low = t & 7;
    float2 v[8];
    data += blockIdx.x * 512 + t;
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i] = data[i * 64];
    fft_of_eight(v);
    twiddle(v, t, 512);
    exchange(v, room, high * 8 + low, 66, low * 66 + high, 8);
    fft_of_eight(v);
    twiddle(v, high, 64);
    exchange(v, room, high * 8 + low, 8 * 9, high * 8 * 9 + low, 8);
    fft_of_eight(v);
#pragma unroll
    for (int i = 0; i < 8; i++)
        data[i * 64] = v[reversed(i)];
}

// Fast Walsh transform: four levels at a time, and one of two where their number is odd.
extern "C" __global__ void walsh(float *out, const float *in, int levels)
{
    extern __shared__ float data[];
    const int n = 1 << levels, base = blockIdx.x << levels;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = in[base + i];
    const int t = threadIdx.x;
    for (int stride = n / 4; stride > 0; stride /= 4) {
        const int low = t & (stride - 1), a = ((t - low) << 2) + low, b = a + stride, c = b + stride, d = c + stride;
        __syncthreads();
        const float w = data[a], x = data[b], y = data[c], z = data[d];
        const float wy = w + y, w_y = w - y, xz = x + z, x_z = x - z;
        data[a] = wy + xz;
        data[b] = wy - xz;
        data[c] = w_y + x_z;
        data[d] = w_y - x_z;
    }
    if (levels & 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const float a = data[2 * i], b = data[2 * i + 1];
            data[2 * i] = a + b;
            data[2 * i + 1] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[base + i] = data[i];
}

// Haar's wavelet: levels of one block, the approximations in shared memory.
extern "C" __global__ void haar(const float *in, float *out, float *approximation, int levels, int length)
{
    extern __shared__ float values[];
    const int t = threadIdx.x, all = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + t;
    const float half = 0.70710678f, a = in[2 * at], b = in[2 * at + 1];
    values[t + (t >> 5)] = (a + b) * half;
    out[all + at] = (a - b) * half;
    __syncthreads();
    int threads = blockDim.x / 2, stride = 1, where = all / 2;
    for (int level = 1; level < levels; level++) {
        if (t < threads) {
            const int i = 2 * t * stride, j = i + stride;
            const float p = values[i + (i >> 5)], q = values[j + (j >> 5)];
            values[i + (i >> 5)] = (p + q) * half;
            if (where + (int)blockIdx.x * threads + t < length)
                out[where + blockIdx.x * threads + t] = (p - q) * half;
        }
        __syncthreads();
        threads /= 2;
        stride *= 2;
        where /= 2;
    }
    if (t == 0)
        approximation[blockIdx.x] = values[0];
}

// Much arithmetic for each thread: finance, physics, fractals, digests.
// SPDX-License-Identifier: Apache-2.0

// One tile of bodies after the other in shared memory.
extern "C" __global__ void nbody(const float4 *position, float4 *velocity, float4 *to, int n, float step, float softening)
{
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = position[i];
    float3 pull = {0, 0, 0};
    for (int start = 0; start < n; start += blockDim.x) {
        tile[threadIdx.x] = position[start + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (unsigned j = 0; j < blockDim.x; j++) {
            const float x = tile[j].x - own.x, y = tile[j].y - own.y, z = tile[j].z - own.z;
            const float r = rsqrtf(x * x + y * y + z * z + softening), by = tile[j].w * r * r * r;
            pull.x += x * by;
            pull.y += y * by;
            pull.z += z * by;
        }
        __syncthreads();
    }
    float4 v = velocity[i];
    v.x += pull.x * step;
    v.y += pull.y * step;
    v.z += pull.z * step;
    velocity[i] = v;
    to[i] = make_float4(own.x + v.x * step, own.y + v.y * step, own.z + v.z * step, own.w);
}

__device__ inline float normal_distribution(float d)
{
    const float k = 1 / (1 + 0.2316419f * fabsf(d));
    const float tail = 0.39894228f * expf(-0.5f * d * d) *
                       (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void black_scholes(float *call, float *put, const float *price, const float *strike, const float *years,
                                         float rate, float volatility, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    const float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    const float c1 = normal_distribution(d1), c2 = normal_distribution(d2), discount = expf(-rate * t);
    call[i] = s * c1 - x * discount * c2;
    put[i] = x * discount * (1 - c2) - s * (1 - c1);
}

// Paths of a price, by a generator of its own in each thread; their sums and sums of squares.
extern "C" __global__ void monte_carlo(float2 *out, unsigned seed, float spot, float strike, float drift, float spread, int paths)
{
    __shared__ float sums[8], squares[8];
    unsigned state = seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    float a = 0, b = 0;
    for (int i = threadIdx.x; i < paths; i += blockDim.x) {
        unsigned word[2];
        for (int j = 0; j < 2; j++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            word[j] = state;
        }
        const float u = ((float)word[0] + 1) * 2.3283064e-10f, v = (float)word[1] * 2.3283064e-10f;
        const float normal = sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
        const float end = spot * expf(drift + spread * normal), value = end > strike ? end - strike : 0;
        a += value;
        b += value * value;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        a += __shfl_down_sync(0xffffffffu, a, offset);
        b += __shfl_down_sync(0xffffffffu, b, offset);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = a;
        squares[threadIdx.x / 32] = b;
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        a = sums[threadIdx.x];
        b = squares[threadIdx.x];
        for (int offset = 4; offset > 0; offset /= 2) {
            a += __shfl_down_sync(0xffu, a, offset);
            b += __shfl_down_sync(0xffu, b, offset);
        }
        if (threadIdx.x == 0)
            out[blockIdx.x] = make_float2(a, b);
    }
}

extern "C" __global__ void mandelbrot(uchar4 *image, int width, int height, int most, double x0, double y0, double scale)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= width || iy >= height)
        return;
    const double cx = x0 + ix * scale, cy = y0 + iy * scale;
    double x = 0, y = 0, xx = 0, yy = 0;
    int turns = most;
    do {
        y = x * y * 2 + cy;
        x = xx - yy + cx;
        yy = y * y;
        xx = x * x;
    } while (--turns && xx + yy < 4);
    const int m = turns > 0 ? most - turns : 0;
    image[iy * width + ix] = make_uchar4((unsigned char)(m * 3), (unsigned char)(m * 5), (unsigned char)(m * 7), 0);
}

__device__ inline unsigned rotated(unsigned x, unsigned by)
{
    return x >> by | x << (32 - by);
}

// The 64 rounds of a hash over a block of 16 words for each thread.
extern "C" __global__ void digest(const unsigned *words, unsigned *out, int n)
{
    static const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[16], h[8], k = 0x428a2f98;
#pragma unroll
    for (int j = 0; j < 16; j++)
        w[j] = words[i * 16 + j];
#pragma unroll
    for (int j = 0; j < 8; j++)
        h[j] = start[j];
#pragma unroll
    for (int round = 0; round < 64; round++) {
        if (round >= 16) {
            const unsigned a = w[(round + 1) % 16], b = w[(round + 14) % 16];
            w[round % 16] += (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[(round + 9) % 16] + (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
        }
        const unsigned a = h[0], e = h[4];
        const unsigned t1 = h[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & h[5]) ^ (~e & h[6])) + k + w[round % 16];
        const unsigned t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]));
        for (int j = 7; j > 0; j--)
            h[j] = h[j - 1];
        h[4] += t1;
        h[0] = t1 + t2;
        k = k * 0x9e3779b1 + 0x7f4a7c15;
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
        out[i * 8 + j] = h[j] + start[j];
}

// Forces among the particles of neighbouring cells.
extern "C" __global__ void collide(float4 *to, const float4 *position, const float4 *velocity, const unsigned *start,
                                   const unsigned *end, int n, int cells, float radius)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 p = position[i], v = velocity[i];
    const int gx = (int)floorf(p.x), gy = (int)floorf(p.y), gz = (int)floorf(p.z);
    float3 force = {0, 0, 0};
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                const int cell = ((gz + z & cells - 1) * cells + (gy + y & cells - 1)) * cells + (gx + x & cells - 1);
                if (start[cell] == 0xffffffffu)
                    continue;
                for (unsigned j = start[cell]; j < end[cell]; j++) {
                    if ((int)j == i)
                        continue;
                    const float4 q = position[j], u = velocity[j];
                    const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, far = sqrtf(dx * dx + dy * dy + dz * dz);
                    if (far < 2 * radius) {
                        const float nx = dx / far, ny = dy / far, nz = dz / far, spring = -0.5f * (2 * radius - far);
                        const float ux = u.x - v.x, uy = u.y - v.y, uz = u.z - v.z, along = ux * nx + uy * ny + uz * nz;
                        force.x += spring * nx + 0.02f * ux + 0.1f * (ux - along * nx);
                        force.y += spring * ny + 0.02f * uy + 0.1f * (uy - along * ny);
                        force.z += spring * nz + 0.02f * uz + 0.1f * (uz - along * nz);
                    }
                }
            }
    to[i] = make_float4(v.x + force.x, v.y + force.y, v.z + force.z, 0);
}

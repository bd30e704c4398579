/* Bodies that attract each other, by tiles of shared memory: each step against the same arithmetic on the host.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int tile = 64;

__host__ __device__ inline float3 pull(float4 a, float4 b, float3 sum)
{
    const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    const float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
    const float factor = b.w / (square * sqrtf(square));
    return make_float3(fmaf(dx, factor, sum.x), fmaf(dy, factor, sum.y), fmaf(dz, factor, sum.z));
}

__global__ void step(float4 *next, float4 *velocity, const float4 *bodies, int n, float dt)
{
    __shared__ float4 near[tile];
    const int i = blockIdx.x * tile + threadIdx.x;
    const float4 mine = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += tile) {
        if (first + (int)threadIdx.x < n)
            near[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < tile && first + k < n; k++)
            sum = pull(mine, near[k], sum);
        __syncthreads();
    }
    if (i < n) {
        float4 v = velocity[i];
        v.x = fmaf(sum.x, dt, v.x), v.y = fmaf(sum.y, dt, v.y), v.z = fmaf(sum.z, dt, v.z);
        velocity[i] = v;
        next[i] = make_float4(fmaf(v.x, dt, mine.x), fmaf(v.y, dt, mine.y), fmaf(v.z, dt, mine.z),
                              mine.w);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 300;
    const float dt = 1.0f / 64;
    const std::vector<float> random = random_floats(4 * n, -1, 1);
    std::vector<float4> bodies(n), velocity(n);
    for (int i = 0; i < n; i++)
        bodies[i] = make_float4(random[4 * i], random[4 * i + 1], random[4 * i + 2],
                                fabsf(random[4 * i + 3]));
    device_array<float4> a(bodies), b(n), dvelocity(n);
    for (int turn = 0; turn < 3; turn++) {
        float4 *from = turn % 2 ? b.data : a.data, *to = turn % 2 ? a.data : b.data;
        step<<<(n + tile - 1) / tile, tile>>>(to, dvelocity.data, from, n, dt);
        LAUNCHED();
        std::vector<float4> next(n);
        for (int i = 0; i < n; i++) {
            float3 sum = make_float3(0, 0, 0);
            for (int k = 0; k < n; k++)
                sum = pull(bodies[i], bodies[k], sum);
            float4 &v = velocity[i];
            v.x = fmaf(sum.x, dt, v.x), v.y = fmaf(sum.y, dt, v.y), v.z = fmaf(sum.z, dt, v.z);
            next[i] = make_float4(fmaf(v.x, dt, bodies[i].x), fmaf(v.y, dt, bodies[i].y),
                                  fmaf(v.z, dt, bodies[i].z), bodies[i].w);
        }
        bodies = next;
        const std::vector<float4> got = (turn % 2 ? a : b).host();
        for (int i = 0; i < n; i++)
            EXPECT(memcmp(&got[i], &bodies[i], sizeof(float4)) == 0);
        result("bodies", got);
    }
    return program_end();
}

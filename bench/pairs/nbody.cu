/* Forces of all bodies on all: tiles of bodies in shared memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { TILE = 128 };
struct body {
    float x, y, z, mass;
    explicit operator double() const
    {
        return x + y + z;
    }
};
static int n;
static body *bodies, *forces;

static void prepare(void)
{
    n = pair_size(1024, 8192);
    bodies = pair_input<body>(n, [](uint64_t i) {
        return body{pair_random_float(4 * i), pair_random_float(4 * i + 1),
                    pair_random_float(4 * i + 2), pair_random_float(4 * i + 3)};
    });
    forces = pair_output<body>(n);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#define ROOT   rsqrtf
#else
#define INLINE      static inline
#define ROOT(value) (1.0f / sqrtf(value))
#endif

INLINE void pull(const body &from, const body &on, float &fx, float &fy, float &fz)
{
    const float dx = from.x - on.x, dy = from.y - on.y, dz = from.z - on.z;
    const float root = ROOT(dx * dx + dy * dy + dz * dz + 0.01f);
    const float force = from.mass * root * root * root;
    fx += dx * force;
    fy += dy * force;
    fz += dz * force;
}

#ifdef __CUDACC__
__global__ void interact(const body *bodies, body *forces, int n)
{
    __shared__ body tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const body mine = bodies[i];
    float fx = 0, fy = 0, fz = 0;
    for (int first = 0; first < n; first += TILE) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            pull(tile[k], mine, fx, fy, fz);
        __syncthreads();
    }
    forces[i] = body{fx, fy, fz, 0};
}

static void work(void)
{
    interact<<<n / TILE, TILE>>>(bodies, forces, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0;
        for (int k = 0; k < n; k++)
            pull(bodies[k], bodies[i], fx, fy, fz);
        forces[i] = body{fx, fy, fz, 0};
    }
}
#endif

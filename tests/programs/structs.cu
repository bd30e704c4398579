/* Elements of all sizes: array of structs against struct of arrays, padded and unpadded structs of 3 to 32 bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct particle {
    float x, y, z, mass;
};

__global__ void advance_aos(particle *particles, float step, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        particle p = particles[i];
        p.x += p.mass * step;
        p.y -= step;
        particles[i] = p;
    }
}

__global__ void advance_soa(float *x, float *y, const float *__restrict__ mass, float step, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += mass[i] * step;
        y[i] -= step;
    }
}

template <int n> struct bytes_of {
    unsigned char b[n];
};
template <int n> struct words_of {
    unsigned w[n];
};
struct __align__(8) aligned8
{
    unsigned w[2];
};
struct __align__(16) aligned16
{
    unsigned w[3];
};
struct __align__(16) aligned32
{
    unsigned w[8];
};

template <class T> __global__ void reverse(T *out, const T *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[n - 1 - i] = in[i];
}

template <class T> static void sizes(const char *name, size_t defined)
{
    const int n = 1000;
    std::vector<T> in(n);
    for (size_t i = 0; i < n * sizeof(T); i++)
        ((unsigned char *)in.data())[i] = (unsigned char)random_word(i);
    device_array<T> source(in), destination(n);
    reverse<T><<<8, 128>>>(destination.data, source.data, n);
    LAUNCHED();
    const std::vector<T> got = destination.host();
    for (int i = 0; i < n; i++)
        EXPECT(memcmp(&got[n - 1 - i], &in[i], defined) == 0);
    if (defined == sizeof(T))
        result(name, got);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 5000;
    const std::vector<float> random = random_floats(4 * n, -1, 1);
    std::vector<particle> all(n);
    std::vector<float> x(n), y(n), mass(n);
    for (int i = 0; i < n; i++) {
        all[i] = {random[4 * i], random[4 * i + 1], random[4 * i + 2], random[4 * i + 3]};
        x[i] = all[i].x, y[i] = all[i].y, mass[i] = all[i].mass;
    }
    device_array<particle> aos(all);
    device_array<float> dx(x), dy(y), dmass(mass);
    advance_aos<<<(n + 127) / 128, 128>>>(aos.data, 0.125f, n);
    advance_soa<<<(n + 127) / 128, 128>>>(dx.data, dy.data, dmass.data, 0.125f, n);
    LAUNCHED();
    const std::vector<particle> got = aos.host();
    const std::vector<float> gx = dx.host(), gy = dy.host();
    for (int i = 0; i < n; i++) {
        EXPECT(got[i].x == gx[i] && got[i].y == gy[i] && got[i].z == all[i].z);
        EXPECT(gy[i] == y[i] - 0.125f && gx[i] == fmaf(mass[i], 0.125f, x[i]));
    }
    result("aos", got);
    result("soa", gx);
    sizes<bytes_of<3>>("3 bytes", 3);
    sizes<bytes_of<5>>("5 bytes", 5);
    sizes<words_of<3>>("12 bytes", 12);
    sizes<words_of<5>>("20 bytes", 20);
    sizes<words_of<6>>("24 bytes", 24);
    sizes<aligned8>("aligned 8", 8);
    sizes<aligned16>("aligned 16", 12);
    sizes<aligned32>("aligned 32", 32);
    return program_end();
}

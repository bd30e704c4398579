/* Functions of constants, which compilers compute: of what is no number, and of infinities.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* F(function): no number of none */
#define FUNCTIONS(F)                                                                               \
    F(exp)                                                                                         \
    F(exp2) F(expm1) F(round) F(sinh) F(tanh) F(tgamma) F(erfc) F(erfcx) F(normcdf) F(rcbrt)       \
        F(cyl_bessel_i0) F(cyl_bessel_i1)

enum { NO_NUMBERS = 15, ALL = NO_NUMBERS + 5 };

/* To nvcc, math is constant. */
__device__ constexpr double inverse_of_log10()
{
    return 1.0 / ::log(10.0);
}

__device__ float tanh_approx(float x)
{
    float result;
    asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

__global__ void apply(float *f, double *d)
{
    int i = 0;
#define APPLY(name)                                                                                \
    f[i] = name##f((float)NAN);                                                                    \
    d[i++] = name((double)NAN);
    FUNCTIONS(APPLY)
    f[i] = powf((float)NAN, 3.0f);
    d[i++] = pow((double)NAN, 3.0);
    f[i] = powf(3.0f, (float)NAN);
    d[i++] = pow(3.0, (double)NAN);
    f[i] = powf(1.0f, (float)NAN);
    d[i++] = pow(1.0, (double)NAN);
    f[i] = powf((float)NAN, 0.0f);
    d[i++] = pow((double)NAN, 0.0);
    f[i] = -tanhf(-(float)INFINITY);
    d[i++] = -tanh(-(double)INFINITY);
    f[i] = tanh_approx((float)INFINITY);
    d[i++] = tanh(40.0);
    f[i] = (float)(inverse_of_log10() * log(10.0));
    d[i] = 1.0;
}

int main(int argc, char **argv)
{
    float *f = NULL, single[ALL];
    double *d = NULL, twice[ALL];
    program_begin(argc, argv);
    CUDA(cudaMalloc(&f, sizeof single));
    CUDA(cudaMalloc(&d, sizeof twice));
    apply<<<1, 1>>>(f, d);
    LAUNCHED();
    CUDA(cudaMemcpy(single, f, sizeof single, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(twice, d, sizeof twice, cudaMemcpyDeviceToHost));
    for (int i = 0; i < NO_NUMBERS; i++)
        EXPECT(std::isnan(single[i]) && std::isnan(twice[i]));
    for (int i = NO_NUMBERS; i < ALL; i++)
        EXPECT(single[i] == 1.0f && twice[i] == 1.0);
    CUDA(cudaFree(f));
    CUDA(cudaFree(d));
    return program_end();
}

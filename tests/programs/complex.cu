/* Complex numbers of cuComplex.h, on the host and in kernels: exact where the parts are small integers, and magnitudes
 * and quotients whose squares would overflow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuComplex.h>

__global__ void single(cuFloatComplex *out, cuFloatComplex a, cuFloatComplex b)
{
    out[0] = cuCaddf(a, b);
    out[1] = cuCsubf(a, b);
    out[2] = cuCmulf(a, b);
    out[3] = cuCdivf(cuCmulf(a, b), b);
    out[4] = cuConjf(a);
    out[5] = make_cuComplex(cuCabsf(make_cuFloatComplex(3e30f, -4e30f)), cuCabsf(make_cuFloatComplex(0, 0)));
    out[6] = cuCfmaf(a, b, make_cuFloatComplex(1, 1));
}

__global__ void wide(cuDoubleComplex *out, cuDoubleComplex a, cuDoubleComplex b)
{
    out[0] = cuCadd(a, b);
    out[1] = cuCsub(a, b);
    out[2] = cuCmul(a, b);
    out[3] = cuCdiv(cuCmul(a, b), b);
    out[4] = cuConj(a);
    out[5] = make_cuDoubleComplex(cuCabs(make_cuDoubleComplex(-3e200, 4e200)), cuCabs(make_cuDoubleComplex(0, 0)));
    out[6] = cuCfma(a, b, make_cuDoubleComplex(1, 1));
}

/* a = 3 + 4i, b = 2 - i */
template <typename T> static void check(const std::vector<T> &got, double magnitude, double error)
{
    const double expected[7][2] = {{5, 3}, {1, 5}, {10, 5}, {3, 4}, {3, -4}, {magnitude, 0}, {11, 6}};
    for (int i = 0; i < 7; i++) {
        EXPECT(fabs(got[i].x - expected[i][0]) <= error * fabs(expected[i][0]));
        EXPECT(fabs(got[i].y - expected[i][1]) <= error * fabs(expected[i][1]));
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<cuFloatComplex> f(7);
    single<<<1, 1>>>(f.data, make_cuFloatComplex(3, 4), make_cuFloatComplex(2, -1));
    LAUNCHED();
    check(f.host(), 5e30, 1e-6);
    device_array<cuDoubleComplex> d(7);
    wide<<<1, 1>>>(d.data, make_cuDoubleComplex(3, 4), make_cuDoubleComplex(2, -1));
    LAUNCHED();
    check(d.host(), 5e200, 1e-15);
    EXPECT(cuCreal(cuCmul(make_cuDoubleComplex(0, 1), make_cuDoubleComplex(0, 1))) == -1);
    EXPECT(cuCimagf(cuComplexDoubleToFloat(cuComplexFloatToDouble(make_cuFloatComplex(1, 7)))) == 7);
    EXPECT(std::isinf(cuCabsf(make_cuFloatComplex(INFINITY, INFINITY))));
    return program_end();
}

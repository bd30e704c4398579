/* cuda::std's names, which are the C++ library's, in kernels and beside cuda::std::atomic.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/cassert>
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

struct results {
    int sum, most, swapped, wide;
    float half, root, real, imaginary;
};

template <class T, class = cuda::std::enable_if_t<cuda::std::is_floating_point<T>::value>>
__device__ static T half_of(T a)
{
    return a / 2;
}

__global__ void compute(results *to, int start)
{
    cuda::std::array<int, 4> numbers{start, 2, 3, 4};
    numbers[1] = 7;
    int sum = 0;
    for (int number : numbers)
        sum += number;
    const auto all = cuda::std::make_tuple(sum, 2.5f);
    const auto pair = cuda::std::make_pair(1, 2);
    assert(sum > 0);
    to->sum = cuda::std::get<0>(all) + pair.second;
    to->most = cuda::std::numeric_limits<int>::max();
    to->half = half_of(cuda::std::get<1>(all));
    to->root = cuda::std::sqrt((float)start * 4) + cuda::std::fabs(-1.0f);
    cuda::std::complex<float> product((float)start, 2);
    product = product * cuda::std::complex<float>(3, 4);
    to->real = product.real();
    to->imaginary = product.imag();
    int first = 3, second = 4;
    cuda::std::swap(first, second);
    to->swapped = first;
    to->wide = (int)(cuda::std::uint32_t{5} + cuda::std::size_t{6});
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    static_assert(cuda::std::is_same<cuda::std::remove_cv_t<const int>, int>::value, "");
    results *to;
    CUDA(cudaMallocManaged(&to, sizeof *to));
    compute<<<1, 1>>>(to, 1);
    LAUNCHED();
    EXPECT(to->sum == 1 + 7 + 3 + 4 + 2 && to->most == INT_MAX && to->half == 1.25f);
    EXPECT(to->root == 3.0f && to->real == -5.0f && to->imaginary == 10.0f);
    EXPECT(to->swapped == 4 && to->wide == 11);
    CUDA(cudaFree(to));
    return program_end();
}

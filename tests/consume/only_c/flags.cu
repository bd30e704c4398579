/* What the target says arrives.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstring>

#include "in_folder.h"

#if !defined(FROM_OPTION) || __cplusplus < 202002L || !defined(__STRICT_ANSI__) || IN_FOLDER != 1
#error the target's options, standard or folders are not here
#endif
#if defined(WITH_OPENMP) && !defined(_OPENMP) && !defined(__CUDA_ARCH__)
#error what the target is linked with asks for OpenMP
#endif

void add_forty(int *p);

int main()
{
    const int list[3] = LIST;
    int *p, sum = 0;
    if (cudaMallocManaged(&p, sizeof list) != cudaSuccess)
        return 1;
    memcpy(p, list, sizeof list);
    add_forty(p);
    if (cudaDeviceSynchronize() != cudaSuccess || strcmp(TEXT, "a,b") != 0)
        return 2;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 3; i++)
        sum += p[i];
    printf("%d\n", sum);
    return sum != 126;
}

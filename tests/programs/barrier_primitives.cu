/* Barriers in shared memory by their C functions: phases by token and by parity, counts, threads that drop out, waits that
 * end without, copies that arrive.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

enum { THREADS = 160, ROUNDS = 5 };

__device__ void begin(__mbarrier_t *barrier)
{
    if (threadIdx.x == 0)
        __mbarrier_init(barrier, THREADS);
    __syncthreads();
}

__global__ void phases(int *out)
{
    __shared__ __mbarrier_t barrier;
    __shared__ int values[THREADS];
    const int t = threadIdx.x;
    begin(&barrier);
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        values[t] = t * (i + 1);
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token))
            ;
        sum += values[THREADS - 1 - t];
        __mbarrier_arrive(&barrier);
        while (!__mbarrier_try_wait_parity(&barrier, true, 1000))
            ;
    }
    out[t] = sum;
    __syncthreads();
    if (t == 0)
        __mbarrier_inval(&barrier);
}

/* One thread arrives for all that are left; facts[0..]: what each call said. */
__global__ void counts(int *facts)
{
    __shared__ __mbarrier_t barrier;
    __mbarrier_init(&barrier, 3);
    const __mbarrier_token_t first = __mbarrier_arrive(&barrier);
    facts[0] = __mbarrier_token_pending_count(first);
    facts[1] = __mbarrier_test_wait(&barrier, first);
    facts[2] = __mbarrier_try_wait(&barrier, first, 20000);
    facts[3] = __mbarrier_test_wait_parity(&barrier, false);
    __mbarrier_arrive(&barrier);
    __mbarrier_arrive_and_drop(&barrier);
    facts[4] = __mbarrier_test_wait(&barrier, first);
    facts[5] = __mbarrier_test_wait_parity(&barrier, false);
    facts[6] = __mbarrier_test_wait_parity(&barrier, true);
    __mbarrier_arrive(&barrier);
    const __mbarrier_token_t last = __mbarrier_arrive(&barrier);
    facts[7] = __mbarrier_try_wait(&barrier, last, 0);
    facts[8] = __mbarrier_maximum_count() == (1 << 20) - 1;
}

__global__ void copies(const int4 *from, int4 *to)
{
    __shared__ __mbarrier_t barrier;
    __shared__ int4 values[THREADS];
    const int t = threadIdx.x;
    begin(&barrier);
    __pipeline_memcpy_async(&values[t], &from[t], sizeof(int4));
    __pipeline_arrive_on(&barrier);
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_try_wait(&barrier, token, 1000))
        ;
    to[t] = values[THREADS - 1 - t];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(THREADS), facts(9);
    phases<<<1, THREADS>>>(out.data);
    counts<<<1, 1>>>(facts.data);
    LAUNCHED();
    const std::vector<int> sums = out.host();
    for (int t = 0; t < THREADS; t++)
        EXPECT(sums[t] == (THREADS - 1 - t) * ROUNDS * (ROUNDS + 1) / 2);
    EXPECT(facts.host() == std::vector<int>({3, 0, 0, 0, 1, 1, 0, 1, 1}));

    std::vector<int4> values(THREADS);
    for (int t = 0; t < THREADS; t++)
        values[t] = {t, t * t, -t, 7};
    device_array<int4> from(values), to(THREADS);
    copies<<<1, THREADS>>>(from.data, to.data);
    LAUNCHED();
    const std::vector<int4> copied = to.host();
    for (int t = 0; t < THREADS; t++)
        EXPECT(memcmp(&copied[t], &values[THREADS - 1 - t], sizeof(int4)) == 0);
    return program_end();
}

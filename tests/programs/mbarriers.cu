/* Barriers in shared memory by their own instructions, which compilers write for later GPUs: phases by state and by
 * parity, counts, threads that drop out, bytes that are expected, copies that arrive, producers and consumers; and
 * instructions of clusters in clusters of one block.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

typedef unsigned long long state_t;

__device__ uint32_t place_of(const state_t *barrier)
{
    return (uint32_t)__cvta_generic_to_shared(barrier);
}

__device__ void begin(state_t *barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place_of(barrier)), "r"(count)
                 : "memory");
}

__device__ state_t arrive(state_t *barrier)
{
    state_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(place_of(barrier))
                 : "memory");
    return state;
}

__device__ bool is_over(state_t *barrier, state_t state)
{
    int is;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
        : "=r"(is)
        : "r"(place_of(barrier)), "l"(state)
        : "memory");
    return is;
}

__device__ bool is_over_parity(state_t *barrier, uint32_t parity)
{
    int is;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.b64 p, [%1], %2; selp.s32 "
                 "%0, 1, 0, p; }"
                 : "=r"(is)
                 : "l"(barrier), "r"(parity)
                 : "memory");
    return is;
}

/* All threads, phase by phase. */
__global__ void phases(int *out, int rounds)
{
    __shared__ state_t barrier;
    __shared__ int values[256];
    const int t = threadIdx.x, n = blockDim.x;
    if (t == 0)
        begin(&barrier, n);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        values[t] = t * (i + 1) + blockIdx.x;
        const state_t first = arrive(&barrier);
        while (!is_over(&barrier, first))
            ;
        sum += values[n - 1 - t] * (i + 3);
        asm volatile("mbarrier.arrive.release.cta.b64 _, [%0];" ::"l"(&barrier) : "memory");
        while (!is_over_parity(&barrier, 1))
            ;
    }
    out[blockIdx.x * n + t] = sum;
}

/* Waits that find the phase over: threads that cannot wait for each other in a loop, as work-items of a CPU, come by. */
__global__ void after_all(int *out)
{
    __shared__ state_t barrier;
    __shared__ int values[256];
    const int t = threadIdx.x, n = blockDim.x;
    if (t == 0)
        begin(&barrier, n);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        values[t] = t + i;
        const state_t state = arrive(&barrier);
        __syncthreads();
        while (!is_over(&barrier, state) || is_over_parity(&barrier, i + 1 & 1))
            ;
        sum += values[n - 1 - t];
        __syncthreads();
    }
    out[blockIdx.x * n + t] = sum;
}

/* One thread does all: what is counted. */
__global__ void counts(int *out)
{
    __shared__ state_t barrier;
    const uint32_t at = place_of(&barrier);
    state_t state;
    uint32_t pending;
    begin(&barrier, 5);
    out[0] = is_over_parity(&barrier, 0) | is_over_parity(&barrier, 1) << 1;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 3;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[1] = pending;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[2] = pending * 10 + is_over(&barrier, state);
    state = arrive(&barrier);
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[3] = pending * 10 + is_over(&barrier, state);
    state = arrive(&barrier);
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[4] = pending * 10 + is_over(&barrier, state); /* four are left of five */
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], 3;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
    out[5] = is_over(&barrier, state) + 2 * is_over_parity(&barrier, 0) +
             4 * is_over_parity(&barrier, 1);
    /* Bytes: the phase goes on until as many have come as were expected. */
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 48;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], 3;" ::"r"(at) : "memory");
    out[6] = is_over(&barrier, state);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 48;" ::"r"(at) : "memory");
    out[7] = is_over(&barrier, state);
    asm volatile("mbarrier.complete_tx.shared::cta.b64 [%0], 16;" ::"r"(at) : "memory");
    out[8] = is_over(&barrier, state);
    asm volatile("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], 0;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], 3;" ::"r"(at) : "memory");
    state = arrive(&barrier);
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[9] = pending;
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
    for (int i = 0; i < 20; i++) { /* phases come round */
        begin(&barrier, 1);
        for (int j = 0; j <= i; j++)
            state = arrive(&barrier);
        out[10 + i] = is_over(&barrier, state) + 2 * is_over_parity(&barrier, i & 1);
    }
}

/* Half of the warps fill two places in turn, the others empty them. */
__global__ void hand_over(int *out, int rounds)
{
    __shared__ state_t full[2], empty[2];
    __shared__ int places[2][128];
    const int t = threadIdx.x, half = blockDim.x / 2;
    if (t == 0)
        for (int i = 0; i < 2; i++) {
            begin(&full[i], half);
            begin(&empty[i], half);
        }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        const int at = i % 2, parity = i / 2 % 2;
        if (t < half) {
            while (!is_over_parity(&empty[at], parity ^ 1))
                ;
            places[at][t] = i * 1000 + t;
            (void)arrive(&full[at]);
        } else {
            while (!is_over_parity(&full[at], parity))
                ;
            sum = sum * 3 + places[at][blockDim.x - 1 - t];
            (void)arrive(&empty[at]);
        }
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

__device__ __noinline__ void wait_in_function(state_t *barrier, uint32_t parity)
{
    while (!is_over_parity(barrier, parity))
        ;
}

/* One thread hands over to all others, those of its warp among them. */
__global__ void from_one(int *out, int rounds)
{
    __shared__ state_t full, empty;
    __shared__ int value;
    const int t = threadIdx.x, giver = 5;
    if (t == giver) {
        begin(&full, 1);
        begin(&empty, blockDim.x - 1);
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < rounds; i++)
        if (t == giver) {
            wait_in_function(&empty, ~i & 1);
            value = i * i + 1;
            (void)arrive(&full);
        } else {
            wait_in_function(&full, i & 1);
            sum = sum * 3 + value;
            (void)arrive(&empty);
        }
    out[blockIdx.x * blockDim.x + t] = sum;
}

/* Copies that arrive in the threads' place, and beside them. */
__global__ void copies(int *out, const int *in)
{
    __shared__ state_t barrier;
    __shared__ __align__(16) int values[2][64];
    const int t = threadIdx.x;
    if (t == 0)
        begin(&barrier, 64);
    __syncthreads();
    const uint32_t first = (uint32_t)__cvta_generic_to_shared(&values[0][t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(first), "l"(in + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place_of(&barrier))
                 : "memory");
    while (!is_over_parity(&barrier, 0))
        ;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(first + 256), "l"(in + 64 + t)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"l"(&barrier) : "memory");
    const state_t state = arrive(&barrier);
    while (!is_over(&barrier, state))
        ;
    out[t] = values[0][63 - t] * 100 + values[1][63 - t];
}

/* One thread asks for a copy of all, which the others wait for; another takes what they made of it away. */
__global__ void bulk(int *out, const int *in)
{
    __shared__ state_t barrier;
    __shared__ __align__(16) int values[64], others[64], made[64];
    const int t = threadIdx.x;
    if (t == 0) {
        begin(&barrier, 64);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t == 7) {
        asm volatile(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(place_of(&barrier))
            : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"((uint32_t)__cvta_generic_to_shared(values)),
                     "l"(in), "r"(256), "r"(place_of(&barrier))
                     : "memory");
    }
    const state_t state = arrive(&barrier);
    while (!is_over(&barrier, state))
        ;
    made[t] = values[63 - t] * 3;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (t == 9) {
        asm volatile(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 128;" ::"r"(place_of(&barrier))
            : "memory");
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], 128, [%2];" ::"r"((uint32_t)__cvta_generic_to_shared(others)),
                     "r"((uint32_t)__cvta_generic_to_shared(values)), "r"(place_of(&barrier))
                     : "memory");
    }
    const state_t second = arrive(&barrier);
    while (!is_over(&barrier, second))
        ;
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out),
                     "r"((uint32_t)__cvta_generic_to_shared(made))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    out[64 + t] = others[31 - t % 32];
}

/* A cluster of one block. */
__global__ void cluster(int *out)
{
    __shared__ int values[64];
    const int t = threadIdx.x;
    uint32_t id, count, rank, size, inner, ranks, place, owner, value;
    unsigned long long generic;
    int is_explicit;
    values[t] = t * t;
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
            : "memory");
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(inner));
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(ranks));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.s32 %0, 1, 0, p; }"
        : "=r"(is_explicit));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(place)
        : "r"((uint32_t)__cvta_generic_to_shared(&values[63 - t])), "r"(rank));
    asm("mapa.u64 %0, %1, 0;" : "=l"(generic) : "l"(&values[t]));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(place));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(place) : "memory");
    out[blockIdx.x * 64 + t] = value + *(int *)generic;
    if (t == 0)
        out[gridDim.x * 64 + blockIdx.x] = id + count * 10 + (inner + rank + owner) * 100 +
                                           size * 1000 + ranks * 10000 + is_explicit * 100000;
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    if (t < 32)
        return;
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

static void check_in_step(const device_array<int> &out, int blocks, int threads)
{
    after_all<<<blocks, threads>>>(out.data);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < blocks * threads; i++)
        EXPECT(got[i] == 10 * (threads - 1 - i % threads) + 45);
    result("after_all", got);

    const int expected[10] = {2, 5, 20, 11, 40, 5, 0, 0, 1, 3};
    counts<<<1, 1>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < 10; i++)
        EXPECT(got[i] == expected[i]);
    for (int i = 0; i < 20; i++)
        EXPECT(got[10 + i] == 3);

    cluster<<<blocks, 64>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < blocks * 64; i++)
        EXPECT(got[i] == (63 - i % 64) * (63 - i % 64) + i % 64 * (i % 64));
    for (int i = 0; i < blocks; i++)
        EXPECT(got[blocks * 64 + i] == i + blocks * 10 + 11000);
    result("cluster", got);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int blocks = 5, threads = 192, rounds = 7;
    const char *form = getenv("CLEM_PTX_FORM");
    const bool can_wait = !form || (strcmp(form, "item") != 0 && strcmp(form, "gpu") != 0);
    device_array<int> out(blocks * threads);
    check_in_step(out, blocks, threads);
    if (!can_wait)
        return program_end();
    phases<<<blocks, threads>>>(out.data, rounds);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < blocks * threads; i++) {
        int sum = 0;
        for (int r = 0; r < rounds; r++)
            sum += ((threads - 1 - i % threads) * (r + 1) + i / threads) * (r + 3);
        EXPECT(got[i] == sum);
    }
    result("phases", got);

    hand_over<<<blocks, threads>>>(out.data, rounds);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < blocks * threads; i++) {
        int sum = 0;
        const int t = i % threads;
        for (int r = 0; r < rounds && t >= threads / 2; r++)
            sum = sum * 3 + r * 1000 + threads - 1 - t;
        EXPECT(got[i] == sum);
    }
    result("hand_over", got);

    from_one<<<blocks, threads>>>(out.data, rounds);
    LAUNCHED();
    got = out.host();
    int given = 0;
    for (int r = 0; r < rounds; r++)
        given = given * 3 + r * r + 1;
    for (int i = 0; i < blocks * threads; i++)
        EXPECT(got[i] == (i % threads == 5 ? 0 : given));

    std::vector<int> numbers(128);
    for (int i = 0; i < 128; i++)
        numbers[i] = (int)(random_word(i) % 100);
    device_array<int> in(numbers);
    copies<<<1, 64>>>(out.data, in.data);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < 64; t++)
        EXPECT(got[t] == numbers[63 - t] * 100 + numbers[64 + 63 - t]);

    bulk<<<1, 64>>>(out.data, in.data);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < 64; t++)
        EXPECT(got[t] == numbers[63 - t] * 3 && got[64 + t] == numbers[31 - t % 32]);
    return program_end();
}

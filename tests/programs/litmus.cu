/* Litmus tests of the memory model: store buffering, message passing, load buffering and independent reads of
 * independent writes, between blocks and within one, by fences, by release and acquire, and by both with barriers; and
 * threads that wait for what another block stores.
 * Nobody waits without end: every thread goes through its rounds and stores the round's number, and from what it saw
 * follows which rounds of two threads overlapped. Where blocks run one after another, nothing overlaps and nothing fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { ROUNDS = 30000, WAITS = 1000000, ATTEMPTS = 8, PLACE = 64 /* ints: no two places in one line of a cache */ };

/* ---- Ways to store, to load and to order ---- */

/* sequential: a store before it comes before a load behind it; it is a release and an acquire too. */
#define WAY(NAME, STORE, LOAD, SEQUENTIAL, RELEASE, ACQUIRE)                                       \
    struct NAME {                                                                                  \
        static __device__ void store(int *p, int v)                                                \
        {                                                                                          \
            STORE;                                                                                 \
        }                                                                                          \
        static __device__ int load(int *p)                                                         \
        {                                                                                          \
            int v;                                                                                 \
            LOAD;                                                                                  \
            return v;                                                                              \
        }                                                                                          \
        static __device__ void sequential()                                                        \
        {                                                                                          \
            SEQUENTIAL;                                                                            \
        }                                                                                          \
        static __device__ void release()                                                           \
        {                                                                                          \
            RELEASE;                                                                               \
        }                                                                                          \
        static __device__ void acquire()                                                           \
        {                                                                                          \
            ACQUIRE;                                                                               \
        }                                                                                          \
    };

#define ASM_STORE(words) asm volatile(words " [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define ASM_LOAD(words)  asm volatile(words " %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define ASM_FENCE(words) asm volatile(words ";" ::: "memory")
#define NOTHING          (void)0

WAY(weak, *p = v, v = *p, __threadfence(), __threadfence(), __threadfence())
WAY(of_block, *(volatile int *)p = v, v = *(volatile int *)p, __threadfence_block(), __threadfence_block(),
    __threadfence_block())
WAY(of_system, *(volatile int *)p = v, v = *(volatile int *)p, __threadfence_system(), __threadfence_system(),
    __threadfence_system())
WAY(fences, ASM_STORE("st.relaxed.gpu.u32"), ASM_LOAD("ld.relaxed.gpu.u32"), ASM_FENCE("fence.sc.gpu"),
    ASM_FENCE("fence.acq_rel.gpu"), ASM_FENCE("fence.acq_rel.gpu"))
WAY(accesses, ASM_STORE("st.release.gpu.u32"), ASM_LOAD("ld.acquire.gpu.u32"), ASM_FENCE("fence.sc.sys"), NOTHING,
    NOTHING)
WAY(atomics, ASM_STORE("red.release.gpu.global.max.u32"),
    asm volatile("atom.acquire.gpu.global.or.b32 %0, [%1], 0;" : "=r"(v) : "l"(p) : "memory"), __threadfence(), NOTHING,
    NOTHING)

/* ---- The tests ---- */

/* A thread of each block, or of each warp; -1: no part is this one's. */
__device__ int part()
{
    return threadIdx.x % 32 ? -1 : (int)(blockIdx.x + threadIdx.x / 32);
}

/* Waits a while for the others. */
__device__ void meet(int *gate, int parts)
{
    atomicAdd(gate, 1);
    for (int i = 0; i < WAITS && *(volatile int *)gate < parts; i++)
        ;
}

/* Each stores to its own place and looks at the other's. */
template <class way> __device__ void buffer_stores(int *places, int *gate, int *seen, int rounds)
{
    const int own = part();
    if (own < 0)
        return;
    meet(gate, 2);
    for (int i = 1; i <= rounds; i++) {
        way::store(places + own * PLACE, i);
        way::sequential();
        seen[own * rounds + i - 1] = way::load(places + (1 - own) * PLACE);
    }
}

template <class way> __global__ void store_buffering(int *places, int *gate, int *seen, int rounds)
{
    buffer_stores<way>(places, gate, seen, rounds);
}

__global__ void store_buffering_shared(int *gate, int *seen, int rounds)
{
    __shared__ int places[2 * PLACE];
    if (threadIdx.x == 0)
        places[0] = places[PLACE] = 0;
    __syncthreads();
    buffer_stores<of_block>(places, gate, seen, rounds);
}

/* The first stores to one place and then to another; the second loads them the other way round. */
template <class way> __global__ void message_passing(int *places, int *gate, int *seen, int rounds)
{
    const int own = part();
    if (own < 0)
        return;
    meet(gate, 2);
    for (int i = 1; i <= rounds; i++)
        if (own == 0) {
            places[0] = i;
            way::release();
            way::store(places + PLACE, i);
        } else {
            seen[i - 1] = way::load(places + PLACE);
            way::acquire();
            seen[rounds + i - 1] = places[0];
        }
}

/* The same where the message is another thread's, which a barrier orders. */
__global__ void message_behind_barrier(int *places, int *gate, int *seen, int rounds)
{
    __shared__ int flag;
    meet(gate, 2 * 64);
    for (int i = 1; i <= rounds; i++) {
        if (blockIdx.x == 0) {
            if (threadIdx.x == 33)
                places[0] = i;
            __syncthreads();
            if (threadIdx.x == 0)
                accesses::store(places + PLACE, i);
        } else {
            if (threadIdx.x == 0)
                flag = seen[i - 1] = accesses::load(places + PLACE);
            __syncthreads();
            if (threadIdx.x == 33)
                seen[rounds + i - 1] = flag > 0 ? places[0] : 0;
        }
        __syncthreads();
    }
}

/* Each loads the other's place and then stores to its own. */
template <class way> __global__ void load_buffering(int *places, int *gate, int *seen, int rounds)
{
    const int own = part();
    if (own < 0)
        return;
    meet(gate, 2);
    for (int i = 1; i <= rounds; i++) {
        seen[own * rounds + i - 1] = way::load(places + (1 - own) * PLACE);
        way::acquire();
        way::release();
        way::store(places + own * PLACE, i);
    }
}

/* Two store, two others load both places, each in another order. */
template <class way> __global__ void independent_reads(int *places, int *gate, int *seen, int rounds)
{
    const int own = part();
    if (own < 0)
        return;
    meet(gate, 4);
    for (int i = 1; i <= rounds; i++)
        if (own < 2) {
            way::store(places + own * PLACE, i);
        } else {
            int *to = seen + (own - 2) * 2 * rounds + i - 1;
            to[0] = way::load(places + (own - 2) * PLACE);
            way::sequential();
            to[rounds] = way::load(places + (3 - own) * PLACE);
        }
}

/* Pairs that one block stores over and over, alike both halves, each thread its own or one thread the first; the other counts
 * those whose halves are of different rounds. No GPU tears a vector of 16 bytes, which CUB's scans by key live on. */
__global__ void whole_pairs(int *places, int *gate, int *seen, int rounds)
{
    int torn = 0;
    int *own = places + 4 * threadIdx.x;
    meet(gate, 2 * blockDim.x);
    for (int i = 1; i <= rounds; i++) {
        long long a = i, b = i;
        if (blockIdx.x == 0) {
            if (i & 1)
                asm volatile("st.volatile.v2.u64 [%0], {%1, %2};" ::"l"(own), "l"(a), "l"(b) : "memory");
            else
                asm volatile("st.cg.v2.u64 [%0], {%1, %2};" ::"l"(own), "l"(a), "l"(b) : "memory");
            continue;
        }
        if (i & 1)
            asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(own) : "memory");
        else
            asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(own) : "memory");
        torn += a != b;
        if (threadIdx.x == 0)
            seen[i - 1] = (int)a;
    }
    if (blockIdx.x == 1)
        seen[rounds + threadIdx.x] = torn;
}

/* Whether each way of waiting saw what another block stores; the bound is for those that never see it. */
template <class poll> __device__ bool sees(int *gate, poll is_set)
{
    enum { MANY = 1000000000 };
    *(volatile int *)gate = 1;
    int i = 0;
    while (i < MANY && !is_set())
        i++;
    return i < MANY;
}

__global__ void waits(int *flags, int *gates, int *seen)
{
    for (int step = 0; blockIdx.x == 0 && step < 4; step++) {
        for (int i = 0; i < WAITS && *(volatile int *)(gates + step) == 0; i++)
            ;
        atomicExch(flags + step, 1);
    }
    if (blockIdx.x == 0)
        return;
    seen[0] = sees(gates, [=] {
        __threadfence();
        return flags[0] != 0;
    });
    seen[1] = sees(gates + 1, [=] { return __ldcg(flags + 1) != 0; });
    seen[2] = sees(gates + 2, [=] { return fences::load(flags + 2) != 0; });
    seen[3] = sees(gates + 3, [=] { return accesses::load(flags + 3) != 0; });
}

/* ---- What no order of all accesses explains ---- */

/* values[i - 1] is what round i saw; they never fall. */
typedef const int *values;

static int buffered_stores(values a, values b)
{
    int count = 0;
    for (int i = 1; i <= ROUNDS; i++) /* b's first round that a's round i did not see, did not see it either */
        count += a[i - 1] < ROUNDS && b[a[i - 1]] < i;
    return count;
}

static int lost_messages(values flags, values data)
{
    int count = 0;
    for (int i = 0; i < ROUNDS; i++)
        count += data[i] < flags[i];
    return count;
}

static int buffered_loads(values a, values b)
{
    int count = 0;
    for (int i = 1; i <= ROUNDS; i++) /* b's round that a's round i saw had seen that one */
        count += a[i - 1] > 0 && b[a[i - 1] - 1] >= i;
    return count;
}

/* Two readers that disagree about which of two stores came first. */
static int torn_orders(values ax, values ay, values by, values bx)
{
    int count = 0;
    for (int i = 0, j = 0; i < ROUNDS; i++) {
        while (j < ROUNDS && by[j] <= ay[i])
            j++;
        count += j < ROUNDS && bx[j] < ax[i];
    }
    return count;
}

/* ---- Running ---- */

static std::vector<int> outcome;

/* Whether a thread saw rounds of another between its first and its last. */
static bool has_overlapped(void)
{
    for (int value : outcome)
        if (value > 0 && value < ROUNDS)
            return true;
    return false;
}

/* Blocks that a busy machine ran one after another get another chance. */
template <class launch> static values run(int size, launch start)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        device_array<int> places(2 * PLACE), gate(1), seen(size);
        start(places.data, gate.data, seen.data);
        LAUNCHED();
        outcome = seen.host();
        if (has_overlapped())
            break;
    }
    return outcome.data();
}

static void expect_none(const char *test, int forbidden)
{
    if (!EXPECT(forbidden == 0))
        printf("%s: %d of %d rounds\n", test, forbidden, ROUNDS);
}

template <class way> static void buffer(const char *name, int blocks)
{
    values v = run(2 * ROUNDS, [=](int *places, int *gate, int *seen) {
        store_buffering<way><<<blocks, 64 / blocks>>>(places, gate, seen, ROUNDS);
    });
    expect_none(name, buffered_stores(v, v + ROUNDS));
}

template <class way> static void pass(const char *name)
{
    values v = run(2 * ROUNDS, [](int *places, int *gate, int *seen) {
        message_passing<way><<<2, 1>>>(places, gate, seen, ROUNDS);
    });
    expect_none(name, lost_messages(v, v + ROUNDS));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    buffer<weak>("store buffering", 2);
    buffer<of_system>("store buffering by the system's fences", 2);
    buffer<fences>("store buffering by fence.sc", 2);
    buffer<of_block>("store buffering in a block", 1);
    values v = run(2 * ROUNDS, [](int *, int *gate, int *seen) {
        store_buffering_shared<<<1, 64>>>(gate, seen, ROUNDS);
    });
    expect_none("store buffering in shared memory", buffered_stores(v, v + ROUNDS));
    pass<weak>("message passing");
    pass<fences>("message passing by fence.acq_rel");
    pass<accesses>("message passing by release and acquire");
    pass<atomics>("message passing by atomics");
    v = run(2 * ROUNDS, [](int *places, int *gate, int *seen) {
        message_behind_barrier<<<2, 64>>>(places, gate, seen, ROUNDS);
    });
    expect_none("message passing behind barriers", lost_messages(v, v + ROUNDS));
    v = run(2 * ROUNDS, [](int *places, int *gate, int *seen) {
        load_buffering<accesses><<<2, 1>>>(places, gate, seen, ROUNDS);
    });
    expect_none("load buffering", buffered_loads(v, v + ROUNDS));
    v = run(4 * ROUNDS, [](int *places, int *gate, int *seen) {
        independent_reads<fences><<<4, 1>>>(places, gate, seen, ROUNDS);
    });
    expect_none("independent reads", torn_orders(v, v + ROUNDS, v + 2 * ROUNDS, v + 3 * ROUNDS));
    for (int threads = 1; threads <= 32; threads += 31) {
        v = run(ROUNDS + 32, [=](int *pairs, int *gate, int *seen) {
            whole_pairs<<<2, threads>>>(pairs, gate, seen, ROUNDS);
        });
        for (int i = 0; i < threads; i++)
            expect_none("pairs that are stored whole", v[ROUNDS + i]);
    }
    v = run(4, [](int *flags, int *, int *seen) { waits<<<2, 1>>>(flags, flags + PLACE, seen); });
    for (int i = 0; i < 4; i++)
        EXPECT(v[i] == 1);
    return program_end();
}

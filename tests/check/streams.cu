/* Work of streams, and of the host: streams CASE runs one that nothing orders, streams --right all that are in order; --list names
 * the former, with what must be said of each: a tab, and words of the report.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_device_runtime_api.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

enum { N = 1024, BYTES = N * sizeof(int) };

__global__ void put(int *to, int value)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = value + threadIdx.x;
}

__global__ void take(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + 1;
}

__global__ void count(int *to)
{
    atomicAdd(to, 1);
}

__device__ int table[N];

__global__ void put_table()
{
    table[threadIdx.x] = threadIdx.x;
}

/* What each case has. */
static int *a, *b, *c, *pinned, *managed;
static cudaStream_t one, two;
static cudaEvent_t event;

static void make(unsigned flags)
{
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMalloc(&c, BYTES);
    cudaMallocHost(&pinned, BYTES);
    cudaMallocManaged(&managed, BYTES);
    memset(pinned, 0, BYTES);
    cudaMemset(a, 0, BYTES);
    cudaMemset(b, 0, BYTES);
    cudaMemset(c, 0, BYTES);
    cudaStreamCreateWithFlags(&one, flags);
    cudaStreamCreateWithFlags(&two, flags);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaDeviceSynchronize();
}

/* What is in the stream is done, and nothing has told the host that there is an order: it looks at memory that no check follows it to. */
static void let_pass(cudaStream_t stream)
{
    put<<<1, 1, 0, stream>>>(c + N - 1, 7);
    while (*(volatile int *)(c + N - 1) != 7)
        usleep(1000);
}

/* ---- Kernels ---- */

static void kernels()
{
    put<<<8, 128, 0, one>>>(a, 1);
    take<<<8, 128, 0, two>>>(a, b);
}

static void both_write()
{
    put<<<8, 128, 0, one>>>(a, 1);
    put<<<8, 128, 0, two>>>(a, 2);
}

/* ---- Reads that others stand for, and those that none does ---- */

__global__ void gather(const int *from, int *to, int first)
{
    const int i = threadIdx.x;
    to[first + i] = from[first + i * 37 % 128];
}

__global__ void take_bytes(const unsigned char *from, int *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + from[i + 1];
}

/* Later launches read some of it again. */
static void read_by_first()
{
    take<<<8, 128, 0, one>>>(a, b);
    for (int i = 0; i < 20; i++)
        take<<<2, 128, 0, one>>>(a, b);
    put<<<1, 128, 0, two>>>(a + 512, 2);
}

static void read_by_last()
{
    for (int i = 0; i < 20; i++)
        take<<<8 - i % 8, 128, 0, one>>>(a, b);
    put<<<1, 128, 0, two>>>(a, 2);
}

/* Two threads of the host, each with a stream and memory of its own. */
__global__ void turn_round(const int *from, int *to)
{
    __shared__ int part[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    part[threadIdx.x] = from[i];
    __syncthreads();
    to[i] += part[127 - threadIdx.x] + from[i * 7 % N];
}

static void launch_by_itself()
{
    cudaStream_t own;
    int *from, *to;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaMalloc(&from, BYTES);
    cudaMalloc(&to, BYTES);
    cudaMemsetAsync(from, 0, BYTES, own);
    cudaMemsetAsync(to, 0, BYTES, own);
    for (int i = 0; i < 60; i++)
        turn_round<<<8, 128, 0, own>>>(from, to);
    cudaStreamSynchronize(own);
    cudaFree(from);
    cudaFree(to);
    cudaStreamDestroy(own);
}

static void two_threads()
{
    std::thread other(launch_by_itself);
    launch_by_itself();
    other.join();
}

/* Each part again and again. */
static void read_in_parts()
{
    for (int i = 0; i < 200; i++)
        take<<<1, 128, 0, one>>>(a + i * 3 % 8 * 128, b);
    put<<<1, 32, 0, two>>>(a + 5 * 128 + 96, 2);
}

static void gathered()
{
    for (int i = 0; i < 100; i++)
        gather<<<1, 128, 0, one>>>(a, b, i * 3 % 8 * 128);
    cudaMemsetAsync(a + 3 * 128, 0, 128 * sizeof(int), two);
}

static void read_as_bytes()
{
    for (int i = 0; i < 60; i++)
        take_bytes<<<1 + i % 7, 96, 0, one>>>((const unsigned char *)a, b);
    put<<<1, 24, 0, two>>>(a + 120, 2);
}

static void read_and_written_in_order()
{
    for (int i = 0; i < 60; i++) {
        take<<<1 + i % 8, 128, 0, one>>>(a, b);
        take<<<1 + i % 5, 128, 0, one>>>(b, a);
    }
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    put<<<8, 128, 0, two>>>(a, 2);
    cudaMemsetAsync(b, 0, BYTES, two);
}

/* Reads are forgotten with the memory. */
static void read_and_freed()
{
    int *more;
    cudaMalloc(&more, BYTES);
    cudaMemset(more, 0, BYTES);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++)
        take<<<8 - i, 128, 0, one>>>(more, b);
    cudaStreamSynchronize(one);
    cudaFree(more);
    cudaMalloc(&more, BYTES);
    put<<<8, 128, 0, two>>>(more, 2);
    cudaStreamSynchronize(two);
    cudaFree(more);
}

/* What was stored as halves of words one block reads byte by byte, and another writes one byte of each word. */
__global__ void put_halves(unsigned short *to)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__global__ void cross(unsigned char *bytes, int *to, int byte)
{
    const int i = threadIdx.x;
    if (blockIdx.x == 0)
        to[i] = bytes[i];
    else if (i % 4 == byte)
        bytes[i] = 1 + i;
}

template <int BYTE> static void byte_of_halves()
{
    put_halves<<<2, 64, 0, one>>>((unsigned short *)a);
    cross<<<2, 128, 0, one>>>((unsigned char *)a, b, BYTE);
}

static void kernels_by_event()
{
    put<<<8, 128, 0, one>>>(a, 1);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    take<<<8, 128, 0, two>>>(a, b);
}

static void event_too_early()
{
    cudaEventRecord(event, one);
    put<<<8, 128, 0, one>>>(a, 1);
    cudaStreamWaitEvent(two, event, 0);
    take<<<8, 128, 0, two>>>(a, b);
}

static void by_sync()
{
    put<<<8, 128, 0, one>>>(a, 1);
    cudaStreamSynchronize(one);
    take<<<8, 128, 0, two>>>(a, b);
}

static void by_event_sync()
{
    put<<<8, 128, 0, one>>>(a, 1);
    cudaEventRecord(event, one);
    cudaEventSynchronize(event);
    take<<<8, 128, 0, two>>>(a, b);
}

static void sync_of_other()
{
    put<<<8, 128, 0, one>>>(a, 1);
    cudaStreamSynchronize(two);
    take<<<8, 128, 0, two>>>(a, b);
}

static void by_third()
{
    cudaStream_t third;
    cudaEvent_t next;
    cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&next, cudaEventDisableTiming);
    put<<<8, 128, 0, one>>>(a, 1);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(third, event, 0);
    cudaEventRecord(next, third);
    cudaStreamWaitEvent(two, next, 0);
    take<<<8, 128, 0, two>>>(a, b);
    cudaStreamDestroy(third);
}

static void readers()
{
    take<<<8, 128, 0, one>>>(a, b);
    take<<<8, 128, 0, two>>>(a, c);
}

static void apart()
{
    put<<<4, 128, 0, one>>>(a, 1);
    put<<<4, 128, 0, two>>>(a + 512, 1);
}

static void counters()
{
    count<<<8, 128, 0, one>>>(a);
    count<<<8, 128, 0, two>>>(a);
}

static void variables()
{
    put_table<<<1, 128, 0, one>>>();
    put_table<<<1, 128, 0, two>>>();
}

/* ---- Kernels that kernels launch ---- */

__global__ void launch_put(int *to, int value)
{
    to[threadIdx.x] = 0;
    clem_launch(put, 8, 128, 0, 0, to, value);
}

static void children()
{
    launch_put<<<1, 1, 0, one>>>(a, 1);
    take<<<8, 128, 0, two>>>(a, b);
}

static void children_and_copy()
{
    launch_put<<<1, 1, 0, one>>>(a, 1);
    let_pass(one);
    cudaMemcpyAsync(b, a + 512, BYTES / 2, cudaMemcpyDeviceToDevice, two);
}

/* What a child may know of its parent: all that the thread knows that launches it. When else either does something is open, but that
 * what is launched into the tail begins when all of that has ended. */
enum when { BEFORE, BEFORE_ALONE, BEHIND, BEHIND_ELSEWHERE, READS_BEHIND, COUNTS_BEHIND };

__global__ void launch_take(int *p, int *to, when w, cudaStream_t stream)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (w == BEFORE || w == BEFORE_ALONE)
        p[i] = i;
    if (w != BEFORE_ALONE)
        __syncthreads();
    if (i == 0 && w == READS_BEHIND)
        clem_launch(put, 1, 128, 0, stream, p, 1);
    else if (i == 0 && w == COUNTS_BEHIND)
        clem_launch(count, 1, 128, 0, stream, p);
    else if (i == 0)
        clem_launch(take, 1, 128, 0, stream, (const int *)p, to);
    if (w == BEHIND)
        p[i] = i + 1;
    if (w == BEHIND_ELSEWHERE)
        p[i + 512] = i;
    if (w == READS_BEHIND)
        to[i] = p[i];
    if (w == COUNTS_BEHIND)
        atomicAdd(p, 1);
}

__global__ void launch_twice(int *p, int *to, bool writes_behind)
{
    p[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        clem_launch(launch_take, 1, 128, 0, 0, p, to, BEHIND_ELSEWHERE, nullptr);
    if (writes_behind)
        p[threadIdx.x] = 2;
}

/* Grids of one launch of the host's write down their launches at one place, one after the other. */
__global__ void launch_two(int *p, int *to)
{
    for (int i = 0; i < 2; i++)
        clem_launch(launch_twice, 1, 128, 0, 0, p, to, false);
}

static void parents_of_one()
{
    launch_two<<<1, 1>>>(a, b);
}

static void parent_before()
{
    launch_take<<<1, 128>>>(a, b, BEFORE, nullptr);
    launch_take<<<1, 128>>>(a, b, BEFORE, cudaStreamFireAndForget);
}
static void parent_not_met()
{
    launch_take<<<1, 128>>>(a, b, BEFORE_ALONE, nullptr);
}
static void parent_of_blocks()
{
    launch_take<<<2, 64>>>(a, b, BEFORE, nullptr);
}
static void parent_behind()
{
    launch_take<<<1, 128>>>(a, b, BEHIND, nullptr);
}
static void parent_forgets()
{
    launch_take<<<1, 128>>>(a, b, BEHIND, cudaStreamFireAndForget);
}
static void parent_elsewhere()
{
    launch_take<<<1, 128>>>(a, b, BEHIND_ELSEWHERE, nullptr);
}
static void parent_reads()
{
    launch_take<<<1, 128>>>(a, b, READS_BEHIND, nullptr);
}
static void parent_counts()
{
    launch_take<<<1, 128>>>(a, b, COUNTS_BEHIND, nullptr);
}
static void parent_tail()
{
    for (when w : {BEFORE_ALONE, BEHIND, READS_BEHIND, COUNTS_BEHIND})
        launch_take<<<1, 128>>>(a, b, w, cudaStreamTailLaunch);
    launch_take<<<2, 64>>>(a, b, BEFORE, cudaStreamTailLaunch);
}
static void grandparent_before()
{
    launch_twice<<<1, 128>>>(a, b, false);
}
static void grandparent_behind()
{
    launch_twice<<<1, 128>>>(a, b, true);
}
static void parent_and_next()
{
    launch_take<<<1, 128, 0, one>>>(a, b, BEFORE, nullptr);
    put<<<8, 128, 0, one>>>(a, 3);
    launch_take<<<1, 128, 0, one>>>(a, b, BEFORE, nullptr);
    cudaMemsetAsync(a, 0, BYTES, one);
}

static void children_in_order()
{
    launch_put<<<1, 1, 0, one>>>(a, 1);
    take<<<8, 128, 0, one>>>(a, b);
    launch_put<<<1, 1, 0, one>>>(a, 2);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    take<<<8, 128, 0, two>>>(a, b);
    launch_put<<<1, 1, 0, two>>>(a, 2);
    cudaStreamSynchronize(two);
    take<<<8, 128, 0, one>>>(a, b);
}

/* ---- The legacy stream ---- */

static void legacy_between()
{
    put<<<8, 128, 0, one>>>(a, 1);
    count<<<1, 1>>>(c);
    take<<<8, 128, 0, two>>>(a, b);
}

static void legacy_apart()
{
    put<<<8, 128, 0, one>>>(a, 1);
    count<<<1, 1>>>(c);
    take<<<8, 128, 0, two>>>(a, b);
}

static void legacy_after()
{
    put<<<8, 128, 0, one>>>(a, 1);
    take<<<8, 128>>>(a, b);
}

/* ---- Copies and fills ---- */

static void copy_and_kernel()
{
    put<<<8, 128, 0, one>>>(a, 1);
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, two);
}

static void kernel_and_copy()
{
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    take<<<8, 128, 0, two>>>(a, b);
}

static void copy_in_order()
{
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    take<<<8, 128, 0, one>>>(a, b);
    cudaMemcpyAsync(pinned, b, BYTES, cudaMemcpyDeviceToHost, one);
}

static void copies()
{
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, two);
}

static void fills()
{
    cudaMemsetAsync(a, 1, BYTES, one);
    cudaMemsetAsync(a + 100, 2, 400, two);
}

static void fills_apart()
{
    cudaMemsetAsync(a, 1, 400, one);
    cudaMemsetAsync(a + 100, 2, 400, two);
}

/* Long after it has begun. */
__global__ void put_late(int *to)
{
    const long long begun = clock64();
    while (clock64() - begun < 200000000)
        ;
    to[threadIdx.x] = 1;
}

/* The host has waited for the fill by then, and not before it submitted the kernel. */
static void fill_known_before()
{
    cudaMemsetAsync(a, 1, BYTES, one);
    put_late<<<1, 32, 0, two>>>(a);
    cudaStreamSynchronize(one);
}

/* What it submits then is behind both. */
static void fill_known()
{
    put_late<<<1, 32, 0, two>>>(b);
    cudaMemsetAsync(a, 1, BYTES, one);
    cudaStreamSynchronize(one);
    put<<<1, 32, 0, two>>>(a, 1);
}

/* Every other 32 of all. */
__global__ void put_others(int *to)
{
    to[threadIdx.x / 32 * 64 + threadIdx.x % 32] = threadIdx.x;
}

static void fill_many(int *others, int count)
{
    for (int i = 0; i < count; i++)
        cudaMemsetAsync(a + i * 64, 1, 128, one);
    put_others<<<1, 32 * count, 0, two>>>(others);
}

static void fills_between()
{
    fill_many(a + 32, 5);
}

static void many_fills_between()
{
    fill_many(a + 32, N / 64);
}

static void last_of_fills()
{
    fill_many(a + 31, 5);
}

static void last_of_many_fills()
{
    fill_many(a + 31, N / 64);
}

static void columns_apart()
{
    cudaMemset2DAsync(a, 64, 1, 32, 16, one);
    cudaMemset2DAsync((char *)a + 32, 64, 1, 32, 16, two);
}

static void columns()
{
    cudaMemset2DAsync(a, 64, 1, 36, 16, one);
    cudaMemset2DAsync((char *)a + 32, 64, 1, 32, 16, two);
}

static void pinned_of_two()
{
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, one);
    cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, two);
}

static void fill_and_managed()
{
    put<<<8, 128, 0, one>>>(managed, 1);
    take<<<8, 128, 0, two>>>(managed, b);
}

/* ---- The host ---- */

static void host_writes()
{
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    pinned[5] = 1;
    cudaStreamSynchronize(one);
}

static void host_writes_managed()
{
    cudaMemcpyAsync(a, managed, BYTES, cudaMemcpyDefault, one);
    managed[5] = 1;
    cudaStreamSynchronize(one);
}

static void host_waits()
{
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    cudaStreamSynchronize(one);
    pinned[5] = 1;
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, two);
    cudaStreamSynchronize(two);
}

static void device_writes()
{
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, one);
    put<<<8, 128, 0, one>>>(pinned, 1);
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    put<<<8, 128, 0, one>>>(pinned, 3);
    cudaStreamSynchronize(one);
}

static void kernel_writes()
{
    for (int i = 0; i < 8; i++) {
        put<<<8, 128, 0, one>>>(pinned, i);
        cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    }
    cudaStreamSynchronize(one);
}

static void add_one(void *data)
{
    ((int *)data)[7]++;
}

static void host_function()
{
    cudaLaunchHostFunc(one, add_one, pinned);
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, one);
    cudaLaunchHostFunc(one, add_one, pinned);
    cudaStreamSynchronize(one);
}

static void before_function()
{
    put<<<8, 128, 0, one>>>(a, 1);
    cudaLaunchHostFunc(two, add_one, pinned);
    take<<<8, 128, 0, one>>>(a, b);
}

/* ---- The host's own reads and writes ---- */

static volatile int seen;

static void host_reads_early()
{
    put<<<8, 128, 0, one>>>(managed, 1);
    seen = managed[5];
}

static void host_reads_late()
{
    put<<<8, 128, 0, one>>>(managed, 1);
    let_pass(one);
    seen = managed[5];
}

static void host_writes_early()
{
    take<<<8, 128, 0, one>>>(managed, b);
    managed[5] = 1;
}

static void host_writes_too()
{
    put<<<8, 128, 0, one>>>(managed, 1);
    managed[1000] = 1;
}

static void host_reads_copy()
{
    put<<<8, 128, 0, one>>>(a, 1);
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, one);
    seen = pinned[5];
}

static void host_waits_for_other()
{
    put<<<8, 128, 0, one>>>(managed, 1);
    cudaStreamSynchronize(two);
    seen = managed[5];
}

static void host_elsewhere()
{
    put<<<4, 128, 0, one>>>(managed, 1);
    seen = managed[600];
    managed[1000] = 1;
    usleep(20000);
    seen = managed[601];
}

static void host_reads_too()
{
    take<<<8, 128, 0, one>>>(managed, b);
    seen = managed[5];
    usleep(20000);
    seen = managed[6];
}

static void host_in_order()
{
    for (int i = 0; i < 3; i++) {
        managed[5] = i;
        pinned[5] = i;
        put<<<8, 128, 0, one>>>(managed, 1);
        cudaMemcpyAsync(pinned, managed, BYTES, cudaMemcpyDefault, one);
        cudaStreamSynchronize(one);
        seen = managed[5] + pinned[5];
        put<<<8, 128, 0, two>>>(managed, 1);
        cudaEventRecord(event, two);
        cudaEventSynchronize(event);
        seen = managed[5];
        put<<<8, 128, 0, one>>>(managed, 1);
        while (cudaStreamQuery(one) == cudaErrorNotReady)
            ;
        seen = managed[5];
        cudaMemset(pinned, 0, BYTES);
        cudaMemcpy(pinned, managed, BYTES, cudaMemcpyDefault);
        seen = pinned[5];
    }
}

__global__ void put_and_tell(int *to, int *flag)
{
    to[threadIdx.x] = threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile int *)flag = 1;
}

static void host_polls()
{
    managed[1000] = 0;
    put_and_tell<<<1, 128, 0, one>>>(managed, managed + 1000);
    while (*(volatile int *)(managed + 1000) == 0)
        ;
    seen = managed[5];
}

__global__ void wait_and_take(const int *from, int *to, int *flag)
{
    if (threadIdx.x == 0)
        while (*(volatile int *)flag == 0)
            ;
    __syncthreads();
    to[threadIdx.x] = from[threadIdx.x];
}

static void host_tells()
{
    for (int round = 0; round < 20; round++) {
        pinned[0] = 0;
        wait_and_take<<<1, 128, 0, one>>>(managed, b, pinned);
        usleep(100 * round);
        for (int i = 0; i < 128; i++)
            managed[i] = i;
        std::atomic_thread_fence(std::memory_order_release);
        *(volatile int *)pinned = 1;
        cudaStreamSynchronize(one);
    }
}

static std::atomic<int> is_called;

static void call(void *)
{
    is_called = 1;
}

static void host_is_called()
{
    is_called = 0;
    put<<<8, 128, 0, one>>>(managed, 1);
    cudaLaunchHostFunc(one, call, nullptr);
    while (!is_called)
        usleep(100);
    seen = managed[5];
}

/* The system refuses what faults. */
static void system_reads()
{
    int ends[2], taken[N];
    bool is_right = pipe(ends) == 0;
    for (int i = 0; i < 3; i++) {
        put<<<8, 128, 0, one>>>(a, 1);
        is_right = is_right && write(ends[1], managed, BYTES) == BYTES && read(ends[0], managed, BYTES) == BYTES;
        is_right = is_right && write(ends[1], pinned, BYTES) == BYTES && read(ends[0], taken, BYTES) == BYTES;
    }
    close(ends[0]);
    close(ends[1]);
    if (!is_right)
        printf("the system refuses a buffer\n");
}

/* ---- Stream-ordered memory ---- */

static void pool()
{
    int *p, *q;
    cudaMallocAsync(&p, BYTES, one);
    put<<<8, 128, 0, one>>>(p, 1);
    cudaFreeAsync(p, one);
    cudaMallocAsync(&q, BYTES, two);
    put<<<8, 128, 0, two>>>(q, 1);
    cudaFreeAsync(q, two);
}

static void allocated(int *p)
{
    cudaStreamSynchronize(two);
    cudaFreeAsync(p, two);
    cudaStreamSynchronize(two);
}

static void pool_used_early()
{
    int *p;
    cudaMallocAsync(&p, BYTES, one);
    put<<<8, 128, 0, two>>>(p, 1);
    allocated(p);
}

static void pool_filled_early()
{
    int *p;
    cudaMallocAsync(&p, BYTES, one);
    cudaMemsetAsync(p, 0, BYTES, two);
    allocated(p);
}

static void pool_behind()
{
    int *p;
    cudaMallocAsync(&p, BYTES, one);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    put<<<8, 128, 0, two>>>(p, 1);
    allocated(p);
    cudaMallocAsync(&p, BYTES, one);
    cudaStreamSynchronize(one);
    put<<<8, 128, 0, two>>>(p, 1);
    allocated(p);
}

/* ---- Textures ---- */

__global__ void fetch(cudaTextureObject_t from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex1Dfetch<int>(from, i);
}

/* Several blocks, of which one after the other runs. */
static void textures()
{
    cudaTextureObject_t texture;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = a;
    what.res.linear.desc = cudaCreateChannelDesc<int>();
    what.res.linear.sizeInBytes = BYTES;
    cudaCreateTextureObject(&texture, &what, &how, nullptr);
    fetch<<<8, 128, 0, one>>>(texture, b);
    cudaStreamSynchronize(one);
    cudaDestroyTextureObject(texture);
}

__global__ void fetch_row(cudaTextureObject_t from, float row, int *to)
{
    to[threadIdx.x] = (int)tex2D<float>(from, (float)threadIdx.x + 0.5f, row);
}

__global__ void put_texels(cudaSurfaceObject_t to, int row)
{
    surf2Dwrite(1.0f, to, (int)threadIdx.x * (int)sizeof(float), row);
}

enum { SIDE = 32 };

struct picture {
    cudaArray_t array;
    cudaTextureObject_t point, between;
    cudaSurfaceObject_t surface;

    picture()
    {
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        cudaResourceDesc what = {};
        cudaTextureDesc how = {};
        cudaMallocArray(&array, &format, SIDE, SIDE, cudaArraySurfaceLoadStore);
        what.resType = cudaResourceTypeArray;
        what.res.array.array = array;
        cudaCreateTextureObject(&point, &what, &how, nullptr);
        how.filterMode = cudaFilterModeLinear;
        cudaCreateTextureObject(&between, &what, &how, nullptr);
        cudaCreateSurfaceObject(&surface, &what);
        copy_rows(0, SIDE);
        cudaDeviceSynchronize();
    }

    ~picture()
    {
        cudaDeviceSynchronize();
        cudaDestroyTextureObject(point);
        cudaDestroyTextureObject(between);
        cudaDestroySurfaceObject(surface);
        cudaFreeArray(array);
    }

    void copy_rows(int first, int count)
    {
        cudaMemcpy2DToArrayAsync(array, 0, first, a, SIDE * sizeof(float), SIDE * sizeof(float), count,
                                 cudaMemcpyDeviceToDevice, one);
    }
};

static void array_and_copy()
{
    picture p;
    p.copy_rows(4, 4);
    fetch_row<<<1, SIDE, 0, two>>>(p.point, 5.5f, b);
}

static void array_and_later_copy()
{
    picture p;
    fetch_row<<<1, SIDE, 0, two>>>(p.point, 5.5f, b);
    let_pass(two);
    p.copy_rows(4, 4);
}

static void array_between_rows()
{
    picture p;
    p.copy_rows(4, 4);
    fetch_row<<<1, SIDE, 0, two>>>(p.between, 3.75f, b);
}

static void array_and_surface()
{
    picture p;
    put_texels<<<1, SIDE, 0, one>>>(p.surface, 5);
    fetch_row<<<1, SIDE, 0, two>>>(p.point, 5.5f, b);
}

static void array_apart()
{
    picture p;
    p.copy_rows(4, 4);
    fetch_row<<<1, SIDE, 0, two>>>(p.point, 3.9f, b);
    fetch_row<<<1, SIDE, 0, two>>>(p.between, 3.5f, c);
    put_texels<<<1, SIDE, 0, one>>>(p.surface, 10);
    fetch_row<<<1, SIDE, 0, two>>>(p.between, 12.25f, c);
}

static void array_in_order()
{
    picture p;
    p.copy_rows(0, SIDE);
    put_texels<<<1, SIDE, 0, one>>>(p.surface, 5);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    fetch_row<<<1, SIDE, 0, two>>>(p.between, 5.25f, b);
    cudaStreamSynchronize(two);
    put_texels<<<1, SIDE, 0, one>>>(p.surface, 5);
}

/* ---- Graphs ---- */

/* What `two` does is captured beside what `one` does, or behind it. */
static void capture(bool is_behind, bool joins, int times)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    if (!is_behind) {
        cudaEventRecord(event, one);
        cudaStreamWaitEvent(two, event, 0);
    }
    put<<<8, 128, 0, one>>>(a, 1);
    if (is_behind) {
        cudaEventRecord(event, one);
        cudaStreamWaitEvent(two, event, 0);
    }
    put<<<8, 128, 0, one>>>(c, 1);
    take<<<8, 128, 0, two>>>(a, b);
    cudaEventRecord(done, two);
    cudaStreamWaitEvent(one, done, 0);
    if (joins)
        take<<<8, 128, 0, one>>>(b, c);
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < times; i++)
        cudaGraphLaunch(exec, one);
    take<<<8, 128, 0, one>>>(b, a);
    cudaStreamSynchronize(one);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(done);
}

static void graph_branches()
{
    capture(false, true, 1);
}

static void graph_in_order()
{
    capture(true, true, 40);
}

static void graph_and_stream()
{
    capture(true, false, 1);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    put<<<8, 128, 0, one>>>(a, 1);
    put<<<8, 128, 0, one>>>(a, 2);
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, one);
    take<<<8, 128, 0, two>>>(a, b);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

/* ---- All ---- */

/* The host looks at what is known of races while a kernel begins to. */
static void fills_beside(void)
{
    for (int i = 0; i < 300; i++) {
        cudaMemsetAsync(a, 0, BYTES, one);
        for (int k = 0; k < 10; k++)
            put<<<1, 256, 0, one>>>(a, k);
        cudaMemsetAsync(b, 0, BYTES, two);
    }
    cudaDeviceSynchronize();
}

struct test {
    const char *name, *words;
    void (*run)();
    unsigned flags;
};

/* Which of two kernels comes first, and which is the other, is nobody's to say. */
static const struct test tests[] = {
    {"fills_beside", "", fills_beside, cudaStreamNonBlocking},
    {"kernels", "one thread reads what another writes; the other's kernel; kernel put(int*, int)", kernels, cudaStreamNonBlocking},
    {"read_by_first", "one thread reads what another writes; kernel put(; kernel take(", read_by_first, cudaStreamNonBlocking},
    {"read_by_last", "one thread reads what another writes; kernel put(; kernel take(", read_by_last, cudaStreamNonBlocking},
    {"read_in_parts", "one thread reads what another writes; kernel put(; kernel take(", read_in_parts, cudaStreamNonBlocking},
    {"read_as_bytes", "one thread reads what another writes; kernel put(; kernel take_bytes(", read_as_bytes, cudaStreamNonBlocking},
    {"gathered", "in another stream; gather(", gathered, cudaStreamNonBlocking},
    {"read_and_written_in_order", "", read_and_written_in_order, cudaStreamNonBlocking},
    {"two_threads", "", two_threads, cudaStreamNonBlocking},
    {"read_and_freed", "", read_and_freed, cudaStreamNonBlocking},
    {"byte_0_of_halves", "error 1; one thread reads what another writes; kernel cross(", byte_of_halves<0>, cudaStreamNonBlocking},
    {"byte_1_of_halves", "error 1; one thread reads what another writes; kernel cross(", byte_of_halves<1>, cudaStreamNonBlocking},
    {"byte_2_of_halves", "error 1; one thread reads what another writes; kernel cross(", byte_of_halves<2>, cudaStreamNonBlocking},
    {"byte_3_of_halves", "error 1; one thread reads what another writes; kernel cross(", byte_of_halves<3>, cudaStreamNonBlocking},
    {"both_write", "two threads write; the other's kernel; kernel put(int*, int)", both_write, cudaStreamNonBlocking},
    {"kernels_by_event", "", kernels_by_event, cudaStreamNonBlocking},
    {"event_too_early", "the other's kernel; kernel put(int*, int)", event_too_early, cudaStreamNonBlocking},
    {"by_sync", "", by_sync, cudaStreamNonBlocking},
    {"by_event_sync", "", by_event_sync, cudaStreamNonBlocking},
    {"sync_of_other", "the other's kernel; kernel put(int*, int)", sync_of_other, cudaStreamNonBlocking},
    {"by_third", "", by_third, cudaStreamNonBlocking},
    {"readers", "", readers, cudaStreamNonBlocking},
    {"apart", "", apart, cudaStreamNonBlocking},
    {"counters", "", counters, cudaStreamNonBlocking},
    {"variables", "warning", variables, cudaStreamNonBlocking},
    {"children", "the other's kernel; put(int*, int)", children, cudaStreamNonBlocking},
    {"children_and_copy", "a copy reads what other work in another stream writes; put(int*, int)", children_and_copy, cudaStreamNonBlocking},
    {"children_in_order", "", children_in_order, cudaStreamNonBlocking},
    {"parents_of_one", "", parents_of_one, cudaStreamNonBlocking},
    {"parent_before", "", parent_before, cudaStreamNonBlocking},
    {"parent_not_met", "one thread reads what another writes; kernel take(; the other's kernel launch_take(; the other access is a write by block (0,0,0), thread (1,0,0)", parent_not_met, cudaStreamNonBlocking},
    {"parent_of_blocks", "one thread reads what another writes; kernel take(; the other access is a write by block (1,0,0)", parent_of_blocks, cudaStreamNonBlocking},
    {"parent_behind", "one thread reads what another writes; kernel take(; the other's kernel launch_take(; by block (0,0,0), thread (0,0,0)", parent_behind, cudaStreamNonBlocking},
    {"parent_forgets", "one thread reads what another writes; kernel take(; the other's kernel launch_take(", parent_forgets, cudaStreamNonBlocking},
    {"parent_elsewhere", "", parent_elsewhere, cudaStreamNonBlocking},
    {"parent_reads", "one thread reads what another writes; kernel put(; the other access is a read", parent_reads, cudaStreamNonBlocking},
    {"parent_counts", "", parent_counts, cudaStreamNonBlocking},
    {"parent_tail", "", parent_tail, cudaStreamNonBlocking},
    {"grandparent_before", "", grandparent_before, cudaStreamNonBlocking},
    {"grandparent_behind", "one thread reads what another writes; kernel take(; the other's kernel launch_twice(", grandparent_behind, cudaStreamNonBlocking},
    {"parent_and_next", "", parent_and_next, cudaStreamNonBlocking},
    {"legacy_between", "", legacy_between, cudaStreamDefault},
    {"legacy_apart", "the other's kernel; kernel put(int*, int)", legacy_apart, cudaStreamNonBlocking},
    {"legacy_after", "", legacy_after, cudaStreamDefault},
    {"copy_and_kernel", "other work in another stream", copy_and_kernel, cudaStreamNonBlocking},
    {"kernel_and_copy", "a kernel reads what other work in another stream writes; a copy", kernel_and_copy, cudaStreamNonBlocking},
    {"copy_in_order", "", copy_in_order, cudaStreamNonBlocking},
    {"copies", "a copy reads what other work in another stream writes", copies, cudaStreamNonBlocking},
    {"fills", "a fill and other work in another stream both write", fills, cudaStreamNonBlocking},
    {"fills_apart", "", fills_apart, cudaStreamNonBlocking},
    {"fill_known_before", "other work in another stream", fill_known_before, cudaStreamNonBlocking},
    {"fill_known", "", fill_known, cudaStreamNonBlocking},
    {"fills_between", "", fills_between, cudaStreamNonBlocking},
    {"many_fills_between", "", many_fills_between, cudaStreamNonBlocking},
    {"last_of_fills", "other work in another stream", last_of_fills, cudaStreamNonBlocking},
    {"last_of_many_fills", "other work in another stream", last_of_many_fills, cudaStreamNonBlocking},
    {"columns_apart", "", columns_apart, cudaStreamNonBlocking},
    {"columns", "both write", columns, cudaStreamNonBlocking},
    {"pinned_of_two", "a copy reads what other work in another stream writes", pinned_of_two, cudaStreamNonBlocking},
    {"managed", "the other's kernel; kernel put(int*, int)", fill_and_managed, cudaStreamNonBlocking},
    {"host_writes", "the host writes to memory that a copy in a stream reads", host_writes, cudaStreamNonBlocking},
    {"host_writes_managed", "the host writes to memory that a copy in a stream reads", host_writes_managed, cudaStreamNonBlocking},
    {"host_waits", "", host_waits, cudaStreamNonBlocking},
    {"device_writes", "", device_writes, cudaStreamNonBlocking},
    {"kernel_writes", "", kernel_writes, cudaStreamNonBlocking},
    {"host_function", "", host_function, cudaStreamNonBlocking},
    {"before_function", "", before_function, cudaStreamNonBlocking},
    {"host_reads_early", "the host reads memory that a kernel writes; touched by the host at; launched at", host_reads_early, cudaStreamNonBlocking},
    {"host_reads_late", "the host reads memory that a kernel writes; the other's kernel; put(int*, int)", host_reads_late, cudaStreamNonBlocking},
    {"host_writes_early", "the host writes to memory that a kernel reads", host_writes_early, cudaStreamNonBlocking},
    {"host_writes_too", "the host writes to memory that a kernel writes", host_writes_too, cudaStreamNonBlocking},
    {"host_reads_copy", "the host reads memory that a copy in a stream writes", host_reads_copy, cudaStreamNonBlocking},
    {"host_waits_for_other", "the host reads memory that a kernel writes", host_waits_for_other, cudaStreamNonBlocking},
    {"host_elsewhere", "", host_elsewhere, cudaStreamNonBlocking},
    {"host_reads_too", "", host_reads_too, cudaStreamNonBlocking},
    {"host_in_order", "", host_in_order, cudaStreamNonBlocking},
    {"host_polls", "", host_polls, cudaStreamNonBlocking},
    {"host_tells", "", host_tells, cudaStreamNonBlocking},
    {"host_is_called", "", host_is_called, cudaStreamNonBlocking},
    {"system_reads", "", system_reads, cudaStreamNonBlocking},
    {"graph_branches", "the other's kernel; kernel put(int*, int)", graph_branches, cudaStreamNonBlocking},
    {"graph_in_order", "", graph_in_order, cudaStreamNonBlocking},
    {"graph_and_stream", "the other's kernel; kernel put(int*, int)", graph_and_stream, cudaStreamNonBlocking},
    {"textures", "", textures, cudaStreamNonBlocking},
    {"array_and_copy", "a kernel reads what other work in another stream writes; the other is a copy; kernel fetch_row", array_and_copy, cudaStreamNonBlocking},
    {"array_and_later_copy", "a copy writes what other work in another stream reads; fetch_row", array_and_later_copy, cudaStreamNonBlocking},
    {"array_between_rows", "a kernel reads what other work in another stream writes; kernel fetch_row", array_between_rows, cudaStreamNonBlocking},
    {"array_and_surface", "fetch_row(; put_texels(", array_and_surface, cudaStreamNonBlocking},
    {"array_apart", "", array_apart, cudaStreamNonBlocking},
    {"array_in_order", "", array_in_order, cudaStreamNonBlocking},
    {"pool", "", pool, cudaStreamNonBlocking},
    {"pool_used_early", "a kernel accesses memory that another stream allocates; cudaMallocAsync", pool_used_early, cudaStreamNonBlocking},
    {"pool_filled_early", "a fill writes memory that another stream allocates; cudaMallocAsync", pool_filled_early, cudaStreamNonBlocking},
    {"pool_behind", "", pool_behind, cudaStreamNonBlocking},
};

static void unmake()
{
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFreeHost(pinned);
    cudaFree(managed);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaEventDestroy(event);
}

int main(int argc, char **argv)
{
    const char *asked = argc > 1 ? argv[1] : "";
    for (const test &t : tests) {
        const bool is_right = strcmp(t.words, "") == 0;
        if (strcmp(asked, "--list") == 0 && !is_right)
            printf("%s\t%s\n", t.name, t.words);
        if (strcmp(asked, is_right ? "--right" : t.name) == 0 || strcmp(asked, t.name) == 0) {
            make(t.flags);
            t.run();
            unmake();
        }
    }
    if (strcmp(asked, "--list") != 0)
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}

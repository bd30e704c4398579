/* Kernels that are wrong on purpose: wrong CASE runs one. Each line with a comment "CASE: words; ..." must be named by a report
 * that has all the words (run.sh).
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_device_runtime_api.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct padded {
    char small;
    int word;
    double wide;
    char last;
};

__device__ int table[4];
__device__ int sink;

__global__ void past_end(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        p[i] = i; // past_end: 4 bytes written out of bounds; past_end; (1,0,0); (36,0,0); 400 bytes
}

__global__ void before_start(const int *p)
{
    sink = p[-1]; // before_start: 4 bytes read out of bounds; before; 400 bytes
}

__global__ void across_end(const char *p)
{
    sink = *(const short *)(p + 399); // across_end: 2 bytes read, of which 1 are out of bounds
}

__global__ void unaligned(char *p)
{
    *(int *)(p + threadIdx.x) = 1; // unaligned: 4 bytes written; no multiple of 4; (1,0,0)
}

__global__ void use(int *p)
{
    p[threadIdx.x] = 2; // after_free: 4 bytes written after they were freed; (0,0,0); 400 bytes
}

__global__ void use_late(int *p)
{
    p[threadIdx.x] = 1; // after_async: 4 bytes written after they were freed; 400 bytes
}

__global__ void follow(int *p)
{
    p[threadIdx.x] = 1; // of_host: 4 bytes written where no device memory is
}

__global__ void follow_null(int *p)
{
    p[threadIdx.x + 3] = 1; // null: 4 bytes written at a null pointer; 0xc
}

__global__ void past_shared(int n)
{
    __shared__ int part[64];
    part[threadIdx.x] = 0;
    __syncthreads();
    part[threadIdx.x + n] = 1; // past_shared: beyond the block's shared memory; (63,0,0); 256
    __syncthreads();
    sink = part[n];
}

__global__ void past_dynamic(int n)
{
    extern __shared__ int part[];
    part[threadIdx.x + n] = 1; // past_dynamic: beyond the block's shared memory; (31,0,0)
    __syncthreads();
    sink = part[threadIdx.x];
}

__global__ void past_local(int n)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = i * n;
    sink = own[n]; // past_local: 4 bytes read beyond the thread's local memory
}

__global__ void past_variable(int n)
{
    table[n] = n; // past_variable: 4 bytes written out of bounds
}

__device__ int *volatile kept;

__global__ void heap_twice()
{
    kept = (int *)malloc(16);
    free(kept);
    free(kept); // heap_twice: free() of memory that was freed; 16 bytes
}

__global__ void heap_past()
{
    volatile int *p = (int *)malloc(20);
    for (int i = 0; i <= 5; i++)
        p[i] = i; // heap_past: 4 bytes written out of bounds; heap of 20 bytes
    free((void *)p);
}

__global__ void heap_after()
{
    kept = (int *)malloc(20);
    free(kept);
    *(volatile int *)kept = 1; // heap_after: written after they were freed; heap of 20 bytes
}

__global__ void heap_not(int *p)
{
    free(p + 1); // heap_not: free() of what malloc() did not give
}

__global__ void heap_right(int *out)
{
    int *p = (int *)malloc(20);
    for (int i = 0; i < 5; i++)
        p[i] = i;
    out[threadIdx.x] = p[4];
    free(p);
}

__global__ void write_surface(cudaSurfaceObject_t to, int n)
{
    surf2Dwrite(1, to, (threadIdx.x + n) * 4, 1); // surface: 4 bytes written beyond a surface; (63,0,0); byte 256 of row 1
}

__global__ void read_surface(cudaSurfaceObject_t from, int n)
{
    sink = surf2Dread<int>(from, 0, threadIdx.x + n); // surface_read: 4 bytes read beyond a surface; (3,0,0); byte 0 of row 4
}

__global__ void write_inside(cudaSurfaceObject_t to, int n)
{
    surf2Dwrite(1, to, (threadIdx.x + n) * 4, 1, cudaBoundaryModeZero);
}

__global__ void fetch(cudaTextureObject_t from, int n)
{
    sink = tex1Dfetch<int>(from, threadIdx.x + n); // texel: a fetch from linear memory beyond its texture; element 100 of 100
}

__device__ cudaTextureObject_t kept_texture;

__global__ void fetch_kept()
{
    sink = tex1Dfetch<int>(kept_texture, threadIdx.x); // destroyed: a fetch from a texture that is none, or was destroyed
}

__global__ void decide(const int *in, int *out)
{
    if (in[threadIdx.x] > 3) // decide: never written; (2,0,0); byte 8 of device memory of 400 bytes
        atomicAdd(out, 1);
}

__global__ void address(const int *in, int *out)
{
    out[in[threadIdx.x] & 3] = 1; // address: an address; never written; byte 0 of
}

__global__ void tile(int *out, int n)
{
    __shared__ int part[64];
    int i = threadIdx.x;
    if (i < n)
        part[i] = i;
    __syncthreads();
    if (part[63 - i] >= 0) // shared_unset: never written; (0,0,0); byte 252 of shared memory
        out[i] = part[63 - i] + 1;
}

__global__ void count(int *p)
{
    atomicAdd(p, 1); // count: atomic operation; never written; inlined near; wrong.cu
}

__global__ void sum(const int *in, int *out, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += in[i];
    *out = s;
}

__global__ void fill(padded *p)
{
    padded *own = p + threadIdx.x;
    own->small = 1;
    own->word = 2;
    own->wide = 3;
    own->last = 4;
}

__global__ void move(const padded *in, padded *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

static int *ints(size_t count, bool is_set)
{
    int *made;
    cudaMalloc(&made, count * sizeof *made);
    if (is_set)
        cudaMemset(made, 0, count * sizeof *made);
    return made;
}

static bool is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

// Kernels that kernels launch.
__global__ void child_writes(int *p)
{
    p[threadIdx.x + 96] = 1; // child_past: 4 bytes written out of bounds; child_writes; (4,0,0); 400 bytes; main+0x
}

__global__ void child_counts(const int *p, int *to)
{
    if (p[threadIdx.x] > 0) // child_unset: a branch depends on memory that was never written; child_counts; (2,0,0)
        atomicAdd(to, 1);
}

__global__ void child_frees(int *p, int *to)
{
    to[0] = p[0];
    free(p);
}

__global__ void child_frees_again(int *p)
{
    free(p);
    free(p); // child_heap_twice: free() of memory that was freed; child_frees_again
}

// What is made for kernels by the calls that launch others.
__global__ void parent_streams(int *to)
{
    cudaStream_t one = nullptr;
    cudaEvent_t done = nullptr;
    int device = -1, *made = nullptr;
    to[0] = cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking) | cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    to[1] = cudaEventRecord(done, one) | cudaStreamWaitEvent(one, done, 0);
    to[2] = cudaEventDestroy(done) | cudaStreamDestroy(one) | cudaGetDevice(&device);
    to[3] = device;
    to[4] = cudaMalloc((void **)&made, 64);
    made[15] = to[4];
    to[5] = made[15];
    cudaFree(made);
}

__global__ void parent_allocates(int n, int *to)
{
    int *made;
    cudaMalloc((void **)&made, 64);
    made[n] = 1; // child_malloc_past: 4 bytes written out of bounds; parent_allocates; 64 bytes
    to[0] = n;
    cudaFree(made);
}

enum children { PAST, COUNTED, HEAP, HEAP_TWICE };

__global__ void parent(children which, int *p, int *to)
{
    int *made = which < HEAP ? nullptr : (int *)malloc(64);
    p[0] = p[1] = 1;
    if (made)
        made[0] = 1;
    if (which == PAST)
        clem_launch(child_writes, 1, 8, 0, 0, p);
    if (which == COUNTED)
        clem_launch(child_counts, 1, 4, 0, 0, p, to);
    if (which == HEAP)
        clem_launch(child_frees, 1, 1, 0, 0, made, to);
    if (which == HEAP_TWICE)
        clem_launch(child_frees_again, 1, 1, 0, 0, made);
}

static void run_children(const char *name)
{
    int *p = ints(100, false), *to = ints(100, true);
    if (is(name, "child_past"))
        parent<<<1, 1>>>(PAST, p, to);
    if (is(name, "child_unset"))
        parent<<<1, 1>>>(COUNTED, p, to);
    if (is(name, "child_set")) {
        cudaMemset(p + 2, 0, 8);
        parent<<<1, 1>>>(COUNTED, p, to);
    }
    if (is(name, "child_heap"))
        parent<<<1, 1>>>(HEAP, p, to);
    if (is(name, "child_streams")) {
        int host[6];
        parent_streams<<<1, 1>>>(p);
        cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    }
    if (is(name, "child_malloc_past"))
        parent_allocates<<<1, 1>>>(16, to);
    if (is(name, "child_heap_twice"))
        parent<<<1, 1>>>(HEAP_TWICE, p, to);
}

static void run_memory(const char *name)
{
    int *p = ints(100, true), host = 0;
    if (is(name, "past_end"))
        past_end<<<2, 64>>>(p, 100);
    if (is(name, "at_end"))
        past_end<<<2, 64>>>(p, 99);
    if (is(name, "before_start"))
        before_start<<<1, 1>>>(p);
    if (is(name, "across_end"))
        across_end<<<1, 1>>>((char *)p);
    if (is(name, "unaligned"))
        unaligned<<<1, 2>>>((char *)p);
    if (is(name, "of_host"))
        follow<<<1, 1>>>(&host);
    if (is(name, "null"))
        follow_null<<<1, 1>>>(nullptr);
    if (is(name, "past_shared"))
        past_shared<<<1, 64>>>(1);
    if (is(name, "past_dynamic"))
        past_dynamic<<<1, 32, 128>>>(1);
    if (is(name, "past_local"))
        past_local<<<1, 1>>>(1000);
    if (is(name, "past_variable"))
        past_variable<<<1, 1>>>(1000);
    if (is(name, "after_free")) {
        cudaFree(p);
        use<<<1, 1>>>(p);
    }
    if (is(name, "before_async")) {
        cudaMallocAsync(&p, 400, 0);
        cudaMemsetAsync(p, 0, 400, 0);
        use<<<1, 4>>>(p);
        cudaFreeAsync(p, 0);
    }
    if (is(name, "after_async")) {
        cudaMallocAsync(&p, 400, 0);
        cudaFreeAsync(p, 0);
        use_late<<<1, 1>>>(p);
    }
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaSurfaceObject_t made;
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaCreateSurfaceObject(&made, &what);
    return made;
}

static cudaTextureObject_t texture_of(int *memory, size_t count)
{
    cudaTextureObject_t made;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = memory;
    what.res.linear.desc = cudaCreateChannelDesc<int>();
    what.res.linear.sizeInBytes = count * sizeof(int);
    cudaCreateTextureObject(&made, &what, &how, nullptr);
    return made;
}

static void run_texture(const char *name)
{
    cudaArray_t array;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &texel, 64, 4, cudaArraySurfaceLoadStore);
    const cudaSurfaceObject_t surface = surface_of(array);
    int *p = ints(100, true);
    const cudaTextureObject_t linear = texture_of(p, 100);
    if (is(name, "surface"))
        write_surface<<<1, 64>>>(surface, 1);
    if (is(name, "surface_read"))
        read_surface<<<1, 4>>>(surface, 1);
    if (is(name, "surface_inside"))
        write_surface<<<1, 64>>>(surface, 0);
    if (is(name, "surface_zero"))
        write_inside<<<1, 64>>>(surface, 1);
    if (is(name, "texel"))
        fetch<<<1, 64>>>(linear, 37);
    if (is(name, "texel_inside"))
        fetch<<<1, 64>>>(linear, 36);
    if (is(name, "destroyed")) {
        cudaMemcpyToSymbol(kept_texture, &linear, sizeof linear);
        cudaDestroyTextureObject(linear);
        fetch_kept<<<1, 1>>>();
    }
    if (is(name, "array_freed")) {
        cudaFreeArray(array);
        write_surface<<<1, 64>>>(surface, 0); // array_freed: a launch uses a surface whose array was freed
    }
    if (is(name, "linear_freed")) {
        cudaFree(p);
        fetch<<<1, 64>>>(linear, 0); // linear_freed: a launch uses a texture whose memory was freed
    }
}

static void run_heap(const char *name)
{
    int *p = ints(100, true);
    if (is(name, "heap_twice"))
        heap_twice<<<1, 1>>>();
    if (is(name, "heap_past"))
        heap_past<<<1, 1>>>();
    if (is(name, "heap_after"))
        heap_after<<<1, 1>>>();
    if (is(name, "heap_not"))
        heap_not<<<1, 1>>>(p);
    if (is(name, "heap_right"))
        heap_right<<<2, 32>>>(p);
}

static void run_init(const char *name)
{
    int *in = ints(100, false), *out = ints(100, true), host[100];
    padded *from, *to, values[4];
    cudaMalloc(&from, sizeof values);
    cudaMalloc(&to, sizeof values);
    if (is(name, "decide")) {
        cudaMemset(in, 0, 8);
        decide<<<1, 3>>>(in, out);
    }
    if (is(name, "address"))
        address<<<1, 1>>>(in, out);
    if (is(name, "shared_unset"))
        tile<<<1, 64>>>(out, 63);
    if (is(name, "shared_set"))
        tile<<<1, 64>>>(out, 64);
    if (is(name, "count"))
        count<<<1, 1>>>(in);
    if (is(name, "to_host") || is(name, "sums")) {
        cudaMemset(in, 0, is(name, "sums") ? 400 : 396);
        sum<<<1, 1>>>(in, out, 100);
        cudaMemcpy(
            host, out, 4,
            cudaMemcpyDeviceToHost); // to_host: 4 bytes that were never written; copied to the host
    }
    if (is(name, "padding")) {
        fill<<<1, 4>>>(from);
        move<<<1, 4>>>(from, to);
        cudaMemcpy(values, to, sizeof values, cudaMemcpyDeviceToHost);
    }
}

// Memory that is freed and handed out again, of other sizes, while kernels of those who had it still run.
__global__ void work_for_long(int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i % 100] ^ i;
    p[threadIdx.x] = sum;
}

__global__ void put_all(int *p, int n)
{
    for (int i = threadIdx.x; i < n; i += 64)
        p[i] = i;
}

__global__ void decide_all(const int *p, int n, int *out)
{
    for (int i = threadIdx.x; i < n; i += 64)
        if (p[i] > 0)
            atomicAdd(out, p[i]);
}

static void use_in_turn(cudaStream_t stream, cudaMemPool_t pool, int turns, int *out)
{
    for (int turn = 0; turn < turns; turn++) {
        int *p, n = 1000 - turn % 4;
        if (turn % 4 == 0)
            work_for_long<<<1, 1, 0, stream>>>(out, 50000);
        if (pool)
            cudaMallocFromPoolAsync(&p, n * sizeof(int), pool, stream);
        else
            cudaMallocAsync(&p, n * sizeof(int), stream);
        if (turn % 2)
            cudaMemsetAsync(p, 1, n * sizeof(int), stream);
        else
            put_all<<<1, 64, 0, stream>>>(p, n);
        decide_all<<<1, 64, 0, stream>>>(p, n, out);
        cudaFreeAsync(p, stream);
    }
}

static void run_again(const char *name)
{
    int *out = ints(100, true);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    if (is(name, "ordered_again"))
        use_in_turn(stream, NULL, 40, out);
    if (is(name, "limited_again")) {
        cudaMemPool_t pool;
        cudaMemPoolProps properties = {};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, 0};
        properties.maxSize = 1 << 16;
        cudaMemPoolCreate(&pool, &properties);
        use_in_turn(stream, pool, 40, out);
        cudaStreamSynchronize(stream);
        cudaMemPoolDestroy(pool);
    }
    if (is(name, "graph_again")) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        use_in_turn(stream, NULL, 4, out);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
        for (int i = 0; i < 8; i++)
            cudaGraphLaunch(exec, stream);
        cudaStreamSynchronize(stream);
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
    }
}

// The other warps of the block have ended where one multiplies.
__global__ void multiply_in_one_warp(float *out, int warps)
{
    if ((int)threadIdx.x / 32 >= warps)
        return;
    asm volatile("{.reg .f32 c<8>;\n"
                 "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {c0, c1, c2, c3, c4, c5, c6, c7}, [%0], 16;\n"
                 "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {c0, c1, c2, c3, c4, c5, c6, c7}, "
                 "{%1, %1, %1, %1, %1, %1, %1, %1}, {%1, %1, %1, %1, %1, %1, %1, %1}, {c0, c1, c2, c3, c4, c5, c6, c7};\n"
                 "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {c0, c1, c2, c3, c4, c5, c6, c7}, 16;}"
                 :
                 : "l"(out), "r"(threadIdx.x)
                 : "memory");
}

/* Parameters of functions whose address is taken are there as those of kernels are. */
struct words {
    int value[13];
    unsigned char count;
};

__device__ __noinline__ int chosen(words w, int i)
{
    return w.value[i % w.count] + w.value[(i * 5) % w.count];
}

__global__ void choose(words w, int *out)
{
    out[threadIdx.x] = chosen(w, (int)threadIdx.x);
}

__global__ void take(words w, int i, int *out)
{
    out[0] = w.value[i]; // past_parameters: 4 bytes read beyond the memory of the kernel's parameters; has 72 bytes
}

static void choose_by_value()
{
    int *out = ints(32, false);
    words w = {};
    w.count = 11;
    choose<<<1, 32>>>(w, out);
    int host[32];
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}

/* What a predicate decides alone does not come from the other one, or from what is compared beside it. */
__global__ void join(const int *in, int *out, int written)
{
    const int i = (int)threadIdx.x;
    int all, some, and_too, or_too;
    asm("{ .reg .pred known, unknown, p;\n"
        "setp.lt.s32 known, %4, %5;\n"
        "setp.eq.s32 unknown, %6, 0;\n"
        "and.pred p, known, unknown;\n"
        "selp.s32 %0, 1, 0, p;\n"
        "setp.eq.and.s32 p, %6, 7, known;\n"
        "selp.s32 %2, 1, 0, p;\n"
        "setp.ge.s32 known, %4, %5;\n"
        "or.pred p, unknown, known;\n"
        "selp.s32 %1, 1, 0, p;\n"
        "setp.eq.or.s32 p, %6, 7, known;\n"
        "selp.s32 %3, 1, 0, p; }"
        : "=r"(all), "=r"(some), "=r"(and_too), "=r"(or_too)
        : "r"(i), "r"(written), "r"(in[i]));
    out[i] = all;
    out[i + 32] = some;
    out[i + 64] = and_too;
    out[i + 96] = or_too;
}

static void join_predicates(const char *name)
{
    int *in = ints(32, false), *out = ints(128, false), host[128];
    cudaMemset(in, 0, 16 * sizeof *in);
    join<<<1, 32>>>(in, out, is(name, "joined") ? 16 : 17);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost); // joined_too_far: 4 bytes that were never written; copied to the host
}

/* Calls that go past an end: refused, but for one that does not wait. */
static void copy_too_much(const char *name)
{
    char host[500] = {};
    int *in = ints(100, true);
    if (is(name, "copy_rows"))
        cudaMemcpy2D(host, 20, in, 80, 20, 6, cudaMemcpyDeviceToHost); // copy_rows: a copy of 420 bytes; 20 bytes past the end
    if (is(name, "copy_symbol"))
        cudaMemcpyToSymbol(table, host, 8, 12); // copy_symbol: a copy of 8 bytes at offset 12 goes past the end of a variable of 16 bytes
    if (is(name, "copy_symbol_later"))
        cudaMemcpyFromSymbolAsync(host, table, 20, 0, cudaMemcpyDeviceToHost, 0); // copy_symbol_later: a copy of 20 bytes; of 16 bytes
    if (is(name, "copy_all")) {
        cudaMemcpy2D(host, 20, in, 80, 20, 5, cudaMemcpyDeviceToHost);
        cudaMemcpyToSymbol(table, host, 4, 12);
    }
}

/* The upper lanes of each warp, or of the last one, do not come. */
__global__ void sum_of_half(int *out, int from)
{
    int sum = (int)threadIdx.x;
    if (threadIdx.x % 32 < 16 || threadIdx.x < from)
        for (int step = 8; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, step);
    out[threadIdx.x] = sum;
}

/* Odd lanes wait for even ones, which wait at the barrier. */
__global__ void sum_of_odd(int *sums)
{
    int sum = (int)threadIdx.x;
    if (threadIdx.x & 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    __syncthreads();
    sums[threadIdx.x] = sum;
}

/* The upper lanes have ended, and nobody needs what would have come of them. */
__global__ void sum_of_rest(int *out)
{
    int sum = (int)threadIdx.x;
    if (threadIdx.x % 32 >= 16)
        return;
    for (int step = 8; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = sum;
}

/* Each thread its own number: which warp's stays, nobody can say. */
__global__ void store_at_one_place(int *out, bool is_shared)
{
    __shared__ int place[8];
    if (!is_shared)
        out[threadIdx.x / 64] = threadIdx.x;
    else
        place[0] = threadIdx.x;
    __syncthreads();
    if (is_shared)
        out[threadIdx.x] = place[0];
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strncmp(name, "heap_", 5) == 0)
        run_heap(name);
    else
        run_memory(name);
    run_children(name);
    run_init(name);
    run_texture(name);
    run_again(name);
    if (is(name, "by_value"))
        choose_by_value();
    if (is(name, "past_parameters") || is(name, "in_parameters"))
        take<<<1, 1>>>(words(), is(name, "in_parameters") ? 12 : 18, ints(1, true));
    if (is(name, "joined") || is(name, "joined_too_far"))
        join_predicates(name);
    if (strncmp(name, "copy_", 5) == 0)
        copy_too_much(name);
    if (is(name, "half_warps") || is(name, "whole_warps"))
        sum_of_half<<<1, 64>>>(ints(64, true), is(name, "half_warps") ? 32 : 64);
    if (is(name, "one_place") || is(name, "one_place_shared"))
        store_at_one_place<<<1, 128>>>(ints(128, true), is(name, "one_place_shared"));
    if (is(name, "ended_lanes"))
        sum_of_rest<<<1, 64>>>(ints(2, false));
    if (is(name, "alone_lanes"))
        sum_of_odd<<<2, 64>>>(ints(64, false));
    if (is(name, "one_warp"))
        multiply_in_one_warp<<<2, 64>>>((float *)ints(256, true), 1);
    printf("%s: %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}

/* Tests of facade/code/launch.c: arguments of every kind, shapes, limits, attributes, many threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>

#include "tests/facade/runtime_support.h"

static clemDeviceInfo device_info(void)
{
    clemDeviceInfo info;
    assert_success(clemGetDeviceInfo(&info, 0));
    return info;
}

static cudaError_t launch_one(const void *kernel, void **args)
{
    return launch_1d(kernel, 1, 1, args, 0, NULL);
}

/* --- arguments -------------------------------------------------------------------------------- */

/* A size_t of the host is a ulong here: OpenCL C has no kernel parameters of type size_t. */
static const char *const scalar_text = "__kernel void scalars(__global long *out, char c, uchar "
                                       "uc, short s, ushort us, int i, uint ui, long l, ulong ul,\n"
                                       "                      float f, ulong z)\n"
                                       "{\n"
                                       "    out[0] = c; out[1] = uc; out[2] = s; out[3] = us; "
                                       "out[4] = i; out[5] = ui; out[6] = l; out[7] = (long)ul;\n"
                                       "    out[8] = (long)(f * 4.0f); out[9] = (long)z;\n"
                                       "}\n";

TEST_BODY(launch_takes_scalars)
{
    cudaLibrary_t library = load_text(scalar_text);
    int64_t *out = (int64_t *)(void *)device_ints(20), got[10];
    signed char c = -5;
    unsigned char uc = 250;
    short s = -30000;
    unsigned short us = 65000;
    int i = -2000000000;
    unsigned ui = 4000000000u;
    int64_t l = -((int64_t)1 << 60);
    uint64_t ul = (uint64_t)1 << 62;
    float f = -1.75f;
    size_t z = ((size_t)1 << 40) + 3;
    void *args[] = {&out, &c, &uc, &s, &us, &i, &ui, &l, &ul, &f, &z};
    assert_success(launch_one(find_kernel(library, "scalars"), args));
    assert_success(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    const int64_t wanted[] = {c, uc, s, us, i, ui, l, (int64_t)ul, -7, (int64_t)z};
    assert_memory_equal(got, wanted, sizeof got);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

static const char *const vector_text =
    "__kernel void vectors(char2 c, __global float *out, float4 f, int3 i, ushort8 s, uchar16 u, "
    "float2 g)\n"
    "{\n"
    "    out[0] = c.x; out[1] = c.y; out[2] = f.x; out[3] = f.w; out[4] = i.x; out[5] = i.z;\n"
    "    out[6] = s.s0; out[7] = s.s7; out[8] = u.s0; out[9] = u.sf; out[10] = g.y;\n"
    "}\n";

/* Small, odd and large vectors among other arguments: each value arrives whole. */
TEST_BODY(launch_takes_vectors)
{
    cudaLibrary_t library = load_text(vector_text);
    float *out = (float *)(void *)device_ints(11), got[11];
    signed char c[2] = {-1, 2};
    float f[4] = {1.5f, 0, 0, 4.5f};
    int i[4] = {10, 20, 30, 0};
    unsigned short s[8] = {100, 0, 0, 0, 0, 0, 0, 800};
    unsigned char u[16] = {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 222};
    float g[2] = {0, -8.25f};
    void *args[] = {c, &out, f, i, s, u, g};
    assert_success(launch_one(find_kernel(library, "vectors"), args));
    assert_success(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    static const float wanted[] = {-1, 2, 1.5f, 4.5f, 10, 30, 100, 800, 7, 222, -8.25f};
    for (int k = 0; k < 11; k++)
        assert_true(got[k] == wanted[k]);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

struct mixed {
    char c;
    short s;
    int i;
    int64_t l;
    float f[3];
    char tail;
};

static const char *const struct_text =
    "struct mixed { char c; short s; int i; long l; float f[3]; char tail; };\n"
    "typedef struct { uint w, h; } area;\n"
    "__kernel void structs(char before, struct mixed m, __global long *out, area a, char after)\n"
    "{\n"
    "    out[0] = before; out[1] = m.c; out[2] = m.s; out[3] = m.i; out[4] = m.l; out[5] = "
    "(long)m.f[2];\n"
    "    out[6] = m.tail; out[7] = a.w; out[8] = a.h; out[9] = after;\n"
    "}\n";

TEST_BODY(launch_takes_structs_by_value)
{
    cudaLibrary_t library = load_text(struct_text);
    int64_t *out = (int64_t *)(void *)device_ints(20), got[10];
    struct mixed m = {1, 2, 3, (int64_t)4 << 40, {0, 0, 5}, 6};
    struct {
        unsigned w, h;
    } area = {70, 80};
    signed char before = -1, after = -2;
    void *args[] = {&before, &m, &out, &area, &after};
    assert_success(launch_one(find_kernel(library, "structs"), args));
    assert_success(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    static const int64_t wanted[] = {-1, 1, 2, 3, (int64_t)4 << 40, 5, 6, 70, 80, -2};
    assert_memory_equal(got, wanted, sizeof got);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

static const char *const double_text =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void half_of(__global double *out, double d) { out[0] = d / 2; }\n";

TEST_BODY(launch_takes_doubles)
{
    if (!device_info().hasDouble)
        TEST_SKIP("the device has no double precision");
    cudaLibrary_t library = load_text(double_text);
    double *out = (double *)(void *)device_ints(2), d = 3.0000000001, got = 0;
    void *args[] = {&out, &d};
    assert_success(launch_one(find_kernel(library, "half_of"), args));
    assert_success(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    assert_true(got == d / 2);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

static const char *const pointer_text =
    "__kernel void add_constant(__global int *p, __constant int *table, int n)\n"
    "{\n"
    "    int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        p[i] += table[i % 3];\n"
    "}\n"
    "__kernel void is_null(__global int *out, __global int *p) { out[0] = p == 0 ? 1 : 2; }\n"
    "__kernel void store(__global int *p, int v) { p[get_global_id(0)] = v; }\n"
    "__kernel void reverse(__global int *p, __local int *room, int n)\n"
    "{\n"
    "    int i = (int)get_local_id(0);\n"
    "    room[i] = p[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    p[i] = room[n - 1 - i];\n"
    "}\n";

TEST_BODY(launch_takes_constant_pointers)
{
    cudaLibrary_t library = load_text(pointer_text);
    static const int values[] = {100, 200, 300, 400, 500};
    int *p = device_ints(64), *table = device_ints(8), n = 50;
    const void *kernel = find_kernel(library, "add_constant");
    assert_success(cudaMemcpy(table, values, sizeof values, cudaMemcpyHostToDevice));
    for (int inner = 0; inner < 3; inner++) { /* the table's start, and places inside */
        int *from = table + inner;
        void *args[] = {&p, &from, &n};
        assert_success(cudaMemset(p, 0, 256));
        assert_success(launch_1d(kernel, 2, 32, args, 0, NULL));
        assert_int_equal(read_device_int(p), values[inner]);
        assert_int_equal(read_device_int(p + 4), values[inner + 1]);
        assert_int_equal(read_device_int(p + 49), values[inner + 49 % 3]);
        assert_int_equal(read_device_int(p + 50), 0);
    }
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(p));
    assert_success(cudaFree(table));
}

/* Every offset: kernels get pointers to the middle of an allocation and touch nothing beside. */
TEST_BODY(launch_takes_pointers_into_the_middle)
{
    enum { COUNT = 300 };
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "store");
    int *p = device_ints(COUNT), got[COUNT];
    for (int i = 0; i < COUNT; i++) {
        int *place = p + i, value = i + 1;
        void *args[] = {&place, &value};
        assert_success(launch_one(kernel, args));
    }
    assert_success(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], i + 1);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(p));
}

TEST_BODY(launch_takes_null_pointers)
{
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "is_null");
    int *out = device_ints(1), *p = NULL;
    void *args[] = {&out, &p};
    for (int round = 0; round < 2; round++) {
        p = NULL;
        assert_success(launch_one(kernel, args));
        assert_int_equal(read_device_int(out), 1);
        p = out;
        assert_success(launch_one(kernel, args));
        assert_int_equal(read_device_int(out), 2);
    }
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(out));
}

/* A __local pointer takes no entry of args. */
TEST_BODY(launch_gives_dynamic_local_memory)
{
    enum { MOST = 64 };
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "reverse");
    int *p = device_ints(MOST), values[MOST], got[MOST];
    for (int i = 0; i < MOST; i++)
        values[i] = i * 3;
    for (int n = 4; n <= MOST; n *= 4) {
        void *args[] = {&p, &n};
        assert_success(cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice));
        assert_success(launch_1d(kernel, 1, (unsigned)n, args, (size_t)n * sizeof(int), NULL));
        assert_success(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < MOST; i++)
            assert_int_equal(got[i], i < n ? values[n - 1 - i] : values[i]);
    }
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(p));
}

static void need_pointers_in_memory(void)
{
    clemDeviceInfo info = device_info();
    if (info.address == clemAddressHandle)
        TEST_SKIP("pointers in memory cannot be followed: strategy handle (%s)",
                  info.addressReason);
}

static const char *const follow_text =
    "struct node { __global struct node *next; int value; };\n"
    "__kernel void sum_list(__global struct node *n, __global int *out)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (; n != 0; n = n->next)\n"
    "        sum += n->value;\n"
    "    out[0] = sum;\n"
    "}\n"
    "struct holder { ulong p; int v; };\n"
    "__kernel void through_struct(struct holder h) { ((__global int *)h.p)[0] = h.v; }\n";

struct node {
    struct node *next;
    int value;
};

/* A list whose nodes lie in allocations of their own, one of them in the middle of one. */
TEST_BODY(launch_follows_pointers_in_memory)
{
    need_pointers_in_memory();
    enum { COUNT = 20 };
    cudaLibrary_t library = load_text(follow_text);
    struct node *nodes[COUNT], *next = NULL;
    int *out = device_ints(1);
    for (int i = 0; i < COUNT; i++) {
        assert_success(cudaMalloc((void **)&nodes[i], (i % 3 == 0 ? 100 : 1) * sizeof *nodes[i]));
        struct node *place = nodes[i] + (i % 3 == 0 ? 55 : 0), node = {next, 1 << i};
        assert_success(cudaMemcpy(place, &node, sizeof node, cudaMemcpyHostToDevice));
        next = place;
    }
    void *args[] = {&next, &out};
    assert_success(launch_one(find_kernel(library, "sum_list"), args));
    assert_int_equal(read_device_int(out), (1 << COUNT) - 1);
    for (int i = 0; i < COUNT; i++)
        assert_success(cudaFree(nodes[i]));
    assert_success(cudaFree(out));
    assert_success(cudaLibraryUnload(library));
}

/* OpenCL C has no pointers in structs that are arguments: the kernel makes one from the number. */
TEST_BODY(launch_follows_pointers_in_structs)
{
    need_pointers_in_memory();
    cudaLibrary_t library = load_text(follow_text);
    int *p = device_ints(10);
    struct {
        int *p;
        int v;
    } holder = {p + 7, 4321};
    void *args[] = {&holder};
    assert_success(launch_one(find_kernel(library, "through_struct"), args));
    assert_int_equal(read_device_int(p + 7), 4321);
    assert_int_equal(read_device_int(p + 6), 0);
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

/* Under unified addressing the host address of pinned memory is an argument like any other. */
TEST_BODY(launch_takes_pinned_host_pointers)
{
    clemDeviceInfo info;
    assert_success(clemGetDeviceInfo(&info, 0));
    if (!info.reachesPinnedHostMemory)
        TEST_SKIP("kernels of this device do not reach pinned memory under this strategy");
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "store");
    int *pinned = NULL, value = 17;
    assert_success(cudaMallocHost((void **)&pinned, 4096));
    memset(pinned, 0, 4096);
    int *place = pinned + 100;
    void *args[] = {&place, &value};
    assert_success(launch_1d(kernel, 2, 8, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(pinned[99], 0);
    assert_int_equal(pinned[100], 17);
    assert_int_equal(pinned[115], 17);
    assert_int_equal(pinned[116], 0);
    assert_success(cudaFreeHost(pinned));
    assert_success(cudaLibraryUnload(library));
}

/* Arguments are read before the call returns. */
TEST_BODY(launch_copies_its_arguments)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "store");
    int *p = device_ints(2), *place = p, value = 1;
    cudaStream_t stream = NULL;
    void *args[] = {&place, &value};
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    assert_success(launch_1d(kernel, 1, 1, args, 0, stream));
    place = p + 1;
    value = 2;
    assert_success(launch_1d(kernel, 1, 1, args, 0, stream));
    value = 3;
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(read_device_int(p), 1);
    assert_int_equal(read_device_int(p + 1), 2);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

/* --- shapes ----------------------------------------------------------------------------------- */

static const char *const shape_text =
    "__kernel void count(__global int *p)\n"
    "{\n"
    "    size_t w = get_global_size(0), h = get_global_size(1);\n"
    "    size_t at = get_global_id(0) + w * (get_global_id(1) + h * get_global_id(2));\n"
    "    p[at] += (int)(get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2)) + 1000 * "
    "(int)get_local_size(0);\n"
    "}\n"
    "__kernel void nothing(void) { }\n";

TEST_BODY(launch_runs_three_dimensions)
{
    cudaLibrary_t library = load_text(shape_text);
    const dim3 grid = {3, 2, 4}, block = {4, 2, 1};
    enum { W = 12, H = 4, D = 4 };
    int *p = device_ints(W * H * D), got[W * H * D];
    void *args[] = {&p};
    assert_success(cudaLaunchKernel(find_kernel(library, "count"), grid, block, args, 0, NULL));
    assert_success(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    for (int z = 0; z < D; z++) {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++)
                assert_int_equal(got[x + W * (y + H * z)], x / 4 + 10 * (y / 2) + 100 * z + 4000);
        }
    }
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

/* Of kernel handles NVIDIA's runtime says that the value is invalid, not that the configuration
 * is. */
TEST_BODY(launch_refuses_shapes_that_cannot_be)
{
    cudaLibrary_t library = load_text(shape_text);
    const void *kernel = find_kernel(library, "nothing");
    struct cudaDeviceProp p;
    assert_success(cudaGetDeviceProperties(&p, 0));
    const unsigned most = (unsigned)p.maxThreadsPerBlock, x = (unsigned)p.maxThreadsDim[0];
    const unsigned y = (unsigned)p.maxThreadsDim[1], z = (unsigned)p.maxThreadsDim[2];
    const dim3 one = {1, 1, 1};
    const struct {
        dim3 grid, block;
    } wrong[] = {
        {{0, 1, 1}, one},           {{1, 0, 1}, one},
        {{1, 1, 0}, one},           {one, {0, 1, 1}},
        {one, {1, 0, 1}},           {one, {1, 1, 0}},
        {{0x80000000u, 1, 1}, one}, {{UINT32_MAX, 1, 1}, one},
        {{1, 65536, 1}, one},       {{1, 1, 65536}, one},
        {one, {x + 1, 1, 1}},       {one, {1, y + 1, 1}},
        {one, {1, 1, z + 1}},       {one, {most, 2, 1}},
        {one, {65536, 65536, 1}},   {one, {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_fails(cudaErrorInvalidValue,
                     cudaLaunchKernel(kernel, wrong[i].grid, wrong[i].block, NULL, 0, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaLaunchKernel(kernel, one, one, NULL, p.sharedMemPerBlock + 1, NULL));
    assert_fails(cudaErrorInvalidValue, cudaLaunchKernel(kernel, one, one, NULL, SIZE_MAX, NULL));
    assert_success(cudaLaunchKernel(kernel, one, (dim3){most, 1, 1}, NULL, 0, NULL));
    assert_success(cudaLaunchKernel(kernel, (dim3){1, 1000, 1}, one, NULL, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(launch_refuses_what_is_no_kernel)
{
    static const char not_a_kernel = 0;
    cudaLibrary_t library = load_text(pointer_text);
    cudaStream_t stream = NULL;
    const void *kernel = find_kernel(library, "store");
    assert_fails(cudaErrorInvalidDeviceFunction, launch_one(NULL, NULL));
    assert_fails(cudaErrorInvalidResourceHandle, launch_one(&not_a_kernel, NULL));
    assert_fails(cudaErrorInvalidResourceHandle, launch_one(library, NULL));
    assert_fails(cudaErrorInvalidValue, launch_one(kernel, NULL));
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaStreamDestroy(stream));
    int *p = device_ints(1), value = 1;
    void *args[] = {&p, &value};
    assert_fails(cudaErrorInvalidResourceHandle, launch_1d(kernel, 1, 1, args, 0, stream));
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

/* Without a strategy that has addresses, a number that is no pointer cannot be passed and is
 * refused. */
TEST_BODY(launch_of_unknown_pointers)
{
    cudaLibrary_t library = load_text(pointer_text);
    int *out = device_ints(1), *unknown = (int *)(uintptr_t)0x12345670;
    void *args[] = {&out, &unknown};
    cudaError_t error = launch_one(find_kernel(library, "is_null"), args);
    if (device_info().address == clemAddressHandle) {
        assert_int_equal(error, cudaErrorInvalidValue);
        assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    } else if (error == cudaSuccess) {
        assert_int_equal(read_device_int(out), 2);
    } else {
        TEST_SKIP("the driver refuses unknown addresses: %s", cudaGetErrorName(error));
    }
    assert_success(cudaFree(out));
    assert_success(cudaLibraryUnload(library));
}

/* --- cudaLaunchKernelExC ---------------------------------------------------------------------- */

static bool launches_cooperate(void)
{
    int value = -1;
    assert_success(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0));
    return value != 0;
}

static unsigned most_cooperating(const void *kernel, int block)
{
    int blocks = 0, processors = 0;
    assert_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
    assert_success(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    return (unsigned)(blocks * processors);
}

/* What is wrong with any launch comes before what is wrong with a cooperative one, and that before stream and arguments. */
TEST_BODY(launch_refuses_what_cannot_cooperate)
{
    static const char not_a_kernel = 0;
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "store");
    int *p = device_ints(64), value = 9;
    void *args[] = {&p, &value};
    cudaStream_t dead = NULL;
    assert_success(cudaStreamCreate(&dead));
    assert_success(cudaStreamDestroy(dead));
    const dim3 one = {1, 1, 1}, none = {1, 0, 1}, block = {64, 1, 1};
    const dim3 most = {most_cooperating(kernel, 64), 1, 1}, line = {most.x + 1, 1, 1};
    const dim3 slab = {2, most.x, 2}, wide = {1025, 1, 1};
    assert_fails(cudaErrorInvalidDeviceFunction,
                 cudaLaunchCooperativeKernel(NULL, one, one, args, 0, NULL));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaLaunchCooperativeKernel(&not_a_kernel, one, one, args, 0, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaLaunchCooperativeKernel(kernel, none, one, args, 0, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaLaunchCooperativeKernel(kernel, line, wide, args, 0, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaLaunchCooperativeKernel(kernel, line, block, args, SIZE_MAX, NULL));
    if (launches_cooperate()) {
        assert_fails(cudaErrorCooperativeLaunchTooLarge,
                     cudaLaunchCooperativeKernel(kernel, line, block, NULL, 0, dead));
        assert_fails(cudaErrorCooperativeLaunchTooLarge,
                     cudaLaunchCooperativeKernel(kernel, slab, block, args, 0, NULL));
        assert_true(cudaLaunchCooperativeKernel(kernel, most, block, args, 0, dead) != cudaSuccess);
        assert_fails(cudaErrorInvalidValue,
                     cudaLaunchCooperativeKernel(kernel, most, block, NULL, 0, NULL));
        assert_success(cudaLaunchCooperativeKernel(kernel, one, block, args, 0, NULL));
        assert_int_equal(read_device_int(p + 63), 9);
    } else
        assert_fails(cudaErrorNotSupported,
                     cudaLaunchCooperativeKernel(kernel, one, block, args, 0, NULL));
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(launch_with_attributes)
{
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "store");
    int *p = device_ints(8), value = 9;
    void *args[] = {&p, &value};
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreate(&stream));
    cudaLaunchAttribute attributes[2];
    memset(attributes, 0, sizeof attributes);
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[1].id = cudaLaunchAttributeIgnore;
    cudaLaunchConfig_t config = {{2, 1, 1}, {4, 1, 1}, 0, stream, attributes, 2};
    assert_success(cudaLaunchKernelExC(&config, kernel, args));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(read_device_int(p + 7), 9);
    attributes[1].id = (cudaLaunchAttributeID)99;
    assert_fails(cudaErrorInvalidValue, cudaLaunchKernelExC(&config, kernel, args));
    config.attrs = NULL;
    assert_fails(cudaErrorInvalidValue, cudaLaunchKernelExC(&config, kernel, args));
    config.numAttrs = 0;
    config.gridDim.x = 0;
    assert_fails(cudaErrorInvalidValue, cudaLaunchKernelExC(&config, kernel, args));
    value = 10;
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    config = (cudaLaunchConfig_t){{1, 1, 1}, {8, 1, 1}, 0, stream, attributes, 1};
    if (launches_cooperate()) {
        assert_success(cudaLaunchKernelExC(&config, kernel, args));
        assert_success(cudaStreamSynchronize(stream));
        assert_int_equal(read_device_int(p + 7), 10);
    } else
        assert_fails(cudaErrorNotSupported, cudaLaunchKernelExC(&config, kernel, args));
    config.gridDim.x = most_cooperating(kernel, 8) + 1;
    assert_fails(launches_cooperate() ? cudaErrorCooperativeLaunchTooLarge : cudaErrorNotSupported,
                 cudaLaunchKernelExC(&config, kernel, args));
    assert_fails(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, kernel, args));
    memset(attributes, 0, sizeof attributes);
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = attributes[0].val.clusterDim.y = 1;
    config = (cudaLaunchConfig_t){{2, 1, 2}, {8, 1, 1}, 0, stream, attributes, 1};
    for (unsigned z = 1; z <= 2; z++) {
        attributes[0].val.clusterDim.z = z;
        assert_int_equal(cudaLaunchKernelExC(&config, kernel, args),
                         z == 1 ? cudaSuccess : cudaErrorInvalidClusterSize);
    }
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidClusterSize);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

/* --- what is known about a kernel ------------------------------------------------------------- */

static const char *const local_text = "__kernel void with_local(__global int *p)\n"
                                      "{\n"
                                      "    __local int room[100];\n"
                                      "    room[get_local_id(0)] = p[get_local_id(0)];\n"
                                      "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                      "    p[get_local_id(0)] = room[0];\n"
                                      "}\n";

TEST_BODY(launch_tells_function_attributes)
{
    cudaLibrary_t library = load_text(pointer_text), other = load_text(local_text);
    struct cudaFuncAttributes attributes;
    struct cudaDeviceProp p;
    assert_success(cudaGetDeviceProperties(&p, 0));
    memset(&attributes, 0x55, sizeof attributes);
    assert_success(cudaFuncGetAttributes(&attributes, find_kernel(library, "store")));
    assert_int_equal(attributes.binaryVersion, 75);
    assert_int_equal(attributes.ptxVersion, 75);
    assert_int_equal(attributes.maxThreadsPerBlock, p.maxThreadsPerBlock);
    assert_int_equal(attributes.preferredShmemCarveout, -1);
    assert_true(attributes.maxDynamicSharedSizeBytes > 0);
    assert_true((size_t)attributes.maxDynamicSharedSizeBytes <= p.sharedMemPerBlock);
    assert_success(cudaFuncGetAttributes(&attributes, find_kernel(other, "with_local")));
    assert_true(attributes.sharedSizeBytes + (size_t)attributes.maxDynamicSharedSizeBytes <=
                p.sharedMemPerBlock);
    assert_fails(cudaErrorInvalidValue, cudaFuncGetAttributes(NULL, find_kernel(library, "store")));
    assert_fails(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, NULL));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaLibraryUnload(other));
}

TEST_BODY(launch_keeps_to_the_set_shared_limit)
{
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "reverse");
    int *p = device_ints(4), n = 4;
    void *args[] = {&p, &n};
    assert_success(launch_1d(kernel, 1, 4, args, 1024, NULL));
    assert_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 512));
    assert_fails(cudaErrorInvalidValue, launch_1d(kernel, 1, 4, args, 513, NULL));
    assert_success(launch_1d(kernel, 1, 4, args, 512, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    assert_fails(
        cudaErrorInvalidValue,
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, INT32_MAX));
    assert_fails(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)99, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    assert_success(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    assert_success(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1));
    assert_fails(cudaErrorInvalidValue, cudaFuncSetCacheConfig(kernel, (enum cudaFuncCache)99));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(launch_tells_parameters)
{
    cudaLibrary_t library = load_text(struct_text);
    const void *kernel = find_kernel(library, "structs");
    static const size_t offsets[] = {0, 8, 40, 48, 56}, sizes[] = {1, 32, 8, 8, 1};
    size_t offset = 77, size = 77;
    assert_int_equal(sizeof(struct mixed), 32);
    for (size_t i = 0; i < 5; i++) {
        assert_success(cudaFuncGetParamInfo(kernel, i, &offset, &size));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(size, sizes[i]);
    }
    assert_success(cudaFuncGetParamInfo(kernel, 1, &offset, NULL));
    assert_int_equal(offset, 8);
    offset = size = 77;
    assert_fails(cudaErrorInvalidValue, cudaFuncGetParamInfo(kernel, 5, &offset, &size));
    assert_fails(cudaErrorInvalidValue, cudaFuncGetParamInfo(kernel, SIZE_MAX, &offset, &size));
    assert_fails(cudaErrorInvalidValue, cudaFuncGetParamInfo(kernel, 0, NULL, &size));
    assert_fails(cudaErrorInvalidDeviceFunction, cudaFuncGetParamInfo(NULL, 0, &offset, &size));
    assert_int_equal(offset, 77);
    assert_int_equal(size, 77);
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(launch_knows_names_and_functions)
{
    cudaLibrary_t library = load_text(pointer_text);
    const void *kernel = find_kernel(library, "store");
    const char *name = NULL;
    cudaFunction_t function = NULL;
    int *p = device_ints(1), value = 8;
    void *args[] = {&p, &value};
    assert_success(cudaFuncGetName(&name, kernel));
    assert_string_equal(name, "store");
    assert_success(cudaGetFuncBySymbol(&function, kernel));
    assert_success(launch_one((const void *)function, args));
    assert_int_equal(read_device_int(p), 8);
    assert_fails(cudaErrorInvalidValue, cudaFuncGetName(NULL, kernel));
    assert_fails(cudaErrorInvalidDeviceFunction, cudaFuncGetName(&name, NULL));
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

/* --- many at once ----------------------------------------------------------------------------- */

struct launcher {
    const void *kernel;
    int *p;
    int number;
};

enum { THREADS = 12, ROUNDS = 150 };

static void *launch_often(void *data)
{
    struct launcher *self = data;
    cudaStream_t stream = NULL;
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < ROUNDS; i++) {
        int *place = self->p + i, value = self->number * ROUNDS + i;
        void *args[] = {&place, &value};
        THREAD_SUCCESS(launch_1d(self->kernel, 1, 1, args, 0, stream));
    }
    THREAD_SUCCESS(cudaStreamSynchronize(stream));
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

/* One kernel, many threads: no launch gets another one's arguments. */
TEST_BODY(launch_of_one_kernel_by_many_threads)
{
    static int got[THREADS * ROUNDS];
    cudaLibrary_t library = load_text(pointer_text);
    struct launcher launchers[THREADS];
    int *p = device_ints(THREADS * ROUNDS);
    for (int i = 0; i < THREADS; i++)
        launchers[i] = (struct launcher){find_kernel(library, "store"), p + i * ROUNDS, i};
    run_threads(THREADS, launch_often, launchers, sizeof launchers[0]);
    assert_success(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS * ROUNDS; i++)
        assert_int_equal(got[i], i);
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

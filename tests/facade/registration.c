/* Tests of facade/code/registration.c: what compilers insert, made by hand with OpenCL C as the device
 * code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/cl/captured.h"
#include "tests/facade/fatbins.h"
#include "tests/facade/runtime_support.h"

#include <crt/host_runtime_abi.h>

struct fat_binary_wrapper {
    uint32_t magic, version;
    const void *code;
    const void *const *parts;
};

enum { MAGIC = 0x466243b1 };

static const char *const add_text =
    "__kernel void add(__global int *p, int v) { p[get_global_id(0)] += v; }\n"
    "__kernel void twice(__global int *p) { p[get_global_id(0)] *= 2; }\n";

/* What a host program has for each kernel: something with an address of its own. */
static const char add_stub = 1, twice_stub = 2, other_stub = 3;

static void register_kernel(void **handle, const char *stub, const char *name)
{
    char *device_name = (char *)(uintptr_t)name;
    __cudaRegisterFunction(handle, stub, device_name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void **register_code(struct fat_binary_wrapper *wrapper)
{
    void **handle = __cudaRegisterFatBinary(wrapper);
    assert_non_null(handle);
    register_kernel(handle, &add_stub, "add");
    register_kernel(handle, &twice_stub, "twice");
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

/* What the code for stub<<<grid, block, shared, stream>>>(args) does. */
static cudaError_t launch_stub(const char *stub, dim3 grid, dim3 block, void **args,
                               cudaStream_t stream)
{
    dim3 popped_grid, popped_block;
    size_t shared = 77;
    cudaStream_t popped_stream = NULL;
    if (__cudaPushCallConfiguration(grid, block, 0, stream) != 0)
        return cudaErrorUnknown;
    cudaError_t error =
        __cudaPopCallConfiguration(&popped_grid, &popped_block, &shared, &popped_stream);
    if (error != cudaSuccess)
        return error;
    return cudaLaunchKernel(stub, popped_grid, popped_block, args, shared, popped_stream);
}

TEST_BODY(registration_kernels_run_by_their_stubs)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    void **handle = register_code(&wrapper);
    cudaStream_t stream = NULL;
    int *p = device_ints(8), value = 21;
    void *args[] = {&p, &value};
    assert_success(cudaStreamCreate(&stream));
    assert_success(launch_stub(&add_stub, (dim3){2, 1, 1}, (dim3){4, 1, 1}, args, stream));
    assert_success(launch_stub(&twice_stub, (dim3){1, 1, 1}, (dim3){4, 1, 1}, args, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(read_device_int(p), 42);
    assert_int_equal(read_device_int(p + 7), 21);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
    __cudaUnregisterFatBinary(handle);
}

/* A library that is closed and another that is opened in its place. */
TEST_BODY(registration_again_at_the_same_address)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    int *p = device_ints(1), value = 21;
    void *args[] = {&p, &value};
    void **handle = register_code(&wrapper);
    const dim3 one = {1, 1, 1};
    for (int i = 0; i < 2; i++)
        assert_success(launch_stub(&add_stub, one, one, args, NULL));
    assert_int_equal(read_device_int(p), 42);
    __cudaUnregisterFatBinary(handle);
    assert_int_not_equal(launch_stub(&add_stub, one, one, args, NULL), cudaSuccess);
    handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &add_stub, "twice");
    __cudaRegisterFatBinaryEnd(handle);
    for (int i = 0; i < 2; i++)
        assert_success(launch_stub(&add_stub, one, one, args, NULL));
    assert_int_equal(read_device_int(p), 168);
    assert_success(cudaFree(p));
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(registration_stubs_are_kernels_everywhere)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    void **handle = register_code(&wrapper);
    struct cudaFuncAttributes attributes;
    const char *name = NULL;
    size_t offset = 0, bytes = 0;
    int blocks = 0, *p = device_ints(1), value = 5;
    cudaKernel_t kernel = NULL;
    void *args[] = {&p, &value};
    assert_success(cudaFuncGetAttributes(&attributes, &add_stub));
    assert_success(cudaFuncGetName(&name, &twice_stub));
    assert_string_equal(name, "twice");
    assert_success(cudaFuncGetParamInfo(&add_stub, 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 4);
    assert_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add_stub, 64, 0));
    assert_true(blocks > 0);
    assert_success(cudaGetKernel(&kernel, &add_stub));
    assert_success(__cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    assert_success(
        __cudaLaunchKernel_ptsz(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p), 10);
    assert_success(cudaFree(p));
    __cudaUnregisterFatBinary(handle);
}

/* Of a stub the runtime knows that the configuration is what is wrong. */
TEST_BODY(registration_refuses_shapes_that_cannot_be)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    void **handle = register_code(&wrapper);
    int *p = device_ints(1), value = 1;
    void *args[] = {&p, &value};
    assert_fails(cudaErrorInvalidConfiguration,
                 launch_stub(&add_stub, (dim3){0, 1, 1}, (dim3){1, 1, 1}, args, NULL));
    assert_fails(cudaErrorInvalidConfiguration,
                 launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1025, 1, 1}, args, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p), 0);
    assert_success(cudaFree(p));
    __cudaUnregisterFatBinary(handle);
}

/* Arguments of a launch may contain launches. */
TEST_BODY(registration_configurations_nest)
{
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t stream = NULL;
    for (unsigned i = 1; i <= 8; i++)
        assert_int_equal(
            __cudaPushCallConfiguration((dim3){i, 2, 3}, (dim3){4, i, 6}, i * 10, cudaStreamLegacy),
            0);
    for (unsigned i = 8; i >= 1; i--) {
        assert_success(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
        assert_int_equal(grid.x, i);
        assert_int_equal(grid.z, 3);
        assert_int_equal(block.y, i);
        assert_int_equal(shared, i * 10);
        assert_ptr_equal(stream, cudaStreamLegacy);
    }
    assert_fails(cudaErrorMissingConfiguration,
                 __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
}

/* Two parts of a program may have kernels of the same name. */
TEST_BODY(registration_units_are_apart)
{
    struct fat_binary_wrapper one = {MAGIC, 1, add_text, NULL};
    struct fat_binary_wrapper two = {
        MAGIC, 1, "__kernel void add(__global int *p, int v) { p[0] -= v; }\n", NULL};
    void **first = register_code(&one), **second = __cudaRegisterFatBinary(&two);
    register_kernel(second, &other_stub, "add");
    __cudaRegisterFatBinaryEnd(second);
    int *p = device_ints(1), value = 3;
    void *args[] = {&p, &value};
    assert_success(launch_stub(&other_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, NULL));
    assert_int_equal(read_device_int(p), -3);
    assert_success(launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, NULL));
    assert_int_equal(read_device_int(p), 0);
    __cudaUnregisterFatBinary(first);
    assert_fails(cudaErrorInvalidResourceHandle,
                 launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, NULL));
    assert_success(launch_stub(&other_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, NULL));
    assert_int_equal(read_device_int(p), -3);
    assert_success(cudaFree(p));
    __cudaUnregisterFatBinary(second);
}

/* Machine code for NVIDIA GPUs cannot run here; the error says which of the reasons it is. */
TEST_BODY(registration_of_machine_code)
{
    static const uint32_t elf[16] = {0x464c457f};
    static const char *const bad_ptx = ".version 8.0\n.target sm_75\nno PTX at all\n";
    struct fatbin fatbin;
    fatbin_of_machine_code(&fatbin);
    const struct {
        struct fat_binary_wrapper wrapper;
        cudaError_t error;
    } cases[] = {
        {{MAGIC, 1, elf, NULL}, cudaErrorNoKernelImageForDevice},
        {{MAGIC, 1, fatbin.bytes, NULL}, cudaErrorNoKernelImageForDevice},
        {{MAGIC, 1, bad_ptx, NULL}, cudaErrorInvalidPtx},
        {{0x12345678, 1, add_text, NULL}, cudaErrorNoKernelImageForDevice},
        {{MAGIC, 1, "__kernel void add(__global int *p, int v) { p[0] = no_such_name; }\n", NULL},
         cudaErrorInvalidKernelImage},
        {{MAGIC, 1, "__kernel void another(__global int *p) { p[0] = 1; }\n", NULL},
         cudaErrorSymbolNotFound},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fat_binary_wrapper wrapper = cases[i].wrapper;
        void **handle = register_code(&wrapper);
        int *p = device_ints(1), value = 3;
        void *args[] = {&p, &value};
        assert_fails(cases[i].error,
                     launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, NULL));
        assert_success(cudaFree(p));
        __cudaUnregisterFatBinary(handle);
    }
}

/* Compilers ask for the start of modules, and name host variables that device code uses. */
TEST_BODY(registration_without_variables)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    static int variable;
    void **handle = register_code(&wrapper);
    assert_int_equal(__cudaInitModule(handle), 1);
    assert_int_equal(__cudaInitModule(NULL), 1);
    __cudaRegisterHostVar(handle, "variable", (char *)&variable, sizeof variable);
    void *address = NULL;
    assert_fails(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, &variable));
    __cudaUnregisterFatBinary(handle);
}

/* Managed variables of code that does not build stay without memory, and a later start tries
 * again. */
TEST_BODY(registration_of_variables_that_are_not_there)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    static char name[] = "nowhere";
    static int variable;
    void *pointer = NULL, *address = NULL;
    size_t bytes = 0;
    void **handle = register_code(&wrapper);
    __cudaRegisterVar(handle, (char *)&variable, name, name, 0, sizeof variable, 0, 0);
    assert_fails(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, &variable));
    assert_fails(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, &variable));
    __cudaRegisterManagedVar(handle, &pointer, name, name, 0, sizeof variable, 0, 0);
    assert_int_equal(__cudaInitModule(handle), 0);
    assert_int_equal(__cudaInitModule(handle), 0);
    assert_null(pointer);
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(registration_survives_a_reset)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    void **handle = register_code(&wrapper);
    for (int round = 0; round < 2; round++) {
        int *p = device_ints(1), value = 3;
        void *args[] = {&p, &value};
        assert_success(launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, NULL));
        assert_int_equal(read_device_int(p), 3);
        assert_success(cudaDeviceReset());
    }
    __cudaUnregisterFatBinary(handle);
}

static void *launch_from_thread(void *data)
{
    int **place = data;
    int value = 1;
    void *args[] = {place, &value};
    for (int i = 0; i < 20; i++)
        THREAD_SUCCESS(
            launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, cudaStreamPerThread));
    THREAD_SUCCESS(cudaStreamSynchronize(cudaStreamPerThread));
    return NULL;
}

/* The first launches come from many threads at once: the code is loaded once. */
TEST_BODY(registration_first_use_by_many_threads)
{
    struct fat_binary_wrapper wrapper = {MAGIC, 1, add_text, NULL};
    void **handle = register_code(&wrapper);
    int *p = device_ints(8), *places[8];
    for (int i = 0; i < 8; i++)
        places[i] = p + i;
    run_threads(8, launch_from_thread, places, sizeof places[0]);
    for (int i = 0; i < 8; i++)
        assert_int_equal(read_device_int(p + i), 20);
    assert_success(cudaFree(p));
    __cudaUnregisterFatBinary(handle);
}

/* --- PTX -------------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

/* What separate compilation makes of two source files, and of the device runtime beside them. */
static const char *const part_texts[] = {
    HEAD ".extern .func (.param .b32 r) clem_twice(.param .b32 x);\n"
         ".visible .global .align 4 .u32 offset = 1;\n"
         ".visible .entry run(.param .u64 out)\n"
         "{\n"
         "    .reg .b32 %r<3>;\n"
         "    .reg .b64 %rd<3>;\n"
         "    ld.param.u64 %rd1, [out];\n"
         "    cvta.to.global.u64 %rd2, %rd1;\n"
         "    ld.global.u32 %r1, [%rd2];\n"
         "    { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1;\n"
         "      call.uni (q), clem_twice, (p); ld.param.b32 %r2, [q]; }\n"
         "    st.global.u32 [%rd2], %r2;\n"
         "    ret;\n"
         "}\n",
    HEAD ".extern .global .align 4 .u32 offset;\n"
         ".visible .func (.param .b32 r) clem_twice(.param .b32 x)\n"
         "{\n"
         "    .reg .b32 %r<4>;\n"
         "    ld.param.b32 %r1, [x];\n"
         "    ld.global.u32 %r2, [offset];\n"
         "    mad.lo.u32 %r3, %r1, 2, %r2;\n"
         "    st.param.b32 [r], %r3;\n"
         "    ret;\n"
         "}\n",
    HEAD ".global .u32 _x_cuda_device_runtime_cu_x;\nnot even PTX\n"};

TEST_BODY(registration_links_parts)
{
    static char offset_shadow[4];
    struct fatbin fatbins[3], empty;
    const void *parts[4] = {NULL};
    int *p = device_ints(1), value = 20, offset = 4, read = 0;
    void *args[] = {&p};
    for (int i = 0; i < 3; i++) {
        fatbin_begin(&fatbins[i]);
        fatbin_add_text(&fatbins[i], 75, part_texts[i]);
        parts[i] = fatbins[i].bytes;
    }
    fatbin_begin(&empty);
    struct fat_binary_wrapper wrapper = {MAGIC, 2, empty.bytes, parts};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &add_stub, "run");
    __cudaRegisterVar(handle, offset_shadow, "offset", "offset", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    assert_success(cudaMemcpyToSymbol(offset_shadow, &offset, 4, 0, cudaMemcpyHostToDevice));
    assert_success(cudaMemcpyFromSymbol(&read, offset_shadow, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(read, 4);
    assert_success(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
    assert_success(launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, NULL));
    assert_int_equal(read_device_int(p), 44);
    assert_success(cudaFree(p));
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(registration_says_once_what_cannot_be_linked)
{
    char printed[4096];
    struct fatbin fatbin;
    fatbin_begin(&fatbin);
    fatbin_add_text(&fatbin, 75, part_texts[1]);
    const void *parts[] = {fatbin.bytes, fatbin.bytes, NULL}; /* its function is defined twice */
    struct fat_binary_wrapper wrapper = {MAGIC, 2, fatbin.bytes, parts};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &add_stub, "run");
    struct capture capture = capture_begin();
    for (int i = 0; i < 3; i++)
        assert_true(launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, NULL) !=
                    cudaSuccess);
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(count_text(printed, "clem: the device code of this program cannot be linked"),
                     1);
    assert_non_null(strstr(printed, "clem_twice is defined"));
    __cudaUnregisterFatBinary(handle);
}

/* A part without PTX leaves nothing to link. */
TEST_BODY(registration_of_parts_of_machine_code)
{
    struct fatbin fatbins[2];
    fatbin_begin(&fatbins[0]);
    fatbin_add_text(&fatbins[0], 75, part_texts[0]);
    fatbin_of_machine_code(&fatbins[1]);
    const void *parts[] = {fatbins[0].bytes, fatbins[1].bytes, NULL};
    struct fat_binary_wrapper wrapper = {MAGIC, 2, fatbins[1].bytes, parts};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &add_stub, "run");
    assert_fails(cudaErrorNoKernelImageForDevice,
                 launch_stub(&add_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, NULL));
    __cudaUnregisterFatBinary(handle);
}

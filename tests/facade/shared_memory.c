/* Tests of shared memory as compute capability 7.5 has it: what properties, attributes and launches say, and kernels
 * that use all of it, whatever the device has of local memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

enum { BLOCK = 48 * 1024, OPT_IN = 64 * 1024, OWN = 1024 };

/* Blocks of threads x n words: each of n words of dynamic shared memory gets its block's number times 1000 and its own;
 * then they go out in reverse, by generic addresses, each with the sum of an atomic counter, which is n, and the block's
 * number. */
#define KERNEL(name, own)                                                                          \
    ".visible .entry " name "(.param .u64 out, .param .u32 n)\n"                                   \
    "{\n.reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %d<10>;\n"                                   \
    ".shared .align 16 .b8 own_" name "[" own "];\n"                                               \
    "ld.param.u64 %d1, [out];\nld.param.u32 %r1, [n];\ncvta.to.global.u64 %d1, %d1;\n"             \
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\n"                                                \
    "mov.u32 %r4, %ctaid.z;\nmov.u32 %r5, %nctaid.y;\nmov.u32 %r6, %ctaid.y;\n"                    \
    "mad.lo.s32 %r4, %r4, %r5, %r6;\nmov.u32 %r5, %nctaid.x;\nmov.u32 %r6, %ctaid.x;\n"            \
    "mad.lo.s32 %r4, %r4, %r5, %r6;\n"                                                             \
    "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra $begin;\nst.shared.u32 [own_" name "], %r4;\n"             \
    "$begin:\nbar.sync 0;\nmov.u32 %r7, %r2;\nmov.u32 %r8, dynamic;\n"                             \
    "$fill:\nsetp.ge.u32 %p1, %r7, %r1;\n@%p1 bra $filled;\n"                                      \
    "shl.b32 %r9, %r7, 2;\nadd.u32 %r10, %r8, %r9;\nmad.lo.u32 %r11, %r4, 1000, %r7;\n"            \
    "st.shared.u32 [%r10], %r11;\natom.shared.add.u32 %r12, [own_" name "], 1;\n"                  \
    "add.u32 %r7, %r7, %r3;\nbra $fill;\n"                                                         \
    "$filled:\nbar.sync 0;\nmov.u32 %r7, %r2;\nld.shared.u32 %r13, [own_" name "];\n"              \
    "mov.u64 %d2, dynamic;\ncvta.shared.u64 %d2, %d2;\n"                                           \
    "$out:\nsetp.ge.u32 %p1, %r7, %r1;\n@%p1 bra $done;\n"                                         \
    "sub.u32 %r14, %r1, %r7;\nadd.s32 %r14, %r14, -1;\nmul.wide.u32 %d3, %r14, 4;\n"               \
    "add.u64 %d4, %d2, %d3;\nld.u32 %r15, [%d4];\nadd.u32 %r15, %r15, %r13;\n"                     \
    "mad.lo.u32 %r16, %r4, %r1, %r7;\nmul.wide.u32 %d5, %r16, 4;\nadd.u64 %d6, %d1, %d5;\n"        \
    "st.global.u32 [%d6], %r15;\nadd.u32 %r7, %r7, %r3;\nbra $out;\n$done:\nret;\n}\n"

static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.extern .shared .align 16 .b8 "
    "dynamic[];\n" KERNEL("turn", "1024") KERNEL("full", "49152") KERNEL("beyond", "49156");

static unsigned *run(const void *kernel, dim3 grid, unsigned threads, unsigned n, size_t shared)
{
    const size_t blocks = (size_t)grid.x * grid.y * grid.z, words = blocks * n;
    unsigned *out = (unsigned *)(void *)device_ints(words), *got = malloc(words * sizeof *got);
    void *args[] = {&out, &n};
    assert_non_null(got);
    assert_success(cudaMemset(out, 0xff, words * sizeof *out));
    assert_success(cudaLaunchKernel(kernel, grid, (dim3){threads, 1, 1}, args, shared, NULL));
    assert_success(cudaMemcpy(got, out, words * sizeof *out, cudaMemcpyDeviceToHost));
    assert_success(cudaFree(out));
    return got;
}

static void expect_turned(const void *kernel, dim3 grid, unsigned threads, unsigned n,
                          size_t shared)
{
    const unsigned blocks = grid.x * grid.y * grid.z;
    unsigned *got = run(kernel, grid, threads, n, shared);
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned i = 0; i < n; i++)
            if (got[b * n + i] != b * 1000 + (n - 1 - i) + b + n)
                fail_msg("block %u, word %u: %u", b, i, got[b * n + i]);
    free(got);
}

static cudaError_t allow(const void *kernel, int bytes)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

TEST_BODY(shared_memory_is_what_the_capability_has)
{
    struct cudaDeviceProp p;
    struct cudaFuncAttributes attributes;
    cudaLibrary_t library = load_text(kernels);
    const void *turn = find_kernel(library, "turn");
    assert_success(cudaGetDeviceProperties(&p, 0));
    assert_int_equal(p.sharedMemPerBlock, BLOCK);
    assert_int_equal(p.sharedMemPerBlockOptin, OPT_IN);
    assert_int_equal(p.sharedMemPerMultiprocessor, OPT_IN);
    assert_int_equal(p.totalConstMem, 65536);
    assert_success(cudaFuncGetAttributes(&attributes, turn));
    assert_int_equal(attributes.sharedSizeBytes, OWN);
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, BLOCK - OWN);
    assert_fails(cudaErrorInvalidValue, allow(turn, OPT_IN - OWN + 1));
    assert_success(allow(turn, OPT_IN - OWN));
    assert_success(cudaFuncGetAttributes(&attributes, turn));
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, OPT_IN - OWN);
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(shared_memory_can_all_be_used)
{
    cudaLibrary_t library = load_text(kernels);
    const void *turn = find_kernel(library, "turn"), *full = find_kernel(library, "full");
    const dim3 three = {3, 1, 1}, many = {37, 10, 3};
    unsigned *out = (unsigned *)(void *)device_ints(1), n = 0;
    void *args[] = {&out, &n};
    expect_turned(turn, three, 96, 64, 256);
    expect_turned(turn, three, 96, (BLOCK - OWN) / 4, BLOCK - OWN);
    assert_fails(cudaErrorInvalidValue, launch_1d(turn, 1, 1, args, BLOCK - OWN + 1, NULL));
    assert_success(allow(turn, OPT_IN - OWN));
    expect_turned(turn, three, 96, (OPT_IN - OWN) / 4, OPT_IN - OWN);
    expect_turned(turn, many, 8, 8, OPT_IN - OWN); /* more than run at once, where that is memory */
    assert_fails(cudaErrorInvalidValue, launch_1d(turn, 1, 1, args, OPT_IN - OWN + 1, NULL));
    assert_success(allow(full, OPT_IN - BLOCK));
    expect_turned(full, three, 32, (OPT_IN - BLOCK) / 4, OPT_IN - BLOCK);
    assert_success(cudaFree(out));
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(shared_memory_beyond_the_limit_is_refused)
{
    cudaLibrary_t library = load_text(kernels);
    const void *beyond = find_kernel(library, "beyond");
    unsigned *out = (unsigned *)(void *)device_ints(1), n = 0;
    void *args[] = {&out, &n};
    struct cudaFuncAttributes attributes;
    assert_fails(cudaErrorInvalidPtx, launch_1d(beyond, 1, 1, args, 0, NULL));
    assert_success(cudaFuncGetAttributes(&attributes, beyond));
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 0);
    assert_success(cudaFree(out));
    assert_success(cudaLibraryUnload(library));
}

/* OpenCL C's __local memory is the device's, and no more than CUDA would give. */
static const char text[] =
    "__kernel void some(__global int *out, __local int *words)\n"
    "{ words[0] = 5; out[0] = words[0]; }\n"
    "__kernel void many(__global int *out)\n"
    "{ __local int words[12289]; words[get_local_id(0)] = 5;\n"
    "barrier(CLK_LOCAL_MEM_FENCE); out[get_local_id(0)] = words[out[0]]; }\n";

TEST_BODY(shared_memory_of_opencl_c_has_the_same_limits)
{
    cudaLibrary_t library = load_text(text);
    const void *some = find_kernel(library, "some"), *many = find_kernel(library, "many");
    int *out = device_ints(1);
    void *args[] = {&out};
    struct cudaFuncAttributes attributes;
    assert_success(cudaFuncGetAttributes(&attributes, some));
    const int most = attributes.maxDynamicSharedSizeBytes;
    assert_true(most > 0 && most <= BLOCK);
    assert_fails(cudaErrorInvalidValue, launch_1d(some, 1, 1, args, BLOCK + 1, NULL));
    assert_fails(cudaErrorInvalidValue, allow(some, OPT_IN + 1));
    assert_success(launch_1d(some, 1, 1, args, 1024, NULL));
    assert_success(cudaFuncGetAttributes(&attributes, many));
    if (attributes.sharedSizeBytes > BLOCK) /* PoCL 5 does not tell */
        assert_fails(cudaErrorInvalidValue, launch_1d(many, 1, 1, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaFree(out));
    assert_success(cudaLibraryUnload(library));
}

/* ---- Constants ---- */

#define CONSTANTS(bytes)                                                                           \
    ".version 7.5\n.target sm_75\n.address_size 64\n"                                              \
    ".visible .const .align 4 .b8 table[" bytes "];\n.visible .entry none()\n{ ret; }\n"

static const char symbols[] =
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) CONSTANT(int, table, [100])\n"
    "#include \"clem_symbols.h\"\n__kernel void none(CLEM_SYMBOLS_PARAMETERS) {}\n";

TEST_BODY(shared_memory_beside_constants)
{
    cudaLibrary_t library = load_text(CONSTANTS("65536")), beyond = NULL;
    cudaKernel_t kernel = NULL;
    struct cudaFuncAttributes attributes;
    assert_success(cudaFuncGetAttributes(&attributes, find_kernel(library, "none")));
    assert_int_equal(attributes.constSizeBytes, 65536);
    assert_success(cudaLibraryLoadData(&beyond, CONSTANTS("65540"), NULL, NULL, 0, NULL, NULL, 0));
    assert_fails(cudaErrorInvalidPtx, cudaLibraryGetKernel(&kernel, beyond, "none"));
    assert_success(cudaLibraryUnload(beyond));
    assert_success(cudaLibraryUnload(library));
    library = load_text(symbols);
    assert_success(cudaFuncGetAttributes(&attributes, find_kernel(library, "none")));
    assert_int_equal(attributes.constSizeBytes, 400);
    assert_success(cudaLibraryUnload(library));
}

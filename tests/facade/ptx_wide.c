/* Accesses of 16 bytes at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include <clem.h>

#include "tests/facade/driver_support.h"

enum { BLOCKS = 48, THREADS = 96, ALL = BLOCKS * THREADS };

/* Three pairs whose second number has all bits of the first turned round, as every thread that looks must find them: one is
 * counted up by all, one exchanged, one stored to. Behind them, how often it was otherwise. */
struct pairs {
    uint64_t counted[2], exchanged[2], stored[2];
    uint32_t torn, pad;
};

static const char text[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".visible .entry work(.param .u64 pairs)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<16>;\n.reg .b128 %q<8>;\n"
    "ld.param.u64 %rd1, [pairs];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
    "mov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;\nadd.u32 %r1, %r1, 1;\n"
    "cvt.u64.u32 %rd2, %r1;\nnot.b64 %rd3, %rd2;\nmov.b128 %q4, {%rd2, %rd3};\n"
    "ld.acquire.gpu.b128 %q1, [%rd1];\n"
    "AGAIN:\nmov.b128 {%rd4, %rd5}, %q1;\nnot.b64 %rd6, %rd5;\nsetp.ne.u64 %p1, %rd4, %rd6;\n"
    "@%p1 red.global.add.u32 [%rd1+48], 1;\n"
    "add.u64 %rd7, %rd4, 1;\nnot.b64 %rd8, %rd7;\nmov.b128 %q2, {%rd7, %rd8};\n"
    "atom.acq_rel.gpu.global.cas.b128 %q3, [%rd1], %q1, %q2;\nmov.b128 {%rd9, %rd10}, %q3;\n"
    "setp.ne.u64 %p2, %rd9, %rd4;\nmov.b128 %q1, {%rd9, %rd10};\n@%p2 bra AGAIN;\n"
    "atom.relaxed.gpu.global.exch.b128 %q5, [%rd1+16], %q4;\nmov.b128 {%rd9, %rd10}, %q5;\n"
    "not.b64 %rd10, %rd10;\nsetp.ne.u64 %p1, %rd9, %rd10;\n"
    "@%p1 red.global.add.u32 [%rd1+48], 1;\n"
    "st.release.gpu.b128 [%rd1+32], %q4;\nld.relaxed.gpu.b128 %q6, [%rd1+32];\n"
    "mov.b128 {%rd9, %rd10}, %q6;\nnot.b64 %rd10, %rd10;\nsetp.ne.u64 %p1, %rd9, %rd10;\n"
    "@%p1 red.global.add.u32 [%rd1+48], 1;\nret;\n}\n";

/* What has such accesses is machine code of clem's own. */
static bool is_native(void)
{
    struct clemDeviceInfo info;
    assert_int_equal(clemGetDeviceInfo(&info, 0), cudaSuccess);
    return info.deviceClass == 2 && info.address != clemAddressHandle;
}

TEST_BODY(ptx_wide_accesses_are_never_torn)
{
    struct pairs pairs = {.counted = {0, ~0ull}, .exchanged = {0, ~0ull}, .stored = {0, ~0ull}};
    CUmodule module = NULL;
    CUfunction work = NULL;
    (void)driver_use_primary();
    CUdeviceptr address = driver_allocate(sizeof pairs);
    assert_driver(cuMemcpyHtoD(address, &pairs, sizeof pairs));
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&work, module, "work"));
    void *arguments[] = {&address};
    const CUresult result =
        cuLaunchKernel(work, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL);
    if (result == CUDA_ERROR_NOT_SUPPORTED && !is_native())
        TEST_SKIP("no accesses of 16 bytes at once here");
    assert_driver(result);
    assert_driver(cuMemcpyDtoH(&pairs, address, sizeof pairs));
    assert_int_equal(pairs.torn, 0);
    assert_int_equal(pairs.counted[0], ALL);
    assert_true(pairs.counted[1] == ~pairs.counted[0]);
    assert_true(pairs.exchanged[0] >= 1 && pairs.exchanged[0] <= ALL);
    assert_true(pairs.exchanged[1] == ~pairs.exchanged[0]);
    assert_true(pairs.stored[0] >= 1 && pairs.stored[0] <= ALL);
    assert_true(pairs.stored[1] == ~pairs.stored[0]);
    assert_driver(cuMemFree(address));
    assert_driver(cuModuleUnload(module));
}

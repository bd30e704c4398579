/* A library with a kernel and a variable, registered as compilers have it done: tests/facade/plugin.c opens and closes it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <crt/host_runtime_abi.h>
#include <cuda_runtime_api.h>

static const char code[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .entry advance(.param .u64 out, .param .u32 by, .param .u32 turns)\n"
    "{ .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"
    "  ld.param.u32 %r1, [by]; ld.param.u32 %r2, [turns];\n"
    "TURN: ld.volatile.global.u32 %r3, [counter]; add.u32 %r3, %r3, %r1;\n"
    "  st.volatile.global.u32 [counter], %r3;\n"
    "  sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra TURN;\n"
    "  st.global.u32 [%d1], %r3; ret; }\n";

static const struct {
    unsigned magic, version;
    const void *code;
    void *unused;
} wrapper = {0x466243b1, 1, code, NULL};

static const char stub = 1;
static int counter;
static void **handle;

__attribute__((visibility("default"))) cudaError_t clem_test_advance(int *out, int by, int turns,
                                                                     cudaStream_t stream);
__attribute__((visibility("default"))) cudaError_t clem_test_counter(int *value);

/* Does not wait. */
cudaError_t clem_test_advance(int *out, int by, int turns, cudaStream_t stream)
{
    void *args[] = {&out, &by, &turns};
    return cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream);
}

cudaError_t clem_test_counter(int *value)
{
    return cudaMemcpyFromSymbol(value, &counter, sizeof *value, 0, cudaMemcpyDeviceToHost);
}

#ifdef WITH_SECTION
static char section[4096] __attribute__((aligned(4096)));
#endif

__attribute__((constructor)) static void begin(void)
{
#ifdef WITH_SECTION
    __clemRegisterManagedSection(section, section + sizeof section);
#endif
    static char kernel[] = "advance", variable[] = "counter";
    handle = __cudaRegisterFatBinary((void *)(size_t)&wrapper);
    __cudaRegisterFunction(handle, &stub, kernel, kernel, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&counter, variable, variable, 0, sizeof counter, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

__attribute__((destructor)) static void end(void)
{
    __cudaUnregisterFatBinary(handle);
}

/* Tests of cl/launch/kernel_crash.c and cl/base/crash.c: what is told of an access that ends the process, and where the signal
 * goes on to. Each is a child of a process that has not begun with OpenCL.
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <clem.h>

#include "tests/facade/driver_support.h"
#include "tests/facade/ended.h"
#include "tests/facade/runtime_support.h"

enum { BYTES = 1000, HANDLED = 7 };

/* Further on than what the system maps for a process of no more memory than this. In numbers of 4 bytes. */
static const long long far = 1ll << 32;

static const char kernels[] =
    "kernel void put_at(global int *out, long at) { out[at] = 3; }\n"
    "kernel void get_at(global int *out, long at) { out[0] = out[at]; }\n";

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry put_at(.param .u64 out, .param .u64 at) {\n"
    "  .reg .b64 %rd<5>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [at];\n"
    "  shl.b64 %rd3, %rd2, 2; add.s64 %rd4, %rd1, %rd3;\n"
    "  mov.u32 %r1, 3; st.global.u32 [%rd4], %r1; ret;\n}\n"
    ".visible .entry sum_at(.param .u64 out, .param .u64 at) {\n"
    "  .reg .b64 %rd<5>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [at];\n"
    "  shl.b64 %rd3, %rd2, 2; add.s64 %rd4, %rd1, %rd3;\n"
    "  mov.u32 %r1, 3; red.global.add.u32 [%rd4], %r1; ret;\n}\n"
    ".visible .entry row_at(.param .u64 out, .param .u64 at) {\n"
    "  .reg .b64 %rd<6>; .reg .b32 %r<5>; .shared .align 4 .b8 s[128];\n"
    "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [at];\n"
    "  shl.b64 %rd3, %rd2, 2; add.s64 %rd4, %rd1, %rd3;\n"
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4;\n"
    "  add.s64 %rd4, %rd4, %rd5; shl.b32 %r2, %r1, 2; mov.u32 %r3, s;\n"
    "  add.s32 %r3, %r3, %r2; st.shared.u32 [%r3], %r3; bar.sync 0;\n"
    "  ld.shared.u32 %r4, [%r3]; add.s32 %r4, %r4, 1;\n"
    "  red.global.add.u32 [%rd4], %r4; ret;\n}\n"
    ".visible .entry block_at(.param .u64 out, .param .u64 at) {\n"
    "  .reg .b64 %rd<5>; .reg .b32 %r<4>; .reg .pred %p<3>;\n"
    "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [at];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;\n"
    "  setp.ne.u32 %p1, %r1, 70; @%p1 ret; setp.ne.u32 %p2, %r2, 1; @%p2 ret;\n"
    "  shl.b64 %rd3, %rd2, 2; add.s64 %rd4, %rd1, %rd3;\n"
    "  mov.u32 %r3, 3; st.global.u32 [%rd4], %r3; ret;\n}\n";

enum place { BEHIND, IN_FRONT, AT_NULL, NOWHERE };
enum installed { NEVER, BEFORE, BETWEEN };

struct access {
    const char *text; /* of the module */
    const char *kernel;
    enum place place;
    enum installed handler; /* the program's */
    bool has_managed;
    unsigned grid; /* blocks a row, of two rows; 0: one block */
};

/* ---- In the child ---- */

static void end_handled(int number)
{
    (void)number;
    _exit(HANDLED);
}

static void install_if(bool does)
{
    if (does)
        signal(SIGSEGV, end_handled);
}

static void skip_unless_told(void)
{
    clemDeviceInfo info;
    if (clemGetDeviceInfo(&info, 0) != cudaSuccess || info.deviceClass != 2 ||
        info.address == clemAddressHandle)
        _exit(ENDED_SKIPPED);
}

static void use_managed(void)
{
    int *word = NULL;
    if (cudaMallocManaged((void **)&word, sizeof *word, cudaMemAttachGlobal) == cudaSuccess)
        *word = 1;
}

static void touch(const void *argument)
{
    const struct access *access = argument;
    const long long offsets[] = {
        [BEHIND] = far, [IN_FRONT] = -far, [AT_NULL] = 0, [NOWHERE] = 1ll << 55};
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    install_if(access->handler == BEFORE);
    (void)driver_use_primary();
    skip_unless_told();
    if (access->has_managed)
        use_managed();
    install_if(access->handler == BETWEEN);
    if (cuMemAlloc(&memory, BYTES) != CUDA_SUCCESS ||
        cuModuleLoadData(&module, access->text) != CUDA_SUCCESS ||
        cuModuleGetFunction(&function, module, access->kernel) != CUDA_SUCCESS)
        _exit(1);
    long long at = offsets[access->place];
    if (access->place == AT_NULL)
        memory = 0;
    const unsigned columns = access->grid ? access->grid : 1, rows = access->grid ? 2 : 1;
    (void)cuLaunchKernel(function, columns, rows, 1, 1, 1, 1, 0, NULL, (void *[]){&memory, &at},
                         NULL);
    (void)cuCtxSynchronize();
}

/* ---- In the test ---- */

static const char why[] = "kernels are no code of the process, or have no addresses";

/* Not every processor, nor all that emulates one, tells what kind of access it was. */
#if defined __x86_64__
enum { IS_TOLD_APART = true };
#else
enum { IS_TOLD_APART = false };
#endif

/* The line of a text that begins so, whatever is said of the access where that need not be told. */
static const char *find_line(const char *text, const char *kernel, const char *does)
{
    const char *const words[] = {does, "touched 0x",
                                 "read 0x"}; /* the last: atomics begin as reads */
    const char *found = NULL;
    for (size_t i = 0; !found && i < (IS_TOLD_APART ? 1 : sizeof words / sizeof *words); i++) {
        char start[128];
        snprintf(start, sizeof start, "clem: kernel %s %s", kernel, words[i]);
        found = strstr(text, start);
    }
    return found;
}

/* The line is there once, but perhaps not where the program replaced clem's handler, and the signal came where it would have come without it. */
static void assert_told(const struct access *access, const char *does, const char *end)
{
    char text[4096];
    const int status = ended_run(touch, access, text, sizeof text, why);
    const char *const line = find_line(text, access->kernel, does);
    if (access->handler != BETWEEN && (!line || !strstr(line, end)))
        fail_msg("'%s %s...%s' is not in: %s", access->kernel, does, end, text);
    if (line)
        assert_null(find_line(line + 1, access->kernel, does));
    if (access->handler == NEVER)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    else
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == HANDLED);
}

TEST_BODY(crash_of_a_kernel_names_the_nearest_memory)
{
    assert_told(&(struct access){.text = kernels, .kernel = "put_at", .place = BEHIND},
                "wrote to 0x", "17179868185 bytes behind the end of the 1000 bytes at 0x");
    assert_told(&(struct access){.text = kernels, .kernel = "get_at", .place = IN_FRONT}, "read 0x",
                "17179869184 bytes in front of the 1000 bytes at 0x");
    assert_told(&(struct access){.text = kernels, .kernel = "put_at", .place = AT_NULL},
                IS_TOLD_APART ? "wrote to 0x0, " : "wrote to 0x", "a null pointer");
#if defined __x86_64__ /* elsewhere the system tells the address, and qemu ends without a word */
    assert_told(&(struct access){.text = kernels, .kernel = "put_at", .place = NOWHERE},
                "touched an address ", "that no memory can have");
#endif
}

TEST_BODY(crash_of_a_kernel_goes_on_to_the_programs_handler)
{
    for (int managed = 0; managed < 2; managed++)
        for (enum installed handler = NEVER; handler <= BETWEEN; handler++)
            assert_told(&(struct access){.text = kernels,
                                         .kernel = "put_at",
                                         .handler = handler,
                                         .has_managed = managed != 0},
                        "wrote to 0x", " bytes behind the end of the ");
}

TEST_BODY(crash_of_a_translated_kernel_is_told)
{
    assert_told(&(struct access){.text = ptx, .kernel = "put_at"}, "wrote to 0x",
                " bytes behind the end of");
    setenv("CLEM_PTX_FORM", "native", 1);
    assert_told(&(struct access){.text = ptx, .kernel = "put_at"}, "wrote to 0x",
                " bytes behind the end of");
    assert_told(&(struct access){.text = ptx, .kernel = "sum_at", .place = AT_NULL},
                IS_TOLD_APART ? "wrote to 0x0, " : "wrote to 0x", "a null pointer");
}

/* In a function of the library that the kernel calls, and in one of the kernel's own. */
TEST_BODY(crash_in_what_a_kernel_calls_is_told)
{
    static const char *const forms[] = {"native", "opencl", "warp", "item"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        setenv("CLEM_PTX_FORM", forms[i], 1);
        assert_told(&(struct access){.text = ptx, .kernel = "row_at", .place = AT_NULL},
                    "wrote to 0x", "a null pointer");
    }
}

/* Whether the end of a line names block (70,1,0), or a range of blocks with that in it, as long as one that is gone through at once. */
static bool has_block(const char *text)
{
    enum { MOST_AT_ONCE = 512 };
    unsigned first, last;
    const char *const several = strstr(text, ", in one of the blocks (");
    return strstr(text, ", in block (70,1,0)\n") ||
           (several &&
            sscanf(several, ", in one of the blocks (%u,1,0) to (%u,1,0)", &first, &last) == 2 &&
            first <= 70 && 70 <= last && last - first < MOST_AT_ONCE);
}

/* Many blocks are given to a thread at once. */
TEST_BODY(crash_of_a_native_kernel_names_the_block)
{
    const struct access access = {.text = ptx, .kernel = "block_at", .grid = 1000};
    char text[4096];
    setenv("CLEM_PTX_FORM", "native", 1);
    (void)ended_run(touch, &access, text, sizeof text, why);
    if (!has_block(text))
        fail_msg("no block is named: %s", text);
    setenv("CLEM_CHECK", "guard", 1);
    (void)ended_run(touch, &access, text, sizeof text, why);
    if (!strstr(text, "kernel block_at, block (70,1,0)\n"))
        fail_msg("no block is named: %s", text);
}

static void touch_by_itself(const void *unused)
{
    const volatile uintptr_t nowhere = 64; /* no compiler sees through */
    (void)unused;
    (void)driver_use_primary();
    skip_unless_told();
    *(volatile int *)nowhere = 1;
}

TEST_BODY(crash_of_the_program_is_its_own)
{
    char text[4096];
    const int status = ended_run(touch_by_itself, NULL, text, sizeof text, why);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_null(strstr(text, "clem: "));
}

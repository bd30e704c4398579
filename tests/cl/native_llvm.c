/* Native kernels by every LLVM that is installed, not PoCL's alone, and for other processors than this one. Each LLVM is loaded
 * into a process of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/llvm/compile.h"
#include "cl/native/code.h"
#include "cl/native/symbol.h"
#include "kernels/ptx/host/abi.h"
#include "tests/ptx/read.h"

enum { BLOCKS = 5, THREADS = 96, WARP = 32, ITEMS = BLOCKS * THREADS, COUNT = ITEMS - 7 };

/* Threads that leave a loop apart, shared memory and a barrier, what warps do together, atomics, and floats. Words at a: one for
 * each thread, one for each block, and then a float for each thread. */
static const char text[] = PTX_BODY(
    ".shared .align 4 .b8 all[384];\n"
    "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4;\n" /* the thread's number */
    "mul.lo.u32 %r6, %r5, 7;\nadd.u32 %r6, %r6, 1;\nmov.u32 %r7, 0;\n"
    "$turn:\nsetp.eq.u32 %p1, %r6, 1;\n@%p1 bra $end;\n"
    "and.b32 %r8, %r6, 1;\nsetp.eq.u32 %p2, %r8, 0;\n@%p2 bra $even;\n"
    "mad.lo.u32 %r6, %r6, 3, 1;\nbra $next;\n"
    "$even:\nshr.u32 %r6, %r6, 1;\n"
    "$next:\nadd.u32 %r7, %r7, 1;\nbra $turn;\n"
    "$end:\n"
    "mov.u32 %r8, all;\nmad.lo.u32 %r9, %r4, 4, %r8;\nst.shared.u32 [%r9], %r7;\nbar.sync 0;\n"
    "xor.b32 %r9, %r9, 128;\nsetp.lt.u32 %p3, %r4, 64;\nmov.u32 %r10, 0;\n"
    "@%p3 ld.shared.u32 %r10, [%r9];\n"
    "add.u32 %r7, %r7, %r10;\nmov.u32 %r10, %r7;\n"
    "shfl.sync.bfly.b32 %r11, %r10, 16, 31, -1;\nadd.u32 %r10, %r10, %r11;\n"
    "shfl.sync.bfly.b32 %r11, %r10, 8, 31, -1;\nadd.u32 %r10, %r10, %r11;\n"
    "shfl.sync.bfly.b32 %r11, %r10, 4, 31, -1;\nadd.u32 %r10, %r10, %r11;\n"
    "shfl.sync.bfly.b32 %r11, %r10, 2, 31, -1;\nadd.u32 %r10, %r10, %r11;\n"
    "shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1;\nadd.u32 %r10, %r10, %r11;\n"
    "and.b32 %r12, %r7, 1;\nsetp.eq.u32 %p4, %r12, 1;\nvote.sync.ballot.b32 %r13, %p4, -1;\n"
    "xor.b32 %r10, %r10, %r13;\n"
    "setp.ge.u32 %p5, %r5, %r1;\n@%p5 ret;\n"
    "mul.wide.u32 %rd2, %r5, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r10;\n"
    "mul.wide.u32 %rd4, %r2, 4;\nadd.u64 %rd5, %rd1, %rd4;\n"
    "atom.global.add.u32 %r14, [%rd5+1920], %r7;\n"
    "cvt.rn.f32.u32 %f1, %r7;\nsqrt.rn.f32 %f2, %f1;\nfma.rn.f32 %f3, %f2, %f1, 0f3DCCCCCD;\n"
    "st.global.f32 [%rd3+1940], %f3;\nret;");
_Static_assert(ITEMS * 4 == 1920 && BLOCKS * 4 == 20, "as the text says");

/* A tree that one warp goes through alone; on its way one thread takes twice what it has. */
#define STEP(truth, relation, bound, away)                                                         \
    "setp." relation ".u32 " truth ", %r4, " bound ";\n@" truth " bra $L" away                     \
    ";\nld.shared.u32 %r5, [%r2+" away "];\nld.shared.u32 %r6, [%r2];\nadd.u32 %r6, %r6, %r5;\n"   \
    "st.shared.u32 [%r2], %r6;\n$L" away ":\nbar.sync 0;\n"
enum { LEAVES = 64 };
static const char tree[] = PTX_BODY(
    ".shared .align 4 .b8 all[256];\n"
    "ld.param.u64 %rd1, [a];\nmov.u32 %r4, %tid.x;\nshl.b32 %r2, %r4, 2;\n"
    "mul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\n"
    "st.shared.u32 [%r2], %r3;\nbar.sync 0;\n" STEP("%p1", "ge", "32", "128")
        STEP("%p2", "ne", "5", "0") STEP("%p3", "ge", "16", "64") STEP("%p4", "ge", "8", "32")
            STEP("%p5", "ge", "4", "16") STEP("%p6", "ge", "2", "8")
                STEP("%p7", "ge", "1",
                     "4") "ld.shared.u32 %r7, [all];\nst.global.u32 [%rd3], %r7;\nret;");

struct words {
    uint32_t items[ITEMS], blocks[BLOCKS];
    uint32_t floats[ITEMS]; /* their bits */
};

/* ---- What the host makes of it ---- */

static uint32_t steps_of(uint32_t number)
{
    uint32_t steps = 0;
    for (uint32_t value = number * 7 + 1; value != 1; steps++)
        value = value % 2 ? value * 3 + 1 : value / 2;
    return steps;
}

static uint32_t sum_of(uint32_t item)
{
    const uint32_t thread = item % THREADS;
    return steps_of(item) + (thread < 64 ? steps_of(item - thread + (thread ^ 32)) : 0);
}

static void expect(struct words *words)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t all = 0, odd = 0;
        for (uint32_t lane = 0; lane < WARP; lane++) {
            all += sum_of(i / WARP * WARP + lane);
            odd |= (sum_of(i / WARP * WARP + lane) & 1) << lane;
        }
        const float sum = (float)sum_of(i), value = fmaf(sqrtf(sum), sum, 0.1f);
        words->items[i] = all ^ odd;
        words->blocks[i / THREADS] += sum_of(i);
        memcpy(&words->floats[i], &value, sizeof value);
    }
}

/* ---- What an LLVM does ---- */

static struct ptx_target target_for(unsigned major)
{
    return (struct ptx_target){.pointers = PTX_POINTERS_NUMBERS,
                               .is_cpu = true,
                               .has_double = true,
                               .has_int64_atomics = true,
                               .has_exact_divide = true,
                               .has_thread_fence = true,
                               .llvm_major = (int)major,
                               .max_parameter_bytes = 4096,
                               .force_form = PTX_FORM_NATIVE};
}

static struct ptx_kernel translate_with(unsigned major)
{
    const struct ptx_target target = target_for(major);
    return translate_for(text, &target);
}

static struct ocl_object compile_for(const struct ocl_llvm *llvm, const struct ptx_kernel *kernel,
                                     const struct ocl_aim *aim)
{
    struct ocl_object object;
    char *why = NULL;
    if (!ocl_llvm_compile(llvm, aim, kernel->text, kernel->text_bytes, &object, &why))
        fail_msg("%s", why ? why : "there is no reason");
    free(why);
    return object;
}

struct parameters {
    uint64_t words;
    uint32_t count;
};

/* As a launch begins: there is something of others' everywhere, but nothing that runs have left each other. The second launch of a scratch
 * would take its threads for numbered, were it not for that. */
static void begin_scratch(unsigned char *scratch, size_t bytes)
{
    const size_t left = sizeof(struct ptx_native_now);
    memset(scratch, 0, left);
    memset(scratch + left, 0xa5, bytes - left);
}

/* Twice, each time with memory as it is now. */
static void launch(const struct ocl_object *object, const struct ptx_native_launch *launch,
                   void *memory, size_t memory_bytes)
{
    static const char *const names[] = {"clem_native_scratch", "clem_native_run"};
    void *functions[2] = {NULL};
    struct ocl_code code = {0};
    ptx_native_scratch_bytes *scratch_bytes = NULL;
    ptx_native_run *blocks = NULL;
    const char *why =
        ocl_code_load(object->data, object->bytes, ocl_native_symbol, names, functions, 2, &code);
    if (why)
        fail_msg("%s", why);
    memcpy(&scratch_bytes, &functions[0], sizeof scratch_bytes);
    memcpy(&blocks, &functions[1], sizeof blocks);
    const size_t bytes = (scratch_bytes(launch) + 127) / 64 * 64;
    void *scratch = aligned_alloc(64, bytes), *before = malloc(memory_bytes);
    assert_true(scratch && before);
    memcpy(before, memory, memory_bytes);
    for (int i = 0; i < 2; i++) {
        memcpy(memory, before, memory_bytes);
        begin_scratch(scratch, bytes);
        blocks(launch, 0, launch->block_count, scratch);
    }
    free(scratch);
    free(before);
    ocl_code_unload(&code);
}

static void run(const struct ocl_object *object, struct words *words)
{
    const struct parameters parameters = {(uint64_t)(uintptr_t)words, COUNT};
    const struct ptx_native_launch all = {.grid = {BLOCKS, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .shared_bytes = 384,
                                          .block_count = BLOCKS,
                                          .parameters = (uint64_t)(uintptr_t)&parameters};
    launch(object, &all, words, sizeof *words);
}

static void compare(const struct ocl_object *object, const char *processor)
{
    static struct words wanted, words;
    memset(&wanted, 0, sizeof wanted);
    memset(&words, 0, sizeof words);
    expect(&wanted);
    run(object, &words);
    if (memcmp(&words, &wanted, sizeof words) != 0)
        fail_msg("code for %s is wrong", processor ? processor : "this processor");
}

/* For this processor, and for ones of its kind without its widest vectors. */
static void try_here(const struct ocl_llvm *llvm, const struct ptx_kernel *kernel)
{
#ifdef __x86_64__
    static const char *const processors[] = {NULL, "x86-64-v3", "x86-64-v2", "x86-64"};
    const bool has_vectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    static const char *const processors[] = {NULL};
    const bool has_vectors = true;
#endif
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        const struct ocl_aim aim = {.processor = processors[i],
                                    .features = processors[i] ? "" : NULL};
        if (i == 1 && !has_vectors)
            continue;
        const struct ocl_object object = compile_for(llvm, kernel, &aim);
        compare(&object, processors[i]);
        free(object.data);
    }
}

/* With a processor's masks, and without. */
static void try_tree(const struct ocl_llvm *llvm, unsigned major)
{
    const struct ocl_aim aim = {0};
    for (unsigned lacks = 0; lacks < 2; lacks++) {
        uint32_t leaves[LEAVES], wanted = 0;
        for (uint32_t i = 0; i < LEAVES; i++)
            wanted += leaves[i] = i * i + 7;
        wanted += leaves[5] + leaves[37];
        struct ptx_target target = target_for(major);
        target.threads = PTX_THREADS_ROWS;
        target.lacks_masks = lacks;
        struct ptx_kernel kernel = translate_for(tree, &target);
        const struct ocl_object object = compile_for(llvm, &kernel, &aim);
        const struct parameters parameters = {(uint64_t)(uintptr_t)leaves, LEAVES};
        const struct ptx_native_launch one = {.grid = {1, 1, 1},
                                              .block = {LEAVES, 1, 1},
                                              .shared_bytes = 4 * LEAVES,
                                              .block_count = 1,
                                              .parameters = (uint64_t)(uintptr_t)&parameters};
        launch(&object, &one, leaves, sizeof leaves);
        for (uint32_t i = 0; i < LEAVES; i++)
            assert_int_equal(leaves[i], wanted);
        free(object.data);
        ptx_kernel_free(&kernel);
    }
}

static bool register_arm(void *library)
{
    static const char *const names[] = {
        "LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64Target",
        "LLVMInitializeAArch64TargetMC", "LLVMInitializeAArch64AsmPrinter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void (*begin)(void) = NULL;
        void *symbol = dlsym(library, names[i]);
        if (!symbol)
            return false;
        memcpy(&begin, &symbol, sizeof begin);
        begin();
    }
    return true;
}

/* Code for the other kind of processors that clem loads code of. */
static void try_arm(const struct ocl_llvm *llvm, void *library, const struct ptx_kernel *kernel)
{
    enum { MACHINE_AT = 18, AARCH64 = 183 }; /* ELF's e_machine, EM_AARCH64 */
    static const struct ocl_aim aims[] = {{"aarch64-linux-gnu", "generic", ""},
                                          {"aarch64-linux-gnu", "neoverse-v1", ""}};
    if (!register_arm(library))
        return;
    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++) {
        const struct ocl_object object = compile_for(llvm, kernel, &aims[i]);
        assert_true(object.bytes > MACHINE_AT && object.data[MACHINE_AT] == AARCH64);
        free(object.data);
    }
}

static void name_library(unsigned major, char name[32])
{
    snprintf(name, 32, major < 18 ? "libLLVM-%u.so.1" : "libLLVM.so.%u.1", major);
}

/* Whether there is such an LLVM. */
static bool try_llvm(unsigned major)
{
    char name[32];
    name_library(major, name);
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return false;
    const struct ocl_llvm *llvm = ocl_llvm_load(name, true);
    assert_non_null(llvm);
    struct ptx_kernel kernel = translate_with(major);
    assert_int_equal(kernel.form, PTX_FORM_NATIVE);
    try_here(llvm, &kernel);
    try_tree(llvm, major);
    try_arm(llvm, library, &kernel);
    ptx_kernel_free(&kernel);
    return true;
}

/* TEST_LLVM names the one to try. */
TEST_BODY(native_form_is_the_same_by_every_llvm)
{
    enum { FIRST = 14, LAST = 22, SKIPPED = 77 };
    const char *one = getenv("TEST_LLVM");
    unsigned tried = 0;
    for (unsigned major = FIRST; major <= LAST; major++) {
        int status = 0;
        if (one && strtoul(one, NULL, 10) != major)
            continue;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const bool is_there = try_llvm(major);
            fflush(stdout);
            _exit(is_there ? 0 : SKIPPED);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != SKIPPED))
            fail_msg("LLVM %u: %s %d", major, WIFEXITED(status) ? "exit" : "signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        tried += WEXITSTATUS(status) == 0;
    }
    if (tried == 0)
        TEST_SKIP("no LLVM is a library here");
}

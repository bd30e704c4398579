/* Tests of native kernels: what becomes of LLVM IR, and launches of it through PoCL.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/native/native.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/apart/apart.h"
#include "cl/device/driver_llvm.h"
#include "cl/llvm/compile.h"
#include "cl/native/code.h"
#include "cl/native/native_private.h"
#include "cl/native/scratch.h"
#include "cl/native/symbol.h"
#include "cl/ptx/ptx_facts.h"
#include "cl/sanitized.h"
#include "tests/cl/captured.h"
#include "tests/cl/launch.h"

/* ---- Texts ---- */

/* Where struct ptx_native_launch has them. */
#define PARAMETERS_AT "96"
_Static_assert(offsetof(struct ptx_native_launch, parameters) == 96, "as the texts say");

#define SCRATCH(bytes)                                                                             \
    "define i64 @clem_native_scratch(ptr %launch) nounwind { ret i64 " #bytes " }\n"

/* Its parameters are the address of words. */
#define RUN_OVER_WORDS                                                                             \
    "define void @clem_native_run(ptr %launch, i64 %first, i64 %count, ptr %scratch) nounwind {\n" \
    "  %launch.number = ptrtoint ptr %launch to i64\n"                                             \
    "  %place = add i64 %launch.number, " PARAMETERS_AT "\n"                                       \
    "  %place.pointer = inttoptr i64 %place to ptr\n"                                              \
    "  %parameters = load i64, ptr %place.pointer\n"                                               \
    "  %parameters.pointer = inttoptr i64 %parameters to ptr\n"                                    \
    "  %words = load i64, ptr %parameters.pointer\n"

/* Adds the block's number and one to a word for each block. */
static const char counting_text[] =
    SCRATCH(0) RUN_OVER_WORDS "  br label %head\n"
                              "head:\n"
                              "  %done = phi i64 [ 0, %0 ], [ %next, %head ]\n"
                              "  %block = add i64 %first, %done\n"
                              "  %offset = shl i64 %block, 2\n"
                              "  %word = add i64 %words, %offset\n"
                              "  %word.pointer = inttoptr i64 %word to ptr\n"
                              "  %old = load i32, ptr %word.pointer\n"
                              "  %number = trunc i64 %block to i32\n"
                              "  %more = add i32 %number, 1\n"
                              "  %new = add i32 %old, %more\n"
                              "  store i32 %new, ptr %word.pointer\n"
                              "  %next = add i64 %done, 1\n"
                              "  %again = icmp ult i64 %next, %count\n"
                              "  br i1 %again, label %head, label %end\n"
                              "end:\n"
                              "  ret void\n"
                              "}\n";

/* The same with a warp's lanes: 32 words for each block, which go through the scratch; and a constant of the text's own, a
 * function of it and one of the C library's are used on the way. */
static const char lanes_text[] =
    "@lanes = private constant <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 "
    "7,\n"
    "  i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 "
    "19,\n"
    "  i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 "
    "31>\n"
    "declare ptr @memcpy(ptr, ptr, i64)\n" SCRATCH(
        128) "define internal void @block(i64 %words, i64 %block, ptr %scratch) noinline nounwind "
             "{\n"
             "  %lanes = load <32 x i32>, ptr @lanes\n"
             "  %number = trunc i64 %block to i32\n"
             "  %one = insertelement <32 x i32> undef, i32 %number, i32 0\n"
             "  %all = shufflevector <32 x i32> %one, <32 x i32> undef, <32 x i32> "
             "zeroinitializer\n"
             "  %product = mul <32 x i32> %lanes, %all\n"
             "  %scratch.number = ptrtoint ptr %scratch to i64\n"
             "  %pointer = inttoptr i64 %scratch.number to ptr\n"
             "  store <32 x i32> %product, ptr %pointer\n"
             "  %offset = shl i64 %block, 7\n"
             "  %target = add i64 %words, %offset\n"
             "  %target.pointer = inttoptr i64 %target to ptr\n"
             "  %unused = call ptr @memcpy(ptr %target.pointer, ptr %scratch, i64 128)\n"
             "  ret void\n"
             "}\n" RUN_OVER_WORDS "  br label %head\n"
             "head:\n"
             "  %done = phi i64 [ 0, %0 ], [ %next, %head ]\n"
             "  %block = add i64 %first, %done\n"
             "  call void @block(i64 %words, i64 %block, ptr %scratch)\n"
             "  %next = add i64 %done, 1\n"
             "  %again = icmp ult i64 %next, %count\n"
             "  br i1 %again, label %head, label %end\n"
             "end:\n"
             "  ret void\n"
             "}\n";

/* ---- A context that has the form ---- */

struct native_bench {
    struct bench bench;
    unsigned major;
};

static struct native_bench open_native(void)
{
    struct native_bench native = {.bench = open_bench(NULL, NULL)};
    native.major = ocl_native_llvm(native.bench.context);
    if (native.major < 15)
        TEST_SKIP("the device has no native form, or an LLVM whose texts name types of pointers");
    return native;
}

static struct ocl_native *make(const struct native_bench *native, const char *text)
{
    return ocl_native_make(native->bench.context->device, "tested", text, strlen(text));
}

/* Gives PoCL a launch over words, as cl/launch does. */
static void enqueue_shape(struct ocl_native_shape shape, const struct native_bench *native,
                          struct ocl_native *code, cl_kernel kernel, void *words)
{
    struct ocl_context *context = native->bench.context;
    struct ocl_native_launch *launch = NULL;
    shape.parameter_bytes = 8;
    assert_int_equal(ocl_native_begin(context, code, &shape, &launch), OCL_OK);
    const uint64_t address = (uint64_t)(uintptr_t)words, number = (uint64_t)(uintptr_t)launch;
    memcpy((void *)(uintptr_t)ocl_native_facts(launch)->parameters, &address, sizeof address);
    assert_int_equal(ocl_native_reserve(launch), OCL_OK);
    const size_t global[3] = {1, 1, shape.items}, local[3] = {1, 1, 1};
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof number, &number), CL_SUCCESS);
    assert_int_equal(
        clEnqueueNDRangeKernel(context->service, kernel, 3, NULL, global, local, 0, NULL, NULL),
        CL_SUCCESS);
}

/* failure: as of struct ocl_native_shape. */
static void enqueue_behind(const uint32_t *failure, const struct native_bench *native,
                           struct ocl_native *code, cl_kernel kernel, uint64_t blocks, void *words)
{
    const struct ocl_native_shape shape = {
        .blocks = blocks,
        .items = ocl_native_items(native->bench.context, code, blocks),
        .failure = failure};
    enqueue_shape(shape, native, code, kernel, words);
}

static void enqueue(const struct native_bench *native, struct ocl_native *code, cl_kernel kernel,
                    uint64_t blocks, void *words)
{
    enqueue_behind(NULL, native, code, kernel, blocks, words);
}

static cl_kernel caller_of(const struct native_bench *native, cl_program *program)
{
    cl_int error = CL_SUCCESS;
    assert_int_equal(ocl_native_program(native->bench.context, program), OCL_OK);
    cl_kernel kernel = clCreateKernel(*program, OCL_NATIVE_KERNEL, &error);
    assert_int_equal(error, CL_SUCCESS);
    return kernel;
}

/* ---- Launches ---- */

/* Grids of one block, of fewer and of more than there are portions; and the code goes before its launches have run. */
TEST_BODY(native_launches_run_each_block_once)
{
    enum { MOST = 100000 };
    static const uint64_t grids[] = {1, 2, 3, 63, 1000, MOST};
    static uint32_t words[MOST];
    struct native_bench native = open_native();
    cl_program program = NULL;
    cl_kernel kernel = caller_of(&native, &program);
    struct ocl_native *code = make(&native, counting_text);
    assert_non_null(code);
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        enqueue(&native, code, kernel, grids[i], words);
    ocl_native_release(code);
    assert_int_equal(clFinish(native.bench.context->service), CL_SUCCESS);
    for (uint32_t i = 0; i < MOST; i++) {
        uint32_t launches = 0;
        for (size_t k = 0; k < sizeof grids / sizeof *grids; k++)
            launches += i < grids[k];
        if (words[i] != launches * (i + 1))
            fail_msg("word %u is %u", i, words[i]);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_bench(&native.bench);
}

/* What is taken in long stretches first: all blocks, also where neither work-items nor rows divide them. */
TEST_BODY(native_vast_launches_run_each_block_once)
{
    enum { MOST = 100003 };
    static const uint64_t grids[] = {1, 2, 97, 5000, MOST}, rows[] = {0, 1, 97, 5000};
    static uint32_t words[MOST];
    struct native_bench native = open_native();
    cl_program program = NULL;
    cl_kernel kernel = caller_of(&native, &program);
    struct ocl_native *code = make(&native, counting_text);
    static uint32_t launches[MOST];
    assert_non_null(code);
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            for (size_t items = 1; items <= 3; items++) {
                const struct ocl_native_shape shape = {
                    .blocks = grids[i], .row = rows[k], .items = items, .is_vast = true};
                enqueue_shape(shape, &native, code, kernel, words);
                for (uint64_t block = 0; block < grids[i]; block++)
                    launches[block]++;
            }
    assert_int_equal(clFinish(native.bench.context->service), CL_SUCCESS);
    for (uint32_t i = 0; i < MOST; i++)
        if (words[i] != launches[i] * (i + 1))
            fail_msg("word %u is %u", i, words[i]);
    ocl_native_release(code);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_bench(&native.bench);
}

/* Behind a kernel that has failed no block runs. */
TEST_BODY(native_launches_behind_a_failure_do_nothing)
{
    enum { BLOCKS = 1000 };
    static const uint32_t failures[] = {0, 1};
    static uint32_t words[2][BLOCKS];
    struct native_bench native = open_native();
    cl_program program = NULL;
    cl_kernel kernel = caller_of(&native, &program);
    struct ocl_native *code = make(&native, counting_text);
    assert_non_null(code);
    for (size_t i = 0; i < 2; i++)
        enqueue_behind(&failures[i], &native, code, kernel, BLOCKS, words[i]);
    assert_int_equal(clFinish(native.bench.context->service), CL_SUCCESS);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(words[0][i], i + 1);
        assert_int_equal(words[1][i], 0);
    }
    ocl_native_release(code);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_bench(&native.bench);
}

/* Vectors, constants, functions of the text and of the C library, and memory of a block. */
TEST_BODY(native_code_has_what_compilers_write)
{
    enum { BLOCKS = 500, WARP = 32 };
    static uint32_t words[BLOCKS * WARP];
    struct native_bench native = open_native();
    cl_program program = NULL;
    cl_kernel kernel = caller_of(&native, &program);
    struct ocl_native *code = make(&native, lanes_text);
    assert_non_null(code);
    enqueue(&native, code, kernel, BLOCKS, words);
    assert_int_equal(clFinish(native.bench.context->service), CL_SUCCESS);
    for (uint32_t i = 0; i < BLOCKS * WARP; i++)
        assert_int_equal(words[i], i / WARP * (i % WARP));
    ocl_native_release(code);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_bench(&native.bench);
}

/* A launch that the driver never got. */
TEST_BODY(native_launch_can_be_cancelled)
{
    struct native_bench native = open_native();
    struct ocl_native *code = make(&native, lanes_text);
    struct ocl_native_launch *launch = NULL;
    const struct ocl_native_shape shape = {.blocks = 1, .items = 1, .parameter_bytes = 4096};
    assert_non_null(code);
    assert_int_equal(ocl_native_begin(native.bench.context, code, &shape, &launch), OCL_OK);
    assert_int_equal(ocl_native_reserve(launch), OCL_OK);
    assert_int_equal(ocl_native_facts(launch)->parameters % 16, 0);
    assert_int_equal(atomic_load(&code->holders.taken), 1);
    ocl_native_cancel(launch);
    assert_int_equal(atomic_load(&code->holders.given) - OCL_HELD, 1);
    ocl_native_release(code);
    close_bench(&native.bench);
}

/* ---- Texts that are none ---- */

/* LLVM would end the process over some of them. */
TEST_BODY(native_refuses_what_llvm_does_not_take)
{
    static const char *const texts[] = {
        "",
        "no text of LLVM's",
        "define void @clem_native_run() { ret i32 0 }",
        /* a block that does not end, an instruction before what it uses, a function of two types */
        "define void @clem_native_run() { %a = add i32 1, 1 }",
        "define i32 @clem_native_run() { %a = add i32 %b, 1\n %b = add i32 1, 1\n ret i32 %a }",
        "define i32 @clem_native_run() { ret i32 0 }\ndefine void @clem_native_run() { ret void }",
        "declare i32 @llvm.no.such.thing(i32)\n"
        "define i32 @clem_native_run() { %a = call i32 @llvm.ctpop.i32(i32 1)\n ret i32 %a }",
        /* what is sound, and lacks a function, or asks for one that nobody has */
        "define void @clem_native_run() { ret void }",
        SCRATCH(0) "define internal void @clem_native_run() { ret void }",
        SCRATCH(0) "declare void @nobody_has_this()\n"
                   "define void @clem_native_run() { call void @nobody_has_this()\n ret void }",
        SCRATCH(0) "@word = external global i32\ndefine i32 @clem_native_run() "
                   "{ %a = load i32, ptr @word\n ret i32 %a }",
        SCRATCH(0) "@word = thread_local global i32 1\ndefine i32 @clem_native_run() "
                   "{ %a = load i32, ptr @word\n ret i32 %a }",
    };
    struct native_bench native = open_native();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (make(&native, texts[i]))
            fail_msg("text %zu was taken", i);
    close_bench(&native.bench);
}

/* ---- Objects ---- */

static struct ocl_object compile_text(const struct native_bench *native, const char *text)
{
    static const struct ocl_aim here;
    struct ocl_object object;
    char *why = NULL;
    if (!ocl_llvm_compile(ocl_llvm_get(native->major), &here, text, strlen(text), &object, &why))
        fail_msg("%s", why ? why : "there is no reason");
    free(why);
    return object;
}

static const char *load(const unsigned char *data, size_t bytes)
{
    static const char *const names[] = {"clem_native_run"};
    void *function = NULL;
    struct ocl_code code = {0};
    const char *why = ocl_code_load(data, bytes, ocl_native_symbol, names, &function, 1, &code);
    ocl_code_unload(&code);
    return why;
}

/* Cut off anywhere, and with any byte changed, an object is loaded or refused, and nothing else is read or written: a sanitizer
 * would see that. What is loaded then is not run. */
TEST_BODY(native_code_may_be_damaged)
{
    struct native_bench native = open_native();
    const struct ocl_object object = compile_text(&native, lanes_text);
    assert_null(load(object.data, object.bytes));
    for (size_t bytes = 0; bytes < object.bytes; bytes += bytes < 64 ? 1 : 37) {
        unsigned char *cut = malloc(bytes + 1);
        assert_non_null(cut);
        memcpy(cut, object.data, bytes);
        (void)load(cut, bytes);
        free(cut);
    }
    for (size_t i = 0; i < object.bytes; i++) {
        const unsigned char old = object.data[i];
        object.data[i] = (unsigned char)(old + 1 + i % 200);
        (void)load(object.data, object.bytes);
        object.data[i] = old;
    }
    assert_null(load(object.data, object.bytes));
    free(object.data);
    close_bench(&native.bench);
}

/* Where nothing that was written may be executed, as under SELinux, there is no native form, and no harm. */
TEST_BODY(native_form_is_lacking_where_no_code_may_be_made)
{
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 }; /* prctl(2), from Linux 6.3 on */
    struct native_bench native = open_native();
    const struct ocl_object object = compile_text(&native, lanes_text);
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
        TEST_SKIP("this Linux cannot refuse it");
    assert_string_equal(load(object.data, object.bytes),
                        "this process may not run code that it makes");
    assert_null(make(&native, lanes_text));
    free(object.data);
    close_bench(&native.bench);
}

/* ---- The cache ---- */

/* What a process stored, the next one loads; what is damaged it compiles again. */
TEST_BODY(native_code_is_kept)
{
    char folder[] = "/tmp/clem-native-XXXXXX", command[192];
    assert_non_null(mkdtemp(folder));
    setenv("CLEM_CACHE_DIR", folder, 1);
    setenv("CLEM_TRACE", "1", 1);
    struct native_bench native = open_native();
    char text[4096];
    for (int turn = 0; turn < 3; turn++) {
        if (turn == 2) {
            snprintf(command, sizeof command,
                     "for f in %s/*/*.bin; do printf x | dd of=$f bs=1 seek=200 conv=notrunc "
                     "status=none; done",
                     folder);
            assert_int_equal(system(command), 0);
        }
        struct capture capture = capture_begin();
        struct ocl_native *code = make(&native, counting_text);
        capture_end(&capture, text, sizeof text);
        assert_non_null(code);
        assert_int_equal(strstr(text, "of LLVM IR became") != NULL, turn != 1);
        ocl_native_release(code);
    }
    close_bench(&native.bench);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- Which kernels have it ---- */

static int told_of(const struct bench *bench)
{
    struct ptx_target target;
    (void)ocl_ptx_target(ocl_ptx_facts(bench->context), &target);
    return target.llvm_major;
}

/* Where it can be had the translator is told so, but not under CLEM_PTX_FORM=opencl. */
static void check_told(const char *form, bool is_told)
{
    const pid_t child = fork();
    int status = 0;
    assert_true(child >= 0);
    if (child == 0) {
        form ? setenv("CLEM_PTX_FORM", form, 1) : unsetenv("CLEM_PTX_FORM");
        struct bench bench = open_bench(NULL, NULL);
        const int wanted = is_told ? (int)ocl_native_llvm(bench.context) : 0;
        _exit(told_of(&bench) != wanted);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_BODY(native_form_can_be_switched_off)
{
    check_told(NULL, true);
    check_told("native", true);
    check_told("opencl", false);
}

/* ---- Another process ---- */

static char own_folder[] = "/tmp/clem-native-XXXXXX";

/* With a cache of its own, and compiling in another process, where that can be. */
static struct native_bench open_apart(void)
{
    assert_non_null(mkdtemp(own_folder));
    setenv("CLEM_CACHE_DIR", own_folder, 1);
    setenv("CLEM_TRACE", "1", 1);
    setenv("CLEM_COMPILE", "apart", 1);
    struct native_bench native = open_native();
    if (!ocl_apart_is_allowed())
        TEST_SKIP("nothing is compiled in another process here");
    return native;
}

static void close_apart(struct native_bench *native)
{
    char command[64];
    close_bench(&native->bench);
    snprintf(command, sizeof command, "rm -rf %s", own_folder);
    assert_int_equal(system(command), 0);
}

/* Whether a text becomes code, and what is traced meanwhile. */
static bool makes(const struct native_bench *native, const char *text, char *traced, size_t bytes)
{
    struct capture capture = capture_begin();
    struct ocl_native *code = make(native, text);
    capture_end(&capture, traced, bytes);
    ocl_native_release(code);
    return code != NULL;
}

/* A file of a process, with a NUL behind. */
static size_t read_of(const char *process, const char *name, char *text, size_t bytes)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", process, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? 0 : read(file, text, bytes - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0;
}

/* The process that has this one's folder among its variables, and is another; 0: there is none. */
static pid_t find_compiler(void)
{
    static char text[1 << 16];
    char own[32];
    pid_t found = 0;
    DIR *folder = opendir("/proc");
    assert_non_null(folder);
    snprintf(own, sizeof own, "%d", (int)getpid());
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const long number = strtol(entry->d_name, NULL, 10);
        if (number <= 0 || strcmp(entry->d_name, own) == 0 ||
            !memmem(text, read_of(entry->d_name, "environ", text, sizeof text), own_folder,
                    strlen(own_folder)))
            continue;
        /* Its name may be that of what interprets it. */
        const size_t length = read_of(entry->d_name, "cmdline", text, sizeof text);
        if (memmem(text, length, "clem-compile", strlen("clem-compile")))
            found = (pid_t)number;
    }
    closedir(folder);
    return found;
}

/* Of a processor's time, as the system counts it; all of it where the process has gone. */
static unsigned long ticks_of(pid_t process)
{
    char name[32], text[1024];
    unsigned long ticks = 0;
    snprintf(name, sizeof name, "%d", (int)process);
    (void)read_of(name, "stat", text, sizeof text);
    const char *behind = strrchr(text, ')');
    return behind &&
                   sscanf(behind, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &ticks) == 1
               ? ticks
               : ~0ul;
}

/* One process compiles text after text, is started again where it has gone, and what LLVM says of a text comes back from it. */
TEST_BODY(native_code_is_made_in_another_process)
{
    char traced[8192];
    struct native_bench native = open_apart();
    assert_true(makes(&native, counting_text, traced, sizeof traced));
    assert_non_null(strstr(traced, ", in another process"));
    const pid_t first = find_compiler();
    assert_true(first > 0);
    assert_false(makes(&native, "no text of LLVM's", traced, sizeof traced));
    assert_non_null(strstr(traced, "expected top-level entity"));
    assert_true(makes(&native, lanes_text, traced, sizeof traced));
    assert_non_null(strstr(traced, ", in another process"));
    assert_int_equal(find_compiler(), first);
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_true(makes(&native, SCRATCH(64) "define void @clem_native_run() { ret void }", traced,
                      sizeof traced));
    assert_non_null(strstr(traced, ", in another process"));
    assert_int_not_equal(find_compiler(), first);
    close_apart(&native);
}

/* An instruction of another processor's, over which LLVM's code generator ends its process. */
TEST_BODY(native_form_is_lacking_where_llvm_ends)
{
    static const char ends[] = SCRATCH(0) "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
                                          "define i32 @clem_native_run() {\n"
                                          "  %a = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
                                          "  ret i32 %a\n}\n";
    char traced[8192];
    struct native_bench native = open_apart();
    assert_true(makes(&native, counting_text, traced, sizeof traced));
    assert_false(makes(&native, ends, traced, sizeof traced));
    assert_non_null(strstr(traced, "has no native form: LLVM ended in another process over it"));
    assert_true(makes(&native, lanes_text, traced, sizeof traced));
    assert_non_null(strstr(traced, ", in another process"));
    close_apart(&native);
}

struct killer {
    pid_t process;
    unsigned long ticks; /* it is killed when it has taken more */
    atomic_bool is_done;
};

static void *kill_compiler(void *unknown)
{
    struct killer *killer = unknown;
    while (ticks_of(killer->process) <= killer->ticks + 2)
        sched_yield();
    atomic_store(&killer->is_done, kill(killer->process, SIGKILL) == 0);
    return NULL;
}

/* Some seconds of LLVM's time. */
static char *long_text(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    fputs(SCRATCH(0) "define i32 @clem_native_run(i32 %a0, i32 %b) {\n", stream);
    for (int i = 0; i < 60000; i++)
        fprintf(stream, "  %%m%d = mul i32 %%a%d, %d\n  %%a%d = xor i32 %%m%d, %%b\n", i, i,
                2 * i + 3, i + 1, i);
    fprintf(stream, "  ret i32 %%a60000\n}\n");
    fclose(stream);
    return text;
}

/* What ends from outside while it compiles, as where there is no memory left, is not tried again in this process. */
TEST_BODY(native_form_is_lacking_where_the_compiler_is_killed)
{
    pthread_t thread;
    char traced[8192];
    struct native_bench native = open_apart();
    char *first = NULL; /* as long as those that the process of the next one compiles */
    assert_true(asprintf(&first, "%s; %*s\n", counting_text, 128 << 10, "") > 0);
    assert_true(makes(&native, first, traced, sizeof traced));
    free(first);
    struct killer killer = {.process = find_compiler()};
    assert_true(killer.process > 0);
    killer.ticks = ticks_of(killer.process);
    char *text = long_text();
    assert_int_equal(pthread_create(&thread, NULL, kill_compiler, &killer), 0);
    assert_false(makes(&native, text, traced, sizeof traced));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&killer.is_done));
    assert_non_null(strstr(traced, "has no native form: LLVM ended in another process over it"));
    assert_true(makes(&native, lanes_text, traced, sizeof traced));
    free(text);
    close_apart(&native);
}

/* ---- Threads ---- */

static void *make_many(void *unknown)
{
    const struct native_bench *native = unknown;
    for (int i = 0; i < 4; i++) {
        const struct ocl_object object = compile_text(native, i % 2 ? lanes_text : counting_text);
        assert_null(load(object.data, object.bytes));
        free(object.data);
    }
    return NULL;
}

TEST_BODY(native_code_is_made_by_several_threads_at_once)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct native_bench native = open_native();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_many, &native), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    close_bench(&native.bench);
}

struct scratch_user {
    struct ocl_scratch_pool *pool;
    size_t step;
    bool is_right;
};

static void *use_scratch(void *unknown)
{
    struct scratch_user *user = unknown;
    user->is_right = true;
    for (size_t i = 1; i < 2000; i++) {
        const size_t bytes = i * user->step % 100000;
        if (!ocl_scratch_reserve(user->pool, bytes))
            user->is_right = false;
        const struct ocl_scratch scratch = ocl_scratch_take(user->pool, bytes);
        user->is_right &= scratch.bytes >= bytes && (uintptr_t)scratch.memory % 64 == 0;
        if (bytes > 0) {
            memset(scratch.memory, (int)user->step, bytes);
            user->is_right &=
                ((unsigned char *)scratch.memory)[bytes - 1] == (unsigned char)user->step;
        }
        ocl_scratch_give(scratch);
    }
    return NULL;
}

/* More threads than pieces, that want ever more and less. */
TEST_BODY(native_scratch_is_no_two_threads)
{
    enum { THREADS = 5 };
    pthread_t threads[THREADS];
    struct scratch_user users[THREADS];
    struct ocl_scratch_pool *pool = ocl_scratch_pool_create(2);
    assert_non_null(pool);
    assert_false(ocl_scratch_reserve(pool, SIZE_MAX / 4));
    for (size_t i = 0; i < THREADS; i++) {
        users[i] = (struct scratch_user){pool, 17 + i, false};
        assert_int_equal(pthread_create(&threads[i], NULL, use_scratch, &users[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(users[i].is_right);
    }
    ocl_scratch_pool_release(pool);
}

/* Whatever order two threads give their pieces back in. */
TEST_BODY(native_scratch_is_what_the_thread_had)
{
    struct ocl_scratch_pool *pool = ocl_scratch_pool_create(3);
    assert_true(ocl_scratch_reserve(pool, 1000));
    for (int i = 0; i < 3; i++) {
        const struct ocl_scratch mine = ocl_scratch_take(pool, 1000),
                                 other = ocl_scratch_take(pool, 1000),
                                 third = ocl_scratch_take(pool, 1000);
        ocl_scratch_give(i == 0 ? third : i == 1 ? mine : other);
        ocl_scratch_give(i == 0 ? mine : i == 1 ? other : third);
        ocl_scratch_give(i == 0 ? other : i == 1 ? third : mine);
        const struct ocl_scratch again = ocl_scratch_take(pool, 1000);
        assert_ptr_equal(again.memory, third.memory); /* the last that this thread took */
        ocl_scratch_give(again);
    }
    ocl_scratch_pool_release(pool);
}

struct sharer {
    struct ocl_piece_of_chain *piece;
    bool is_waiting;
};

static void *share_piece(void *unknown)
{
    struct sharer *sharer = unknown;
    (void)sharer->piece->share(sharer->piece, sharer->is_waiting);
    return NULL;
}

/* A launch of one work-item, whose blocks are known to take a microsecond each. */
static struct ocl_piece_of_chain *shared_piece(const struct native_bench *native,
                                               struct ocl_native *code, uint64_t blocks,
                                               uint32_t *words)
{
    const struct ocl_native_shape shape = {.blocks = blocks, .items = 1, .parameter_bytes = 8};
    struct ocl_native_launch *launch = NULL;
    const uint64_t address = (uint64_t)(uintptr_t)words;
    atomic_store(&code->block_ps, 1000000);
    assert_int_equal(ocl_native_begin(native->bench.context, code, &shape, &launch), OCL_OK);
    memcpy((void *)(uintptr_t)ocl_native_facts(launch)->parameters, &address, sizeof address);
    assert_int_equal(ocl_native_reserve(launch), OCL_OK);
    return ocl_native_piece(launch);
}

/* The driver's thread and two that wait: each block runs once, whoever is first. */
TEST_BODY(native_launch_is_shared_from_both_ends)
{
    enum { MOST = 1000, SHARERS = 3 };
    static uint32_t words[MOST];
    struct native_bench native = open_native();
    struct ocl_native *code = make(&native, counting_text);
    assert_non_null(code);
    for (uint64_t blocks = 1; blocks <= MOST; blocks = blocks * 3 / 2 + 1) {
        struct ocl_piece_of_chain *piece = shared_piece(&native, code, blocks, words);
        struct sharer sharers[SHARERS] = {{piece, false}, {piece, true}, {piece, true}};
        pthread_t threads[SHARERS];
        memset(words, 0, sizeof words);
        for (int i = 0; piece->share && i < SHARERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, share_piece, &sharers[i]), 0);
        for (int i = 0; piece->share && i < SHARERS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(blocks < 10 || piece->share);
        if (piece->share)
            assert_false(piece->share(piece, true));
        piece->run(piece);
        for (uint64_t i = 0; i < MOST; i++)
            assert_int_equal(words[i], i < blocks ? i + 1 : 0);
    }
    ocl_native_release(code);
    close_bench(&native.bench);
}

/* Counts blocks in its scratch; without any it adds their number to a word, and one to the next. */
static const char waiting_text[] =
    SCRATCH(-9223372036854775744) /* 64 bytes, and PTX_NATIVE_LATER */ RUN_OVER_WORDS
    "  %left = getelementptr i8, ptr %scratch, i64 16\n" /* of struct ptx_native_now */
    "  %before = load i64, ptr %left\n"
    "  %now = add i64 %before, %count\n"
    "  store i64 %now, ptr %left\n"
    "  %is.last = icmp eq i64 %count, 0\n"
    "  br i1 %is.last, label %last, label %end\n"
    "last:\n"
    "  %sum = inttoptr i64 %words to ptr\n"
    "  %blocks = trunc i64 %now to i32\n"
    "  %old = atomicrmw add ptr %sum, i32 %blocks monotonic\n"
    "  %next = add i64 %words, 4\n"
    "  %ends = inttoptr i64 %next to ptr\n"
    "  %older = atomicrmw add ptr %ends, i32 1 monotonic\n"
    "  br label %end\n"
    "end:\n"
    "  ret void\n"
    "}\n";
_Static_assert(PTX_NATIVE_LATER + 64 == (uint64_t)(INT64_C(-9223372036854775807) + 63),
               "as the text says");

/* Whatever portions it had, who shares a launch ends once. */
TEST_BODY(native_sums_wait_until_no_block_is_left)
{
    enum { BLOCKS = 1000 };
    static uint32_t words[2];
    struct native_bench native = open_native();
    struct ocl_native *code = make(&native, waiting_text);
    assert_non_null(code);
    for (int round = 0; round < 3; round++) {
        struct ocl_piece_of_chain *piece = shared_piece(&native, code, BLOCKS, words);
        struct sharer sharers[2] = {{piece, false}, {piece, true}};
        pthread_t threads[2];
        memset(words, 0, sizeof words);
        assert_non_null(piece->share);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, share_piece, &sharers[i]), 0);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        piece->run(piece);
        assert_int_equal(words[0], BLOCKS);
        assert_in_range(words[1], 1, 2);
    }
}

static uint64_t runs,
    runs_within_rows; /* of blocks: all, and those that begin or end elsewhere than a row */
enum { BLOCKS_OF_ROW = 10 };

static void note_run(const struct ptx_native_launch *launch, uint64_t first, uint64_t count,
                     void *scratch)
{
    (void)launch;
    (void)scratch;
    runs++;
    runs_within_rows += first % BLOCKS_OF_ROW != 0 || count % BLOCKS_OF_ROW != 0;
}

/* Rows of blocks are not cut, where parts of a launch are as large as one. */
TEST_BODY(native_parts_are_rows_of_blocks)
{
    enum { ROWS = 100 };
    struct native_bench native = open_native();
    struct ocl_native *code = make(&native, counting_text);
    assert_non_null(code);
    ptx_native_run *const own = code->run;
    code->run = note_run;
    for (size_t items = 1; items <= 3; items++) {
        struct ocl_native_launch *launch = NULL;
        const struct ocl_native_shape shape = {.blocks = BLOCKS_OF_ROW * ROWS,
                                               .row = BLOCKS_OF_ROW,
                                               .items = items,
                                               .parameter_bytes = 8};
        runs = runs_within_rows = 0;
        atomic_store(&code->block_ps, 10000);
        assert_int_equal(ocl_native_begin(native.bench.context, code, &shape, &launch), OCL_OK);
        assert_int_equal(ocl_native_reserve(launch), OCL_OK);
        struct ocl_piece_of_chain *piece = ocl_native_piece(launch);
        for (size_t i = 0; i < items; i++)
            piece->run(piece);
        assert_true(runs > 1);
        assert_int_equal(runs_within_rows, 0);
    }
    code->run = own;
    ocl_native_release(code);
    close_bench(&native.bench);
}

/* What beginning takes is not taken for the time of blocks, though a launch has few. */
TEST_BODY(native_times_are_those_of_blocks)
{
    enum { SHORT_PS = 1000, FEW = 2, TIMES = 5, MOST_MISSED = 3 };
    static uint32_t words[FEW];
    struct native_bench native = open_native();
    struct ocl_native *code = make(&native, counting_text);
    assert_non_null(code);
    int missed = 0;
    for (int i = 0; i < TIMES; i++) {
        struct ocl_piece_of_chain *piece = shared_piece(&native, code, FEW, words);
        atomic_store(&code->last_ps, 2 * SHORT_PS);
        atomic_store(&code->block_ps, SHORT_PS);
        piece->run(piece);
        missed += atomic_load(&code->block_ps) > SHORT_PS; /* the thread lost its processor */
    }
    assert_in_range(missed, 0, MOST_MISSED);
    ocl_native_release(code);
    close_bench(&native.bench);
}

static void *give_pieces(void *unknown)
{
    void **pieces = unknown;
    for (int i = 0; pieces[i]; i++)
        ocl_piece_give(pieces[i]);
    return NULL;
}

/* Made here and let go in another thread, of all sizes: no two are one, and small ones come again. */
TEST_BODY(native_pieces_have_memory_of_their_own)
{
    enum { PIECES = 100, ROUNDS = 20 };
    static void *pieces[ROUNDS][PIECES + 1];
    pthread_t givers[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < PIECES; i++) {
            pieces[round][i] = ocl_piece_take(i * 11);
            assert_non_null(pieces[round][i]);
            assert_int_equal((uintptr_t)pieces[round][i] % 16, 0);
            memset(pieces[round][i], (int)i, i * 11);
        }
        for (size_t i = 0; i < PIECES; i++)
            for (size_t k = 0; k < i * 11; k++)
                assert_int_equal(((unsigned char *)pieces[round][i])[k], i);
        assert_int_equal(pthread_create(&givers[round], NULL, give_pieces, pieces[round]), 0);
    }
    for (int round = 0; round < ROUNDS; round++)
        assert_int_equal(pthread_join(givers[round], NULL), 0);
    if (OCL_IS_SANITIZED)
        return;
    void *last = ocl_piece_take(1);
    ocl_piece_give(last);
    bool is_again = false;
    for (int i = 0; !is_again && i < ROUNDS * PIECES; i++)
        is_again = ocl_piece_take(1) == last;
    assert_true(is_again);
}

/* Tests of facade/compile/: what needs no compiler, and what does with the clang that is installed.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/facade/driver_support.h"
#include "tests/small_stack.h"

#include <nvrtc.h>

static nvrtcProgram new_program(const char *source, int count, const char *const *headers,
                                const char *const *names)
{
    nvrtcProgram program = NULL;
    assert_int_equal(nvrtcCreateProgram(&program, source, "source.cu", count, headers, names),
                     NVRTC_SUCCESS);
    assert_non_null(program);
    return program;
}

static char *log_of(nvrtcProgram program)
{
    size_t bytes = 0;
    assert_int_equal(nvrtcGetProgramLogSize(program, &bytes), NVRTC_SUCCESS);
    char *log = malloc(bytes);
    assert_non_null(log);
    assert_int_equal(nvrtcGetProgramLog(program, log), NVRTC_SUCCESS);
    assert_int_equal(strlen(log) + 1, bytes);
    return log;
}

static char *ptx_of(nvrtcProgram program)
{
    size_t bytes = 0;
    assert_int_equal(nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
    char *ptx = malloc(bytes);
    assert_non_null(ptx);
    assert_int_equal(nvrtcGetPTX(program, ptx), NVRTC_SUCCESS);
    assert_int_equal(strlen(ptx) + 1, bytes);
    return ptx;
}

/* Compiles, or skips the test where there is nothing to compile with. */
static nvrtcResult compile(nvrtcProgram program, int count, const char *const *options)
{
    nvrtcResult result = nvrtcCompileProgram(program, count, options);
    if (result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
        char *log = log_of(program);
        if (strstr(log, "no clang was found") != NULL)
            TEST_SKIP("no clang");
        print_error("%s\n", log);
        free(log);
    }
    return result;
}

static void must_compile(nvrtcProgram program, int count, const char *const *options)
{
    nvrtcResult result = compile(program, count, options);
    if (result != NVRTC_SUCCESS)
        print_error("%s\n", log_of(program));
    assert_int_equal(result, NVRTC_SUCCESS);
}

static void destroy(nvrtcProgram program)
{
    assert_int_equal(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    assert_null(program);
}

/* --- without a compiler ----------------------------------------------------------------------- */

TEST_BODY(nvrtc_says_what_to_install)
{
    nvrtcProgram program = new_program("", 0, NULL, NULL);
    size_t bytes = 0;
    setenv("CLEM_CLANG", "/nonexistent/clang", 1);
    assert_int_equal(nvrtcCompileProgram(program, 0, NULL), NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    char *log = log_of(program);
    assert_non_null(strstr(log, "install clang"));
    assert_int_equal(nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
    assert_int_equal(bytes, 1);
    free(log);
    destroy(program);
}

TEST_BODY(nvrtc_knows_itself)
{
    int major = 0, minor = -1, count = 0, architectures[8] = {0};
    size_t bytes = 0;
    assert_int_equal(nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
    assert_int_equal(major, 13);
    assert_int_equal(minor, 0);
    assert_int_equal(nvrtcVersion(NULL, &minor), NVRTC_ERROR_INVALID_INPUT);
    assert_int_equal(nvrtcGetNumSupportedArchs(&count), NVRTC_SUCCESS);
    assert_in_range(count, 1, 8);
    assert_int_equal(nvrtcGetSupportedArchs(architectures), NVRTC_SUCCESS);
    assert_int_equal(architectures[0], 75);
    for (int i = 1; i < count; i++)
        assert_true(architectures[i - 1] < architectures[i]);
    assert_string_equal(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION");
    assert_string_equal(nvrtcGetErrorString((nvrtcResult)99), "NVRTC_ERROR unknown");
    assert_string_equal(nvrtcGetErrorString((nvrtcResult)-1), "NVRTC_ERROR unknown");
    assert_int_equal(nvrtcSetPCHHeapSize(4096), NVRTC_SUCCESS);
    assert_int_equal(nvrtcGetPCHHeapSize(&bytes), NVRTC_SUCCESS);
    assert_int_equal(bytes, 4096);
}

/* As CUDA 13.0's library has it, which checks the program first, then pointers, then what was done. */
TEST_BODY(nvrtc_refuses_what_is_no_program)
{
    static const char *const one[] = {"text"};
    static const char *const none[] = {NULL};
    nvrtcProgram program = new_program("", 0, NULL, NULL), stale = program;
    assert_int_equal(nvrtcCompileProgram(program, 1, NULL), NVRTC_ERROR_INVALID_OPTION);
    assert_int_equal(nvrtcCompileProgram(program, 1, none), NVRTC_ERROR_INVALID_OPTION);
    assert_int_equal(nvrtcCompileProgram(program, -1, NULL), NVRTC_ERROR_INVALID_INPUT);
    assert_int_equal(nvrtcSetFlowCallback(program, NULL, NULL), NVRTC_ERROR_INVALID_INPUT);
    destroy(program);
    assert_int_equal(nvrtcDestroyProgram(&stale), NVRTC_ERROR_INVALID_PROGRAM);
    assert_int_equal(nvrtcCompileProgram(stale, 0, NULL), NVRTC_ERROR_INVALID_PROGRAM);
    assert_int_equal(nvrtcGetPTXSize(stale, NULL), NVRTC_ERROR_INVALID_PROGRAM);
    assert_int_equal(nvrtcAddNameExpression(stale, NULL), NVRTC_ERROR_INVALID_PROGRAM);
    assert_int_equal(nvrtcDestroyProgram(NULL), NVRTC_ERROR_INVALID_PROGRAM);
    assert_int_equal(nvrtcCreateProgram(NULL, "", NULL, 0, NULL, NULL),
                     NVRTC_ERROR_INVALID_PROGRAM);
    assert_int_equal(nvrtcCreateProgram(&program, NULL, NULL, 0, NULL, NULL),
                     NVRTC_ERROR_INVALID_INPUT);
    assert_int_equal(nvrtcCreateProgram(&program, "", NULL, 1, one, NULL),
                     NVRTC_ERROR_INVALID_INPUT);
    assert_int_equal(nvrtcCreateProgram(&program, "", NULL, 1, one, none),
                     NVRTC_ERROR_INVALID_INPUT);
    assert_int_equal(nvrtcCreateProgram(&program, "", NULL, -1, NULL, NULL),
                     NVRTC_ERROR_INVALID_INPUT);
}

/* Before it was compiled, and after an option that there is not. */
TEST_BODY(nvrtc_has_no_code_before_it_compiles)
{
    static const char *const bad = "-no-such-option";
    nvrtcProgram program = new_program("", 0, NULL, NULL);
    const char *name = NULL;
    char text[2] = "x";
    size_t bytes = 77;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
        assert_int_equal(bytes, 1);
        assert_int_equal(nvrtcGetPTX(program, text), NVRTC_SUCCESS);
        assert_string_equal(text, "");
        assert_int_equal(nvrtcGetPTX(program, NULL), NVRTC_ERROR_INVALID_INPUT);
        assert_int_equal(nvrtcGetCUBINSize(program, &bytes), NVRTC_SUCCESS);
        assert_int_equal(bytes, 0);
        assert_int_equal(nvrtcGetLTOIRSize(program, &bytes), NVRTC_SUCCESS);
        assert_int_equal(bytes, 0);
        assert_int_equal(nvrtcGetOptiXIRSize(program, NULL), NVRTC_ERROR_INVALID_INPUT);
        assert_int_equal(nvrtcGetPCHCreateStatus(program), NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
        assert_int_equal(nvrtcGetPCHHeapSizeRequired(program, &bytes), NVRTC_SUCCESS);
        assert_int_equal(bytes, 0);
        assert_int_equal(nvrtcGetLoweredName(program, NULL, &name), NVRTC_ERROR_INVALID_INPUT);
        assert_int_equal(nvrtcGetLoweredName(program, "k", &name),
                         NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
        assert_int_equal(nvrtcAddNameExpression(program, NULL), NVRTC_ERROR_INVALID_INPUT);
        assert_int_equal(nvrtcAddNameExpression(program, "k"), NVRTC_SUCCESS);
        assert_int_equal(nvrtcCompileProgram(program, 1, &bad), NVRTC_ERROR_INVALID_OPTION);
    }
    destroy(program);
}

TEST_BODY(nvrtc_refuses_options_that_it_does_not_know)
{
    static const char *const bad[] = {
        "--no-such-option", "-arch=gfx900",    "-arch=lto_75",
        "-arch=sm_999",     "--fmad=maybe",    "-dlto",
        "--fmad",           "--std=c++99",     "-rdc=1",
        "-maxrregcount=x",  "-w=true",         "--std=gnu++17",
        "--dopt=off",       "-split-compile=", "--use_fast_math=true"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        nvrtcProgram program = new_program("", 0, NULL, NULL);
        assert_int_equal(nvrtcCompileProgram(program, 1, &bad[i]), NVRTC_ERROR_INVALID_OPTION);
        char *log = log_of(program);
        assert_non_null(strstr(log, bad[i]));
        free(log);
        destroy(program);
    }
}

static int cancel(void *payload, void *unused)
{
    assert_null(unused);
    ++*(int *)payload;
    return 1;
}

TEST_BODY(nvrtc_can_be_cancelled)
{
    int calls = 0;
    nvrtcProgram program = new_program("", 0, NULL, NULL);
    assert_int_equal(nvrtcSetFlowCallback(program, cancel, &calls), NVRTC_SUCCESS);
    assert_int_equal(nvrtcCompileProgram(program, 0, NULL), NVRTC_ERROR_CANCELLED);
    assert_int_equal(calls, 1);
    destroy(program);
}

/* --- with one --------------------------------------------------------------------------------- */

static const char names_source[] =
    "namespace space {\n"
    "template <class T> __global__ void fill(T *p, T value) { p[threadIdx.x] = value; }\n"
    "__constant__ float factor;\n"
    "}\n"
    "extern \"C\" __global__ void plain(int *p) { *p = 1; }\n";

static void *compile_at_once(void *data)
{
    nvrtcProgram program = data;
    nvrtcCompileProgram(program, 0, NULL);
    return NULL;
}

TEST_BODY(nvrtc_compiles_for_threads_with_small_stacks)
{
    nvrtcProgram program = new_program(names_source, 0, NULL, NULL);
    run_with_small_stack(compile_at_once, program);
    free(ptx_of(program));
    destroy(program);
}

TEST_BODY(nvrtc_lowers_names)
{
    static const char *const expressions[] = {"space::fill<int>", "&space::factor", "plain"};
    static const char *const expected[] = {"_ZN5space4fillIiEEvPT_S1_", "_ZN5space6factorE",
                                           "plain"};
    nvrtcProgram program = new_program(names_source, 0, NULL, NULL);
    const char *name = NULL;
    for (int i = 0; i < 3; i++)
        assert_int_equal(nvrtcAddNameExpression(program, expressions[i]), NVRTC_SUCCESS);
    assert_int_equal(nvrtcGetLoweredName(program, "plain", &name),
                     NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    must_compile(program, 0, NULL);
    char *ptx = ptx_of(program);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(nvrtcGetLoweredName(program, expressions[i], &name), NVRTC_SUCCESS);
        assert_string_equal(name, expected[i]);
        assert_non_null(strstr(ptx, name));
    }
    assert_null(strstr(ptx, "clem_lowered"));
    assert_int_equal(nvrtcGetLoweredName(program, "other", &name),
                     NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    assert_int_equal(nvrtcAddNameExpression(program, "other"),
                     NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    free(ptx);
    destroy(program);
}

/* Messages name the program and its headers as the caller does, and nothing is left behind. */
TEST_BODY(nvrtc_logs_what_clang_says)
{
    static const char *const headers[] = {"#define BROKEN no_such_name\n",
                                          "int two = also_none;\n"};
    static const char *const names[] = {"one.h", "folder/two.h"};
    char folder[] = "/tmp/clem-nvrtc-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    nvrtcProgram program = new_program("#include \"one.h\"\n#include <folder/two.h>\n"
                                       "__global__ void k(int *p) { *p = BROKEN; }\n",
                                       2, headers, names);
    nvrtcResult result = compile(program, 0, NULL);
    char *log = log_of(program);
    assert_int_equal(result, NVRTC_ERROR_COMPILATION);
    assert_non_null(strstr(log, "source.cu:3:"));
    assert_non_null(strstr(log, "no_such_name"));
    assert_non_null(strstr(log, "folder/two.h:1:"));
    assert_null(strstr(log, "/tmp/"));
    assert_int_equal(rmdir(folder), 0);
    free(log);
    destroy(program);
}

/* Without the headers of the C++ library. */
TEST_BODY(nvrtc_has_barriers_and_pipelines)
{
    nvrtcProgram program = new_program(
        "#include <cooperative_groups.h>\n#include <cuda/atomic>\n#include <cuda/barrier>\n"
        "#include <cuda/pipeline>\nnamespace cg = cooperative_groups;\n"
        "extern \"C\" __global__ void k(int *p)\n{\n"
        "__shared__ cuda::barrier<cuda::thread_scope_block> b;\n"
        "__shared__ cuda::atomic<int, cuda::thread_scope_block> a;\na.fetch_max(*p);\n"
        "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;\n"
        "auto q = cuda::make_pipeline(cg::this_thread_block(), &state);\n"
        "if (threadIdx.x == 0) init(&b, blockDim.x);\n__syncthreads();\n"
        "b.wait(cuda::std::move(b.arrive()));\n*p = cg::this_cluster().num_blocks();\n}\n",
        0, NULL, NULL);
    assert_int_equal(compile(program, 0, NULL), NVRTC_SUCCESS);
    destroy(program);
}

TEST_BODY(nvrtc_headers_stay_in_their_folder)
{
    static const char *const text[] = {"\n"};
    static const char *const names[] = {"../out.h", "/tmp/out.h", "a/../../out.h", ".."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        nvrtcProgram program = new_program("", 1, text, &names[i]);
        assert_int_equal(compile(program, 0, NULL), NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
        destroy(program);
    }
}

/* Files of a compilation lie in memory: none is left, however the process ends. */
TEST_BODY(nvrtc_wants_no_folder)
{
    static const char *const text[] = {"#define ONE 2\n", "#define ONE 1\n"};
    static const char *const names[] = {"a folder/o\"ne\".h", "a folder/o\"ne\".h"};
    setenv("TMPDIR", "/nonexistent", 1);
    nvrtcProgram program = new_program("#include <a folder/o\"ne\".h>\n#if ONE != 1\n#error one\n"
                                       "#endif\n__global__ void k(int *p) { *p = ONE; }\n",
                                       2, text, names);
    must_compile(program, 0, NULL);
    destroy(program);
}

/* As many headers as a process may have open files can be compiled by many threads. */
TEST_BODY(nvrtc_takes_many_headers)
{
    enum { HEADERS = 300 };
    static char texts[HEADERS][32], names[HEADERS][32], source[HEADERS * 32 + 64];
    const char *text[HEADERS], *name[HEADERS];
    size_t used = 0;
    for (int i = 0; i < HEADERS; i++) {
        snprintf(texts[i], sizeof texts[i], "#define VALUE%d %d\n", i, i);
        snprintf(names[i], sizeof names[i], "h%d.h", i);
        used += (size_t)snprintf(source + used, sizeof source - used, "#include \"h%d.h\"\n", i);
        text[i] = texts[i], name[i] = names[i];
    }
    snprintf(source + used, sizeof source - used, "__global__ void k(int *p) { *p = VALUE299; }\n");
    nvrtcProgram program = new_program(source, HEADERS, text, name);
    must_compile(program, 0, NULL);
    destroy(program);
}

/* What the program includes is its own; what clem includes before it is clem's. */
TEST_BODY(nvrtc_headers_replace_none_of_clems)
{
    static const char *const text[] = {"#define OWN 1\n", "#error not clem's\n"};
    static const char *const names[] = {"cuda_runtime.h", "vector_types.h"};
    nvrtcProgram program =
        new_program("#include <cuda_runtime.h>\n#if OWN != 1\n#error own\n#endif\n"
                    "__global__ void k(int3 *p) { p[threadIdx.x].x = OWN; }\n",
                    2, text, names);
    must_compile(program, 0, NULL);
    destroy(program);
}

static void do_nothing(int signal)
{
    (void)signal;
}

/* Handlers that interrupt system calls, as programs that sample themselves have them. */
TEST_BODY(nvrtc_finds_clang_among_signals)
{
    const struct sigaction action = {.sa_handler = do_nothing};
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    nvrtcProgram program = new_program("__global__ void k(int *p) { *p = 1; }\n", 0, NULL, NULL);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    nvrtcResult result = nvrtcCompileProgram(program, 0, NULL);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    if (result != NVRTC_SUCCESS) /* or there is none */
        must_compile(new_program("", 0, NULL, NULL), 0, NULL);
    assert_int_equal(result, NVRTC_SUCCESS);
    destroy(program);
}

/* A compiler that is not there is looked for again. */
TEST_BODY(nvrtc_keeps_no_failure)
{
    nvrtcProgram program = new_program("", 0, NULL, NULL);
    setenv("CLEM_CLANG", "/nonexistent/clang", 1);
    assert_int_equal(nvrtcCompileProgram(program, 0, NULL), NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    unsetenv("CLEM_CLANG");
    must_compile(program, 0, NULL);
    destroy(program);
}

TEST_BODY(nvrtc_takes_options)
{
    static const char source[] = "#if ONE != 1 || defined(TWO) || __cplusplus != 201402L\n"
                                 "#error options\n#endif\n"
                                 "__global__ void k(float *p)\n"
                                 "{ assert(p); *p = p[0] * p[1] + p[2]; }\n";
    static const char *const options[] = {"-D",          "ONE=1",        "--define-macro=TWO",
                                          "-UTWO",       "-arch",        "sm_90a",
                                          "--std=c++14", "--fmad=false", "-maxrregcount=32"};
    nvrtcProgram program = new_program(source, 0, NULL, NULL);
    must_compile(program, 9, options);
    char *ptx = ptx_of(program);
    assert_null(strstr(ptx, "fma.rn"));
    free(ptx);
    must_compile(program, 7, options);
    ptx = ptx_of(program);
    assert_non_null(strstr(ptx, "fma.rn"));
    free(ptx);
    destroy(program);
}

/* What it compiles for is seen by the source, and by who loads the text. */
TEST_BODY(nvrtc_compiles_for_the_capability_that_is_asked_for)
{
    static const char source[] = "extern \"C\" __global__ void k(int *p) { *p = __CUDA_ARCH__; }\n";
    static const struct {
        const char *reported, *option, *value, *target;
    } rows[] = {{"9.0", NULL, " 900;", ".target sm_86"},
                {"8.6", "--gpu-architecture=compute_80", " 800;", ".target sm_80"},
                {"8.0", "-arch=compute_61", " 750;", ".target sm_75"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("CLEM_COMPUTE_CAPABILITY", rows[i].reported, 1);
        nvrtcProgram program = new_program(source, 0, NULL, NULL);
        must_compile(program, rows[i].option != NULL, &rows[i].option);
        char *ptx = ptx_of(program);
        assert_non_null(strstr(ptx, rows[i].value));
        assert_non_null(strstr(ptx, rows[i].target));
        free(ptx);
        destroy(program);
    }
}

TEST_BODY(nvrtc_makes_functions_the_devices)
{
    static const char source[] = "int three() { return 3; }\n"
                                 "extern \"C\" __global__ void k(int *p) { *p = three(); }\n";
    static const char *const option = "-default-device";
    nvrtcProgram program = new_program(source, 0, NULL, NULL);
    assert_int_equal(compile(program, 0, NULL), NVRTC_ERROR_COMPILATION);
    must_compile(program, 1, &option);
    destroy(program);
}

static void *compile_one(void *data)
{
    nvrtcProgram program = NULL;
    char source[128];
    snprintf(source, sizeof source, "extern \"C\" __global__ void k%d(int *p) { *p = %d; }\n",
             *(int *)data, *(int *)data);
    if (nvrtcCreateProgram(&program, source, NULL, 0, NULL, NULL) != NVRTC_SUCCESS)
        return NULL;
    compile(program, 0, NULL);
    return program;
}

TEST_BODY(nvrtc_is_for_many_threads)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, compile_one, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *program = NULL;
        char name[8];
        assert_int_equal(pthread_join(threads[i], &program), 0);
        assert_non_null(program);
        char *ptx = ptx_of(program);
        snprintf(name, sizeof name, "k%d(", i);
        assert_non_null(strstr(ptx, name));
        free(ptx);
        destroy(program);
    }
}

/* What programs ask for as machine code is loaded as well. */
TEST_BODY(nvrtc_code_runs)
{
    nvrtcProgram program = new_program(
        "extern \"C\" __global__ void put(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }\n",
        0, NULL, NULL);
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    int value = 40, values[4] = {0};
    void *arguments[] = {&memory, &value};
    size_t bytes = 0;
    must_compile(program, 0, NULL);
    assert_int_equal(nvrtcGetCUBINSize(program, &bytes), NVRTC_SUCCESS);
    char *code = malloc(bytes);
    assert_int_equal(nvrtcGetCUBIN(program, code), NVRTC_SUCCESS);
    destroy(program);
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, code));
    free(code);
    assert_driver(cuModuleGetFunction(&function, module, "put"));
    assert_driver(cuMemAlloc(&memory, sizeof values));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(values, memory, sizeof values));
    for (int i = 0; i < 4; i++)
        assert_int_equal(values[i], 40 + i);
    assert_driver(cuMemFree(memory));
    assert_driver(cuModuleUnload(module));
}

/* PTX of a source that compiles, the caller's to free. */
static char *text_of(const char *source)
{
    nvrtcProgram program = new_program(source, 0, NULL, NULL);
    must_compile(program, 0, NULL);
    size_t bytes = 0;
    assert_int_equal(nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
    char *text = malloc(bytes);
    assert_int_equal(nvrtcGetPTX(program, text), NVRTC_SUCCESS);
    assert_int_equal(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    return text;
}

/* Where CUDA's own compiler takes it, and no clang. */
TEST_BODY(nvrtc_takes_alignas_behind_shared)
{
    static const char source[] =
        "struct alignas(32) wide { int a; };\n"
        "extern \"C\" __global__ void put(int *a)\n"
        "{ __shared__ alignas(alignof(wide)) char c[40]; __shared__ alignas(double) char d[8];\n"
        "  const int i = threadIdx.x; c[i] = i; d[i % 8] = i; __syncthreads();\n"
        "  a[i] = c[39 - i] + d[7 - i % 8]; }\n";
    char *text = text_of(source);
    assert_non_null(strstr(text, ".shared .align 32 .b8"));
    assert_non_null(strstr(text, ".shared .align 8 .b8"));
    free(text);
}

/* Where a comparison fails, its own order is kept, also by one that is weaker where it succeeds. */
TEST_BODY(nvrtc_keeps_the_order_of_failed_comparisons)
{
    static const char *const orders[] = {"RELEASE, __NV_ATOMIC_ACQUIRE",
                                         "RELAXED, __NV_ATOMIC_ACQUIRE",
                                         "RELEASE, __NV_ATOMIC_SEQ_CST"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char source[512];
        snprintf(source, sizeof source,
                 "extern \"C\" __global__ void swap(unsigned *a, unsigned *b)\n{ unsigned x = 1;\n"
                 "__nv_atomic_compare_exchange_n(a, &x, 2u, false, __NV_ATOMIC_%s,\n"
                 "__NV_THREAD_SCOPE_DEVICE); *b = x; }\n",
                 orders[i]);
        char *text = text_of(source);
        const char *const swap = strstr(text, "atom.");
        assert_non_null(swap);
        assert_non_null(strstr(swap, "membar."));
        free(text);
    }
}

/* Where the system's is asked for, that of the device would leave out the host. */
TEST_BODY(nvrtc_keeps_the_scope_of_atomics)
{
    static const char source[] =
        "extern \"C\" __global__ void put(unsigned *a, unsigned long long *b, float *c)\n"
        "{ atomicAdd_system(a, 1u); atomicMin_system(b, 2ull); atomicExch_system(c, 1.0f);\n"
        "  atomicCAS_system(b, 2ull, 3ull); __nv_atomic_or(a, 4u, __NV_ATOMIC_RELAXED);\n"
        "  __nv_atomic_add(a, 4u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);\n"
        "  __nv_atomic_exchange_n(c, 2.0f, __NV_ATOMIC_RELAXED); }\n";
    static const char *const atomics[] = {"add.u32", "min.u64", "exch.b32", "cas.b64", "or.b32"};
    char *text = text_of(source);
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        char words[32];
        snprintf(words, sizeof words, "atom.sys.%s", atomics[i]);
        assert_non_null(strstr(text, words));
    }
    assert_non_null(strstr(text, "atom.global.add.u32"));
    free(text);
}

/* What clang has no instructions for, and older ones no functions for devices. */
TEST_BODY(nvrtc_divides_128_bits)
{
    static const char source[] =
        "extern \"C\" __global__ void divide(const __int128 *a, __int128 *b)\n"
        "{ *b = a[0] / a[1] + a[0] % a[2] + (__int128)(double)a[1]; }\n";
    nvrtcProgram program = new_program(source, 0, NULL, NULL);
    must_compile(program, 0, NULL);
    size_t bytes = 0;
    assert_int_equal(nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
    assert_true(bytes > 1);
    assert_int_equal(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

/* Many threads at once load PTX of their own, launch kernels that print and that allocate, and unload, while all use one
 * shared module too.
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "tests/facade/runtime_support.h"

enum { THREADS = 8, ROUNDS = 4, ITEMS = 64, STEPS = 2 /* launches that print in a round */ };

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
#define INDEX                                                                                      \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"                        \
    "mad.lo.u32 %r1, %r1, %r2, %r3;\n"

/* say: prints "<v says i>" and a line's end, i being the thread's number. */
static const char say_text[] =
    HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
         ".global .align 1 .b8 format[14] = {60, 37, 117, 32, 115, 97, 121, 115, 32, 37, 117, 62, "
         "10, 0};\n"
         ".visible .entry say(.param .u32 v)\n{\n"
         ".local .align 8 .b8 depot[8];\n.reg .b32 %r<8>; .reg .b64 %d<8>;\n" INDEX
         "ld.param.u32 %r4, [v];\nmov.u64 %d1, depot;\ncvta.local.u64 %d2, %d1;\n"
         "st.local.u32 [%d1], %r4;\nst.local.u32 [%d1+4], %r1;\n"
         "mov.u64 %d3, format;\ncvta.global.u64 %d4, %d3;\n"
         "{ .param .b64 p0; st.param.b64 [p0], %d4; .param .b64 p1; st.param.b64 [p1], %d2;\n"
         ".param .b32 got; call.uni (got), vprintf, (p0, p1); ld.param.b32 %r5, [got]; }\n"
         "ret;\n}\n";

/* take: out[i] = v + i by way of memory of the kernel's own; 0 where there is none. */
static const char take_text[] =
    HEAD ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
         ".extern .func free (.param .b64 a);\n"
         ".visible .entry take(.param .u64 out, .param .u32 v)\n{\n"
         ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n" INDEX
         "ld.param.u64 %d1, [out];\ncvta.to.global.u64 %d1, %d1;\nld.param.u32 %r4, [v];\n"
         "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nmov.u32 %r5, 0;\nmov.u64 %d3, 48;\n"
         "{ .param .b64 p0; st.param.b64 [p0], %d3; .param .b64 got;\n"
         "call.uni (got), malloc, (p0); ld.param.b64 %d4, [got]; }\n"
         "setp.eq.u64 %p1, %d4, 0;\n@%p1 bra NONE;\n"
         "add.u32 %r4, %r4, %r1;\nst.u32 [%d4+44], %r4;\nld.volatile.u32 %r5, [%d4+44];\n"
         "{ .param .b64 p0; st.param.b64 [p0], %d4; call.uni free, (p0); }\n"
         "NONE:\nst.global.u32 [%d1], %r5;\nret;\n}\n";

struct worker {
    const void *kernel; /* of all threads */
    unsigned number;
};

static bool has_addresses(void)
{
    const char *forced = getenv("CLEM_ADDRESS");
    return forced == NULL || strcmp(forced, "handle") != 0;
}

static void *allocate_in_kernels(cudaLibrary_t library, unsigned v, cudaStream_t stream)
{
    cudaKernel_t take = NULL;
    unsigned *out = NULL, values[ITEMS];
    void *arguments[] = {&out, &v};
    THREAD_SUCCESS(cudaLibraryGetKernel(&take, library, "take"));
    THREAD_SUCCESS(cudaMalloc((void **)&out, sizeof values));
    THREAD_SUCCESS(launch_1d((const void *)take, 2, ITEMS / 2, arguments, 0, stream));
    THREAD_SUCCESS(cudaMemcpyAsync(values, out, sizeof values, cudaMemcpyDeviceToHost, stream));
    THREAD_SUCCESS(cudaStreamSynchronize(stream));
    for (unsigned i = 0; i < ITEMS; i++)
        THREAD_CHECK(values[i] == v + i);
    THREAD_SUCCESS(cudaFree(out));
    return NULL;
}

static void *work(void *data)
{
    const struct worker *self = data;
    cudaStream_t stream = NULL;
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (unsigned round = 0; round < ROUNDS; round++) {
        cudaLibrary_t says = NULL, takes = NULL;
        cudaKernel_t say = NULL;
        unsigned v = self->number * 100 + round;
        void *arguments[] = {&v};
        THREAD_SUCCESS(cudaLibraryLoadData(&says, say_text, NULL, NULL, 0, NULL, NULL, 0));
        THREAD_SUCCESS(cudaLibraryLoadData(&takes, take_text, NULL, NULL, 0, NULL, NULL, 0));
        THREAD_SUCCESS(cudaLibraryGetKernel(&say, says, "say"));
        THREAD_SUCCESS(launch_1d((const void *)say, 1, ITEMS, arguments, 0, stream));
        THREAD_SUCCESS(launch_1d(self->kernel, 1, ITEMS, arguments, 0, stream));
        if (has_addresses())
            THREAD_CHECK(allocate_in_kernels(takes, v, stream) == NULL);
        THREAD_SUCCESS(cudaStreamSynchronize(stream));
        THREAD_SUCCESS(cudaLibraryUnload(takes));
        THREAD_SUCCESS(cudaLibraryUnload(says));
    }
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

/* Every line came whole, as often as it was printed. */
static void expect_lines(FILE *printed)
{
    static unsigned char seen[THREADS * 100][ITEMS];
    char line[64];
    unsigned v, i, lines = 0;
    int length;
    rewind(printed);
    for (; fgets(line, sizeof line, printed); lines++) {
        length = 0;
        assert_int_equal(sscanf(line, "<%u says %u>\n%n", &v, &i, &length), 2);
        assert_int_equal(length, strlen(line));
        assert_true(v < THREADS * 100 && i < ITEMS);
        seen[v][i]++;
    }
    assert_int_equal(lines, THREADS * ROUNDS * ITEMS * STEPS);
    for (v = 0; v < THREADS * 100; v++)
        for (i = 0; i < ITEMS; i++)
            assert_int_equal(seen[v][i], v % 100 < ROUNDS ? STEPS : 0);
}

TEST_BODY(ptx_threads_load_print_allocate_and_unload)
{
    struct worker workers[THREADS];
    cudaLibrary_t library = load_text(say_text);
    for (unsigned i = 0; i < THREADS; i++)
        workers[i] = (struct worker){find_kernel(library, "say"), i};
    FILE *printed = tmpfile();
    assert_non_null(printed);
    fflush(stdout);
    const int own = dup(STDOUT_FILENO);
    dup2(fileno(printed), STDOUT_FILENO);
    run_threads(THREADS, work, workers, sizeof workers[0]);
    assert_success(cudaDeviceSynchronize());
    fflush(stdout);
    dup2(own, STDOUT_FILENO);
    close(own);
    expect_lines(printed);
    fclose(printed);
    assert_success(cudaLibraryUnload(library));
}

/* ---- Kernels that are checked ---- */

enum { BLOCK = 64, BLOCKS = 4, CHECKED_ITEMS = BLOCK * BLOCKS, LAUNCHES = 40 };

/* turn: to[i] += what the block has in from, from its end on, and from[i * 7 % CHECKED_ITEMS]. */
static const char turn_text[] =
    HEAD ".visible .entry turn(.param .u64 from, .param .u64 to)\n{\n"
         ".reg .b32 %r<16>; .reg .b64 %d<16>;\n.shared .align 4 .b8 part[256];\n" INDEX
         "ld.param.u64 %d1, [from];\nld.param.u64 %d2, [to];\n"
         "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d4, %d1, %d3;\nadd.u64 %d5, %d2, %d3;\n"
         "ld.global.u32 %r4, [%d4];\nmov.u32 %r5, part;\nmov.u32 %r6, %tid.x;\n"
         "mad.lo.u32 %r7, %r6, 4, %r5;\nst.shared.u32 [%r7], %r4;\nbar.sync 0;\n"
         "sub.u32 %r8, 63, %r6;\nmad.lo.u32 %r9, %r8, 4, %r5;\nld.shared.u32 %r10, [%r9];\n"
         "mul.lo.u32 %r11, %r1, 7;\nand.b32 %r11, %r11, 255;\nmul.wide.u32 %d6, %r11, 4;\n"
         "add.u64 %d7, %d1, %d6;\nld.global.u32 %r12, [%d7];\nadd.u32 %r10, %r10, %r12;\n"
         "ld.global.u32 %r13, [%d5];\nadd.u32 %r13, %r13, %r10;\nst.global.u32 [%d5], %r13;\n"
         "ret;\n}\n";
_Static_assert(BLOCK == 64 && CHECKED_ITEMS == 256, "as the text says");

static void *launch_checked(void *data)
{
    const struct worker *self = data;
    unsigned *from = NULL, *to = NULL, values[CHECKED_ITEMS];
    cudaStream_t stream = NULL;
    void *arguments[] = {&from, &to};
    for (unsigned i = 0; i < CHECKED_ITEMS; i++)
        values[i] = i + self->number;
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    THREAD_SUCCESS(cudaMalloc((void **)&from, sizeof values));
    THREAD_SUCCESS(cudaMalloc((void **)&to, sizeof values));
    THREAD_SUCCESS(cudaMemcpyAsync(from, values, sizeof values, cudaMemcpyHostToDevice, stream));
    THREAD_SUCCESS(cudaMemsetAsync(to, 0, sizeof values, stream));
    for (unsigned i = 0; i < LAUNCHES; i++)
        THREAD_SUCCESS(launch_1d(self->kernel, BLOCKS, BLOCK, arguments, 0, stream));
    THREAD_SUCCESS(cudaMemcpyAsync(values, to, sizeof values, cudaMemcpyDeviceToHost, stream));
    THREAD_SUCCESS(cudaStreamSynchronize(stream));
    for (unsigned i = 0; i < CHECKED_ITEMS; i++) {
        const unsigned last = i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK;
        THREAD_CHECK(values[i] == LAUNCHES * (last + i * 7 % CHECKED_ITEMS + 2 * self->number));
    }
    THREAD_SUCCESS(cudaFree(from));
    THREAD_SUCCESS(cudaFree(to));
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

/* What checks know is of all launches. ThreadSanitizer sees how who launches beside another keeps off it. */
TEST_BODY(ptx_threads_launch_kernels_that_are_checked)
{
    enum { LAUNCHERS = 2 };
    struct worker workers[LAUNCHERS];
    setenv("CLEM_CHECK", "race", 1);
    cudaLibrary_t library = load_text(turn_text);
    for (unsigned i = 0; i < LAUNCHERS; i++)
        workers[i] = (struct worker){find_kernel(library, "turn"), i};
    run_threads(LAUNCHERS, launch_checked, workers, sizeof workers[0]);
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaLibraryUnload(library));
}

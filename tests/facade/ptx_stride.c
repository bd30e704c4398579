/* PTX kernels whose loops stride through memory, which CPUs run in step: all sizes at which some threads
 * take one turn more than others, end early, or leave in the middle of a turn.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { MOST = 20000 };

/* r1 = n, r2 = the thread's number in the grid, r3 = all threads, rd3 and rd4: its elements' addresses */
#define ENTRY(name)                                                                                \
    ".version 7.5\n.target sm_75\n.address_size 64\n"                                              \
    ".visible .entry " name "(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"                \
    ".reg .pred %p<8>;\n.reg .b32 %r<24>;\n.reg .b64 %rd<12>;\n.shared .align 4 .b8 s[4096];\n"    \
    "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u32 %r1, [n];\n"                \
    "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"                             \
    "mov.u32 %r4, %ntid.x;\nmov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %tid.x;\n"                        \
    "mad.lo.s32 %r2, %r5, %r4, %r6;\nmov.u32 %r7, %nctaid.x;\nmul.lo.s32 %r3, %r7, %r4;\n"
#define PLACES "mul.wide.s32 %rd5, %r2, 4;\nadd.s64 %rd3, %rd1, %rd5;\nadd.s64 %rd4, %rd2, %rd5;\n"

/* clang-format off: it breaks lines of strings in the middle */
static const struct driver_text kernels[] = {
    /* out[i] = in[i] + 1, as compilers write it: a guard, then the test at the end. */
    {"copying",
     ENTRY(
         "copying") "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra END;\n"
                    "LOOP:\n" PLACES
                    "ld.global.u32 %r8, [%rd3];\nadd.u32 %r8, %r8, 1;\nst.global.u32 [%rd4], %r8;\n"
                    "add.s32 %r2, %r2, %r3;\nsetp.lt.s32 %p2, %r2, %r1;\n@%p2 bra "
                    "LOOP;\nEND:\nret;\n}\n"},
    /* The same with addresses that advance, and the test at the top; how far is written last. */
    {"advancing", ENTRY("advancing") PLACES
     "mul.wide.s32 %rd6, %r3, 4;\nmov.u32 %r9, %r2;\n"
     "LOOP:\nsetp.ge.s32 %p1, %r9, %r1;\n@%p1 bra END;\n"
     "ld.global.u32 %r8, [%rd3];\nadd.u32 %r8, %r8, 1;\nst.global.u32 [%rd4], %r8;\n"
     "add.s64 %rd3, %rd3, %rd6;\nadd.s64 %rd4, %rd4, %rd6;\nadd.s32 %r9, %r9, %r3;\nbra LOOP;\n"
     "END:\nmul.wide.s32 %rd5, %r2, 4;\nadd.s64 %rd4, %rd2, %rd5;\nadd.s64 %rd4, %rd4, 80000;\n"
     "st.global.u32 [%rd4], %r9;\nret;\n}\n"},
    /* The first of a thread's elements that is below 40, and where it stood. */
    {"searching",
     ENTRY("searching") "mov.u32 %r9, %r2;\nmov.u32 %r10, 5000;\nmov.u32 %r11, 0;\n"
                        "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra END;\n"
                        "LOOP:\nmul.wide.s32 %rd5, %r9, 4;\nadd.s64 %rd3, %rd1, %rd5;\n"
                        "ld.global.u32 %r8, [%rd3];\nsetp.lt.u32 %p3, %r8, 40;\n@%p3 bra FOUND;\n"
                        "add.s32 %r9, %r9, %r3;\nadd.s32 %r11, %r11, 1;\nsetp.lt.s32 %p2, %r9, "
                        "%r1;\n@%p2 bra LOOP;\n"
                        "bra END;\nFOUND:\nmov.u32 %r10, %r8;\n"
                        "END:\nmul.wide.s32 %rd5, %r2, 4;\nadd.s64 %rd4, %rd2, %rd5;\n"
                        "mad.lo.s32 %r10, %r11, 10000, %r10;\nst.global.u32 [%rd4], "
                        "%r10;\nret;\n}\n"},
    /* The sum of a thread's elements, handed on to its neighbour over a barrier. */
    {"summing",
     ENTRY("summing") "mov.u32 %r9, 0;\nmov.u32 %r12, %r2;\nsetp.ge.s32 %p1, %r2, %r1;\n@%p1 bra "
                      "MEET;\n"
                      "LOOP:\nmul.wide.s32 %rd5, %r12, 4;\nadd.s64 %rd3, %rd1, %rd5;\n"
                      "ld.global.u32 %r8, [%rd3];\nadd.u32 %r9, %r9, %r8;\n"
                      "add.s32 %r12, %r12, %r3;\nsetp.lt.s32 %p2, %r12, %r1;\n@%p2 bra LOOP;\n"
                      "MEET:\nmov.u32 %r13, s;\nshl.b32 %r14, %r6, 2;\nadd.u32 %r14, %r14, %r13;\n"
                      "st.shared.u32 [%r14], %r9;\nbar.sync 0;\nadd.u32 %r15, %r6, 1;\nrem.u32 "
                      "%r15, %r15, %r4;\n"
                      "shl.b32 %r15, %r15, 2;\nadd.u32 %r15, %r15, %r13;\nld.shared.u32 %r16, "
                      "[%r15];\n"
                      "mul.wide.s32 %rd5, %r2, 4;\nadd.s64 %rd4, %rd2, %rd5;\nmad.lo.u32 %r16, "
                      "%r12, 3, %r16;\n"
                      "st.global.u32 [%rd4], %r16;\nret;\n}\n"},
    /* Rows of 64 words, each added up column by column in steps of 64 rows, three times over. */
    {"nesting",
     ENTRY(
         "nesting") "mov.u32 %r9, 0;\nmov.u32 %r10, 0;\nsetp.ge.s32 %p3, %r2, 64;\n@%p3 bra END;\n"
                    "OUTER:\nmov.u32 %r12, %r2;\nsetp.ge.s32 %p1, %r12, %r1;\n@%p1 bra NEXT;\n"
                    "LOOP:\nmul.wide.s32 %rd5, %r12, 4;\nadd.s64 %rd3, %rd1, %rd5;\n"
                    "ld.global.u32 %r8, [%rd3];\nmad.lo.u32 %r9, %r9, 5, %r8;\n"
                    "add.s32 %r12, %r12, 64;\nsetp.lt.s32 %p2, %r12, %r1;\n@%p2 bra LOOP;\n"
                    "NEXT:\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p4, %r10, 3;\n@%p4 bra OUTER;\n"
                    "mul.wide.s32 %rd5, %r2, 4;\nadd.s64 %rd4, %rd2, %rd5;\nst.global.u32 [%rd4], "
                    "%r9;\n"
                    "END:\nret;\n}\n"},
};
/* clang-format on */

static CUmodule modules[sizeof kernels / sizeof *kernels];
static uint32_t input[MOST], output[2 * MOST];

static const unsigned shapes[][2] = {{1, 1}, {1, 32}, {3, 64}, {7, 37}, {20, 256}, {64, 100}};
static const uint32_t sizes[] = {0, 1, 31, 99, 259, 1000, 5120, 6399, 6401, 19999};
enum { SHAPES = sizeof shapes / sizeof *shapes, SIZES = sizeof sizes / sizeof *sizes };

/* Output then holds what was written, or 7777. */
static uint32_t run(const char *name, const unsigned shape[2], uint32_t n)
{
    static CUdeviceptr in, out;
    if (!in) {
        driver_use_primary();
        in = driver_allocate(sizeof input);
        out = driver_allocate(sizeof output);
        for (uint32_t i = 0; i < MOST; i++)
            input[i] = (i * 2654435761u >> 13) % 1000u;
    }
    for (uint32_t i = 0; i < 2 * MOST; i++)
        output[i] = 7777;
    assert_driver(cuMemcpyHtoD(in, input, sizeof input));
    assert_driver(cuMemcpyHtoD(out, output, sizeof output));
    void *parameters[] = {&in, &out, &n};
    assert_driver(
        cuLaunchKernel(driver_kernel(kernels, modules, sizeof kernels / sizeof *kernels, name),
                       shape[0], 1, 1, shape[1], 1, 1, 0, NULL, parameters, NULL));
    assert_driver(cuMemcpyDtoH(output, out, sizeof output));
    return shape[0] * shape[1];
}

TEST_BODY(ptx_stride_loops_copy_all_elements)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SIZES; j++) {
            run("copying", shapes[i], sizes[j]);
            for (uint32_t k = 0; k < MOST; k++)
                assert_int_equal(output[k], k < sizes[j] ? input[k] + 1 : 7777);
        }
}

TEST_BODY(ptx_stride_loops_with_the_test_first_end_where_they_should)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SIZES; j++) {
            const uint32_t threads = run("advancing", shapes[i], sizes[j]);
            for (uint32_t k = 0; k < MOST; k++)
                assert_int_equal(output[k], k < sizes[j] ? input[k] + 1 : 7777);
            for (uint32_t t = 0; t < threads; t++) {
                uint32_t end = t;
                while (end < sizes[j])
                    end += threads;
                assert_int_equal(output[MOST + t], end);
            }
        }
}

TEST_BODY(ptx_stride_loops_may_be_left_in_the_middle)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SIZES; j++) {
            const uint32_t threads = run("searching", shapes[i], sizes[j]);
            for (uint32_t t = 0; t < threads; t++) {
                uint32_t found = 5000, turns = 0;
                for (uint32_t k = t; k < sizes[j] && found == 5000; k += threads) {
                    found = input[k] < 40 ? input[k] : found;
                    turns += found == 5000;
                }
                assert_int_equal(output[t], turns * 10000 + found);
            }
        }
}

TEST_BODY(ptx_stride_loops_before_barriers)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SIZES; j++) {
            const uint32_t threads = run("summing", shapes[i], sizes[j]);
            for (uint32_t t = 0; t < threads; t++) {
                const uint32_t base = t / shapes[i][1] * shapes[i][1];
                uint32_t sum = 0, end = t;
                for (uint32_t k = base + (t - base + 1) % shapes[i][1]; k < sizes[j]; k += threads)
                    sum += input[k];
                while (end < sizes[j])
                    end += threads;
                assert_int_equal(output[t], sum + 3 * end);
            }
        }
}

TEST_BODY(ptx_stride_loops_within_loops)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SIZES; j++) {
            const uint32_t threads = run("nesting", shapes[i], sizes[j]);
            for (uint32_t t = 0; t < threads; t++) {
                uint32_t sum = 0;
                for (uint32_t turn = 0; turn < 3; turn++)
                    for (uint32_t k = t; k < sizes[j]; k += 64)
                        sum = sum * 5 + input[k];
                assert_int_equal(output[t], t < 64 ? sum : 7777);
            }
        }
}

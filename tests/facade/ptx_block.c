/* Barriers and warp operations of PTX kernels where threads of a block do not go the same way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { MOST_THREADS = 1024 };

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
#define ENTRY(name)                                                                                \
    HEAD ".visible .entry " name "(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"           \
         ".reg .pred %p<8>;\n.reg .b32 %r<24>;\n.reg .b64 %rd<8>;\n.shared .align 4 .b8 s_" name   \
         "[4096];\n"                                                                               \
         "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u32 %r1, [n];\n"           \
         "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"                        \
         "mov.u32 %r2, %tid.z;\nmov.u32 %r3, %ntid.y;\nmov.u32 %r4, %tid.y;\n"                     \
         "mad.lo.u32 %r2, %r2, %r3, %r4;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"           \
         "mad.lo.u32 %r2, %r2, %r3, %r4;\n"                                                        \
         "mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd1, %rd1, %rd3;\nadd.u64 %rd2, %rd2, %rd3;\n"      \
         "shl.b32 %r5, %r2, 2;\nmov.u32 %r6, s_" name ";\nadd.u32 %r5, %r5, %r6;\n"
/* Every kernel: r1 = n, r2 = the thread's number, r5 = its place in shared memory, r6 = the first. */
#define NEXT_OF_N /* r8 = the element of thread (r2 + 1) % n */                                    \
    "add.u32 %r7, %r2, 1;\nrem.u32 %r7, %r7, %r1;\nshl.b32 %r7, %r7, 2;\nadd.u32 %r7, %r7, %r6;\n" \
    "ld.shared.u32 %r8, [%r7];\n"
#define END "ret;\n}\n"

/* clang-format off: it breaks lines of strings in the middle */
static const struct driver_text kernels[] = {
    /* Threads from n on end before the barrier, odd ones between the barriers. */
    {"leaving",
     ENTRY(
         "leaving") "setp.ge.u32 %p1, %r2, %r1;\n@%p1 ret;\n"
                    "ld.global.u32 %r7, [%rd1];\nst.shared.u32 [%r5], %r7;\nbar.sync 0;\n" NEXT_OF_N
                    "st.global.u32 [%rd2], %r8;\nand.b32 %r9, %r2, 1;\nsetp.ne.u32 %p2, %r9, "
                    "0;\n@%p2 exit;\n"
                    "bar.sync 0;\nadd.u32 %r8, %r8, 1000;\nst.shared.u32 [%r5], %r8;\nbar.sync 0;\n"
                    "ld.shared.u32 %r11, [%r5];\nst.global.u32 [%rd2], %r11;\n" END},
    /* n times: each takes its neighbour's element and every third adds one. */
    {"turning",
     ENTRY(
         "turning") "mov.u32 %r3, %ntid.x;\nmov.u32 %r4, %ntid.y;\nmul.lo.u32 %r3, %r3, %r4;\n"
                    "mov.u32 %r4, %ntid.z;\nmul.lo.u32 %r12, %r3, %r4;\nadd.u32 %r13, %r2, 1;\n"
                    "rem.u32 %r13, %r13, %r12;\nshl.b32 %r13, %r13, 2;\nadd.u32 %r13, %r13, %r6;\n"
                    "rem.u32 %r14, %r2, 3;\nsetp.eq.u32 %p2, %r14, 0;\n"
                    "ld.global.u32 %r7, [%rd1];\nst.shared.u32 [%r5], %r7;\nmov.u32 %r10, 0;\n"
                    "AGAIN:\nsetp.ge.u32 %p1, %r10, %r1;\n@%p1 bra DONE;\n"
                    "bar.sync 0;\nld.shared.u32 %r8, [%r13];\nbar.sync 0;\n@!%p2 bra STORE;\n"
                    "add.u32 %r8, %r8, 1;\nSTORE:\nst.shared.u32 [%r5], %r8;\nadd.u32 %r10, %r10, "
                    "1;\nbra AGAIN;\n"
                    "DONE:\nbar.sync 0;\nld.shared.u32 %r8, [%r13];\nst.global.u32 [%rd2], "
                    "%r8;\n" END},
    /* The first half hands n values to the second through one buffer: two barriers of all threads, at
     * which one half only arrives. */
    {"handing",
     ENTRY(
         "handing") "mov.u32 %r3, %ntid.x;\nshr.u32 %r4, %r3, 1;\nsetp.ge.u32 %p1, %r2, %r4;\n"
                    "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nsub.u32 %r12, %r3, %r2;\nsub.u32 %r12, "
                    "%r12, 1;\n"
                    "shl.b32 %r12, %r12, 2;\nadd.u32 %r12, %r12, %r6;\n"
                    "ROUND:\nsetp.ge.u32 %p2, %r10, %r1;\n@%p2 bra WRITE;\nadd.u32 %r10, %r10, 1;\n"
                    "@%p1 bra TAKE;\nbarrier.sync 2, %r3;\nmad.lo.u32 %r13, %r10, 100, %r2;\n"
                    "st.shared.u32 [%r5], %r13;\nbarrier.arrive 1, %r3;\nbra ROUND;\n"
                    "TAKE:\nbarrier.arrive 2, %r3;\nbarrier.sync 1, %r3;\nld.shared.u32 %r14, "
                    "[%r12];\n"
                    "add.u32 %r11, %r11, %r14;\nbra ROUND;\nWRITE:\nst.global.u32 [%rd2], "
                    "%r11;\n" END},
    /* How many are odd; whether all, or any, are below n: in one number. */
    {"counting",
     ENTRY(
         "counting") "ld.global.u32 %r7, [%rd1];\nand.b32 %r8, %r7, 1;\nsetp.ne.u32 %p1, %r8, 0;\n"
                     "bar.red.popc.u32 %r9, 0, %p1;\nsetp.lt.u32 %p2, %r7, %r1;\nbar.red.and.pred "
                     "%p3, 0, %p2;\n"
                     "bar.red.or.pred %p4, 0, !%p2;\nselp.u32 %r10, 10000, 0, %p3;\nselp.u32 %r11, "
                     "20000, 0, %p4;\n"
                     "add.u32 %r9, %r9, %r10;\nadd.u32 %r9, %r9, %r11;\nst.global.u32 [%rd2], "
                     "%r9;\n" END},
    /* Even lanes and odd lanes shuffle among themselves, each in a branch of its own; then all meet. */
    {"parting",
     ENTRY("parting") "ld.global.u32 %r7, [%rd1];\nand.b32 %r8, %r2, 1;\nsetp.ne.u32 %p1, %r8, "
                      "0;\n@%p1 bra ODD;\n"
                      "shfl.sync.bfly.b32 %r9, %r7, 2, 31, 0x55555555;\n"
                      "vote.sync.ballot.b32 %r10, 1, 0x55555555;\nbar.warp.sync -1;\nbra MEET;\n"
                      "ODD:\nshfl.sync.bfly.b32 %r9, %r7, 4, 31, 0xaaaaaaaa;\n"
                      "vote.sync.ballot.b32 %r10, 1, 0xaaaaaaaa;\nbar.warp.sync -1;\n"
                      "MEET:\nshfl.sync.idx.b32 %r11, %r9, 5, 31, -1;\nadd.u32 %r12, %r9, %r11;\n"
                      "and.b32 %r10, %r10, 3;\nmad.lo.u32 %r12, %r10, 100000, %r12;\nst.global.u32 "
                      "[%rd2], %r12;\n" END},
    /* As many turns as the lane has, each with a shuffle among those still there. */
    {"lessening",
     ENTRY("lessening") "ld.global.u32 %r7, [%rd1];\nand.b32 %r8, %r2, 31;\nmov.u32 %r9, "
                        "0;\nmov.u32 %r10, 0;\n"
                        "MORE:\nsetp.gt.u32 %p1, %r9, %r8;\n@%p1 bra OVER;\nactivemask.b32 %r11;\n"
                        "shfl.sync.idx.b32 %r12, %r7, 31, 31, %r11;\npopc.b32 %r13, %r11;\nadd.u32 "
                        "%r10, %r10, %r13;\n"
                        "add.u32 %r10, %r10, %r12;\nadd.u32 %r9, %r9, 1;\nbra MORE;\n"
                        "OVER:\nst.global.u32 [%rd2], %r10;\n" END},
    /* The sum of 64 elements by the first warp, in lockstep, with no barrier. */
    {"lockstep",
     ENTRY(
         "lockstep") "ld.global.u32 %r7, [%rd1];\nst.volatile.shared.u32 [%r5], %r7;\nbar.sync 0;\n"
                     "setp.ge.u32 %p1, %r2, 32;\n@%p1 bra OUT;\nmov.u32 %r10, 32;\n"
                     "HALVE:\nshl.b32 %r11, %r10, 2;\nadd.u32 %r11, %r11, "
                     "%r5;\nld.volatile.shared.u32 %r12, [%r5];\n"
                     "ld.volatile.shared.u32 %r13, [%r11];\nadd.u32 %r12, %r12, %r13;\n"
                     "st.volatile.shared.u32 [%r5], %r12;\nshr.u32 %r10, %r10, 1;\nsetp.ne.u32 "
                     "%p2, %r10, 0;\n"
                     "@%p2 bra HALVE;\nld.volatile.shared.u32 %r12, [%r6];\nst.global.u32 [%rd2], "
                     "%r12;\nOUT:\n" END},
};
/* clang-format on */

static CUmodule modules[sizeof kernels / sizeof *kernels];
static uint32_t input[MOST_THREADS], output[MOST_THREADS];

/* Runs a kernel of one block; output then holds what each thread wrote, or 7777 where none did. */
static void run(const char *name, const unsigned block[3], uint32_t n)
{
    static CUdeviceptr in, out;
    if (!in) {
        driver_use_primary();
        in = driver_allocate(sizeof input);
        out = driver_allocate(sizeof output);
    }
    CUfunction function = driver_kernel(kernels, modules, sizeof kernels / sizeof *kernels, name);
    for (uint32_t i = 0; i < MOST_THREADS; i++) {
        input[i] = (i * 2654435761u >> 13) % 1000u;
        output[i] = 7777;
    }
    assert_driver(cuMemcpyHtoD(in, input, sizeof input));
    assert_driver(cuMemcpyHtoD(out, output, sizeof output));
    void *parameters[] = {&in, &out, &n};
    assert_driver(
        cuLaunchKernel(function, 1, 1, 1, block[0], block[1], block[2], 0, NULL, parameters, NULL));
    assert_driver(cuMemcpyDtoH(output, out, sizeof output));
}

static void run_line(const char *name, unsigned threads, uint32_t n)
{
    run(name, (const unsigned[3]){threads, 1, 1}, n);
}

TEST_BODY(ptx_block_threads_may_end_before_barriers)
{
    static const unsigned shapes[][2] = {{32, 32},  {32, 9},      {100, 70},
                                         {256, 33}, {1024, 1023}, {1, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const unsigned n = shapes[i][1];
        run_line("leaving", shapes[i][0], n);
        for (unsigned t = 0; t < n; t++)
            assert_int_equal(output[t], input[(t + 1) % n] + (t % 2 ? 0 : 1000));
        for (unsigned t = n; t < shapes[i][0]; t++)
            assert_int_equal(output[t], 7777);
    }
}

TEST_BODY(ptx_block_barriers_in_loops_for_all_shapes)
{
    static const unsigned shapes[][3] = {{1, 1, 1},   {7, 1, 1},  {33, 1, 1}, {5, 7, 1},
                                         {16, 16, 2}, {3, 5, 11}, {1, 1, 64}, {1024, 1, 1}};
    static uint32_t now[MOST_THREADS], next[MOST_THREADS];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint32_t turns = 0; turns < 9; turns += 4) {
            const uint32_t threads = shapes[i][0] * shapes[i][1] * shapes[i][2];
            run("turning", shapes[i], turns);
            memcpy(now, input, sizeof now);
            for (uint32_t turn = 0; turn < turns; turn++) {
                for (uint32_t t = 0; t < threads; t++)
                    next[t] = now[(t + 1) % threads] + (t % 3 == 0);
                memcpy(now, next, sizeof now);
            }
            for (uint32_t t = 0; t < threads; t++)
                assert_int_equal(output[t], now[(t + 1) % threads]);
        }
}

TEST_BODY(ptx_block_named_barriers_hand_values_over)
{
    run_line("handing", 128, 5);
    for (uint32_t t = 0; t < 128; t++)
        assert_int_equal(output[t], t < 64 ? 0 : 100 * (1 + 2 + 3 + 4 + 5) + 5 * (127 - t));
}

TEST_BODY(ptx_block_barriers_count_and_vote)
{
    static const unsigned sizes[] = {1, 32, 77, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t n = 500; n <= 1000; n += 500) {
            uint32_t odd = 0, below = 0;
            run_line("counting", sizes[i], n);
            for (unsigned t = 0; t < sizes[i]; t++) {
                odd += input[t] & 1;
                below += input[t] < n;
            }
            const uint32_t expected = odd + (below == sizes[i] ? 10000 : 20000);
            for (unsigned t = 0; t < sizes[i]; t++)
                assert_int_equal(output[t], expected);
        }
}

TEST_BODY(ptx_block_warp_operations_in_both_branches)
{
    run_line("parting", 96, 0);
    for (uint32_t t = 0; t < 96; t++) {
        const uint32_t base = t / 32 * 32, own = input[t % 2 ? t ^ 4 : t ^ 2];
        assert_int_equal(output[t], own + input[(base + 5) ^ 4] + (t % 2 ? 200000 : 100000));
    }
}

TEST_BODY(ptx_block_warp_operations_in_loops_that_lanes_leave)
{
    run_line("lessening", 64, 0);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t expected = 0;
        for (uint32_t turn = 0; turn <= t % 32; turn++)
            expected += 32 - turn + input[t / 32 * 32 + 31];
        assert_int_equal(output[t], expected);
    }
}

TEST_BODY(ptx_block_warps_in_lockstep_need_no_barrier)
{
    uint32_t sum = 0;
    run_line("lockstep", 64, 0);
    for (uint32_t t = 0; t < 64; t++)
        sum += input[t];
    assert_int_equal(output[0], sum);
}

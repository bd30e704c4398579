/* Programs from PTX: loading, facts, launches, variables; what kernels print, allocate and assert.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cl/memory.h"
#include "cl/ptx/ptx_facts.h"
#include "cl/ptx/ptx_kernel.h"
#include "cl/symbols.h"
#include "cl/texture.h"
#include "tests/cl/launch.h"
#include "tests/cl/textures.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

/* A count of 4-byte words is multiplied by a number and given a struct's members. */
static const char arithmetic[] = HEAD
    ".visible .entry scale(.param .u64 p, .param .f32 f, .param .align 4 .b8 s[8], .param .u32 n)\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    "  .reg .pred %p1; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  ld.param.f32 %f1, [f];\n"
    "  ld.param.f32 %f2, [s];\n"
    "  ld.param.f32 %f3, [s+4];\n"
    "  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p1, %r5, %r1;\n"
    "  @%p1 bra DONE;\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mul.wide.u32 %rd3, %r5, 4;\n"
    "  add.s64 %rd4, %rd2, %rd3;\n"
    "  ld.global.f32 %f4, [%rd4];\n"
    "  fma.rn.f32 %f5, %f4, %f1, %f2;\n"
    "  add.f32 %f6, %f5, %f3;\n"
    "  st.global.f32 [%rd4], %f6;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n"
    ".visible .entry tensor(.param .u64 p)\n"
    "{\n"
    "  .reg .b32 %r<20>; .reg .f32 %f<8>;\n"
    "  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, "
    "%rd1, %rd2, 1, 1, 1, 0, 0;\n"
    "  ret;\n"
    "}\n";

TEST_BODY(ptx_program_tells_what_its_entries_take)
{
    struct bench bench = open_bench(arithmetic, NULL);
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(find_kernel(&bench, "scale"));

    assert_int_equal(ocl_program_kernel_count(bench.program), 2);
    assert_int_equal(facts->status, OCL_OK);
    assert_string_equal(facts->name, "scale");
    assert_int_equal(facts->entry_count, 4);
    assert_int_equal(facts->parameter_count, 4);
    assert_int_equal(facts->argument_bytes, 24);
    static const size_t offsets[] = {0, 8, 12, 20}, bytes[] = {8, 4, 8, 4};
    for (size_t i = 0; i < 4; i++) {
        const struct ocl_parameter *parameter =
            ocl_kernel_parameter(find_kernel(&bench, "scale"), i);
        assert_int_equal(parameter->offset, offsets[i]);
        assert_int_equal(parameter->bytes, bytes[i]);
    }
    close_bench(&bench);
}

TEST_BODY(ptx_program_runs_its_kernels)
{
    enum { COUNT = 1000 };
    struct bench bench = open_bench(arithmetic, NULL);
    float values[COUNT], factor = 3, members[2] = {0.5f, 100};
    unsigned count = COUNT - 1;
    uint64_t address = make_device(&bench, sizeof values);

    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    write_device(&bench, address, values, sizeof values);
    for (int round = 0; round < 2; round++) {
        uint64_t inner = address + sizeof(float); /* from within the allocation on */
        void *arguments[] = {&inner, &factor, members, &count};
        assert_int_equal(launch_line(&bench, find_kernel(&bench, "scale"), 4, 256, 0, arguments),
                         OCL_OK);
    }
    read_device(&bench, values, address, sizeof values);
    assert_true(values[0] == 0);
    for (int i = 1; i < COUNT; i++)
        assert_true(values[i] == ((float)i * 3 + 100.5f) * 3 + 100.5f);
    free_device(address);
    close_bench(&bench);
}

TEST_BODY(ptx_program_can_be_had_for_one_shape_of_blocks)
{
    struct bench bench = open_bench(arithmetic, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "scale"), *shaped = NULL, *again = NULL;
    static const size_t shape[3] = {8, 1, 1}, other[3] = {16, 1, 1};
    float values[16] = {1, 2, 3}, factor = 2, members[2] = {0, 0};
    unsigned count = 16;
    uint64_t address = make_device(&bench, sizeof values);
    void *arguments[] = {&address, &factor, members, &count};

    assert_int_equal(ocl_ptx_shaped(kernel, shape, &shaped), OCL_OK);
    assert_int_equal(ocl_ptx_shaped(kernel, other, &again), OCL_OK);
    assert_ptr_not_equal(shaped, again);
    assert_int_equal(ocl_ptx_shaped(kernel, shape, &again), OCL_OK);
    assert_ptr_equal(shaped, again);
    assert_int_equal(ocl_kernel_facts(shaped)->required_work_group[0], 8);
    write_device(&bench, address, values, sizeof values);
    assert_int_equal(launch_line(&bench, shaped, 2, 8, 0, arguments), OCL_OK);
    assert_int_equal(launch_line(&bench, shaped, 1, 16, 0, arguments), OCL_E_LAUNCH_SIZE);
    read_device(&bench, values, address, sizeof values);
    assert_true(values[0] == 2 && values[1] == 4 && values[2] == 6);
    free_device(address);
    close_bench(&bench);
}

TEST_BODY(ptx_program_refuses_only_the_kernel_that_cannot_be_had)
{
    setenv("CLEM_PTX", "text", 1); /* a driver that takes PTX may have tensor cores */
    struct bench bench = open_bench(arithmetic, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "tensor");
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(kernel);
    uint64_t nothing = 0;

    assert_int_equal(facts->status, OCL_E_NOT_SUPPORTED);
    assert_non_null(strstr(facts->reason, "tensor"));
    assert_non_null(strstr(facts->reason, "mma"));
    assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, (void *[]){&nothing}),
                     OCL_E_NOT_SUPPORTED);
    assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "scale"))->status, OCL_OK);
    close_bench(&bench);
}

TEST_BODY(ptx_program_that_is_none_says_where)
{
    static const char wrong[] = HEAD ".visible .entry k()\n{\n  add.s32 %r1 %r2;\n}\n";
    struct bench bench = open_bench(NULL, NULL);
    char *log = NULL;

    assert_int_equal(
        ocl_program_build(bench.context, wrong, strlen(wrong), NULL, &bench.program, &log),
        OCL_E_PTX);
    assert_non_null(log);
    assert_non_null(strstr(log, "6"));
    free(log);
    close_bench(&bench);
}

static const char variables[] =
    HEAD ".visible .global .align 4 .u32 counter = 5;\n"
         ".visible .const .align 4 .b32 table[4] = {1, 2, 3, 4};\n"
         ".visible .global .align 8 .u64 places[2] = {generic(counter), generic(table)+8};\n"
         ".visible .entry use(.param .u64 p)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  cvta.to.global.u64 %rd2, %rd1;\n"
         "  ld.global.u32 %r1, [counter];\n"
         "  add.s32 %r2, %r1, 1;\n"
         "  st.global.u32 [counter], %r2;\n"
         "  ld.const.u32 %r3, [table+4];\n"
         "  st.global.u32 [%rd2], %r1;\n"
         "  st.global.u32 [%rd2+4], %r3;\n"
         "  ret;\n"
         "}\n"
         ".visible .entry follow(.param .u64 p)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  cvta.to.global.u64 %rd2, %rd1;\n"
         "  ld.global.u64 %rd3, [places];\n"
         "  ld.global.u64 %rd4, [places+8];\n"
         "  ld.u32 %r1, [%rd3];\n"
         "  ld.u32 %r2, [%rd4];\n"
         "  st.global.u32 [%rd2], %r1;\n"
         "  st.global.u32 [%rd2+4], %r2;\n"
         "  ret;\n"
         "}\n";

TEST_BODY(ptx_program_variables_are_shared_by_its_kernels)
{
    struct bench bench = open_bench(variables, NULL);
    struct ocl_symbol counter, table;
    unsigned seen[2], value = 40, members[4] = {10, 20, 30, 40};
    uint64_t address = make_device(&bench, sizeof seen);
    void *arguments[] = {&address};

    assert_int_equal(launch_line(&bench, find_kernel(&bench, "use"), 1, 1, 0, arguments), OCL_OK);
    read_device(&bench, seen, address, sizeof seen);
    assert_int_equal(seen[0], 5);
    assert_int_equal(seen[1], 2);
    assert_int_equal(ocl_program_find_symbol(bench.program, "counter", &counter), OCL_OK);
    assert_int_equal(ocl_program_find_symbol(bench.program, "table", &table), OCL_OK);
    assert_int_equal(ocl_program_find_symbol(bench.program, "tables", &table), OCL_E_NOT_FOUND);
    assert_int_equal(counter.bytes, 4);
    assert_int_equal(table.bytes, 16);
    read_device(&bench, seen, counter.address, sizeof *seen);
    assert_int_equal(seen[0], 6);
    write_device(&bench, counter.address, &value, sizeof value);
    write_device(&bench, table.address, members, sizeof members);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "use"), 1, 1, 0, arguments), OCL_OK);
    read_device(&bench, seen, address, sizeof seen);
    assert_int_equal(seen[0], 40);
    assert_int_equal(seen[1], 20);
    free_device(address);
    close_bench(&bench);
}

TEST_BODY(ptx_program_variables_hold_addresses)
{
    struct bench bench = open_bench(variables, NULL);
    unsigned seen[2] = {0, 0};
    uint64_t address = make_device(&bench, sizeof seen);
    const ocl_status status =
        launch_line(&bench, find_kernel(&bench, "follow"), 1, 1, 0, (void *[]){&address});

    if (!bench.context->capability.has_addresses) {
        assert_int_equal(status, OCL_E_NEEDS_ADDRESS);
    } else {
        assert_int_equal(status, OCL_OK);
        read_device(&bench, seen, address, sizeof seen);
        assert_int_equal(seen[0], 5);
        assert_int_equal(seen[1], 3);
    }
    free_device(address);
    close_bench(&bench);
}

/* Turns a block's words round through static and dynamic shared memory. */
static const char blocks[] = HEAD ".extern .shared .align 16 .b8 dynamic[];\n"
                                  ".visible .entry turn(.param .u64 p)\n"
                                  "{\n"
                                  "  .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"
                                  "  .shared .align 4 .b8 fixed[4096];\n"
                                  "  ld.param.u64 %rd1, [p];\n"
                                  "  cvta.to.global.u64 %rd2, %rd1;\n"
                                  "  mov.u32 %r1, %tid.x;\n"
                                  "  mov.u32 %r2, %ntid.x;\n"
                                  "  mov.u32 %r3, %ctaid.x;\n"
                                  "  mad.lo.s32 %r4, %r3, %r2, %r1;\n"
                                  "  mul.wide.u32 %rd3, %r4, 4;\n"
                                  "  add.s64 %rd4, %rd2, %rd3;\n"
                                  "  ld.global.u32 %r5, [%rd4];\n"
                                  "  shl.b32 %r6, %r1, 2;\n"
                                  "  mov.u32 %r7, fixed;\n"
                                  "  add.s32 %r8, %r7, %r6;\n"
                                  "  st.shared.u32 [%r8], %r5;\n"
                                  "  mov.u32 %r9, dynamic;\n"
                                  "  add.s32 %r10, %r9, %r6;\n"
                                  "  st.shared.u32 [%r10], %r1;\n"
                                  "  bar.sync 0;\n"
                                  "  sub.s32 %r11, %r2, %r1;\n"
                                  "  add.s32 %r11, %r11, -1;\n"
                                  "  shl.b32 %r12, %r11, 2;\n"
                                  "  add.s32 %r13, %r7, %r12;\n"
                                  "  ld.shared.u32 %r14, [%r13];\n"
                                  "  add.s32 %r15, %r9, %r12;\n"
                                  "  ld.shared.u32 %r16, [%r15];\n"
                                  "  shl.b32 %r16, %r16, 16;\n"
                                  "  add.s32 %r14, %r14, %r16;\n"
                                  "  st.global.u32 [%rd4], %r14;\n"
                                  "  ret;\n"
                                  "}\n";

TEST_BODY(ptx_program_blocks_share_memory_between_barriers)
{
    enum { BLOCK = 256, BLOCKS = 3, COUNT = BLOCK * BLOCKS };
    struct bench bench = open_bench(blocks, NULL);
    unsigned words[COUNT];
    uint64_t address = make_device(&bench, sizeof words);
    struct ocl_kernel *kernel = find_kernel(&bench, "turn");

    for (unsigned i = 0; i < COUNT; i++)
        words[i] = i;
    write_device(&bench, address, words, sizeof words);
    assert_int_equal(ocl_kernel_facts(kernel)->local_bytes, 4096);
    assert_int_equal(
        launch_line(&bench, kernel, BLOCKS, BLOCK, BLOCK * sizeof(unsigned), (void *[]){&address}),
        OCL_OK);
    read_device(&bench, words, address, sizeof words);
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned thread = BLOCK - 1 - i % BLOCK;
        assert_int_equal(words[i], i / BLOCK * BLOCK + thread + (thread << 16));
    }
    assert_int_equal(launch_line(&bench, kernel, 1, 2048, 0, (void *[]){&address}),
                     OCL_E_LAUNCH_SIZE);
    free_device(address);
    close_bench(&bench);
}

/* ---- printf ---- */

static const char printing[] = HEAD
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 $format[38] = {37, 100, 32, 37, 108, 108, 100, 32, 37, 46, 50, 102, 32, "
    "37, 115, 32, 37, 99, 32, 37, 42, 120, 124, 32, 37, 37, 32, 37, 104, 104, 100, 10, 0};\n"
    ".global .align 1 .b8 $word[6] = {119, 111, 114, 108, 100, 0};\n"
    ".visible .entry say(.param .u32 n, .param .u64 p)\n"
    "{\n"
    "  .local .align 8 .b8 depot[64];\n"
    "  .reg .b64 %SP; .reg .b64 %SPL; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f64 %fd<2>;\n"
    "  mov.u64 %SPL, depot;\n"
    "  cvta.local.u64 %SP, %SPL;\n"
    "  ld.param.u32 %r1, [n];\n"
    "  ld.param.u64 %rd6, [p];\n"
    "  mov.u32 %r2, %tid.x;\n"
    "  add.s32 %r3, %r1, %r2;\n"
    "  st.local.u32 [%SPL], %r3;\n"
    "  mov.u64 %rd1, -5000000000;\n"
    "  st.local.u64 [%SPL+8], %rd1;\n"
    "  mov.f64 %fd1, 0d3FF8000000000000;\n"
    "  st.local.f64 [%SPL+16], %fd1;\n"
    "  mov.u64 %rd2, $word;\n"
    "  cvta.global.u64 %rd3, %rd2;\n"
    "  st.local.u64 [%SPL+24], %rd3;\n"
    "  mov.u32 %r4, 65;\n"
    "  st.local.u32 [%SPL+32], %r4;\n"
    "  mov.u32 %r4, 6;\n"
    "  st.local.u32 [%SPL+36], %r4;\n"
    "  mov.u32 %r4, 255;\n"
    "  st.local.u32 [%SPL+40], %r4;\n"
    "  st.local.u32 [%SPL+44], %r4;\n"
    "  add.u64 %rd4, %SP, 0;\n"
    "  mov.u64 %rd2, $format;\n"
    "  cvta.global.u64 %rd5, %rd2;\n"
    "  { .param .b64 param0; st.param.b64 [param0+0], %rd5;\n"
    "    .param .b64 param1; st.param.b64 [param1+0], %rd4;\n"
    "    .param .b32 retval0;\n"
    "    call.uni (retval0), vprintf, (param0, param1);\n"
    "    ld.param.b32 %r5, [retval0+0]; }\n"
    "  cvta.to.global.u64 %rd7, %rd6;\n"
    "  st.global.u32 [%rd7], %r5;\n"
    "  ret;\n"
    "}\n";

/* Standard output goes into a file meanwhile. */
static int begin_listening(FILE **file)
{
    fflush(stdout);
    *file = tmpfile();
    assert_non_null(*file);
    const int before = dup(STDOUT_FILENO);
    assert_true(before >= 0 && dup2(fileno(*file), STDOUT_FILENO) >= 0);
    return before;
}

static size_t end_listening(FILE *file, int before, char *text, size_t room)
{
    fflush(stdout);
    assert_true(dup2(before, STDOUT_FILENO) >= 0);
    close(before);
    rewind(file);
    const size_t length = fread(text, 1, room - 1, file);
    text[length] = '\0';
    fclose(file);
    return length;
}

TEST_BODY(ptx_program_prints_at_the_next_wait)
{
    struct bench bench = open_bench(printing, NULL);
    char text[4096];
    FILE *file;
    unsigned first = 7, counted = 0;
    uint64_t address = make_device(&bench, sizeof counted);
    struct ocl_kernel *kernel = find_kernel(&bench, "say");

    const int before = begin_listening(&file);
    const ocl_status status = launch_line(&bench, kernel, 1, 1, 0, (void *[]){&first, &address});
    const ocl_status finished = ocl_queue_finish(bench.queue);
    end_listening(file, before, text, sizeof text);
    assert_int_equal(status, OCL_OK);
    assert_int_equal(finished, OCL_OK);
    assert_string_equal(text, "7 -5000000000 1.50 world A     ff| % -1\n");
    read_device(&bench, &counted, address, sizeof counted);
    assert_int_equal(counted, 8);
    assert_int_equal(ocl_context_limit(bench.context, OCL_LIMIT_PRINT_BYTES, 4096), OCL_E_ALREADY);
    free_device(address);
    close_bench(&bench);
}

enum { RING = 8192, LINE = 45 };

/* What the blocks of one launch print with a ring of RING bytes, and one more block after the host has
 * waited. The caller frees it. */
static char *printed_by(unsigned count, size_t *length)
{
    struct bench bench = open_bench(printing, NULL);
    const size_t room = (size_t)(count + 1) * LINE + 1;
    char *text = calloc(1, room);
    FILE *file;
    unsigned first = 0, last = 1;
    uint64_t address = make_device(&bench, sizeof first);

    assert_non_null(text);
    assert_int_equal(ocl_context_limit(bench.context, OCL_LIMIT_PRINT_BYTES, RING), OCL_OK);
    const int before = begin_listening(&file);
    const ocl_status status =
        launch_line(&bench, find_kernel(&bench, "say"), count, 1, 0, (void *[]){&first, &address});
    (void)ocl_queue_finish(bench.queue);
    const ocl_status again =
        launch_line(&bench, find_kernel(&bench, "say"), 1, 1, 0, (void *[]){&last, &address});
    (void)ocl_queue_finish(bench.queue);
    *length = end_listening(file, before, text, room);
    assert_int_equal(status, OCL_OK);
    assert_int_equal(again, OCL_OK);
    free_device(address);
    close_bench(&bench);
    return text;
}

/* Whole lines: a ring of them where threads come one after another; where all write at once, some are
 * lost to those that were not ready yet. What is printed afterwards is there in any case. */
TEST_BODY(ptx_program_prints_the_last_of_too_much)
{
    static const char line[] = "0 -5000000000 1.50 world A     ff| % -1\n";
    enum { COUNT = 2000 };
    size_t length = 0;
    char *text = printed_by(COUNT, &length);
    assert_true(length > RING / 16 && length < RING);
    assert_int_equal(length % (sizeof line - 1), 0);
    const size_t last = length - (sizeof line - 1);
    for (size_t at = 0; at < length; at += sizeof line - 1)
        assert_int_equal(strncmp(text + at + 1, line + 1, sizeof line - 2), 0);
    for (size_t at = 0; at < length; at += sizeof line - 1)
        assert_int_equal(text[at], at < last ? '0' : '1');
    free(text);
}

/* ---- assert and trap ---- */

static const char failing[] =
    HEAD ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, "
         ".param .b64 c);\n"
         ".global .align 1 .b8 $message[6] = {120, 32, 62, 32, 48, 0};\n"
         ".global .align 1 .b8 $file[5] = {97, 46, 99, 117, 0};\n"
         ".global .align 1 .b8 $name[4] = {102, 40, 41, 0};\n"
         ".visible .entry check(.param .u32 n)\n"
         "{\n"
         "  .reg .pred %p1; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "  ld.param.u32 %r1, [n];\n"
         "  mov.u32 %r2, %tid.x;\n"
         "  setp.ne.u32 %p1, %r1, %r2;\n"
         "  @%p1 bra GOOD;\n"
         "  mov.u64 %rd1, $message;  cvta.global.u64 %rd2, %rd1;\n"
         "  mov.u64 %rd1, $file;     cvta.global.u64 %rd3, %rd1;\n"
         "  mov.u64 %rd1, $name;     cvta.global.u64 %rd4, %rd1;\n"
         "  mov.u32 %r3, 12; mov.u64 %rd5, 1;\n"
         "  { .param .b64 param0; st.param.b64 [param0+0], %rd2;\n"
         "    .param .b64 param1; st.param.b64 [param1+0], %rd3;\n"
         "    .param .b32 param2; st.param.b32 [param2+0], %r3;\n"
         "    .param .b64 param3; st.param.b64 [param3+0], %rd4;\n"
         "    .param .b64 param4; st.param.b64 [param4+0], %rd5;\n"
         "    call.uni __assertfail, (param0, param1, param2, param3, param4); }\n"
         "GOOD:\n"
         "  ret;\n"
         "}\n"
         ".visible .entry stop(.param .u32 n)\n"
         "{\n"
         "  .reg .pred %p1; .reg .b32 %r<8>;\n"
         "  ld.param.u32 %r1, [n];\n"
         "  setp.eq.u32 %p1, %r1, 0;\n"
         "  @%p1 bra GOOD;\n"
         "  trap;\n"
         "GOOD:\n"
         "  ret;\n"
         "}\n";

static void expect_failure(const char *name, unsigned good, unsigned bad, ocl_status failure)
{
    struct bench bench = open_bench(failing, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, name);

    if (ocl_kernel_facts(kernel)->status == OCL_E_NEEDS_ADDRESS)
        TEST_SKIP("kernels cannot tell a text without addresses");
    assert_int_equal(launch_line(&bench, kernel, 1, 4, 0, (void *[]){&good}), OCL_OK);
    assert_int_equal(ocl_queue_finish(bench.queue), OCL_OK);
    assert_int_equal(launch_line(&bench, kernel, 1, 4, 0, (void *[]){&bad}), OCL_OK);
    assert_int_equal(ocl_queue_finish(bench.queue), failure);
    assert_int_equal(launch_line(&bench, kernel, 1, 4, 0, (void *[]){&good}), failure);
    assert_int_equal(ocl_context_failure(bench.context), failure);
    ocl_program_release(bench.program);
    ocl_context_close(bench.context);
}

TEST_BODY(ptx_program_assertion_sticks)
{
    expect_failure("check", 99, 2, OCL_E_ASSERT);
}

TEST_BODY(ptx_program_trap_sticks)
{
    expect_failure("stop", 0, 1, OCL_E_TRAP);
}

/* ---- malloc ---- */

static const char allocating[] =
    HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
         ".extern .func free (.param .b64 a);\n"
         ".visible .entry take(.param .u64 p, .param .u64 n)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [n];\n"
         "  cvta.to.global.u64 %rd1, %rd1;\n"
         "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;\n"
         "  mad.lo.s32 %r4, %r3, %r2, %r1;\n"
         "  mul.wide.u32 %rd3, %r4, 8; add.s64 %rd3, %rd1, %rd3;\n"
         "  { .param .b64 param0; st.param.b64 [param0+0], %rd2; .param .b64 retval0;\n"
         "    call.uni (retval0), malloc, (param0); ld.param.b64 %rd4, [retval0+0]; }\n"
         "  st.global.u64 [%rd3], %rd4;\n"
         "  ret;\n"
         "}\n"
         ".visible .entry give(.param .u64 p)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  cvta.to.global.u64 %rd1, %rd1;\n"
         "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;\n"
         "  mad.lo.s32 %r4, %r3, %r2, %r1;\n"
         "  mul.wide.u32 %rd3, %r4, 8; add.s64 %rd3, %rd1, %rd3;\n"
         "  ld.global.u64 %rd4, [%rd3];\n"
         "  { .param .b64 param0; st.param.b64 [param0+0], %rd4; call.uni free, (param0); }\n"
         "  ret;\n"
         "}\n";

static int compare(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* So many are had, all apart from each other; returns how many were. */
static size_t take(const struct bench *bench, uint64_t list, uint64_t *found, size_t groups,
                   size_t items, uint64_t bytes)
{
    size_t count = 0;
    const size_t all = groups * items;

    assert_int_equal(
        launch_line(bench, find_kernel(bench, "take"), groups, items, 0, (void *[]){&list, &bytes}),
        OCL_OK);
    read_device(bench, found, list, all * sizeof *found);
    qsort(found, all, sizeof *found, compare);
    for (size_t i = 0; i < all; i++) {
        count += found[i] != 0;
        assert_true(found[i] % 16 == 0);
        assert_true(i == 0 || found[i] == 0 || found[i - 1] == 0 ||
                    found[i] - found[i - 1] >= bytes);
    }
    return count;
}

TEST_BODY(ptx_program_heap_gives_and_takes_back)
{
    enum { MOST = 4096 };
    static const struct {
        size_t groups, items, bytes;
    } cases[] = {{16, 256, 64},  {2, 256, 12 * 1024}, {6, 1, 1 << 20}, {64, 32, 16},
                 {2, 100, 1000}, {30, 1, 200000},     {16, 256, 48},   {3, 7, 2048}};
    struct bench bench = open_bench(allocating, NULL);
    static uint64_t found[MOST];
    uint64_t list = make_device(&bench, sizeof found);

    if (ocl_kernel_facts(find_kernel(&bench, "take"))->status == OCL_E_NEEDS_ADDRESS)
        TEST_SKIP("there is no heap without addresses");
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const size_t all = cases[i].groups * cases[i].items;
            assert_int_equal(
                take(&bench, list, found, cases[i].groups, cases[i].items, cases[i].bytes), all);
            assert_int_equal(launch_line(&bench, find_kernel(&bench, "give"), cases[i].groups,
                                         cases[i].items, 0, (void *[]){&list}),
                             OCL_OK);
        }
    }
    assert_int_equal(ocl_context_limit(bench.context, OCL_LIMIT_HEAP_BYTES, 1 << 20),
                     OCL_E_ALREADY);
    free_device(list);
    close_bench(&bench);
}

TEST_BODY(ptx_program_heap_ends_in_null)
{
    enum { MOST = 1024 };
    struct bench bench = open_bench(allocating, NULL);
    static uint64_t found[MOST];
    uint64_t list = make_device(&bench, sizeof found);

    if (ocl_kernel_facts(find_kernel(&bench, "take"))->status == OCL_E_NEEDS_ADDRESS)
        TEST_SKIP("there is no heap without addresses");
    assert_int_equal(ocl_context_limit(bench.context, OCL_LIMIT_HEAP_BYTES, 1 << 20), OCL_OK);
    assert_int_equal(take(&bench, list, found, 1, 1, (1 << 20) + 1), 0);
    assert_int_equal(take(&bench, list, found, 4, 256, 2048), 512);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, (void *)(uintptr_t)found[MOST - 1]),
                     OCL_E_NOT_FOUND);
    assert_int_equal(take(&bench, list, found, 1, 1, 16), 0);
    free_device(list);
    close_bench(&bench);
}

/* ---- textures ---- */

static const char fetching[] = HEAD ".visible .entry fetch(.param .u64 out, .param .u64 texture)\n"
                                    "{\n"
                                    "  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n"
                                    "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [texture];\n"
                                    "  cvta.to.global.u64 %rd3, %rd1;\n"
                                    "  mov.u32 %r1, %tid.x;\n"
                                    "  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1}];\n"
                                    "  mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;\n"
                                    "  st.global.f32 [%rd5], %f1;\n"
                                    "  ret;\n"
                                    "}\n";

static const char sampling_kernel[] =
    HEAD ".visible .entry sample(.param .u64 out, .param .u64 texture)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n"
         "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [texture];\n"
         "  cvta.to.global.u64 %rd3, %rd1;\n"
         "  mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3F000000;\n"
         "  mov.f32 %f2, 0f3FC00000;\n"
         "  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd2, {%f1, %f2}];\n"
         "  mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;\n"
         "  st.global.f32 [%rd5], %f3;\n"
         "  ret;\n"
         "}\n";

/* The second row of a plane, by the variant that the environment asks for. */
static void sample_row(const char *way, bool has_border_colour)
{
    enum { WIDTH = 16, HEIGHT = 3 };
    setenv("CLEM_TEXTURES", way, 1);
    struct bench bench = open_bench(sampling_kernel, NULL);
    if (strcmp(way, "image") == 0)
        need_images(&bench);
    float texels[WIDTH * HEIGHT], seen[WIDTH];
    uint64_t out = make_device(&bench, sizeof seen);
    struct ocl_array *array = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_sampling sampling = clamped();
    if (has_border_colour) {
        sampling.address[0] = sampling.address[1] = OCL_ADDRESS_MODE_BORDER;
        sampling.border[0] = 1.0f;
    }
    const struct ocl_texture_view view = view_of(array);
    struct ocl_texture *texture = make_texture(&bench, &view, &sampling);
    uint64_t id = ocl_texture_id(texture);
    struct ocl_kernel *kernel = find_kernel(&bench, "sample");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            texels[i] = (float)i * 1.25f + (float)round;
        write_texels(&bench, array, texels);
        assert_int_equal(launch_line(&bench, kernel, 1, WIDTH, 0, (void *[]){&out, &id}), OCL_OK);
        read_device(&bench, seen, out, sizeof seen);
        assert_memory_equal(seen, texels + WIDTH, sizeof seen);
    }
    const bool is_by_image = strcmp(way, "image") == 0 && !has_border_colour;
    assert_true((atomic_load(&kernel->by_image) != NULL) == is_by_image);
    assert_true((atomic_load(&texture->image) != NULL) == is_by_image);
    ocl_texture_release(texture);
    ocl_array_release(array);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(ptx_program_reads_textures_by_image)
{
    sample_row("image", false);
}

TEST_BODY(ptx_program_reads_textures_by_hand)
{
    sample_row("hand", false);
}

/* What a sampler cannot do goes by hand on every device. */
TEST_BODY(ptx_program_reads_by_hand_what_images_cannot_do)
{
    sample_row("image", true);
}

TEST_BODY(ptx_program_fetches_from_its_texture_parameter)
{
    enum { COUNT = 16 };
    struct bench bench = open_bench(fetching, NULL);
    float texels[COUNT], seen[COUNT];
    uint64_t source = make_device(&bench, sizeof texels), target = make_device(&bench, sizeof seen);
    struct ocl_texture *texture = NULL;
    const struct ocl_texture_view view = {
        .source = OCL_TEXTURE_LINEAR,
        .texel = {OCL_CHANNEL_FLOAT, 1, 4},
        .address = source,
        .width = COUNT,
        .height = 1,
    };
    const struct ocl_sampling sampling = {.is_linear = false};

    for (int i = 0; i < COUNT; i++)
        texels[i] = (float)i * 1.25f;
    write_device(&bench, source, texels, sizeof texels);
    assert_int_equal(ocl_texture_create(bench.context, &view, &sampling, &texture), OCL_OK);
    uint64_t id = ocl_texture_id(texture), none = 12345;
    struct ocl_kernel *kernel = find_kernel(&bench, "fetch");
    assert_int_equal(ocl_kernel_facts(kernel)->entry_count, 2);
    assert_int_equal(launch_line(&bench, kernel, 1, COUNT, 0, (void *[]){&target, &id}), OCL_OK);
    read_device(&bench, seen, target, sizeof seen);
    assert_memory_equal(seen, texels, sizeof seen);
    assert_int_equal(launch_line(&bench, kernel, 1, COUNT, 0, (void *[]){&target, &none}),
                     OCL_E_INVALID_VALUE);
    ocl_texture_release(texture);
    free_device(source);
    free_device(target);
    close_bench(&bench);
}

/* ---- Facts that are tried when a kernel depends on them ---- */

static const char divisions[] =
    HEAD ".visible .entry divide(.param .u64 p, .param .f32 f)\n"
         "{\n"
         "  .reg .f32 %f<4>; .reg .b64 %rd<2>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  ld.param.f32 %f1, [f];\n"
         "  ld.global.f32 %f2, [%rd1];\n"
         "  div.rn.f32 %f3, %f2, %f1;\n"
         "  st.global.f32 [%rd1], %f3;\n"
         "  ret;\n"
         "}\n"
         ".visible .entry divide_loosely(.param .u64 p, .param .f32 f)\n"
         "{\n"
         "  .reg .f32 %f<4>; .reg .b64 %rd<2>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  ld.param.f32 %f1, [f];\n"
         "  ld.global.f32 %f2, [%rd1];\n"
         "  div.full.f32 %f3, %f2, %f1;\n"
         "  st.global.f32 [%rd1], %f3;\n"
         "  ret;\n"
         "}\n";

static unsigned known_facts(const struct bench *bench)
{
    struct ptx_target target;
    return ocl_ptx_target(ocl_ptx_facts(bench->context), &target);
}

/* The text and the options of a kernel that has been described; the caller frees them. */
static char *translation_of(const struct bench *bench, const char *name)
{
    char *made = NULL;
    struct ocl_kernel *kernel = find_kernel(bench, name);
    assert_int_equal(ocl_kernel_facts(kernel)->status, OCL_OK);
    if (!kernel->program->text)
        TEST_SKIP("the driver takes PTX as it is");
    assert_true(asprintf(&made, "%s\n%s", kernel->program->options, kernel->program->text) > 0);
    return made;
}

TEST_BODY(ptx_program_tries_the_device_for_what_a_kernel_depends_on)
{
    struct bench bench = open_bench(arithmetic, NULL);
    free(translation_of(&bench, "scale"));
    assert_false(known_facts(&bench) & PTX_FACT_EXACT_DIVIDE);
    assert_false(known_facts(&bench) & PTX_FACT_INT64_ATOMICS);
    ocl_program_release(bench.program);
    assert_int_equal(
        ocl_program_build(bench.context, divisions, strlen(divisions), NULL, &bench.program, NULL),
        OCL_OK);
    free(translation_of(&bench, "divide"));
    assert_true(known_facts(&bench) & PTX_FACT_EXACT_DIVIDE);
    close_bench(&bench);
}

/* Whatever was tried before. A loose division, too, is one that the options are for. */
TEST_BODY(ptx_program_is_the_same_whenever_facts_are_tried)
{
    static const char *const names[] = {"divide", "divide_loosely"};
    for (size_t i = 0; i < 2; i++) {
        struct ptx_target target;
        struct bench late = open_bench(divisions, NULL), early = open_bench(divisions, NULL);
        (void)ocl_ptx_find_out(early.context, ocl_ptx_facts(early.context), PTX_FACT_ALL);
        char *first = translation_of(&late, names[i]), *second = translation_of(&early, names[i]);
        assert_string_equal(first, second);
        (void)ocl_ptx_target(ocl_ptx_facts(early.context), &target);
        assert_int_equal(strstr(first, OCL_EXACT_DIVISION) != NULL, target.has_exact_divide);
        free(first);
        free(second);
        close_bench(&late);
        close_bench(&early);
    }
}

/* Tests of building programs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tests/cl/launch.h"

static const char three[] = "__kernel void first(__global int *p) { p[0] = 1; }\n"
                            "void helper(__global int *p) { p[0] = 4; }\n"
                            "__kernel void second(__global int *p) { p[0] = 2; }\n"
                            "__kernel void third(void) { }\n";

TEST_BODY(program_lists_its_kernels)
{
    struct bench bench = open_bench(three, NULL);

    assert_int_equal(ocl_program_kernel_count(bench.program), 3);
    for (size_t i = 0; i < 3; i++) {
        struct ocl_kernel *kernel = ocl_program_kernel(bench.program, i);
        assert_ptr_equal(ocl_program_find_kernel(bench.program, ocl_kernel_name(kernel)), kernel);
        assert_ptr_equal(ocl_kernel_facts(kernel)->name, ocl_kernel_name(kernel));
    }
    assert_non_null(ocl_program_find_kernel(bench.program, "first"));
    assert_non_null(ocl_program_find_kernel(bench.program, "second"));
    assert_non_null(ocl_program_find_kernel(bench.program, "third"));
    assert_null(ocl_program_find_kernel(bench.program, "helper"));
    assert_null(ocl_program_find_kernel(bench.program, "firs"));
    assert_null(ocl_program_find_kernel(bench.program, ""));
    assert_null(ocl_program_kernel(bench.program, 3));
    close_bench(&bench);
}

TEST_BODY(program_may_have_no_kernels)
{
    static const char *const texts[] = {"", "\n", "int helper(int a) { return a; }\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct bench bench = open_bench(texts[i], NULL);
        assert_int_equal(ocl_program_kernel_count(bench.program), 0);
        assert_null(ocl_program_find_kernel(bench.program, ""));
        close_bench(&bench);
    }
}

TEST_BODY(program_build_failure_gives_the_log)
{
    static const char bad[] = "__kernel void k(__global int *p) { p[0] = no_such_name; }\n";
    struct bench bench = open_bench(NULL, NULL);
    char *log = NULL;

    listen_to_logs();
    assert_int_equal(ocl_program_build(bench.context, bad, strlen(bad), NULL, &bench.program, &log),
                     OCL_E_BUILD);
    assert_null(bench.program);
    assert_non_null(log);
    assert_non_null(strstr(log, "no_such_name"));
    assert_non_null(strstr(heard(), "no_such_name"));
    free(log);
    assert_int_equal(ocl_program_build(bench.context, bad, strlen(bad), NULL, &bench.program, NULL),
                     OCL_E_BUILD);
    assert_int_equal(
        ocl_program_build(bench.context, three, strlen(three), NULL, &bench.program, &log), OCL_OK);
    assert_null(log);
    close_bench(&bench);
}

/* As AMD's compiler says it. */
TEST_BODY(program_build_failure_names_the_package_that_lacks)
{
    static const char bad[] = "#error 'opencl-c-base.h' file not found\n";
    struct bench bench = open_bench(NULL, NULL);

    listen_to_logs();
    assert_int_equal(ocl_program_build(bench.context, bad, strlen(bad), NULL, &bench.program, NULL),
                     OCL_E_BUILD);
    assert_non_null(strstr(heard(), "install libclang-common-17-dev"));
    close_bench(&bench);
}

TEST_BODY(program_bad_options_fail_and_spoil_nothing)
{
    struct bench bench = open_bench(NULL, NULL);
    char *log = NULL;

    listen_to_logs();
    assert_int_not_equal(ocl_program_build(bench.context, three, strlen(three), "-no-such-option",
                                           &bench.program, &log),
                         OCL_OK);
    assert_non_null(log);
    assert_null(bench.program);
    free(log);
    assert_int_equal(
        ocl_program_build(bench.context, three, strlen(three), "", &bench.program, &log), OCL_OK);
    close_bench(&bench);
}

TEST_BODY(program_takes_the_users_options)
{
    static const char text[] = "__kernel void k(__global int *p, int n) { p[0] = VALUE + n; }\n";
    static const char *const options[] = {"-D VALUE=7", "-cl-kernel-arg-info -D VALUE=7",
                                          "-D VALUE=7 -cl-kernel-arg-info -cl-mad-enable"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct bench bench = open_bench(text, options[i]);
        uint64_t cell = make_device(&bench, sizeof(int));
        int value = 0, one = 1;
        assert_int_equal(
            launch_line(&bench, find_kernel(&bench, "k"), 1, 1, 0, (void *[]){&cell, &one}),
            OCL_OK);
        read_device(&bench, &value, cell, sizeof value);
        assert_int_equal(value, 8);
        free_device(cell);
        close_bench(&bench);
    }
}

/* clem puts text of its own behind the user's; what the user's ends with must not swallow it. */
TEST_BODY(program_may_end_in_anything)
{
    static const char *const ends[] = {"// a comment", "// a comment \\", "/* one */",
                                       "#define LAST 1", "#ifdef LAST\n#endif"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "struct pair { int a; int b; };\n__kernel void k(__global int *p, struct pair v) "
                 "{ p[0] = v.a * 10 + v.b; }\n%s",
                 ends[i]);
        struct bench bench = open_bench(text, NULL);
        assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "k"))->status, OCL_OK);
        assert_int_equal(ocl_kernel_parameter(find_kernel(&bench, "k"), 1)->bytes, 8);
        close_bench(&bench);
    }
}

TEST_BODY(program_needs_code)
{
    struct bench bench = open_bench(NULL, NULL);
    char *log = NULL;

    listen_to_logs();
    assert_int_equal(ocl_program_build(bench.context, NULL, 0, NULL, &bench.program, &log),
                     OCL_E_INVALID_VALUE);
    assert_non_null(log);
    free(log);
    ocl_program_release(NULL);
    close_bench(&bench);
}

/* A SPIR-V header of version 1.0 with nothing behind it declares no memory model, so no driver may
 * take it. */
TEST_BODY(program_knows_spirv_in_both_byte_orders)
{
    const uint32_t little[] = {0x07230203, 0x00010000, 0, 1, 0};
    const uint32_t big[] = {0x03022307, 0x00000100, 0, 0x01000000, 0};
    struct bench bench = open_bench(NULL, NULL);
    const bool takes_il = ocl_device_facts(0)->il_version[0] != '\0';
    const void *const codes[] = {little, big};

    listen_to_logs();
    for (size_t i = 0; i < 2; i++) {
        char *log = NULL;
        const ocl_status status =
            ocl_program_build(bench.context, codes[i], sizeof little, NULL, &bench.program, &log);
        if (!takes_il)
            assert_int_equal(status, OCL_E_NOT_SUPPORTED);
        assert_int_not_equal(status, OCL_OK);
        assert_non_null(log);
        free(log);
    }
    close_bench(&bench);
}

struct builder {
    struct ocl_context *context;
    int number;
    ocl_status status, wrong_status;
};

static void *build_some(void *argument)
{
    struct builder *builder = argument;
    for (int i = 0; i < 2; i++) {
        char text[200];
        char *log = NULL;
        struct ocl_program *program = NULL;
        snprintf(text, sizeof text, "__kernel void k%d(__global int *p) { p[0] = %d; }\n",
                 builder->number, i);
        builder->status |=
            ocl_program_build(builder->context, text, strlen(text), NULL, &program, &log);
        if (!program || ocl_program_kernel_count(program) != 1)
            builder->status = -1;
        ocl_program_release(program);
        builder->wrong_status =
            ocl_program_build(builder->context, "nonsense", 8, NULL, &program, &log);
        free(log);
    }
    return NULL;
}

TEST_BODY(program_builds_from_many_threads)
{
    enum { THREADS = 8 };
    struct bench bench = open_bench(NULL, NULL);
    struct builder builders[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        builders[i] = (struct builder){bench.context, i % 5, OCL_OK, OCL_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, build_some, &builders[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(builders[i].status, OCL_OK);
        assert_int_equal(builders[i].wrong_status, OCL_E_BUILD);
    }
    close_bench(&bench);
}

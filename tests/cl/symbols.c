/* Tests of the variables of programs that outlive launches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/symbols.h"

#include <pthread.h>

#include "cl/managed.h"
#include "cl/program/wrapper.h"
#include "tests/cl/launch.h"

static const char text[] =
    "struct pair { short a; long b; };\n"
    "__constant float first_weights[3] = {1.5f, 2.5f, 3.5f};\n"
    "__constant int first_counter = 40;\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    CONSTANT(float, weights, [3]) CONSTANT(int, step, ) CONSTANT(float4, color, [2]) \\\n"
    "    DEVICE(int, counter, ) DEVICE(struct pair, pairs, [2]) DEVICE(char, odd, [7])\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) \\\n"
    "    CONSTANT(weights, first_weights) DEVICE(counter, first_counter)\n"
    "#include \"clem_symbols.h\"\n"
    "void count(int by, CLEM_SYMBOLS_PARAMETERS) { CLEM_DEVICE(counter) += by; }\n"
    "__kernel void use(__global float *out, int n, CLEM_SYMBOLS_PARAMETERS)\n"
    "{\n"
    "    for (int i = 0; i < n; i++)\n"
    "        out[i] = CLEM_CONSTANT(weights)[i] + (float)CLEM_CONSTANT(step);\n"
    "    count(n, CLEM_SYMBOLS_ARGUMENTS);\n"
    "    CLEM_DEVICE(pairs)[1].b = (long)CLEM_CONSTANT(color)[1].w;\n"
    "    CLEM_DEVICE(odd)[6] = 'x';\n"
    "}\n"
    "__kernel void plain(__global int *out) { out[0] = 5; }\n";

static struct ocl_symbol find_symbol(const struct bench *bench, const char *name)
{
    struct ocl_symbol symbol = {0};
    assert_int_equal(ocl_program_find_symbol(bench->program, name, &symbol), OCL_OK);
    assert_string_equal(symbol.name, name);
    return symbol;
}

static int read_int(const struct bench *bench, const char *name)
{
    int value = -1;
    read_device(bench, &value, find_symbol(bench, name).address, sizeof value);
    return value;
}

/* Launches `use` for three values. */
static void use(const struct bench *bench, float out[3])
{
    int n = 3;
    uint64_t target = make_device(bench, 3 * sizeof *out);
    assert_int_equal(
        launch_line(bench, find_kernel(bench, "use"), 1, 1, 0, (void *[]){&target, &n}), OCL_OK);
    read_device(bench, out, target, 3 * sizeof *out);
    free_device(target);
}

TEST_BODY(symbols_are_listed_as_declared)
{
    static const struct {
        const char *name;
        enum ocl_symbol_kind kind;
        size_t bytes;
    } expected[] = {
        {"weights", OCL_SYMBOL_CONSTANT, 12}, {"step", OCL_SYMBOL_CONSTANT, 4},
        {"color", OCL_SYMBOL_CONSTANT, 32},   {"counter", OCL_SYMBOL_DEVICE, 4},
        {"pairs", OCL_SYMBOL_DEVICE, 32},     {"odd", OCL_SYMBOL_DEVICE, 7},
    };
    struct bench bench = open_bench(text, NULL);
    struct ocl_symbol symbol;
    size_t count = 0;

    assert_int_equal(ocl_program_symbol_count(bench.program, &count), OCL_OK);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        struct ocl_memory_view view;
        symbol = find_symbol(&bench, expected[i].name);
        assert_string_equal(symbol.name, expected[i].name);
        assert_int_equal(symbol.kind, expected[i].kind);
        assert_int_equal(symbol.bytes, expected[i].bytes);
        assert_true(ocl_memory_find((void *)(uintptr_t)symbol.address, &view));
        assert_int_equal(view.kind, OCL_MEMORY_DEVICE);
        assert_true(view.address < symbol.address);
        assert_true(symbol.address + symbol.bytes <= view.address + view.bytes);
    }
    assert_int_equal(find_symbol(&bench, "color").address % 16, 0);
    for (const char *const *name =
             (const char *const[]){"", "weight", "weightss", "use", "clem_symbol_table", NULL};
         *name; name++)
        assert_int_equal(ocl_program_find_symbol(bench.program, *name, &symbol), OCL_E_NOT_FOUND);
    close_bench(&bench);
}

TEST_BODY(symbols_have_their_first_values)
{
    static const float weights[3] = {1.5f, 2.5f, 3.5f};
    struct bench bench = open_bench(text, NULL);
    float read[3];
    unsigned char pairs[32], zeros[32] = {0};

    read_device(&bench, read, find_symbol(&bench, "weights").address, sizeof read);
    assert_memory_equal(read, weights, sizeof read);
    assert_int_equal(read_int(&bench, "counter"), 40);
    assert_int_equal(read_int(&bench, "step"), 0);
    read_device(&bench, pairs, find_symbol(&bench, "pairs").address, sizeof pairs);
    assert_memory_equal(pairs, zeros, sizeof pairs);
    close_bench(&bench);
}

TEST_BODY(symbols_keep_what_kernels_and_copies_write)
{
    struct bench bench = open_bench(text, NULL);
    float out[3];
    int64_t pair_b = 0;
    char odd[7] = {0};

    use(&bench, out);
    assert_true(out[0] == 1.5f && out[1] == 2.5f && out[2] == 3.5f);
    write_device(&bench, find_symbol(&bench, "step").address, &(int){100}, sizeof(int));
    write_device(&bench, find_symbol(&bench, "weights").address + 4, &(float){9}, sizeof(float));
    write_device(&bench, find_symbol(&bench, "color").address + 28, &(float){25}, 4);
    use(&bench, out);
    assert_true(out[0] == 101.5f && out[1] == 109.0f && out[2] == 103.5f);
    assert_int_equal(read_int(&bench, "counter"), 46);
    read_device(&bench, &pair_b, find_symbol(&bench, "pairs").address + 24, sizeof pair_b);
    assert_int_equal(pair_b, 25);
    read_device(&bench, odd, find_symbol(&bench, "odd").address, sizeof odd);
    assert_int_equal(odd[5], 0);
    assert_int_equal(odd[6], 'x');
    close_bench(&bench);
}

TEST_BODY(symbols_take_no_entry_of_the_arguments)
{
    struct bench bench = open_bench(text, NULL);
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(find_kernel(&bench, "use"));

    assert_int_equal(facts->status, OCL_OK);
    assert_int_equal(facts->parameter_count, 4);
    assert_int_equal(facts->entry_count, 2);
    assert_int_equal(facts->local_count, 0);
    assert_int_equal(facts->argument_bytes, 12);
    for (size_t i = 2; i < 4; i++) {
        const struct ocl_parameter *parameter = ocl_kernel_parameter(find_kernel(&bench, "use"), i);
        assert_int_equal(parameter->kind, OCL_PARAMETER_HIDDEN);
        assert_int_equal(parameter->bytes, 0);
    }
    assert_int_equal(ocl_program_kernel_count(bench.program), 2);
    assert_null(ocl_program_find_kernel(bench.program, "clem_symbol_table"));
    close_bench(&bench);
}

/* Programs that declare nothing have nothing, and cost nothing. */
TEST_BODY(symbols_of_programs_without_any)
{
    struct bench bench = open_bench("struct clem_device_symbols { int a; };\n"
                                    "__kernel void put(__global struct clem_device_symbols *p)\n"
                                    "{ p->a = 3; }\n",
                                    NULL);
    struct ocl_symbol symbol;
    size_t count = 7;
    int value = 0;
    uint64_t target = make_device(&bench, 4);

    assert_int_equal(ocl_program_symbol_count(bench.program, &count), OCL_OK);
    assert_int_equal(count, 0);
    assert_int_equal(ocl_program_find_symbol(bench.program, "a", &symbol), OCL_E_NOT_FOUND);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "put"), 1, 1, 0, (void *[]){&target}),
                     OCL_OK);
    read_device(&bench, &value, target, sizeof value);
    assert_int_equal(value, 3);
    free_device(target);
    close_bench(&bench);
}

/* One kind alone: the parameters have no comma too many. A list longer than the library expects is
 * asked for again. */
TEST_BODY(symbols_of_one_kind_and_many)
{
    char *many = NULL;
    size_t bytes = 0, count = 0;
    FILE *stream = open_memstream(&many, &bytes);
    fprintf(stream, "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n");
    for (int i = 0; i < 100; i++)
        fprintf(stream, "    DEVICE(int, a_variable_with_a_rather_long_name_%d, [%d]) \\\n", i,
                i + 1);
    fprintf(stream, "\n#include \"clem_symbols.h\"\n"
                    "__kernel void put(CLEM_SYMBOLS_PARAMETERS)\n"
                    "{ CLEM_DEVICE(a_variable_with_a_rather_long_name_99)[99] = 11; }\n");
    fclose(stream);
    struct bench bench = open_bench(many, NULL);
    int value = 0;

    assert_int_equal(ocl_program_symbol_count(bench.program, &count), OCL_OK);
    assert_int_equal(count, 100);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "put"), 1, 1, 0, NULL), OCL_OK);
    const struct ocl_symbol symbol = find_symbol(&bench, "a_variable_with_a_rather_long_name_99");
    assert_int_equal(symbol.bytes, 400);
    read_device(&bench, &value, symbol.address + 396, sizeof value);
    assert_int_equal(value, 11);
    close_bench(&bench);
    free(many);
}

#define CONSTANTS(bytes)                                                                           \
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) CONSTANT(uchar, bytes, [" bytes "])\n"        \
    "#include \"clem_symbols.h\"\n"                                                                \
    "__kernel void last(__global int *out, CLEM_SYMBOLS_PARAMETERS)\n"                             \
    "{ out[0] = CLEM_CONSTANT(bytes)[" bytes " - 1]; }\n"

TEST_BODY(symbols_fill_all_constant_memory)
{
    struct bench bench = open_bench(CONSTANTS("65536"), NULL);
    uint64_t target = make_device(&bench, sizeof(int));
    const struct ocl_symbol symbol = find_symbol(&bench, "bytes");
    int value = 0;

    assert_int_equal(symbol.bytes, 65536);
    write_device(&bench, symbol.address + 65535, &(unsigned char){77}, 1);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "last"), 1, 1, 0, (void *[]){&target}),
                     OCL_OK);
    read_device(&bench, &value, target, sizeof value);
    assert_int_equal(value, 77);
    free_device(target);
    close_bench(&bench);
}

TEST_BODY(symbols_beyond_constant_memory_do_not_build)
{
    struct bench bench = open_bench(NULL, NULL);
    char *log = NULL;
    static const char large[] = CONSTANTS("65537");

    assert_int_equal(
        ocl_program_build(bench.context, large, sizeof large - 1, NULL, &bench.program, &log),
        OCL_E_BUILD);
    assert_non_null(strstr(log, "64_KiB"));
    free(log);
    bench.program = NULL;
    close_bench(&bench);
}

TEST_BODY(symbols_cannot_be_freed)
{
    struct bench bench = open_bench(text, NULL);
    const void *first = (const void *)(uintptr_t)find_symbol(&bench, "counter").address;

    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, first), OCL_E_NOT_FOUND);
    assert_int_equal(read_int(&bench, "counter"), 40);
    first = (const void *)(uintptr_t)find_symbol(&bench, "weights").address;
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, first), OCL_E_NOT_FOUND);
    close_bench(&bench);
}

/* The memory goes with the program. */
TEST_BODY(symbols_leave_no_memory_behind)
{
    struct bench bench = open_bench(text, NULL);
    struct ocl_memory_view view;
    float out[3];

    use(&bench, out);
    void *const first = (void *)(uintptr_t)find_symbol(&bench, "counter").address;
    void *const second = (void *)(uintptr_t)find_symbol(&bench, "weights").address;
    assert_true(ocl_memory_find(first, &view));
    ocl_program_release(bench.program);
    assert_false(ocl_memory_find(first, &view));
    assert_false(ocl_memory_find(second, &view));
    bench.program = NULL;
    close_bench(&bench);
}

static void *find_from_thread(void *data)
{
    struct ocl_symbol symbol = {0};
    struct ocl_program *program = data;
    if (ocl_program_find_symbol(program, "counter", &symbol) != OCL_OK)
        return NULL;
    return (void *)(uintptr_t)symbol.address;
}

/* Many threads come first together: there is one block. */
TEST_BODY(symbols_are_made_once)
{
    struct bench bench = open_bench(text, NULL);
    pthread_t threads[8];
    void *found[8];

    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_from_thread, bench.program), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_join(threads[i], &found[i]), 0);
    for (int i = 0; i < 8; i++) {
        assert_non_null(found[i]);
        assert_ptr_equal(found[i], found[0]);
    }
    close_bench(&bench);
}

/* Two programs of one text have variables of their own. */
TEST_BODY(symbols_belong_to_their_program)
{
    struct bench bench = open_bench(text, NULL), other = bench;
    char *log = NULL;
    float out[3];

    assert_int_equal(
        ocl_program_build(bench.context, text, sizeof text - 1, NULL, &other.program, &log),
        OCL_OK);
    use(&other, out);
    assert_int_equal(read_int(&other, "counter"), 43);
    assert_int_equal(read_int(&bench, "counter"), 40);
    ocl_program_release(other.program);
    close_bench(&bench);
}

/* Passing by buffer and by number works under every strategy whose blocks are buffers. */
static void use_with(enum ocl_pass pass)
{
    struct bench bench = open_bench(text, NULL);
    float out[3];

    if (!bench.context->capability.has_block_buffers ||
        (pass == OCL_PASS_NUMBER && !bench.context->capability.has_addresses))
        TEST_SKIP("this strategy has no buffers, or no numbers");
    bench.context->capability.pass = pass;
    use(&bench, out);
    assert_true(out[0] == 1.5f && out[1] == 2.5f && out[2] == 3.5f);
    assert_int_equal(read_int(&bench, "counter"), 43);
    close_bench(&bench);
}

TEST_BODY(symbols_are_passed_as_buffers)
{
    use_with(OCL_PASS_BUFFER);
}

TEST_BODY(symbols_are_passed_as_numbers)
{
    use_with(OCL_PASS_NUMBER);
}

/* A user's pointer that needs a wrapper makes the hidden ones go through it as well. */
TEST_BODY(symbols_go_through_wrappers)
{
    struct bench bench = open_bench(text, NULL);
    int n = 3;
    float out[3];
    uint64_t memory = make_device(&bench, 64), target = memory + 4;

    if (!bench.context->capability.has_block_buffers)
        TEST_SKIP("the blocks of this strategy are no buffers");
    bench.context->capability.pass = OCL_PASS_BUFFER;
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "use"), 1, 1, 0, (void *[]){&target, &n}), OCL_OK);
    read_device(&bench, out, target, sizeof out);
    assert_true(out[0] == 1.5f && out[1] == 2.5f && out[2] == 3.5f);
    assert_int_equal(read_int(&bench, "counter"), 43);
    free_device(memory);
    close_bench(&bench);
}

/* A NULL among the user's pointers changes the form of the launch, not the symbols. */
TEST_BODY(symbols_beside_null_pointers)
{
    struct bench bench = open_bench(text, NULL);
    int n = 0;
    uint64_t none = 0;

    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "use"), 1, 1, 0, (void *[]){&none, &n}), OCL_OK);
    assert_int_equal(read_int(&bench, "counter"), 40);
    n = 3;
    float out[3];
    use(&bench, out);
    assert_int_equal(read_int(&bench, "counter"), 43);
    close_bench(&bench);
}

static const char managed_text[] =
    "__constant int first_limits[2] = {7, 8};\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    MANAGED(int, progress, [2]) DEVICE(int, counter, ) MANAGED(int, limits, [2])\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) MANAGED(limits, first_limits)\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void advance(int by, CLEM_SYMBOLS_PARAMETERS)\n"
    "{ CLEM_MANAGED(progress)[1] += by; CLEM_DEVICE(counter) += CLEM_MANAGED(limits)[1]; }\n";

TEST_BODY(symbols_in_managed_memory_are_the_hosts_too)
{
    struct bench bench = open_bench(managed_text, NULL);
    int by = 5;

    if (ocl_managed_method(bench.context) == OCL_MANAGED_NONE)
        TEST_SKIP("this context has no managed memory");
    int *progress = (int *)(uintptr_t)find_symbol(&bench, "progress").address;
    int *limits = (int *)(uintptr_t)find_symbol(&bench, "limits").address;
    assert_int_equal(find_symbol(&bench, "progress").kind, OCL_SYMBOL_MANAGED);
    assert_int_equal(progress[0], 0);
    assert_int_equal(progress[1], 0);
    assert_int_equal(limits[0], 7);
    progress[1] = 100;
    limits[1] = 30;
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "advance"), 1, 1, 0, (void *[]){&by}),
                     OCL_OK);
    assert_int_equal(ocl_queue_finish(bench.queue), OCL_OK);
    assert_int_equal(progress[1], 105);
    assert_int_equal(read_int(&bench, "counter"), 30);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_MANAGED, progress), OCL_E_NOT_FOUND);
    close_bench(&bench);
}

/* Each context has variables of its own. */
TEST_BODY(symbols_of_two_contexts)
{
    struct bench bench = open_bench(text, NULL), other = {NULL, NULL, NULL};
    char *log = NULL;
    float out[3];
    const int index = ocl_device_count() > 1 ? 1 : 0;

    assert_int_equal(ocl_context_open(index, &other.context), OCL_OK);
    other.queue = ocl_queue_legacy(other.context);
    assert_int_equal(
        ocl_program_build(other.context, text, sizeof text - 1, NULL, &other.program, &log),
        OCL_OK);
    use(&other, out);
    use(&other, out);
    use(&bench, out);
    assert_int_equal(read_int(&other, "counter"), 46);
    assert_int_equal(read_int(&bench, "counter"), 43);
    close_bench(&other);
    close_bench(&bench);
}

/* Tests of what kernels take, and of launching them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "cl/memory.h"
#include "cl/program/kernel_info.h"
#include "cl/queue/command.h"
#include "tests/cl/launch.h"

/* ---- types and parameters ---- */

struct expected_type {
    const char *name;
    size_t bytes;
};

TEST_BODY(kernel_knows_types_of_opencl_c)
{
    static const struct expected_type types[] = {
        {"char", 1},      {"uchar", 1},         {"unsigned char", 1},  {"signed char", 1},
        {"short", 2},     {"ushort", 2},        {"unsigned short", 2}, {"int", 4},
        {"uint", 4},      {"unsigned int", 4},  {"unsigned", 4},       {"long", 8},
        {"ulong", 8},     {"unsigned long", 8}, {"half", 2},           {"float", 4},
        {"double", 8},    {"size_t", 8},        {"ptrdiff_t", 8},      {"intptr_t", 8},
        {"uintptr_t", 8}, {"bool", 1},          {"char2", 2},          {"char3", 4},
        {"uchar16", 16},  {"short3", 8},        {"float3", 16},        {"float4", 16},
        {"int8", 32},     {"double3", 32},      {"double16", 128},     {"ulong16", 128},
        {"half8", 16},
    };
    static const char *const strangers[] = {
        "float5",        "size_t2", "struct foo", "",     "float33",    "4",         "my_t",
        "unsigned int2", "float4*", "bool2",      "int1", "enum color", "long long", "?"};
    size_t bytes, alignment;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!ocl_kernel_info_type(types[i].name, 64, &bytes, &alignment))
            fail_msg("%s is not known", types[i].name);
        assert_int_equal(bytes, types[i].bytes);
        assert_int_equal(alignment, types[i].bytes);
    }
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        assert_false(ocl_kernel_info_type(strangers[i], 64, &bytes, &alignment));
    assert_true(ocl_kernel_info_type("size_t", 32, &bytes, &alignment));
    assert_int_equal(bytes, 4);
}

static const char many_kinds[] =
    "typedef unsigned long u64;\n"
    "__kernel void many(__global float *p, const __global int *restrict q,\n"
    "                   __constant uint4 *c, __local int *l, char a, ushort3 v, u64 u,\n"
    "                   unsigned char b, volatile __global float4 *r, float f, int2 w)\n"
    "{ p[0] = 0; }\n";

TEST_BODY(kernel_finds_kinds_sizes_and_offsets)
{
    struct bench bench = open_bench(many_kinds, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "many");
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(kernel);
    struct packed { /* the same in C, without the __local pointer */
        uint64_t p, q, c;
        char a;
        _Alignas(8) uint16_t v[4];
        uint64_t u;
        unsigned char b;
        uint64_t r;
        float f;
        _Alignas(8) int w[2];
    };
    static const struct ocl_parameter expected[] = {
        {OCL_PARAMETER_POINTER, 8, offsetof(struct packed, p)},
        {OCL_PARAMETER_POINTER, 8, offsetof(struct packed, q)},
        {OCL_PARAMETER_POINTER, 8, offsetof(struct packed, c)},
        {OCL_PARAMETER_LOCAL, 0, offsetof(struct packed, a)},
        {OCL_PARAMETER_VALUE, 1, offsetof(struct packed, a)},
        {OCL_PARAMETER_VALUE, 8, offsetof(struct packed, v)},
        {OCL_PARAMETER_VALUE, 8, offsetof(struct packed, u)},
        {OCL_PARAMETER_VALUE, 1, offsetof(struct packed, b)},
        {OCL_PARAMETER_POINTER, 8, offsetof(struct packed, r)},
        {OCL_PARAMETER_VALUE, 4, offsetof(struct packed, f)},
        {OCL_PARAMETER_VALUE, 8, offsetof(struct packed, w)},
    };

    assert_int_equal(facts->status, OCL_OK);
    assert_string_equal(facts->name, "many");
    assert_string_equal(facts->reason, "");
    assert_int_equal(facts->parameter_count, 11);
    assert_int_equal(facts->entry_count, 10);
    assert_int_equal(facts->local_count, 1);
    assert_int_equal(facts->argument_bytes, sizeof(struct packed));
    assert_true(facts->max_work_group > 0);
    assert_ptr_equal(ocl_kernel_facts(kernel), facts);
    for (size_t i = 0; i < facts->parameter_count; i++) {
        const struct ocl_parameter *parameter = ocl_kernel_parameter(kernel, i);
        assert_int_equal(parameter->kind, expected[i].kind);
        assert_int_equal(parameter->bytes, expected[i].bytes);
        assert_int_equal(parameter->offset, expected[i].offset);
    }
    close_bench(&bench);
}

/* The same declarations for both compilers; C has no int4, and OpenCL C has no int32_t. */
#define OWN_TYPES                                                                                  \
    struct simple {                                                                                \
        int a;                                                                                     \
        char b;                                                                                    \
    };                                                                                             \
    struct __attribute__((packed)) tight {                                                         \
        char a;                                                                                    \
        int b;                                                                                     \
        short c;                                                                                   \
    };                                                                                             \
    struct nested {                                                                                \
        struct simple in;                                                                          \
        struct tight t;                                                                            \
        char last;                                                                                 \
    };                                                                                             \
    typedef struct {                                                                               \
        char c;                                                                                    \
        double d;                                                                                  \
    } with_double;                                                                                 \
    typedef struct simple renamed;                                                                 \
    typedef float real;                                                                            \
    union either {                                                                                 \
        int i;                                                                                     \
        long l[3];                                                                                 \
        char c[27];                                                                                \
    };                                                                                             \
    enum color { RED, GREEN };                                                                     \
    struct array {                                                                                 \
        char c[13];                                                                                \
    };

OWN_TYPES

#define AS_TEXT(...)    #__VA_ARGS__
#define TYPES_TEXT(...) AS_TEXT(__VA_ARGS__)

TEST_BODY(kernel_sizes_own_types)
{
    static const char text[] =
        TYPES_TEXT(OWN_TYPES) "\nstruct vectors { char a; float3 v; };\n"
                              "struct wide { int a; } __attribute__((aligned(32)));\n"
                              "__kernel void k(char before, struct simple a, struct tight b, "
                              "struct nested c,\n"
                              "                with_double d, renamed e, real f, union either g, "
                              "enum color h,\n"
                              "                struct array i, struct vectors j, struct wide k, "
                              "__global int *out)\n"
                              "{ out[0] = 0; }\n"
                              "__kernel void other(struct array a, __global struct nested *b) { "
                              "b[0].last = a.c[0]; }\n";
    struct entries {
        char before;
        struct simple a;
        struct tight b;
        struct nested c;
        with_double d;
        renamed e;
        real f;
        union either g;
        enum color h;
        struct array i;
        struct {
            char a;
            _Alignas(16) float v[4];
        } j;
        struct {
            _Alignas(32) int a;
        } k;
        uint64_t out;
    };
    static const struct ocl_parameter expected[] = {
#define ENTRY(field)                                                                               \
    {OCL_PARAMETER_VALUE, sizeof((struct entries *)0)->field, offsetof(struct entries, field)}
        ENTRY(before),
        ENTRY(a),
        ENTRY(b),
        ENTRY(c),
        ENTRY(d),
        ENTRY(e),
        ENTRY(f),
        ENTRY(g),
        ENTRY(h),
        ENTRY(i),
        ENTRY(j),
        ENTRY(k),
#undef ENTRY
        {OCL_PARAMETER_POINTER, 8, offsetof(struct entries, out)},
    };

    if (!ocl_device_facts(0)->has_double)
        TEST_SKIP("the device has no double");
    struct bench bench = open_bench(text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "k");
    assert_int_equal(ocl_kernel_facts(kernel)->status, OCL_OK);
    assert_int_equal(ocl_kernel_facts(kernel)->parameter_count, 13);
    for (size_t i = 0; i < 13; i++) {
        const struct ocl_parameter *parameter = ocl_kernel_parameter(kernel, i);
        assert_int_equal(parameter->kind, expected[i].kind);
        assert_int_equal(parameter->bytes, expected[i].bytes);
        assert_int_equal(parameter->offset, expected[i].offset);
    }
    assert_int_equal(ocl_kernel_parameter(find_kernel(&bench, "other"), 0)->bytes, 13);
    close_bench(&bench);
}

/* As on a driver whose compiler cannot build kernels without parameters together with argument
 * info: the program itself is built without, and another build is asked. */
TEST_BODY(kernel_parameters_may_come_from_another_build)
{
    static const char text[] =
        "struct pair { int a, b; };\n"
        "__kernel void none(void) { }\n__kernel void nothing() { }\n"
        "__kernel void k(char c, __global int *out, struct pair v) { out[0] = v.a * v.b + c; }\n";
    struct bench bench = open_bench(text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "k");
    struct {
        int a, b;
    } pair = {6, 7};
    char c = 100;
    int value = 0;
    uint64_t out = make_device(&bench, sizeof value);

    bench.program->has_info = false;
    assert_int_equal(ocl_kernel_facts(kernel)->status, OCL_OK);
    assert_non_null(bench.program->description);
    assert_int_equal(ocl_kernel_facts(kernel)->parameter_count, 3);
    assert_int_equal(ocl_kernel_parameter(kernel, 2)->bytes, sizeof pair);
    assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, (void *[]){&c, &out, &pair}), OCL_OK);
    read_device(&bench, &value, out, sizeof value);
    assert_int_equal(value, 142);
    assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "none"))->parameter_count, 0);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "none"), 1, 1, 0, NULL), OCL_OK);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "nothing"), 1, 1, 0, NULL), OCL_OK);
    free_device(out);
    close_bench(&bench);
}

/* A type that exists only inside a parameter list cannot be named by any other kernel. */
TEST_BODY(kernel_refuses_types_without_a_size)
{
    static const char text[] =
        "struct outer { int a; int b; };\n"
        "__kernel void good(__global int *out, struct outer v) { out[0] = v.b; }\n"
        "__kernel void bad(__global int *out, struct inner { int a; } v) { out[0] = v.a; }\n"
        "__kernel void plain(__global int *out) { out[0] = 5; }\n";
    struct ocl_program *program = NULL;
    char *log = NULL;
    struct bench bench = open_bench(NULL, NULL);
    int value = 0, in[2] = {7, 8};

    listen_to_logs();
    if (ocl_program_build(bench.context, text, strlen(text), NULL, &program, &log) != OCL_OK)
        TEST_SKIP("the compiler does not take such a parameter at all");
    bench.program = program;
    uint64_t cell = make_device(&bench, sizeof value);
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "bad"), 1, 1, 0, (void *[]){&cell, in}),
        OCL_E_NOT_SUPPORTED);
    assert_non_null(strstr(heard(), "struct inner"));
    assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "bad"))->status, OCL_E_NOT_SUPPORTED);
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "good"), 1, 1, 0, (void *[]){&cell, in}), OCL_OK);
    read_device(&bench, &value, cell, sizeof value);
    assert_int_equal(value, 8);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "plain"), 1, 1, 0, (void *[]){&cell}),
                     OCL_OK);
    free_device(cell);
    close_bench(&bench);
}

TEST_BODY(kernel_refuses_what_arguments_cannot_carry)
{
    static const char two_locals[] =
        "__kernel void k(__local int *a, __local int *b, __global int *out)\n"
        "{ a[0] = 1; b[0] = 2; out[0] = a[0] + b[0]; }\n";
    static const char image[] =
        "__kernel void k(sampler_t s, read_only image2d_t i, __global float4 *out)\n"
        "{ out[0] = read_imagef(i, s, (float2)(0, 0)); }\n";
    struct bench bench = open_bench(two_locals, NULL);
    uint64_t cell = make_device(&bench, 16);

    listen_to_logs();
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "k"), 1, 1, 8, (void *[]){&cell}),
                     OCL_E_NOT_SUPPORTED);
    assert_non_null(strstr(heard(), "__local"));
    ocl_program_release(bench.program);
    bench.program = NULL;
    if (ocl_device_facts(0)->has_images) {
        listen_to_logs();
        assert_int_equal(
            ocl_program_build(bench.context, image, strlen(image), NULL, &bench.program, NULL),
            OCL_OK);
        struct ocl_kernel *kernel = find_kernel(&bench, "k");
        assert_int_equal(ocl_kernel_parameter(kernel, 0)->kind, OCL_PARAMETER_OPAQUE);
        assert_int_equal(ocl_kernel_parameter(kernel, 1)->kind, OCL_PARAMETER_TEXTURE);
        assert_int_equal(ocl_kernel_parameter(kernel, 2)->kind, OCL_PARAMETER_POINTER);
        assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, (void *[]){&cell, &cell, &cell}),
                         OCL_E_NOT_SUPPORTED);
        assert_non_null(strstr(heard(), "sampler_t"));
    }
    free_device(cell);
    close_bench(&bench);
}

/* ---- values ---- */

TEST_BODY(kernel_passes_every_builtin_type)
{
    static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "float"};
    static const int widths[] = {1, 2, 3, 4, 8, 16};
    unsigned char value[128], result[128];
    char *text = calloc(1, 20000);

    for (size_t i = 0; i < 9; i++)
        for (size_t w = 0; w < 6; w++) {
            char type[20];
            snprintf(type, sizeof type, widths[w] == 1 ? "%s" : "%s%d", names[i], widths[w]);
            snprintf(text + strlen(text), 20000 - strlen(text),
                     "__kernel void k_%s(__global char *out, %s v, char end)\n"
                     "{ *(__global %s *)out = v; out[128] = end; }\n",
                     type, type, type);
        }
    struct bench bench = open_bench(text, NULL);
    uint64_t out = make_device(&bench, 129);
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (unsigned char)(i * 7 + 3);
    for (size_t i = 0; i < ocl_program_kernel_count(bench.program); i++) {
        struct ocl_kernel *kernel = ocl_program_kernel(bench.program, i);
        const size_t bytes = ocl_kernel_parameter(kernel, 1)->bytes;
        /* The fourth element of a vector of three has no defined value. */
        const size_t defined = strchr(ocl_kernel_name(kernel), '3') ? bytes / 4 * 3 : bytes;
        char end = (char)i, stored = 0;
        assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, (void *[]){&out, value, &end}),
                         OCL_OK);
        read_device(&bench, result, out, defined);
        assert_memory_equal(result, value, defined);
        read_device(&bench, &stored, out + 128, 1);
        assert_int_equal(stored, end);
    }
    free_device(out);
    close_bench(&bench);
    free(text);
}

TEST_BODY(kernel_passes_structs_by_value)
{
    static const char text[] =
        "struct mixed { char a; int b; short c; };\n"
        "typedef struct { struct mixed t[3]; long l; } both;\n"
        "__kernel void k(struct mixed x, __global long *out, both y, char z)\n"
        "{ out[0] = x.a; out[1] = x.b; out[2] = x.c; out[3] = y.t[2].b; out[4] = y.l; out[5] = z; "
        "}\n";
    struct mixed {
        char a;
        int b;
        short c;
    } x = {1, -2, 3};
    struct {
        struct mixed t[3];
        int64_t l;
    } y = {.t[2].b = 44, .l = INT64_C(1) << 40};
    struct bench bench = open_bench(text, NULL);
    char z = 9;
    uint64_t out = make_device(&bench, 6 * sizeof(int64_t));
    int64_t result[6];
    const int64_t expected[6] = {1, -2, 3, 44, INT64_C(1) << 40, 9};

    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "k"), 1, 1, 0, (void *[]){&x, &out, &y, &z}),
        OCL_OK);
    read_device(&bench, result, out, sizeof result);
    assert_memory_equal(result, expected, sizeof result);
    free_device(out);
    close_bench(&bench);
}

struct __attribute__((packed)) tight_value {
    char a;
    int b;
    short c;
};

/* What the driver makes of a packed struct when clem has no part in it. */
static void launch_tight_natively(const struct bench *bench, const struct tight_value *value,
                                  int64_t result[3])
{
    const size_t one = 1;
    cl_int error;
    struct ocl_command command;
    cl_kernel kernel = clCreateKernel(bench->program->cl, "k", &error);
    cl_mem buffer = clCreateBuffer(bench->context->cl, CL_MEM_READ_WRITE, 24, NULL, &error);

    assert_int_equal(clSetKernelArg(kernel, 0, sizeof *value, value), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof buffer, &buffer), CL_SUCCESS);
    assert_int_equal(ocl_command_begin(&command, bench->queue, OCL_COMMAND_MEMORY), OCL_OK);
    ocl_enqueue_range(&command, kernel, 1, NULL, &one, &one, NULL);
    ocl_enqueue_read(&command, buffer, 0, 24, result, NULL);
    ocl_command_end(&command);
    assert_int_equal(ocl_queue_finish(bench->queue), OCL_OK);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
}

TEST_BODY(kernel_passes_packed_structs)
{
    static const char text[] = "struct __attribute__((packed)) tight { char a; int b; short c; };\n"
                               "__kernel void k(struct tight x, __global long *out)\n"
                               "{ out[0] = x.a; out[1] = x.b; out[2] = x.c; }\n";
    struct tight_value x = {1, -2, 3};
    struct bench bench = open_bench(text, NULL);
    uint64_t out = make_device(&bench, 24);
    int64_t result[3], natively[3] = {0, 0, 0};
    const int64_t expected[3] = {1, -2, 3};

    assert_int_equal(launch_line(&bench, find_kernel(&bench, "k"), 1, 1, 0, (void *[]){&x, &out}),
                     OCL_OK);
    read_device(&bench, result, out, sizeof result);
    launch_tight_natively(&bench, &x, natively);
    assert_memory_equal(result, natively, sizeof result);
    if (memcmp(natively, expected, sizeof natively) != 0)
        TEST_SKIP("the driver itself gives a kernel wrong values of a packed struct");
    free_device(out);
    close_bench(&bench);
}

/* Each launch differs from the last in one argument, or in none: what is not set again must still
 * be right. */
TEST_BODY(kernel_arguments_change_one_at_a_time)
{
    static const char text[] =
        "__kernel void k(__global int *out, int a, long b, __global int *in)\n"
        "{ out[0] = a + (int)b + in[0]; }\n";
    struct bench bench = open_bench(text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "k");
    uint64_t out[2] = {make_device(&bench, 4), make_device(&bench, 4)};
    uint64_t in[2] = {make_device(&bench, 4), make_device(&bench, 4)};
    const int inputs[2] = {1000, 2000};

    for (int i = 0; i < 2; i++)
        write_device(&bench, in[i], &inputs[i], sizeof inputs[i]);
    for (unsigned step = 0; step < 64; step++) {
        const unsigned which = (step ^ (step >> 1)) % 16; /* Gray code: one bit at a time */
        int a = which & 1 ? 10 : 20, result = 0;
        int64_t b = which & 2 ? 1 : 2;
        void *arguments[] = {&out[which >> 2 & 1], &a, &b, &in[which >> 3 & 1]};
        for (int repeat = 0; repeat < 2; repeat++) {
            write_device(&bench, out[which >> 2 & 1], &result, sizeof result);
            assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, arguments), OCL_OK);
            read_device(&bench, &result, out[which >> 2 & 1], sizeof result);
            assert_int_equal(result, a + (int)b + inputs[which >> 3 & 1]);
            result = 0;
        }
    }
    for (int i = 0; i < 2; i++) {
        free_device(out[i]);
        free_device(in[i]);
    }
    close_bench(&bench);
}

/* ---- pointers ---- */

static const char copy_text[] =
    "__kernel void copy(__global uchar *out, const __global uchar *in, uint n)\n"
    "{ uint i = (uint)get_global_id(0); if (i < n) out[i] = in[i]; }\n"
    "__kernel void copy_int(__global int *restrict out, __constant int *in)\n"
    "{ size_t i = get_global_id(0); out[i] = in[i]; }\n"
    "__kernel void backwards(__global int *p) { p[-1] = 77; }\n";

TEST_BODY(kernel_takes_pointers_into_the_middle)
{
    enum { BYTES = 4096, COUNT = 64 };
    static const size_t offsets[] = {0, 1, 2, 3, 4, 12, 127, 128, 129, 256, 512, 1000, 2048, 4032};
    struct bench bench = open_bench(copy_text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "copy");
    uint64_t in = make_device(&bench, BYTES), out = make_device(&bench, BYTES);
    unsigned char source[BYTES], target[BYTES], expected[BYTES];
    uint32_t count = COUNT;

    for (size_t i = 0; i < BYTES; i++)
        source[i] = (unsigned char)(i * 31 + i / 256);
    write_device(&bench, in, source, BYTES);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        for (size_t j = 0; j < sizeof offsets / sizeof *offsets; j += 3) {
            uint64_t to = out + offsets[i], from = in + offsets[j];
            memset(expected, 0xee, BYTES);
            write_device(&bench, out, expected, BYTES);
            memcpy(expected + offsets[i], source + offsets[j], COUNT);
            assert_int_equal(
                launch_line(&bench, kernel, 1, COUNT, 0, (void *[]){&to, &from, &count}), OCL_OK);
            read_device(&bench, target, out, BYTES);
            assert_memory_equal(target, expected, BYTES);
        }
    free_device(in);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_takes_constant_pointers_into_the_middle)
{
    static const size_t offsets[] = {0, 4, 20, 256, 1024};
    struct bench bench = open_bench(copy_text, NULL);
    int source[1024], target[8];
    uint64_t in = make_device(&bench, sizeof source), out = make_device(&bench, sizeof target);

    for (int i = 0; i < 1024; i++)
        source[i] = i * 3;
    write_device(&bench, in, source, sizeof source);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        uint64_t from = in + offsets[i];
        assert_int_equal(
            launch_line(&bench, find_kernel(&bench, "copy_int"), 2, 4, 0, (void *[]){&out, &from}),
            OCL_OK);
        read_device(&bench, target, out, sizeof target);
        assert_memory_equal(target, source + offsets[i] / sizeof(int), sizeof target);
    }
    free_device(in);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_takes_many_pointers)
{
    enum { POINTERS = 60 };
    char text[8192] = "__kernel void k(__global int *out";
    uint64_t out, in[POINTERS];
    void *arguments[POINTERS + 1] = {&out};
    int result = 0, expected = 0;

    for (int i = 0; i < POINTERS; i++)
        snprintf(text + strlen(text), 100, ", __global int *p%d", i);
    strcat(text, ") { out[0] = 0");
    for (int i = 0; i < POINTERS; i++)
        snprintf(text + strlen(text), 100, " + p%d[0]", i);
    strcat(text, "; }\n");
    struct bench bench = open_bench(text, NULL);
    out = make_device(&bench, 4);
    for (int i = 0; i < POINTERS; i++) {
        const int value = i * i;
        in[i] = make_device(&bench, 16) + 4 * (uint64_t)(i % 3);
        write_device(&bench, in[i], &value, sizeof value);
        arguments[i + 1] = &in[i];
        expected += value;
    }
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "k"), 1, 1, 0, arguments), OCL_OK);
    read_device(&bench, &result, out, sizeof result);
    assert_int_equal(result, expected);
    for (int i = 0; i < POINTERS; i++)
        free_device(in[i] - 4 * (uint64_t)(i % 3));
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_may_go_backwards_from_the_middle)
{
    struct bench bench = open_bench(copy_text, NULL);
    int target[4] = {1, 2, 3, 4};
    uint64_t cells = make_device(&bench, sizeof target), second = cells + sizeof(int);

    write_device(&bench, cells, target, sizeof target);
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "backwards"), 1, 1, 0, (void *[]){&second}),
        OCL_OK);
    read_device(&bench, target, cells, sizeof target);
    assert_int_equal(target[0], 77);
    assert_int_equal(target[1], 2);
    free_device(cells);
    close_bench(&bench);
}

static const char report_text[] = "__kernel void report(__global ulong *out, __global int *p, "
                                  "__constant int *c, __global int *q)\n"
                                  "{ out[0] = (ulong)p; out[1] = c == 0; out[2] = (ulong)q; }\n";

TEST_BODY(kernel_takes_null_pointers)
{
    struct bench bench = open_bench(report_text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "report");
    uint64_t out = make_device(&bench, 24), cells = make_device(&bench, 64), result[3];

    for (unsigned step = 0; step < 64; step++) {
        const unsigned mask = step * 5 / 2 % 8; /* every pattern, and most steps between them */
        uint64_t p = mask & 1 ? cells + 4 * (step % 3) : 0;
        uint64_t c = mask & 2 ? cells : 0;
        uint64_t q = mask & 4 ? cells + 8 : 0;
        assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, (void *[]){&out, &p, &c, &q}),
                         OCL_OK);
        read_device(&bench, result, out, sizeof result);
        assert_int_equal(result[0] == 0, p == 0);
        assert_int_equal(result[1], c == 0);
        assert_int_equal(result[2] == 0, q == 0);
        if (bench.context->capability.has_addresses) {
            assert_int_equal(result[0], p);
            assert_int_equal(result[2], q);
        }
    }
    free_device(out);
    free_device(cells);
    close_bench(&bench);
}

TEST_BODY(kernel_takes_unknown_pointers_as_they_are)
{
    struct bench bench = open_bench(report_text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "report");
    uint64_t out = make_device(&bench, 24), cells = make_device(&bench, 65536), result[3];
    uint64_t gone = make_device(&bench, 64 << 20);
    const uint64_t strangers[] = {0x12345678, cells + 65536, 0x7fffffffff00, cells - 256, gone};

    free_device(gone);
    ocl_memory_trim(bench.context);
    listen_to_logs();
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        uint64_t p = strangers[i], q = i % 2 ? cells + 4 : strangers[i];
        const ocl_status status =
            launch_line(&bench, kernel, 1, 1, 0, (void *[]){&out, &p, &cells, &q});
        if (!bench.context->capability.has_addresses) {
            struct ocl_memory_view view;
            if (!ocl_memory_find((void *)(uintptr_t)p, &view)) {
                assert_int_equal(status, OCL_E_NEEDS_ADDRESS);
                assert_non_null(strstr(heard(), "report"));
            }
            continue;
        }
        assert_int_equal(status, OCL_OK);
        read_device(&bench, result, out, sizeof result);
        assert_int_equal(result[0], p);
        assert_int_equal(result[2], q);
    }
    /* A known pointer afterwards is as good as before. */
    assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, (void *[]){&out, &cells, &cells, &cells}),
                     OCL_OK);
    free_device(out);
    free_device(cells);
    close_bench(&bench);
}

TEST_BODY(kernel_follows_pointers_in_memory)
{
    static const char text[] = "struct view { ulong data; int count; };\n"
                               "struct node { ulong next; int value; };\n"
                               "__kernel void by_value(struct view v, __global int *out)\n"
                               "{ __global int *p = (__global int *)v.data; int s = 0;\n"
                               "  for (int i = 0; i < v.count; i++) s += p[i]; out[0] = s; }\n"
                               "__kernel void chase(__global struct node *n, __global int *out)\n"
                               "{ int s = 0; while (n) { s += n->value; n = (__global struct node "
                               "*)n->next; } out[0] = s; }\n";
    struct bench bench = open_bench(text, NULL);
    struct {
        uint64_t data;
        int count;
    } view;
    struct {
        uint64_t next;
        int value;
    } node = {0, 0};
    uint64_t out = make_device(&bench, 4), cells = make_device(&bench, 40), nodes[20];
    int values[10], sum = 0;

    if (!bench.context->capability.has_addresses)
        TEST_SKIP("%s", ocl_context_address_reason(bench.context));
    for (int i = 0; i < 10; i++)
        values[i] = i + 1;
    write_device(&bench, cells, values, sizeof values);
    view.data = cells + 8;
    view.count = 5;
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "by_value"), 1, 1, 0, (void *[]){&view, &out}),
        OCL_OK);
    read_device(&bench, &sum, out, sizeof sum);
    assert_int_equal(sum, 3 + 4 + 5 + 6 + 7);
    for (int i = 0; i < 20; i++) { /* the list grows between launches */
        nodes[i] = make_device(&bench, i % 2 ? 16 : 3 << 20);
        node.next = i > 0 ? nodes[i - 1] : 0;
        node.value = i + 1;
        write_device(&bench, nodes[i], &node, sizeof node);
        assert_int_equal(
            launch_line(&bench, find_kernel(&bench, "chase"), 1, 1, 0, (void *[]){&nodes[i], &out}),
            OCL_OK);
        read_device(&bench, &sum, out, sizeof sum);
        assert_int_equal(sum, (i + 1) * (i + 2) / 2);
    }
    for (int i = 0; i < 20; i++)
        free_device(nodes[i]);
    free_device(cells);
    free_device(out);
    close_bench(&bench);
}

/* What a kernel stored in pinned memory, another reads from it: this holds wherever that memory is.
 */
TEST_BODY(kernel_takes_pinned_host_pointers)
{
    static const char text[] =
        "__kernel void put(__global int *p, int v) { p[0] = v; }\n"
        "__kernel void get(__global int *p, __global int *q) { p[0] = q[0]; }\n";
    struct bench bench = open_bench(text, NULL);
    void *host = NULL;
    uint64_t device = 0, out = make_device(&bench, 4);
    int result = 0, value = 4711;
    const struct ocl_capability *capability = &bench.context->capability;

    if (!capability->reaches_pinned_host && !capability->device_is_host_memory)
        TEST_SKIP("kernels of this device do not see pinned memory under this strategy");

    assert_int_equal(ocl_memory_allocate_host(bench.context, 8192, 0, &host, &device), OCL_OK);
    for (size_t offset = 0; offset < 8192; offset += 1028) {
        const uint64_t by_host = (uint64_t)(uintptr_t)host + offset, by_device = device + offset;
        value++;
        assert_int_equal(launch_line(&bench, find_kernel(&bench, "put"), 1, 1, 0,
                                     (void *[]){(void *)(uintptr_t)&by_host, &value}),
                         OCL_OK);
        assert_int_equal(launch_line(&bench, find_kernel(&bench, "get"), 1, 1, 0,
                                     (void *[]){&out, (void *)(uintptr_t)&by_device}),
                         OCL_OK);
        read_device(&bench, &result, out, sizeof result);
        assert_int_equal(result, value);
    }
    assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, host), OCL_OK);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_outlives_the_buffers_it_saw)
{
    struct bench bench = open_bench(copy_text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "copy");
    uint32_t count = 100;
    unsigned char source[100], target[100];

    for (int round = 0; round < 40; round++) {
        const size_t bytes = round % 2 ? 300 : 5 << 20;
        uint64_t in = make_device(&bench, bytes), out = make_device(&bench, bytes);
        uint64_t inner = in + (size_t)round % 7;
        memset(source, round, sizeof source);
        write_device(&bench, inner, source, sizeof source);
        assert_int_equal(launch_line(&bench, kernel, 4, 32, 0, (void *[]){&out, &inner, &count}),
                         OCL_OK);
        read_device(&bench, target, out, sizeof target);
        assert_memory_equal(target, source, sizeof source);
        free_device(in);
        free_device(out);
        ocl_memory_trim(bench.context);
    }
    close_bench(&bench);
}

/* ---- groups and local memory ---- */

static const char shape_text[] =
    "__kernel void shape(__global uint *out)\n"
    "{ size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "  out[i] = (uint)(get_local_id(0) | get_local_id(1) << 4 | get_local_id(2) << 8 |\n"
    "                  get_group_id(0) << 12 | get_group_id(1) << 16 | get_group_id(2) << 20); }\n"
    "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(__global int *out)\n"
    "{ out[0] = 1; }\n"
    "__kernel void with_local(__global int *out, __local int *l, int n)\n"
    "{ int i = (int)get_local_id(0); l[i] = i * n; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = l[(int)get_local_size(0) - 1 - i]; }\n"
    "__kernel void own_local(__global int *out)\n"
    "{ __local int l[16]; int i = (int)get_local_id(0); l[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = l[15 - i]; }\n"
    "__kernel void unused_local(__local int *l, __global int *out) { out[0] = 5; }\n"
    "__kernel void empty(void) { }\n";

TEST_BODY(kernel_launches_all_shapes)
{
    static const struct {
        size_t groups[3], items[3];
    } shapes[] = {
        {{1, 1, 1}, {1, 1, 1}}, {{7, 1, 1}, {8, 1, 1}}, {{2, 3, 4}, {4, 2, 2}},
        {{1, 1, 5}, {1, 1, 1}}, {{1, 4, 1}, {1, 8, 1}}, {{1, 1, 1}, {2, 1, 4}},
    };
    struct bench bench = open_bench(shape_text, NULL);
    uint64_t out = make_device(&bench, 4096);
    uint32_t result[1024];

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct ocl_launch launch = {.arguments = (void *[]){&out}};
        size_t size[3], i = 0;
        for (int d = 0; d < 3; d++) {
            launch.groups[d] = shapes[s].groups[d];
            launch.items[d] = shapes[s].items[d];
            size[d] = launch.groups[d] * launch.items[d];
        }
        memset(result, 0xff, sizeof result);
        write_device(&bench, out, result, 4096);
        assert_int_equal(ocl_kernel_launch(find_kernel(&bench, "shape"), bench.queue, &launch),
                         OCL_OK);
        read_device(&bench, result, out, 4096);
        for (size_t z = 0; z < size[2]; z++)
            for (size_t y = 0; y < size[1]; y++)
                for (size_t x = 0; x < size[0]; x++, i++)
                    assert_int_equal(result[i],
                                     x % launch.items[0] | y % launch.items[1] << 4 |
                                         z % launch.items[2] << 8 | x / launch.items[0] << 12 |
                                         y / launch.items[1] << 16 | z / launch.items[2] << 20);
        assert_int_equal(result[i], UINT32_MAX);
    }
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_refuses_sizes_that_do_not_fit)
{
    struct bench bench = open_bench(shape_text, NULL);
    const struct ocl_device_facts *device = ocl_device_facts(0);
    const size_t most = ocl_device_most_threads(0) > device->max_work_group
                            ? ocl_device_most_threads(0)
                            : device->max_work_group;
    uint64_t out = make_device(&bench, 64);
    void *arguments[] = {&out};
    const struct {
        const char *kernel;
        struct ocl_launch launch;
    } bad[] = {
        {"shape", {{0, 1, 1}, {1, 1, 1}, 0, arguments, false, 0, NULL, {0}}},
        {"shape", {{1, 1, 0}, {1, 1, 1}, 0, arguments, false, 0, NULL, {0}}},
        {"shape", {{1, 1, 1}, {1, 0, 1}, 0, arguments, false, 0, NULL, {0}}},
        {"shape", {{1, 1, 1}, {most + 1, 1, 1}, 0, arguments, false, 0, NULL, {0}}},
        {"shape", {{1, 1, 1}, {most, 2, 1}, 0, arguments, false, 0, NULL, {0}}},
        {"shape",
         {{1, 1, 1}, {1, 1, device->max_work_item[2] + 1}, 0, arguments, false, 0, NULL, {0}}},
        {"shape", {{1, 1, 1}, {SIZE_MAX, SIZE_MAX, 2}, 0, arguments, false, 0, NULL, {0}}},
        {"shape", {{SIZE_MAX, 1, 1}, {2, 1, 1}, 0, arguments, false, 0, NULL, {0}}},
        {"shape",
         {{1, 1, 1}, {1, 1, 1}, (size_t)device->local_bytes + 1, arguments, false, 0, NULL, {0}}},
        {"own_local", {{1, 1, 1}, {16, 1, 1}, SIZE_MAX, arguments, false, 0, NULL, {0}}},
        {"fixed", {{1, 1, 1}, {8, 1, 1}, 0, arguments, false, 0, NULL, {0}}},
        {"fixed", {{1, 1, 1}, {2, 4, 1}, 0, arguments, false, 0, NULL, {0}}},
    };
    const struct ocl_launch good = {{3, 1, 1}, {4, 2, 1}, 0, arguments, false, 0, NULL, {0}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(
            ocl_kernel_launch(find_kernel(&bench, bad[i].kernel), bench.queue, &bad[i].launch),
            OCL_E_LAUNCH_SIZE);
    assert_int_equal(ocl_kernel_launch(find_kernel(&bench, "fixed"), bench.queue, &good), OCL_OK);
    assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "fixed"))->required_work_group[0], 4);
    assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "shape"))->required_work_group[0], 0);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_takes_groups_as_large_as_the_device_does)
{
    struct bench bench = open_bench(shape_text, NULL);
    const size_t most = ocl_device_facts(0)->max_work_group < ocl_device_facts(0)->max_work_item[0]
                            ? ocl_device_facts(0)->max_work_group
                            : ocl_device_facts(0)->max_work_item[0];
    uint64_t out = make_device(&bench, most * 4);

    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "shape"), 1, most, 0, (void *[]){&out}), OCL_OK);
    assert_int_equal(ocl_queue_finish(bench.queue), OCL_OK);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_gets_local_memory)
{
    struct bench bench = open_bench(shape_text, NULL);
    uint64_t out = make_device(&bench, 256 * 4);
    int result[256], n = 3;

    for (size_t items = 64; items >= 8; items /= 2) {
        assert_int_equal(launch_line(&bench, find_kernel(&bench, "with_local"), 4, items, items * 4,
                                     (void *[]){&out, &n}),
                         OCL_OK);
        read_device(&bench, result, out, items * 4 * 4);
        for (size_t i = 0; i < 4 * items; i++)
            assert_int_equal(result[i], (int)(items - 1 - i % items) * n);
    }
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "own_local"), 2, 16, 0, (void *[]){&out}), OCL_OK);
    read_device(&bench, result, out, 128);
    for (int i = 0; i < 32; i++)
        assert_int_equal(result[i], 15 - i % 16);
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "unused_local"), 1, 1, 0, (void *[]){&out}),
        OCL_OK);
    read_device(&bench, result, out, 4);
    assert_int_equal(result[0], 5);
    /* Bytes that no parameter takes are no error. */
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "empty"), 1, 1, 1024, NULL), OCL_OK);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_takes_all_local_memory)
{
    struct bench bench = open_bench(shape_text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "with_local");
    const size_t rest =
        (size_t)ocl_device_facts(0)->local_bytes - ocl_kernel_facts(kernel)->local_bytes;
    uint64_t out = make_device(&bench, 256);
    int n = 1;
    void *arguments[] = {&out, &n};

    /* NVIDIA's driver takes some bytes of its own that it tells nobody about (580: at most 1 KiB). */
    ocl_status all = launch_line(&bench, kernel, 1, 8, rest, arguments);
    if (all == CL_OUT_OF_RESOURCES)
        all = launch_line(&bench, kernel, 1, 8, rest - 1024, arguments);
    assert_int_equal(all, OCL_OK);
    assert_int_equal(ocl_queue_finish(bench.queue), OCL_OK);
    assert_int_equal(launch_line(&bench, kernel, 1, 8, rest + 1, arguments), OCL_E_LAUNCH_SIZE);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(kernel_needs_its_arguments)
{
    struct bench bench = open_bench(copy_text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "copy");
    uint64_t cells = make_device(&bench, 64);

    assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, NULL), OCL_E_INVALID_VALUE);
    assert_int_equal(launch_line(&bench, kernel, 1, 1, 0, (void *[]){&cells, &cells, NULL}),
                     OCL_E_INVALID_VALUE);
    free_device(cells);
    close_bench(&bench);
}

/* ---- many threads ---- */

struct launcher {
    const struct bench *bench;
    struct ocl_kernel *kernel;
    struct ocl_queue *queue;
    uint64_t out, in;
    int number, failures;
};

enum { LAUNCHES = 200, LAUNCHERS = 8 };

static void *launch_many(void *argument)
{
    struct launcher *launcher = argument;
    for (int i = 0; i < LAUNCHES; i++) {
        struct {
            int a, b;
        } pair = {launcher->number * 1000, i};
        uint64_t out = launcher->out + (size_t)i * sizeof(int), in = i % 3 ? launcher->in : 0;
        const struct ocl_launch launch = {
            .groups = {1, 1, 1}, .items = {1, 1, 1}, .arguments = (void *[]){&out, &pair, &in}};
        if (ocl_kernel_launch(launcher->kernel, launcher->queue, &launch) != OCL_OK)
            launcher->failures++;
    }
    return NULL;
}

TEST_BODY(kernel_is_launched_by_many_threads_at_once)
{
    static const char text[] =
        "struct pair { int a, b; };\n"
        "__kernel void k(__global int *out, struct pair v, __global int *in)\n"
        "{ out[0] = v.a + v.b + (in ? in[0] : 0); }\n";
    struct bench bench = open_bench(text, NULL);
    struct launcher launchers[LAUNCHERS];
    pthread_t threads[LAUNCHERS];
    int results[LAUNCHES];
    const int extra = 1000000;
    uint64_t in = make_device(&bench, 4);

    write_device(&bench, in, &extra, sizeof extra);
    for (int i = 0; i < LAUNCHERS; i++) {
        launchers[i] = (struct launcher){
            &bench, find_kernel(&bench, "k"), bench.queue, make_device(&bench, LAUNCHES * 4), in, i,
            0};
        if (i % 2)
            assert_int_equal(
                ocl_queue_create(bench.context, OCL_QUEUE_BLOCKING, 0, &launchers[i].queue),
                OCL_OK);
        assert_int_equal(pthread_create(&threads[i], NULL, launch_many, &launchers[i]), 0);
    }
    for (int i = 0; i < LAUNCHERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < LAUNCHERS; i++) {
        assert_int_equal(launchers[i].failures, 0);
        assert_int_equal(ocl_queue_finish(launchers[i].queue), OCL_OK);
        read_device(&bench, results, launchers[i].out, sizeof results);
        for (int j = 0; j < LAUNCHES; j++)
            assert_int_equal(results[j], i * 1000 + j + (j % 3 ? extra : 0));
        if (launchers[i].queue != bench.queue)
            ocl_queue_destroy(launchers[i].queue);
        free_device(launchers[i].out);
    }
    free_device(in);
    close_bench(&bench);
}

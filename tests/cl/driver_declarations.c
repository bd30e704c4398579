/* Tests that clem's own texts build by declarations of their own as they do by the driver's header.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_declarations.h"

#include "kernels/kernels.h"
#include "tests/cl/captured.h"
#include "tests/cl/launch.h"

#define OPTIONS "-cl-std=CL1.2"

static const char all_names[] = "/* "
#define DECLARED(shape, function) #function " "
#include "cl/device/driver_declarations.def"
#undef DECLARED
                                "*/\nkernel void k(global int *p) { p[0] = 1; }\n";

static char *declare(const struct bench *bench, const char *text)
{
    char *made = ocl_driver_declare(bench->context->device, text, strlen(text), OPTIONS);
    if (!made)
        TEST_SKIP("the driver is given whole texts only");
    return made;
}

static ocl_status build(const struct bench *bench, const char *text, const char *options)
{
    cl_int error;
    const size_t bytes = strlen(text);
    cl_program program = clCreateProgramWithSource(bench->context->cl, 1, &text, &bytes, &error);
    assert_non_null(program);
    error = clBuildProgram(program, 1, &bench->context->device->id, options, NULL, NULL);
    clReleaseProgram(program);
    return error;
}

/* A function that the header declares with another result does not build beside it. */
TEST_BODY(driver_declarations_agree_with_the_header)
{
    struct bench bench = open_bench(NULL, NULL);
    char *text = declare(&bench, all_names);
    assert_int_equal(build(&bench, text, OPTIONS), OCL_OK);
    assert_int_equal(build(&bench, text, OPTIONS " -D _OPENCL_H_"), OCL_OK);
    free(text);
    close_bench(&bench);
}

/* Each scalar type that a function takes has a size that tells it apart: a type left out would be converted. */
TEST_BODY(driver_declarations_have_all_scalar_types)
{
    static const char asks[] =
        "#define IS(type, value) (void)sizeof(char[sizeof(value) == sizeof(type) ? 1 : -1])\n"
        "kernel void k(global int *p)\n"
        "{\n"
        "    { char c = 1; IS(char, max(c, c)); IS(char, clz(c)); IS(char, add_sat(c, c)); }\n"
        "    { short c = 1; IS(short, max(c, c)); IS(short, clz(c)); IS(short, mad_hi(c, c, c)); "
        "}\n"
        "    { int c = 1; IS(int, max(c, c)); IS(int, popcount(c)); IS(int, clamp(c, c, c)); }\n"
        "    { long c = 1; IS(long, max(c, c)); IS(long, clz(c)); IS(long, mul_hi(c, c)); }\n"
        "    { float c = 1; IS(float, max(c, c)); IS(float, fma(c, c, c)); IS(float, sqrt(c)); }\n"
        "    { float16 c = 1; IS(float16, fma(c, c, c)); }\n"
        "#ifdef cl_khr_fp64\n"
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "    { double c = 1; IS(double, min(c, c)); IS(double, fma(c, c, c)); IS(double, ldexp(c, "
        "1)); }\n"
        "    { double16 c = 1; IS(double16, fma(c, c, c)); }\n"
        "#endif\n"
        "    p[0] = 1;\n"
        "}\n";
    struct bench bench = open_bench(NULL, NULL);
    char *text = declare(&bench, asks);
    assert_int_equal(build(&bench, text, OPTIONS " -D _OPENCL_H_"), OCL_OK);
    free(text);
    close_bench(&bench);
}

/* What includes the device header is built as a user's program is. */
TEST_BODY(driver_declarations_are_enough_for_own_kernels)
{
    struct bench bench = open_bench(NULL, NULL);
    int count = 0;
    free(declare(&bench, all_names));
    for (const struct kernel_source *source = kernel_sources; source->name; source++) {
        char *text =
            ocl_driver_declare(bench.context->device, source->text, source->bytes, OPTIONS);
        if (!text || strstr(source->text, "#include")) {
            free(text);
            continue;
        }
        if (build(&bench, text, OPTIONS " -D _OPENCL_H_") != OCL_OK ||
            build(&bench, text,
                  OPTIONS
                  " -D CLEM_DEVICE_IS_CPU -D CLEM_ADDRESSES_ARE_NUMBERS -D _OPENCL_H_") != OCL_OK)
            fail_msg("%s", source->name);
        count++;
        free(text);
    }
    assert_true(count >= 5);
    close_bench(&bench);
}

/* The version that no one has seen, another OpenCL C, and functions that are too many get the whole header. */
TEST_BODY(driver_declarations_are_for_what_is_known)
{
    static const char
        text[] = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n",
        vectors[] = "kernel void k(global float4 *p) { p[0] = vload4(0, (global float *)p); }\n";
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_device later = *bench.context->device, other = later;
    free(declare(&bench, text));
    assert_null(ocl_driver_declare(&later, vectors, strlen(vectors), OPTIONS));
    assert_null(ocl_driver_declare(&later, text, strlen(text), "-cl-std=CL2.0"));
    assert_null(ocl_driver_declare(&later, text, strlen(text), ""));
    strcpy(later.facts.platform_version, "OpenCL 3.0 PoCL 99.0");
    assert_null(ocl_driver_declare(&later, text, strlen(text), OPTIONS));
    strcpy(other.facts.platform_name, "Another");
    strcpy(other.facts.platform_version, "OpenCL 3.0");
    assert_null(ocl_driver_declare(&other, text, strlen(text), OPTIONS));
    close_bench(&bench);
}

/* What the rows lack is built once more, with the whole header. */
TEST_BODY(driver_declarations_give_way_to_the_header)
{
    static const char text[] = "kernel void k(global int *p) { p[0] = upsample((short)p[0], "
                               "(ushort)p[1]) + (int)get_global_id(0); }\n";
    char printed[4096];
    cl_program program = NULL;
    struct bench bench = open_bench(NULL, NULL);
    struct capture capture = capture_begin(); /* compilers count their errors on stderr */
    const ocl_status status = ocl_driver_build_own(bench.context->device, bench.context->cl, text,
                                                   strlen(text), OPTIONS, &program);
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(status, OCL_OK);
    assert_non_null(program);
    clReleaseProgram(program);
    close_bench(&bench);
}

/* Builds clem's own texts with declarations of the few functions of OpenCL C that each calls. PoCL has clang read a header
 * of 18,000 functions for every program, twice, which takes 100 ms of a core, ten times what the rest of its front end
 * takes for a small kernel.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_declarations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device/driver_limits.h"
#include "cl/device/pack_private.h"
#include "cl/trace.h"

/* That header's own guard: a compiler that takes it for read has only the header with types and constants. */
#define WITHOUT_HEADER "-D _OPENCL_H_"

/* The shapes of driver_declarations.def. EACH repeats a macro for types; a function's name may be a macro of the driver's,
 * which is expanded on the way. Extensions are off behind it, as the driver's own headers leave them. */
static const char shapes[] =
    "#define CLEM_HAS __attribute__((overloadable))\n"
    "#define CLEM_IS __attribute__((overloadable, const))\n"
    "#define CLEM_EACH_INTEGER(D, f) D(f, char, uchar) D(f, uchar, uchar) D(f, short, ushort) D(f, "
    "ushort, ushort) "
    "D(f, int, uint) D(f, uint, uint) D(f, long, ulong) D(f, ulong, ulong)\n"
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define CLEM_EACH_REAL(D, f) D(f, float, int) D(f, double, int)\n"
    "#define CLEM_EACH_REAL16(D, f) D(f, float16, int) D(f, double16, int)\n"
    "#else\n"
    "#define CLEM_EACH_REAL(D, f) D(f, float, int)\n"
    "#define CLEM_EACH_REAL16(D, f) D(f, float16, int)\n"
    "#endif\n"
    "#define CLEM_EACH_WORD(D, f) D(f, int, __global) D(f, uint, __global) D(f, int, __local) D(f, "
    "uint, __local)\n"
    "#ifdef cl_khr_int64_base_atomics\n"
    "#define CLEM_EACH_LONG(D, f) D(f, long, __global) D(f, ulong, __global) D(f, long, __local) "
    "D(f, ulong, __local)\n"
    "#else\n"
    "#define CLEM_EACH_LONG(D, f)\n"
    "#endif\n"
    "#define CLEM_1(f, t, u) t CLEM_IS f(t);\n"
    "#define CLEM_2(f, t, u) t CLEM_IS f(t, t);\n"
    "#define CLEM_3(f, t, u) t CLEM_IS f(t, t, t);\n"
    "#define CLEM_U(f, t, u) u CLEM_IS f(t);\n"
    "#define CLEM_U2(f, t, u) u CLEM_IS f(t, t);\n"
    "#define CLEM_S(f, t, u) t CLEM_IS f(t, u);\n"
    "#define CLEM_A1(f, t, space) t CLEM_HAS f(volatile space t *);\n"
    "#define CLEM_A2(f, t, space) t CLEM_HAS f(volatile space t *, t);\n"
    "#define CLEM_A3(f, t, space) t CLEM_HAS f(volatile space t *, t, t);\n"
    "#define CLEM_P(f, t, u) t CLEM_HAS f(t, __global u *); t CLEM_HAS f(t, __local u *); t "
    "CLEM_HAS f(t, __private u *);\n"
    "#define CLEM_INDEX(f) size_t CLEM_IS f(uint);\n"
    "#define CLEM_COUNT(f) uint CLEM_IS f(void);\n"
    "#define CLEM_BARRIER(f) void CLEM_HAS __attribute__((convergent)) f(cl_mem_fence_flags);\n"
    "#define CLEM_FENCE(f) void CLEM_HAS f(cl_mem_fence_flags);\n"
    "#define CLEM_INTEGER(f) CLEM_EACH_INTEGER(CLEM_1, f)\n"
    "#define CLEM_INTEGER2(f) CLEM_EACH_INTEGER(CLEM_2, f)\n"
    "#define CLEM_INTEGER3(f) CLEM_EACH_INTEGER(CLEM_3, f)\n"
    "#define CLEM_UNSIGNED(f) CLEM_EACH_INTEGER(CLEM_U, f)\n"
    "#define CLEM_UNSIGNED2(f) CLEM_EACH_INTEGER(CLEM_U2, f)\n"
    "#define CLEM_REAL(f) CLEM_EACH_REAL(CLEM_1, f)\n"
    "#define CLEM_REAL2(f) CLEM_EACH_REAL(CLEM_2, f)\n"
    "#define CLEM_REAL3(f) CLEM_EACH_REAL(CLEM_3, f)\n"
    "#define CLEM_REALS3(f) CLEM_REAL3(f) CLEM_EACH_REAL16(CLEM_3, f)\n"
    "#define CLEM_ASKED(f) CLEM_EACH_REAL(CLEM_U, f)\n"
    "#define CLEM_SCALED(f) CLEM_EACH_REAL(CLEM_S, f)\n"
    "#define CLEM_FREXP(f) CLEM_EACH_REAL(CLEM_P, f)\n"
    "#define CLEM_NUMBER2(f) CLEM_INTEGER2(f) CLEM_REAL2(f)\n"
    "#define CLEM_NUMBER3(f) CLEM_INTEGER3(f) CLEM_REAL3(f)\n"
    "#define CLEM_ATOMIC1(f) CLEM_EACH_WORD(CLEM_A1, f)\n"
    "#define CLEM_ATOMIC2(f) CLEM_EACH_WORD(CLEM_A2, f)\n"
    "#define CLEM_ATOMIC3(f) CLEM_EACH_WORD(CLEM_A3, f)\n"
    "#define CLEM_EXCHANGE(f) CLEM_ATOMIC2(f) CLEM_A2(f, float, __global) CLEM_A2(f, float, "
    "__local)\n"
    "#define CLEM_ATOM1(f) CLEM_ATOMIC1(f) CLEM_EACH_LONG(CLEM_A1, f)\n"
    "#define CLEM_ATOM2(f) CLEM_ATOMIC2(f) CLEM_EACH_LONG(CLEM_A2, f)\n"
    "#define CLEM_ATOM3(f) CLEM_ATOMIC3(f) CLEM_EACH_LONG(CLEM_A3, f)\n";

/* What a text begins with behind its declarations: its lines keep their numbers. */
static const char text_begins[] = "#ifdef cl_khr_fp64\n"
                                  "#pragma OPENCL EXTENSION cl_khr_fp64 : disable\n"
                                  "#endif\n"
                                  "#line 1\n";

static const struct declared {
    const char *function, *shape;
} declared[] = {
#define DECLARED(shape, function) {#function, "CLEM_" #shape},
#include "cl/device/driver_declarations.def"
#undef DECLARED
};
enum { DECLARED_COUNT = sizeof declared / sizeof *declared };

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Compares like strcmp() with a name that ends without NUL. */
static int compare(const char *name, size_t length, const char *other)
{
    const int order = strncmp(name, other, length);
    return order == 0 && other[length] ? -1 : order;
}

/* The place in the table, or DECLARED_COUNT. */
static size_t find_declared(const char *name, size_t length)
{
    size_t from = 0, to = DECLARED_COUNT;
    while (from < to) {
        const size_t middle = (from + to) / 2;
        const int order = compare(name, length, declared[middle].function);
        if (order == 0)
            return middle;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return DECLARED_COUNT;
}

/* Functions of vectors and images, of which there are too many. */
static bool is_of_others(const char *name, size_t length)
{
    static const char *const families[] = {"convert_", "get_image_", "read_image",
                                           "vload",    "vstore",     "write_image"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (length > strlen(families[i]) && strncmp(name, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

/* Names in comments and of variables count as well: a declaration more does no harm. False: it calls others. */
static bool note_names(const char *text, size_t bytes, bool is_called[DECLARED_COUNT + 1])
{
    const char *const end = text + bytes;
    while (text < end) {
        const char *name = text;
        while (text < end && is_of_name(*text))
            text++;
        const size_t length = (size_t)(text - name);
        if (length == 0)
            text++;
        else if (is_of_others(name, length))
            return false;
        else
            is_called[find_declared(name, length)] = true;
    }
    return true;
}

static void write_text(FILE *stream, const bool is_called[DECLARED_COUNT + 1], const char *text,
                       size_t bytes)
{
    fputs(shapes, stream);
    for (size_t i = 0; i < DECLARED_COUNT; i++)
        if (is_called[i])
            fprintf(stream, "%s(%s)\n", declared[i].shape, declared[i].function);
    fputs(text_begins, stream);
    fwrite(text, 1, bytes, stream);
}

/* The versions that were seen to build so, with the same results. The shapes are those of OpenCL C 1.2, which has no
 * pointers into the generic address space. */
static bool reads_declarations(const struct ocl_device *device, const char *options)
{
    enum { FIRST_MAJOR = 3, LAST_MAJOR = 6 };
    const int major = ocl_driver_pocl_major(device);
    return major >= FIRST_MAJOR && major <= LAST_MAJOR && strstr(options, "-cl-std=CL1.2");
}

char *ocl_driver_declare(const struct ocl_device *device, const char *text, size_t bytes,
                         const char *options)
{
    char *made = NULL;
    size_t made_bytes = 0;
    bool is_called[DECLARED_COUNT + 1] = {false};
    if (!reads_declarations(device, options) || !note_names(text, bytes, is_called))
        return NULL;
    FILE *stream = open_memstream(&made, &made_bytes);
    if (!stream)
        return NULL;
    write_text(stream, is_called, text, bytes);
    if (fclose(stream) == 0)
        return made;
    free(made);
    return NULL;
}

static ocl_status build_text(const struct ocl_device *device, cl_context context, const char *text,
                             size_t bytes, const char *options, cl_program *program)
{
    cl_int error = CL_SUCCESS;
    *program = clCreateProgramWithSource(context, 1, &text, &bytes, &error);
    return *program ? ocl_driver_build(device, *program, options) : error;
}

static char *without_header(const char *options)
{
    char *all = NULL;
    return asprintf(&all, "%s " WITHOUT_HEADER, options) < 0 ? NULL : all;
}

static ocl_status build_declared(const struct ocl_device *device, cl_context context,
                                 const char *text, const char *options, cl_program *program)
{
    char *all = without_header(options);
    if (!all)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = build_text(device, context, text, strlen(text), all, program);
    free(all);
    return status;
}

/* ---- Compiled ahead of time ---- */

/* Of PoCL's binaries alone is known that they bring all that a launch wants. */
static bool build_binary(const struct ocl_device *device, cl_context context, const void *binary,
                         size_t bytes, const char *options, cl_program *program)
{
    const unsigned char *data = binary;
    cl_int status = CL_SUCCESS, error = CL_SUCCESS;
    cl_program made =
        clCreateProgramWithBinary(context, 1, &device->id, &bytes, &data, &status, &error);
    if (!made)
        return false;
    if (status == CL_SUCCESS && ocl_driver_build(device, made, options) == OCL_OK) {
        *program = made;
        return true;
    }
    ocl_trace("%s refuses a program that was compiled ahead of time", device->facts.name);
    clReleaseProgram(made);
    return false;
}

static bool build_ahead(const struct ocl_device *device, cl_context context,
                        const struct ocl_cache_key *key, cl_program *program)
{
    size_t key_bytes = 0, bytes = 0;
    char *key_data = ocl_pack_is_there() && ocl_driver_keeps_programs(device)
                         ? ocl_cache_key_make(key, &key_bytes)
                         : NULL;
    void *binary = key_data ? ocl_pack_find(key_data, key_bytes, &bytes) : NULL;
    const bool is_built =
        binary && build_binary(device, context, binary, bytes, key->options, program);
    free(binary);
    free(key_data);
    return is_built;
}

void ocl_driver_note_own(const struct ocl_device *device, const char *text, size_t bytes,
                         const char *options, cl_program program)
{
    const struct ocl_cache_key key = {&device->facts, options, text, bytes};
    size_t key_bytes = 0, size = 0;
    if (!ocl_pack_is_noting() || !ocl_driver_keeps_programs(device) ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    char *key_data = ocl_cache_key_make(&key, &key_bytes);
    unsigned char *binary = malloc(size);
    if (key_data && binary &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        ocl_pack_note(key_data, key_bytes, binary, size);
    free(binary);
    free(key_data);
}

ocl_status ocl_driver_build_own(const struct ocl_device *device, cl_context context,
                                const char *text, size_t bytes, const char *options,
                                cl_program *program)
{
    const struct ocl_cache_key key = {&device->facts, options, text, bytes};
    if (build_ahead(device, context, &key, program))
        return OCL_OK;
    char *with_declarations = ocl_driver_declare(device, text, bytes, options);
    if (!with_declarations)
        return build_text(device, context, text, bytes, options, program);
    const ocl_status status = build_declared(device, context, with_declarations, options, program);
    free(with_declarations);
    if (status != CL_BUILD_PROGRAM_FAILURE && status != CL_INVALID_BUILD_OPTIONS)
        return status;
    ocl_trace("%s: a program does not build by declarations of clem's", device->facts.name);
    clReleaseProgram(*program);
    return build_text(device, context, text, bytes, options, program);
}

void ocl_driver_source_free(struct ocl_driver_source *source)
{
    free(source->text);
    free(source->options);
}

bool ocl_driver_source_make(const struct ocl_device *device, const char *text, size_t bytes,
                            const char *options, struct ocl_driver_source *source)
{
    char *with_declarations = ocl_driver_declare(device, text, bytes, options);
    char *all = with_declarations ? without_header(options) : strdup(options);
    source->text = with_declarations ? with_declarations : strndup(text, bytes);
    source->options = all ? ocl_driver_options(device, all) : NULL;
    free(all);
    if (source->text && source->options)
        return true;
    ocl_driver_source_free(source);
    return false;
}

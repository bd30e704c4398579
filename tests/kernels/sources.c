/* Tests of kernels/embed.cmake and of the OpenCL C files as texts.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/kernels.h"
#include "tests/test.h"

TEST_BODY(sources_are_complete_texts)
{
    size_t count = 0;

    for (const struct kernel_source *source = kernel_sources; source->name; source++) {
        char first_line[64];
        snprintf(first_line, sizeof first_line, "#line 1 \"%s.cl\"\n", source->name);
        assert_int_equal(strlen(source->text), source->bytes);
        assert_int_equal(strncmp(source->text, first_line, strlen(first_line)), 0);
        assert_non_null(strstr(source->text, "SPDX-License-Identifier: Apache-2.0"));
        assert_non_null(strstr(source->text, "kernel void"));
        assert_int_equal(source->text[source->bytes - 1], '\n');
        count++;
    }
    assert_true(count >= 5);
}

/* unused: what the compiler is told about functions and parameters nobody uses. */
static int compile_with(const char *path, const char *define, const char *unused)
{
    const pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        execlp("clang", "clang", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
               "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", unused,
               "-isystem", DEVICE_HEADERS, define, path, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int compile(const char *path, const char *define)
{
    return compile_with(path, define, "-Wunused");
}

/* Each file alone is plain OpenCL C 1.2 without a warning, as GPUs see it, with pointers and with numbers, and as
 * CPUs do. */
TEST_BODY(sources_compile_without_warnings)
{
    for (const struct kernel_source *source = kernel_sources; source->name; source++) {
        char path[] = "/tmp/clem-kernel-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        assert_int_equal(write(file, source->text, source->bytes), source->bytes);
        close(file);
        const int gpu = compile(path, "-DCLEM_TEST");
        const int cpu = compile(path, "-DCLEM_DEVICE_IS_CPU");
        const int numbers = compile(path, "-DCLEM_ADDRESSES_ARE_NUMBERS");
        unlink(path);
        if (gpu == 127)
            TEST_SKIP("clang is not installed");
        assert_int_equal(gpu, 0);
        assert_int_equal(cpu, 0);
        assert_int_equal(numbers, 0);
    }
}

/* Every function of the device header, in helpers that are given textures as kernels are. */
static const char device_functions[] =
    "float4 helper(CLEM_TEXTURE2D(a), CLEM_TEXTURE1D_BUFFER(b), CLEM_SURFACE(s))\n"
    "{ surf2Dwrite(float2, tex1Dfetch(float2, b, 1), s, 8, 0);\n"
    "  return tex2D(float4, a, 0.5f, 0.5f) + tex2Dgather(float4, a, 1.0f, 2.0f, 0)\n"
    "       + tex2DLod(float4, a, 1.0f, 2.0f, 1.5f)\n"
    "       + tex2DGrad(float4, a, 1.0f, 2.0f, (float2)(1.0f), (float2)(2.0f)); }\n"
    "__kernel void all(CLEM_TEXTURE1D(a), CLEM_TEXTURE2D(b), CLEM_TEXTURE3D(c),\n"
    "                  CLEM_TEXTURE1D_LAYERED(d), CLEM_TEXTURE2D_LAYERED(e), CLEM_TEXTURECUBE(f),\n"
    "                  CLEM_TEXTURECUBE_LAYERED(g), CLEM_TEXTURE1D_BUFFER(h), CLEM_SURFACE(s),\n"
    "                  CLEM_TEXTURE_REFERENCE2D(r), CLEM_SURFACE_REFERENCE(t),\n"
    "                  __global float4 *out, __global uchar4 *bytes)\n"
    "{ float x = out[0].x; int i = (int)x; float4 v = (float4)(x);\n"
    "  out[1] = helper(CLEM_PASS_TEXTURE(b), CLEM_PASS_TEXTURE1D_BUFFER(h), "
    "CLEM_PASS_SURFACE(s));\n"
    "  out[2] = tex1D(float4, a, x) + tex3D(float4, c, x, x, x) + tex1DLayered(float4, d, x, i)\n"
    "         + tex2DLayered(float4, e, x, x, i) + texCubemap(float4, f, x, x, x)\n"
    "         + texCubemapLayered(float4, g, x, x, x, i) + tex2D(float4, r, x, x)\n"
    "         + tex1DLod(float4, a, x, x) + tex3DLod(float4, c, x, x, x, x)\n"
    "         + tex1DLayeredLod(float4, d, x, i, x) + tex2DLayeredLod(float4, e, x, x, i, x)\n"
    "         + texCubemapLod(float4, f, x, x, x, x) + texCubemapLayeredLod(float4, g, x, x, x, i, "
    "x)\n"
    "         + tex1DGrad(float4, a, x, x, x) + tex3DGrad(float4, c, x, x, x, v, v)\n"
    "         + tex1DLayeredGrad(float4, d, x, i, x, x)\n"
    "         + tex2DLayeredGrad(float4, e, x, x, i, v.xy, v.xy);\n"
    "  bytes[0] = tex2D(uchar4, b, x, x) + tex2Dgather(uchar4, b, x, x, 3);\n"
    "  bytes[1].xy = tex1D(uchar2, a, x); bytes[1].z = tex3D(uchar, c, x, x, x);\n"
    "  out[3].x = tex2D(char, b, x, x) + tex2D(short2, b, x, x).y + tex2D(ushort4, b, x, x).w\n"
    "           + tex2D(int, b, x, x) + tex2D(uint2, b, x, x).x + tex2D(float2, b, x, x).y;\n"
    "  surf3Dwrite(uint, surf1Dread(uint, s, i), s, i, i, i);\n"
    "  surf1DLayeredwrite(char4, surf2DLayeredread(char4, t, i, i, i), s, i, i);\n"
    "  surfCubemapLayeredwriteMode(ulong2, surfCubemapread(ulong2, s, i, i, i), t, i, i, i,\n"
    "                              cudaBoundaryModeClamp); }\n";

TEST_BODY(sources_device_header_compiles_without_warnings)
{
    static const char *const variants[] = {"-DCLEM_TEST", "-DCLEM_TEXTURES_BY_IMAGE=0",
                                           "-DCLEM_TEXTURES_BY_IMAGE=1"};
    const struct kernel_source *header = &kernel_device_header;
    char path[] = "/tmp/clem-device-XXXXXX";
    const int file = mkstemp(path);
    int results[3];

    assert_int_equal(strlen(header->text), header->bytes);
    assert_true(file >= 0);
    assert_int_equal(write(file, header->text, header->bytes), header->bytes);
    assert_int_equal(write(file, device_functions, strlen(device_functions)),
                     strlen(device_functions));
    close(file);
    for (int i = 0; i < 3; i++)
        results[i] = compile_with(path, variants[i], "-Wno-unused");
    unlink(path);
    if (results[0] == 127)
        TEST_SKIP("clang is not installed");
    for (int i = 0; i < 3; i++)
        assert_int_equal(results[i], 0);
}

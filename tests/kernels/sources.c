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

static int compile(const char *path, const char *define)
{
    const pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        execlp("clang", "clang", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
               "-fsyntax-only", "-Wall", "-Wextra", "-Werror", define, path, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Each file alone is plain OpenCL C 1.2 without a warning, as GPUs see it and as CPUs do. */
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
        unlink(path);
        if (gpu == 127)
            TEST_SKIP("clang is not installed");
        assert_int_equal(gpu, 0);
        assert_int_equal(cpu, 0);
    }
}

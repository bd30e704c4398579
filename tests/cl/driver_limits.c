/* Tests that what would end the process in the driver is refused.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_limits.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cl/captured.h"
#include "tests/cl/launch.h"

static const char text[] = "__kernel void k(__global int *p) { p[0] = 1; }\n";

/* No device of another driver is ever asked. */
static void skip_without(const char *version)
{
    const struct ocl_device_facts *facts = ocl_device_count() > 0 ? ocl_device_facts(0) : NULL;
    if (!facts || !strstr(facts->platform_version, version))
        TEST_SKIP("the driver is not known to end processes");
}

/* That a program cannot be built, for a reason with these words, said on stderr once. */
static void expect_refused(struct bench *bench, const char *words)
{
    static char printed[65536];
    struct capture capture = capture_begin();
    for (int i = 0; i < 2; i++)
        assert_int_equal(ocl_program_build(bench->context, text, strlen(text), "-D REFUSED",
                                           &bench->program, NULL),
                         OCL_E_NOT_SUPPORTED);
    capture_end(&capture, printed, sizeof printed);
    if (count_text(printed, words) != 1)
        fail_msg("not once '%s' in: %s", words, printed);
}

static void expect_built(struct bench *bench)
{
    assert_int_equal(
        ocl_program_build(bench->context, text, strlen(text), "", &bench->program, NULL), OCL_OK);
}

TEST_BODY(driver_limits_needs_to_hear_of_children)
{
    skip_without("PoCL 3.");
    struct bench bench = open_bench(NULL, NULL);
    const struct sigaction unkept = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    signal(SIGCHLD, SIG_IGN);
    expect_refused(&bench, "SIGCHLD is ignored");
    assert_int_equal(sigaction(SIGCHLD, &unkept, NULL), 0);
    assert_int_equal(ocl_program_build(bench.context, text, strlen(text), "", &bench.program, NULL),
                     OCL_E_NOT_SUPPORTED);
    signal(SIGCHLD, SIG_DFL);
    expect_built(&bench);
    close_bench(&bench);
}

TEST_BODY(driver_limits_needs_a_linker)
{
    skip_without("PoCL ");
    struct bench bench = open_bench(NULL, NULL);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent::/", 1);
    expect_refused(&bench, "there is no ld in PATH");
    unsetenv("PATH");
    assert_int_equal(ocl_program_build(bench.context, text, strlen(text), "", &bench.program, NULL),
                     OCL_E_NOT_SUPPORTED);
    setenv("PATH", path, 1);
    free(path);
    expect_built(&bench);
    close_bench(&bench);
}

TEST_BODY(driver_limits_needs_large_files)
{
    skip_without("PoCL ");
    struct bench bench = open_bench(NULL, NULL);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit low = {1 << 20, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    expect_refused(&bench, "files may have 1048576 bytes");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    expect_built(&bench);
    close_bench(&bench);
}

TEST_BODY(driver_limits_needs_descriptors)
{
    skip_without("PoCL ");
    struct bench bench = open_bench(NULL, NULL);
    struct rlimit limit;
    const int next = dup(STDERR_FILENO);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit low = {(rlim_t)next + 12, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    expect_refused(&bench, "its compiler needs 16");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_built(&bench);
    close_bench(&bench);
}

/* Users with rights over others have no such limit. */
TEST_BODY(driver_limits_needs_a_process)
{
    enum { NOBODY = 65534 };
    skip_without("PoCL ");
    struct bench bench = open_bench(NULL, NULL);
    struct rlimit limit;
    const uid_t user = getuid();
    assert_int_equal(getrlimit(RLIMIT_NPROC, &limit), 0);
    const struct rlimit none = {0, limit.rlim_max};
    if (user == 0 && setresuid(NOBODY, NOBODY, 0) != 0)
        TEST_SKIP("the user cannot be changed");
    assert_int_equal(setrlimit(RLIMIT_NPROC, &none), 0);
    expect_refused(&bench, "no thread or process");
    assert_int_equal(setresuid(user, user, user), 0);
    assert_int_equal(setrlimit(RLIMIT_NPROC, &limit), 0);
    expect_built(&bench);
    close_bench(&bench);
}

/* A folder whose path is so long, which the driver takes for its cache. */
static void use_long_folder(size_t length)
{
    char path[2048] = "/tmp/clem_limits_XXXXXX";
    assert_non_null(mkdtemp(path));
    while (strlen(path) < length) {
        const size_t used = strlen(path), rest = length - used;
        const size_t part = rest < 2 ? 2 : rest > 101 ? 100 : rest;
        memset(path + used, 'd', part);
        path[used] = '/';
        path[used + part] = '\0';
        assert_int_equal(mkdir(path, 0700), 0);
    }
    setenv("POCL_CACHE_DIR", path, 1);
}

static void remove_long_folder(void)
{
    char command[2048], root[64];
    snprintf(root, sizeof root, "%.23s", getenv("POCL_CACHE_DIR"));
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

TEST_BODY(driver_limits_refuses_a_path_that_is_too_long)
{
    static char printed[65536];
    struct ocl_context *context = NULL;
    use_long_folder(930);
    skip_without("PoCL 3.");
    struct capture capture = capture_begin();
    assert_int_not_equal(ocl_context_open(0, &context), OCL_OK);
    capture_end(&capture, printed, sizeof printed);
    remove_long_folder();
    if (count_text(printed, "cache folder has 93") != 1)
        fail_msg("%s", printed);
}

static const char named[] = "#define JOIN(a, b) a##b\n"
                            "#define TEN(a, b) JOIN(a##a##a##a##a##a##a##a##a##a, b)\n"
                            "__kernel void TEN(twenty_letters_25_of_, %s)(__global int *p)\n"
                            "{ p[0] = 1; }\n"
                            "__kernel void brief(__global int *p) { p[0] = 2; }\n";

/* The name of the kernel is 210 letters and those of the tail; returns what launching it gives. */
static ocl_status launch_named(struct bench *bench, const char *tail)
{
    char whole[1024];
    int value = 0;
    uint64_t device = make_device(bench, sizeof value);
    void *arguments[] = {&device};
    snprintf(whole, sizeof whole, named, tail);
    assert_int_equal(
        ocl_program_build(bench->context, whole, strlen(whole), "", &bench->program, NULL), OCL_OK);
    assert_int_equal(ocl_program_kernel_count(bench->program), 2);
    struct ocl_kernel *brief = ocl_program_find_kernel(bench->program, "brief");
    struct ocl_kernel *other = ocl_program_kernel(bench->program, 0);
    if (other == brief)
        other = ocl_program_kernel(bench->program, 1);
    const ocl_status status = launch_line(bench, other, 1, 1, 0, arguments);
    if (status == OCL_OK) {
        read_device(bench, &value, device, sizeof value);
        assert_int_equal(value, 1);
    }
    assert_int_equal(launch_line(bench, brief, 1, 1, 0, arguments), OCL_OK);
    read_device(bench, &value, device, sizeof value);
    assert_int_equal(value, 2);
    free_device(device);
    ocl_program_release(bench->program);
    bench->program = NULL;
    return status;
}

/* Storing a program asks for its binary, and so for the code of all its kernels. */
TEST_BODY(driver_limits_refuses_names_that_are_too_long)
{
    static char printed[65536];
    char folder[] = "/tmp/clem_limits_XXXXXX", command[64];
    char tail[512] = "";
    assert_non_null(mkdtemp(folder));
    setenv("CLEM_CACHE_DIR", folder, 1);
    skip_without("PoCL 3.");
    struct bench bench = open_bench(NULL, NULL);
    const size_t most = ocl_driver_longest_name(bench.context->device);
    assert_in_range(most, 211, 252);
    memset(tail, 'z', most - 210);
    assert_int_equal(launch_named(&bench, tail), OCL_OK);
    memset(tail, 'z', most - 210 + 1);
    struct capture capture = capture_begin();
    assert_int_equal(launch_named(&bench, tail), OCL_E_NOT_SUPPORTED);
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(count_text(printed, "its name has"), 1);
    close_bench(&bench);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

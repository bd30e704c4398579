/* Tests of facade/tools/: what clem-run sees in a program's file, what it says, and what the program
 * finds when it is started.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facade/tools/program_file.h"
#include "tests/facade/elf_files.h"
#include "tests/facade/fatbins.h"
#include "tests/test.h"

static const char *const runtime[] = {"libc.so.6", "libcudart.so.13"};
static const char *const driver[] = {"libcuda.so.1", "libc.so.6"};

static void add_code(struct elf_file *file, const char *section, bool has_ptx, int machine_code)
{
    unsigned char bytes[8192] = {0};
    size_t size = 0;
    struct fatbin fatbin;
    for (int i = 0; i < machine_code; i++) {
        fatbin_of_machine_code(&fatbin);
        memcpy(bytes + size, fatbin.bytes, fatbin.size);
        size += fatbin.size + 8;
    }
    fatbin_begin(&fatbin);
    if (has_ptx)
        fatbin_add_text(&fatbin, 75, ".version 8.0\n");
    memcpy(bytes + size, fatbin.bytes, fatbin.size);
    elf_section(file, section, SHT_PROGBITS, bytes, size + fatbin.size, 0);
}

static struct program_facts facts_of(const struct elf_file *file)
{
    struct program_facts facts;
    program_file_read(file->bytes, file->size, &facts);
    return facts;
}

/* --- what it sees ----------------------------------------------------------------------------- */

TEST_BODY(clem_run_reads_what_a_program_needs)
{
    struct elf_file file;
    elf_begin(&file);
    elf_needs(&file, runtime, 2, DT_RPATH);
    add_code(&file, ".nv_fatbin", true, 1);
    add_code(&file, "__nv_relfatbin", false, 2);
    elf_end(&file);
    struct program_facts facts = facts_of(&file);
    assert_true(facts.is_elf);
    assert_int_equal(facts.runtime, 13);
    assert_false(facts.needs_driver);
    assert_true(facts.has_rpath);
    assert_int_equal(facts.with_ptx, 1);
    assert_int_equal(facts.without_ptx, 1);
    assert_int_equal(facts.parts_with_ptx, 0);
    assert_int_equal(facts.parts_without_ptx, 2);
}

TEST_BODY(clem_run_tells_a_used_runtime_from_an_unused_one)
{
    for (int calls = 0; calls < 2; calls++) {
        struct elf_file file;
        elf_begin(&file);
        elf_needs(&file, driver, 2, DT_RUNPATH);
        elf_has_runtime(&file, calls == 1);
        elf_end(&file);
        struct program_facts facts = facts_of(&file);
        assert_true(facts.needs_driver);
        assert_false(facts.has_rpath);
        assert_true(facts.has_static_runtime);
        assert_int_equal(facts.calls_runtime, calls);
    }
}

/* A copy of its own size, so that a sanitizer sees a byte read behind it. */
static void read_copy(const unsigned char *bytes, size_t size)
{
    struct program_facts facts;
    unsigned char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    program_file_read(copy, size, &facts);
    free(copy);
}

/* No number in the file may lead out of it: all cuts, and each byte of the headers all ones. */
TEST_BODY(clem_run_trusts_no_file)
{
    static struct elf_file file;
    elf_begin(&file);
    elf_needs(&file, driver, 2, DT_RPATH);
    elf_has_runtime(&file, true);
    add_code(&file, ".nv_fatbin", true, 1);
    elf_end(&file);
    for (size_t size = 0; size < file.size; size += size < 256 ? 1 : 61)
        read_copy(file.bytes, size);
    const size_t sections = file.size - file.count * sizeof file.sections[0];
    for (size_t at = 0; at < file.size; at += at + 1 == sizeof(Elf64_Ehdr) ? sections - at : 1) {
        unsigned char old = file.bytes[at];
        file.bytes[at] = 0xff;
        read_copy(file.bytes, file.size);
        file.bytes[at] = old;
    }
    assert_true(facts_of(&file).has_static_runtime);
}

/* --- what it says and does -------------------------------------------------------------------- */

/* Runs a command line; its exit status, and what it wrote to both outputs. */
static int run(const char *command, char *output, size_t bytes)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, bytes - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_bytes(const void *file, size_t size, char *output, size_t bytes)
{
    char path[] = "/tmp/clem-run-test-XXXXXX", command[1024];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file, size), size);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    snprintf(command, sizeof command, CLEM_RUN " %s 2>&1", path);
    int status = run(command, output, bytes);
    unlink(path);
    return status;
}

static int run_file(const struct elf_file *file, char *output, size_t bytes)
{
    return run_bytes(file->bytes, file->size, output, bytes);
}

static void assert_refused(struct elf_file *file, const char *words)
{
    char output[1024];
    elf_end(file);
    assert_int_equal(run_file(file, output, sizeof output), 126);
    assert_non_null(strstr(output, words));
    assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
}

TEST_BODY(clem_run_names_what_mends_a_program)
{
    static const char *const old[] = {"libcudart.so.12"};
    struct elf_file file;
    elf_begin(&file);
    elf_needs(&file, runtime, 2, DT_NULL);
    add_code(&file, ".nv_fatbin", false, 1);
    assert_refused(&file, "-gencode arch=compute_75,code=compute_75");
    elf_begin(&file);
    elf_needs(&file, old, 1, DT_NULL);
    add_code(&file, ".nv_fatbin", true, 0);
    assert_refused(&file, "older toolkit");
    elf_begin(&file);
    elf_has_runtime(&file, true);
    add_code(&file, ".nv_fatbin", true, 0);
    assert_refused(&file, "-cudart shared");
    elf_begin(&file);
    elf_needs(&file, driver, 2, DT_NULL);
    elf_has_runtime(&file, true);
    assert_refused(&file, "-cudart shared");
    elf_begin(&file);
    elf_needs(&file, runtime, 2, DT_NULL);
    add_code(&file, "__nv_relfatbin", true, 1);
    assert_refused(&file, "-rdc=true");
}

/* The file is none that the system can start, which is told after everything else. */
TEST_BODY(clem_run_starts_what_may_work)
{
    char output[1024];
    struct elf_file file;
    elf_begin(&file);
    elf_needs(&file, runtime, 2, DT_NULL);
    add_code(&file, ".nv_fatbin", true, 1);
    elf_end(&file);
    assert_int_equal(run_file(&file, output, sizeof output), 126);
    assert_non_null(strstr(output, "Exec format error"));
    assert_null(strstr(output, "nvcc"));
    elf_begin(&file);
    elf_needs(&file, driver, 2, DT_NULL);
    elf_has_runtime(&file, false);
    elf_end(&file);
    assert_int_equal(run_file(&file, output, sizeof output), 126);
    assert_null(strstr(output, "nvcc"));
}

TEST_BODY(clem_run_gives_its_libraries_to_children)
{
    char output[1024];
    assert_int_equal(run("LD_LIBRARY_PATH=/some/where " CLEM_RUN
                         " sh -c 'sh -c \"echo $LD_LIBRARY_PATH; exit 7\"' 2>&1",
                         output, sizeof output),
                     7);
    char *end = strstr(output, ":/some/where\n");
    assert_non_null(end);
    strcpy(end, "/libcudart.so.13");
    assert_int_equal(access(output, R_OK), 0);
}

/* As shells do it with a text, with or without a first line that says whose it is. */
TEST_BODY(clem_run_starts_scripts)
{
    static const char *const scripts[] = {"#!/bin/sh\necho $LD_LIBRARY_PATH\nexit 7\n",
                                          "echo $LD_LIBRARY_PATH\nexit 7\n"};
    char output[1024];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_bytes(scripts[i], strlen(scripts[i]), output, sizeof output), 7);
        assert_non_null(strstr(output, "/clem"));
    }
}

TEST_BODY(clem_run_starts_programs_of_clem)
{
    static char output
        [65536]; /* all of it, however many devices: who prints into a closed pipe is killed */
    assert_int_equal(run(CLEM_RUN " " CLEM_INFO " 2>&1", output, sizeof output), 0);
    assert_true(strlen(output) > 0);
}

TEST_BODY(clem_run_explains_itself)
{
    char output[1024];
    assert_int_equal(run(CLEM_RUN " --help", output, sizeof output), 0);
    assert_non_null(strstr(output, "usage: clem-run"));
    assert_int_equal(run(CLEM_RUN " 2>&1", output, sizeof output), 64);
    assert_int_equal(run(CLEM_RUN " --no-such-option true 2>&1", output, sizeof output), 64);
    assert_int_equal(run(CLEM_RUN " --version", output, sizeof output), 0);
    assert_int_equal(strncmp(output, "clem-run ", 9), 0);
    assert_int_equal(run(CLEM_RUN " /etc/passwd 2>&1", output, sizeof output), 126);
    assert_non_null(strstr(output, "not executable"));
    assert_int_equal(run(CLEM_RUN " /etc 2>&1", output, sizeof output), 126);
    assert_int_equal(run(CLEM_RUN " /no/such/file 2>&1", output, sizeof output), 127);
    assert_int_equal(run(CLEM_RUN " sh -c 'echo $1' sh --version", output, sizeof output), 0);
    assert_string_equal(output, "--version\n");
    assert_int_equal(run(CLEM_RUN " no-such-program-at-all 2>&1", output, sizeof output), 127);
    assert_non_null(strstr(output, "not found"));
}

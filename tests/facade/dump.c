/* Tests of CLEM_DUMP.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"

static const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                           ".visible .entry put(.param .u64 out)\n{\n"
                           ".reg .b64 %d<2>;\nld.param.u64 %d1, [out];\n"
                           "st.global.u32 [%d1], 77;\nret;\n}\n";

static void put_once(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    int *p = device_ints(1);
    void *args[] = {&p};
    assert_success(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    assert_success(cudaLibraryGetKernel(&kernel, library, "put"));
    assert_success(launch_1d((const void *)kernel, 1, 1, args, 0, NULL));
    assert_int_equal(read_device_int(p), 77);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(p));
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), wanted = strlen(end);
    return length > wanted && strcmp(name + length - wanted, end) == 0;
}

/* How many files of a folder are so named and have the word in them; all are removed. */
static int take_files(const char *folder, const char *begin, const char *end, const char *word)
{
    DIR *files = opendir(folder);
    int count = 0;
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files)) != NULL;) {
        char path[600], content[4096] = "";
        if (strncmp(file->d_name, begin, strlen(begin)) != 0 || !ends_in(file->d_name, end))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        content[fread(content, 1, sizeof content - 1, in)] = '\0';
        fclose(in);
        count += strstr(content, word) != NULL;
        unlink(path);
    }
    closedir(files);
    return count;
}

TEST_BODY(dump_shows_what_becomes_of_ptx)
{
    char folder[] = "/tmp/clem-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("CLEM_DUMP", folder, 1), 0);
    assert_int_equal(setenv("CLEM_PTX", "text", 1), 0);
    assert_int_equal(setenv("CLEM_PTX_FORM", "opencl", 1), 0);
    for (int i = 0; i < 2; i++)
        put_once();
    assert_int_equal(take_files(folder, "put.", ".cl", "77"), 1);
    assert_int_equal(take_files(folder, "module.", ".read.ptx", "st.global.u32"), 1);
    assert_int_equal(take_files(folder, "module.", ".ptx", "st.global.u32 [%d1], 77;"), 1);
    assert_int_equal(rmdir(folder), 0);
}

static int count_files(const char *folder)
{
    DIR *files = opendir(folder);
    int count = 0;
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files)) != NULL;)
        count += file->d_name[0] != '.';
    closedir(files);
    return count;
}

/* What is there under a name is whole, or nothing is: here no file may have more than a few bytes. */
TEST_BODY(dump_leaves_no_part_of_a_file)
{
    char folder[] = "/tmp/clem-test-XXXXXX";
    struct rlimit most, before;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("CLEM_DUMP", folder, 1), 0);
    assert_int_equal(setenv("CLEM_PTX", "text", 1), 0);
    assert_int_equal(setenv("CLEM_PTX_FORM", "opencl", 1), 0);
    assert_success(cudaFree(NULL));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    most = (struct rlimit){64, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
    cudaLibrary_t library = NULL;
    (void)cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(count_files(folder), 0);
    put_once();
    assert_int_equal(take_files(folder, "module.", ".read.ptx", "st.global.u32"), 1);
    (void)take_files(folder, "", "", "");
    assert_int_equal(rmdir(folder), 0);
}

TEST_BODY(dump_stays_in_its_folder_when_the_program_goes_elsewhere)
{
    char folder[] = "/tmp/clem-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("CLEM_DUMP", basename(folder), 1), 0);
    assert_int_equal(setenv("CLEM_PTX", "text", 1), 0);
    assert_int_equal(setenv("CLEM_PTX_FORM", "opencl", 1), 0);
    assert_int_equal(chdir("/tmp"), 0);
    assert_success(cudaFree(NULL));
    assert_int_equal(chdir("/"), 0);
    put_once();
    assert_int_equal(take_files(folder, "put.", ".cl", "77"), 1);
    assert_int_equal(take_files(folder, "module.", "ptx", "st.global.u32"), 2);
    assert_int_equal(rmdir(folder), 0);
}

TEST_BODY(dump_into_no_folder_is_told_and_harms_nothing)
{
    int ends[2];
    char told[1000] = "";
    assert_int_equal(setenv("CLEM_DUMP", "/nowhere/at/all", 1), 0);
    assert_int_equal(setenv("CLEM_PTX", "text", 1), 0);
    assert_int_equal(setenv("CLEM_PTX_FORM", "opencl", 1), 0);
    assert_int_equal(pipe(ends), 0);
    const int errors = dup(STDERR_FILENO);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    put_once();
    assert_true(dup2(errors, STDERR_FILENO) >= 0);
    close(errors);
    close(ends[1]);
    assert_true(read(ends[0], told, sizeof told - 1) > 0);
    close(ends[0]);
    assert_non_null(strstr(told, "CLEM_DUMP: /nowhere/at/all/"));
    assert_null(strstr(strstr(told, "CLEM_DUMP") + 1, "CLEM_DUMP"));
}

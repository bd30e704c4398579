/* Tests of built programs on disk.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program_cache.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/program_compile.h"
#include "tests/cl/launch.h"

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/clem-cache-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

/* The name of the only file of the folder that holds a program; the number of entries, dots left
 * out. */
static int look_into_folder(char path[512])
{
    int count = 0;
    DIR *directory = opendir(folder);

    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, 512, "%s/%s", folder, entry->d_name);
        count++;
    }
    closedir(directory);
    return count;
}

static void remove_folder(void)
{
    char path[512];

    while (look_into_folder(path) > 0)
        assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static const struct ocl_device_facts some_device = {
    .name = "device", .vendor = "vendor", .driver_version = "1", .device_version = "OpenCL 1.2"};

static const struct ocl_cache_key some_key = {&some_device, "-cl-a", "text", 4};

static bool finds(const struct ocl_cache_key *key, const char *binary)
{
    void *found = NULL;
    size_t bytes = 0;
    const bool is_found = ocl_program_cache_load(folder, key, &found, &bytes);

    if (is_found) {
        assert_int_equal(bytes, strlen(binary));
        assert_memory_equal(found, binary, bytes);
    }
    free(found);
    return is_found;
}

TEST_BODY(program_cache_gives_back_what_was_stored)
{
    char path[512];

    make_folder();
    assert_false(finds(&some_key, "binary"));
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_true(finds(&some_key, "binary"));
    ocl_program_cache_store(folder, &some_key, "another", 7);
    assert_true(finds(&some_key, "another"));
    assert_int_equal(look_into_folder(path), 1);
    remove_folder();
}

TEST_BODY(program_cache_tells_keys_apart)
{
    struct ocl_device_facts other_name = some_device, other_driver = some_device;
    struct ocl_cache_key keys[] = {some_key, some_key, some_key, some_key, some_key};

    make_folder();
    strcpy(other_name.name, "devic");
    strcpy(other_driver.driver_version, "2");
    keys[0].device = &other_name;
    keys[1].device = &other_driver;
    keys[2].options = "-cl-at";
    keys[2].code = "ext";
    keys[2].bytes = 3;
    keys[3].options = "";
    keys[4].code = "texts";
    keys[4].bytes = 5;
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_false(finds(&keys[i], ""));
    remove_folder();
}

static size_t read_file(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

static void write_file(const char *path, const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

TEST_BODY(program_cache_ignores_damaged_files)
{
    char path[512];
    unsigned char good[1024], bad[1024];

    make_folder();
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_int_equal(look_into_folder(path), 1);
    const size_t bytes = read_file(path, good, sizeof good);
    assert_in_range(bytes, 7, sizeof good - 1);
    for (size_t i = 0; i < bytes; i++) {
        memcpy(bad, good, bytes);
        bad[i] ^= 0x10;
        write_file(path, bad, bytes);
        assert_false(finds(&some_key, ""));
        write_file(path, good, i);
        assert_false(finds(&some_key, ""));
    }
    good[bytes] = 0;
    write_file(path, good, bytes + 1);
    assert_false(finds(&some_key, ""));
    write_file(path, good, bytes);
    assert_true(finds(&some_key, "binary"));
    remove_folder();
}

TEST_BODY(program_cache_does_without_a_folder)
{
    void *found = NULL;
    size_t bytes = 0;
    char path[512];

    make_folder();
    snprintf(path, sizeof path, "%s/deeper", folder);
    ocl_program_cache_store(path, &some_key, "binary", 6);
    assert_true(ocl_program_cache_load(path, &some_key, &found, &bytes));
    free(found);
    snprintf(path, sizeof path, "rm -r %s/deeper", folder);
    assert_int_equal(system(path), 0);
    ocl_program_cache_store("/dev/null", &some_key, "binary", 6);
    ocl_program_cache_store("/no/such/folder", &some_key, "binary", 6);
    assert_false(ocl_program_cache_load("/dev/null", &some_key, &found, &bytes));
    assert_false(ocl_program_cache_load("/no/such/folder", &some_key, &found, &bytes));
    remove_folder();
}

static _Atomic int wrong;

static void *write_and_read(void *argument)
{
    const char *const mine = argument;
    for (int i = 0; i < 200; i++) {
        void *found = NULL;
        size_t bytes = 0;
        ocl_program_cache_store(folder, &some_key, mine, 40);
        if (!ocl_program_cache_load(folder, &some_key, &found, &bytes) || bytes != 40 ||
            memcmp(found, (char *)found + 1, 39) != 0)
            atomic_fetch_add(&wrong, 1);
        free(found);
    }
    return NULL;
}

TEST_BODY(program_cache_readers_see_whole_files)
{
    char path[512];
    char fillings[4][41];
    pthread_t threads[4];

    make_folder();
    for (int i = 0; i < 4; i++) {
        memset(fillings[i], 'a' + i, sizeof fillings[i]);
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, fillings[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(look_into_folder(path), 1);
    remove_folder();
}

static const char named_text[] = "struct pair { int a, b; };\n"
                                 "__kernel void NAME(__global int *p, struct pair v) "
                                 "{ p[0] = v.a + v.b; }\n";

/* Builds the text with some name for its kernel; whether that is what came back. */
static bool builds(struct bench *bench, const char *options, const char *name)
{
    assert_int_equal(ocl_program_build(bench->context, named_text, strlen(named_text), options,
                                       &bench->program, NULL),
                     OCL_OK);
    const bool is_right = ocl_program_find_kernel(bench->program, name) != NULL;
    ocl_program_release(bench->program);
    bench->program = NULL;
    return is_right;
}

/* The proof that a build came from disk is the binary of another program under its key. */
TEST_BODY(program_cache_serves_builds)
{
    char path[512];
    void *binary = NULL;
    size_t bytes = 0;

    make_folder();
    setenv("CLEM_CACHE_DIR", folder, 1);
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_cache_key key = {ocl_device_facts(0), "-cl-kernel-arg-info -DNAME=first", named_text,
                                strlen(named_text)};
    assert_true(builds(&bench, "-DNAME=first", "first"));
    assert_true(look_into_folder(path) >= 1);
    assert_true(ocl_program_cache_load(folder, &key, &binary, &bytes));
    assert_true(builds(&bench, "-DNAME=first", "first"));
    assert_true(builds(&bench, "-DNAME=second", "second"));
    key.options = "-cl-kernel-arg-info -DNAME=second";
    ocl_program_cache_store(folder, &key, binary, bytes);
    assert_true(builds(&bench, "-DNAME=second", "first"));
    ocl_program_cache_store(folder, &key, "no binary of any device", 23);
    assert_true(builds(&bench, "-DNAME=second", "second"));
    free(binary);
    close_bench(&bench);
    remove_folder();
}

/* A program that came from disk knows its parameters, their sizes and their pointers as a fresh one
 * does. */
TEST_BODY(program_cache_programs_run)
{
    make_folder();
    setenv("CLEM_CACHE_DIR", folder, 1);
    for (int round = 0; round < 2; round++) {
        struct bench bench = open_bench(named_text, "-DNAME=k");
        struct ocl_kernel *kernel = find_kernel(&bench, "k");
        const struct {
            int a, b;
        } pair = {100, 200 + round};
        uint64_t cells = make_device(&bench, 64), second = cells + 4;
        int value = 0;
        assert_int_equal(ocl_kernel_parameter(kernel, 1)->bytes, sizeof pair);
        assert_int_equal(
            launch_line(&bench, kernel, 1, 1, 0, (void *[]){&second, (void *)(uintptr_t)&pair}),
            OCL_OK);
        read_device(&bench, &value, second, sizeof value);
        assert_int_equal(value, 300 + round);
        free_device(cells);
        close_bench(&bench);
    }
    remove_folder();
}

/* Bytes of what the user's cache folder holds for a program, after it was built once more. */
static size_t bytes_after_build(struct bench *bench, unsigned char *first)
{
    const char *options = "-DNAME=counted";
    const struct ocl_cache_key key = {ocl_device_facts(0), options, named_text, strlen(named_text)};
    void *stored = NULL;
    size_t bytes = 0;
    cl_program program = NULL;
    char *log = NULL;

    assert_int_equal(ocl_program_compile_kept(bench->context, named_text, strlen(named_text),
                                              options, &program, &log),
                     OCL_OK);
    clReleaseProgram(program);
    free(log);
    assert_true(ocl_program_cache_load(ocl_program_cache_directory(), &key, &stored, &bytes));
    *first = *(unsigned char *)stored;
    free(stored);
    return bytes;
}

/* Binaries of programs for CPUs cost as much as a build: they are asked for at the third. */
TEST_BODY(program_cache_counts_before_it_stores)
{
    char root[sizeof folder];
    unsigned char first = 0;

    make_folder();
    struct bench bench = open_bench(NULL, NULL);
    unsetenv("CLEM_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder, 1);
    const bool counts = ocl_device_facts(0)->device_class == OCL_CLASS_CPU;
    for (unsigned char build = 1; counts && build < 3; build++) {
        assert_int_equal(bytes_after_build(&bench, &first), 1);
        assert_int_equal(first, build);
    }
    const size_t bytes = bytes_after_build(&bench, &first);
    assert_true(bytes > 1);
    assert_int_equal(bytes_after_build(&bench, &first), bytes);
    close_bench(&bench);
    strcpy(root, folder);
    strcat(folder, "/clem");
    remove_folder();
    assert_int_equal(rmdir(root), 0);
}

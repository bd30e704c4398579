/* Tests of built programs on disk.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/program_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cl/base/user_cache.h"
#include "cl/device/driver_folder.h"
#include "cl/device/driver_limits.h"
#include "cl/program/cache_folder.h"
#include "cl/program/program_compile.h"
#include "tests/cl/captured.h"
#include "tests/cl/launch.h"

/* The folder that the cache is given, and its own within. */
static char folder[64], own[96];

static void make_folder(void)
{
    strcpy(folder, "/tmp/clem-cache-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(own, sizeof own, "%s/%s", folder, OCL_CACHE_SUBFOLDER);
}

/* The name of the only file of the cache's folder; the number of entries, dots left out. */
static int look_into_folder(char path[512])
{
    int count = 0;
    DIR *directory = opendir(own);

    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, 512, "%s/%s", own, entry->d_name);
        count++;
    }
    closedir(directory);
    return count;
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
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

/* Those that were not used for longest make room, and what is larger than all of it is not kept. */
TEST_BODY(program_cache_is_as_large_as_cuda_says)
{
    enum { STORES = 8, BYTES = 1500 };
    static const char binary[8 * BYTES] = "";
    char path[512], code[] = "text0";
    struct ocl_cache_key key = {&some_device, "", code, 5};

    make_folder();
    setenv("CUDA_CACHE_MAXSIZE", "5000", 1);
    for (int i = 0; i < STORES; i++) {
        code[4] = (char)('0' + i);
        ocl_program_cache_store(folder, &key, binary, BYTES);
        assert_in_range(look_into_folder(path), 1, 3);
    }
    assert_in_range(look_into_folder(path), 2, 3);
    code[4] = 'x';
    ocl_program_cache_store(folder, &key, binary, sizeof binary);
    void *found = NULL;
    size_t bytes = 0;
    assert_false(ocl_program_cache_load(folder, &key, &found, &bytes));
    remove_folder();
}

TEST_BODY(program_cache_tells_keys_apart)
{
    struct ocl_device_facts other_name = some_device, other_driver = some_device,
                            other_processor = some_device;
    struct ocl_cache_key keys[] = {some_key, some_key, some_key, some_key, some_key, some_key};

    make_folder();
    strcpy(other_name.name, "devic");
    strcpy(other_driver.driver_version, "2");
    strcpy(other_processor.processor, "0123456789abcdef");
    keys[0].device = &other_name;
    keys[1].device = &other_driver;
    keys[2].options = "-cl-at";
    keys[2].code = "ext";
    keys[2].bytes = 3;
    keys[3].options = "";
    keys[4].code = "texts";
    keys[4].bytes = 5;
    keys[5].device = &other_processor;
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_false(finds(&keys[i], ""));
    remove_folder();
}

/* Looked for without a folder. */
static bool brings(const struct ocl_cache_key *key)
{
    void *found = NULL;
    size_t bytes = 0;
    const bool is_found = ocl_program_cache_load(NULL, key, &found, &bytes);

    if (is_found)
        assert_int_equal(bytes, 6);
    if (is_found)
        assert_memory_equal(found, "binary", 6);
    free(found);
    return is_found;
}

/* Of one entry, and one that is in it twice. */
static unsigned char *make_pack(size_t *bytes)
{
    struct ocl_cache_key other = some_key;

    other.options = "-cl-other";
    ocl_pack_begin();
    ocl_program_cache_note(&some_key, "binary", 6);
    ocl_program_cache_note(&other, "longer than it", 14);
    ocl_program_cache_note(&some_key, "later!", 6);
    unsigned char *made = ocl_pack_end(bytes);
    assert_non_null(made);
    ocl_program_cache_note(&some_key, "too late", 8);
    return made;
}

TEST_BODY(program_cache_has_what_a_program_brings)
{
    struct ocl_device_facts other_processor = some_device, other_driver = some_device;
    struct ocl_cache_key elsewhere = some_key, later = some_key;
    size_t bytes = 0;
    unsigned char *made = make_pack(&bytes);

    strcpy(other_processor.processor, "0123456789abcdef");
    strcpy(other_driver.platform_version, "2");
    elsewhere.device = &other_processor;
    later.device = &other_driver;
    assert_false(brings(&some_key));
    struct ocl_pack *pack = ocl_pack_open(made, bytes);
    assert_non_null(pack);
    assert_ptr_equal(ocl_pack_open(made, bytes), pack);
    assert_true(brings(&some_key));
    assert_false(brings(&elsewhere));
    assert_false(brings(&later));
    ocl_pack_release(pack);
    assert_true(brings(&some_key));
    ocl_pack_release(ocl_pack_hold(pack));
    ocl_pack_release(pack);
    assert_false(brings(&some_key));
    free(made);
}

TEST_BODY(program_cache_takes_no_damaged_pack)
{
    size_t bytes = 0;
    unsigned char *made = make_pack(&bytes);

    for (size_t i = 0; i < bytes; i++) {
        made[i] ^= 0x41;
        assert_null(ocl_pack_open(made, bytes));
        made[i] ^= 0x41;
        unsigned char *shorter = malloc(i + 1); /* of its own, for who looks at bounds */
        assert_non_null(shorter);
        memcpy(shorter, made, i);
        assert_null(ocl_pack_open(shorter, i));
        free(shorter);
    }
    struct ocl_pack *pack = ocl_pack_open(made, bytes);
    assert_non_null(pack);
    ocl_pack_release(pack);
    size_t none = 0;
    ocl_pack_begin();
    assert_null(ocl_pack_end(&none));
    free(made);
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

/* In a program without stderr the next file would get its number, and with it whatever other threads say there. */
TEST_BODY(program_cache_writes_to_no_stream)
{
    char temporary[OCL_CACHE_NAME_BYTES];
    make_folder();
    const int directory = ocl_cache_folder_open(folder, true), saved = dup(STDERR_FILENO);
    assert_true(directory >= 0 && saved >= 0);
    close(STDERR_FILENO);
    const int file = ocl_cache_folder_write(directory, "name", temporary);
    const bool is_free = fcntl(STDERR_FILENO, F_GETFD) == -1;
    dup2(saved, STDERR_FILENO);
    assert_true(file > STDERR_FILENO);
    assert_true(is_free);
    assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
    close(file);
    close(saved);
    close(directory);
    remove_folder();
}

/* `ulimit -f`: what does not fit is not kept, and the signal ends no program. */
TEST_BODY(program_cache_survives_limits_of_files)
{
    static const char large[1 << 16];
    char path[512];
    struct rlimit limit;
    make_folder();
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit low = {1 << 12, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    ocl_program_cache_store(folder, &some_key, large, sizeof large);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(look_into_folder(path), 0);
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_true(finds(&some_key, "binary"));
    remove_folder();
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

/* What the driver calls the program's binary; the caller frees it. */
static void *binary_of(struct bench *bench, const char *options, size_t *bytes)
{
    assert_int_equal(ocl_program_build(bench->context, named_text, strlen(named_text), options,
                                       &bench->program, NULL),
                     OCL_OK);
    assert_int_equal(
        clGetProgramInfo(bench->program->cl, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL),
        CL_SUCCESS);
    unsigned char *binary = malloc(*bytes);
    assert_int_equal(
        clGetProgramInfo(bench->program->cl, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
        CL_SUCCESS);
    ocl_program_release(bench->program);
    bench->program = NULL;
    return binary;
}

/* The proof that a build came from disk is the binary of another program under its key. */
TEST_BODY(program_cache_serves_builds)
{
    size_t bytes = 0;

    make_folder();
    setenv("CLEM_CACHE_DIR", folder, 1);
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_cache_key key = {ocl_device_facts(0), "-cl-kernel-arg-info -DNAME=second",
                                named_text, strlen(named_text)};
    void *binary = binary_of(&bench, "-DNAME=first", &bytes);
    assert_true(builds(&bench, "-DNAME=second", "second"));
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

/* Whether the cache has the program after it was built `times` times as PTX's translations are. */
static bool is_stored(struct bench *bench, const char *name, int times)
{
    char options[80];
    void *stored = NULL;
    size_t bytes = 0;
    snprintf(options, sizeof options, "-DNAME=%s", name);
    const struct ocl_cache_key key = {ocl_device_facts(0), options, named_text, strlen(named_text)};

    for (int i = 0; i < times; i++) {
        cl_program program = NULL;
        char *log = NULL;
        assert_int_equal(ocl_program_compile_kept(bench->context, named_text, strlen(named_text),
                                                  options, &program, &log),
                         OCL_OK);
        clReleaseProgram(program);
        free(log);
    }
    const bool is = ocl_program_cache_load(ocl_program_cache_directory(), &key, &stored, &bytes);
    free(stored);
    return is;
}

/* A driver that keeps what it compiles, and compiles again for whoever asks for it, is not asked, however
 * often a program is built. Files of PoCL's that are named after the kernel tell. */
TEST_BODY(program_cache_asks_no_driver_that_keeps_programs)
{
    char name[64], command[1024];

    make_folder();
    setenv("CLEM_CACHE_DIR", folder, 1);
    struct bench bench = open_bench(NULL, NULL);
    snprintf(name, sizeof name, "never_asked_%ld", (long)getpid());
    if (ocl_driver_keeps_programs(bench.context->device)) {
        assert_false(is_stored(&bench, name, 4));
        snprintf(command, sizeof command, "test -z \"$(find '%s' -path '*%s*' -name '*.so*')\"",
                 ocl_driver_folder(), name);
        assert_int_equal(system(command), 0);
    } else {
        assert_true(is_stored(&bench, name, 1));
    }
    close_bench(&bench);
    remove_folder();
}

TEST_BODY(program_cache_knows_where_nothing_can_be_stored)
{
    make_folder();
    assert_false(ocl_program_cache_is_writable("/dev/null"));
    assert_false(ocl_program_cache_is_writable("/no/such/folder"));
    assert_true(ocl_program_cache_is_writable(folder));
    assert_int_equal(chmod(own, 0500), 0);
    assert_int_equal(ocl_program_cache_is_writable(folder), geteuid() == 0);
    assert_int_equal(chmod(own, 0702), 0);
    assert_false(ocl_program_cache_is_writable(folder));
    remove_folder();
}

/* --- what is not the cache's own ------------------------------------------------------------------ */

static void make_file(const char *place, const char *name, time_t age)
{
    char path[512];
    const struct timespec times[2] = {{time(NULL) - age, 0}, {time(NULL) - age, 0}};

    snprintf(path, sizeof path, "%s/%s", place, name);
    write_file(path, (const unsigned char *)"some bytes", 10);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_in(const char *place, const char *name)
{
    char path[512];
    struct stat facts;

    snprintf(path, sizeof path, "%s/%s", place, name);
    return lstat(path, &facts) == 0;
}

static void trim_all(void)
{
    const int opened = ocl_cache_folder_open(folder, true);
    assert_true(opened >= 0);
    ocl_cache_folder_trim(opened, 0, 0);
    close(opened);
}

#define SOME_HASH "0123456789abcdef0123456789abcdef"
static const char entry[] = SOME_HASH ".bin", temporary[] = SOME_HASH ".bin.0123456789abcdef";

TEST_BODY(program_cache_deletes_its_own_files_only)
{
    static const char *const foreign[] = {"pytorch_model.bin",
                                          SOME_HASH ".bin.12.3",
                                          SOME_HASH ".bin~",
                                          SOME_HASH "0.bin",
                                          "X" SOME_HASH ".bin",
                                          SOME_HASH,
                                          "0123456789ABCDEF0123456789ABCDEF.bin",
                                          "a.bin.0123456789abcdef"};
    const time_t long_ago = 1000000;

    make_folder();
    trim_all();
    make_file(folder, entry, long_ago); /* of a cache without a folder of its own */
    make_file(folder, "pytorch_model.bin", long_ago);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        make_file(own, foreign[i], long_ago);
    make_file(own, entry, long_ago);
    make_file(own, temporary, long_ago);
    make_file(own, SOME_HASH ".bin.00000000000000ff", 60);
    trim_all();
    assert_false(is_in(own, entry));
    assert_false(is_in(own, temporary));
    assert_true(is_in(own, SOME_HASH ".bin.00000000000000ff"));
    assert_true(is_in(folder, entry));
    assert_true(is_in(folder, "pytorch_model.bin"));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_true(is_in(own, foreign[i]));
    remove_folder();
}

/* Under names of the cache's: a folder, a link, a pipe. */
TEST_BODY(program_cache_deletes_regular_files_only)
{
    char path[512], target[512];

    make_folder();
    trim_all();
    make_file(folder, "target", 0);
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(path, sizeof path, "%s/%s", own, entry);
    assert_int_equal(symlink(target, path), 0);
    trim_all();
    assert_true(is_in(own, entry));
    assert_true(is_in(folder, "target"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    trim_all();
    assert_true(is_in(own, entry));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    trim_all();
    assert_true(is_in(own, entry));
    remove_folder();
}

/* --- what others planted --------------------------------------------------------------------------- */

static bool fails_to_find(void)
{
    alarm(60); /* a pipe without a writer must not hold the reader */
    const bool is_found = finds(&some_key, "binary");
    alarm(0);
    return !is_found;
}

TEST_BODY(program_cache_reads_no_planted_file)
{
    char path[512], aside[512];

    make_folder();
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_int_equal(look_into_folder(path), 1);
    snprintf(aside, sizeof aside, "%s/aside", folder);
    assert_int_equal(chmod(path, 0602), 0);
    assert_true(fails_to_find());
    assert_int_equal(chmod(path, 0400), 0);
    assert_false(fails_to_find());
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(symlink(aside, path), 0);
    assert_true(fails_to_find());
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(fails_to_find());
    ocl_program_cache_store(folder, &some_key, "binary", 6); /* takes the pipe's place */
    assert_false(fails_to_find());
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_true(fails_to_find());
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_true(fails_to_find());
    assert_int_equal(look_into_folder(path), 1); /* nor is anything left of that try */
    remove_folder();
}

enum { NOBODY = 65534, NO_GROUP = 65533 };

TEST_BODY(program_cache_reads_no_file_of_others)
{
    char path[512];

    if (geteuid() != 0)
        TEST_SKIP("only root gives files away");
    make_folder();
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_int_equal(look_into_folder(path), 1);
    assert_int_equal(chown(path, NOBODY, 0), 0);
    assert_true(fails_to_find());
    assert_int_equal(chown(path, 0, NO_GROUP), 0);
    assert_false(fails_to_find());
    assert_int_equal(chmod(path, 0620), 0);
    assert_true(fails_to_find());
    const struct group *group = getgrgid(0); /* root's own, without members */
    assert_int_equal(chown(path, 0, 0), 0);
    if (group && strcmp(group->gr_name, "root") == 0 && !group->gr_mem[0])
        assert_false(fails_to_find());
    remove_folder();
}

/* Neither reads nor writes; how many lines that gives. */
static size_t lines_of_refusal(void)
{
    char printed[4096], path[512];
    struct capture capture = capture_begin();
    const int before = look_into_folder(path);
    const bool is_refused = fails_to_find();

    ocl_program_cache_store(folder, &some_key, "another", 7);
    capture_end(&capture, printed, sizeof printed);
    assert_true(is_refused);
    assert_int_equal(look_into_folder(path), before);
    return count_text(printed, "clem: the program cache is not used");
}

/* Names one more user in the list of who may write to path; false where the file system has no such lists. */
static bool let_one_more_write(const char *path)
{
    enum { OWNER = 1, NAMED = 2, GROUP = 4, MOST = 16, OTHERS = 32, NOTHING = 0, ALL = 7 };
    const struct {
        uint32_t version;
        struct {
            uint16_t whom, may;
            uint32_t id;
        } entries[5];
    } list = {2,
              {{OWNER, ALL, UINT32_MAX},
               {NAMED, ALL, NOBODY},
               {GROUP, NOTHING, UINT32_MAX},
               {MOST, ALL, UINT32_MAX},
               {OTHERS, NOTHING, UINT32_MAX}}};

    return setxattr(path, "system.posix_acl_access", &list, sizeof list, 0) == 0;
}

/* The mode alone shows a group that may be the user's private one. */
TEST_BODY(program_cache_refuses_a_folder_that_a_list_opens)
{
    struct stat facts;

    unsetenv("CLEM_TRACE");
    make_folder();
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_int_equal(chmod(own, 0770), 0);
    const bool is_private = !fails_to_find();
    const bool has_list = let_one_more_write(own);
    if (has_list) {
        assert_int_equal(stat(own, &facts), 0);
        assert_int_equal(facts.st_mode & 0777, 0770);
        (void)lines_of_refusal();
    }
    remove_folder();
    if (!has_list || !is_private)
        TEST_SKIP("no access control lists here, or no private group");
}

TEST_BODY(program_cache_refuses_a_folder_of_others)
{
    char aside[128];

    unsetenv("CLEM_TRACE");
    make_folder();
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_int_equal(chmod(own, 0707), 0);
    assert_int_equal(lines_of_refusal(), 1);
    assert_int_equal(lines_of_refusal(), 0); /* one is enough for a process */
    assert_int_equal(chmod(own, 0700), 0);
    assert_false(fails_to_find());
    snprintf(aside, sizeof aside, "%s/aside", folder);
    assert_int_equal(rename(own, aside), 0);
    assert_int_equal(symlink(aside, own), 0);
    lines_of_refusal();
    assert_int_equal(unlink(own), 0);
    assert_int_equal(rename(aside, own), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(own, NOBODY, 0), 0);
        lines_of_refusal();
        assert_int_equal(chown(own, 0, NO_GROUP), 0);
        assert_false(fails_to_find());
        assert_int_equal(chmod(own, 0770), 0);
        lines_of_refusal();
    }
    remove_folder();
}

/* --- several at once -------------------------------------------------------------------------------- */

static void store_numbered(int number)
{
    char text[32];
    const struct ocl_cache_key key = {&some_device, "", text, 32};

    memset(text, 0, sizeof text);
    snprintf(text, sizeof text, "program %d", number);
    ocl_program_cache_store(folder, &key, "binary", 6);
}

/* Two processes fill and trim; what is left is whole, and nothing else. */
TEST_BODY(program_cache_is_trimmed_by_two_at_once)
{
    pid_t children[2];
    char path[512];

    make_folder();
    trim_all();
    for (int child = 0; child < 2; child++) {
        children[child] = fork();
        assert_true(children[child] >= 0);
        for (int i = 0; children[child] == 0 && i < 300; i++) {
            const int opened = ocl_cache_folder_open(folder, false);
            store_numbered(i);
            if (opened < 0)
                _exit(1);
            ocl_cache_folder_trim(opened, 600, 300);
            close(opened);
        }
        if (children[child] == 0)
            _exit(0);
    }
    for (int child = 0; child < 2; child++) {
        int status = 1;
        assert_int_equal(waitpid(children[child], &status, 0), children[child]);
        assert_int_equal(status, 0);
    }
    ocl_program_cache_store(folder, &some_key, "binary", 6);
    assert_true(finds(&some_key, "binary"));
    assert_in_range(look_into_folder(path), 1, 7);
    remove_folder();
}

TEST_BODY(program_cache_temporary_names_differ)
{
    char first[OCL_CACHE_NAME_BYTES], second[OCL_CACHE_NAME_BYTES];

    make_folder();
    const int opened = ocl_cache_folder_open(folder, true);
    assert_true(opened >= 0);
    const int files[] = {ocl_cache_folder_write(opened, entry, first),
                         ocl_cache_folder_write(opened, entry, second)};
    assert_true(files[0] >= 0 && files[1] >= 0);
    assert_int_equal(strlen(first), strlen(temporary));
    assert_string_not_equal(first, second);
    close(files[0]);
    close(files[1]);
    close(opened);
    remove_folder();
}

/* --- whose folder ----------------------------------------------------------------------------------- */

/* In a process of its own: the folder is looked for once. Gives whether there is one. */
static bool has_directory(const char *cache, const char *home)
{
    int status = 0;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        unsetenv("CLEM_CACHE_DIR");
        if (cache)
            setenv("XDG_CACHE_HOME", cache, 1);
        else
            unsetenv("XDG_CACHE_HOME");
        setenv("HOME", home, 1);
        _exit(ocl_program_cache_directory() != NULL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 1;
}

TEST_BODY(program_cache_makes_no_home)
{
    char home[128], cache[128];

    make_folder();
    snprintf(home, sizeof home, "%s/home/", folder);
    snprintf(cache, sizeof cache, "%s/home/.cache", folder);
    assert_false(has_directory(NULL, home));
    assert_false(has_directory(home, home));
    assert_false(has_directory(cache, home));
    assert_false(is_in(folder, "home"));
    assert_int_equal(mkdir(home, 0700), 0);
    assert_true(has_directory(NULL, home));
    assert_true(is_in(cache, "clem"));
    snprintf(cache, sizeof cache, "%s/cache/", folder);
    assert_true(has_directory(cache, "/nonexistent"));
    assert_true(is_in(cache, "clem"));
    assert_false(has_directory("relative", "relative"));
    remove_folder();
}

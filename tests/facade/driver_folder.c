/* Tests of the folder in which PoCL keeps compiled kernels, and of programs with more rights than who
 * starts them: each runs the helper under another environment.
 * SPDX-License-Identifier: Apache-2.0 */
#include <CL/cl.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "tests/facade/helper.h"
#include "tests/facade/runtime_support.h"

enum { NOBODY = 65534, CANNOT_RUN = 126, NOT_FOUND = 127 };

static char folder[64];
static char output[8192];

static void make_folder(void)
{
    strcpy(folder, "/tmp/clem-folder-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static bool is_there(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0;
}

static int count_files(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *file = readdir(directory); file; file = readdir(directory))
        count += file->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void skip_without_pocl(const char *environment)
{
    int code = run_helper(environment, "devices", output, sizeof output);
    if (code != 0 || !strstr(output, "Portable Computing Language"))
        TEST_SKIP("no PoCL");
}

/* Programs use the first device. */
static void skip_where_pocl_is_not_first(void)
{
    char line[512] = "";
    FILE *pipe = popen(CLEM_INFO " --brief", "r");
    assert_non_null(pipe);
    const bool has_line = fgets(line, sizeof line, pipe) != NULL;
    pclose(pipe);
    if (!has_line || !strstr(line, "Portable Computing Language"))
        TEST_SKIP("PoCL's is not the first device");
}

/* What a program that uses a kernel leaves compiled in the folder: names, inodes and times. PoCL 3.1 also leaves an
 * empty file or two of every process. */
static void list_compiled(const char *environment, char *list, size_t bytes)
{
    char command[256];
    assert_int_equal(run_helper(environment, "use", output, sizeof output), 0);
    snprintf(command, sizeof command,
             "find %s -type f ! -name 'last_accessed*' ! -empty -printf '%%P %%i %%T@\\n' | sort",
             folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    list[fread(list, 1, bytes - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
}

/* Neither the driver's front end nor its back end begins again, even where clem itself can keep nothing. */
TEST_BODY(driver_folder_spares_the_second_compilation)
{
    static char first[65536], later[sizeof first];
    char environment[512];

    skip_where_pocl_is_not_first();
    make_folder();
    snprintf(environment, sizeof environment, "POCL_CACHE_DIR=%s CLEM_CACHE_DIR=/dev/null/none",
             folder);
    list_compiled(environment, first, sizeof first);
    assert_non_null(strstr(first, ".so "));
    for (int run = 2; run <= 3; run++) {
        list_compiled(environment, later, sizeof later);
        assert_string_equal(later, first);
    }
    remove_folder();
}

/* Runs the helper, which must work and print one line on the folder; that folder is cut out of it.
 * "devices" makes PoCL start, which makes its folder, and "use" fills that, which takes seconds. */
static void run_elsewhere(const char *environment, const char *mode, char given[256])
{
    static const char begin[] = "clem: PoCL keeps compiled kernels in ";
    const int code = run_helper(environment, mode, output, sizeof output);
    if (code == CANNOT_RUN || code == NOT_FOUND)
        TEST_SKIP("another user cannot run programs of this folder");
    if (code != 0 || !strstr(output, begin))
        print_error("%s\n", output);
    assert_int_equal(code, 0);
    assert_int_equal(count_of(output, begin), 1);
    assert_int_equal(count_of(output, "POCL_CACHE_DIR can name a folder"), 1);
    const char *path = strstr(output, begin) + strlen(begin);
    const size_t length = strcspn(path, " :");
    assert_in_range(length, 1, 255);
    memcpy(given, path, length);
    given[length] = '\0';
}

TEST_BODY(driver_folder_needs_no_home)
{
    char environment[512], given[256], home[128], cache[160];
    const bool was_there = is_there("/tmp/pocl");

    skip_without_pocl("CLEM_TRACE=1");
    make_folder();
    snprintf(home, sizeof home, "%s/home", folder);
    snprintf(environment, sizeof environment,
             "-u XDG_CACHE_HOME -u XDG_RUNTIME_DIR -u POCL_CACHE_DIR TMPDIR=%s HOME=%s", folder,
             home);
    run_elsewhere(environment, "devices", given);
    assert_memory_equal(given, folder, strlen(folder));
    assert_false(is_there(given));
    /* The home itself may be there: other drivers make it for caches of their own. */
    snprintf(cache, sizeof cache, "%s/.cache", home);
    assert_false(is_there(cache));
    snprintf(environment, sizeof environment,
             "-u XDG_CACHE_HOME -u XDG_RUNTIME_DIR -u POCL_CACHE_DIR -u HOME TMPDIR=%s", folder);
    run_elsewhere(environment, "devices", given);
    assert_memory_equal(given, folder, strlen(folder));
    assert_false(is_there(given));
    assert_int_equal(is_there("/tmp/pocl"), was_there);
    /* Of what a path names, a good deal may be missing. */
    snprintf(environment, sizeof environment, "-C %s POCL_CACHE_DIR=a/b/c/", folder);
    assert_int_equal(run_helper(environment, "devices", output, sizeof output), 0);
    assert_string_equal(output, "");
    snprintf(home, sizeof home, "%s/a/b/c", folder);
    assert_true(is_there(home));
    remove_folder();
}

/* Whoever owns the folder that a program goes to does not choose what PoCL runs. */
TEST_BODY(driver_folder_stays_when_the_program_goes_elsewhere)
{
    static char list[65536];
    char environment[512];

    skip_where_pocl_is_not_first();
    make_folder();
    snprintf(environment, sizeof environment, "-C %s POCL_CACHE_DIR=a CLEM_CACHE_DIR=b", folder);
    assert_int_equal(run_helper(environment, "elsewhere", output, sizeof output), 0);
    assert_string_equal(output, "");
    list_compiled(environment, list, sizeof list);
    assert_memory_equal(list, "a/", 2);
    assert_non_null(strstr(list, ".so "));
    remove_folder();
}

TEST_BODY(driver_folder_stays_for_a_session)
{
    char environment[512], given[256], wanted[128];

    skip_without_pocl("CLEM_TRACE=1");
    make_folder();
    /* A home that no driver can make between the two runs. */
    snprintf(environment, sizeof environment,
             "-u XDG_CACHE_HOME -u POCL_CACHE_DIR HOME=/dev/null/home XDG_RUNTIME_DIR=%s", folder);
    run_elsewhere(environment, "devices", given);
    snprintf(wanted, sizeof wanted, "%s/clem-pocl", folder);
    assert_string_equal(given, wanted);
    assert_true(is_there(wanted));
    assert_int_equal(chmod(wanted, 0777), 0); /* not, where others could have written */
    run_elsewhere(environment, "devices", given);
    assert_string_not_equal(given, wanted);
    remove_folder();
}

/* One variable for both caches, as CUDA's programs have it; and none where it says so, whatever names a folder. */
TEST_BODY(driver_folder_is_where_cuda_says)
{
    static char list[65536];
    char environment[1024], kept[128];

    skip_where_pocl_is_not_first();
    make_folder();
    snprintf(environment, sizeof environment,
             "-u POCL_CACHE_DIR -u CLEM_CACHE_DIR CUDA_CACHE_PATH=%s/a", folder);
    list_compiled(environment, list, sizeof list);
    assert_non_null(strstr(list, "a/pocl/"));
    assert_non_null(strstr(list, ".so "));
    assert_string_equal(output, "");
    snprintf(kept, sizeof kept, "%s/none", folder);
    assert_int_equal(mkdir(kept, 0700), 0);
    snprintf(
        environment, sizeof environment,
        "CUDA_CACHE_DISABLE=1 TMPDIR=%s POCL_CACHE_DIR=%s CLEM_CACHE_DIR=%s CUDA_CACHE_PATH=%s",
        kept, kept, kept, kept);
    assert_int_equal(run_helper(environment, "use", output, sizeof output), 0);
    assert_string_equal(output, "");
    assert_int_equal(count_files(kept), 0);
    remove_folder();
}

#define OF_HASH "ABCDEFGHIJKLMNOPABCDEFGHIJKLMNOPABC" /* and two letters more */

/* As PoCL keeps one: a folder of two letters, one within. */
static void make_program(const char *name, int bytes, time_t used)
{
    char path[160];
    const struct timespec times[2] = {{used, 0}, {used, 0}};
    static const char zeros[1 << 16];
    snprintf(path, sizeof path, "%s/pocl/BA/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/program.bc");
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, zeros, (size_t)bytes), bytes);
    close(file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool has_program(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/pocl/BA/%s/program.bc", folder, name);
    return is_there(path);
}

static void run_devices(const char *limit)
{
    char environment[256];
    snprintf(environment, sizeof environment,
             "-u POCL_CACHE_DIR CUDA_CACHE_PATH=%s CUDA_CACHE_MAXSIZE=%s", folder, limit);
    assert_int_equal(run_helper(environment, "devices", output, sizeof output), 0);
}

/* What was not used for longest goes, where no other process counts on it. */
TEST_BODY(driver_folder_is_as_large_as_cuda_says)
{
    char path[128];

    skip_without_pocl("CLEM_TRACE=1");
    make_folder();
    snprintf(path, sizeof path, "%s/pocl", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    const int own = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    strcat(path, "/BA");
    assert_int_equal(mkdir(path, 0700), 0);
    make_program(OF_HASH "AA", 1 << 16, 1000000000);
    make_program(OF_HASH "AB", 1 << 16, 1100000000);
    run_devices("1000000000000");
    run_devices("many");
    assert_non_null(strstr(output, "CUDA_CACHE_MAXSIZE=many is ignored"));
    assert_int_equal(flock(own, LOCK_SH | LOCK_NB), 0);
    run_devices("130000");
    assert_true(has_program(OF_HASH "AA") && has_program(OF_HASH "AB"));
    close(own);
    run_devices("130000");
    assert_false(has_program(OF_HASH "AA"));
    assert_true(has_program(OF_HASH "AB"));
    run_devices("0");
    assert_false(has_program(OF_HASH "AB"));
    remove_folder();
}

static void make_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, path, sizeof path), sizeof path);
    close(file);
}

static void make_link(const char *target, const char *name)
{
    char path[256], to[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(to, sizeof to, "%s/%s", folder, target);
    assert_int_equal(symlink(to, path), 0);
}

/* Folders of two letters may be anybody's, and links lead anywhere. */
TEST_BODY(driver_folder_keeps_what_is_not_the_drivers)
{
    static const char *const folders[] = {
        "pocl",    "pocl/BA", "pocl/BA/" OF_HASH "AC", "pocl/BA/docs",
        "pocl/en", "victim",  "victim/docs",           "victim/" OF_HASH "AA"};
    static const char *const files[] = {"pocl/BA/docs/program.bc",
                                        "pocl/BA/" OF_HASH "AC/letter",
                                        "pocl/BA/" OF_HASH "AD",
                                        "pocl/en/readme",
                                        "victim/letter",
                                        "victim/docs/thesis",
                                        "victim/" OF_HASH "AA/program.bc"};
    char path[256];

    skip_without_pocl("CLEM_TRACE=1");
    make_folder();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        make_file(files[i]);
    make_link("victim", "pocl/AB");
    make_link("victim/" OF_HASH "AA", "pocl/BA/" OF_HASH "AE");
    make_program(OF_HASH "AB", 1 << 16, 1000000000);
    run_devices("0");
    assert_false(has_program(OF_HASH "AB"));
    assert_true(has_program(OF_HASH "AE")); /* through the link */
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        if (!is_there(path))
            fail_msg("%s is gone", files[i]);
    }
    remove_folder();
}

TEST_BODY(driver_folder_of_a_user_without_one)
{
    char environment[512], given[256], home[128];

    if (geteuid() != 0)
        TEST_SKIP("only root runs programs as another user");
    skip_without_pocl("CLEM_TRACE=1");
    make_folder();
    snprintf(home, sizeof home, "%s/home", folder);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(mkdir(home, 0755), 0);
    snprintf(environment, sizeof environment,
             "-u XDG_CACHE_HOME -u XDG_RUNTIME_DIR -u POCL_CACHE_DIR -u TMPDIR HOME=%s "
             "setpriv --reuid=%d --regid=%d --clear-groups",
             home, NOBODY, NOBODY);
    run_elsewhere(environment, "use", given);
    assert_memory_equal(given, "/tmp/clem-pocl-", strlen("/tmp/clem-pocl-"));
    assert_false(is_there(given));
    assert_int_equal(count_files(home), 0);
    remove_folder();
}

TEST_BODY(driver_folder_of_others_is_refused)
{
    char environment[512], given[256], chosen[128];

    skip_without_pocl("CLEM_TRACE=1");
    make_folder();
    snprintf(chosen, sizeof chosen, "%s/chosen", folder);
    snprintf(environment, sizeof environment, "-u XDG_RUNTIME_DIR POCL_CACHE_DIR=%s", chosen);
    assert_int_equal(run_helper(environment, "devices", output, sizeof output), 0);
    assert_null(strstr(output, "POCL_CACHE_DIR"));
    assert_true(is_there(chosen)); /* the usual case */
    assert_int_equal(chmod(chosen, 0707), 0);
    run_elsewhere(environment, "devices", given);
    assert_string_not_equal(given, chosen);
    assert_non_null(strstr(output, "can be written by others"));
    if (geteuid() == 0) {
        assert_int_equal(chown(chosen, 0, NOBODY), 0);
        assert_int_equal(chmod(chosen, 0770), 0);
        run_elsewhere(environment, "devices", given);
        assert_non_null(strstr(output, "can be written by its group"));
        assert_int_equal(chmod(chosen, 0700), 0);
        assert_int_equal(chown(chosen, NOBODY, 0), 0);
        run_elsewhere(environment, "devices", given);
        assert_non_null(strstr(output, "belongs to another user"));
    }
    remove_folder();
}

/* Runs a program with other file systems mounted, or skips the test. */
#define WITH_MOUNTS(MOUNTS)                                                                        \
    "unshare --mount --user --map-root-user sh -c '{ " MOUNTS "; } || exit 126; exec \"$0\" "      \
    "\"$@\"'"

/* Not in every container or root. */
static void skip_without_mounts(void)
{
    static const char nothing_mounted[] =
        WITH_MOUNTS("mount -t tmpfs none /tmp") " true >/dev/null 2>&1";
    if (system(nothing_mounted) != 0) // NOLINT(cert-env33-c): a fixed command
        TEST_SKIP("nothing can be mounted");
}

TEST_BODY(driver_folder_on_a_full_disk)
{
    static const char *const options[] = {"size=1m", "noexec"};
    static const char *const words[] = {"is on a full disk", "is mounted noexec"};
    char environment[768], given[256];

    skip_without_pocl("CLEM_TRACE=1");
    skip_without_mounts();
    make_folder();
    for (int i = 0; i < 2; i++) {
        snprintf(environment, sizeof environment,
                 "-u XDG_RUNTIME_DIR TMPDIR=/tmp POCL_CACHE_DIR=%s " WITH_MOUNTS(
                     "mount -t tmpfs -o mode=700,%s none %s"),
                 folder, options[i], folder);
        run_elsewhere(environment, i == 0 ? "use" : "devices", given);
        assert_non_null(strstr(output, words[i]));
        assert_false(is_there(given));
    }
    remove_folder();
}

/* Later ones are not known to end the process, so nothing is refused for them. */
static void skip_without_pocl_3(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    bool is_found = false;

    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char version[256] = "";
        (void)clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof version, version, NULL);
        is_found = is_found || strstr(version, "PoCL 3") || strstr(version, "pocl 3");
    }
    if (!is_found)
        TEST_SKIP("no PoCL 3");
}

/* Devices are there, and the program hears why nothing builds. */
TEST_BODY(driver_folder_with_full_disks_only)
{
    skip_without_pocl("CLEM_TRACE=1");
    skip_without_pocl_3();
    skip_without_mounts();
    const int code = run_helper(
        "-u XDG_RUNTIME_DIR -u TMPDIR CLEM_CACHE_DIR=/tmp/c POCL_CACHE_DIR=/tmp/p " WITH_MOUNTS(
            "for place in /tmp /var/tmp /dev/shm; do "
            "mount -t tmpfs -o size=1m,mode=700 none $place || exit 126; done; mkdir -m 700 "
            "/tmp/p"),
        "use", output, sizeof output);
    if (code == CANNOT_RUN || code == NOT_FOUND)
        TEST_SKIP("nothing can be mounted, or not over the folder that this program lies in");
    assert_in_range(code, 1, 125);
    if (!strstr(output, "the disk of its cache folder /tmp/p is full"))
        print_error("%s\n", output);
    assert_non_null(strstr(output, "the disk of its cache folder /tmp/p is full"));
}

/* --- folders of processes that were killed --------------------------------------------------------- */

static void make_old(const char *name, char path[128])
{
    const struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    char file[160];

    snprintf(path, 128, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(file, sizeof file, "%s/sub", path);
    assert_int_equal(mkdir(file, 0700), 0);
    snprintf(file, sizeof file, "%s/sub/link", path);
    assert_int_equal(symlink("../../kept", file), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
}

TEST_BODY(driver_folder_of_the_killed_goes_after_a_day)
{
    char environment[512], given[256], left[128], locked[128], foreign[128], open_to_all[128],
        longer[128], new[128], link[128], kept[128];

    skip_without_pocl("CLEM_TRACE=1");
    make_folder();
    make_old("kept", kept);
    make_old("clem-pocl-aAzZ09", left);
    make_old("clem-pocl-LOCKED", locked);
    make_old("clem-pocl-OTHERS", foreign);
    make_old("clem-pocl-ANYONE", open_to_all);
    make_old("clem-pocl-LONGER1", longer);
    snprintf(new, sizeof new, "%s/clem-pocl-newone", folder);
    assert_int_equal(mkdir(new, 0700), 0);
    snprintf(link, sizeof link, "%s/clem-pocl-linked", folder);
    assert_int_equal(symlink("kept", link), 0);
    assert_int_equal(chmod(open_to_all, 0777), 0);
    const bool is_root = geteuid() == 0 && chown(foreign, NOBODY, NOBODY) == 0;
    const int file = open(locked, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(file, LOCK_SH), 0);
    snprintf(environment, sizeof environment,
             "-u XDG_CACHE_HOME -u XDG_RUNTIME_DIR -u POCL_CACHE_DIR -u HOME TMPDIR=%s", folder);
    run_elsewhere(environment, "devices", given);
    close(file);
    assert_false(is_there(left));
    assert_int_equal(is_there(foreign), is_root);
    assert_true(is_there(locked) && is_there(open_to_all) && is_there(longer));
    assert_true(is_there(new) && is_there(link));
    strcat(kept, "/sub/link");
    assert_true(is_there(kept));
    remove_folder();
}

/* --- more rights than who starts it ---------------------------------------------------------------- */

/* A copy of the helper that runs as another user, whoever starts it. */
static void make_privileged_helper(char copy[128])
{
    char helper[PATH_MAX], command[PATH_MAX + 256];

    snprintf(copy, 128, "%s/helper", folder);
    find_helper(helper);
    snprintf(command, sizeof command, "cp \"%s\" %s", helper, copy);
    assert_int_equal(system(command), 0);
    assert_int_equal(chown(copy, NOBODY, NOBODY), 0);
    assert_int_equal(chmod(copy, 04755), 0);
}

TEST_BODY(driver_folder_with_more_rights)
{
    static const char *const names[] = {"home", "cache", "clem", "pocl"};
    char copy[128], path[128], environment[1024];

    if (geteuid() != 0)
        TEST_SKIP("only root makes programs of other users");
    if (has_sanitizer())
        TEST_SKIP("sanitizers do not run in programs with more rights");
    skip_without_pocl("-u OCL_ICD_VENDORS -u OCL_ICD_FILENAMES -u OPENCL_LAYERS CLEM_TRACE=1");
    make_folder();
    assert_int_equal(chmod(folder, 0755), 0);
    make_privileged_helper(copy);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        assert_int_equal(chown(path, NOBODY, NOBODY), 0); /* it could use all of them */
    }
    snprintf(environment, sizeof environment,
             "HOME=%s/home XDG_CACHE_HOME=%s/cache CLEM_CACHE_DIR=%s/clem POCL_CACHE_DIR=%s/pocl "
             "CLEM_TRACE=1 CLEM_NO_SUCH_THING=1 CUDA_VISIBLE_DEVICES= POCL_DEVICES=none "
             "OCL_ICD_VENDORS=/nonexistent",
             folder, folder, folder, folder);
    const int code = run_program(environment, copy, "privileged", output, sizeof output);
    if (code > 1)
        TEST_SKIP("programs do not get more rights here: %s", output);
    if (code != 0 || *output)
        print_error("%s\n", output);
    assert_int_equal(code, 0);
    assert_string_equal(output, "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(count_files(path), 0);
    }
    remove_folder();
}

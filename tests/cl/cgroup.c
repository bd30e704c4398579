/* Tests of cl/base/cgroup.c, on file systems that look like those of hosts and containers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/cgroup.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

static char root[64];

static void make_root(void)
{
    strcpy(root, "/tmp/clem-cgroup-XXXXXX");
    assert_non_null(mkdtemp(root));
}

/* Folders on the way are made. */
static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

static void expect(uint64_t limit, uint64_t left)
{
    struct ocl_cgroup *group = ocl_cgroup_find(root);
    assert_non_null(group);
    assert_int_equal(ocl_cgroup_limit(group), limit);
    assert_int_equal(ocl_cgroup_left(group), left);
    ocl_cgroup_free(group);
    remove_root();
}

/* The outer group is the narrower one in limit, a middle one in what is left. */
TEST_BODY(cgroup_of_version_2_takes_the_least_of_the_path)
{
    make_root();
    put("proc/self/cgroup", "0::/outer/middle/own\n");
    put("proc/self/mountinfo",
        "22 1 0:20 / /proc rw shared:5 - proc proc rw\n"
        "31 23 0:28 / /sys/fs/cg\\040roup rw,nosuid shared:9 master:3 - cgroup2 cgroup2 rw\n");
    put("sys/fs/cg roup/outer/memory.max", "1000000\n");
    put("sys/fs/cg roup/outer/memory.current", "100\n");
    put("sys/fs/cg roup/outer/middle/memory.max", "5000000\n");
    put("sys/fs/cg roup/outer/middle/memory.high", "1200000\n");
    put("sys/fs/cg roup/outer/middle/memory.current", "900000\n");
    put("sys/fs/cg roup/outer/middle/memory.stat", "anon 7\ninactive_file 200000\nshmem 1\n");
    put("sys/fs/cg roup/outer/middle/own/memory.max", "max\n");
    expect(1000000, 500000);
}

TEST_BODY(cgroup_of_version_1_takes_the_least_of_the_path)
{
    make_root();
    put("proc/self/cgroup", "9:name=systemd:/x\n4:hugetlb,memory:/box/own\n1:cpu:/box\n0::/\n");
    put("proc/self/mountinfo",
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,hugetlb,memory\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "4000000\n");
    put("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "3500000\n");
    put("sys/fs/cgroup/memory/box/memory.stat", "cache 1\ntotal_inactive_file 500000\n");
    put("sys/fs/cgroup/memory/box/own/memory.limit_in_bytes", "6000000\n");
    put("sys/fs/cgroup/memory/box/own/memory.usage_in_bytes", "10\n");
    expect(4000000, 1000000);
}

/* A container sees its group at the mount, under the host's name for it or under none. */
TEST_BODY(cgroup_of_a_container_is_its_mount)
{
    static const char *const groups[] = {"4:memory:/docker/abc\n", "4:memory:/\n",
                                         "4:memory:/../other\n"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        make_root();
        put("proc/self/cgroup", groups[i]);
        put("proc/self/mountinfo",
            "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "70000\n");
        put("sys/fs/cgroup/memory/memory.usage_in_bytes", "80000\n");
        expect(70000, 0);
    }
}

TEST_BODY(cgroup_without_limits_says_so)
{
    make_root();
    assert_null(ocl_cgroup_find(root));
    assert_int_equal(ocl_cgroup_limit(NULL), UINT64_MAX);
    put("proc/self/cgroup", "nonsense\n0:\n::\n0::/a\n");
    put("proc/self/mountinfo", "nonsense\n1 2\n1 2 3 4 5 6\n1 2 3 4 /x - cgroup2\n"
                               "1 2 3 / /sys rw - cgroup2 cgroup2 rw\n");
    put("sys/a/memory.max", "many\n");
    put("sys/a/memory.stat", "inactive_file\n");
    expect(UINT64_MAX, UINT64_MAX);
}

/* Whether files that become code are this user's alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/trust.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A group whose entry is too long for the text has members enough to be no private one. */
static bool is_private_group(gid_t id)
{
    struct passwd user, *found_user = NULL;
    struct group group, *found_group = NULL;
    char user_text[4096], group_text[4096];
    if (getpwuid_r(geteuid(), &user, user_text, sizeof user_text, &found_user) != 0 ||
        !found_user || user.pw_gid != id ||
        getgrgid_r(id, &group, group_text, sizeof group_text, &found_group) != 0 || !found_group ||
        strcmp(group.gr_name, user.pw_name) != 0)
        return false;
    for (char **member = group.gr_mem; *member; member++)
        if (strcmp(*member, user.pw_name) != 0)
            return false;
    return true;
}

/* Under an access control list the group's bit stands for everybody whom the list names. */
static bool has_access_list(int file)
{
    return fgetxattr(file, "system.posix_acl_access", NULL, 0) > 0;
}

const char *ocl_trust_fault(int file, const struct stat *facts)
{
    if (facts->st_uid != geteuid())
        return "belongs to another user";
    if (facts->st_mode & S_IWOTH)
        return "can be written by others";
    if ((facts->st_mode & S_IWGRP) && (has_access_list(file) || !is_private_group(facts->st_gid)))
        return "can be written by its group";
    return NULL;
}

/* Asking for the effective user takes a system call that older sandboxes refuse: only where it differs. */
bool ocl_trust_can_write(int folder, const char *path)
{
    const bool is_other = geteuid() != getuid() || getegid() != getgid();
    return faccessat(folder, path, R_OK | W_OK | X_OK, is_other ? AT_EACCESS : 0) == 0;
}

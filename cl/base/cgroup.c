/* How much memory the control groups of this process leave it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/cgroup.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The files of a group ---- */

struct version {
    const char *file_system, *controller; /* as mountinfo says; NULL: has all controllers */
    const char *limits[2];                /* whichever is less */
    const char *usage;
    const char *cache; /* a line of memory.stat: pages of files that were not used lately */
};

static const struct version versions[] = {
    {"cgroup2", NULL, {"memory.max", "memory.high"}, "memory.current", "inactive_file"},
    {"cgroup",
     "memory",
     {"memory.limit_in_bytes", NULL},
     "memory.usage_in_bytes",
     "total_inactive_file"},
};
enum { VERSIONS = sizeof versions / sizeof *versions };

struct ocl_cgroup {
    struct {
        char *folder;   /* of the process's own group; NULL: no such version here */
        size_t topmost; /* length of the part of it where the groups are mounted */
    } of[VERSIONS];
};

static FILE *open_in(const char *folder, size_t length, const char *name)
{
    char *path;
    if (asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0)
        return NULL;
    FILE *file = fopen(path, "re");
    free(path);
    return file;
}

/* otherwise: for a file that is missing or says "max". */
static uint64_t read_number(const char *folder, size_t length, const char *name, uint64_t otherwise)
{
    FILE *file = open_in(folder, length, name);
    uint64_t number = otherwise;
    if (!file)
        return otherwise;
    if (fscanf(file, "%" SCNu64, &number) != 1)
        number = otherwise;
    fclose(file);
    return number;
}

static uint64_t read_cache(const char *folder, size_t length, const char *wanted)
{
    FILE *file = open_in(folder, length, "memory.stat");
    char name[64];
    uint64_t number = 0, cache = 0;
    if (!file)
        return 0;
    while (fscanf(file, "%63s %" SCNu64, name, &number) == 2)
        if (strcmp(name, wanted) == 0)
            cache = number;
    fclose(file);
    return cache;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t limit_of(const struct version *version, const char *folder, size_t length)
{
    uint64_t limit = UINT64_MAX;
    for (size_t i = 0; i < 2 && version->limits[i]; i++)
        limit = least(limit, read_number(folder, length, version->limits[i], UINT64_MAX));
    return limit;
}

static uint64_t left_of(const struct version *version, const char *folder, size_t length)
{
    const uint64_t limit = limit_of(version, folder, length);
    if (limit == UINT64_MAX)
        return limit;
    const uint64_t usage = read_number(folder, length, version->usage, 0);
    const uint64_t cache = least(read_cache(folder, length, version->cache), usage);
    return limit > usage - cache ? limit - (usage - cache) : 0;
}

typedef uint64_t level_function(const struct version *version, const char *folder, size_t length);

static uint64_t least_of_levels(const struct ocl_cgroup *group, level_function *ask)
{
    uint64_t result = UINT64_MAX;
    for (size_t v = 0; group && v < VERSIONS; v++) {
        const char *folder = group->of[v].folder;
        for (size_t length = folder ? strlen(folder) : 0; length > 0;) {
            result = least(result, ask(&versions[v], folder, length));
            if (length <= group->of[v].topmost)
                break;
            while (length > group->of[v].topmost && folder[--length] != '/')
                continue;
        }
    }
    return result;
}

uint64_t ocl_cgroup_limit(const struct ocl_cgroup *group)
{
    return least_of_levels(group, limit_of);
}

uint64_t ocl_cgroup_left(const struct ocl_cgroup *group)
{
    return least_of_levels(group, left_of);
}

/* ---- Where the group is ---- */

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

/* The path behind "N:controllers:" in proc/self/cgroup; version 2 has "0::". NULL: not there. */
static char *find_path(const char *root, const struct version *version)
{
    FILE *file = open_in(root, strlen(root), "proc/self/cgroup");
    char *line = NULL, *path = NULL;
    size_t room = 0;
    while (file && !path && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *behind = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!behind)
            continue;
        *behind++ = '\0';
        if (version->controller ? has_word(controllers + 1, version->controller)
                                : strcmp(line, "0:") == 0)
            path = strdup(behind);
    }
    free(line);
    if (file)
        fclose(file);
    return path;
}

/* Blanks and the like stand as three octal digits in mountinfo. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned code;
        if (from[0] == '\\' && sscanf(from + 1, "%3o", &code) == 1) {
            *to = (char)code;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* What lies behind the folder in the path; NULL when the path is not in it. */
static const char *path_below(const char *path, const char *folder)
{
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != '\0'))
        return NULL;
    return strcmp(path + length, "/") == 0 ? path + length + 1 : path + length;
}

/* One line of mountinfo. Returns what of path lies below the mount, and where that is mounted; NULL: not a mount of
 * this version. A container may see its own group mounted under the path that the host calls it by, or a path that no
 * mount has: then the mount is the group. */
static const char *read_mount(char *line, const struct version *version, const char *path,
                              char **place)
{
    char *words[5], *rest = line;
    for (size_t i = 0; i < 5; i++)
        words[i] = strsep(&rest, " ");
    char *source = rest ? strstr(rest, " - ") : NULL;
    if (!source)
        return NULL;
    source += 3;
    const char *file_system = strsep(&source, " ");
    (void)strsep(&source, " ");
    if (strcmp(file_system, version->file_system) != 0 || !source)
        return NULL;
    source[strcspn(source, "\n")] = '\0';
    if (version->controller && !has_word(source, version->controller))
        return NULL;
    unescape(words[3]);
    unescape(words[4]);
    *place = words[4];
    const char *below = path_below(path, words[3]);
    return below && !strstr(below, "/..") ? below : "";
}

/* Of several mounts the one that shows most of the path. */
static void find_folder(struct ocl_cgroup *group, size_t v, const char *root)
{
    char *path = find_path(root, &versions[v]), *line = NULL;
    size_t room = 0, most = 0;
    FILE *file = path ? open_in(root, strlen(root), "proc/self/mountinfo") : NULL;
    while (file && getline(&line, &room, file) > 0) {
        char *place, *folder;
        const char *below = read_mount(line, &versions[v], path, &place);
        if (!below || (group->of[v].folder && strlen(below) <= most) ||
            asprintf(&folder, "%s%s%s", root, place, below) < 0)
            continue;
        free(group->of[v].folder);
        group->of[v].folder = folder;
        group->of[v].topmost = strlen(root) + strlen(place);
        most = strlen(below);
    }
    if (file)
        fclose(file);
    free(line);
    free(path);
}

struct ocl_cgroup *ocl_cgroup_find(const char *root)
{
    struct ocl_cgroup *group = calloc(1, sizeof *group);
    bool is_any = false;
    for (size_t v = 0; group && v < VERSIONS; v++) {
        find_folder(group, v, root);
        is_any |= group->of[v].folder != NULL;
    }
    if (is_any)
        return group;
    ocl_cgroup_free(group);
    return NULL;
}

void ocl_cgroup_free(struct ocl_cgroup *group)
{
    for (size_t v = 0; group && v < VERSIONS; v++)
        free(group->of[v].folder);
    free(group);
}

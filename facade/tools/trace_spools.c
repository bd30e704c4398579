/* Finds what libclem wrote of a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cl/spool.h"
#include "facade/tools/trace_files.h"

/* PROCESS or PROCESS-PART, and the suffix. */
static bool read_name(const char *name, struct trace_spool *spool)
{
    char *end;
    if (name[0] < '0' || name[0] > '9')
        return false;
    spool->process = strtoull(name, &end, 10);
    spool->part = 1;
    if (*end == '-')
        spool->part = (unsigned)strtoul(end + 1, &end, 10);
    return strcmp(end, OCL_SPOOL_SUFFIX) == 0;
}

static bool keep(struct trace_spool **spools, size_t *count, const struct trace_spool *found,
                 const char *folder, const char *name)
{
    struct trace_spool *larger = realloc(*spools, (*count + 1) * sizeof *larger);
    if (larger == NULL)
        return false;
    *spools = larger;
    larger[*count] = *found;
    if (asprintf(&larger[*count].path, "%s/%s", folder, name) < 0)
        return false;
    ++*count;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct trace_spool *one = a, *other = b;
    if (one->process != other->process)
        return one->process < other->process ? -1 : 1;
    return (one->part > other->part) - (one->part < other->part);
}

static bool read_folder(DIR *directory, const char *folder, const char *stem,
                        struct trace_spool **spools, size_t *count)
{
    const size_t length = strlen(stem);
    bool is_good = true;
    for (const struct dirent *entry; is_good && (entry = readdir(directory)) != NULL;) {
        struct trace_spool found;
        const char *name = entry->d_name;
        if (strncmp(name, stem, length) == 0 && name[length] == '.' &&
            read_name(name + length + 1, &found))
            is_good = keep(spools, count, &found, folder, name);
    }
    if (*count > 0)
        qsort(*spools, *count, sizeof **spools, compare);
    return is_good;
}

bool trace_find_spools(const char *stem, struct trace_spool **spools, size_t *count)
{
    const char *slash = strrchr(stem, '/');
    char *folder = slash > stem ? strndup(stem, (size_t)(slash - stem)) : strdup("/");
    DIR *directory = folder != NULL ? opendir(folder) : NULL;
    bool is_good = directory != NULL;
    *spools = NULL;
    *count = 0;
    if (is_good)
        is_good = read_folder(directory, folder, slash + 1, spools, count);
    else
        fprintf(stderr, "clem-run: %s: %s\n", folder != NULL ? folder : stem, strerror(errno));
    if (directory != NULL)
        closedir(directory);
    free(folder);
    return is_good;
}

void trace_free_spools(struct trace_spool *spools, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(spools[i].path);
    free(spools);
}

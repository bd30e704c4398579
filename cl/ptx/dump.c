/* Writes what becomes of PTX into the folder that CLEM_DUMP names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/ptx/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/base/draw.h"
#include "cl/base/options.h"
#include "cl/whole.h"
#include "kernels/hash.h"
#include "kernels/ptx/ptx.h"

enum { MOST_OF_NAME = 64 };

static void complain(const char *path, int error)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_told))
        whole_say("clem: CLEM_DUMP: %s: %s\n", path, strerror(error));
}

/* Gives a file that is whole its name, which other threads and processes may have given theirs meanwhile. Some file systems
 * know no second names: there the last one stays. */
static bool name_file(const char *temporary, const char *path)
{
    if (link(temporary, path) == 0 || errno == EEXIST)
        return true;
    return rename(temporary, path) == 0;
}

static bool write_whole(int file, const char *temporary, const char *path, const char *text,
                        size_t bytes)
{
    const bool is_written = whole_write(file, text, bytes);
    const int error = errno;
    const bool is_closed = close(file) == 0;

    if (!is_written)
        errno = error;
    return is_written && is_closed && name_file(temporary, path);
}

/* Whoever finds the name finds all of the text behind it, whenever this process ends. */
static void write_file(const char *path, const char *text, size_t bytes)
{
    char temporary[PATH_MAX];
    const int length =
        snprintf(temporary, sizeof temporary, "%s.%016" PRIx64, path, ocl_draw_number());

    if (access(path, F_OK) == 0)
        return;
    if (length < 0 || (size_t)length >= sizeof temporary) {
        complain(path, ENAMETOOLONG);
        return;
    }
    const int file =
        whole_above_streams(whole_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666));
    if (file < 0 || !write_whole(file, temporary, path, text, bytes))
        complain(path, errno);
    if (file >= 0)
        unlink(temporary);
}

static void dump(const char *name, uint64_t number, const char *suffix, const char *text,
                 size_t bytes)
{
    const char *folder = ocl_options_get()->dump;
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%.*s.%016" PRIx64 ".%s", folder,
                                (int)MOST_OF_NAME, name, number, suffix);
    if (length >= 0 && (size_t)length < sizeof path)
        write_file(path, text, bytes);
    else
        complain(folder, ENAMETOOLONG);
}

/* The module as it was read, in PTX again: *printed, which the caller frees. False: errno says why. */
static bool print(const struct ptx_module *module, char **printed, size_t *bytes)
{
    *printed = NULL;
    FILE *out = open_memstream(printed, bytes);
    if (!out)
        return false;
    ptx_print_module(out, module);
    return fclose(out) == 0;
}

void ocl_dump_module(const struct ptx_module *module, const char *text, size_t bytes)
{
    char *read;
    size_t read_bytes;
    if (!ocl_options_get()->dump)
        return;
    if (print(module, &read, &read_bytes)) {
        const uint64_t number =
            text ? fnv_add(FNV_START, text, bytes) : fnv_add(FNV_START, read, read_bytes);
        if (text)
            dump("module", number, "ptx", text, bytes);
        dump("module", number, "read.ptx", read, read_bytes);
    } else {
        complain("a module", errno);
    }
    free(read);
}

void ocl_dump_translation(const char *kernel, const char *text, size_t bytes, const char *suffix)
{
    if (ocl_options_get()->dump)
        dump(kernel, fnv_add(FNV_START, text, bytes), suffix, text, bytes);
}

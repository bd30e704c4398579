/* Device memory of a CPU that other processes may map: a file in memory takes the place of a block's pages.
 *
 * Files in memory cost more than pages that are the process's alone, in their first touch and in kernels that run over them, so a
 * block gets one only when somebody asks for it. The driver gets its own pages back, without what was in them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/base/steady.h"
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"
#include "cl/trace.h"
#include "cl/whole.h"

/* Of fixed size: who has the file could otherwise make it shorter, and whoever touches it then dies. */
static int make_file(size_t bytes)
{
    const int file = whole_above_streams(memfd_create("clem", MFD_CLOEXEC | MFD_ALLOW_SEALING));

    if (file < 0)
        return -1;
    if (ftruncate(file, (off_t)bytes) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return file;
    const int error = errno;
    close(file);
    errno = error;
    return -1;
}

static bool is_zero(const char *page, size_t bytes)
{
    return page[0] == 0 && memcmp(page, page + 1, bytes - 1) == 0;
}

/* A page that was never touched reads as zeros, and so does one that the file does not have. By calls, not by a mapping: where the
 * system has no memory left, those say so. */
static bool copy_pages(int file, const char *pages, size_t bytes)
{
    const size_t page = ocl_block_page_bytes();

    for (size_t at = 0, end; at < bytes; at = end) {
        end = at + page;
        if (is_zero(pages + at, page))
            continue;
        while (end < bytes && !is_zero(pages + end, page))
            end += page;
        if (lseek(file, (off_t)at, SEEK_SET) < 0 || !whole_write(file, pages + at, end - at))
            return false;
    }
    return true;
}

static ocl_status status_of_error(void)
{
    return errno == ENOSYS || errno == EPERM || errno == EINVAL ? OCL_E_NOT_SUPPORTED
                                                                : OCL_E_OUT_OF_MEMORY;
}

/* The system puts the file's pages there at once: who reads meanwhile reads the old ones or the new ones. */
static ocl_status put_in_place(struct ocl_export *made, char *pages)
{
    const int file = make_file(made->bytes);
    if (file < 0)
        return status_of_error();
    if (!copy_pages(file, pages, made->bytes) ||
        mmap(pages, made->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
            MAP_FAILED) {
        close(file);
        return OCL_E_OUT_OF_MEMORY;
    }
    made->file = own_file_note(file);
    return OCL_OK;
}

ocl_status ocl_block_export(struct ocl_block *block)
{
    const size_t page = ocl_block_page_bytes(), first = (size_t)(-block->address & (page - 1));
    struct ocl_export *made;

    if (atomic_load(&block->exported))
        return OCL_OK;
    made = malloc(sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    *made = (struct ocl_export){OWN_FILE_NONE, first, (block->bytes - first) / page * page};
    const int before = ocl_steady_begin();
    const ocl_status status = put_in_place(made, (char *)(uintptr_t)block->address + first);
    ocl_steady_end(before);
    if (status == OCL_OK)
        atomic_store(&block->exported, made);
    else
        free(made);
    return status;
}

bool ocl_block_end_export(struct ocl_block *block)
{
    struct ocl_export *exported = atomic_exchange(&block->exported, NULL);

    if (!exported)
        return true;
    void *const pages = (char *)(uintptr_t)block->address + exported->first;
    const bool is_back = mmap(pages, exported->bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (!is_back)
        ocl_trace("%zu bytes that were shared stay: the system has no pages in their place",
                  exported->bytes);
    own_file_close(&exported->file);
    free(exported);
    return is_back;
}

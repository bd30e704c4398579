/* Whether numbers of files still are of clem's own files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/own_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct own_file own_file_note(int number)
{
    struct own_file file = OWN_FILE_NONE;
    struct stat facts;

    if (number >= 0 && fstat(number, &facts) == 0)
        file = (struct own_file){number, facts.st_dev, facts.st_ino};
    return file;
}

int own_file_find(const struct own_file *file)
{
    const int kept_errno = errno;
    struct stat facts;
    const bool is_there = file->number >= 0 && fstat(file->number, &facts) == 0 &&
                          facts.st_dev == file->device && facts.st_ino == file->inode;

    errno = kept_errno;
    return is_there ? file->number : -1;
}

void own_file_close(struct own_file *file)
{
    const int number = own_file_find(file);

    file->number = -1;
    if (number >= 0)
        close(number);
}

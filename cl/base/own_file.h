/* Open files of clem's own that outlive a call. A program that closes all files (closefrom()) closes those as well, and what it
 * opens next gets their numbers: so before each use this tells whether the number still has the file, and nothing of the
 * program's is read, written or closed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_OWN_FILE_H
#define OCL_OWN_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct own_file {
    int number; /* -1: none; what the number had when it was noted: */
    dev_t device;
    ino_t inode;
};

#define OWN_FILE_NONE                                                                              \
    {                                                                                              \
        .number = -1                                                                               \
    }

/* The file, which is open, or none for -1. */
struct own_file own_file_note(int number);
/* Its number, or -1 where the program has closed it. One call of the system's; async-signal-safe. */
int own_file_find(const struct own_file *file);
/* Closes it where it is still there; then it is none. */
void own_file_close(struct own_file *file);

#endif

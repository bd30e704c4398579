/* libFuzzer's way into the entries of the program cache: the input is a file under an entry's name; then it is stored as a
 * binary, which must come back as it is, and not at all once a byte of its file is another.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/program/cache_folder.h"
#include "cl/program/program_cache.h"

static struct ocl_device_facts facts;
static const struct ocl_cache_key key = {&facts, "-O", "a program", 9};
static char directory[] = "/dev/shm/clem_fuzz_XXXXXX";
static char entry[512]; /* the path of the one entry */

static void remove_all(void)
{
    char folder[sizeof entry];
    unlink(entry);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(entry, '/') - entry), entry);
    rmdir(folder);
    rmdir(directory);
}

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count;
    (void)words;
    char command[sizeof entry];
    if (!mkdtemp(directory))
        abort();
    ocl_program_cache_store(directory, &key, "x", 1);
    snprintf(command, sizeof command, "find %s -name '*.bin'", directory);
    FILE *found = popen(command, "r");
    if (!found || !fgets(entry, sizeof entry, found))
        abort();
    pclose(found);
    entry[strcspn(entry, "\n")] = '\0';
    atexit(remove_all);
    return 0;
}

static void write_at(off_t place, const void *bytes, size_t count, int flags)
{
    const int file = open(entry, O_WRONLY | O_CREAT | flags, 0600);
    if (file < 0 || pwrite(file, bytes, count, place) != (ssize_t)count)
        abort();
    close(file);
}

static bool is_loaded(const uint8_t *data, size_t size)
{
    void *binary = NULL;
    size_t bytes = 0;
    const bool is = ocl_program_cache_load(directory, &key, &binary, &bytes);
    if (is && data && (bytes != size || memcmp(binary, data, size) != 0))
        abort();
    free(binary);
    return is;
}

static void damage(uint32_t choice)
{
    struct stat now;
    unsigned char byte = 0;
    const int file = open(entry, O_RDONLY);
    if (file < 0 || fstat(file, &now) != 0 ||
        pread(file, &byte, 1, (off_t)(choice % (uint32_t)now.st_size)) != 1)
        abort();
    close(file);
    byte ^= (unsigned char)(1u << choice % 8);
    write_at((off_t)(choice % (uint32_t)now.st_size), &byte, 1, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t choice = 0;
    write_at(0, data, size, O_TRUNC);
    is_loaded(NULL, 0);
    if (size < sizeof choice || data[0] % 8 != 0) /* storing takes ten times as long */
        return 0;
    ocl_program_cache_store(directory, &key, data, size);
    if (!is_loaded(data, size))
        abort();
    memcpy(&choice, data, sizeof choice);
    damage(choice);
    if (is_loaded(data, size))
        abort(); /* what was damaged was taken for whole */
    return 0;
}

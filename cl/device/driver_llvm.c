/* The LLVM that PoCL compiles with, where it is a library of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_llvm.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cl/trace.h"

unsigned ocl_driver_llvm_major(const char *platform_version)
{
    static const char word[] = "LLVM ";
    const char *found = strstr(platform_version, word);
    return found ? (unsigned)strtoul(found + strlen(word), NULL, 10) : 0;
}

/* Of version 18: "libLLVM-18.so.18.1", "libLLVM.so.18.1"; of version 15: "libLLVM-15.so.1". */
static bool is_llvm(const char *path, unsigned major)
{
    static const char begin[] = "libLLVM";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, begin, strlen(begin)) != 0)
        return false;
    name += strlen(begin);
    if (*name != '-')
        name = strstr(name, ".so.") == name ? name + strlen(".so") : "-";
    return strtoul(name + 1, NULL, 10) == major;
}

/* The libraries that were found, as far as there is room. */
struct search {
    unsigned major;
    size_t count;
    char *paths[8];
};

/* The loader holds a lock meanwhile, behind the one that opening a library takes. */
static int note_library(struct dl_phdr_info *object, size_t bytes, void *data)
{
    (void)bytes;
    struct search *search = data;
    if (!is_llvm(object->dlpi_name, search->major) ||
        search->count == sizeof search->paths / sizeof *search->paths)
        return 0;
    char *path = strdup(object->dlpi_name);
    if (path)
        search->paths[search->count++] = path;
    return 0;
}

char *ocl_driver_llvm_path(unsigned major)
{
    struct search search = {.major = major};
    dl_iterate_phdr(note_library, &search);
    for (size_t i = 1; i < search.count; i++)
        free(search.paths[i]);
    return search.count > 0 ? search.paths[0] : NULL;
}

static bool set_in(const char *path, const char *option)
{
    const char *words[] = {"clem", option};
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return false;
    void (*parse)(int, const char *const *, const char *) = NULL;
    void *symbol = dlsym(library, "LLVMParseCommandLineOptions");
    memcpy(&parse, &symbol, sizeof parse);
    if (parse)
        parse(2, words, "");
    dlclose(library);
    return parse != NULL;
}

bool ocl_driver_llvm_set(unsigned major, const char *option)
{
    struct search search = {.major = major};
    bool is_set = false;
    dl_iterate_phdr(note_library, &search);
    for (size_t i = 0; i < search.count; i++) {
        is_set |= set_in(search.paths[i], option);
        free(search.paths[i]);
    }
    return is_set;
}

static pthread_once_t tamed = PTHREAD_ONCE_INIT;
static atomic_uint wild; /* the version */

static void tame(void)
{
    const unsigned major = wild;
    const bool is_set = ocl_driver_llvm_set(major, "-instcombine-code-sinking=false");
    ocl_trace("PoCL 6's LLVM %u %s", major,
              is_set ? "sinks no code" : "is no library: it may end the process in a launch");
}

/* PoCL 6 has LLVM combine instructions and then, as LLVM's developers do in tests, end the process where combining them
 * again would change something (pocl issue 1608). That is so with many a kernel where a value is used in one branch
 * alone and its computation sinks there, which it may do only once it is not used elsewhere. Sinking is done by other
 * passes, too. */
void ocl_driver_llvm_tame(int pocl_major, const char *platform_version)
{
    const unsigned major = ocl_driver_llvm_major(platform_version);
    if (pocl_major != 6 || major < 18) /* older ones repeat it until nothing changes */
        return;
    wild = major;
    pthread_once(&tamed, tame);
}

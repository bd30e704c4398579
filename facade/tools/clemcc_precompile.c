/* clemcc --precompile: machine code for this processor beside the PTX. It is made in a process of its own, which loads libclem
 * and with it the driver.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/tools/clemcc.h"

/* The library's, of include/crt/host_runtime_abi.h, whose errors are CUDA's. */
typedef int precompile(const char *code, const char *path, size_t counts[2]);

static precompile *find_function(const char *folder)
{
    union { /* ISO C has no conversion from an object pointer to a function pointer */
        void *object;
        precompile *function;
    } found = {NULL};
    char *path = NULL;
    if (asprintf(&path, "%s/libclem.so.0", folder) < 0)
        return NULL;
    void *library = dlopen(path, RTLD_NOW);
    found.object = library ? dlsym(library, "__clemPrecompile") : NULL;
    if (!found.object)
        (void)clemcc_refuse(path, dlerror());
    free(path);
    return found.function;
}

static int make_pack(const char *folder, const char *ptx, const char *pack)
{
    size_t counts[2] = {0, 0};
    setenv("CLEM_DEVICE", "Portable Computing Language", 0);
    char *text = clemcc_read_text(ptx);
    if (!text)
        return clemcc_refuse(ptx, strerror(errno));
    precompile *const function = find_function(folder);
    const int error = function ? function(text, pack, counts) : 1;
    free(text);
    if (error == 0)
        printf("clemcc: machine code of %zu of %zu kernels was made\n", counts[0], counts[1]);
    else if (counts[1] > 0 && counts[0] == 0)
        fprintf(stderr, "clemcc: --precompile: none of the kernels has machine code of clem's\n");
    else if (function)
        fprintf(stderr, "clemcc: --precompile: there is no PoCL, or it fails (error %d)\n", error);
    return error != 0;
}

/* The words are --precompile-into, clem's folder, a file of PTX and one to be written. */
int clemcc_precompile_words(const struct clang_arguments *words)
{
    return words->count == 4 ? make_pack(words->values[1], words->values[2], words->values[3])
                             : clemcc_refuse(words->values[0], "is clemcc's own");
}

/* What cannot be compiled ahead is compiled when the program runs. */
int clemcc_wrap_precompiled(const struct job *job, const char *ptx, const char *output)
{
    struct clang_arguments command = {0};
    char *pack = NULL;
    if (asprintf(&pack, "%s.pack", output) < 0)
        return clemcc_refuse_memory();
    clang_arguments_add(&command, job->self);
    clang_arguments_add(&command, "--precompile-into");
    clang_arguments_add(&command, job->library_dir);
    clang_arguments_add(&command, ptx);
    clang_arguments_add(&command, pack);
    const int status = clemcc_run(job, &command);
    if (status)
        fprintf(stderr, "clemcc: --precompile: %s has its kernels as PTX alone\n", output);
    const int written = clemcc_wrap_ptx(job, ptx, status ? NULL : pack, output);
    if (!job->is_dry)
        (void)remove(pack);
    free(pack);
    return written;
}

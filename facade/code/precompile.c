/* Compiling kernels ahead of time, for clemcc --precompile.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "cl/pack.h"
#include "cl/program.h"
#include "facade/code/library.h"
#include "include/crt/host_runtime_abi.h"

static size_t precompile_all(const struct facade_module *module)
{
    size_t count = 0;
    for (size_t i = 0; i < module->function_count; i++)
        count += ocl_kernel_precompile(module->functions[i]->kernel);
    return count;
}

static cudaError_t write_pack(const char *path)
{
    size_t bytes = 0;
    void *pack = ocl_pack_end(&bytes);
    FILE *file = pack != NULL ? fopen(path, "we") : NULL;
    bool is_written = file != NULL && fwrite(pack, bytes, 1, file) == 1;
    if (file != NULL && fclose(file) != 0)
        is_written = false;
    free(pack);
    return is_written ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t __clemPrecompile(const char *code, const char *path, size_t counts[2])
{
    static const struct facade_jit no_options = {NULL, NULL, 0};
    struct facade_module *module = NULL;
    if (code == NULL || path == NULL || counts == NULL)
        return cudaErrorInvalidValue;
    counts[0] = counts[1] = 0;
    ocl_pack_begin();
    cudaError_t error = facade_module_load(&module, code, 0, &no_options);
    if (error == cudaSuccess) {
        counts[0] = precompile_all(module);
        counts[1] = module->function_count;
        (void)facade_module_unload(module);
        error = counts[0] > 0 ? write_pack(path) : cudaErrorNotSupported;
    }
    size_t bytes = 0;
    free(ocl_pack_end(&bytes)); /* what a failure has left */
    return error;
}

/* Semantics of libraries of kernels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../oracle.h"

static cudaError_t load(cudaLibrary_t *library, const void *code)
{
    return cudaLibraryLoadData(library, code, NULL, NULL, 0, NULL, NULL, 0);
}

void case_library_load(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t k = NULL;
    CALL(load(NULL, NULL));
    CALL(load(&library, NULL));
    CALL_AS(load(NULL, kernel_source()), "NULL output");
    CALL(load(&library, ""));
    CALL_AS(cudaLibraryGetKernel(&k, library, "noop"), "kernel of empty text");
    CALL(load(&library, "this is no program {"));
    CALL_AS(cudaLibraryGetKernel(&k, library, "noop"), "kernel of garbage text");
    VALUE(library == NULL, "library is NULL after garbage");
    CALL_AS(load(&library, kernel_source()), "good text");
    CALL(cudaLibraryUnload(library));
    CALL(cudaLibraryUnload(NULL));
    CALL_AS(cudaLibraryUnload(library), "unload twice");
}

void case_library_load_options(void)
{
    cudaLibrary_t library = NULL;
    enum cudaJitOption jit = (enum cudaJitOption)9999;
    enum cudaLibraryOption option = (enum cudaLibraryOption)9999;
    void *value = NULL;
    const char *text = kernel_source();
    CALL(cudaLibraryLoadData(&library, text, NULL, NULL, 1, NULL, NULL, 0));
    CALL(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 1));
    CALL(cudaLibraryLoadData(&library, text, &jit, &value, 1, NULL, NULL, 0));
    CALL(cudaLibraryLoadData(&library, text, NULL, NULL, 0, &option, &value, 1));
    CALL(cudaLibraryLoadData(NULL, NULL, &jit, &value, 1, &option, &value, 1));
    option = cudaLibraryHostUniversalFunctionAndDataTable;
    CALL(cudaLibraryLoadData(&library, text, NULL, NULL, 0, &option, &value, 1));
    option = cudaLibraryBinaryIsPreserved;
    value = (void *)(uintptr_t)1;
    CALL(cudaLibraryLoadData(&library, text, NULL, NULL, 0, &option, &value, 1));
    jit = cudaJitMaxRegisters;
    value = (void *)(uintptr_t)32;
    CALL(cudaLibraryLoadData(&library, text, &jit, &value, 1, NULL, NULL, 0));
}

void case_library_load_file(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t k = NULL;
    char path[] = "/tmp/oracle_kernels_XXXXXX";
    CALL(cudaLibraryLoadFromFile(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0));
    CALL(cudaLibraryLoadFromFile(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
    CALL(cudaLibraryLoadFromFile(NULL, "/nonexistent/file", NULL, NULL, 0, NULL, NULL, 0));
    CALL(cudaLibraryLoadFromFile(&library, "/nonexistent/file", NULL, NULL, 0, NULL, NULL, 0));
    CALL(cudaLibraryLoadFromFile(&library, "", NULL, NULL, 0, NULL, NULL, 0));
    CALL(cudaLibraryLoadFromFile(&library, "/tmp", NULL, NULL, 0, NULL, NULL, 0));
    int fd = mkstemp(path);
    require(fd >= 0, "mkstemp");
    CALL_AS(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), "empty file");
    size_t length = strlen(kernel_source());
    require(write(fd, kernel_source(), length) == (ssize_t)length, "write");
    close(fd);
    CALL_AS(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), "good file");
    unlink(path);
    CALL(cudaLibraryGetKernel(&k, library, "noop"));
    CALL(cudaLibraryUnload(library));
}

void case_library_get_kernel(void)
{
    cudaLibrary_t library = kernel_library();
    cudaKernel_t k = NULL;
    cudaKernel_t again = NULL;
    void *p = NULL;
    size_t bytes = 0;
    CALL(cudaLibraryGetKernel(NULL, NULL, NULL));
    CALL(cudaLibraryGetKernel(&k, NULL, "noop"));
    CALL(cudaLibraryGetKernel(&k, library, NULL));
    CALL(cudaLibraryGetKernel(NULL, library, "noop"));
    CALL(cudaLibraryGetKernel(&k, library, "missing"));
    CALL(cudaLibraryGetKernel(&k, library, ""));
    CALL(cudaLibraryGetKernel(NULL, library, "missing"));
    VALUE(k == NULL, "untouched");
    CALL(cudaLibraryGetKernel(&k, library, "noop"));
    CALL(cudaLibraryGetKernel(&again, library, "noop"));
    VALUE(k == again, "same handle twice");
    CALL(cudaLibraryGetGlobal(&p, &bytes, library, "missing"));
    CALL(cudaLibraryGetGlobal(NULL, NULL, library, "missing"));
    CALL(cudaLibraryGetManaged(&p, &bytes, library, "missing"));
    CALL(cudaLibraryGetUnifiedFunction(&p, library, "missing"));
}

void case_library_enumerate(void)
{
    cudaLibrary_t library = kernel_library();
    cudaKernel_t list[64] = {0};
    unsigned count = 77;
    CALL(cudaLibraryGetKernelCount(NULL, NULL));
    CALL(cudaLibraryGetKernelCount(&count, NULL));
    CALL(cudaLibraryGetKernelCount(NULL, library));
    CALL(cudaLibraryGetKernelCount(&count, library));
    VALUE(count, "count");
    CALL(cudaLibraryEnumerateKernels(NULL, 0, NULL));
    CALL(cudaLibraryEnumerateKernels(NULL, 0, library));
    CALL(cudaLibraryEnumerateKernels(NULL, 1, library));
    CALL(cudaLibraryEnumerateKernels(list, 0, library));
    CALL(cudaLibraryEnumerateKernels(list, 1, NULL));
    CALL(cudaLibraryEnumerateKernels(list, 2, library));
    VALUE((list[0] != NULL) + (list[1] != NULL) + (list[2] != NULL), "2 of them given");
    CALL(cudaLibraryEnumerateKernels(list, 64, library));
    int found = 0;
    for (int i = 0; i < 64; i++) {
        found += list[i] != NULL;
    }
    VALUE(found, "given when 64 are asked for");
}

void case_library_after_unload(void)
{
    const void *k = kernel(KERNEL_NOOP);
    dim3 one = {1, 1, 1};
    TRY(cudaLaunchKernel(k, one, one, NULL, 0, NULL));
    CALL(cudaLibraryUnload(kernel_library()));
    TRY_AS(cudaLaunchKernel(k, one, one, NULL, 0, NULL), "launch after unload");
}

void case_library_unload_busy(void)
{
    int *p = pinned_block(4096);
    spin_prepare();
    REQUIRE(spin_start(NULL, SPIN_MS));
    REQUIRE(launch_store(p, 8, NULL));
    CALL(cudaLibraryUnload(kernel_library()));
    VALUE(spin_is_over(), "cudaLibraryUnload waited");
    CALL(cudaDeviceSynchronize());
    VALUE(*p, "work queued before is done");
}

void case_library_kernel_attribute(void)
{
    cudaKernel_t k = (cudaKernel_t)(uintptr_t)kernel(KERNEL_DYNAMIC);
    CALL(cudaKernelSetAttributeForDevice(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize, 0, 0));
    CALL(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0));
    CALL(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, -1));
    CALL(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, -1, 0));
    CALL(cudaKernelSetAttributeForDevice(k, (enum cudaFuncAttribute)99, 0, 0));
    CALL(cudaKernelSetAttributeForDevice(k, (enum cudaFuncAttribute)99, 0, -1));
}

/* A program that knows libclem by dlopen() only, behind other libraries, as big programs and plugins do. Arguments: the
 * libraries, libclem last.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

static int (*allocate)(void **pointer, size_t bytes);
static int (*give_back)(void *pointer);

static void *use(void *unused)
{
    void *pointer = NULL;
    (void)unused;
    return allocate(&pointer, 64) == 0 && give_back(pointer) == 0 ? &allocate : NULL;
}

/* ---- Managed memory ---- */

enum { COUNT = 6 * 1024 * 1024 / 4 };

static const char *const text = "__kernel void k(__global int *p, int v) "
                                "{ size_t i = get_global_id(0); p[i] = (int)i + v; }\n";

static void *library;

/* A function of libclem by its type in the headers. */
#define CALL(name) ((__typeof__(&name))find(#name))

typedef void any_function(void);
static any_function *find(const char *name)
{
    any_function *function;
    *(void **)&function = dlsym(library, name);
    return function;
}

static void end_badly(int number)
{
    (void)number;
    _Exit(10);
}

static int run(cudaKernel_t kernel, int *p, int v)
{
    void *args[] = {&p, &v};
    return CALL(cudaLaunchKernel)((const void *)kernel, (dim3){COUNT / 64, 1, 1}, (dim3){64, 1, 1},
                                  args, 0, NULL) == cudaSuccess &&
           CALL(cudaDeviceSynchronize)() == cudaSuccess;
}

/* The program's handler goes behind clem's, and SIGSEGV is unblocked, at the next wait for the device, not before; and
 * where pages migrate, the program finds clem's handler when it asks. */
static int use_managed(void)
{
    int *p = NULL, is_shared = 0;
    cudaLibrary_t code = NULL;
    cudaKernel_t kernel = NULL;
    struct sigaction seen;
    sigset_t all;
    if (CALL(cudaMallocManaged)((void **)&p, COUNT * sizeof *p, cudaMemAttachGlobal) != cudaSuccess)
        return 77;
    if (CALL(cudaLibraryLoadData)(&code, text, NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess ||
        CALL(cudaLibraryGetKernel)(&kernel, code, "k") != cudaSuccess || !run(kernel, p, 1))
        return 5;
    if (p[9] != 10)
        return 6;
    signal(SIGSEGV, end_badly);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    if (!run(kernel, p, 2) || p[COUNT / 2] != COUNT / 2 + 2)
        return 7;
    CALL(cudaDeviceGetAttribute)(&is_shared, cudaDevAttrConcurrentManagedAccess, 0);
    sigaction(SIGSEGV, NULL, &seen);
    return (seen.sa_handler == end_badly) == is_shared ? 0 : 8;
}

int main(int argc, char **argv)
{
    void *result = NULL;
    pthread_t thread;
    for (int i = 1; i < argc; i++) {
        library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            printf("library %d: %s\n", i, dlerror());
            return 1;
        }
    }
    *(void **)&allocate = dlsym(library, "cudaMalloc");
    *(void **)&give_back = dlsym(library, "cudaFree");
    if (allocate == NULL || give_back == NULL || use(NULL) == NULL)
        return 2;
    if (pthread_create(&thread, NULL, use, NULL) != 0 || pthread_join(thread, &result) != 0)
        return 3;
    if (result != NULL && getenv("TEST_MANAGED") != NULL)
        return use_managed();
    return result != NULL ? 0 : 4;
}

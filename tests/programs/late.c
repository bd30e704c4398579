/* A program that knows libclem by dlopen() only, behind other libraries, as big programs and plugins do. Arguments: the
 * libraries, libclem last.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int (*allocate)(void **pointer, size_t bytes);
static int (*give_back)(void *pointer);

static void *use(void *unused)
{
    void *pointer = NULL;
    (void)unused;
    return allocate(&pointer, 64) == 0 && give_back(pointer) == 0 ? &allocate : NULL;
}

int main(int argc, char **argv)
{
    void *library = NULL, *result = NULL;
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
    return result != NULL ? 0 : 4;
}

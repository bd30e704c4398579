/* Opens libclem by its path, as programs do that can do without it, and asks for devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    int devices = 0;
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", count > 1 ? dlerror() : "usage: opened LIBRARY");
        return 1;
    }
    int (*get_count)(int *) = (int (*)(int *))(uintptr_t)dlsym(library, "cudaGetDeviceCount");
    if (get_count == NULL || get_count(&devices) != 0 || devices < 1) {
        fprintf(stderr, "no devices\n");
        return 1;
    }
    printf("%d devices\n", devices);
    return 0;
}

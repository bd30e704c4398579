/* C++'s names, by the C++ library that is there: one is wherever PoCL or another compiler is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef char *demangler(const char *name, char *room, size_t *bytes, int *status);

/* It stays loaded for as long as the process is there. NULL: there is none. */
static demangler *find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    demangler *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof libraries[0]; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        if (library != NULL)
            *(void **)&found = dlsym(library, "__cxa_demangle");
    }
    return found;
}

char *demangle(const char *name)
{
    static demangler *found;
    static int is_sought;
    int status = 0;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    if (!is_sought)
        found = find_demangler();
    is_sought = 1;
    return found != NULL ? found(name, NULL, NULL, &status) : NULL;
}

/* C++'s names as their authors wrote them. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_DEMANGLE_H
#define FACADE_TOOLS_DEMANGLE_H

/* "put(float*, int)" of "_Z3putPfi". NULL: the name is not mangled, or nothing here can read it, or there is no memory.
 * Owns: the caller frees it. Source: Itanium C++ ABI, 3.4. */
char *demangle(const char *name);

#endif

/* managed_section.h: tells the library where a program's managed variables lie. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_MANAGED_SECTION_H
#define CLEM_CRT_MANAGED_SECTION_H

/* clang registers a managed variable as any device variable, by the address of the host's one. That
 * lies in the section clem_managed, whose ends the linker names in each program and library that has
 * one. The library then gives kernels this very memory. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__) && !defined(__CUDA_ARCH__)

#include <stdio.h>

extern "C" {
extern char __start_clem_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_clem_managed[] __attribute__((weak, visibility("hidden")));
void __clemRegisterManagedSection(void *first, void *end)
    __attribute__((weak, visibility("default")));
}

/* Before the constructors that register variables; once in each translation unit, which is harmless.
 */
__attribute__((constructor(101))) static inline void clem_register_managed_section()
{
    if (__start_clem_managed == nullptr)
        return;
    if (__clemRegisterManagedSection != nullptr)
        __clemRegisterManagedSection(__start_clem_managed, __stop_clem_managed);
    else
        fputs("clem: this libclem cannot share the program's __managed__ variables with kernels\n",
              stderr);
}

#endif

#endif

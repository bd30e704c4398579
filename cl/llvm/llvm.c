/* Finds LLVM's C API in a library.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/llvm/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device/driver_llvm.h"
#include "cl/trace.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned asked; /* whose answer is known; 0: none (lock) */
static struct ocl_llvm found;
static bool is_found, is_loaded;

/* ISO C has no conversion from an object pointer to a function pointer. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static const char *find_all(void *library, struct ocl_llvm *llvm)
{
#define FUNCTION(result, name, parameters)                                                         \
    if (!find(library, "LLVM" #name, &llvm->name))                                                 \
        return "LLVM" #name;
#include "cl/llvm/llvm.def"
#undef FUNCTION
    return NULL;
}

/* PoCL registers what it compiles for, mostly all. Registering again changes nothing. */
static bool register_target(void *library)
{
#if defined __x86_64__
    static const char *const names[] = {"LLVMInitializeX86TargetInfo", "LLVMInitializeX86Target",
                                        "LLVMInitializeX86TargetMC", "LLVMInitializeX86AsmPrinter"};
#elif defined __aarch64__
    static const char *const names[] = {
        "LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64Target",
        "LLVMInitializeAArch64TargetMC", "LLVMInitializeAArch64AsmPrinter"};
#else
    static const char *const names[] = {"LLVM has no such target"};
#endif
    void (*begin)(void) = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!find(library, names[i], &begin))
            return false;
        begin();
    }
    return true;
}

static bool is_registered(const struct ocl_llvm *llvm)
{
    struct llvm_target *target = NULL;
    char *words = NULL, *triple = llvm->GetDefaultTargetTriple();
    const bool is = triple && llvm->GetTargetFromTriple(triple, &target, &words) == 0 && target &&
                    llvm->TargetHasTargetMachine(target) && llvm->TargetHasAsmBackend(target);
    if (words)
        llvm->DisposeMessage(words);
    if (triple)
        llvm->DisposeMessage(triple);
    return is;
}

/* NULL, or what is not there. */
static const char *take(void *library)
{
    const char *missing = library ? find_all(library, &found) : "a library of its own";
    if (!missing && !is_registered(&found) && (!register_target(library) || !is_registered(&found)))
        missing = "a compiler for this processor";
    if (missing && library)
        dlclose(library);
    return missing;
}

/* The library stays loaded: PoCL has it for as long as the process. */
static bool look(unsigned major)
{
    char *path = ocl_driver_llvm_path(major);
    const char *missing = take(path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL);
    if (missing)
        ocl_trace("LLVM %u has no %s: kernels have no native form", major, missing);
    free(path);
    return missing == NULL;
}

const struct ocl_llvm *ocl_llvm_get(unsigned major)
{
    pthread_mutex_lock(&lock);
    if (asked == 0) { /* a process has one PoCL */
        is_found = look(major);
        asked = major;
    }
    const bool is = is_found && asked == major;
    pthread_mutex_unlock(&lock);
    return is ? &found : NULL;
}

/* Options of LLVM's are its whole process's: none is set where PoCL compiles, too. Those that it does not have change nothing.
 * Without them CUB's scan takes 1.75 s in place of 1.15, and its histogram 2.4 s in place of 1.0, which one pass looks at block
 * by block for each register of masks. Code is as large, and that of long kernels as fast to a hundredth (CUB's sum, scan and
 * sort of 8 million numbers). That of short loops is not: what lives across a call that is hardly ever made, as vectors do, this
 * allocator keeps in memory (y = a x + y takes four times as long); another one takes a tenth longer over them. */
static void hasten(void *library, bool is_long)
{
    static const char *const options[] = {"-enable-misched=false",
                                          "-disable-x86-domain-reassignment", "-regalloc=basic"};
    const size_t count = sizeof options / sizeof *options - !is_long;
    void (*parse)(int, const char *const *, const char *) = NULL;
    if (!find(library, "LLVMParseCommandLineOptions", &parse))
        return;
    for (size_t i = 0; i < count; i++)
        parse(2, (const char *const[]){"clem-compile", options[i]}, "");
}

const struct ocl_llvm *ocl_llvm_load(const char *path, bool is_long)
{
    pthread_mutex_lock(&lock);
    if (!is_loaded) {
        void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        const char *missing = take(library);
        is_loaded = true;
        is_found = missing == NULL;
        if (is_found)
            hasten(library, is_long);
        if (missing)
            ocl_trace("%s has no %s", path, missing);
    }
    const bool is = is_found;
    pthread_mutex_unlock(&lock);
    return is ? &found : NULL;
}

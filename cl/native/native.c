/* The code of kernels: compiling it, keeping it for later processes, and loading it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/native/native.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/apart/apart.h"
#include "cl/base/deadline.h"
#include "cl/device/driver_llvm.h"
#include "cl/native/code.h"
#include "cl/native/native_private.h"
#include "cl/native/symbol.h"
#include "cl/profile.h"
#include "cl/program/program_cache.h"
#include "cl/trace.h"
#include "kernels/hash.h"

/* Larger texts are left to the other forms, which compile them in another process: LLVM takes about a second for each MiB. */
enum { MOST_TEXT = 8 << 20 };

unsigned ocl_native_llvm(const struct ocl_context *context)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    const enum ocl_address address = context->capability.address;
    if (facts->device_class != OCL_CLASS_CPU || !strstr(facts->platform_version, "PoCL") ||
        !context->capability.device_is_host_memory || address == OCL_ADDRESS_HANDLE)
        return 0;
    const unsigned major = ocl_driver_llvm_major(facts->platform_version);
    return major > 0 && ocl_llvm_get(major) ? major : 0;
}

/* ---- The cache ---- */

/* The text by its hashes; LLVM and processor are among the device's facts. */
static bool make_key(const struct ocl_device *device, const char *text, size_t bytes, char code[64],
                     struct ocl_cache_key *key)
{
    static const uint64_t other_start = UINT64_C(0x6c62272e07bb0142);
    const int length =
        snprintf(code, 64, "%016" PRIx64 "%016" PRIx64 " %zu", fnv_add(FNV_START, text, bytes),
                 fnv_add(other_start, text, bytes), bytes);
    *key =
        (struct ocl_cache_key){&device->facts, "native 4 " OCL_NATIVE_PASSES, code, (size_t)length};
    return length > 0 && length < 64;
}

/* Zeros, for at least so many bytes. NULL without memory. */
static struct ocl_native *make_empty(size_t bytes)
{
    const size_t alignment = _Alignof(struct ocl_native),
                 room = (bytes + alignment - 1) / alignment * alignment;
    struct ocl_native *made = aligned_alloc(alignment, room);
    return made ? memset(made, 0, room) : NULL;
}

static struct ocl_native *load(const char *name, const struct ocl_object *object, const char **why)
{
    static const char *const names[] = {"clem_native_scratch", "clem_native_run"};
    void *functions[2];
    const size_t length = strlen(name);
    struct ocl_native *made = make_empty(sizeof *made + length + 1);
    *why = made ? ocl_code_load(object->data, object->bytes, ocl_native_symbol, names, functions, 2,
                                &made->code)
                : "there is no memory";
    if (*why) {
        free(made);
        return NULL;
    }
    ocl_holders_begin(&made->holders);
    memcpy(&made->scratch, &functions[0], sizeof made->scratch);
    memcpy(&made->run, &functions[1], sizeof made->run);
    memcpy(made->name, name, length + 1);
    ocl_native_note_code(made);
    ocl_native_tell_debugger(made);
    return made;
}

static struct ocl_native *load_cached(const char *name, const char *directory,
                                      const struct ocl_cache_key *key)
{
    void *data = NULL;
    struct ocl_object object = {0};
    const char *why = NULL;
    if (!ocl_program_cache_load(directory, key, &data, &object.bytes))
        return NULL;
    object.data = data;
    struct ocl_native *found = load(name, &object, &why);
    if (!found)
        ocl_trace("program cache: a stored kernel is compiled again: %s", why);
    free(data);
    return found;
}

/* ---- Compiling ---- */

/* In this process, where an error that LLVM does not survive ends the program. */
static bool compile_here(unsigned major, const char *text, size_t bytes, struct ocl_object *object,
                         char **why)
{
    static const struct ocl_aim here;
    const struct ocl_llvm *llvm = ocl_llvm_get(major);
    return llvm && ocl_llvm_compile(llvm, &here, text, bytes, object, why);
}

/* Whether another process has answered for it, and then whether *object is made. */
static bool compile_apart(unsigned major, const char *name, const char *text,
                          struct ocl_object *object, char **why, bool *is_made)
{
    char *library = ocl_apart_is_allowed() ? ocl_driver_llvm_path(major) : NULL;
    if (!library)
        return false;
    struct ocl_apart_code code = {.library = library, .text = text, .name = name};
    const enum ocl_apart_outcome outcome = ocl_apart_compile_code(&code);
    free(library);
    if (outcome == OCL_APART_HAS_ENDED &&
        asprintf(&code.why, "LLVM ended in another process over it (signal %d)", code.signal) < 0)
        code.why = NULL;
    *object = code.object;
    *why = code.why;
    *is_made = outcome == OCL_APART_IS_DONE;
    return outcome != OCL_APART_IS_NOT;
}

static bool make_object(unsigned major, const char *name, const char *text, size_t bytes,
                        struct ocl_object *object, char **why)
{
    bool is_made = false;
    const uint64_t begin = ocl_now();
    const bool is_apart = compile_apart(major, name, text, object, why, &is_made);
    if (!is_apart)
        is_made = compile_here(major, text, bytes, object, why);
    if (is_made)
        ocl_trace("kernel %s: %zu bytes of LLVM IR became %zu of an object in %llu us%s", name,
                  bytes, object->bytes, (unsigned long long)(ocl_now() - begin) / 1000u,
                  is_apart ? ", in another process" : "");
    return is_made;
}

static struct ocl_native *compile(const struct ocl_device *device, const char *name,
                                  const char *text, size_t bytes, const char *directory,
                                  const struct ocl_cache_key *key)
{
    struct ocl_object object = {0};
    struct ocl_native *made = NULL;
    char *words = NULL;
    const char *why = NULL;
    const unsigned major = ocl_driver_llvm_major(device->facts.platform_version);
    const uint64_t start = ocl_profile_start_of_span();
    if (make_object(major, name, text, bytes, &object, &words))
        made = load(name, &object, &why);
    ocl_profile_span(OCL_SPOOL_COMPILE, name, start, 0);
    if (made) {
        if (directory)
            ocl_program_cache_store(directory, key, object.data, object.bytes);
        ocl_program_cache_note(key, object.data, object.bytes);
    } else {
        ocl_trace("kernel %s has no native form: %s", name,
                  words ? words
                  : why ? why
                        : "LLVM does not compile it");
    }
    free(words);
    free(object.data);
    return made;
}

struct ocl_native *ocl_native_make(const struct ocl_device *device, const char *name,
                                   const char *text, size_t bytes)
{
    char code[64];
    struct ocl_cache_key key;
    if (bytes > MOST_TEXT) {
        ocl_trace("kernel %s has no native form: its text has %zu bytes", name, bytes);
        return NULL;
    }
    const bool is_kept = make_key(device, text, bytes, code, &key);
    const char *directory = is_kept ? ocl_program_cache_directory() : NULL;
    struct ocl_native *found = load_cached(name, directory, &key);
    return found ? found : compile(device, name, text, bytes, directory, &key);
}

static void free_native(struct ocl_native *native)
{
    ocl_native_forget_debugger(native);
    ocl_native_forget_code(native);
    ocl_code_unload(&native->code);
    free(native);
}

void ocl_native_release(struct ocl_native *native)
{
    if (native && ocl_holders_end(&native->holders))
        free_native(native);
}

void ocl_native_let_go(struct ocl_native *native)
{
    if (ocl_holders_give(&native->holders))
        free_native(native);
}

/* What is known of a kernel's access that ends the process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_crash.h"

#include <dlfcn.h>
#include <string.h>

#include "cl/base/crash.h"
#include "cl/check.h"
#include "cl/check/guard.h"
#include "cl/check/report.h"
#include "cl/memory/address.h"
#include "cl/native/native.h"
#include "cl/virtual/mapping.h"

/* PoCL loads a library for each kernel, whose functions have names of this kind. Ours have a word before the names of a
 * program. */
static const char pocl_prefix[] = "_pocl_kernel_";
static const char own_prefix[] = "kernel_";

/* The name in a path that ends with NAME/1-1-1.../NAME.so, as PoCL calls its libraries by kernel and shape; NULL: it is another. */
static const char *find_name(const char *path, size_t *length)
{
    const char *const file = path ? strrchr(path, '/') : NULL;
    const char *const end = file ? strstr(file, ".so") : NULL;
    const char *at = file;
    for (int i = 0; at && i < 2; i++)
        do
            at = at > path ? at - 1 : NULL;
        while (at && *at != '/');
    if (!end || !at || end[strlen(".so")] != '\0')
        return NULL;
    const char *const shape = at + (end - file) + 1;
    if (strncmp(at, file, (size_t)(end - file)) != 0 || shape[-1] != '/' || *shape < '0' ||
        *shape > '9')
        return NULL;
    *length = (size_t)(end - file) - 1;
    return file + 1;
}

/* Behind the function with PoCL's name there may be others of the kernel's. */
static const char *find_of_pocl(uint64_t code, size_t *length)
{
    static const size_t prefix = sizeof pocl_prefix - 1, own = sizeof own_prefix - 1;
    Dl_info place;
    if (dladdr((const void *)(uintptr_t)code, &place) == 0)
        return NULL;
    const char *name = find_name(place.dli_fname, length);
    if (place.dli_sname && strncmp(place.dli_sname, pocl_prefix, prefix) == 0) {
        name = place.dli_sname + prefix;
        const char *const end = strstr(name, "_workgroup");
        *length = end ? (size_t)(end - name) : strlen(name);
    }
    if (!name || *length < own || strncmp(name, own_prefix, own) != 0)
        return name;
    *length -= own;
    return name + own;
}

/* The kernel that the instruction belongs to, or which called the function of the library that it belongs to; NULL: none.
 * *length: of the name. */
static const char *find_kernel(uint64_t code, size_t *length)
{
    const char *name = ocl_native_name_at(code);
    if (!name) {
        name = find_of_pocl(code, length);
        if (name)
            return name;
        name = ocl_native_name_here();
    }
    *length = name ? strlen(name) : 0;
    return name;
}

/* Memory that is guarded, or was: then the line is the sentence of a report. */
static bool write_guarded(uint64_t address, struct ocl_crash_line *line,
                          struct ocl_guard_view *view)
{
    if (!ocl_guard_find(address, view))
        return false;
    if (!view->is_inside) {
        if (view->distance > 0) {
            ocl_crash_write_count(line, view->distance);
            ocl_crash_write(line, view->distance == 1 ? " byte " : " bytes ");
        } else {
            ocl_crash_write(line, "just ");
        }
        ocl_crash_write(line, view->is_before ? "past the end of the " : "in front of the ");
    } else {
        ocl_crash_write(line, view->is_freed ? "use after free: in the " : "in the ");
    }
    ocl_crash_write_count(line, view->bytes);
    ocl_crash_write(line, " bytes at ");
    ocl_crash_write_address(line, view->start);
    if (view->is_freed && !view->is_inside)
        ocl_crash_write(line, ", which were freed");
    return true;
}

static void write_nearby(const struct ocl_nearby *nearby, struct ocl_crash_line *line)
{
    ocl_crash_write(line, ", ");
    if (nearby->distance > 0) {
        ocl_crash_write_count(line, nearby->distance);
        ocl_crash_write(line, nearby->distance == 1 ? " byte " : " bytes ");
        ocl_crash_write(line, nearby->is_before ? "behind the end of" : "in front of");
    } else {
        ocl_crash_write(line, "in");
    }
    ocl_crash_write(line, " the ");
    ocl_crash_write_count(line, nearby->bytes);
    ocl_crash_write(line, " bytes at ");
    ocl_crash_write_address(line, nearby->address);
}

/* What lies further away from all memory has nothing to do with it. */
static void write_place(const struct ocl_crash *crash, struct ocl_crash_line *line)
{
    static const uint64_t null_bytes = 1 << 16, most_distance = UINT64_C(1) << 36;
    struct ocl_nearby nearby;
    if (!crash->has_address) {
        ocl_crash_write(line, "an address that no memory can have");
        return;
    }
    if (ocl_virtual_describe(crash->address, line))
        return;
    ocl_crash_write_address(line, crash->address);
    if (crash->address < null_bytes)
        ocl_crash_write(line, ", a null pointer or close to one");
    else if (ocl_address_look_near(crash->address, &nearby) && nearby.distance <= most_distance)
        write_nearby(&nearby, line);
    else
        ocl_crash_write(line, ", far from all memory");
}

static void write_index(const uint32_t index[3], struct ocl_crash_line *line)
{
    for (int d = 0; d < 3; d++) {
        ocl_crash_write(line, d == 0 ? "(" : ",");
        ocl_crash_write_count(line, index[d]);
    }
    ocl_crash_write(line, ")");
}

/* As "(1,0,0)", or "(0,2,0) to (31,2,0)" where it is one of those; behind the words for one, or for several. */
static bool write_block(struct ocl_crash_line *line, const char *one, const char *several)
{
    uint32_t block[3], count;
    if (!ocl_native_block_here(block, &count))
        return false;
    ocl_crash_write(line, count > 1 ? several : one);
    write_index(block, line);
    if (count > 1) {
        block[0] += count - 1;
        ocl_crash_write(line, " to ");
        write_index(block, line);
    }
    return true;
}

static bool name_block(char *text, size_t bytes)
{
    struct ocl_crash_line line = {0};
    if (!write_block(&line, "", "one of "))
        return false;
    const size_t kept = line.length < bytes ? line.length : bytes - 1;
    memcpy(text, line.text, kept);
    text[kept] = '\0';
    return true;
}

/* The last report, in place of the line. */
static void report(const char *kernel, struct ocl_crash_line *line, size_t start,
                   const struct ocl_guard_view *view)
{
    static char what[sizeof line->text], block[64];
    struct ocl_report made = {.kind = OCL_CHECK_GUARD, .what = what};
    memcpy(what, line->text + start, line->length - start);
    made.parts[0] = (struct ocl_report_part){.label = "kernel", .text = kernel, .has_names = true};
    int part = 1;
    if (name_block(block, sizeof block))
        made.parts[part++] =
            (struct ocl_report_part){.label = "block", .text = block, .joins = true};
    if (view->made)
        made.parts[part++] = (struct ocl_report_part){.label = "allocated at", .stack = view->made};
    if (view->freed)
        made.parts[part++] = (struct ocl_report_part){.label = "freed at", .stack = view->freed};
    const uint32_t launch = ocl_guard_last_launch(kernel);
    if (launch)
        made.parts[part] = (struct ocl_report_part){.label = "launched at", .stack = launch};
    ocl_report_add_last(&made);
    line->length = 0;
}

static bool witness(const struct ocl_crash *crash, struct ocl_crash_line *line)
{
    static const char *const verbs[] = {" touched ", " read ", " wrote to "};
    static char name[128];
    struct ocl_guard_view view = {0};
    size_t length = 0;
    const size_t start = line->length;
    const char *const kernel = find_kernel(crash->code, &length);
    if (!kernel)
        return false;
    const size_t kept = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, kernel, kept);
    name[kept] = '\0';
    ocl_crash_write(line, "kernel ");
    ocl_crash_write(line, name);
    ocl_crash_write(line, verbs[crash->access]);
    bool is_guarded = false;
    if (crash->has_address) {
        const size_t before = line->length;
        ocl_crash_write_address(line, crash->address);
        ocl_crash_write(line, ", ");
        is_guarded = write_guarded(crash->address, line, &view);
        line->length = is_guarded ? line->length : before;
    }
    if (!is_guarded)
        write_place(crash, line);
    if (ocl_guard_is_on())
        report(name, line, start, &view);
    else
        (void)write_block(line, ", in block ", ", in one of the blocks ");
    return true;
}

void ocl_kernel_crash_watch(void)
{
    ocl_crash_watch(witness);
}

/* libFuzzer's way into the translator, one program for each form of translation and for each API that PTX comes in
 * through: as a file for cuModuleLoad(), and in the fat binary that a program of the runtime API registers. A text is
 * parsed, placed, printed and read again, and its kernels are translated, where pointers are numbers and where they are
 * buffers. Nothing is built: a driver's compiler takes a second for what this does in a millisecond.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/code/code.h"
#include "facade/code/fatbin.h"
#include "facade/state/capability.h"
#include "kernels/ptx/ir/ir.h"
#include "tests/ptx/scan.h"

/* FUZZ_FORM and FUZZ_API are one of each. */
enum { FORM_ITEM, FORM_BLOCK, FORM_WARP, FORM_RESUME };
enum { API_DRIVER, API_RUNTIME };

/* Programs are told by the library's log, which nobody reads here. */
void ocl_log(bool is_error, const char *format, ...);
void ocl_log(bool is_error, const char *format, ...)
{
    (void)is_error;
    (void)format;
}

void ocl_trace(const char *format, ...);
void ocl_trace(const char *format, ...)
{
    (void)format;
}

/* What devices report where nobody wishes for more. */
const struct facade_capability *facade_capability(void)
{
    static const struct facade_capability least = {.number = 75};
    return &least;
}

/* ---- The API's end ---- */

/* The bytes as the API is given them. */
struct given {
    unsigned char *bytes;
    struct facade_fatbin_wrapper wrapper;
};

static void put(unsigned char *at, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

/* A container of one entry for PTX, as it is. */
static void fill_container(unsigned char *to, const uint8_t *data, size_t bytes, size_t padded)
{
    enum { HEADER = 16, ENTRY = 64 };
    put(to, FACADE_FATBIN_MAGIC, 4);
    put(to + 4, 1, 2);
    put(to + 6, HEADER, 2);
    put(to + 8, ENTRY + padded, 8);
    put(to + HEADER, FACADE_FATBIN_PTX, 2);
    put(to + HEADER + 4, ENTRY, 4);
    put(to + HEADER + 8, padded, 8);
    put(to + HEADER + 0x1c, 75, 4);
    memcpy(to + HEADER + ENTRY, data, bytes);
}

static cudaError_t take_code(struct given *given, const uint8_t *data, size_t bytes,
                             struct facade_code *code)
{
    const size_t padded = (bytes + 8) / 8 * 8;
    given->bytes = calloc(1, 80 + padded);
    if (!given->bytes)
        abort();
    if (FUZZ_API == API_DRIVER) {
        memcpy(given->bytes, data, bytes);
        return bytes > 0 ? facade_code_copy(code, given->bytes, bytes) : cudaErrorInvalidValue;
    }
    fill_container(given->bytes, data, bytes, padded);
    given->wrapper =
        (struct facade_fatbin_wrapper){FACADE_FATBIN_WRAPPER_MAGIC, 1, given->bytes, NULL};
    return facade_code_copy(code, &given->wrapper, 0);
}

/* ---- The translator ---- */

/* What the device can do beside that is told by two bytes of a comment that the text begins with. */
static unsigned facts_of(const char *text)
{
    const bool are_told = strncmp(text, "//", 2) == 0 && text[2] != '\0';
    return are_told ? (unsigned char)text[2] + 256u * (unsigned char)text[3] : 0;
}

static bool has(unsigned facts, unsigned bit)
{
    return facts >> bit & 1;
}

static struct ptx_target target_of(enum ptx_pointers pointers, unsigned facts)
{
    const bool is_item = FUZZ_FORM == FORM_ITEM;
    return (struct ptx_target){
        .pointers = pointers,
        .is_cpu = has(facts, 0) != (FUZZ_FORM == FORM_BLOCK || FUZZ_FORM == FORM_WARP),
        .has_lane_vectors = FUZZ_FORM == FORM_WARP,
        .has_double = !has(facts, 1),
        .has_int64_atomics = has(facts, 2) != (pointers == PTX_POINTERS_NUMBERS),
        .has_exact_divide = has(facts, 3),
        .has_nvidia_asm = has(facts, 4) != is_item,
        .has_thread_fence = has(facts, 5) == is_item,
        .loses_wraps = has(facts, 6) == is_item,
        .loses_all_wraps = has(facts, 6) == is_item && has(facts, 7),
        .loses_turns = has(facts, 8) == is_item,
        .has_images = has(facts, 9),
        .shared_is_global = has(facts, 10),
        .max_parameter_bytes = has(facts, 12) ? 4352 : 1024,
        .max_private_bytes = has(facts, 13) ? 256 : 65536,
        .force_form = has(facts, 14)            ? -1
                      : FUZZ_FORM == FORM_BLOCK ? PTX_FORM_BLOCK
                      : FUZZ_FORM == FORM_WARP  ? PTX_FORM_WARP
                                                : PTX_FORM_ITEM};
}

static struct ptx_kernel translated(const struct ptx_module *module, size_t index,
                                    const struct ptx_target *target)
{
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    const enum ptx_status status = ptx_translate(module, index, target, &kernel, &log);
    if (status == PTX_OK && (!kernel.text || strlen(kernel.text) != kernel.text_bytes))
        abort();
    if (status == PTX_E_UNSUPPORTED && !log.text)
        abort(); /* refused without a word */
    free(log.text);
    return kernel;
}

/* All that is an access is marked as one, and marks change nothing else. */
static void check_accesses(const struct ptx_module *module, size_t index, struct ptx_target target,
                           const struct ptx_kernel *kernel)
{
    target.marks_accesses = true;
    struct ptx_kernel marked = translated(module, index, &target);
    if (!marked.text || !kernel->text) { /* marks are text, of which there may be too much */
        ptx_kernel_free(&marked);
        return;
    }
    const char *why, *at = scan_for_accesses(marked.text, scan_start(marked.text),
                                             marked.form != PTX_FORM_ITEM, &why);
    char *bare = scan_without_marks(marked.text);
    if (at || !bare || strcmp(bare, kernel->text) != 0) {
        fprintf(stderr, "%s\n---- %s: %s\n", marked.text, at ? why : "marks", at ? at : "");
        abort();
    }
    free(bare);
    ptx_kernel_free(&marked);
}

static void translate(const struct ptx_module *module, unsigned facts)
{
    for (size_t i = 0; i < ptx_module_entry_count(module) && i < 4; ++i)
        for (int pointers = PTX_POINTERS_NUMBERS; pointers <= PTX_POINTERS_BUFFERS; ++pointers) {
            const struct ptx_target target = target_of((enum ptx_pointers)pointers, facts);
            struct ptx_kernel kernel = translated(module, i, &target);
            if (has(facts, 15)) {
                struct ptx_kernel again = translated(module, i, &target);
                if (!kernel.text != !again.text ||
                    (kernel.text && strcmp(kernel.text, again.text) != 0))
                    abort(); /* the same is the same, byte for byte */
                ptx_kernel_free(&again);
                check_accesses(module, i, target, &kernel);
            }
            ptx_kernel_free(&kernel);
        }
}

/* A module whose managed variables lie where a host has them already. */
static void manage(const char *text, size_t bytes)
{
    enum { MOST = 16 };
    struct ptx_managed_place places[MOST];
    struct ptx_log log = {0};
    struct ptx_module *module = NULL, *managed = NULL;
    size_t count = 0, end = 0;
    if (ptx_module_parse(text, bytes, &module, &log) == PTX_OK &&
        ptx_module_parse(text, bytes, &managed, &log) == PTX_OK) {
        for (size_t i = 0; i < ptx_module_symbol_count(module) && count < MOST; ++i) {
            const struct ptx_symbol *symbol = ptx_module_symbol(module, i);
            places[count++] = (struct ptx_managed_place){symbol->name, end};
            end = (end + symbol->bytes + 255) / 256 * 256;
        }
        if (ptx_module_manage(managed, places, count, end) == PTX_OK &&
            ptx_module_block_bytes(managed, PTX_BLOCK_MANAGED) != end)
            abort();
    }
    ptx_module_free(managed);
    ptx_module_free(module);
    free(log.text);
}

/* Variables of which most is not said would print as so many zeros. */
static bool is_short(const struct ptx_module *module)
{
    size_t bytes = 0;
    for (int block = 0; block < PTX_BLOCKS; ++block)
        bytes += ptx_module_block_bytes(module, (enum ptx_block)block);
    return bytes < 1 << 16;
}

/* What the module prints as; NULL where it does not read, or is too long. The caller frees it. */
static char *printed(const char *text, size_t bytes, bool is_first)
{
    struct ptx_log log = {0};
    struct ptx_module *module = NULL;
    char *out = NULL;
    size_t length = 0;
    if (ptx_module_parse(text, bytes, &module, &log) == PTX_OK) {
        const uint64_t addresses[PTX_BLOCKS] = {0x1000, 0x2000, 0x3000};
        size_t placed_bytes = 0;
        free(ptx_module_place(module, addresses, &placed_bytes));
        const char *why = NULL;
        if (!ptx_module_suits_binary(module, &why) && !why)
            abort(); /* refused without a word */
        if (is_first)
            translate(module, facts_of(text));
        FILE *stream = is_short(module) ? open_memstream(&out, &length) : NULL;
        if (stream) {
            ptx_print_module(stream, module);
            fclose(stream);
        }
    }
    ptx_module_free(module);
    free(log.text);
    return out;
}

static void look_at(const struct facade_code *code)
{
    char *first = printed(code->text, code->bytes, true);
    char *second = first ? printed(first, strlen(first), false) : NULL;
    if (first && has(facts_of(code->text), 7))
        manage(code->text, code->bytes);
    if (first && (!second || strcmp(first, second) != 0)) {
        fprintf(stderr, "%s\n---- reads as\n%s\n", first, second ? second : "nothing");
        abort();
    }
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct given given = {0};
    struct facade_code code = {0};
    ptx_is_ptx((const char *)data, bytes);
    if (take_code(&given, data, bytes, &code) == cudaSuccess && code.refusal == cudaSuccess &&
        code.is_ptx)
        look_at(&code);
    facade_code_free(&code);
    free(given.bytes);
    return 0;
}

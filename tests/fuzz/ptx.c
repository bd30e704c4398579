/* libFuzzer's way into the translator: a text is parsed, placed, printed and read again, and its
 * kernels are translated for a CPU and for a GPU.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/ir.h"

static void translate(const struct ptx_module *module)
{
    static const struct ptx_target targets[] = {{.pointers = PTX_POINTERS_NUMBERS,
                                                 .is_cpu = true,
                                                 .has_double = true,
                                                 .max_parameter_bytes = 1024,
                                                 .max_private_bytes = 65536,
                                                 .force_form = -1},
                                                {.pointers = PTX_POINTERS_BUFFERS,
                                                 .has_int64_atomics = true,
                                                 .has_nvidia_asm = true,
                                                 .max_parameter_bytes = 4352,
                                                 .max_private_bytes = 1 << 20,
                                                 .force_form = -1}};
    for (size_t i = 0; i < ptx_module_entry_count(module) && i < 4; ++i)
        for (size_t k = 0; k < 2; ++k) {
            struct ptx_kernel kernel = {0};
            struct ptx_log log = {0};
            ptx_translate(module, i, &targets[k], &kernel, &log);
            ptx_kernel_free(&kernel);
            free(log.text);
        }
}

/* What the module prints as; NULL where it does not read. The caller frees it. */
static char *printed(const char *text, size_t bytes, size_t *length, bool is_first)
{
    struct ptx_log log = {0};
    struct ptx_module *module = NULL;
    char *out = NULL;
    if (ptx_module_parse(text, bytes, &module, &log) == PTX_OK) {
        const uint64_t addresses[PTX_BLOCKS] = {0x1000, 0x2000, 0x3000};
        size_t placed_bytes = 0;
        free(ptx_module_place(module, addresses, &placed_bytes));
        FILE *stream = open_memstream(&out, length);
        ptx_print_module(stream, module);
        fclose(stream);
        if (is_first)
            translate(module);
    }
    ptx_module_free(module);
    free(log.text);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    size_t first_bytes = 0, second_bytes = 0;
    ptx_is_ptx((const char *)data, bytes);
    char *first = printed((const char *)data, bytes, &first_bytes, true);
    if (first) {
        char *second = printed(first, first_bytes, &second_bytes, false);
        if (!second || strcmp(first, second) != 0)
            abort(); /* what was printed reads otherwise */
        free(second);
    }
    free(first);
    return 0;
}

/* Translates every kernel of a PTX file for a CPU and for a GPU, as any driver would get it; none may be refused.
 *
 *   clem_translate FILE KERNELS    KERNELS: how many it has at least
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/ptx/ptx.h"

static const struct {
    const char *name;
    struct ptx_target target;
} targets[] = {{"CPU",
                {.is_cpu = true,
                 .has_double = true,
                 .has_int64_atomics = true,
                 .max_parameter_bytes = 1024,
                 .max_private_bytes = 65536,
                 .force_form = -1}},
               {"CPU, by warps",
                {.is_cpu = true,
                 .has_double = true,
                 .has_int64_atomics = true,
                 .has_lane_vectors = true,
                 .max_parameter_bytes = 1024,
                 .max_private_bytes = 65536,
                 .force_form = PTX_FORM_WARP}},
               {"GPU",
                {.has_double = true,
                 .has_int64_atomics = true,
                 .max_parameter_bytes = 4352,
                 .max_private_bytes = 65536,
                 .force_form = -1}}};

enum { MOST_BYTES = 64 << 20 };

static char *read_all(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(MOST_BYTES);
    if (file == NULL || text == NULL) {
        perror(path);
        exit(2);
    }
    *bytes = fread(text, 1, MOST_BYTES, file);
    fclose(file);
    return text;
}

/* Returns whether the kernel was taken for each target. */
static bool translate(const struct ptx_module *module, size_t index)
{
    bool is_taken = true;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct ptx_kernel kernel = {0};
        struct ptx_log log = {0};
        const enum ptx_status status =
            ptx_translate(module, index, &targets[i].target, &kernel, &log);
        if (status == PTX_OK)
            printf("%s %8zu bytes ", targets[i].name, kernel.text_bytes);
        else
            printf("%s REFUSED, status %d: %s ", targets[i].name, (int)status,
                   log.text != NULL ? log.text : "");
        is_taken = is_taken && status == PTX_OK;
        ptx_kernel_free(&kernel);
        free(log.text);
    }
    printf("%s\n", ptx_module_entry(module, index)->name);
    return is_taken;
}

int main(int count, char **arguments)
{
    struct ptx_module *module = NULL;
    struct ptx_log log = {0};
    size_t bytes;
    if (count != 3)
        return 2;
    char *text = read_all(arguments[1], &bytes);
    const enum ptx_status status = ptx_module_parse(text, bytes, &module, &log);
    free(text);
    if (status != PTX_OK) {
        printf("not read, status %d: %s\n", (int)status, log.text != NULL ? log.text : "");
        free(log.text);
        return 1;
    }
    const size_t kernels = ptx_module_entry_count(module);
    size_t taken = 0;
    for (size_t i = 0; i < kernels; i++)
        taken += translate(module, i);
    printf("%zu bytes of PTX, %zu of %zu kernels translated\n", bytes, taken, kernels);
    ptx_module_free(module);
    free(log.text);
    return taken == kernels && kernels >= strtoul(arguments[2], NULL, 10) ? 0 : 1;
}

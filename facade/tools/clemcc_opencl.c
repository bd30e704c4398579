/* clemcc --opencl: the OpenCL C that kernels become.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/tools/clemcc.h"
#include "kernels/ptx/ptx.h"

/* A CPU that has what PoCL's have; what another device gets, CLEM_DUMP shows. */
static const struct ptx_target cpu = {
    .is_cpu = true,
    .has_lane_vectors = true,
    .has_double = true,
    .has_int64_atomics = true,
    .max_parameter_bytes = 1024,
    .max_private_bytes = 65536,
    .force_form = -1,
};

/* A kernel that has no translation is a comment that says why. */
static bool write_kernel(FILE *file, const struct ptx_module *module, size_t index)
{
    static const char *const forms[] = {[PTX_FORM_ITEM] = "a work-item for each thread",
                                        [PTX_FORM_BLOCK] = "a work-item for each block",
                                        [PTX_FORM_WARP] =
                                            "a work-item for each block, vectors for warps"};
    const char *name = ptx_module_entry(module, index)->name;
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    const enum ptx_status status = ptx_translate(module, index, &cpu, &kernel, &log);
    const char *why = log.text ? log.text : "it has no translation";
    const bool is_written = status == PTX_OK ? fprintf(file, "/* %s: %s */\n\n%s\n", name,
                                                       forms[kernel.form], kernel.text) >= 0
                                             : fprintf(file, "/* %s: %s */\n\n", name, why) >= 0;
    ptx_kernel_free(&kernel);
    free(log.text);
    return is_written;
}

static int write_kernels(const struct ptx_module *module, const char *output)
{
    FILE *file = output ? fopen(output, "we") : stdout;
    bool is_written = file != NULL;
    for (size_t i = 0; is_written && i < ptx_module_entry_count(module); i++)
        is_written = write_kernel(file, module, i);
    if (file && (output ? fclose(file) : fflush(file)))
        is_written = false;
    return is_written ? 0 : clemcc_refuse(output ? output : "stdout", strerror(errno));
}

int clemcc_write_opencl(const struct job *job, const char *ptx, const char *output)
{
    struct ptx_module *module = NULL;
    struct ptx_log log = {0};
    if (job->is_dry)
        return 0;
    char *text = clemcc_read_text(ptx);
    if (!text)
        return clemcc_refuse(ptx, strerror(errno));
    const enum ptx_status status = ptx_module_parse(text, strlen(text), &module, &log);
    const int refused = status == PTX_OK
                            ? write_kernels(module, output)
                            : clemcc_refuse(ptx, log.text ? log.text : "it cannot be read");
    ptx_module_free(module);
    free(log.text);
    free(text);
    return refused;
}

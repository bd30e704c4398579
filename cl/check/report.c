/* Findings as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/whole.h"

static void print_stack(FILE *out, const char *title, const struct ocl_stack *stack)
{
    char **names = stack && stack->depth > 0 ? backtrace_symbols(stack->at, stack->depth) : NULL;
    if (!names)
        return;
    fprintf(out, "  %s\n", title);
    for (int i = 0; i < stack->depth; i++)
        fprintf(out, "    %s\n", names[i]);
    free(names);
}

static void print_place(FILE *out, const struct ocl_finding *f)
{
    if (f->kernel)
        fprintf(out, "  kernel %s", f->kernel);
    if (f->has_thread)
        fprintf(out, ", block (%u,%u,%u), thread (%u,%u,%u)", (unsigned)f->block[0],
                (unsigned)f->block[1], (unsigned)f->block[2], (unsigned)f->thread[0],
                (unsigned)f->thread[1], (unsigned)f->thread[2]);
    if (f->source || f->ptx_line)
        fprintf(out, ", %s%sPTX line %u", f->source ? f->source : "", f->source ? ", " : "",
                (unsigned)f->ptx_line);
    if (f->kernel)
        fprintf(out, "\n");
}

static void print(FILE *out, const struct ocl_finding *f)
{
    fprintf(out, "clem: %s: %s", f->is_warning ? "warning" : "error", f->what);
    if (f->space)
        fprintf(out, " (%s address 0x%llx)", f->space, (unsigned long long)f->address);
    fprintf(out, "\n");
    print_place(out, f);
    if (f->about)
        fprintf(out, "  %s\n", f->about);
    print_stack(out, "launched at", f->launch);
    print_stack(out, "allocated at", f->allocation);
}

void ocl_check_report(const struct ocl_finding *finding)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    print(out, finding);
    if (fclose(out) == 0)
        whole_say("%s", text);
    free(text);
}

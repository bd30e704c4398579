/* Bodies: what functions are while they are written.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/plan.h"

#include <string.h>

static bool same_shape(struct ptx_variable *const *a, size_t a_count, struct ptx_variable *const *b,
                       size_t b_count)
{
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (a[i]->bytes != b[i]->bytes || a[i]->is_array != b[i]->is_array)
            return false;
    return true;
}

bool ptx_same_shape(const struct ptx_function *a, const struct ptx_function *b)
{
    return same_shape(a->parameters, a->parameter_count, b->parameters, b->parameter_count) &&
           same_shape(a->results, a->result_count, b->results, b->result_count);
}

const struct ptx_function *ptx_call_prototype(const struct ptx_function *caller,
                                              const struct ptx_instruction *in)
{
    if (in->operand_count < 4 || in->operands[3].kind != PTX_OPERAND_TARGETS)
        return NULL;
    const struct ptx_targets *targets = &caller->targets[in->operands[3].index];
    return targets->prototype   ? targets->prototype
           : targets->count > 0 ? targets->functions[0]
                                : NULL;
}

struct ptx_body *ptx_plan_body(const struct ptx_plan *plan, const struct ptx_function *function)
{
    struct ptx_body *body = &plan->bodies[plan->body_of[function->number]];
    return body->function == function ? body : NULL;
}

void ptx_enter_body(struct ptx_emitter *e, struct ptx_body *body)
{
    e->plan->current = body;
    e->function = body->function;
    e->instruction = NULL;
    e->temporaries = 0;
}

struct ptx_body *ptx_current_body(const struct ptx_emitter *e)
{
    return e->plan->current;
}

const char *ptx_device_runtime_name(struct ptx_emitter *e, const struct ptx_function *function)
{
    static const char *const before[] = {"__cudaCDP2", "cuda"};
    static const char behind[] = "_ptsz";
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t start = strlen(before[i]);
        const char *name = function->name + start;
        if (strncmp(function->name, before[i], start) != 0)
            continue;
        const size_t length = strlen(name), end = sizeof behind - 1;
        return length > end && strcmp(name + length - end, behind) == 0
                   ? ptx_format(e, "%.*s", (int)(length - end), name)
                   : name;
    }
    return NULL;
}

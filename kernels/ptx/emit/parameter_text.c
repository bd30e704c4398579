/* Parameters and results of functions in C.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/emit.h"

/* A struct of so many bytes. Made of the largest elements that it is a multiple of. */
static const char *structure_name(struct ptx_emitter *e, size_t bytes)
{
    struct ptx_plan *plan = e->plan;
    struct ptx_structure **place = &plan->structures;
    for (; *place; place = &(*place)->next) {
        ptx_steps(e->arena, 1);
        if ((*place)->bytes == bytes)
            return (*place)->name;
    }
    struct ptx_structure *made = ptx_arena_take(e->arena, sizeof *made);
    made->bytes = bytes;
    made->element = 16;
    while (bytes % made->element != 0)
        made->element /= 2;
    made->name = ptx_arena_format(e->arena, "struct clem_bytes_%zu", bytes);
    *place = made;
    return made->name;
}

bool ptx_is_structure(const struct ptx_variable *v)
{
    return v->is_array || v->width > 1 || v->bytes > 8;
}

enum ptx_type ptx_type_of_bits(size_t bytes)
{
    return bytes == 1 ? PTX_U8 : bytes == 2 ? PTX_U16 : bytes == 4 ? PTX_U32 : PTX_U64;
}

static bool position_of(struct ptx_variable *const *list, size_t count,
                        const struct ptx_variable *variable, size_t *position)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == variable) {
            *position = i;
            return true;
        }
    return false;
}

/* Floats are floats only as arguments of kernels. */
enum ptx_type ptx_parameter_type(const struct ptx_variable *v)
{
    const struct ptx_function *owner = v->owner;
    size_t i;
    const bool is_float = v->type == PTX_F32 && owner && owner->is_entry &&
                          position_of(owner->parameters, owner->parameter_count, v, &i);
    return is_float ? PTX_F32 : ptx_type_of_bits(v->bytes);
}

const char *ptx_parameter_c_type(struct ptx_emitter *e, const struct ptx_variable *variable)
{
    if (variable->space == PTX_SPACE_REG && variable->width > 1)
        ptx_refuse(e, "a vector register as a function's parameter or result");
    if (variable->space == PTX_SPACE_REG)
        return ptx_c_type(ptx_register_type(e, variable->number));
    return ptx_is_structure(variable) ? structure_name(e, variable->bytes)
                                      : ptx_c_type(ptx_parameter_type(variable));
}

const char *ptx_parameter_name(struct ptx_emitter *e, const struct ptx_variable *variable)
{
    const struct ptx_function *f = e->function, *entry = e->plan->original;
    size_t i;
    if (ptx_position_of(f, variable, &i))
        return ptx_format(e, "s%zu", i);
    ptx_steps(e->arena, (entry->parameter_count + f->parameter_count + f->result_count) / 4);
    if (position_of(entry->parameters, entry->parameter_count, variable, &i))
        return ptx_format(e, "a%zu", i);
    if (position_of(f->parameters, f->parameter_count, variable, &i))
        return ptx_format(e, "a%zu", i);
    if (position_of(f->results, f->result_count, variable, &i))
        return ptx_format(e, "q%zu", i);
    ptx_refuse(e, "parameter %s belongs to another function", variable->name);
    return "0";
}

const char *ptx_result_value(struct ptx_emitter *e)
{
    const struct ptx_variable *v = e->function->results[0];
    return v->space == PTX_SPACE_REG ? ptx_register_name(e, v->number, 0)
                                     : ptx_parameter_name(e, v);
}

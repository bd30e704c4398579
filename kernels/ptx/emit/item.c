/* Functions as C, and PTX_FORM_ITEM: one work-item is one CUDA thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"

/* ---- Declarations ---- */

const char *ptx_register_c_type(const struct ptx_emitter *e, uint32_t index)
{
    static const char *const vectors[][2] = {
        {"uchar2", "uchar4"}, {"ushort2", "ushort4"}, {"uint2", "uint4"},
        {"ulong2", "ulong4"}, {"float2", "float4"},   {"double2", "double4"},
    };
    const enum ptx_type type = ptx_register_type(e, index);
    const uint8_t width = e->function->registers[index].width;
    if (width > 1) {
        const size_t row = type == PTX_U8    ? 0
                           : type == PTX_U16 ? 1
                           : type == PTX_U32 ? 2
                           : type == PTX_F32 ? 4
                           : type == PTX_F64 ? 5
                                             : 3;
        return vectors[row][width > 2];
    }
    return ptx_current_body(e)->is_pointer[index] ? "__global uchar *" : ptx_c_type(type);
}

/* Up to this many names stand in one declaration. */
enum { NAMES_A_LINE = 12 };

static void declare_of_type(struct ptx_emitter *e, const char *type, const uint32_t *indices,
                            size_t count)
{
    const struct ptx_body *body = ptx_current_body(e);
    const bool is_pointer = strchr(type, '*') != NULL;
    for (size_t i = 0; i < count; i++) {
        if (i % NAMES_A_LINE == 0)
            ptx_text_add(e->out, "    %.*s ", is_pointer ? (int)strlen(type) - 2 : 32, type);
        const bool is_last = i + 1 == count || (i + 1) % NAMES_A_LINE == 0;
        ptx_text_add(e->out, "%s%s%s", is_pointer ? "*" : "", body->names[indices[i]],
                     is_last ? ";\n" : ", ");
    }
}

void ptx_declare_registers(struct ptx_emitter *e, const bool *wanted)
{
    const struct ptx_body *body = ptx_current_body(e);
    const size_t count = e->function->register_count;
    uint32_t *chosen = ptx_arena_lend(e->arena, count, sizeof *chosen);
    bool *is_done = ptx_arena_lend(e->arena, count, sizeof *is_done);
    for (size_t first = 0; first < count; first++) {
        if (is_done[first] || !body->names[first] || (wanted && !wanted[first]))
            continue;
        const char *type = ptx_register_c_type(e, (uint32_t)first);
        size_t found = 0;
        for (size_t i = first; i < count; i++) {
            if (is_done[i] || !body->names[i] || (wanted && !wanted[i]) ||
                strcmp(type, ptx_register_c_type(e, (uint32_t)i)) != 0)
                continue;
            chosen[found++] = (uint32_t)i;
            is_done[i] = true;
        }
        declare_of_type(e, type, chosen, found);
    }
    ptx_arena_return(e->arena, is_done);
    ptx_arena_return(e->arena, chosen);
}

static void declare_carry(struct ptx_emitter *e)
{
    if (ptx_uses_carry(e->function))
        ptx_line(e, "uint clem_carry = 0u;");
}

static void declare_parameter(struct ptx_emitter *e, const struct ptx_variable *v)
{
    if (v->space == PTX_SPACE_PARAM)
        ptx_line(e, "%s %s;", ptx_parameter_c_type(e, v), ptx_parameter_name(e, v));
}

void ptx_declare_parameters(struct ptx_emitter *e)
{
    for (size_t i = 0; i < e->function->variable_count; i++)
        declare_parameter(e, e->function->variables[i]);
    if (!e->function->is_entry)
        for (size_t i = 0; i < e->function->result_count; i++)
            declare_parameter(e, e->function->results[i]);
}

/* ---- Statements ---- */

/* Those of the function being written by the instructions they stand before; equal ones in the order of the text. */
struct labels {
    uint32_t *sorted;
    size_t next; /* to be written */
};

static struct labels sort_labels(struct ptx_emitter *e)
{
    const struct ptx_function *function = e->function;
    const size_t count = function->instruction_count + 2;
    uint32_t *starts = ptx_arena_array(e->arena, count, sizeof *starts);
    struct labels made = {
        .sorted = ptx_arena_array(e->arena, function->label_count + 1, sizeof *made.sorted)};
    for (size_t i = 0; i < function->label_count; i++)
        starts[function->labels[i].instruction + 1]++;
    for (size_t i = 1; i < count; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < function->label_count; i++)
        made.sorted[starts[function->labels[i].instruction]++] = (uint32_t)i;
    return made;
}

/* `L3:;` for each label that stands before instruction `index`. Called with rising indices. */
static void write_labels(struct ptx_emitter *e, struct labels *labels, size_t index)
{
    const struct ptx_function *function = e->function;
    for (; labels->next < function->label_count; labels->next++) {
        const uint32_t label = labels->sorted[labels->next];
        if (function->labels[label].instruction > index)
            return;
        ptx_text_add(e->out, "L%u:;\n", (unsigned)label);
    }
}

/* Per instruction: whether a loop begins there that may wait for a thread that fails; NULL: none does. */
static bool *find_waits(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    if (plan->form != PTX_FORM_ITEM || !plan->can_fail || !plan->current->waits)
        return NULL;
    bool *waits = ptx_arena_array(e->arena, e->function->instruction_count + 1, sizeof *waits);
    return ptx_block_waits(e, e->function, waits) ? waits : NULL;
}

/* A thread that has failed is gone, and the device has no way to end those that wait for it. */
static void write_end_of_wait(struct ptx_emitter *e)
{
    ptx_need(e, PTX_NEED_RUNTIME);
    ptx_line(e, "if (clem_has_failed(clem_runtime)) {");
    ptx_write_exit(e);
    ptx_line(e, "}");
}

static void write_instructions(struct ptx_emitter *e)
{
    const struct ptx_function *function = e->function;
    const bool *waits = find_waits(e);
    struct labels labels = sort_labels(e);
    if (e->plan->form == PTX_FORM_ITEM)
        e->plan->opaque_guards = ptx_opaque_guards(e);
    for (size_t i = 0; i < function->instruction_count && e->status == PTX_OK; i++) {
        write_labels(e, &labels, i);
        if (waits && waits[i])
            write_end_of_wait(e);
        ptx_emit_instruction(e, &function->instructions[i]);
    }
    write_labels(e, &labels, function->instruction_count);
}

/* ---- Functions ---- */

static const char *result_c_type(struct ptx_emitter *e, const struct ptx_function *function)
{
    if (function->result_count == 0)
        return "void";
    if (function->result_count > 1)
        ptx_refuse(e, "function %s has more than one result", function->name);
    return ptx_parameter_c_type(e, function->results[0]);
}

const char *ptx_function_signature(struct ptx_emitter *e, struct ptx_body *body)
{
    ptx_enter_body(e, body);
    const struct ptx_function *function = body->function;
    const char *list = "";
    for (size_t i = 0; i < function->parameter_count; i++)
        list = ptx_format(e, "%s%s%s %s", list, i ? ", " : "",
                          ptx_parameter_c_type(e, function->parameters[i]),
                          ptx_parameter_name(e, function->parameters[i]));
    return ptx_format(e, "static %s %s(%s%s)", result_c_type(e, function), body->name,
                      function->parameter_count ? "CLEM_CONTEXT_AND " : "CLEM_CONTEXT", list);
}

/* Registers that are parameters are declared with the others and take their value first. */
static void take_register_parameters(struct ptx_emitter *e)
{
    const struct ptx_function *function = e->function;
    for (size_t i = 0; i < function->parameter_count; i++) {
        const struct ptx_variable *v = function->parameters[i];
        if (v->space == PTX_SPACE_REG)
            ptx_line(e, "%s = %s;", ptx_register_name(e, v->number, 0), ptx_parameter_name(e, v));
    }
}

/* A byte of local memory that the kernel's own accesses do not know. */
static void write_local(struct ptx_emitter *e, size_t offset, const char *value)
{
    const struct ptx_access access = {.kind = PTX_ACCESS_STORE,
                                      .is_own = true,
                                      .space = PTX_SPACE_LOCAL,
                                      .number = "clem_local",
                                      .type = PTX_U8,
                                      .index = ptx_format(e, "%zu + clem_byte", offset),
                                      .value = value};
    ptx_line(e, "    %s;", ptx_access(e, &access));
}

/* Parameters whose address is taken. Where init is checked they count as written. */
static void copy_parameters(struct ptx_emitter *e, const struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    for (size_t i = 0; i < function->variable_count; i++) {
        const struct ptx_variable *v = function->variables[i];
        if (!v->copy_of)
            continue;
        ptx_need(e, PTX_NEED_LOCAL);
        ptx_line(e, "for (uint clem_byte = 0; clem_byte < %zuu; clem_byte++) {", v->bytes);
        const struct ptx_operand parameter = {
            .kind = PTX_OPERAND_ADDRESS, .index = -1, .variable = v->copy_of};
        const struct ptx_access access = {.kind = PTX_ACCESS_LOAD,
                                          .is_own = true,
                                          .space = PTX_SPACE_PARAM,
                                          .is_read_only = true,
                                          .address = &parameter,
                                          .type = PTX_U8,
                                          .c_type = "uchar",
                                          .index = "clem_byte"};
        write_local(e, body->local_offsets[i], ptx_access(e, &access));
        if (e->target->checks & PTX_CHECK_INIT)
            write_local(e, CLEM_CHECK_LOCAL_SHADOW(e->plan->local_bytes) + body->local_offsets[i],
                        "1u");
        ptx_line(e, "}");
    }
}

void ptx_write_function(struct ptx_emitter *e, struct ptx_body *body)
{
    ptx_text_add(e->out, "%s\n", ptx_function_signature(e, body));
    ptx_line(e, "{");
    ptx_declare_registers(e, NULL);
    declare_carry(e);
    ptx_declare_parameters(e);
    take_register_parameters(e);
    copy_parameters(e, body);
    write_instructions(e);
    const size_t count = body->function->instruction_count;
    const struct ptx_instruction *last = count ? &body->function->instructions[count - 1] : NULL;
    const bool has_returned = last && last->opcode == PTX_OPCODE_ret && last->guard < 0;
    if (body->function->result_count && !has_returned)
        ptx_write_return(e);
    ptx_line(e, "}");
    ptx_text_put(e->out, "\n");
}

/* Before all else, so that none of the kernel's own code has run where not all blocks come to be at work. */
static void write_gathering(struct ptx_emitter *e)
{
    if (!e->target->gathers)
        return;
    ptx_need(e, PTX_NEED_GATHERING | PTX_NEED_RUNTIME);
    ptx_line(e, "clem_gather_begin(clem_gathering, clem_runtime);");
    ptx_line(e, "barrier(CLK_GLOBAL_MEM_FENCE);");
    ptx_line(e, "if (!clem_has_gathered(clem_gathering))");
    ptx_line(e, "    return;");
}

void ptx_item_kernel(struct ptx_emitter *e, struct ptx_body *entry)
{
    ptx_enter_body(e, entry);
    ptx_line(e, "{");
    ptx_declare_registers(e, NULL);
    declare_carry(e);
    ptx_declare_parameters(e);
    write_gathering(e);
    const size_t start = e->out->used;
    write_instructions(e);
    if (e->plan->resumes)
        ptx_resume_wrap(e, start);
    ptx_line(e, "}");
}

const char *ptx_empty_stack(struct ptx_emitter *e, const char *c_type, const char *pointer)
{
    return ptx_access(e, &(struct ptx_access){.kind = PTX_ACCESS_STORE,
                                              .is_own = true,
                                              .space = PTX_SPACE_LOCAL,
                                              .number = pointer,
                                              .type = PTX_U32,
                                              .c_type = c_type,
                                              .value = "0u"});
}

const char *ptx_item_head(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    const char *head = plan->needs & PTX_NEED_EXITED
                           ? "    uchar clem_exit_flag = 0, *const clem_exited = &clem_exit_flag;\n"
                           : "";
    if (!(plan->needs & PTX_NEED_LOCAL))
        return head;
    if (plan->local_bytes == 0)
        return ptx_format(e, "%s    uchar *const clem_local = 0;\n", head);
    const char *stack =
        plan->has_stack
            ? ptx_format(
                  e, "    %s;\n",
                  ptx_empty_stack(e, "uint", ptx_format(e, "clem_local + %zu", plan->stack_at)))
            : "";
    return ptx_format(e,
                      "%s    uchar clem_local_memory[%zu] __attribute__((aligned(%zu)));\n"
                      "    uchar *const clem_local = clem_local_memory;\n%s",
                      head, plan->local_bytes,
                      plan->local_alignment < 16 ? (size_t)16 : plan->local_alignment, stack);
}

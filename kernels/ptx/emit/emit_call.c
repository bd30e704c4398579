/* Calls: of functions, through numbers, and of what the device library offers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"
#include "kernels/ptx/library/library.h"

/* ---- Functions of the device library ---- */

/* What a supplied function is given behind its PTX arguments. */
static const char *windows(struct ptx_emitter *e)
{
    (void)e;
    return "clem_shared, clem_local";
}

/* A number in which threads differ. */
static const char *seed(struct ptx_emitter *e)
{
    return ptx_format(e, "%s * 1024u + %s", ptx_special_value(e, PTX_CTAID_X),
                      ptx_special_value(e, PTX_TID_X));
}

static const char *place_and_windows(struct ptx_emitter *e)
{
    const char *list = "";
    for (int axis = 0; axis < 4; axis++)
        list = ptx_format(e, "%s%s, ", list,
                          axis < 3 ? ptx_special_value(e, PTX_CTAID_X + axis) : "0");
    for (int axis = 0; axis < 4; axis++)
        list =
            ptx_format(e, "%s%s%s", list, axis < 3 ? ptx_special_value(e, PTX_TID_X + axis) : "0",
                       axis < 3 ? ", " : "");
    return ptx_format(e, "(uint8)(%s), clem_shared, clem_local", list);
}

/* What programs declare .extern and library/runtime.h describes. */
static const struct {
    const char *name, *c_name;
    const char *memory;         /* what comes before the arguments */
    uint32_t arguments, passed; /* those that PTX gives, and how many of them go on */
    bool has_result, has_heap;  /* has_heap: addresses of memory that is no argument */
    uint32_t needs;
    const char *(*behind)(struct ptx_emitter *e);
} supplied[] = {
    {"vprintf", "clem_vprintf", "clem_runtime", 2, 2, true, false,
     PTX_NEED_RUNTIME | PTX_NEED_SHARED | PTX_NEED_LOCAL, windows},
    {"malloc", "clem_malloc", "clem_runtime", 1, 1, true, true, PTX_NEED_RUNTIME, seed},
    {"__cuda_syscall_aligned_malloc", "clem_aligned_malloc", "clem_runtime", 2, 2, true, true,
     PTX_NEED_RUNTIME, seed},
    {"free", "clem_free", "clem_runtime", 1, 1, false, true, PTX_NEED_RUNTIME, NULL},
    {"__assertfail", "clem_assertfail", "clem_runtime", 5, 4, false, false,
     PTX_NEED_RUNTIME | PTX_NEED_SHARED | PTX_NEED_LOCAL, place_and_windows},
    {"cudaGraphSetConditional", "clem_set_conditional", "clem_conditions", 2, 2, false, false,
     PTX_NEED_CONDITIONS, NULL},
};

static const char *argument_list(struct ptx_emitter *e, const struct ptx_instruction *in,
                                 const struct ptx_function *callee, uint32_t most)
{
    const char *list = "";
    const struct ptx_operand *given = in->operand_count > 2 ? &in->operands[2] : NULL;
    for (uint32_t i = 0; given && i < given->count && i < most; i++)
        list = ptx_format(e, "%s%s%s", list, i ? ", " : "", ptx_call_argument(e, in, callee, i));
    return list;
}

static bool emit_supplied(struct ptx_emitter *e, const struct ptx_instruction *in,
                          const struct ptx_function *callee)
{
    for (size_t i = 0; i < sizeof supplied / sizeof *supplied; i++) {
        if (strcmp(supplied[i].name, callee->name) != 0)
            continue;
        if (in->operand_count < 3 || in->operands[2].count != supplied[i].arguments) {
            ptx_refuse(e, "%s is called with other arguments than it has", callee->name);
            return true;
        }
        if (supplied[i].has_heap && e->target->pointers == PTX_POINTERS_BUFFERS) {
            ptx_refuse_address(e,
                               "%s speaks of memory by its address, and this device's pointers "
                               "are not numbers",
                               callee->name);
            return true;
        }
        ptx_need(e, supplied[i].needs);
        const char *behind = supplied[i].behind ? supplied[i].behind(e) : "";
        const char *call = ptx_format(e, "(%s, %s%s%s", supplied[i].memory,
                                      argument_list(e, in, callee, supplied[i].passed),
                                      behind[0] ? ", " : "", behind);
        const char *text = ptx_access_text(e, PTX_ACCESS_CALL,
                                           supplied[i].has_heap && e->target->checks
                                               ? ptx_checked_call(e, supplied[i].c_name, call)
                                               : ptx_format(e, "%s%s)", supplied[i].c_name, call));
        if (supplied[i].has_result)
            ptx_write_result(e, in, callee, text);
        else
            ptx_line(e, "%s;", text);
        if (ptx_call_is_last(in))
            ptx_write_exit(e);
        return true;
    }
    return false;
}

/* ---- The math library ---- */

/* A C type as the library writes it; PTX_NONE for others. *text moves behind it. */
static enum ptx_type read_type(const char **text)
{
    static const struct {
        const char *word;
        enum ptx_type type;
    } words[] = {
        {"float ", PTX_F32}, {"double ", PTX_F64}, {"int ", PTX_S32},   {"uint ", PTX_U32},
        {"long ", PTX_S64},  {"ulong ", PTX_U64},  {"short ", PTX_S16}, {"ushort ", PTX_U16},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i].word);
        if (strncmp(*text, words[i].word, length) == 0) {
            *text += length;
            return words[i].type;
        }
    }
    return PTX_NONE;
}

/* The type before the name of a function, whose definition begins a line. */
static enum ptx_type read_result_type(const char *name)
{
    const char *line = name;
    while (line[-1] != '\n')
        line--;
    if (strncmp(line, "static inline ", 14) == 0)
        line += 14;
    return read_type(&line);
}

/* The arguments of a call in the types that the library's function takes; NULL where they do not
 * agree. */
static const char *typed_arguments(struct ptx_emitter *e, const struct ptx_instruction *in,
                                   const struct ptx_function *callee, const char *parameters)
{
    const char *list = "";
    const uint32_t count = in->operand_count > 2 ? in->operands[2].count : 0;
    const char *at = parameters;
    for (uint32_t i = 0; i < count; i++) {
        const enum ptx_type type = read_type(&at), given = ptx_argument_type(callee, i);
        if (type == PTX_NONE || ptx_type_bytes(type) != ptx_type_bytes(given))
            return NULL;
        list = ptx_format(e, "%s%s%s", list, i ? ", " : "",
                          ptx_as_type(e, ptx_call_argument(e, in, callee, i), given, type));
        at += strcspn(at, ",)");
        if (*at == ',' && i + 1 < count)
            at += 2;
    }
    return *at == ')' || count == 0 ? list : NULL;
}

/* extern __clem_name: the library's clem_name, of numbers alone; clem_soft_name, if there is one, where doubles are bits. */
static bool emit_math(struct ptx_emitter *e, const struct ptx_instruction *in,
                      const struct ptx_function *callee)
{
    if (strncmp(callee->name, "__clem_", 7) != 0)
        return false;
    const char *name = callee->name + 2;
    const char *soft = ptx_format(e, "clem_soft_%s", callee->name + 7);
    const char *definition = e->target->has_double ? NULL : ptx_library_find(e, soft);
    if (definition)
        name = soft;
    else
        definition = ptx_library_find(e, name);
    if (!definition || definition[strlen(name)] != '(')
        return false;
    const enum ptx_type result = read_result_type(definition);
    const char *list = typed_arguments(e, in, callee, definition + strlen(name) + 1);
    if (!list || callee->result_count != 1 || ptx_type_bytes(result) != callee->results[0]->bytes) {
        ptx_refuse(e, "%s is called with other arguments than it has", callee->name);
        return true;
    }
    const enum ptx_type bits = ptx_parameter_type(callee->results[0]);
    const char *text = ptx_access_text(e, PTX_ACCESS_CALL, ptx_format(e, "%s(%s)", name, list));
    ptx_write_result(e, in, callee, ptx_as_type(e, text, result, bits));
    return true;
}

/* ---- Direct calls ---- */

static bool fits(struct ptx_emitter *e, const struct ptx_instruction *in,
                 const struct ptx_function *callee)
{
    const uint32_t given = in->operand_count > 2 ? in->operands[2].count : 0;
    const uint32_t taken = in->operands[0].kind == PTX_OPERAND_VECTOR ? in->operands[0].count : 0;
    bool agrees = given == callee->parameter_count && taken <= callee->result_count;
    for (uint32_t i = 0; agrees && i < given; i++) {
        const struct ptx_operand *o = &in->operands[2].list[i];
        if (o->kind == PTX_OPERAND_VARIABLE && o->variable->space == PTX_SPACE_PARAM)
            agrees = o->variable->bytes == callee->parameters[i]->bytes &&
                     ptx_is_structure(o->variable) == ptx_is_structure(callee->parameters[i]);
    }
    if (!agrees)
        ptx_refuse(e, "function %s is called with other arguments than it has", callee->name);
    return agrees;
}

static const char *call_text(struct ptx_emitter *e, const char *name, const char *arguments)
{
    return arguments[0] ? ptx_format(e, "%s(CLEM_PASS_AND %s)", name, arguments)
                        : ptx_format(e, "%s(CLEM_PASS)", name);
}

static const char *call(struct ptx_emitter *e, const char *name, const char *arguments)
{
    return ptx_access_text(e, PTX_ACCESS_CALL, call_text(e, name, arguments));
}

static void emit_direct(struct ptx_emitter *e, const struct ptx_instruction *in,
                        const struct ptx_function *callee)
{
    const struct ptx_body *body = ptx_plan_body(e->plan, callee);
    if (!body) {
        if (!emit_supplied(e, in, callee) && !ptx_emit_device_runtime(e, in, callee) &&
            !emit_math(e, in, callee))
            ptx_refuse(e, "function %s is declared but not defined", callee->name);
        return;
    }
    if (!fits(e, in, callee))
        return;
    ptx_write_result(e, in, callee, call(e, body->name, argument_list(e, in, callee, UINT32_MAX)));
    if (body->can_exit)
        ptx_write_exit_check(e);
}

/* ---- Calls by number ---- */

/* A function that calls whichever of the plan's functions of a shape has the number. Returns its
 * name; *can_exit: whether one of them may end the thread. */
static const char *write_dispatcher(struct ptx_emitter *e, const struct ptx_function *shape,
                                    bool *can_exit)
{
    struct ptx_plan *plan = e->plan;
    struct ptx_text *out = plan->dispatchers;
    const char *name = ptx_format(e, "call%zu", plan->dispatcher_count++);
    const bool has_result = shape->result_count > 0;
    const char *type = has_result ? ptx_parameter_c_type(e, shape->results[0]) : "void";
    ptx_text_add(out, "static %s %s(CLEM_CONTEXT_AND ulong number", type, name);
    const char *pass = "";
    for (size_t i = 0; i < shape->parameter_count; i++) {
        ptx_text_add(out, ", %s a%zu", ptx_parameter_c_type(e, shape->parameters[i]), i);
        pass = ptx_format(e, "%s%sa%zu", pass, i ? ", " : "", i);
    }
    ptx_text_add(out, ")\n{\n");
    if (has_result)
        ptx_text_add(out, "    %s q0;\n", type);
    ptx_text_add(out, "    switch (number) {\n");
    bool is_any = false;
    for (size_t i = 0; i < plan->target_count; i++) {
        const struct ptx_body *body = ptx_plan_body(plan, plan->targets[i]);
        if (!body || !ptx_same_shape(plan->targets[i], shape))
            continue;
        is_any = true;
        *can_exit |= body->can_exit;
        ptx_text_add(out, "    case %u: %s%s; break;\n", (unsigned)body->function->number,
                     has_result ? "q0 = " : "",
                     ptx_own_access_text(e, PTX_ACCESS_CALL, call_text(e, body->name, pass)));
    }
    if (!is_any) { /* whoever calls it anyhow follows a pointer to nowhere */
        ptx_need(e, PTX_NEED_RUNTIME);
        ptx_text_add(out, "    default: %s;\n",
                     ptx_own_access_text(e, PTX_ACCESS_BRANCH, "clem_trap(clem_runtime)"));
    }
    ptx_text_put(out, "    }\n");
    if (has_result)
        ptx_text_add(out, "    %s\n", ptx_own_access_text(e, PTX_ACCESS_BRANCH, "return q0;"));
    ptx_text_put(out, "}\n\n");
    return name;
}

static bool uses_registers(const struct ptx_function *shape)
{
    for (size_t i = 0; i < shape->parameter_count; i++)
        if (shape->parameters[i]->space == PTX_SPACE_REG)
            return true;
    return shape->result_count > 0 && shape->results[0]->space == PTX_SPACE_REG;
}

static void emit_indirect(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_function *shape = ptx_call_prototype(e->function, in);
    if (!shape || uses_registers(shape)) {
        ptx_refuse(e, "a call through a register without a prototype in .param");
        return;
    }
    if (!fits(e, in, shape))
        return;
    bool can_exit = false;
    const char *name = write_dispatcher(e, shape, &can_exit);
    const char *number = ptx_value(e, &in->operands[1], PTX_U64);
    const char *rest = argument_list(e, in, shape, UINT32_MAX);
    ptx_write_result(e, in, shape,
                     call(e, name, ptx_format(e, "%s%s%s", number, rest[0] ? ", " : "", rest)));
    if (can_exit)
        ptx_write_exit_check(e);
}

bool ptx_emit_call(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_call)
        return false;
    if (in->operand_count < 2)
        ptx_refuse(e, "a call of nothing");
    else if (in->operands[1].kind == PTX_OPERAND_FUNCTION)
        emit_direct(e, in, in->operands[1].function);
    else
        emit_indirect(e, in);
    return true;
}

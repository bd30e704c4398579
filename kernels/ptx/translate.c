/* A kernel's text from its parts.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/base/budget.h"
#include "kernels/ptx/emit/emit.h"
#include "kernels/ptx/library/library.h"
#include "kernels/ptx/native/native_flow.h"

/* All of one translation: reachable from one place, so that everything is freed after a jump. */
struct translation {
    struct ptx_arena arena;
    struct ptx_budget budget;
    struct ptx_emitter emitter;
    struct ptx_plan plan;
    struct ptx_text functions, body, dispatchers, code, library, whole;
    struct ptx_text parameters,
        names;      /* of the kernel, as they are declared and as they are passed on */
    bool is_native; /* PTX_FORM_NATIVE, or refused */
    struct ptx_argument *arguments; /* malloc'ed: they outlive the arena */
    size_t argument_count, argument_capacity;
};

/* ---- The form ---- */

/* Local memory would have to fit for many threads at once. */
static bool suits_stride(struct ptx_emitter *e, const struct ptx_function *function)
{
    const struct ptx_plan *plan = e->plan;
    if (plan->has_stack)
        return false;
    for (size_t i = 0; i < plan->body_count; i++)
        for (size_t j = 0; j < plan->bodies[i].function->variable_count; j++)
            if (plan->bodies[i].function->variables[j]->space == PTX_SPACE_LOCAL)
                return false;
    return ptx_block_strides(e, function, NULL);
}

/* Whether this device can do in place all that the kernel asks of its warps and barriers. */
static bool suits_item(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    const struct ptx_body *entry = &plan->bodies[plan->body_count - 1];
    const struct ptx_target *target = e->target;
    if (!entry->has_barriers && !entry->has_warp_operations)
        return !target->is_cpu ||
               (!ptx_reads_workspace(plan) && ptx_block_silent_meetings(e, entry->function) == 0 &&
                !suits_stride(e, entry->function) && !entry->waits);
    if (target->is_cpu)
        return false;
    if (target->has_nvidia_asm)
        return true;
    return !entry->has_warp_operations && !ptx_has_partial_barriers(plan);
}

/* Whether .local variables can be private. Those of a block that one work-item does lie in memory. */
static bool has_room(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    size_t bytes = 0;
    for (size_t i = 0; i < plan->body_count; i++)
        for (size_t j = 0; j < plan->bodies[i].function->variable_count; j++)
            if (plan->bodies[i].function->variables[j]->space == PTX_SPACE_LOCAL)
                bytes += plan->bodies[i].function->variables[j]->bytes;
    bytes += plan->has_cycle ? PTX_FRAMES_BYTES : 0;
    return !e->target->is_cpu || e->target->max_private_bytes == 0 ||
           bytes <= e->target->max_private_bytes;
}

static size_t count_warp_operations(const struct ptx_plan *plan)
{
    size_t operations = 0;
    for (size_t i = 0; i < plan->body_count; i++)
        for (size_t j = 0; j < plan->bodies[i].function->instruction_count; j++)
            operations += ptx_is_warp_operation(&plan->bodies[i].function->instructions[j]);
    return operations;
}

static size_t count_instructions(const struct ptx_plan *plan)
{
    size_t instructions = 0;
    for (size_t i = 0; i < plan->body_count; i++)
        instructions += plan->bodies[i].function->instruction_count;
    return instructions;
}

/* What warps do together costs compilers much in the block form, a loop for each, and in the square of a function's size;
 * loops between barriers alone run faster there. PoCL 3.1 with LLVM 15, CPU seconds to compile and milliseconds to run, block
 * and warp form: a block's scan by 10 shuffles 0.9 s, 92 ms and 0.4 s, 13 ms; a sum by 5 shuffles 0.8 s, 1.6 ms and 0.4 s,
 * 1.8 ms; CUB's sum 5.2 s and 1.0 s, its scan 6.6 s and 1.7 s. Milliseconds alone: elements packed by a vote and 5 shuffles
 * 130 and 26, a sparse product by 5 shuffles 3.2 and 5.2. Steps of lockstep are regions, too: a process that compiles a kernel
 * of some 250 of them takes 4.0 s and 1.9 s. */
static bool is_better_by_warps(struct ptx_emitter *e)
{
    enum { MANY_OPERATIONS = 6, MANY_INSTRUCTIONS = 400, MANY_MEETINGS = 96 };
    const struct ptx_plan *plan = e->plan;
    const size_t operations = count_warp_operations(plan), instructions = count_instructions(plan);
    size_t meetings = ptx_block_silent_meetings(e, plan->bodies[plan->body_count - 1].function);
    for (size_t i = 0; i < plan->body_count; i++)
        for (size_t j = 0; j < plan->bodies[i].function->instruction_count; j++)
            meetings += ptx_is_lockstep(&plan->bodies[i].function->instructions[j]);
    return operations >= MANY_OPERATIONS || meetings >= MANY_MEETINGS ||
           (operations > 0 && instructions >= MANY_INSTRUCTIONS);
}

/* Whether the native form is chosen where nobody forces one (CLEM_PTX_FORM=opencl: never). PoCL 3.1 with LLVM 15; CPU seconds of
 * a process with empty caches, and how often it runs the native form while another form is run once:
 * - with barriers or warp operations, where the others are the block and the warp form: a scan 1.7 and 0.7, 2.2; a product of
 *   doubles 1.3 and 0.8, 2.1; bodies in tiles 1.3 and 0.9, 8; softmax of rows 1.4 and 0.9, 11; CUB's sum 2.1 and 1.1, its sorts of
 *   keys and of pairs 5.5 and 3.3, 12.0 and 8.3. Slower are steps of a path 0.6, a stencil in tiles 0.7, a transposition 0.9.
 * - with recursion and warp operations, whose text grows as lanes may wait at each: three functions that call each other with 24
 *   in all, and as many values that live across calls, 2.5 and 1.6 s (0.85 MB of IR), with 96 more than 17 s and 2.6 s (1.1 MB);
 *   and the longest of bench/compile, unrolled, 12.0 and 5 s (4 MB). So no size is known from which the others would be better.
 * - with neither, where the other is a work-item for each thread: 0.7 and 0.7 (y = a x + y, a hash, a stencil), 1.0 and 0.7 (a
 *   product of matrices); ptx_native_is_worth() says what is faster. */
static bool is_better_native(struct ptx_emitter *e)
{
    const uint32_t facts = e->facts; /* the form depends on none */
    const bool is =
        !(suits_item(e) && has_room(e)) || e->plan->has_wide_accesses || ptx_native_is_worth(e);
    e->facts = facts;
    return is;
}

static bool has_vectors(struct ptx_emitter *e)
{
    return e->target->is_cpu && e->target->has_double &&
           ptx_ask(e, PTX_FACT_LANE_VECTORS)->has_lane_vectors;
}

static enum ptx_form choose_form(struct ptx_emitter *e)
{
    const int forced = e->target->force_form == PTX_FORM_NATIVE ? -1 : e->target->force_form;
    if (e->target->checks)
        return PTX_FORM_BLOCK;
    if (forced >= 0)
        return forced != PTX_FORM_WARP || has_vectors(e) ? (enum ptx_form)forced : PTX_FORM_BLOCK;
    if (suits_item(e) && has_room(e))
        return PTX_FORM_ITEM;
    return is_better_by_warps(e) && has_vectors(e) ? PTX_FORM_WARP : PTX_FORM_BLOCK;
}

/* Barriers that become OpenCL's, which more is asked of than of CUDA's. NVIDIA's own are CUDA's. */
static bool has_plain_barriers(const struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    return plan->form == PTX_FORM_ITEM && !e->target->has_nvidia_asm &&
           plan->bodies[plan->body_count - 1].has_barriers;
}

/* What a grid launches begins when the grid has ended: a thread that waited for it would wait for ever. */
static void refuse_wait_for_launches(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    if (!plan->launches || !plan->bodies[plan->body_count - 1].waits_without_end)
        return;
    e->function = plan->original;
    e->instruction = NULL;
    ptx_refuse(e, "it launches kernels, which begin when it has ended, and has loops that wait for "
                  "what others do");
}

/* ---- Arguments ---- */

static void add_argument(struct translation *t, struct ptx_argument argument)
{
    if (t->argument_count == t->argument_capacity) {
        const size_t capacity = t->argument_capacity ? 2 * t->argument_capacity : 16;
        struct ptx_argument *grown = realloc(t->arguments, capacity * sizeof *grown);
        if (!grown)
            longjmp(t->arena.out_of_memory, 1);
        t->arguments = grown;
        t->argument_capacity = capacity;
    }
    t->arguments[t->argument_count++] = argument;
}

/* Where the last word begins. */
static const char *last_word(const char *words)
{
    const char *found = words;
    for (const char *at = words; *at; at++)
        if (*at == ' ' || *at == '*')
            found = at + 1;
    return found;
}

__attribute__((format(printf, 3, 4))) static void
declare(struct translation *t, struct ptx_argument argument, const char *format, ...)
{
    char words[256];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    const char *comma = t->argument_count ? "," : "";
    ptx_text_add(&t->parameters, "%s\n    %s", comma, words);
    ptx_text_add(&t->names, ", %s", last_word(words));
    add_argument(t, argument);
}

static void declare_bank(struct translation *t)
{
    struct ptx_argument argument = {
        .kind = PTX_ARGUMENT_BANK, .bytes = t->plan.info->parameter_bytes, .alignment = 16};
    snprintf(argument.type, sizeof argument.type, "%s uchar *",
             t->plan.bank_is_global ? "__global" : "__constant");
    declare(t, argument, "%sclem_bank", argument.type);
}

/* Parameters that only textures read stay values: emitters of textures add what they need. */
static void declare_parameters(struct translation *t)
{
    const struct ptx_plan *plan = &t->plan;
    const struct ptx_function *entry = plan->original;
    for (size_t i = 0; i < entry->parameter_count; i++) {
        const struct ptx_variable *v = entry->parameters[i];
        const bool is_pointer = plan->is_pointer[i];
        if (plan->has_bank && !is_pointer)
            continue;
        struct ptx_argument argument = {.kind =
                                            is_pointer ? PTX_ARGUMENT_POINTER : PTX_ARGUMENT_VALUE,
                                        .index = i,
                                        .bytes = v->bytes,
                                        .alignment = v->alignment};
        snprintf(argument.type, sizeof argument.type, "%s",
                 is_pointer ? "" : ptx_parameter_c_type(&t->emitter, v));
        declare(t, argument, "%s%s",
                is_pointer ? "__global uchar *"
                           : ptx_format(&t->emitter, "%s ", ptx_parameter_c_type(&t->emitter, v)),
                ptx_parameter_name(&t->emitter, v));
    }
    if (plan->needs & PTX_NEED_BANK)
        declare_bank(t);
    for (const struct ptx_member *m = plan->members; m; m = m->next)
        declare(t,
                (struct ptx_argument){.kind = PTX_ARGUMENT_POINTER,
                                      .index = m->parameter,
                                      .offset = m->offset,
                                      .bytes = 8,
                                      .alignment = 8},
                "__global uchar *%s", m->name);
}

/* As an argument of a function that has the same parameter. Source: kernels/device/clem_texture.h and clem_surface.h. */
static void name_texture(struct translation *t, const char *declaration)
{
    const char *name = strchr(declaration, '('), *kind = "TEXTURE";
    const bool is_surface = strncmp(declaration, "CLEM_SURFACE", 12) == 0;
    if (is_surface || strstr(declaration, "1D_BUFFER"))
        kind = is_surface ? "SURFACE" : "TEXTURE1D_BUFFER";
    ptx_text_add(&t->names, ", CLEM_PASS_%s%s", kind, name);
    if (strstr(declaration, "_REFERENCE"))
        ptx_text_add(&t->names, ", clem_%s_reference__%.*s", is_surface ? "surface" : "texture",
                     (int)strlen(name) - 2, name + 1);
}

static void declare_textures(struct translation *t)
{
    for (const struct ptx_texture_argument *x = t->plan.textures; x; x = x->next) {
        name_texture(t, x->declaration);
        ptx_text_add(&t->parameters, "%s\n    %s", t->argument_count ? "," : "", x->declaration);
        add_argument(t, x->argument);
    }
    if (t->plan.needs & PTX_NEED_TABLE)
        declare(t,
                (struct ptx_argument){.kind = PTX_ARGUMENT_TABLE,
                                      .is_surface = t->plan.needs & PTX_NEED_TABLE_WRITES},
                "__global const struct clem_texture *clem_table");
}

static void declare_blocks(struct translation *t)
{
    static const char *const names[PTX_BLOCKS] = {"clem_constant", "clem_device", "clem_managed"};
    for (size_t i = 0; i < PTX_BLOCKS; i++)
        if (t->plan.needs & ((uint32_t)PTX_NEED_CONSTANT << i))
            declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_BLOCK, .index = i},
                    "__global uchar *%s", names[i]);
}

/* Drivers align __local arguments as what they point to (NVIDIA 580 starts bytes at an odd address),
 * so both are declared as 16 bytes wide; see name_shared(). */
static void declare_memory(struct translation *t)
{
    const struct ptx_plan *plan = &t->plan;
    if (ptx_has_shared(plan))
        declare(t,
                (struct ptx_argument){
                    .kind = PTX_ARGUMENT_SHARED, .bytes = plan->shared_bytes, .alignment = 16},
                "__local ulong2 *clem_shared_memory");
    if (plan->scratch_bytes)
        declare(t,
                (struct ptx_argument){
                    .kind = PTX_ARGUMENT_SCRATCH, .bytes = plan->scratch_bytes, .alignment = 16},
                "CLEM_SCRATCH ulong2 *clem_scratch_memory");
    if (plan->needs & PTX_NEED_RUNTIME)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_RUNTIME},
                "__global struct clem_runtime *clem_runtime");
    if (plan->needs & PTX_NEED_CONDITIONS)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_CONDITIONS},
                "__global uint *clem_conditions");
    if (plan->needs & PTX_NEED_LAUNCHES)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_LAUNCHES},
                "__global struct clem_launches *clem_launches");
    if (plan->takes_turns)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_TURNS, .type = "__global void *"},
                "__global struct clem_rota *clem_rota");
    if (plan->needs & PTX_NEED_GATHERING)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_GATHERING, .type = "__global void *"},
                "__global struct clem_gather *clem_gathering");
    if (plan->launch_parameters)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_GRID, .bytes = 32, .alignment = 32},
                "uint8 clem_grid");
    if (plan->needs & PTX_NEED_DYNAMIC)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_DYNAMIC, .bytes = 4, .alignment = 4},
                "uint clem_dynamic_bytes");
    if (plan->needs & PTX_NEED_CHECK)
        declare(t,
                (struct ptx_argument){
                    .kind = PTX_ARGUMENT_CHECK, .bytes = 8, .alignment = 8, .type = "ulong"},
                "ulong clem_checked");
    if ((plan->needs & PTX_NEED_ZERO) && plan->form == PTX_FORM_ITEM)
        declare(t, (struct ptx_argument){.kind = PTX_ARGUMENT_ZERO, .bytes = 4, .alignment = 4},
                "uint clem_zero");
}

static void add_member(struct ptx_emitter *e, size_t parameter, size_t offset)
{
    struct ptx_plan *plan = e->plan;
    struct ptx_member **last = &plan->members;
    for (; *last; last = &(*last)->next)
        if ((*last)->parameter == parameter && (*last)->offset == offset)
            return;
    struct ptx_member *made = ptx_arena_take(e->arena, sizeof *made);
    made->parameter = parameter;
    made->offset = offset;
    made->name = ptx_format(e, "%s_at_%zu",
                            ptx_parameter_name(e, plan->original->parameters[parameter]), offset);
    *last = made;
}

/* A load of 8 bytes from byte `offset` of a parameter. */
static void note_pointer(struct ptx_emitter *e, const struct ptx_operand *to,
                         const struct ptx_variable *from, int64_t offset)
{
    struct ptx_plan *plan = e->plan;
    const struct ptx_body *entry = &plan->bodies[plan->body_count - 1];
    if (to->kind != PTX_OPERAND_REGISTER || !entry->is_pointer[to->index])
        return;
    for (size_t i = 0; i < plan->original->parameter_count; i++) {
        if (from != plan->original->parameters[i])
            continue;
        if (!from->is_array && from->bytes == 8)
            plan->is_pointer[i] = true;
        else if (offset >= 0 && (uint64_t)offset + 8 <= from->bytes)
            add_member(e, i, (size_t)offset);
    }
}

/* Where pointers are buffers, the parameters that pointer.c found to be pointers are arguments of
 * their own, and so are those within structures. */
static void find_pointers(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    const struct ptx_function *original = plan->original;
    struct ptx_body *entry = &plan->bodies[plan->body_count - 1];
    plan->is_pointer =
        ptx_arena_array(e->arena, original->parameter_count + 1, sizeof *plan->is_pointer);
    if (e->target->pointers != PTX_POINTERS_BUFFERS)
        return;
    for (size_t i = 0; i < entry->function->instruction_count; i++) {
        const struct ptx_instruction *in = &entry->function->instructions[i];
        if (in->opcode != PTX_OPCODE_ld || in->space != PTX_SPACE_PARAM || in->operand_count != 2 ||
            ptx_type_bytes((enum ptx_type)in->types[0]) != 8 || in->operands[1].index >= 0)
            continue;
        const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
        const bool is_list = to->kind == PTX_OPERAND_VECTOR;
        for (uint32_t j = 0; j < (is_list ? to->count : 1); j++)
            note_pointer(e, is_list ? &to->list[j] : to, from->variable,
                         from->bits + 8 * (int64_t)j);
    }
}

/* ---- The text ---- */

/* What functions and calls of functions are given beside their own parameters. */
static const struct {
    uint32_t need;
    const char *type, *name;
} context[] = {
    {PTX_NEED_CONSTANT, "__global uchar *", "clem_constant"},
    {PTX_NEED_DEVICE, "__global uchar *", "clem_device"},
    {PTX_NEED_MANAGED, "__global uchar *", "clem_managed"},
    {PTX_NEED_SHARED, "__local uchar *", "clem_shared"},
    {PTX_NEED_LOCAL, "CLEM_LOCAL uchar *", "clem_local"},
    {PTX_NEED_RUNTIME, "__global struct clem_runtime *", "clem_runtime"},
    {PTX_NEED_CONDITIONS, "__global uint *", "clem_conditions"},
    {PTX_NEED_LAUNCHES, "__global struct clem_launches *", "clem_launches"},
    {PTX_NEED_DYNAMIC, "uint ", "clem_dynamic_bytes"},
    {PTX_NEED_ZERO, "uint ", "clem_zero"},
    {PTX_NEED_EXITED, "uchar *", "clem_exited"},
    {PTX_NEED_TABLE, "__global const struct clem_texture *", "clem_table"},
    {PTX_NEED_TURNS, "__global struct clem_rota *", "clem_rota"},
    {PTX_NEED_GATHERING, "__global struct clem_gather *", "clem_gathering"},
    {PTX_NEED_CHECK, "ulong ", "clem_checked"},
    {PTX_NEED_SHADOW, "ulong ", "clem_shadow"},
};

static void add_context_macros(struct translation *t)
{
    struct ptx_emitter *e = &t->emitter;
    const char *parameters = "", *pass = "", *comma = "";
    for (size_t i = 0; i < sizeof context / sizeof *context; i++) {
        if (!(t->plan.needs & context[i].need))
            continue;
        parameters = ptx_format(e, "%s%s%s%s", parameters, comma, context[i].type, context[i].name);
        pass = ptx_format(e, "%s%s%s", pass, comma, context[i].name);
        comma = ", ";
    }
    if (t->plan.needs & PTX_NEED_BANK) {
        parameters = ptx_format(e, "%s%s%s uchar *clem_bank", parameters, comma,
                                t->plan.bank_is_global ? "__global" : "__constant");
        pass = ptx_format(e, "%s%sclem_bank", pass, comma);
        comma = ", ";
    }
    if (t->plan.launch_parameters) {
        parameters = ptx_format(e, "%s%s%s", parameters, comma, t->plan.launch_parameters);
        pass = ptx_format(e, "%s%s%s", pass, comma, t->plan.launch_names);
        comma = ", ";
    }
    ptx_text_add(&t->code, "#define CLEM_CONTEXT %s\n#define CLEM_CONTEXT_AND %s%s\n",
                 parameters[0] ? parameters : "void", parameters, comma);
    ptx_text_add(&t->code, "#define CLEM_PASS %s\n#define CLEM_PASS_AND %s%s\n\n", pass, pass,
                 comma);
}

static void add_structures(struct translation *t, struct ptx_text *whole)
{
    static const char *const elements[] = {
        [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong", [16] = "ulong2"};
    for (const struct ptx_structure *s = t->plan.structures; s; s = s->next)
        ptx_text_add(whole, "%s {\n    %s v[%zu];\n};\n\n", s->name, elements[s->element],
                     s->bytes / s->element);
}

static void add_functions(struct translation *t)
{
    if (t->plan.body_count < 2 && !t->dispatchers.data)
        return;
    add_context_macros(t);
    for (size_t i = 0; i + 1 < t->plan.body_count; i++)
        ptx_text_add(&t->code, "%s;\n", ptx_function_signature(&t->emitter, &t->plan.bodies[i]));
    ptx_text_put(&t->code, "\n");
    if (t->dispatchers.data)
        ptx_text_put(&t->code, t->dispatchers.data);
    if (t->functions.data)
        ptx_text_put(&t->code, t->functions.data);
}

/* The number of a work-group in the command that it was enqueued by, wherever that begins. */
#define GROUP_NUMBER                                                                               \
    "((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + "              \
    "get_group_id(0))"

/* Of the memory of all work-groups, or blocks, of a command, the place that one has. */
static const char *place_text(const struct translation *t)
{
    return t->plan.takes_turns ? "clem_slot" : GROUP_NUMBER;
}

static void name_shared(struct translation *t)
{
    ptx_text_put(&t->code,
                 "    __local uchar *const clem_shared = (__local uchar *)clem_shared_memory");
    if (ptx_shared_is_global(&t->emitter))
        ptx_text_add(&t->code, " +\n        %s * %uul", place_text(t), (unsigned)PTX_SHARED_BYTES);
    ptx_text_put(&t->code, ";\n");
}

/* Work-items that do a block each; as they are counted in their launch, wherever it begins. */
static void name_scratch(struct translation *t)
{
    ptx_text_add(&t->code,
                 "    CLEM_SCRATCH uchar *const clem_scratch =\n"
                 "        (CLEM_SCRATCH uchar *)clem_scratch_memory + CLEM_SCRATCH_START(%zuul);\n",
                 t->plan.scratch_bytes);
}

static void name_memory(struct translation *t)
{
    if (ptx_has_shared(&t->plan))
        name_shared(t);
    else if (t->plan.needs & PTX_NEED_SHARED)
        ptx_text_put(&t->code, "    __local uchar *const clem_shared = 0;\n");
    if (t->plan.scratch_bytes)
        name_scratch(t);
}

static void add_body(struct translation *t)
{
    if (t->plan.form == PTX_FORM_WARP)
        ptx_text_put(&t->code, "    const uint3 clem_item = clem_item_of(clem_work_item, "
                               "clem_grid.s0, clem_grid.s1);\n");
    if ((t->plan.needs & PTX_NEED_ZERO) && t->plan.form != PTX_FORM_ITEM)
        ptx_text_put(&t->code, "    const uint clem_zero = clem_grid.s7;\n");
    if (t->plan.form == PTX_FORM_ITEM)
        ptx_text_put(&t->code, ptx_item_head(&t->emitter));
    ptx_text_put(&t->code, t->body.data + strlen("{\n"));
}

static void begin_kernel(struct translation *t, const char *name)
{
    ptx_text_add(&t->code, "__kernel CLEM_WORK_GROUP void %s(%s)\n{\n", name,
                 t->parameters.data ? t->parameters.data : "");
}

/* PoCL makes machine code of a kernel three times: as it is, and within each of two loops over work-groups. Of a function
 * that the kernel calls it makes it once. Not where texts are for images, which functions may not be given everywhere; but what is
 * checked has to tell behind the call that the block has ended. */
static bool is_apart(const struct translation *t)
{
    return t->plan.form != PTX_FORM_ITEM && t->plan.form != PTX_FORM_NATIVE &&
           t->emitter.target->is_cpu && (!t->plan.textures || t->emitter.target->checks);
}

/* Around the call of the block, where blocks take turns. */
static const char turns_begin[] =
    "    const uint clem_blocks = clem_grid.s0 * clem_grid.s1 * clem_grid.s2;\n"
    "    uint clem_slot = (uint)get_global_id(2), clem_block = 0u;\n"
    "    uint2 clem_idle = (uint2)(0u);\n"
    "    while (clem_take_turn(clem_rota, clem_blocks, &clem_slot, &clem_block)) {\n"
    "    __global struct clem_rota_slot *const clem_turn = clem_turn_of(clem_rota, clem_slot);\n";
static const char turns_end[] = "    if (!clem_end_turn(clem_rota, &clem_slot, &clem_idle))\n"
                                "        break;\n"
                                "    }\n";

/* A block has ended, on whatever way. */
static const char *end_text(const struct translation *t)
{
    if (!(t->plan.needs & PTX_NEED_CHECK))
        return "";
    return t->plan.takes_turns
               ? "    if (clem_has_ended(clem_turn))\n"
                 "        (void)clem_check(clem_checked, CLEM_CHECK_END, 0ul, 0ul, CLEM_CHECK_ALL, "
                 "clem_block, 0ul, 0ul, 0ul, 0ul);\n"
               : "    (void)clem_check(clem_checked, CLEM_CHECK_END, 0ul, 0ul, CLEM_CHECK_ALL, "
                 "get_global_id(2), 0ul, 0ul, 0ul, 0ul);\n";
}

/* Memory that is the kernel's own, which what is checked may reach. */
static void tell_own(struct translation *t)
{
    static const char format[] =
        "    (void)clem_check(clem_checked, CLEM_CHECK_OWN, 0ul, (ulong)%s, 0ul, 0ul, 0ul, 0ul, "
        "%s, %uul);\n";
    const struct ptx_plan *plan = &t->plan;
    if (!(plan->needs & PTX_NEED_CHECK))
        return;
    if ((plan->needs & PTX_NEED_BANK) && plan->bank_is_global)
        ptx_text_add(&t->code, format, "clem_bank",
                     ptx_format(&t->emitter, "%zuul", plan->info->parameter_bytes), 0u);
    if (plan->takes_turns)
        ptx_text_add(&t->code, format, "clem_rota", "sizeof(struct clem_rota)", 1u);
}

/* What depends on the work-item's number is the kernel's: a function that asks for it is put in place of its call. */
static void add_kernel_apart(struct translation *t, const char *name)
{
    const bool has_shared = (t->plan.needs & PTX_NEED_SHARED) || ptx_has_shared(&t->plan);
    ptx_text_add(&t->code,
                 "static CLEM_ALONE void clem_run_block(\n"
                 "    ulong clem_work_item,%s%s%s%s)\n{\n",
                 t->plan.takes_turns ? "\n    __global struct clem_rota_slot *clem_turn," : "",
                 has_shared ? "\n    __local uchar *clem_shared," : "",
                 t->plan.scratch_bytes ? "\n    CLEM_SCRATCH uchar *clem_scratch," : "",
                 t->parameters.data);
    add_body(t);
    ptx_text_put(&t->code, "\n");
    begin_kernel(t, name);
    ptx_text_put(&t->code, "    if (clem_grid.s4 == 0u)\n        return; /* compiled ahead */\n");
    if (t->plan.takes_turns)
        ptx_text_put(&t->code, turns_begin);
    name_memory(t);
    tell_own(t);
    ptx_text_add(&t->code, "    clem_run_block(%s%s%s%s);\n%s%s}\n",
                 t->plan.takes_turns ? "clem_block, clem_turn" : "get_global_id(2)",
                 has_shared ? ", clem_shared" : "", t->plan.scratch_bytes ? ", clem_scratch" : "",
                 t->names.data, end_text(t), t->plan.takes_turns ? turns_end : "");
}

static void add_kernel(struct translation *t)
{
    struct ptx_body *entry = &t->plan.bodies[t->plan.body_count - 1];
    ptx_enter_body(&t->emitter, entry);
    declare_parameters(t);
    declare_textures(t);
    declare_blocks(t);
    declare_memory(t);
    if (is_apart(t)) {
        add_kernel_apart(t, entry->name);
        return;
    }
    begin_kernel(t, entry->name);
    name_memory(t);
    tell_own(t);
    if (t->plan.form != PTX_FORM_ITEM)
        ptx_text_put(&t->code, "    const ulong clem_work_item = get_global_id(2);\n");
    add_body(t);
}

/* Work-items that are enqueued in parts must be told of the whole. */
static void prepare_parts(struct ptx_plan *plan)
{
    plan->launch_parameters = "uint8 clem_grid";
    plan->launch_names = "clem_grid";
}

/* Functions and kernel first, since the head depends on what they use. */
static void write_parts(struct translation *t)
{
    struct ptx_emitter *e = &t->emitter;
    struct ptx_plan *plan = &t->plan;
    struct ptx_body *entry = &plan->bodies[plan->body_count - 1];
    if (plan->form == PTX_FORM_BLOCK)
        ptx_block_prepare(e);
    else if (plan->form == PTX_FORM_WARP)
        ptx_warp_prepare(e);
    else if (plan->resumes)
        ptx_resume_prepare(e);
    if (plan->form == PTX_FORM_ITEM && e->target->shared_is_global)
        prepare_parts(plan);
    e->out = &t->functions;
    for (size_t i = 0; i + 1 < plan->body_count && e->status == PTX_OK; i++)
        ptx_write_function(e, &plan->bodies[i]);
    e->out = &t->body;
    if (e->status == PTX_OK && plan->form == PTX_FORM_BLOCK)
        ptx_block_kernel(e, entry);
    else if (e->status == PTX_OK && plan->form == PTX_FORM_WARP)
        ptx_warp_kernel(e, entry);
    else if (e->status == PTX_OK)
        ptx_item_kernel(e, entry);
}

static bool uses_word(const struct translation *t, const char *word)
{
    return strstr(t->code.data, word) || (t->library.data && strstr(t->library.data, word));
}

/* The name of the first function of a library's text that computes with doubles: not a type that is named after them, or of
 * places that hold them. */
static const char *first_with_double(const char *library)
{
    const char *function = "clem_(", *next;
    for (const char *line = library; line && *line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        const size_t length = (size_t)(next - line);
        const char *bracket = memchr(line, '(', length);
        if (strchr(" \n{}/#", line[0]) == NULL && bracket)
            for (function = bracket; function > line && function[-1] != ' ';)
                function--;
        const char *word = memmem(line, length, "double", 6);
        if (word && line[0] != '/' && line[1] != '*' && strncmp(line, "typedef", 7) != 0)
            return function;
    }
    return NULL;
}

static void check_double(struct translation *t)
{
    t->emitter.instruction = NULL;
    const char *function =
        t->emitter.target->has_double ? NULL : first_with_double(t->library.data);
    if (function)
        ptx_refuse(&t->emitter,
                   "the device has no double precision, and no translation is there of %.*s",
                   (int)strcspn(function, "("), function);
}

/* With shared memory in __global memory, all that the text and its library say of __local is of that; what is
 * __local all the same has the other spelling, or is named by a macro. */
static void add_head(struct translation *t, struct ptx_text *whole)
{
    ptx_text_put(whole, "#pragma OPENCL FP_CONTRACT OFF\n");
    /* clang says on the user's terminal which of the loops that it was asked to vectorize it could not. */
    if (t->plan.form != PTX_FORM_ITEM)
        ptx_text_put(whole, "#ifdef __clang__\n"
                            "#pragma clang diagnostic ignored \"-Wpass-failed\"\n#endif\n");
    if (uses_word(t, "double") && !t->emitter.target->has_double)
        ptx_text_put(whole, "#define double ulong /* its bits */\n#define double2 ulong2\n"
                            "#define double4 ulong4\n#define as_double as_ulong\n"
                            "#define as_double2 as_ulong2\n#define as_double4 as_ulong4\n");
    else if (uses_word(t, "double"))
        ptx_text_put(whole, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    if (uses_word(t, "atom_") && ptx_ask(&t->emitter, PTX_FACT_INT64_ATOMICS)->has_int64_atomics)
        ptx_text_put(whole, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                            "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n");
    if (uses_word(t, "CLEM_FENCE("))
        ptx_text_add(whole, "#define CLEM_FENCE(flags, order) %s\n",
                     ptx_ask(&t->emitter, PTX_FACT_THREAD_FENCE)->has_thread_fence
                         ? "__atomic_thread_fence(order)"
                         : "mem_fence(flags)");
    if (t->plan.needs & PTX_NEED_DEVICE_HEADER)
        ptx_text_put(whole, "#include \"clem_device.h\"\n");
    if (t->plan.needs & PTX_NEED_CHECK)
        ptx_text_add(whole, "#define CLEM_CHECKS %uu\n#define CLEM_SHARED_BEGIN %s\n",
                     t->emitter.target->checks,
                     (t->plan.needs & PTX_NEED_SHARED) || ptx_has_shared(&t->plan)
                         ? "(ulong)clem_shared"
                         : "0ul");
    ptx_text_add(whole,
                 "%s#define CLEM_LOCAL %s\n#ifndef CLEM_WORK_GROUP\n"
                 "#define CLEM_WORK_GROUP /* attributes of the kernel */\n#endif\n\n",
                 ptx_shared_is_global(&t->emitter) ? "#define __local __global\n" : "",
                 t->plan.form == PTX_FORM_ITEM ? "__private" : "CLEM_SCRATCH");
}

/* Where __local memory does not hold the scratch of a block, the text is built with
 * `-D CLEM_SCRATCH=__global`. */
static void add_scratch(const struct translation *t, struct ptx_text *whole)
{
    const char *threads = "clem_grid.s4 * clem_grid.s5 * clem_grid.s6";
    const bool has_warps = t->plan.form == PTX_FORM_WARP;
    if (t->plan.takes_turns)
        ptx_text_put(whole, "#ifndef CLEM_SCRATCH\n"
                            "#define CLEM_SCRATCH __global\n"
                            "#endif\n");
    else
        ptx_text_put(whole, "#ifndef CLEM_SCRATCH\n"
                            "#define CLEM_SCRATCH __local\n"
                            "#define CLEM_SCRATCH_START(bytes) 0\n"
                            "#else\n");
    ptx_text_add(whole,
                 "#define CLEM_SCRATCH_START(bytes) \\\n"
                 "    (%s * \\\n"
                 "     (((bytes) * %s%s%s + 127ul) & ~127ul))\n%s",
                 place_text(t), has_warps ? "((" : "", threads, has_warps ? " + 31u) & ~31u)" : "",
                 t->plan.takes_turns ? "" : "#endif\n");
}

static void add_text(struct translation *t)
{
    add_functions(t);
    add_kernel(t);
    ptx_link(&t->emitter, &t->library, t->code.data);
    check_double(t);
    add_head(t, &t->whole);
    if (t->plan.form != PTX_FORM_ITEM)
        add_scratch(t, &t->whole);
    if (t->library.data)
        ptx_text_put(&t->whole, t->library.data);
    add_structures(t, &t->whole);
    ptx_text_put(&t->whole, t->code.data);
}

/* ---- The native form ---- */

static void declare_launch(struct translation *t)
{
    for (size_t i = 0; i < PTX_BLOCKS; i++)
        if (t->plan.needs & ((uint32_t)PTX_NEED_CONSTANT << i))
            add_argument(t, (struct ptx_argument){.kind = PTX_ARGUMENT_BLOCK, .index = i});
    if (ptx_has_shared(&t->plan))
        add_argument(t, (struct ptx_argument){.kind = PTX_ARGUMENT_SHARED,
                                              .bytes = t->plan.shared_bytes,
                                              .alignment = 16});
    if (t->plan.needs & PTX_NEED_RUNTIME)
        add_argument(t, (struct ptx_argument){.kind = PTX_ARGUMENT_RUNTIME});
    if (t->plan.needs & PTX_NEED_CONDITIONS)
        add_argument(t, (struct ptx_argument){.kind = PTX_ARGUMENT_CONDITIONS});
    if (t->emitter.target->checks)
        add_argument(t, (struct ptx_argument){.kind = PTX_ARGUMENT_CHECK});
    for (const struct ptx_texture_argument *x = t->plan.textures; x; x = x->next)
        add_argument(t, x->argument);
    if (t->plan.needs & PTX_NEED_TABLE)
        add_argument(t, (struct ptx_argument){.kind = PTX_ARGUMENT_TABLE,
                                              .is_surface = t->plan.needs & PTX_NEED_TABLE_WRITES});
}

static void write_native(struct translation *t)
{
    struct ptx_emitter *e = &t->emitter;
    struct ptx_body *entry = &t->plan.bodies[t->plan.body_count - 1];
    ptx_enter_body(e, entry);
    ptx_native_kernel(e, entry, &t->functions, &t->body, &t->code);
    if (e->status != PTX_OK)
        return;
    declare_launch(t);
    if (t->functions.data)
        ptx_text_put(&t->whole, t->functions.data);
    ptx_text_put(&t->whole, t->body.data);
    ptx_text_put(&t->whole, t->code.data);
}

/* ---- All of it ---- */

/* Private memory beyond what the device is known to take would crash, not fail. */
static void check_local(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    const size_t most = e->target->max_private_bytes;
    e->instruction = NULL;
    if (plan->form == PTX_FORM_ITEM && most > 0 && plan->local_bytes > most)
        ptx_refuse(e, "it needs %zu bytes of local memory for each thread; the device takes %zu",
                   plan->local_bytes, most);
}

/* Only the threads of the item form are all at work at once. */
static void check_gathering(struct ptx_emitter *e)
{
    e->instruction = NULL;
    if (!e->target->gathers)
        return;
    if (e->plan->form != PTX_FORM_ITEM)
        ptx_refuse(e, "its blocks cannot wait for each other on this device, which does not run "
                      "each of its threads as a work-item");
    else if (e->target->pointers == PTX_POINTERS_BUFFERS)
        ptx_refuse_address(e, "its blocks wait for each other at an address");
}

static void check_module(struct ptx_emitter *e)
{
    if (e->module->address_bits == 32)
        ptx_refuse(e, "the module has addresses of 32 bits");
}

static void translate(struct translation *t)
{
    struct ptx_emitter *e = &t->emitter;
    struct ptx_plan *plan = &t->plan;
    check_module(e);
    plan->entry = ptx_name_parameters(e, plan->entry);
    if (e->status == PTX_OK)
        ptx_plan_survey(e);
    if (e->status != PTX_OK)
        return;
    refuse_wait_for_launches(e);
    ptx_plan_find_jumps(e);
    if (t->is_native && e->target->force_form < 0 && !e->target->checks && !is_better_native(e)) {
        plan->by_thread = ptx_native_suits_threads(e);
        if (!plan->by_thread) {
            ptx_refuse(e, "another form suits it better");
            return;
        }
    }
    plan->form = t->is_native ? PTX_FORM_NATIVE : choose_form(e);
    e->function = NULL;
    e->instruction = NULL;
    const bool may_resume = has_plain_barriers(e);
    if (plan->form != PTX_FORM_ITEM || may_resume || plan->has_cycle)
        plan->entry = ptx_block_inline(e, plan->entry);
    plan->resumes = may_resume && e->status == PTX_OK && ptx_resume_is_needed(e, plan->entry);
    if (e->status == PTX_OK)
        ptx_plan_make(e);
    if (e->status != PTX_OK)
        return;
    if (plan->form == PTX_FORM_NATIVE) {
        write_native(t);
        return;
    }
    if (plan->form == PTX_FORM_WARP && !ptx_warp_suits(e))
        plan->form = PTX_FORM_BLOCK;
    ptx_find_turns(e);
    find_pointers(e);
    check_local(e);
    check_gathering(e);
    if (e->status == PTX_OK)
        write_parts(t);
    if (e->status == PTX_OK)
        add_text(t);
}

static void begin(struct translation *t, const struct ptx_module *module, size_t index,
                  const struct ptx_target *target, struct ptx_log *log)
{
    struct ptx_text *const texts[] = {&t->functions, &t->body,  &t->dispatchers, &t->code,
                                      &t->library,   &t->whole, &t->parameters,  &t->names};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        texts[i]->arena = &t->arena;
    const size_t most = ptx_most_memory(module->text_bytes), taken = module->budget.memory;
    t->budget = (struct ptx_budget){.most_memory = most > taken ? most - taken : 0,
                                    .most_steps = ptx_most_steps(module->text_bytes),
                                    .most_emitted = ptx_most_emitted(module->text_bytes)};
    t->arena.budget = &t->budget;
    t->emitter = (struct ptx_emitter){.module = module,
                                      .target = target,
                                      .arena = &t->arena,
                                      .out = &t->body,
                                      .log = log,
                                      .plan = &t->plan};
    t->plan.info = &module->entries[index];
    t->plan.original = t->plan.entry = module->entry_functions[index];
    t->plan.dispatchers = &t->dispatchers;
}

/* Hands text and arguments over to the caller. */
static bool finish(struct translation *t, struct ptx_kernel *kernel)
{
    const char *name = t->plan.bodies[t->plan.body_count - 1].name;
    kernel->name = strdup(name);
    if (!kernel->name)
        return false;
    kernel->text = t->whole.data;
    kernel->text_bytes = t->whole.used;
    kernel->form = t->plan.form;
    kernel->arguments = t->arguments;
    kernel->argument_count = t->argument_count;
    kernel->joins_blocks = t->plan.joins_blocks;
    kernel->local_bytes = t->plan.local_bytes;
    kernel->ends_when_empty = is_apart(t);
    kernel->takes_turns = t->plan.takes_turns;
    kernel->waits_for_blocks = t->plan.waits_for_blocks;
    kernel->vast = t->plan.vast;
    kernel->needs_device_header = (t->plan.needs & PTX_NEED_DEVICE_HEADER) != 0;
    t->whole.data = NULL;
    t->arguments = NULL;
    return true;
}

static void end(struct translation *t)
{
    free(t->functions.data);
    free(t->body.data);
    free(t->dispatchers.data);
    free(t->code.data);
    free(t->library.data);
    free(t->parameters.data);
    free(t->names.data);
    free(t->whole.data);
    free(t->arguments);
    ptx_arena_free(&t->arena);
    free(t);
}

static enum ptx_status translate_as(const struct ptx_module *module, size_t index,
                                    const struct ptx_target *target, bool is_native,
                                    struct ptx_kernel *kernel, struct ptx_log *log)
{
    struct translation *t = calloc(1, sizeof *t);
    if (!t)
        return PTX_E_OUT_OF_MEMORY;
    volatile enum ptx_status status = PTX_E_OUT_OF_MEMORY;
    if (setjmp(t->arena.out_of_memory) == 0) {
        begin(t, module, index, target, log);
        t->is_native = is_native;
        translate(t);
        if (t->emitter.status != PTX_OK || finish(t, kernel))
            status = t->emitter.status;
    } else
        status = ptx_outcome(&t->budget, log, ptx_module_entry(module, index)->name);
    kernel->facts |= t->emitter.facts;
    end(t);
    return status;
}

/* Where the native form is to be had. Why a kernel cannot have it is told to nobody: it has another one then. */
static bool may_be_native(const struct ptx_target *target)
{
    return target->llvm_major > 0 && target->is_cpu && target->has_double &&
           (target->force_form < 0 || target->force_form == PTX_FORM_NATIVE) &&
           target->pointers == PTX_POINTERS_NUMBERS;
}

/* What is checked lane by lane must be so however threads lie in their blocks: a kernel has one form for all of its launches. */
static bool suits_all_threads(const struct ptx_module *module, size_t index,
                              const struct ptx_target *target)
{
    bool suits = true;
    for (int threads = 0; suits && target->checks && threads <= PTX_THREADS_HALVES; threads++) {
        struct ptx_target other = *target;
        struct ptx_kernel kernel = {0};
        struct ptx_log why = {0};
        other.threads = (enum ptx_threads)threads;
        suits = translate_as(module, index, &other, true, &kernel, &why) == PTX_OK;
        ptx_kernel_free(&kernel);
        free(why.text);
    }
    return suits;
}

enum ptx_status ptx_translate(const struct ptx_module *module, size_t index,
                              const struct ptx_target *target, struct ptx_kernel *kernel,
                              struct ptx_log *log)
{
    struct ptx_log why = {0};
    kernel->facts = 0;
    if (may_be_native(target) && suits_all_threads(module, index, target)) {
        const enum ptx_status status = translate_as(module, index, target, true, kernel, &why);
        free(why.text);
        if (status == PTX_OK)
            return status;
    }
    return translate_as(module, index, target, false, kernel, log);
}

void ptx_kernel_free(struct ptx_kernel *kernel)
{
    free(kernel->text);
    free((char *)(uintptr_t)kernel->name);
    free(kernel->arguments);
    *kernel = (struct ptx_kernel){0};
}

/* Calls in the native form: of what the runtime supplies; all others were put in place before.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

static const struct {
    const char *name, *function;
    uint32_t arguments;
    unsigned result_bits; /* 0: none */
    uint32_t needs;
} supplied[] = {
    {"vprintf", "clem_native_vprintf", 2, 32, PTX_NEED_RUNTIME},
    {"malloc", "clem_native_malloc", 1, 64, PTX_NEED_RUNTIME},
    {"__cuda_syscall_aligned_malloc", "clem_native_aligned_malloc", 2, 64, PTX_NEED_RUNTIME},
    {"free", "clem_native_free", 1, 0, PTX_NEED_RUNTIME},
    {"__assertfail", "clem_native_assertfail", 5, 0, PTX_NEED_RUNTIME},
    {"cudaGraphSetConditional", "clem_native_set_conditional", 2, 0, PTX_NEED_CONDITIONS},
};

/* The lanes' values of an argument, as i64. */
static struct ptx_native_value argument(struct ptx_native *n, const struct ptx_operand *o,
                                        const struct ptx_function *callee, uint32_t index)
{
    const size_t bytes = index < callee->parameter_count ? callee->parameters[index]->bytes : 8;
    n->is_vector = true;
    return ptx_native_resize(n, ptx_native_read(n, o, bytes == 4 ? PTX_U32 : PTX_U64), 64, false);
}

static void write_call(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    const struct ptx_function *callee = in->operands[1].function;
    size_t which = 0;
    while (strcmp(supplied[which].name, callee->name) != 0)
        which++;
    const char *vector = ptx_native_pointer_type(n, "<32 x i64>");
    for (uint32_t i = 0; i < supplied[which].arguments; i++) {
        const struct ptx_native_value value = argument(n, &in->operands[2].list[i], callee, i);
        ptx_native_do(n, "store <32 x i64> %s, %s %%call.%u", value.text, vector, i);
    }
    ptx_need(e, supplied[which].needs);
    ptx_native_declare(n, "declare void @%s(i64, i64, i32, i64)", supplied[which].function);
    const char *list = ptx_native_emit(n, "ptrtoint %s %%call.0 to i64", vector);
    ptx_native_do(n, "call void @%s(i64 %%launch, i64 %%state, i32 %s, i64 %s)",
                  supplied[which].function, ptx_native_guarded(n, in), list);
    const struct ptx_operand *results = &in->operands[0];
    const unsigned bits = supplied[which].result_bits;
    if (bits == 0 || results->kind != PTX_OPERAND_VECTOR || results->count == 0)
        return;
    struct ptx_native_value result = {ptx_native_emit(n, "load <32 x i64>, %s %%call.0", vector),
                                      64, true};
    result = ptx_native_resize(n, result, bits, false);
    ptx_native_set(n, in, &results->list[0], bits == 64 ? PTX_U64 : PTX_U32, result);
}

/* A function of the math library. */
static void write_math(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    enum { MOST = 8 };
    struct ptx_native *n = e->native;
    const struct ptx_function *callee = in->operands[1].function;
    const struct ptx_operand *results = &in->operands[0], *given = &in->operands[2];
    struct ptx_native_value arguments[MOST];
    if (given->count > MOST || given->count != callee->parameter_count) {
        ptx_refuse(e, "%s is called with other arguments than it has", callee->name);
        return;
    }
    n->is_vector = true;
    for (uint32_t i = 0; i < given->count; i++)
        arguments[i] = ptx_native_read(n, &given->list[i],
                                       callee->parameters[i]->bytes == 8 ? PTX_U64 : PTX_U32);
    const struct ptx_native_value result = ptx_native_math(n, callee, arguments, given->count);
    if (results->kind == PTX_OPERAND_VECTOR && results->count > 0)
        ptx_native_set(n, in, &results->list[0], result.bits == 64 ? PTX_U64 : PTX_U32, result);
}

bool ptx_native_call(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_call)
        return false;
    const struct ptx_function *callee =
        in->operand_count > 2 && in->operands[1].kind == PTX_OPERAND_FUNCTION
            ? in->operands[1].function
            : NULL;
    for (size_t i = 0; callee && i < sizeof supplied / sizeof *supplied; i++)
        if (strcmp(supplied[i].name, callee->name) == 0 && !callee->has_body &&
            in->operands[2].count == supplied[i].arguments) {
            ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_CALL, .write = write_call});
            return true;
        }
    if (callee && ptx_native_has_math(callee)) {
        ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_CALL, .write = write_math});
        return true;
    }
    ptx_refuse(n->e, "a call that the native form has not");
    return true;
}

void ptx_native_trap(struct ptx_native *n, const struct ptx_instruction *in)
{
    ptx_need(n->e, PTX_NEED_RUNTIME);
    ptx_native_declare(n, "declare void @clem_native_trap(i64, i32)");
    ptx_native_do(n, "call void @clem_native_trap(i64 %%launch, i32 %s)",
                  ptx_native_guarded(n, in));
}

/* mbarrier: a barrier of some threads that is a word of 64 bits in shared memory. library/mbarrier.cl has what it counts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/emit_memory.h"

/* Also of generic addresses, whose lower half is the offset in the window of shared memory, where all of these lie. */
static struct ptx_access access_of(struct ptx_emitter *e, const struct ptx_operand *address,
                                   enum ptx_access_kind kind)
{
    ptx_need(e, PTX_NEED_SHARED | PTX_NEED_SHARED_BYTES);
    return (struct ptx_access){.kind = (uint8_t)kind,
                               .space = PTX_SPACE_SHARED,
                               .is_volatile = true,
                               .number = ptx_format(e, "(%s)", ptx_address_number(e, address)),
                               .type = PTX_B64,
                               .c_type = "ulong"};
}

/* The threads of a block are one thread of the host where it takes a block for a work-item. */
static const char *step_function(struct ptx_emitter *e)
{
    if (e->plan->form != PTX_FORM_ITEM)
        return "clem_mbarrier_step";
    if (!ptx_ask(e, PTX_FACT_INT64_ATOMICS)->has_int64_atomics)
        ptx_refuse(e, "the device has no atomic operations of 64 bits, which mbarrier takes");
    return "clem_mbarrier_step_atomic";
}

static void write_fence(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->order != PTX_ORDER_RELAXED)
        ptx_write_fence(e, in->scope == PTX_SCOPE_NONE ? PTX_SCOPE_CTA : in->scope,
                        PTX_ORDER_ACQ_REL);
}

/* Threads arrive, leave for all phases to come, and bytes are expected; any of them may be the last that a phase waits for. */
static const char *step_text(struct ptx_emitter *e, const struct ptx_operand *barrier,
                             const char *arrived, const char *dropped, const char *bytes)
{
    struct ptx_access access = access_of(e, barrier, PTX_ACCESS_ATOMIC);
    access.function = step_function(e);
    access.value = ptx_format(e, "%s, %s, %s", arrived, dropped, bytes);
    return ptx_access(e, &access);
}

static void write_step(struct ptx_emitter *e, const struct ptx_instruction *in, const char *arrived,
                       const char *dropped, const char *bytes)
{
    const uint32_t at = ptx_destination_count(in);
    const char *call = step_text(e, &in->operands[at], arrived, dropped, bytes);
    if (at > 0 && in->operands[0].kind != PTX_OPERAND_SINK)
        ptx_set(e, &in->operands[0], PTX_B64, call);
    else
        ptx_line(e, "%s;", call);
}

static void emit_arrive(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool expects = in->second_operation == PTX_OP_EXPECT_TX;
    const char *last = in->operand_count > 2 ? ptx_value(e, &in->operands[2], PTX_U32) : "1u";
    const char *count = expects ? "1u" : last;
    write_fence(e, in);
    write_step(e, in, count, in->operation == PTX_OP_ARRIVE_DROP ? count : "0u",
               expects ? last : "0u");
}

static void emit_expect(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const char *bytes = ptx_value(e, &in->operands[1], PTX_U32);
    write_step(e, in, "0u", "0u",
               in->operation == PTX_OP_EXPECT_TX ? bytes : ptx_format(e, "0u - %s", bytes));
}

static void emit_init(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_access access = access_of(e, &in->operands[0], PTX_ACCESS_STORE);
    access.value = ptx_format(e, "clem_mbarrier_new(%s)", ptx_value(e, &in->operands[1], PTX_U32));
    ptx_line(e, "%s;", ptx_access(e, &access));
}

/* What became of a phase: that of a state, or the last one of a parity. try_wait need not wait. */
static void emit_wait(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool by_parity = in->flags & PTX_PARITY;
    struct ptx_access access = access_of(e, &in->operands[1], PTX_ACCESS_LOAD);
    access.type = PTX_B32;
    access.c_type = "uint";
    access.index = "1";
    const char *word = ptx_access(e, &access);
    const char *phase = ptx_value(e, &in->operands[2], by_parity ? PTX_U32 : PTX_U64);
    ptx_set(
        e, &in->operands[0], PTX_PRED,
        ptx_format(e, "clem_mbarrier_is_over%s(%s, %s)", by_parity ? "_parity" : "", word, phase));
    write_fence(e, in);
}

bool ptx_emit_mbarrier(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_mbarrier)
        return false;
    switch (in->operation) {
    case PTX_OP_INIT:
        emit_init(e, in);
        break;
    case PTX_OP_INVAL: /* its bytes are free for other things */
        break;
    case PTX_OP_ARRIVE:
    case PTX_OP_ARRIVE_DROP:
        emit_arrive(e, in);
        break;
    case PTX_OP_PENDING_COUNT:
        ptx_set(
            e, &in->operands[0], PTX_U32,
            ptx_format(e, "clem_mbarrier_pending(%s)", ptx_value(e, &in->operands[1], PTX_U64)));
        break;
    case PTX_OP_TEST_WAIT:
    case PTX_OP_TRY_WAIT:
        emit_wait(e, in);
        break;
    default:
        emit_expect(e, in);
    }
    return true;
}

void ptx_emit_copies_arrive(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->flags & PTX_NOINC) {
        write_fence(e, in);
        write_step(e, in, "1u", "0u", "0u");
    }
}

void ptx_emit_bytes_arrive(struct ptx_emitter *e, const struct ptx_operand *barrier,
                           const char *bytes)
{
    ptx_write_fence(e, PTX_SCOPE_CTA, PTX_ORDER_ACQ_REL);
    ptx_line(e, "%s;", step_text(e, barrier, "0u", "0u", ptx_format(e, "0u - %s", bytes)));
}

/* Launches whose memory no cache holds: what a sweep stores in whole lines of the cache goes past the caches, which would first read
 * what is overwritten.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

/* LINE: bytes, of a cache. MOST: instructions of a kernel that are looked through for each store. */
enum { LINE = 64, MOST = 4096 };

bool ptx_native_may_go_past(const struct ptx_native *n)
{
#if defined __x86_64__
    const struct ptx_function *function = n->flow->function;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (in->opcode == PTX_OPCODE_membar || in->opcode == PTX_OPCODE_fence ||
            (in->opcode != PTX_OPCODE_bra && ptx_is_volatile(in)))
            return false; /* such stores keep no order with others */
    }
    return function->instruction_count <= MOST;
#else
    (void)n;
    return false;
#endif
}

/* What has just been read is in a cache, and has been paid for. */
static bool is_read(const struct ptx_native_flow *f, int32_t index)
{
    bool is = false;
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        is |= in->opcode == PTX_OPCODE_ld && in->operands[1].index == index;
    }
    return is;
}

bool ptx_native_goes_past(const struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const struct ptx_instruction *in = n->e->instruction;
    return n->flow->goes_past && in->opcode == PTX_OPCODE_st && in->operands[0].index >= 0 &&
           t->bits * t->width * (PTX_NATIVE_LANES / 8) % LINE == 0 &&
           !is_read(n->flow, in->operands[0].index);
}

void ptx_native_store_past(struct ptx_native *n, const char *start, const char *store)
{
    const char *past = ptx_native_name(n, "past"), *near = ptx_native_name(n, "through"),
               *end = ptx_native_name(n, "stored");
    const char *low = ptx_native_emit(n, "and i64 %s, %d", start, LINE - 1);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s",
                  ptx_native_emit(n, "icmp eq i64 %s, 0", low), past, near);
    ptx_native_label(n, past);
    ptx_native_do(n, "%s, align %d, !nontemporal !9", store, LINE);
    ptx_native_jump(n, end);
    ptx_native_label(n, near);
    ptx_native_do(n, "%s, align 1", store);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    n->flow->has_gone_past = true;
}

void ptx_native_end_past(struct ptx_native *n)
{
    if (!n->flow->has_gone_past)
        return;
    ptx_native_declare(n, "declare void @llvm.x86.sse.sfence()");
    ptx_native_do(n, "call void @llvm.x86.sse.sfence()");
}

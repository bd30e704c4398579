/* Fences, and what keeps compilers from moving accesses.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"

void ptx_keep_order(struct ptx_emitter *e)
{
    if (ptx_ask(e, PTX_FACT_THREAD_FENCE)->has_thread_fence)
        ptx_line(e, "clem_fence_compiler();");
}

/* All threads of a block are one thread of the host where it takes a block for a work-item. */
void ptx_write_fence(struct ptx_emitter *e, uint8_t scope, uint8_t order)
{
    const bool is_own = scope == PTX_SCOPE_CTA && e->plan->form != PTX_FORM_ITEM;
    const char *fence = is_own && ptx_ask(e, PTX_FACT_THREAD_FENCE)->has_thread_fence
                            ? "clem_fence_compiler()"
                        : !e->target->has_nvidia_asm
                            ? (order == PTX_ORDER_SC ? "clem_fence()" : "clem_fence_acq_rel()")
                        : scope == PTX_SCOPE_CTA ? "clem_native_fence_cta()"
                        : scope == PTX_SCOPE_SYS ? "clem_native_fence_sys()"
                                                 : "clem_native_fence_gpu()";
    ptx_line(e, "%s;", ptx_access_text(e, PTX_ACCESS_FENCE, fence));
}

void ptx_fence_before(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->order == PTX_ORDER_RELEASE || in->order == PTX_ORDER_ACQ_REL ||
        in->order == PTX_ORDER_SC)
        ptx_write_fence(e, in->scope, in->order);
}

void ptx_fence_after(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->order == PTX_ORDER_ACQUIRE || in->order == PTX_ORDER_ACQ_REL ||
        in->order == PTX_ORDER_SC)
        ptx_write_fence(e, in->scope, in->order);
}

/* Special registers as C expressions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit.h"

/* PTX_FORM_ITEM's. Those missing are answered elsewhere or refused. */
static const char *const item_specials[PTX_SPECIAL_OTHER + 1] = {
    [PTX_TID_X] = "(uint)get_local_id(0)",
    [PTX_TID_Y] = "(uint)get_local_id(1)",
    [PTX_TID_Z] = "(uint)get_local_id(2)",
    [PTX_NTID_X] = "(uint)get_local_size(0)",
    [PTX_NTID_Y] = "(uint)get_local_size(1)",
    [PTX_NTID_Z] = "(uint)get_local_size(2)",
    [PTX_CTAID_X] = "(uint)get_group_id(0)",
    [PTX_CTAID_Y] = "(uint)get_group_id(1)",
    [PTX_CTAID_Z] = "(uint)get_group_id(2)",
    [PTX_NCTAID_X] = "(uint)get_num_groups(0)",
    [PTX_NCTAID_Y] = "(uint)get_num_groups(1)",
    [PTX_NCTAID_Z] = "(uint)get_num_groups(2)",
    [PTX_LANEID] = "clem_lane()",
    [PTX_WARPID] = "clem_warp()",
    [PTX_NWARPID] = "clem_warps()",
    [PTX_LANEMASK_EQ] = "clem_lanemask_eq(clem_lane())",
    [PTX_LANEMASK_LE] = "clem_lanemask_le(clem_lane())",
    [PTX_LANEMASK_LT] = "clem_lanemask_lt(clem_lane())",
    [PTX_LANEMASK_GE] = "clem_lanemask_ge(clem_lane())",
    [PTX_LANEMASK_GT] = "clem_lanemask_gt(clem_lane())",
};

/* Instead, where a launch may be enqueued in parts: groups are counted from each part's beginning. */
static const char *const part_specials[PTX_SPECIAL_OTHER + 1] = {
    [PTX_CTAID_X] = "(uint)(get_global_id(0) / get_local_size(0))",
    [PTX_CTAID_Y] = "(uint)(get_global_id(1) / get_local_size(1))",
    [PTX_CTAID_Z] = "(uint)(get_global_id(2) / get_local_size(2))",
    [PTX_NCTAID_X] = "clem_grid.s0",
    [PTX_NCTAID_Y] = "clem_grid.s1",
    [PTX_NCTAID_Z] = "clem_grid.s2",
};

/* The same in both forms. */
static const char *const common_specials[PTX_SPECIAL_OTHER + 1] = {
    [PTX_WARP_SZ] = "32u", [PTX_SMID] = "0u", [PTX_NSMID] = "1u",
    [PTX_GRIDID] = "0ul",  [PTX_PM] = "0u",
};

/* Read by inline PTX where that is had; otherwise counted by the runtime. */
static const struct {
    const char *native, *counted;
} clocks[PTX_SPECIAL_OTHER + 1] = {
    [PTX_CLOCK] = {"clem_native_clock()", "(uint)clem_clock(clem_runtime)"},
    [PTX_CLOCK_HI] = {"(uint)(clem_native_clock64() >> 32)",
                      "(uint)(clem_clock(clem_runtime) >> 32)"},
    [PTX_CLOCK64] = {"clem_native_clock64()", "clem_clock(clem_runtime)"},
    [PTX_GLOBALTIMER] = {"clem_native_timer()", "clem_clock(clem_runtime)"},
    [PTX_GLOBALTIMER_LO] = {"(uint)clem_native_timer()", "(uint)clem_clock(clem_runtime)"},
    [PTX_GLOBALTIMER_HI] = {"(uint)(clem_native_timer() >> 32)",
                            "(uint)(clem_clock(clem_runtime) >> 32)"},
};

static const char *shared_size(struct ptx_emitter *e, int32_t special)
{
    ptx_need(e, PTX_NEED_DYNAMIC);
    return special == PTX_DYNAMIC_SMEM_SIZE
               ? "clem_dynamic_bytes"
               : ptx_format(e, "(%zuu + clem_dynamic_bytes)", e->plan->shared_bytes);
}

/* The address of the grid's workspace, in halves. Launches that are not cooperative have none. */
static const char *workspace_half(struct ptx_emitter *e, bool is_upper)
{
    if (e->target->gathers) {
        ptx_need(e, PTX_NEED_GATHERING);
        return is_upper ? "(uint)(clem_gather_workspace(clem_gathering) >> 32)"
                        : "(uint)clem_gather_workspace(clem_gathering)";
    }
    if (!e->plan->takes_turns)
        return "0u";
    ptx_need(e, PTX_NEED_TURNS);
    if (e->target->pointers == PTX_POINTERS_BUFFERS)
        ptx_refuse_address(e, "%%envreg, which grid-wide barriers read, holds an address");
    return is_upper ? "(uint)(clem_workspace(clem_rota) >> 32)" : "(uint)clem_workspace(clem_rota)";
}

const char *ptx_special_value(struct ptx_emitter *e, int32_t special)
{
    if (special < 0 || special >= PTX_SPECIAL_OTHER)
        special = PTX_SPECIAL_OTHER;
    const char *by_form =
        e->hooks && e->hooks->special ? e->hooks->special(e, (enum ptx_special)special) : NULL;
    if (by_form)
        return by_form;
    if (e->target->has_nvidia_asm && (special == PTX_SMID || special == PTX_NSMID))
        return special == PTX_SMID ? "clem_native_smid()" : "clem_native_nsmid()";
    if (common_specials[special])
        return common_specials[special];
    if (special == PTX_TOTAL_SMEM_SIZE || special == PTX_DYNAMIC_SMEM_SIZE ||
        special == PTX_AGGR_SMEM_SIZE)
        return shared_size(e, special);
    if (clocks[special].native) {
        if (e->target->has_nvidia_asm)
            return clocks[special].native;
        ptx_need(e, PTX_NEED_RUNTIME);
        return clocks[special].counted;
    }
    if (e->plan->launch_parameters && part_specials[special])
        return part_specials[special];
    if (e->plan->form == PTX_FORM_ITEM && item_specials[special])
        return item_specials[special];
    if (special == PTX_ENVREG1 || special == PTX_ENVREG2)
        return workspace_half(e, special == PTX_ENVREG1);
    ptx_refuse(e, special == PTX_ENVREG ? "%%envreg has no value but for grid-wide barriers"
                                        : "a special register that has no value here");
    return "0u";
}

/* Where warps are that have come to barriers, of which the runtime is told only once they part.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

void ptx_native_tell_turns(struct ptx_native *n, const char *from, const char *to, const char *site)
{
    ptx_native_declare(n, "declare i64 @clem_native_come(i64, i32, i32, i32, i32, i32, i32)");
    const char *both = ptx_native_emit(
        n,
        "call i64 @clem_native_come(i64 %%state, i32 %s, i32 %s, i32 %s, i32 %s, i32 %s, i32 %d)",
        from, to, site, ptx_native_load_word(n, "%common"), ptx_native_load_word(n, "%noted"),
        (int)n->flow->barrier_count);
    const char *high = ptx_native_emit(n, "lshr i64 %s, 32", both);
    const char *is_mixed = ptx_native_emit(n, "trunc i64 %s to i32", high);
    ptx_native_store_word(n, "%common", ptx_native_emit(n, "trunc i64 %s to i32", both));
    ptx_native_store_word(
        n, "%mixed",
        ptx_native_emit(n, "or i32 %s, %s", ptx_native_load_word(n, "%mixed"), is_mixed));
    ptx_native_store_word(n, "%noted", "1");
}

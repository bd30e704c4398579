/* Lines of shared memory of kernels that are checked: the text sees itself whether a block does what the one before did
 * (host/phase.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <sys/types.h>

#include "kernels/ptx/host/phase.h"
#include "kernels/ptx/native/memory/memory.h"

static const char *both(struct ptx_native *n, const char *a, const char *b)
{
    return a && b ? ptx_native_emit(n, "and i1 %s, %s", a, b) : a ? a : b;
}

/* The first thread of the warp, as the steps of a course have it. */
static const char *who(struct ptx_native *n, const char *told)
{
    const char *warp =
        ptx_native_emit(n, "zext i32 %%state.%zu to i64", offsetof(struct ptx_native_block, warp));
    return ptx_native_emit(n, "or i64 %s, %s",
                           ptx_native_emit(n, "shl i64 %s, %d", warp, PTX_COURSE_THREAD_AT + 5),
                           told);
}

static const char *place(struct ptx_native *n, const struct ptx_native_transfer *t,
                         const char *first)
{
    const char *own = ptx_native_emit(n, "sub i64 %s, %s", first, t->at.base);
    const char *low = ptx_native_emit(n, "and i64 %s, %lld", own, (long long)UINT32_MAX);
    const char *lanes = ptx_native_emit(n, "zext i32 %s to i64", t->lanes);
    return ptx_native_emit(n, "or i64 %s, %s", ptx_native_emit(n, "shl i64 %s, 32", lanes), low);
}

const char *ptx_native_takes_course(struct ptx_native *n, const struct ptx_native_transfer *t,
                                    const char *told, const char *first, const char *second,
                                    int64_t stride, struct ptx_native_course *course)
{
    course->phase = ptx_native_of_block(n, offsetof(struct ptx_native_block, phase), "i64");
    course->next = ptx_native_word_at(n, course->phase, offsetof(struct ptx_phase, next));
    const char *is_who =
        ptx_native_emit(n, "icmp eq i64 %s, %s", who(n, told),
                        ptx_native_word_at(n, course->next, offsetof(struct ptx_course_step, who)));
    const char *is_place = ptx_native_emit(
        n, "icmp eq i64 %s, %s", place(n, t, first),
        ptx_native_word_at(n, course->next, offsetof(struct ptx_course_step, place)));
    const char *head = ptx_native_of_launch(n, offsetof(struct ptx_native_launch, checked), "i64");
    const char *is_plain = ptx_native_emit(
        n, "icmp eq i64 %s, 0",
        ptx_native_changing_word(n, head, offsetof(struct clem_check_launch, followed)));
    const char *is = both(n, is_plain, both(n, is_who, is_place));
    if (!t->at.offset.is_vector || t->at.term.line.is_whole)
        return is;
    const char *apart = ptx_native_emit(n, "sub i64 %s, %s", second, first);
    return both(n, is,
                ptx_native_emit(n, "icmp eq i64 %s, %lld", apart,
                                (long long)stride * (PTX_NATIVE_LANES / 2)));
}

void ptx_native_go_on_in_course(struct ptx_native *n, const struct ptx_native_course *course)
{
    const char *at =
        ptx_native_emit(n, "add i64 %s, %zu", course->phase, offsetof(struct ptx_phase, next));
    const char *next =
        ptx_native_emit(n, "add i64 %s, %zu", course->next, sizeof(struct ptx_course_step));
    ptx_native_do(n, "store i64 %s, %s %s", next, ptx_native_pointer_type(n, "i64"),
                  ptx_native_pointer(n, "i64", at));
}

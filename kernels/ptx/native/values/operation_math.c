/* Calls of the math library, extern functions __clem_NAME: those of library/math.cl as C of the host, lane after lane.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/library/library.h"
#include "kernels/ptx/native/values/lanes.h"

static bool is_listed(const char *name)
{
    static const char *const names[] = {
#define FUNCTION(name) #name,
#include "host_math_names.inc"
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool ptx_native_has_math(const struct ptx_function *callee)
{
    static const char begin[] = "__clem_";
    return !callee->has_body && callee->result_count == 1 &&
           strncmp(callee->name, begin, strlen(begin)) == 0 &&
           is_listed(callee->name + strlen(begin));
}

struct ptx_native_value ptx_native_math(struct ptx_native *n, const struct ptx_function *callee,
                                        const struct ptx_native_value *arguments, size_t count)
{
    struct ptx_lanes l = {.n = n, .at = "", .call = ptx_lane_call, .macro = ptx_lane_macro};
    struct ptx_lane_value values[LANE_ARGUMENTS];
    const char *name = callee->name + 2;
    for (size_t i = 0; i < count && i < LANE_ARGUMENTS; i++)
        values[i] =
            ptx_lane_of(arguments[i].bits == 64 ? LANE_ULONG : LANE_UINT, arguments[i].text);
    /* One of library/lanes.cl is faster. */
    const char *own = ptx_format(n->e, "clem_lane_%s", name + strlen("clem_"));
    const struct ptx_lane_value result =
        ptx_library_find(n->e, own) ? ptx_lane_call_bits(&l, own, values, (unsigned)count)
                                    : ptx_lane_call_host(&l, name, values, (unsigned)count);
    const unsigned bits = ptx_lane_bits((enum ptx_lane_type)result.type);
    const struct ptx_lane_value whole =
        ptx_lane_recast(&l, result, bits == 64 ? LANE_ULONG : LANE_UINT);
    return (struct ptx_native_value){ptx_lane_text(&l, whole), (uint8_t)bits, n->is_vector};
}

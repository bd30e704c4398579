/* Kernels that launch kernels: calls of CUDA's device runtime, which PTX declares .extern and library/launches.cl has.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"

/* arguments: what PTX gives, in order: a number, or a dim3 as three; ends by what the function is given besides: the windows,
 * through which results are stored. Needs and memory of the heap are those of malloc. */
struct call {
    const char *name, *c_name;
    const char *arguments; /* v: a number, d: a dim3 */
    unsigned stored;       /* bytes, where the first argument says */
    bool has_heap;
    bool is_told; /* where kernels are checked: library/check.cl has it too */
};

/* In the order of CUDA's documentation. What each is given, and what it answers: cuda_device_runtime_api.h. */
static const struct call calls[] = {
    {"GetParameterBufferV2", "clem_launch_room", "vddv", 0, false, false},
    {"LaunchDeviceV2", "clem_launch_begin", "vv", 0, false, true},
    {"GetParameterBuffer", "clem_launch_room_of", "vv", 0, false, false},
    {"LaunchDevice", "clem_launch_begin_of", "vvddvv", 0, false, true},
    {"GetLastError", "clem_launch_last_error", "", 0, false, false},
    {"PeekAtLastError", "clem_launch_peek_error", "", 0, false, false},
    {"GetErrorName", "clem_launch_error_name", "v", 0, false, false},
    {"GetErrorString", "clem_launch_error_text", "v", 0, false, false},
    {"StreamCreateWithFlags", "clem_launch_make_stream", "vv", 8, false, false},
    {"StreamDestroy", "clem_launch_check_made", "v", 0, false, false},
    {"StreamWaitEvent", "clem_launch_wait_event", "vvv", 0, false, false},
    {"EventCreateWithFlags", "clem_launch_make_event", "vv", 8, false, false},
    {"EventRecord", "clem_launch_record_event", "vv", 0, false, false},
    {"EventDestroy", "clem_launch_check_made", "v", 0, false, false},
    {"MemcpyAsync", "clem_launch_copy", "vvvvv", 0, false, false},
    {"MemsetAsync", "clem_launch_fill", "vvvv", 0, false, false},
    {"GetDevice", "clem_launch_device", "v", 4, false, false},
    {"Malloc", "clem_launch_malloc", "vv", 8, true, true},
    {"Free", "clem_launch_free", "v", 0, true, true},
};

/* What there is of it that has no translation, by names that are not those of calls. */
static const char *const refused[] = {
    "DeviceSynchronize",    "DeviceGetAttribute", "DeviceGetLimit",
    "DeviceGetCacheConfig", "GetDeviceCount",     "RuntimeGetVersion",
    "FuncGetAttributes",    "Memcpy2DAsync",      "Memcpy3DAsync",
    "Memset2DAsync",        "Memset3DAsync",      "EventRecordWithFlags",
    "GraphLaunch",          "OccupancyMax",       "DeviceGetSharedMemConfig",
    "CGGetIntrinsicHandle", "CGSynchronize",
};

static const char *special(struct ptx_emitter *e, int32_t of, int axis)
{
    return ptx_special_value(e, of + axis);
}

/* The place of x, y, z within a box. */
static const char *place_text(struct ptx_emitter *e, int32_t at, int32_t within)
{
    return ptx_format(e, "(((ulong)%s * %s + %s) * %s + %s)", special(e, at, 2),
                      special(e, within, 1), special(e, at, 1), special(e, within, 0),
                      special(e, at, 0));
}

static const char *thread_text(struct ptx_emitter *e)
{
    const char *block = place_text(e, PTX_CTAID_X, PTX_NCTAID_X);
    const char *thread = place_text(e, PTX_TID_X, PTX_NTID_X);
    return ptx_format(e, "(ulong2)(%s * CLEM_LAUNCH_THREADS + %s, %s)", block, thread, block);
}

static const char *arguments_text(struct ptx_emitter *e, const struct ptx_instruction *in,
                                  const struct ptx_function *callee, const struct call *call)
{
    const char *list = "";
    for (uint32_t i = 0; call->arguments[i]; i++) {
        const char *argument = ptx_call_argument(e, in, callee, i);
        list = ptx_format(e, call->arguments[i] == 'd' ? "%sclem_launch_dim3(%s), " : "%s%s, ",
                          list, argument);
    }
    return list;
}

/* A dim3 is a structure of 12 bytes, whose elements are uint; nothing else is a structure. */
static bool fits(const struct ptx_instruction *in, const struct ptx_function *callee,
                 const struct call *call)
{
    const size_t count = in->operand_count > 2 ? in->operands[2].count : 0;
    bool agrees = count == strlen(call->arguments) && callee->parameter_count == count &&
                  callee->result_count <= 1;
    for (size_t i = 0; agrees && i < count; i++) {
        const struct ptx_operand *o = &in->operands[2].list[i];
        const bool is_dim3 = call->arguments[i] == 'd';
        const bool is_structure = o->kind == PTX_OPERAND_VARIABLE &&
                                  o->variable->space == PTX_SPACE_PARAM &&
                                  ptx_is_structure(o->variable);
        agrees = is_structure == is_dim3 && (!is_dim3 || o->variable->bytes == 12);
    }
    return agrees;
}

static const char *text_of(struct ptx_emitter *e, const struct ptx_instruction *in,
                           const struct ptx_function *callee, const struct call *call)
{
    const char *arguments =
        ptx_format(e, "(clem_launches, %s%s%s%s", call->has_heap ? "clem_runtime, " : "",
                   arguments_text(e, in, callee, call), thread_text(e),
                   call->stored ? ", clem_shared, clem_local" : "");
    return call->is_told && e->target->checks ? ptx_checked_call(e, call->c_name, arguments)
                                              : ptx_format(e, "%s%s)", call->c_name, arguments);
}

/* Where a result is stored, others read what was written then. */
static void check_stored(struct ptx_emitter *e, const struct ptx_instruction *in,
                         const struct ptx_function *callee, const struct call *call)
{
    if (call->stored)
        ptx_check_told(
            e, &(struct ptx_told){.kind = CLEM_CHECK_STORE,
                                  .checks = PTX_CHECK_MEMORY | PTX_CHECK_INIT | PTX_CHECK_RACE,
                                  .bytes = call->stored,
                                  .address = ptx_call_argument(e, in, callee, 0),
                                  .is_generic = true});
}

static void write_call(struct ptx_emitter *e, const struct ptx_instruction *in,
                       const struct ptx_function *callee, const struct call *call)
{
    if (!fits(in, callee, call)) {
        ptx_refuse(e, "%s is called with other arguments than it has", callee->name);
        return;
    }
    ptx_need(e, PTX_NEED_LAUNCHES);
    if (call->stored)
        ptx_need(e, PTX_NEED_SHARED | PTX_NEED_LOCAL);
    if (call->has_heap)
        ptx_need(e, PTX_NEED_RUNTIME);
    check_stored(e, in, callee, call);
    ptx_write_result(e, in, callee,
                     ptx_access_text(e, PTX_ACCESS_CALL, text_of(e, in, callee, call)));
}

static bool is_refused(const char *name)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strncmp(name, refused[i], strlen(refused[i])) == 0)
            return true;
    return false;
}

bool ptx_emit_device_runtime(struct ptx_emitter *e, const struct ptx_instruction *in,
                             const struct ptx_function *callee)
{
    const char *name = ptx_device_runtime_name(e, callee);
    if (!name)
        return false;
    if (is_refused(name)) {
        ptx_refuse(e, "%s in a kernel has no translation", callee->name);
        return true;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].name, name) != 0)
            continue;
        if (e->target->pointers == PTX_POINTERS_BUFFERS)
            ptx_refuse_address(e,
                               "%s speaks of memory by its address, and this device's pointers "
                               "are not numbers",
                               callee->name);
        else
            write_call(e, in, callee, &calls[i]);
        return true;
    }
    return false;
}

/* An OpenCL layer that makes a device answer as another one does, and hold to it: STUB_DEVICE names a row of devices.def.
 * Every device becomes a GPU with what the row tells. Commands that the real one refuses are refused with its error.
 *
 * Limits: compilers are those of the device below; what the other's would refuse (double, 64-bit atomic operations) is
 * refused here only as far as the text's own directives go, since its extensions are not defined.
 *
 * STUB_SUB_GROUP: work-items of a sub-group, as all that tells about them answers, and as the functions of texts that ask for
 * sub-groups have them (sub_groups.c). Work-items are not in step for that.
 *
 * STUB_IDLE: kernels end without having run, as under Mesa's drm-shim; buffers have addresses all the same, in the released form
 * of cl_ext_buffer_device_address.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/stub/layer.h"
#include "tests/stub/sub_groups.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FP64 = 1, INT64_ATOMICS = 2, IMAGES = 4, ORDER = 8 };
/* Source: cl_ext_buffer_device_address, revision 1.0.0: CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_MEM_DEVICE_ADDRESS_EXT. */
enum { HAS_ADDRESS = 0x5000, ADDRESS = 0x5001 };
enum { COARSE = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, FINE = CL_DEVICE_SVM_FINE_GRAIN_BUFFER };

/* Source: Intel's cl_intel_unified... of NEO, CL/cl_ext_intel.h: CL_MEM_ALLOW_UNRESTRICTED_SIZE_INTEL, and what its
 * kernels want beside it. */
static const cl_mem_flags unrestricted = (cl_mem_flags)1 << 23;
static const char large_option[] = "-cl-intel-greater-than-4GB-buffer-required";

struct device {
    const char *word, *name, *version, *c_version;
    size_t group, large_group, items[3];
    uint64_t memory, largest, local; /* MiB, MiB, bytes */
    cl_uint alignment, bits;
    cl_device_svm_capabilities svm;
    unsigned lacks;
    bool unified, relaxes;
};

static const struct device devices[] = {
#define DEVICE(id, ...) {.word = #id, __VA_ARGS__},
#include "tests/stub/devices.def"
#undef DEVICE
};

static const struct _cl_icd_dispatch *target;
static const struct device *device;

static const struct device *find(const char *word)
{
    for (size_t i = 0; word && i < sizeof devices / sizeof devices[0]; i++)
        if (strcmp(devices[i].word, word) == 0)
            return &devices[i];
    fprintf(stderr, "STUB_DEVICE names no row of devices.def\n");
    exit(2);
}

/* ---- What it answers ---- */

static cl_int give(const void *from, size_t bytes, size_t room, void *value, size_t *bytes_ret)
{
    if (value && room < bytes)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, bytes);
    if (bytes_ret)
        *bytes_ret = bytes;
    return CL_SUCCESS;
}

static uint64_t number_below(cl_device_id id, cl_device_info name)
{
    uint64_t number = 0;
    (void)target->clGetDeviceInfo(id, name, sizeof number, &number, NULL);
    return number;
}

/* The proportion of the largest allocation to the memory is the row's also where there is less. STUB_LARGEST: MiB, for tests
 * that are to go beyond it in little memory. */
static uint64_t memory_of(cl_device_id id, uint64_t *largest)
{
    const uint64_t whole = number_below(id, CL_DEVICE_GLOBAL_MEM_SIZE), mib = (uint64_t)1 << 20;
    const uint64_t memory = device->memory * mib < whole ? device->memory * mib : whole;
    const char *wanted = getenv("STUB_LARGEST");
    *largest =
        wanted ? strtoull(wanted, NULL, 10) * mib : memory / device->memory * device->largest;
    return memory;
}

static bool is_lacked(const char *extension, size_t length)
{
    static const struct {
        unsigned lack;
        const char *word;
    } words[] = {
        {FP64, "cl_khr_fp64"},
        {INT64_ATOMICS, "cl_khr_int64_base_atomics"},
        {INT64_ATOMICS, "cl_khr_int64_extended_atomics"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if ((device->lacks & words[i].lack) && length == strlen(words[i].word) &&
            memcmp(extension, words[i].word, length) == 0)
            return true;
    return false;
}

/* In place: the list gets shorter, and keeps the spaces that it has behind its words, which the last one may lack. */
static void drop_lacked(char *list)
{
    char *end = list;
    for (const char *from = list; *from;) {
        const size_t length = strcspn(from, " "), whole = length + strspn(from + length, " ");
        if (!is_lacked(from, length)) {
            memmove(end, from, whole);
            end += whole;
        }
        from += whole;
    }
    *end = '\0';
}

/* 0: not said */
static uint64_t sub_group(void)
{
    const char *wanted = getenv("STUB_SUB_GROUP");
    return wanted ? strtoull(wanted, NULL, 10) : 0;
}

static bool is_idle(void)
{
    return getenv("STUB_IDLE") != NULL;
}

static cl_int give_extensions(cl_device_id id, size_t room, void *value, size_t *bytes_ret)
{
    char list[16384] = "";
    const cl_int error =
        target->clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof list - 256, list, NULL);
    if (error != CL_SUCCESS)
        return error;
    drop_lacked(list);
    if (device->relaxes)
        strcat(list, " cl_intel_required_subgroup_size ");
    if (is_idle())
        strcat(list, " cl_ext_buffer_device_address ");
    if (sub_group())
        strcat(list, " cl_khr_subgroups cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative "
                     "cl_khr_subgroup_ballot ");
    return give(list, strlen(list) + 1, room, value, bytes_ret);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of sub-groups, as OpenCL 2.1 and 3.0, AMD, Intel and NVIDIA name them: bytes of the answer; 0: it is about something else. */
static size_t sub_group_of(cl_device_info name, uint64_t *number)
{
    enum {
        MOST_SUB_GROUPS = 0x105c,
        MULTIPLE = 0x1067,
        NVIDIA = 0x4003,
        AMD = 0x4043,
        INTEL = 0x4108
    };
    const uint64_t items = sub_group();
    *number = name == MOST_SUB_GROUPS && items ? device->group / items : items;
    if (items == 0)
        return 0;
    if (name == MOST_SUB_GROUPS || name == NVIDIA || name == AMD)
        return sizeof(cl_uint);
    return name == MULTIPLE || name == INTEL ? sizeof(size_t) : 0;
}

/* Numbers of one size; false: the row does not say. */
static bool number_of(cl_device_id id, cl_device_info name, uint64_t *number)
{
    uint64_t largest = 0;
    switch (name) {
    case CL_DEVICE_TYPE:
        *number = CL_DEVICE_TYPE_GPU;
        return true;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        *number = device->group;
        return true;
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        *number = memory_of(id, &largest);
        return true;
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        (void)memory_of(id, number);
        return true;
    case CL_DEVICE_LOCAL_MEM_SIZE:
        *number = smaller(device->local, number_below(id, name));
        return true;
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        *number = (uint64_t)device->alignment * 8;
        return true;
    case CL_DEVICE_ADDRESS_BITS:
        *number = device->bits;
        return true;
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        *number = device->unified;
        return true;
    case CL_DEVICE_SVM_CAPABILITIES:
        *number = device->svm & number_below(id, name);
        return true;
    case CL_DEVICE_IMAGE_SUPPORT:
        *number = device->lacks & IMAGES ? CL_FALSE : number_below(id, name);
        return true;
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        *number = device->lacks & FP64 ? 0 : number_below(id, name);
        return true;
    case CL_DEVICE_QUEUE_PROPERTIES: /* also _ON_HOST_ */
        *number = number_below(id, name) &
                  ~(device->lacks & ORDER ? (uint64_t)CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        return true;
    default:
        return false;
    }
}

static cl_int give_number(cl_device_id id, cl_device_info name, uint64_t number, size_t room,
                          void *value, size_t *bytes_ret)
{
    size_t bytes = 0;
    const cl_int error = target->clGetDeviceInfo(id, name, 0, NULL, &bytes);
    return error == CL_SUCCESS ? give(&number, bytes, room, value, bytes_ret) : error;
}

static cl_int CL_API_CALL get_device_info(cl_device_id id, cl_device_info name, size_t bytes,
                                          void *value, size_t *bytes_ret)
{
    uint64_t number = 0;
    switch (name) {
    case CL_DEVICE_NAME:
        return give(device->name, strlen(device->name) + 1, bytes, value, bytes_ret);
    case CL_DEVICE_VERSION:
        return give(device->version, strlen(device->version) + 1, bytes, value, bytes_ret);
    case CL_DEVICE_OPENCL_C_VERSION:
        return give(device->c_version, strlen(device->c_version) + 1, bytes, value, bytes_ret);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return give(device->items, sizeof device->items, bytes, value, bytes_ret);
    case CL_DEVICE_EXTENSIONS:
        return give_extensions(id, bytes, value, bytes_ret);
    default:
        break;
    }
    const size_t of_sub_group = sub_group_of(name, &number);
    if (of_sub_group)
        return give(&number, of_sub_group, bytes, value, bytes_ret);
    return number_of(id, name, &number)
               ? give_number(id, name, number, bytes, value, bytes_ret)
               : target->clGetDeviceInfo(id, name, bytes, value, bytes_ret);
}

/* All are of the type that they say they are. */
static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *ids, cl_uint *count)
{
    const cl_device_type mine = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT;
    if (type != CL_DEVICE_TYPE_ALL && !(type & mine))
        return CL_DEVICE_NOT_FOUND;
    return target->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, room, ids, count);
}

/* ---- What it takes ---- */

/* Work-items of a group of the kernel's own shape; 0: it has none. */
static size_t shape_of(cl_kernel kernel, cl_device_id id)
{
    size_t shape[3] = {0, 0, 0};
    const cl_int error = target->clGetKernelWorkGroupInfo(
        kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof shape, shape, NULL);
    return error == CL_SUCCESS ? shape[0] * shape[1] * shape[2] : 0;
}

static size_t most_of(cl_kernel kernel, cl_device_id id)
{
    return shape_of(kernel, id) > 0 ? device->large_group : device->group;
}

static cl_int CL_API_CALL get_work_group_info(cl_kernel kernel, cl_device_id id,
                                              cl_kernel_work_group_info name, size_t bytes,
                                              void *value, size_t *bytes_ret)
{
    const cl_int error =
        target->clGetKernelWorkGroupInfo(kernel, id, name, bytes, value, bytes_ret);
    const size_t multiple = sub_group();
    if (error == CL_SUCCESS && name == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && value &&
        multiple)
        memcpy(value, &multiple, sizeof multiple);
    if (error == CL_SUCCESS && name == CL_KERNEL_WORK_GROUP_SIZE && value) {
        const size_t shape = shape_of(kernel, id);
        memcpy(value, shape > 0 ? &shape : &device->group, sizeof shape);
    }
    return error;
}

static cl_device_id device_of(cl_command_queue queue)
{
    cl_device_id id = NULL;
    (void)target->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    return id;
}

static bool is_prepared(cl_kernel kernel);
static atomic_bool has_unrestricted;

static cl_int CL_API_CALL enqueue_range(cl_command_queue queue, cl_kernel kernel,
                                        cl_uint dimensions, const size_t *offset,
                                        const size_t *global, const size_t *local, cl_uint count,
                                        const cl_event *events, cl_event *event)
{
    size_t items = 1;
    for (cl_uint d = 0; local && d < dimensions && d < 3; d++) {
        if (local[d] > device->items[d])
            return CL_INVALID_WORK_ITEM_SIZE;
        items *= local[d];
    }
    if (items > most_of(kernel, device_of(queue)))
        return CL_INVALID_WORK_GROUP_SIZE;
    if (atomic_load(&has_unrestricted) && !is_prepared(kernel))
        return CL_INVALID_KERNEL_ARGS;
    if (is_idle())
        return target->clEnqueueMarkerWithWaitList(queue, count, events, event);
    return target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                          events, event);
}

static uint64_t largest_of(cl_context context)
{
    cl_device_id ids[16] = {NULL};
    uint64_t largest = 0;
    (void)target->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, NULL);
    (void)memory_of(ids[0], &largest);
    return largest;
}

static bool is_taken(cl_context context, cl_mem_flags flags, size_t bytes)
{
    if (bytes <= largest_of(context))
        return true;
    const bool is_asked = device->relaxes && (flags & unrestricted);
    if (is_asked)
        atomic_store(&has_unrestricted, true);
    return is_asked;
}

static cl_mem refuse(cl_int error, cl_int *error_ret)
{
    if (error_ret)
        *error_ret = error;
    return NULL;
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                        void *host, cl_int *error)
{
    const cl_mem_flags known = device->relaxes ? flags & ~unrestricted : flags;
    return is_taken(context, flags, bytes)
               ? target->clCreateBuffer(context, known, bytes, host, error)
               : refuse(CL_INVALID_BUFFER_SIZE, error);
}

static cl_mem CL_API_CALL create_buffer_with(cl_context context,
                                             const cl_mem_properties *properties,
                                             cl_mem_flags flags, size_t bytes, void *host,
                                             cl_int *error)
{
    const cl_mem_flags known = device->relaxes ? flags & ~unrestricted : flags;
    if (is_idle() && properties && properties[0] == HAS_ADDRESS)
        properties += 2;
    return is_taken(context, flags, bytes) ? target->clCreateBufferWithProperties(
                                                 context, properties, known, bytes, host, error)
                                           : refuse(CL_INVALID_BUFFER_SIZE, error);
}

/* Any number does for an address that no kernel goes to. */
static cl_int CL_API_CALL get_buffer_info(cl_mem buffer, cl_mem_info name, size_t room, void *value,
                                          size_t *bytes_ret)
{
    const cl_ulong address = (uintptr_t)buffer << 16;
    return is_idle() && name == ADDRESS
               ? give(&address, sizeof address, room, value, bytes_ret)
               : target->clGetMemObjectInfo(buffer, name, room, value, bytes_ret);
}

static cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags,
                                            cl_buffer_create_type type, const void *info,
                                            cl_int *error)
{
    const cl_buffer_region *region = info;
    return region && region->origin % device->alignment != 0
               ? refuse(CL_MISALIGNED_SUB_BUFFER_OFFSET, error)
               : target->clCreateSubBuffer(buffer, flags, type, info, error);
}

static cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                       const cl_image_format *format, const cl_image_desc *desc,
                                       void *host, cl_int *error)
{
    return device->lacks & IMAGES
               ? refuse(CL_INVALID_OPERATION, error)
               : target->clCreateImage(context, flags, format, desc, host, error);
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id id,
                                                 cl_command_queue_properties properties,
                                                 cl_int *error)
{
    if ((device->lacks & ORDER) && (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        if (error)
            *error = CL_INVALID_QUEUE_PROPERTIES;
        return NULL;
    }
    return target->clCreateCommandQueue(context, id, properties, error);
}

static void *CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t bytes,
                                   cl_uint alignment)
{
    const bool is_fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
    if (!(device->svm & (is_fine ? FINE : COARSE)) || !is_taken(context, flags, bytes))
        return NULL;
    return target->clSVMAlloc(context, device->relaxes ? flags & ~unrestricted : flags, bytes,
                              alignment);
}

/* Programs that were built with the option, by which kernels reach all of a buffer that is larger than others; the last ones.
 */
enum { PROGRAMS = 4096 };
static _Atomic(cl_program) prepared[PROGRAMS];
static _Atomic unsigned prepared_count;
static bool is_prepared(cl_kernel kernel)
{
    cl_program program = NULL;
    (void)target->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    for (unsigned i = 0; i < PROGRAMS; i++)
        if (atomic_load(&prepared[i]) == program)
            return true;
    return false;
}

/* The options are the other compiler's. Double is emulated where STUB_EMULATION says how: "right", or "wrong"; it is an option
 * that is not known otherwise. */
static bool is_emulation_taken(char *options)
{
    static const char emulation[] = "-cl-fp64-gen-emu";
    char *option = strstr(options, emulation);
    if (option && getenv("STUB_EMULATION"))
        memset(option, ' ', sizeof emulation - 1);
    return !option || getenv("STUB_EMULATION");
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id *ids,
                                        const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    char *own = strdup(options ? options : "");
    char *option = own && device->relaxes ? strstr(own, large_option) : NULL;
    if (!own)
        return CL_OUT_OF_HOST_MEMORY;
    if (option) {
        memset(option, ' ', sizeof large_option - 1);
        atomic_store(&prepared[atomic_fetch_add(&prepared_count, 1) % PROGRAMS], program);
    }
    const cl_int error = is_emulation_taken(own)
                             ? target->clBuildProgram(program, count, ids, own, notify, data)
                             : CL_INVALID_BUILD_OPTIONS;
    free(own);
    return error;
}

/* A quotient becomes a difference, as wrong as can be. */
static void make_wrong(char *text)
{
    char *quotient = strstr(text, "a / b");
    if (quotient)
        quotient[2] = '-';
}

/* As the compiler below is to have it; NULL without memory. */
static char *change_text(const char *text, size_t length)
{
    const char *emulation = getenv("STUB_EMULATION");
    char *own = strndup(text, length), *plain = own;
    if (own && emulation && strcmp(emulation, "wrong") == 0)
        make_wrong(own);
    if (own && sub_group() && clem_stub_has_sub_groups(own)) {
        own = clem_stub_add_sub_groups(plain, (unsigned)sub_group());
        free(plain);
    }
    return own;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                             const size_t *lengths, cl_int *error)
{
    char *own = count == 1
                    ? change_text(texts[0], lengths && lengths[0] ? lengths[0] : strlen(texts[0]))
                    : NULL;
    const char *given = own;
    if (!own) {
        if (error)
            *error = count == 1 ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_VALUE;
        return NULL;
    }
    cl_program made = target->clCreateProgramWithSource(context, 1, &given, NULL, error);
    free(own);
    return made;
}

void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *below)
{
    target = below;
    device = find(getenv("STUB_DEVICE"));
    layer->clGetDeviceInfo = get_device_info;
    layer->clGetDeviceIDs = get_device_ids;
    layer->clGetKernelWorkGroupInfo = get_work_group_info;
    layer->clEnqueueNDRangeKernel = enqueue_range;
    layer->clCreateBuffer = create_buffer;
    layer->clCreateBufferWithProperties = create_buffer_with;
    layer->clGetMemObjectInfo = get_buffer_info;
    layer->clCreateSubBuffer = create_sub_buffer;
    layer->clCreateImage = create_image;
    layer->clCreateCommandQueue = create_queue;
    layer->clSVMAlloc = svm_alloc;
    layer->clBuildProgram = build_program;
    layer->clCreateProgramWithSource = create_program;
}

/* An OpenCL layer that makes a CPU look like a device with memory of its own and coarse-grained SVM,
 * so that migration can be tested without one. clSVMAlloc() gives host pages, and beside them memory
 * that only kernels and commands see; maps and unmaps copy their range between the two and nothing
 * else does.
 *
 * Limits: kernels find the device's memory only through pointers set by clSetKernelArgSVMPointer();
 * those that they read from memory lead to the host's pages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/stub/coarse.h"
#include "tests/stub/layer.h"

struct map {
    struct map *next;
    size_t offset, bytes;
    bool is_write;
};

struct memory {
    struct memory *next;
    char *host;    /* what the program gets */
    char *alias;   /* the same pages again: a device's copy engine minds no protection */
    char *storage; /* what kernels see: somewhere else each time, within block */
    void *block;
    size_t bytes, host_bytes;
    struct map *maps;
};

/* A kernel's argument that is a pointer into a memory. */
struct argument {
    struct argument *next;
    cl_kernel kernel;
    cl_uint index;
    const struct memory *memory;
    size_t offset;
};

static const struct _cl_icd_dispatch *target;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all that follows */
static struct memory *memories;
static struct argument *arguments;
static struct clem_stub_counters counters;

enum { STORAGE_STEPS = 8 };
static _Atomic unsigned allocated;

EXPORT void clem_stub_read(struct clem_stub_counters *copy)
{
    pthread_mutex_lock(&lock);
    *copy = counters;
    pthread_mutex_unlock(&lock);
}

/* ---- Looking things up. Lock held. ---- */

static struct memory *find(const void *pointer)
{
    struct memory *memory = memories;

    while (memory && (size_t)((const char *)pointer - memory->host) >= memory->bytes)
        memory = memory->next;
    return memory;
}

static size_t offset_in(const struct memory *memory, const void *pointer)
{
    return (size_t)((const char *)pointer - memory->host);
}

static bool is_mapped(const struct memory *memory, size_t offset, size_t bytes)
{
    for (const struct map *map = memory->maps; map; map = map->next)
        if (map->offset < offset + bytes && offset < map->offset + map->bytes)
            return true;
    return false;
}

/* ---- The device ---- */

/* Blanks out a word of a list. */
static void hide(char *text, const char *word)
{
    char *found = strstr(text, word);

    if (found)
        memset(found, ' ', strlen(word));
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t bytes,
                                          void *value, size_t *bytes_ret)
{
    const cl_int error = target->clGetDeviceInfo(device, name, bytes, value, bytes_ret);

    if (error != CL_SUCCESS || !value)
        return error;
    if (name == CL_DEVICE_SVM_CAPABILITIES)
        *(cl_device_svm_capabilities *)value = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    if (name == CL_DEVICE_HOST_UNIFIED_MEMORY)
        *(cl_bool *)value = CL_FALSE;
    if (name == CL_DEVICE_EXTENSIONS) {
        hide(value, "cl_intel_unified_shared_memory");
        hide(value, "cl_ext_buffer_device_address");
    }
    return error;
}

/* ---- Buffers over the host's memory ---- */

enum { LOCATED_HOST = 1 }; /* CL_MEM_LOCATION_HOST_NV */

/* As NVIDIA's driver has it, such a buffer takes as much of the device's memory: of that there are so many bytes. */
static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                        void *host, cl_int *error)
{
    const char *most = getenv("STUB_SHADOW_MOST");

    if (most && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0 &&
        bytes > strtoul(most, NULL, 10)) {
        *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    return target->clCreateBuffer(context, flags, bytes, host, error);
}

static void CL_CALLBACK free_pages(cl_mem buffer, void *pages)
{
    (void)buffer;
    free(pages);
}

/* But not one of these, which the driver makes over whole pages of its own. */
static cl_mem CL_API_CALL create_located(cl_context context, cl_mem_flags flags, cl_bitfield where,
                                         size_t bytes, void *host, cl_int *error)
{
    void *pages = NULL;
    cl_mem buffer;

    *error = CL_INVALID_VALUE;
    if (where != LOCATED_HOST || (flags & CL_MEM_USE_HOST_PTR) != 0 || host ||
        posix_memalign(&pages, (size_t)sysconf(_SC_PAGESIZE), bytes) != 0)
        return NULL;
    buffer = target->clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, bytes, pages, error);
    if (!buffer || target->clSetMemObjectDestructorCallback(buffer, free_pages, pages) != 0)
        free(pages);
    return buffer;
}

static void *CL_API_CALL get_extension(cl_platform_id platform, const char *name)
{
    cl_mem(CL_API_CALL * function)(cl_context, cl_mem_flags, cl_bitfield, size_t, void *,
                                   cl_int *) = create_located;
    void *address;

    if (strcmp(name, "clCreateBufferNV") != 0)
        return target->clGetExtensionFunctionAddressForPlatform(platform, name);
    memcpy(&address, &function, sizeof address);
    return address;
}

/* ---- Memory ---- */

static bool map_host_pages(struct memory *memory)
{
    const int file = memfd_create("clem stub", MFD_CLOEXEC);

    if (file < 0 || ftruncate(file, (off_t)memory->host_bytes) != 0)
        return false;
    memory->host = mmap(NULL, memory->host_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    memory->alias = mmap(NULL, memory->host_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory->host != MAP_FAILED && memory->alias != MAP_FAILED;
}

/* Both sides begin with bytes that are wrong, and different. */
static void *CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t bytes,
                                   cl_uint alignment)
{
    struct memory *memory = calloc(1, sizeof *memory);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    const char *most = getenv("STUB_SVM_MOST"); /* bytes that one allocation may have */

    if (!memory || (most && bytes > strtoull(most, NULL, 10)) ||
        (flags & (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS))) {
        free(memory);
        return NULL;
    }
    memory->bytes = bytes;
    memory->host_bytes = (bytes + page - 1) / page * page;
    memory->block =
        target->clSVMAlloc(context, CL_MEM_READ_WRITE, bytes + STORAGE_STEPS * page, alignment);
    if (!memory->block || !map_host_pages(memory)) {
        free(memory);
        return NULL;
    }
    memory->storage =
        (char *)memory->block + atomic_fetch_add(&allocated, 1) % STORAGE_STEPS * page;
    memset(memory->alias, 0xa5, bytes);
    memset(memory->storage, 0x5a, bytes);
    pthread_mutex_lock(&lock);
    memory->next = memories;
    memories = memory;
    pthread_mutex_unlock(&lock);
    return memory->host;
}

static void CL_API_CALL svm_free(cl_context context, void *pointer)
{
    struct memory **place = &memories;

    if (!pointer)
        return;
    pthread_mutex_lock(&lock);
    while (*place && (*place)->host != pointer)
        place = &(*place)->next;
    struct memory *memory = *place;
    if (memory) {
        *place = memory->next;
        counters.frees_while_mapped += memory->maps != NULL;
        for (struct argument *argument = arguments; argument; argument = argument->next)
            if (argument->memory == memory)
                argument->memory = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!memory) {
        target->clSVMFree(context, pointer);
        return;
    }
    target->clSVMFree(context, memory->block);
    munmap(memory->host, memory->host_bytes);
    munmap(memory->alias, memory->host_bytes);
    free(memory);
}

/* ---- Maps ---- */

/* A command that does nothing but take its turn. */
static cl_int take_turn(cl_command_queue queue, cl_bool is_blocking, cl_uint count,
                        const cl_event *list, cl_event *event)
{
    const cl_int error = target->clEnqueueMarkerWithWaitList(queue, count, list, event);

    return error == CL_SUCCESS && is_blocking ? target->clFinish(queue) : error;
}

static cl_int CL_API_CALL svm_map(cl_command_queue queue, cl_bool is_blocking, cl_map_flags flags,
                                  void *pointer, size_t bytes, cl_uint count, const cl_event *list,
                                  cl_event *event)
{
    struct map *map = malloc(sizeof *map);

    pthread_mutex_lock(&lock);
    struct memory *memory = find(pointer);
    if (!memory || !map || bytes > memory->bytes - offset_in(memory, pointer)) {
        pthread_mutex_unlock(&lock);
        free(map);
        return CL_INVALID_VALUE;
    }
    const size_t offset = offset_in(memory, pointer);
    const bool is_copied = !(flags & CL_MAP_WRITE_INVALIDATE_REGION);
    counters.maps++;
    counters.overlapping_maps += is_mapped(memory, offset, bytes);
    counters.bytes_to_host += is_copied ? bytes : 0;
    *map = (struct map){memory->maps, offset, bytes, (flags & ~(cl_map_flags)CL_MAP_READ) != 0};
    memory->maps = map;
    pthread_mutex_unlock(&lock);
    if (!is_copied)
        return take_turn(queue, is_blocking, count, list, event);
    return target->clEnqueueSVMMemcpy(queue, is_blocking, memory->alias + offset,
                                      memory->storage + offset, bytes, count, list, event);
}

static cl_int CL_API_CALL svm_unmap(cl_command_queue queue, void *pointer, cl_uint count,
                                    const cl_event *list, cl_event *event)
{
    pthread_mutex_lock(&lock);
    struct memory *memory = find(pointer);
    struct map **place = memory ? &memory->maps : NULL;
    while (place && *place && (*place)->offset != offset_in(memory, pointer))
        place = &(*place)->next;
    if (!place || !*place) {
        counters.stray_unmaps++;
        pthread_mutex_unlock(&lock);
        return CL_INVALID_VALUE;
    }
    const struct map map = **place;
    free(*place);
    *place = map.next;
    counters.unmaps++;
    counters.bytes_to_device += map.is_write ? map.bytes : 0;
    pthread_mutex_unlock(&lock);
    if (!map.is_write)
        return take_turn(queue, CL_FALSE, count, list, event);
    return target->clEnqueueSVMMemcpy(queue, CL_FALSE, memory->storage + map.offset,
                                      memory->alias + map.offset, map.bytes, count, list, event);
}

/* ---- Commands on pointers ---- */

/* What commands find at a pointer. */
static void *translate(const void *pointer, size_t bytes)
{
    pthread_mutex_lock(&lock);
    const struct memory *memory = find(pointer);
    if (memory) {
        const size_t offset = offset_in(memory, pointer);
        counters.commands_while_mapped += bytes > 0 && is_mapped(memory, offset, bytes);
        pointer = memory->storage + offset;
    }
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)pointer;
}

static cl_int CL_API_CALL svm_memcpy(cl_command_queue queue, cl_bool is_blocking, void *to,
                                     const void *from, size_t bytes, cl_uint count,
                                     const cl_event *list, cl_event *event)
{
    return target->clEnqueueSVMMemcpy(queue, is_blocking, translate(to, bytes),
                                      translate(from, bytes), bytes, count, list, event);
}

static cl_int CL_API_CALL svm_fill(cl_command_queue queue, void *pointer, const void *pattern,
                                   size_t pattern_bytes, size_t bytes, cl_uint count,
                                   const cl_event *list, cl_event *event)
{
    return target->clEnqueueSVMMemFill(queue, translate(pointer, bytes), pattern, pattern_bytes,
                                       bytes, count, list, event);
}

static void note_host_pointer(const void *pointer)
{
    pthread_mutex_lock(&lock);
    counters.host_pointers += find(pointer) != NULL;
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                       size_t offset, size_t bytes, const void *from, cl_uint count,
                                       const cl_event *list, cl_event *event)
{
    note_host_pointer(from);
    return target->clEnqueueWriteBuffer(queue, buffer, is_blocking, offset, bytes, from, count,
                                        list, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                      size_t offset, size_t bytes, void *to, cl_uint count,
                                      const cl_event *list, cl_event *event)
{
    note_host_pointer(to);
    return target->clEnqueueReadBuffer(queue, buffer, is_blocking, offset, bytes, to, count, list,
                                       event);
}

/* ---- Kernels ---- */

/* Lock held. */
static void note_argument(cl_kernel kernel, cl_uint index, const struct memory *memory,
                          size_t offset)
{
    struct argument *argument = arguments;

    while (argument && (argument->kernel != kernel || argument->index != index))
        argument = argument->next;
    if (!argument && memory && (argument = malloc(sizeof *argument)) != NULL) {
        *argument = (struct argument){arguments, kernel, index, NULL, 0};
        arguments = argument;
    }
    if (argument) {
        argument->memory = memory;
        argument->offset = offset;
    }
}

static cl_int CL_API_CALL set_svm_pointer(cl_kernel kernel, cl_uint index, const void *pointer)
{
    pthread_mutex_lock(&lock);
    const struct memory *memory = find(pointer);
    note_argument(kernel, index, memory, memory ? offset_in(memory, pointer) : 0);
    if (memory)
        pointer = memory->storage + offset_in(memory, pointer);
    pthread_mutex_unlock(&lock);
    return target->clSetKernelArgSVMPointer(kernel, index, pointer);
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t bytes,
                                       const void *value)
{
    pthread_mutex_lock(&lock);
    note_argument(kernel, index, NULL, 0);
    pthread_mutex_unlock(&lock);
    return target->clSetKernelArg(kernel, index, bytes, value);
}

static cl_int CL_API_CALL set_exec_info(cl_kernel kernel, cl_kernel_exec_info name, size_t bytes,
                                        const void *value)
{
    if (name != CL_KERNEL_EXEC_INFO_SVM_PTRS)
        return target->clSetKernelExecInfo(kernel, name, bytes, value);
    const void *const *pointers = value;
    const void **list = malloc(bytes + 1);
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < bytes / sizeof *list; i++)
        list[i] = translate(pointers[i], 0);
    const cl_int error = target->clSetKernelExecInfo(kernel, name, bytes, list);
    free(list);
    return error;
}

/* Lock held. */
static bool uses_mapped(const struct argument *argument, size_t bytes)
{
    const struct memory *memory = argument->memory;

    return memory && is_mapped(memory, argument->offset, bytes);
}

/* A kernel is taken to use a word per work-item. */
static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel,
                                         cl_uint dimensions, const size_t *offset,
                                         const size_t *global, const size_t *local, cl_uint count,
                                         const cl_event *list, cl_event *event)
{
    size_t bytes = sizeof(cl_uint);

    for (cl_uint i = 0; i < dimensions; i++)
        bytes *= global[i];
    pthread_mutex_lock(&lock);
    counters.launches++;
    for (const struct argument *argument = arguments; argument; argument = argument->next)
        counters.launches_while_mapped +=
            argument->kernel == kernel && uses_mapped(argument, bytes);
    pthread_mutex_unlock(&lock);
    return target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                          list, event);
}

/* ---- The layer ---- */

void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *below)
{
    target = below;
    layer->clGetDeviceInfo = get_device_info;
    layer->clCreateBuffer = create_buffer;
    layer->clGetExtensionFunctionAddressForPlatform = get_extension;
    layer->clSVMAlloc = svm_alloc;
    layer->clSVMFree = svm_free;
    layer->clEnqueueSVMMap = svm_map;
    layer->clEnqueueSVMUnmap = svm_unmap;
    layer->clEnqueueSVMMemcpy = svm_memcpy;
    layer->clEnqueueSVMMemFill = svm_fill;
    layer->clEnqueueWriteBuffer = write_buffer;
    layer->clEnqueueReadBuffer = read_buffer;
    layer->clSetKernelArgSVMPointer = set_svm_pointer;
    layer->clSetKernelArg = set_argument;
    layer->clSetKernelExecInfo = set_exec_info;
    layer->clEnqueueNDRangeKernel = enqueue_kernel;
}

/* Finds the platforms and devices once and asks them everything.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/host_memory.h"
#include "cl/base/options.h"
#include "cl/base/processor.h"
#include "cl/base/steady.h"
#include "cl/check.h"
#include "cl/device/device_select.h"
#include "cl/device/driver_folder.h"
#include "cl/device/driver_limits.h"
#include "cl/device/extension.h"
#include "cl/own_thread.h"
#include "cl/process.h"
#include "cl/trace.h"
#include "kernels/hash.h"

static struct ocl_device *devices;
static int device_count;
static bool has_several_platforms;
static bool choice_is_unmet; /* CLEM_DEVICE matches none of the devices there are */
static pthread_once_t start_once = PTHREAD_ONCE_INIT;

enum query_kind { QUERY_TEXT, QUERY_BOOL, QUERY_NUMBER };

#define KIND(type) _Generic((type)0, bool : QUERY_BOOL, default : QUERY_NUMBER)
#define PLACE(field)                                                                               \
    offsetof(struct ocl_device_facts, field), sizeof((struct ocl_device_facts *)0)->field

static const struct {
    cl_device_info query;
    enum query_kind kind;
    size_t offset;
    size_t bytes;
    size_t count;
} queries[] = {
#define TEXT(field, bytes, query)          {query, QUERY_TEXT, PLACE(field), 1},
#define NUMBER(type, field, query)         {query, KIND(type), PLACE(field), 1},
#define NUMBERS(type, field, count, query) {query, KIND(type), PLACE(field), count},
#include "cl/device_queries.def"
#undef TEXT
#undef NUMBER
#undef NUMBERS
};

/* Cuts a driver's text to what fits, without what would move the cursor or change colours of a
 * terminal: ASCII's control characters, and those that UTF-8 writes as C2 80 to C2 9F. */
static void take_text(char *text, size_t bytes, const char *whole)
{
    snprintf(text, bytes, "%s", whole + strspn(whole, " "));
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
        else if (*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
}

/* A device that fails when it is asked is not one that lacks what it was asked for: nothing is known of it. Looked at while
 * the devices are found, by one thread. */
static _Atomic bool has_failed;

static cl_int note_failure(cl_int error)
{
    if (error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES ||
        error == CL_DEVICE_NOT_AVAILABLE)
        atomic_store(&has_failed, true);
    return error;
}

static cl_int ask(cl_device_id id, cl_device_info query, size_t bytes, void *answer, size_t *needed)
{
    return note_failure(clGetDeviceInfo(id, query, bytes, answer, needed));
}

/* A text of any length; empty when the device does not know the query. */
static void ask_text(cl_device_id id, cl_device_info query, char *text, size_t bytes)
{
    size_t needed = 0;
    text[0] = '\0';
    if (ask(id, query, 0, NULL, &needed) != CL_SUCCESS || needed == 0)
        return;
    char *whole = calloc(1, needed + 1);
    if (whole && ask(id, query, needed, whole, NULL) == CL_SUCCESS)
        take_text(text, bytes, whole);
    free(whole);
}

static void ask_platform_text(cl_platform_id id, cl_platform_info query, char *text, size_t bytes)
{
    size_t needed = 0;
    text[0] = '\0';
    if (note_failure(clGetPlatformInfo(id, query, 0, NULL, &needed)) != CL_SUCCESS || needed == 0)
        return;
    char *whole = calloc(1, needed + 1);
    if (whole && note_failure(clGetPlatformInfo(id, query, needed, whole, NULL)) == CL_SUCCESS)
        take_text(text, bytes, whole);
    free(whole);
}

/* One number at `from`, as wide as the driver wrote it: cl_bool and cl_uint have 4 bytes, cl_ulong
 * 8, size_t the host's. */
static uint64_t read_number(const unsigned char *from, size_t bytes)
{
    uint32_t narrow;
    uint64_t wide;
    if (bytes == sizeof narrow) {
        memcpy(&narrow, from, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, from, sizeof wide);
    return wide;
}

static void write_number(unsigned char *to, size_t bytes, uint64_t value)
{
    uint32_t narrow = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    if (bytes == sizeof narrow)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &value, sizeof value);
}

/* count numbers, each field_bytes wide here and 4 or 8 bytes wide at the driver. Unknown queries
 * leave zeros. */
static void ask_numbers(cl_device_id id, cl_device_info query, enum query_kind kind,
                        unsigned char *fields, size_t field_bytes, size_t count)
{
    unsigned char answer[64] = {0};
    size_t answered = 0;
    if (ask(id, query, sizeof answer, answer, &answered) != CL_SUCCESS)
        return;
    size_t width = answered / count;
    if (width != sizeof(uint32_t) && width != sizeof(uint64_t))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = read_number(answer + i * width, width);
        bool is_set = value != 0;
        if (kind == QUERY_BOOL)
            memcpy(fields + i * field_bytes, &is_set, sizeof is_set);
        else
            write_number(fields + i * field_bytes, field_bytes, value);
    }
}

static uint64_t ask_number(cl_device_id id, cl_device_info query)
{
    uint64_t value = 0;
    ask_numbers(id, query, QUERY_NUMBER, (unsigned char *)&value, sizeof value, 1);
    return value;
}

static void ask_table(cl_device_id id, struct ocl_device_facts *facts)
{
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        unsigned char *field = (unsigned char *)facts + queries[i].offset;
        if (queries[i].kind == QUERY_TEXT)
            ask_text(id, queries[i].query, (char *)field, queries[i].bytes);
        else
            ask_numbers(id, queries[i].query, queries[i].kind, field,
                        queries[i].bytes / queries[i].count, queries[i].count);
    }
}

bool ocl_device_has_extension(const struct ocl_device_facts *facts, const char *extension)
{
    size_t length = strlen(extension);
    for (const char *at = facts->extensions; (at = strstr(at, extension)) != NULL; at += length)
        if ((at == facts->extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void ask_class(cl_device_id id, struct ocl_device_facts *facts)
{
    uint64_t type = ask_number(id, CL_DEVICE_TYPE);
    if (type & CL_DEVICE_TYPE_GPU)
        facts->device_class = OCL_CLASS_GPU;
    else if (type & CL_DEVICE_TYPE_CPU)
        facts->device_class = OCL_CLASS_CPU;
    else
        facts->device_class = OCL_CLASS_ACCELERATOR;
}

static void find_processor(struct ocl_device_facts *facts)
{
    const char *root = ocl_options_get()->host_root;
    static_assert(sizeof facts->processor == OCL_PROCESSOR_BYTES, "a copy is one of all");
    if (facts->device_class == OCL_CLASS_CPU)
        ocl_processor_features(root ? root : "", facts->processor);
}

/* Three ways to say where on the bus the device is: Khronos', NVIDIA's and AMD's. */
static void ask_pci(cl_device_id id, struct ocl_device_facts *facts)
{
    cl_device_pci_bus_info_khr khronos;
    struct {
        cl_uint type;
        unsigned char unused[17], bus, device, function;
    } amd;
    cl_uint bus, slot, domain;
    if (clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof khronos, &khronos, NULL) ==
        CL_SUCCESS) {
        facts->pci_domain = khronos.pci_domain;
        facts->pci_bus = khronos.pci_bus;
        facts->pci_device = khronos.pci_device;
        facts->pci_function = khronos.pci_function;
        facts->has_pci = true;
    } else if (clGetDeviceInfo(id, OCL_DEVICE_PCI_BUS_ID_NV, sizeof bus, &bus, NULL) ==
                   CL_SUCCESS &&
               clGetDeviceInfo(id, OCL_DEVICE_PCI_SLOT_ID_NV, sizeof slot, &slot, NULL) ==
                   CL_SUCCESS) {
        if (clGetDeviceInfo(id, OCL_DEVICE_PCI_DOMAIN_ID_NV, sizeof domain, &domain, NULL) !=
            CL_SUCCESS)
            domain = 0;
        facts->pci_domain = domain;
        facts->pci_bus = bus;
        facts->pci_device =
            slot >> 3; /* the slot number holds device and function, as PCI's devfn does */
        facts->pci_function = slot & 7;
        facts->has_pci = true;
    } else if (clGetDeviceInfo(id, OCL_DEVICE_TOPOLOGY_AMD, sizeof amd, &amd, NULL) == CL_SUCCESS &&
               amd.type == 1) {
        facts->pci_bus = amd.bus;
        facts->pci_device = amd.device;
        facts->pci_function = amd.function;
        facts->has_pci = true;
    }
}

static void ask_uuid(cl_device_id id, struct ocl_device_facts *facts)
{
    static const uint8_t none[sizeof facts->uuid];
    if (!ocl_device_has_extension(facts, "cl_khr_device_uuid") ||
        clGetDeviceInfo(id, CL_DEVICE_UUID_KHR, sizeof facts->uuid, facts->uuid, NULL) !=
            CL_SUCCESS)
        return;
    facts->has_uuid = memcmp(facts->uuid, none, sizeof none) != 0;
}

static void ask_shared_memory(cl_device_id id, struct ocl_device_facts *facts)
{
    uint64_t svm = facts->opencl_major >= 2 ? ask_number(id, CL_DEVICE_SVM_CAPABILITIES) : 0;
    facts->has_svm_coarse = svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    facts->has_svm_fine = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    facts->has_svm_system = svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    facts->has_svm_atomics = svm & CL_DEVICE_SVM_ATOMICS;
    facts->has_usm = ocl_device_has_extension(facts, "cl_intel_unified_shared_memory");
    facts->has_located_buffers = ocl_device_has_extension(facts, "cl_nv_create_buffer");
    facts->has_bda = ocl_device_has_extension(facts, "cl_ext_buffer_device_address");
}

static void ask_platform(cl_platform_id platform, struct ocl_device_facts *facts)
{
    ask_platform_text(platform, CL_PLATFORM_NAME, facts->platform_name,
                      sizeof facts->platform_name);
    ask_platform_text(platform, CL_PLATFORM_VENDOR, facts->platform_vendor,
                      sizeof facts->platform_vendor);
    ask_platform_text(platform, CL_PLATFORM_VERSION, facts->platform_version,
                      sizeof facts->platform_version);
    if (sscanf(facts->platform_version, "OpenCL %d", &facts->platform_major) != 1)
        facts->platform_major = 1;
}

/* Drivers may mean any cache by it. AMD's say what one compute unit has, NVIDIA's (580) that times the units;
 * others, and PoCL, the last level. */
static bool tells_last_level(const struct ocl_device_facts *facts)
{
    return !ocl_device_has_extension(facts, "cl_nv_device_attribute_query") &&
           !ocl_device_has_extension(facts, "cl_amd_device_attribute_query");
}

static void ask_facts(struct ocl_device *device)
{
    struct ocl_device_facts *facts = &device->facts;
    ask_platform(device->platform, facts);
    ask_table(device->id, facts);
    if (sscanf(facts->device_version, "OpenCL %d.%d", &facts->opencl_major, &facts->opencl_minor) !=
        2)
        facts->opencl_major = facts->opencl_minor = 0;
    ask_class(device->id, facts);
    find_processor(facts);
    ask_pci(device->id, facts);
    ask_uuid(device->id, facts);
    ask_shared_memory(device->id, facts);
    if (!tells_last_level(facts))
        facts->cache_bytes = 0;
    facts->base_align_bytes = facts->base_align_bits / 8;
    facts->has_double = ocl_options_get()->doubles == NULL &&
                        ask_number(device->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    facts->has_half = ocl_device_has_extension(facts, "cl_khr_fp16");
    facts->has_int64_atomics = ocl_device_has_extension(facts, "cl_khr_int64_base_atomics");
}

/* Why clem cannot use a device, or NULL when it can. */
static const char *find_fault(const struct ocl_device_facts *facts)
{
    if (atomic_load(&has_failed))
        return "its driver fails when it is asked about it";
    if (!facts->is_available)
        return "it is not available";
    if (!facts->has_compiler)
        return "it has no compiler";
    if (facts->opencl_major < 1 || (facts->opencl_major == 1 && facts->opencl_minor < 2))
        return "it is older than OpenCL 1.2";
    if (!facts->is_little_endian)
        return "its byte order is not the host's";
    if (facts->address_bits != 64)
        return "its addresses do not have 64 bits, as CUDA's pointers do";
    return NULL;
}

static bool add_device(cl_platform_id platform, cl_device_id id)
{
    struct ocl_device *longer = realloc(devices, (size_t)(device_count + 1) * sizeof *devices);
    if (!longer)
        return false;
    devices = longer;
    struct ocl_device *device = &devices[device_count];
    memset(device, 0, sizeof *device);
    device->platform = platform;
    device->id = id;
    device->extension = ocl_extension_get(platform);
    atomic_store(&has_failed, false);
    ask_facts(device);
    const char *fault = device->extension ? find_fault(&device->facts) : "there is no memory";
    if (fault)
        ocl_trace("%s (%s) is left out: %s", device->facts.name, device->facts.platform_name,
                  fault);
    else
        device_count++;
    return true;
}

static void add_platform(cl_platform_id platform)
{
    cl_uint count = 0;
    cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    cl_device_id *ids =
        error == CL_SUCCESS && count > 0 ? calloc(count, sizeof(cl_device_id)) : NULL;
    if (!ids || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL) != CL_SUCCESS)
        ocl_trace("a platform has no devices (%s)", ocl_status_name(error));
    else
        for (cl_uint i = 0; i < count && add_device(platform, ids[i]); i++)
            continue;
    free(ids);
}

static ocl_status add_platforms(void *unused)
{
    (void)unused;
    cl_uint count = 0;
    cl_int error = clGetPlatformIDs(0, NULL, &count);
    cl_platform_id *platforms =
        error == CL_SUCCESS && count > 0 ? calloc(count, sizeof(cl_platform_id)) : NULL;
    if (!platforms || clGetPlatformIDs(count, platforms, NULL) != CL_SUCCESS)
        ocl_trace("no OpenCL platform was found (%s)", ocl_status_name(error));
    else
        for (cl_uint i = 0; i < count; i++)
            add_platform(platforms[i]);
    free(platforms);
    return OCL_OK;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    static const unsigned char end = 0xff; /* texts do not run into each other */
    return fnv_add(fnv_add(hash, text, strlen(text)), &end, sizeof end);
}

static int count_same_before(int index)
{
    int same = 0;
    for (int i = 0; i < index; i++)
        same += strcmp(devices[i].facts.name, devices[index].facts.name) == 0 &&
                strcmp(devices[i].facts.platform_name, devices[index].facts.platform_name) == 0;
    return same;
}

/* A UUID that is the same in every run on this machine: a hash of the names and of the place among
 * devices of the same names. It is marked as version 8 of RFC 9562, "made by the application". */
static void make_uuid(int index)
{
    struct ocl_device_facts *facts = &devices[index].facts;
    const unsigned char place = (unsigned char)count_same_before(index);
    uint64_t half[2] = {FNV_START, 0x84222325cbf29ce4u};
    for (size_t i = 0; i < 2; i++) {
        half[i] = hash_text(half[i], facts->platform_name);
        half[i] = hash_text(half[i], facts->vendor);
        half[i] = hash_text(half[i], facts->name);
        half[i] = fnv_add(half[i], &place, sizeof place);
        memcpy(&facts->uuid[8 * i], &half[i], 8);
    }
    facts->uuid[6] = (uint8_t)((facts->uuid[6] & 0x0f) | 0x80);
    facts->uuid[8] = (uint8_t)((facts->uuid[8] & 0x3f) | 0x80);
}

static void trace_devices(void)
{
    for (int i = 0; i < device_count; i++)
        ocl_trace("device %d: %s (%s, %s)", i, devices[i].facts.name,
                  devices[i].facts.platform_name, devices[i].facts.device_version);
}

/* Where nothing was found PoCL may have been there and not started. */
static bool may_have_pocl(void)
{
    for (int i = 0; i < device_count; i++)
        if (ocl_driver_is_pocl(&devices[i].facts))
            return true;
    return device_count == 0;
}

static void find_all(void)
{
    const struct ocl_options *options = ocl_options_get();
    ocl_driver_folder_choose();
    if (own_thread_call(add_platforms, NULL, OCL_E_OUT_OF_MEMORY) != OCL_OK)
        ocl_trace("no thread could be started in which OpenCL begins");
    ocl_driver_folder_settle(may_have_pocl());
    device_count = ocl_device_select_order(devices, device_count);
    device_count = ocl_device_select_unique(devices, device_count);
    for (int i = 0; i < device_count; i++)
        if (!devices[i].facts.has_uuid)
            make_uuid(i);
    const int found = device_count;
    device_count = ocl_device_select_choice(devices, device_count, options->device,
                                            ocl_check_wants(OCL_CHECK_KERNELS));
    choice_is_unmet = found > 0 && device_count == 0;
    device_count = ocl_device_select_visible(devices, device_count, options->visible);
    for (int i = 0; i < device_count; i++) {
        devices[i].index = i;
        has_several_platforms |= devices[i].platform != devices[0].platform;
    }
    ocl_process_watch();
    trace_devices();
}

/* A driver that a cancelled thread has started by half never starts again. */
static void start(void)
{
    const int before = ocl_steady_begin();
    find_all();
    ocl_steady_end(before);
}

bool ocl_device_shares_platform(int device, int other)
{
    return ocl_device_get(device)->platform == ocl_device_get(other)->platform;
}

bool ocl_devices_share_platform(void)
{
    pthread_once(&start_once, start);
    return !has_several_platforms;
}

bool ocl_device_choice_is_unmet(void)
{
    pthread_once(&start_once, start);
    return choice_is_unmet;
}

int ocl_device_count(void)
{
    pthread_once(&start_once, start);
    return device_count;
}

const struct ocl_device *ocl_device_get(int index)
{
    int count = ocl_device_count();
    assert(index >= 0 && index < count);
    (void)count;
    return &devices[index];
}

const struct ocl_device_facts *ocl_device_facts(int device)
{
    return &ocl_device_get(device)->facts;
}

bool ocl_device_takes_host_memory(const struct ocl_device_facts *facts)
{
    return facts->device_class == OCL_CLASS_CPU || facts->has_host_unified_memory;
}

bool ocl_device_reaches_pageable(const struct ocl_device_facts *facts)
{
    const char *wanted = ocl_options_get()->address;
    if (ocl_check_wants(OCL_CHECK_GUARD)) /* as on a GPU, where such a pointer is an error */
        return false;
    return facts->has_svm_system && (wanted == NULL || strcmp(wanted, "handle") != 0);
}

/* "512M" is 512 MiB; 0 is no number of bytes. */
static uint64_t read_bytes(const char *text)
{
    static const char units[] = "KMG";
    char *end = NULL;
    errno = 0;
    uint64_t bytes = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    const char *unit = bytes > 0 && *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (bytes == 0 || errno != 0 || end[unit != NULL] != '\0' || bytes > UINT64_MAX >> shift)
        return 0;
    return bytes << shift;
}

static uint64_t wanted_limit = UINT64_MAX;

static void find_wanted_limit(void)
{
    const char *text = ocl_options_get()->memory;
    const uint64_t bytes = text ? read_bytes(text) : 0;
    if (bytes > 0)
        wanted_limit = bytes;
    else if (text)
        ocl_options_refuse("CLEM_MEMORY", text, "it is no number of bytes, such as 512M or 2G");
}

/* What there is, or what a test of shortage lets there be. */
static uint64_t memory_limit(const struct ocl_device_facts *facts)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_wanted_limit);
    const uint64_t host =
        ocl_device_takes_host_memory(facts) ? ocl_host_memory_limit() : UINT64_MAX;
    return wanted_limit < host ? wanted_limit : host;
}

void ocl_device_memory(int device, uint64_t *total, uint64_t *max_allocation)
{
    cl_device_id id = ocl_device_get(device)->id;
    const struct ocl_device_facts *facts = ocl_device_facts(device);
    const uint64_t limit = memory_limit(facts);
    *total = ask_number(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    *max_allocation = ask_number(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    if (*total == 0 || *max_allocation == 0) { /* it did not answer */
        *total = facts->global_bytes;
        *max_allocation = facts->max_alloc_bytes;
    }
    if (*total > limit)
        *total = limit;
    if (*max_allocation > limit)
        *max_allocation = limit;
}

unsigned ocl_wanted_capability(void)
{
    const char *text = ocl_options_get()->capability;
    return text ? (unsigned)(text[0] - '0') * 10 + (unsigned)(text[2] - '0') : 0;
}

const char *ocl_address_name(enum ocl_address address)
{
    static const char *const names[] = {
        [OCL_ADDRESS_NONE] = "none", [OCL_ADDRESS_BDA] = "bda", [OCL_ADDRESS_USM] = "usm",
        [OCL_ADDRESS_RAW] = "raw",   [OCL_ADDRESS_SVM] = "svm", [OCL_ADDRESS_HANDLE] = "handle",
    };
    assert((size_t)address < sizeof names / sizeof names[0]);
    return names[address];
}

bool ocl_device_gathers(const struct ocl_device_facts *facts)
{
    const char *form = ocl_options_get()->ptx_form;
    return facts->device_class != OCL_CLASS_CPU ||
           (form && (strcmp(form, "gpu") == 0 || strcmp(form, "item") == 0));
}

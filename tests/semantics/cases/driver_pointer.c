/* Semantics of driver pointer attributes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"

static bool is_address(int attribute)
{
    return attribute == CU_POINTER_ATTRIBUTE_CONTEXT ||
           attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
           attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
           attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
           attribute == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE ||
           attribute == CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR;
}

static bool differs(int attribute)
{
    return attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
           attribute == CU_POINTER_ATTRIBUTE_P2P_TOKENS ||
           attribute == CU_POINTER_ATTRIBUTE_MAPPING_SIZE ||
           attribute == CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID ||
           attribute == CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE ||
           attribute == CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE ||
           attribute == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE ||
           attribute == CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES;
}

static void attribute_value(const char *name, int attribute, const void *p, uint64_t value)
{
    if (is_address(attribute)) {
        VALUE(value == 0, "%s %d: is 0", name, attribute);
        VALUE(value == (uintptr_t)p, "%s %d: is p", name, attribute);
    } else if (differs(attribute)) {
        DEVICE_VALUE((long long)value, "%s %d: value", name, attribute);
    } else {
        VALUE((long long)(value & 0xffffffff), "%s %d: value", name, attribute);
    }
}

void record_pointer_attributes(const char *name, const void *p)
{
    for (int attribute = 0; attribute <= 22; attribute++) {
        uint64_t value[8] = {0};
        if (attribute == CU_POINTER_ATTRIBUTE_P2P_TOKENS) {
            continue;
        }
        DRIVER_AS(cuPointerGetAttribute(value, (CUpointer_attribute)attribute, address_of(p)),
                  "%s %d", name, attribute);
        attribute_value(name, attribute, p, value[0]);
    }
}

void case_driver_pointer_places(void)
{
    size_t count = 0;
    int on_stack = 0;
    const struct place *places = make_places(&count);
    for (size_t i = 0; i < count; i++) {
        record_pointer_attributes(places[i].name, places[i].p);
    }
    record_pointer_attributes("stack", &on_stack);
}

void case_driver_pointer_arguments(void)
{
    CUdeviceptr d = 0;
    unsigned type = 77;
    void *context = NULL;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT,
                                    (CUpointer_attribute)99};
    void *data[] = {&type, &context, &type};
    int yes = 1;
    make_driver_context();
    REQUIRE_DRIVER(cuMemAlloc(&d, 4096));
    DRIVER(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    DRIVER(cuPointerGetAttribute(NULL, (CUpointer_attribute)99, d));
    DRIVER(cuPointerGetAttribute(NULL, (CUpointer_attribute)99, 0));
    DRIVER(cuPointerGetAttribute(&type, (CUpointer_attribute)99, d));
    DRIVER(cuPointerGetAttribute(&type, (CUpointer_attribute)99, 0));
    DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
    VALUE(type, "untouched");
    DRIVER(cuPointerGetAttributes(0, wanted, data, d));
    DRIVER(cuPointerGetAttributes(2, NULL, data, d));
    DRIVER(cuPointerGetAttributes(2, wanted, NULL, d));
    DRIVER(cuPointerGetAttributes(2, wanted, data, 0));
    VALUE(type, "type of 0");
    VALUE(context == NULL, "context of 0");
    type = 77;
    DRIVER(cuPointerGetAttributes(2, wanted, data, address_of(&yes)));
    VALUE(type, "type of a stack variable");
    DRIVER(cuPointerGetAttributes(2, wanted, data, d + 5));
    VALUE(type, "type of device memory");
    VALUE(context != NULL, "context of device memory");
    DRIVER(cuPointerGetAttributes(3, wanted, data, d));
    DRIVER(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    DRIVER(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    DRIVER(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    DRIVER(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0));
    DRIVER(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address_of(&yes)));
    int synchronous = 77;
    DRIVER(cuPointerGetAttribute(&synchronous, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    VALUE(synchronous, "as set");
}

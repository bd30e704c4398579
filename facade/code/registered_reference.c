/* Texture and surface references that programs of CUDA 11 and before register before main.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/registered_reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/range_map.h"
#include "include/crt/host_runtime_abi.h"

struct entry {
    struct facade_registered_reference reference;
    struct entry *next;
};

static struct ocl_range_map *table; /* by the host variable's address */
static struct entry *registered;
static pthread_mutex_t registered_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    if (ocl_range_map_create(&table) != OCL_OK)
        table = NULL;
}

static void register_reference(const struct facade_registered_reference *reference,
                               const char *name)
{
    pthread_once(&once, make_table);
    struct entry *made = malloc(sizeof *made);
    char *copy = name != NULL ? strdup(name) : NULL;
    if (table == NULL || made == NULL || copy == NULL || reference->host == NULL)
        goto failed;
    made->reference = *reference;
    made->reference.name = copy;
    if (ocl_range_map_insert(table, (uintptr_t)reference->host, 1, made) != OCL_OK)
        goto failed;
    pthread_mutex_lock(&registered_lock);
    made->next = registered;
    registered = made;
    pthread_mutex_unlock(&registered_lock);
    return;
failed:
    free(copy);
    free(made);
}

void __cudaRegisterTexture(void **fatCubinHandle, const struct textureReference *hostVar,
                           const void **deviceAddress, const char *deviceName, int dim, int norm,
                           int ext)
{
    (void)deviceAddress, (void)dim, (void)ext;
    const struct facade_registered_reference reference = {
        .binary = fatCubinHandle,
        .host = hostVar,
        .reads_normalized = norm != 0,
    };
    register_reference(&reference, deviceName);
}

void __cudaRegisterSurface(void **fatCubinHandle, const struct surfaceReference *hostVar,
                           const void **deviceAddress, const char *deviceName, int dim, int ext)
{
    (void)deviceAddress, (void)dim, (void)ext;
    const struct facade_registered_reference reference = {
        .binary = fatCubinHandle,
        .host = hostVar,
        .is_surface = true,
    };
    register_reference(&reference, deviceName);
}

static struct entry *take_one(void **binary)
{
    pthread_mutex_lock(&registered_lock);
    struct entry **link = &registered;
    while (*link != NULL && (*link)->reference.binary != binary)
        link = &(*link)->next;
    struct entry *taken = *link;
    if (taken != NULL)
        *link = taken->next;
    pthread_mutex_unlock(&registered_lock);
    return taken;
}

void facade_references_unregister(void **binary)
{
    struct entry *entry;
    while ((entry = take_one(binary)) != NULL) {
        ocl_range_map_erase(table, (uintptr_t)entry->reference.host, 1);
        free(entry->reference.name);
        free(entry);
    }
}

const struct facade_registered_reference *facade_registered_reference(const void *host,
                                                                      bool is_surface)
{
    pthread_once(&once, make_table);
    const struct entry *found =
        table != NULL && host != NULL ? ocl_range_map_find(table, (uintptr_t)host) : NULL;
    return found != NULL && found->reference.is_surface == is_surface ? &found->reference : NULL;
}

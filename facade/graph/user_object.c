/* User objects: counting references, and running destructors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graph/user_object.h"

#include <pthread.h>
#include <stdlib.h>

#include "cl/check_made.h"
#include "cl/own_thread.h"
#include "facade/state/runtime.h"

/* What is left of an object without references: it is made with the object, so that no destructor is lost. */
struct ending {
    cudaHostFn_t destroy;
    void *pointer;
    struct ending *next;
};

/* cudaUserObject_t */
struct user_object {
    _Atomic uint64_t references;
    struct ending *ending;
};

struct facade_user_references {
    struct user_object *object;
    uint64_t count;
    struct facade_user_references *next;
};

/* --- destructors ------------------------------------------------------------------------------ */

/* Whoever ends an object may hold locks, and a destructor may wait for the program's: so a thread runs them, which ends when there
 * are none. The lock is a leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ending *first, **last = &first;
static bool is_running;

static void *run_all(void *unused);

/* Lock held. Without a thread they wait for the next object that ends. */
static void start(void)
{
    pthread_t thread;
    if (is_running || first == NULL)
        return;
    is_running = own_thread_start(&thread, 0, run_all, NULL);
    if (is_running)
        pthread_detach(thread);
}

static struct ending *next_ending(void)
{
    pthread_mutex_lock(&lock);
    struct ending *found = first;
    if (found != NULL)
        first = found->next;
    if (first == NULL)
        last = &first;
    is_running = found != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

/* A destructor has returned, or has ended its thread, whose place another one takes. */
static void end_destructor(void *ending)
{
    facade_host_function_end();
    free(ending);
}

static void replace_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    is_running = false;
    start();
    pthread_mutex_unlock(&lock);
}

static void run(struct ending *ending)
{
    facade_host_function_begin();
    pthread_cleanup_push(end_destructor, ending);
    ending->destroy(ending->pointer);
    pthread_cleanup_pop(1);
}

static void *run_all(void *unused)
{
    struct ending *ending;
    pthread_cleanup_push(replace_thread, NULL);
    while ((ending = next_ending()) != NULL)
        run(ending);
    pthread_cleanup_pop(0);
    return unused;
}

static void post(struct ending *ending)
{
    pthread_mutex_lock(&lock);
    ending->next = NULL;
    *last = ending;
    last = &ending->next;
    start();
    pthread_mutex_unlock(&lock);
}

/* --- references ------------------------------------------------------------------------------- */

static struct user_object *find(cudaUserObject_t handle)
{
    return facade_handle_find(FACADE_USER_OBJECT, handle);
}

static void hold(struct user_object *object, uint64_t count)
{
    atomic_fetch_add(&object->references, count);
}

/* Errors: cudaErrorInvalidValue for more references than there are. */
static cudaError_t let_go(struct user_object *object, uint64_t count)
{
    uint64_t now = atomic_load(&object->references);
    do {
        if (count > now)
            return cudaErrorInvalidValue;
    } while (!atomic_compare_exchange_weak(&object->references, &now, now - count));
    if (now > count)
        return cudaSuccess;
    struct ending *ending = object->ending;
    facade_handle_free(object);
    post(ending);
    return cudaSuccess;
}

static struct facade_user_references **find_in(struct facade_user_references **list,
                                               const struct user_object *object)
{
    while (*list != NULL && (*list)->object != object)
        list = &(*list)->next;
    return list;
}

/* The references are counted already. False without memory. */
static bool add(struct facade_user_references **list, struct user_object *object, uint64_t count)
{
    struct facade_user_references **place = find_in(list, object);
    if (*place == NULL) {
        *place = calloc(1, sizeof **place);
        if (*place == NULL)
            return false;
        (*place)->object = object;
    }
    (*place)->count += count;
    return true;
}

void facade_user_references_end(struct facade_user_references *list)
{
    while (list != NULL) {
        struct facade_user_references *next = list->next;
        (void)let_go(list->object, list->count);
        free(list);
        list = next;
    }
}

static bool copy_all(const struct facade_graph *graph, bool inner,
                     struct facade_user_references **list)
{
    bool is_done = true;
    for (const struct facade_user_references *entry = graph->objects; is_done && entry != NULL;
         entry = entry->next) {
        is_done = add(list, entry->object, entry->count);
        if (is_done)
            hold(entry->object, entry->count);
    }
    for (const struct facade_node *node = inner ? graph->first : NULL; is_done && node != NULL;
         node = node->next) {
        const struct facade_graph *within;
        for (size_t i = 0; is_done && (within = facade_node_inner(node, i)) != NULL; i++)
            is_done = copy_all(within, inner, list);
    }
    return is_done;
}

bool facade_user_references_copy(const struct facade_graph *graph, bool inner,
                                 struct facade_user_references **list)
{
    struct facade_user_references *made = NULL;
    if (!copy_all(graph, inner, &made)) {
        facade_user_references_end(made);
        return false;
    }
    *list = made;
    return true;
}

struct facade_user_references *facade_user_references_take(struct facade_graph *graph)
{
    struct facade_user_references *all = graph->objects, **end = &all;
    graph->objects = NULL;
    for (const struct facade_node *node = graph->first; node != NULL; node = node->next) {
        struct facade_graph *within;
        for (size_t i = 0; (within = facade_node_inner(node, i)) != NULL; i++) {
            while (*end != NULL)
                end = &(*end)->next;
            *end = facade_user_references_take(within);
        }
    }
    return all;
}

/* --- what both APIs call ---------------------------------------------------------------------- */

cudaError_t facade_user_object_create(cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy,
                                      unsigned count, unsigned flags)
{
    if (object == NULL || destroy == NULL || count == 0 || flags != cudaUserObjectNoDestructorSync)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    struct ending *ending = calloc(1, sizeof *ending);
    struct user_object *made =
        ending != NULL ? facade_handle_new(FACADE_USER_OBJECT, sizeof *made) : NULL;
    if (made == NULL) {
        free(ending);
        return cudaErrorMemoryAllocation;
    }
    ending->destroy = destroy;
    ending->pointer = pointer;
    made->ending = ending;
    atomic_init(&made->references, count);
    ocl_made_note("user object", made, NULL);
    *object = (cudaUserObject_t)made;
    return cudaSuccess;
}

cudaError_t facade_user_object_retain(cudaUserObject_t handle, unsigned count)
{
    struct user_object *object = find(handle);
    if (object == NULL || count == 0)
        return cudaErrorInvalidValue;
    hold(object, count);
    return cudaSuccess;
}

cudaError_t facade_user_object_release(cudaUserObject_t handle, unsigned count)
{
    struct user_object *object = find(handle);
    return object != NULL && count > 0 ? let_go(object, count) : cudaErrorInvalidValue;
}

cudaError_t facade_graph_retain_object(cudaGraph_t graph_handle, cudaUserObject_t handle,
                                       unsigned count, unsigned flags)
{
    struct facade_graph *graph = facade_handle_find(FACADE_GRAPH, graph_handle);
    struct user_object *object = find(handle);
    if (graph == NULL || object == NULL || count == 0 ||
        (flags & ~(unsigned)cudaGraphUserObjectMove) != 0)
        return cudaErrorInvalidValue;
    if (!add(&graph->objects, object, count))
        return cudaErrorMemoryAllocation;
    if (flags != cudaGraphUserObjectMove)
        hold(object, count);
    return cudaSuccess;
}

cudaError_t facade_graph_release_object(cudaGraph_t graph_handle, cudaUserObject_t handle,
                                        unsigned count)
{
    struct facade_graph *graph = facade_handle_find(FACADE_GRAPH, graph_handle);
    struct user_object *object = find(handle);
    if (graph == NULL || object == NULL || count == 0)
        return cudaErrorInvalidValue;
    struct facade_user_references **place = find_in(&graph->objects, object);
    struct facade_user_references *entry = *place;
    if (entry == NULL)
        return cudaErrorInvalidValue;
    const uint64_t given = count < entry->count ? count : entry->count;
    entry->count -= given;
    if (entry->count == 0) {
        *place = entry->next;
        free(entry);
    }
    return let_go(object, given);
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags)
{
    return facade_result(
        facade_user_object_create(object_out, ptr, destroy, initialRefcount, flags));
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    return facade_result(facade_user_object_retain(object, count));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    return facade_result(facade_user_object_release(object, count));
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags)
{
    return facade_result(facade_graph_retain_object(graph, object, count, flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count)
{
    return facade_result(facade_graph_release_object(graph, object, count));
}

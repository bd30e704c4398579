/* Memory of the device's heap that no kernel gives back.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/check/check_launch.h"
#include "cl/check/check_table.h"
#include "cl/check/stack.h"

/* A call of malloc() in a kernel, by launches from one place of the host. Stays as long as the process. */
struct ocl_heap_site {
    struct ocl_heap_site *next;
    const void *context;
    struct ptx_module *module; /* held: the kernel's name is its own */
    const char *kernel;
    uint32_t line, location, launch; /* the last: of stack.h */
    uint64_t pieces, bytes;          /* that are left, while they are counted */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* before that of the table */
static struct ocl_heap_site *sites;

static bool is_of(const struct ocl_heap_site *site, const struct ocl_access *a, uint32_t launch)
{
    return site->module == a->launch->module && site->line == a->line &&
           site->location == a->location && site->launch == launch &&
           site->kernel == a->launch->kernel && site->context == a->launch->context;
}

/* lock is held. NULL without memory. */
static struct ocl_heap_site *site_of(const struct ocl_access *a)
{
    const uint32_t launch = ocl_stack_keep(&a->launch->stack);
    struct ocl_heap_site *site = sites;
    while (site && !is_of(site, a, launch))
        site = site->next;
    if (site || !(site = malloc(sizeof *site)))
        return site;
    *site = (struct ocl_heap_site){.next = sites,
                                   .context = a->launch->context,
                                   .module = ptx_module_hold(a->launch->module),
                                   .kernel = a->launch->kernel,
                                   .line = a->line,
                                   .location = a->location,
                                   .launch = launch};
    sites = site;
    return site;
}

void ocl_check_heap_note(const struct ocl_access *a)
{
    if (!ocl_check_wants(OCL_CHECK_LEAK))
        return;
    pthread_mutex_lock(&lock);
    struct ocl_checked_memory *const memory = ocl_check_find(a->address);
    if (memory && memory->base == a->address)
        memory->heap_site = site_of(a);
    pthread_mutex_unlock(&lock);
}

static void tell(const struct ocl_heap_site *site)
{
    char what[128];
    char *const source = ptx_module_source(site->module, site->location);
    snprintf(what, sizeof what, "%llu bytes of the device's heap were not freed, in %llu piece%s",
             (unsigned long long)site->bytes, (unsigned long long)site->pieces,
             site->pieces == 1 ? "" : "s");
    ocl_check_report(&(struct ocl_finding){.check = OCL_CHECK_LEAK,
                                           .what = what,
                                           .kernel = site->kernel,
                                           .ptx_line = site->line,
                                           .source = source,
                                           .launch = ocl_stack_of(site->launch)});
    free(source);
}

/* lock is held. Counts what is left, which is nobody's from now on. */
static void count(struct ocl_checked_memory *memory, const void *context)
{
    struct ocl_heap_site *const site = memory->heap_site;
    if (!site || (context && site->context != context))
        return;
    memory->heap_site = NULL;
    if (atomic_load(&memory->freed))
        return;
    site->pieces++;
    site->bytes += memory->bytes;
}

static void end(const void *context, bool is_told)
{
    if (!ocl_check_wants(OCL_CHECK_LEAK))
        return;
    pthread_mutex_lock(&lock);
    ocl_check_visit(count, context);
    for (struct ocl_heap_site *site = sites; site; site = site->next) {
        if (is_told && site->pieces > 0)
            tell(site);
        site->pieces = site->bytes = 0;
    }
    pthread_mutex_unlock(&lock);
}

void ocl_check_heap_leave(const void *context)
{
    end(context, true);
}

void ocl_check_heap_lose(const void *context)
{
    end(context, false);
}

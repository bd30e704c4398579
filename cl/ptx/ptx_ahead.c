/* Compiles what a module's next launches may need, where nobody waits for it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cl/apart/apart.h"
#include "cl/base/options.h"
#include "cl/own_thread.h"
#include "cl/program/program_include.h"
#include "cl/ptx/ptx_apart.h"

/* A module whose kernels are compiled: its thread may outlive the program that it came from, and the context. */
struct order {
    struct order *next;
    struct ptx_module *module;
    const struct ocl_device *device;
    struct ocl_ptx_told told;
    size_t needed; /* which of the kernels was, last */
    size_t count;
    bool is_done[]; /* of each kernel */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct order *orders; /* the first is being carried out */
static bool is_running;      /* a thread */
static struct {
    struct ocl_apart_job *job; /* or NULL */
    struct ocl_ptx_mark mark;
} now;

/* ---- One kernel ---- */

static void compile(const struct ocl_ptx_apart_text *text)
{
    int signal = 0;
    struct ocl_apart_job job = {.device = text->device,
                                .text = text->text,
                                .bytes = text->bytes,
                                .options = text->options,
                                .name = text->name,
                                .is_nice = true};
    pthread_mutex_lock(&lock);
    now.job = &job;
    now.mark = text->mark;
    pthread_mutex_unlock(&lock);
    const enum ocl_apart_outcome outcome = ocl_apart_compile(&job, &signal);
    pthread_mutex_lock(&lock);
    now.job = NULL;
    pthread_mutex_unlock(&lock);
    if (outcome == OCL_APART_IS_DONE)
        ocl_ptx_apart_note(text);
}

static void take_translation(const struct order *order, const struct ptx_kernel *translated)
{
    const bool is_exact = ocl_ptx_divides(translated) && order->told.target.has_exact_divide;
    bool has_header = false;
    size_t bytes = translated->text_bytes;
    char *all = ocl_program_include(translated->text, &bytes, &has_header);
    struct ocl_ptx_apart_text text = {.device = order->device,
                                      .text = all,
                                      .options = is_exact ? OCL_TRANSLATION_OPTIONS
                                                     " " OCL_EXACT_DIVISION
                                                          : OCL_TRANSLATION_OPTIONS,
                                      .name = translated->name,
                                      .bytes = bytes};
    if (all && ocl_ptx_apart_wants(&text))
        compile(&text);
    free(all);
}

/* One that depends on what is not known of the device waits for its launch. */
static void compile_entry(const struct order *order, size_t index)
{
    struct ptx_kernel translated = {0};
    struct ptx_log log = {0};
    if (ptx_translate(order->module, index, &order->told.target, &translated, &log) == PTX_OK &&
        translated.form != PTX_FORM_NATIVE && translated.ends_when_empty &&
        (translated.facts & ~order->told.known) == 0)
        take_translation(order, &translated);
    ptx_kernel_free(&translated);
    free(log.text);
}

/* ---- All ---- */

/* The kernel to compile next, or order->count. Lock held. */
static size_t choose(struct order *order)
{
    size_t found = order->count, farthest = 0;
    for (size_t i = 0; i < order->count; i++) {
        const size_t behind = (i + order->count - order->needed) % order->count;
        const size_t distance = behind < order->count - behind ? behind : order->count - behind;
        if (!order->is_done[i] && distance > farthest) {
            farthest = distance;
            found = i;
        }
    }
    if (found < order->count)
        order->is_done[found] = true;
    return found;
}

/* The first order that has a kernel left, which becomes *index; NULL, and the thread's end, where none has. */
static struct order *take_next(size_t *index)
{
    pthread_mutex_lock(&lock);
    struct order *order = orders;
    while (order && (*index = choose(order)) == order->count) {
        orders = order->next;
        ptx_module_free(order->module);
        free(order);
        order = orders;
    }
    is_running = order != NULL;
    pthread_mutex_unlock(&lock);
    return order;
}

static void *run(void *unused)
{
    size_t index = 0;
    (void)unused;
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
    for (struct order *order = take_next(&index); order; order = take_next(&index))
        if (ocl_apart_is_possible(order->device))
            compile_entry(order, index);
    return NULL;
}

static struct order *make_order(const struct ocl_kernel *needed, struct ptx_module *module,
                                const struct ocl_ptx_told *told)
{
    const size_t count = ptx_module_entry_count(module);
    struct order *made = calloc(1, sizeof *made + count * sizeof *made->is_done);
    if (!made)
        return NULL;
    made->module = ptx_module_hold(module);
    made->device = needed->program->context->device;
    made->told = *told;
    made->count = count;
    made->needed = needed->ptx->index;
    made->is_done[made->needed] = true;
    return made;
}

/* Lock held. */
static void need(const struct ptx_module *module, size_t index)
{
    for (struct order *order = orders; order; order = order->next)
        if (order->module == module) {
            order->needed = index;
            order->is_done[index] = true;
        }
}

/* Whether a thread is to be started for it. */
static bool add_order(struct order *made)
{
    struct order **end = &orders;
    pthread_mutex_lock(&lock);
    while (*end)
        end = &(*end)->next;
    *end = made;
    const bool starts = !is_running;
    is_running = true;
    pthread_mutex_unlock(&lock);
    return starts;
}

static void start(void)
{
    pthread_t thread;
    if (own_thread_start(&thread, 0, run, NULL)) {
        pthread_detach(thread);
        return;
    }
    pthread_mutex_lock(&lock);
    is_running = false; /* the next order tries again */
    pthread_mutex_unlock(&lock);
}

void ocl_ptx_begin_ahead(const struct ocl_kernel *needed, const struct ocl_ptx_told *told)
{
    const char *chosen = ocl_options_get()->compile;
    struct ocl_ptx *ptx = ocl_program_origin(needed->program)->ptx;
    if (chosen && strcmp(chosen, "ahead") != 0)
        return;
    if (!atomic_exchange(&ptx->is_ahead, true)) {
        struct order *made = make_order(needed, ptx->module, told);
        if (made && add_order(made))
            start();
    }
    pthread_mutex_lock(&lock);
    need(ptx->module, needed->ptx->index);
    pthread_mutex_unlock(&lock);
}

void ocl_ptx_end_ahead(const struct ocl_ptx_mark *mark)
{
    pthread_mutex_lock(&lock);
    if (now.job && memcmp(&now.mark, mark, sizeof *mark) == 0)
        ocl_apart_end(now.job);
    pthread_mutex_unlock(&lock);
}

bool ocl_ptx_divides(const struct ptx_kernel *translated)
{
    const char *text = translated->text;
    if (!text)
        return false;
    if (translated->needs_device_header || strstr(text, "sqrt"))
        return true;
    for (const char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/'))
        if (slash[1] != '*' && (slash == text || slash[-1] != '*'))
            return true;
    return false;
}

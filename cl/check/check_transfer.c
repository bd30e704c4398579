/* Copies, fills and stream-ordered allocations, and what other streams do to their memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_transfer.h"

#include <stdio.h>
#include <string.h>

#include "cl/check/check_race.h"
#include "cl/check/touches.h"

/* The other command: its launch's kernel or NULL, its call. */
struct other {
    const char *about, *kernel;
    const struct ocl_stack *stack;
};

static void report(const struct ocl_touch *touch, const char *what, uint64_t address,
                   const struct other *other)
{
    ocl_check_report(&(struct ocl_finding){.check = OCL_CHECK_RACE,
                                           .what = what,
                                           .about = other->about,
                                           .space = "global",
                                           .address = address,
                                           .launch = &touch->stack,
                                           .other = other->stack,
                                           .other_kernel = other->kernel});
}

static void tell(const struct ocl_touch *touch, uint64_t address, bool writes,
                 const struct other *other)
{
    char what[160];
    const char *const own = touch->writes ? "writes" : "reads";
    snprintf(what, sizeof what,
             touch->writes && writes
                 ? "a %s and other work in another stream both write, with nothing to order them"
                 : "a %s %s what other work in another stream %s, with nothing to order them",
             touch->what, own, writes ? "writes" : "reads");
    report(touch, what, address, other);
}

static void tell_allocated(const struct ocl_touch *touch, uint64_t address,
                           const struct other *other)
{
    char what[160];
    snprintf(what, sizeof what,
             "a %s %s memory that another stream allocates, with nothing to order it behind "
             "that",
             touch->what, touch->writes ? "writes" : "reads");
    report(touch, what, address, other);
}

static void tell_changed(const struct ocl_touch *t)
{
    char what[160];
    snprintf(what, sizeof what,
             "the host writes to memory that a %s in a stream reads, and has not waited for "
             "that",
             t->what);
    ocl_check_report(&(struct ocl_finding){.check = OCL_CHECK_RACE,
                                           .what = what,
                                           .space = "host",
                                           .address = t->rows.address,
                                           .bytes = t->shape.width,
                                           .launch = &t->stack});
}

/* A kernel's write may be told of before the copy was, and come after. */
static void look(void)
{
    struct ocl_touch changed = {.what = NULL};
    while (ocl_touches_take_changed(&changed))
        if (!ocl_check_race_wrote(&changed.rows, &changed.shape))
            tell_changed(&changed);
}

static void check_end(const struct ocl_touch *touch)
{
    char about[256], kernel[256] = "";
    struct ocl_stack stack;
    struct ocl_touch met = {.what = NULL};
    uint64_t address = 0;
    bool writes = false;
    if (ocl_touches_add(touch, &met, &address)) {
        const struct other other = {about, NULL, &met.stack};
        (void)snprintf(about, sizeof about, "the other is a %s", met.what);
        if (met.allocates)
            tell_allocated(touch, address, &other);
        else
            tell(touch, address, met.writes, &other);
    }
    if (touch->time.position != 0 &&
        ocl_check_race_rows(
            &touch->time, &touch->rows, &touch->shape, touch->writes,
            &(struct ocl_race_other){about, kernel, sizeof about, &stack, &address, &writes, NULL}))
        tell(touch, address, writes, &(struct other){about, *kernel ? kernel : NULL, &stack});
}

void ocl_check_transfer(const struct ocl_stream *stream, const struct ocl_check_rows *target,
                        const struct ocl_check_rows *source, const struct ocl_check_shape *shape,
                        bool is_pinned)
{
    struct ocl_touch touch = {.shape = *shape, .what = source ? "copy" : "fill"};
    if (!ocl_check_wants(OCL_CHECK_RACE) || shape->width == 0 || shape->height == 0 ||
        shape->depth == 0)
        return;
    ocl_streams_set_looker(look);
    ocl_stream_command(stream, &touch.time);
    ocl_check_stack(&touch.stack);
    if (touch.time.position == 0)
        return;
    if (source && source->address) {
        touch.rows = *source;
        touch.is_watched = is_pinned;
        check_end(&touch);
    }
    if (target) {
        touch.rows = *target;
        touch.writes = true;
        touch.is_watched = false;
        check_end(&touch);
    }
}

/* ---- The program itself ---- */

/* Where the program was when the handler came that asks. */
static void stack_at(uint64_t code, struct ocl_stack *stack)
{
    int first = 0;
    ocl_check_stack(stack);
    while (first < stack->depth && (uint64_t)(uintptr_t)stack->at[first] != code)
        first++;
    if (first == stack->depth)
        return;
    stack->depth -= first;
    memmove(stack->at, stack->at + first, (size_t)stack->depth * sizeof *stack->at);
}

static void tell_host(const struct ocl_touch *touch, const struct ocl_touch *other)
{
    char what[160];
    snprintf(what, sizeof what,
             "the host %s memory that a %s in a stream %s, and has not waited for that",
             touch->writes ? "writes to" : "reads", other->what,
             !other->writes  ? "reads"
             : touch->writes ? "writes, too"
                             : "writes");
    ocl_check_report(&(struct ocl_finding){.check = OCL_CHECK_RACE,
                                           .what = what,
                                           .space = "host",
                                           .address = touch->rows.address,
                                           .host = &touch->stack,
                                           .other = &other->stack});
}

static void tell_host_of_kernel(const struct ocl_touch *touch, bool writes,
                                const struct other *other)
{
    ocl_check_report(&(struct ocl_finding){.check = OCL_CHECK_RACE,
                                           .what = ocl_check_host_sentence(touch->writes, writes),
                                           .about = other->about,
                                           .space = "host",
                                           .address = touch->rows.address,
                                           .host = &touch->stack,
                                           .other = other->stack,
                                           .other_kernel = other->kernel});
}

void ocl_check_host_touched(uint64_t address, bool writes, uint64_t code)
{
    struct ocl_touch touch = {.rows = {.address = address},
                              .shape = {1, 1, 1},
                              .writes = writes,
                              .is_host = true,
                              .what = "touch"},
                     met = {.what = NULL};
    char about[256], kernel[256] = "";
    struct ocl_stack stack;
    uint64_t at = 0;
    bool other_writes = false, is_open = false;
    ocl_stream_host(&touch.time);
    stack_at(code, &touch.stack);
    if (ocl_touches_add(&touch, &met, &at) && !met.allocates)
        tell_host(&touch, &met);
    if (ocl_check_race_rows(&touch.time, &touch.rows, &touch.shape, writes,
                            &(struct ocl_race_other){about, kernel, sizeof about, &stack, &at,
                                                     &other_writes, &is_open}) &&
        !is_open)
        tell_host_of_kernel(&touch, other_writes,
                            &(struct other){about, *kernel ? kernel : NULL, &stack});
}

void ocl_check_stream_allocated(const struct ocl_stream *stream, uint64_t address, size_t bytes)
{
    struct ocl_touch touch = {.rows = {.address = address},
                              .shape = {bytes, 1, 1},
                              .writes = true,
                              .allocates = true,
                              .what = "stream-ordered allocation"};
    struct ocl_touch met;
    uint64_t common;
    if (!ocl_check_wants(OCL_CHECK_RACE))
        return;
    ocl_streams_set_looker(look);
    ocl_stream_command(stream, &touch.time);
    ocl_check_stack(&touch.stack);
    if (touch.time.position != 0)
        (void)ocl_touches_add(&touch, &met, &common);
}

void ocl_check_unseen_kernel(void)
{
    if (ocl_check_wants(OCL_CHECK_RACE))
        ocl_touches_trust();
}

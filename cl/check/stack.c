/* Stacks of the host, kept once each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/stack.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cl/check.h"
#include "cl/check/symbol_file.h"
#include "cl/check/text.h"

/* A stack's number is its place in the table and one. A program that calls from more places than there is room for has no
 * stacks of the last ones. */
enum { PLACES = 1 << 16, LONGEST_SEARCH = 64 };
static struct ocl_stack *_Atomic stacks[PLACES];

/* Source: the FNV-1a hash, its parameters for 64 bits. */
static uint64_t hash_of(const struct ocl_stack *stack)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < stack->depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)stack->at[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static bool is_same(const struct ocl_stack *one, const struct ocl_stack *other)
{
    return one->depth == other->depth &&
           memcmp(one->at, other->at, (size_t)one->depth * sizeof *one->at) == 0;
}

uint32_t ocl_stack_keep(const struct ocl_stack *stack)
{
    struct ocl_stack *made = NULL;
    const uint64_t hash = stack ? hash_of(stack) : 0;
    for (uint64_t i = 0; stack && stack->depth > 0 && i < LONGEST_SEARCH; i++) {
        const size_t place = (size_t)((hash + i) % PLACES);
        struct ocl_stack *there = atomic_load_explicit(&stacks[place], memory_order_acquire);
        if (!there && !made) {
            made = malloc(sizeof *made);
            if (!made)
                return 0;
            *made = *stack;
        }
        if (!there && atomic_compare_exchange_strong(&stacks[place], &there, made))
            return (uint32_t)place + 1;
        if (is_same(there, stack)) {
            free(made);
            return (uint32_t)place + 1;
        }
    }
    free(made);
    return 0;
}

uint32_t ocl_stack_take(void)
{
    struct ocl_stack stack;
    ocl_check_stack(&stack);
    return ocl_stack_keep(&stack);
}

/* ---- Frames ---- */

/* What a frame is called by: the return address is behind the call, which may be the function's last instruction. */
struct frame {
    const char *file; /* NULL: in none */
    const char *name; /* NULL: none is known */
    uintptr_t base;   /* where the file is loaded */
    uintptr_t offset; /* in the function, or in the file */
    char room[256];
};

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The program's own name may be what its caller called it. */
static bool is_program(const void *base)
{
    Dl_info place;
    return dladdr((const void *)(uintptr_t)getauxval(AT_PHDR), &place) != 0 &&
           place.dli_fbase == base;
}

static void find_frame(const void *address, struct frame *frame)
{
    Dl_info place;
    const uintptr_t call = (uintptr_t)address - 1;
    *frame = (struct frame){.offset = (uintptr_t)address};
    if (dladdr((const void *)call, &place) == 0 || !place.dli_fname)
        return;
    frame->file = place.dli_fname;
    frame->base = (uintptr_t)place.dli_fbase;
    frame->offset = (uintptr_t)address - frame->base;
    if (place.dli_sname) {
        frame->name = place.dli_sname;
        frame->offset = (uintptr_t)address - (uintptr_t)place.dli_saddr;
    } else if (ocl_symbol_find(is_program(place.dli_fbase) ? "/proc/self/exe" : place.dli_fname,
                               call - frame->base, frame->room, sizeof frame->room,
                               &frame->offset)) {
        frame->name = frame->room;
        frame->offset++;
    }
}

/* Frames of clem's own stand first; what the program called is the last of them. Where clem is part of the program itself, as in
 * tests, all are the program's. */
static int first_frame(const struct ocl_stack *stack)
{
    Dl_info own, place;
    const uintptr_t here = (uintptr_t)ocl_stack_take;
    int first = 0;
    if (dladdr((const void *)here, &own) == 0 || is_program(own.dli_fbase))
        return 0;
    while (first < stack->depth && dladdr(stack->at[first], &place) != 0 &&
           place.dli_fbase == own.dli_fbase)
        first++;
    return first == stack->depth ? 1 : first > 0 ? first - 1 : 0;
}

const struct ocl_stack *ocl_stack_of(uint32_t number)
{
    return number > 0 && number <= PLACES ? atomic_load(&stacks[number - 1]) : NULL;
}

/* Entry points have names of clem's own inside. */
static const char *plain(const char *name)
{
    static const char *const words[] = {"clem_body_", "watched_"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return name + strlen(words[i]);
    return name;
}

static void write_frame(const struct frame *frame, int index, struct ocl_check_text *text)
{
    ocl_text_put(text, index == 0 ? "" : text->format == OCL_CHECK_JSON ? ", " : "\n");
    if (text->format == OCL_CHECK_JSON)
        ocl_text_put(text, "\"");
    else
        ocl_text_put(text, "        ");
    if (frame->name) {
        ocl_text_put_name(text, plain(frame->name));
        ocl_text_put(text, "+");
    }
    ocl_text_put_hexadecimal(text, frame->offset);
    if (frame->file) {
        ocl_text_put(text, " in ");
        ocl_text_put_escaped(text, last_part(frame->file));
    }
    if (text->format == OCL_CHECK_JSON)
        ocl_text_put(text, "\"");
}

static bool is_start(const struct frame *frame)
{
    return frame->name &&
           (strcmp(frame->name, "main") == 0 || strcmp(frame->name, "start_thread") == 0);
}

void ocl_stack_write(uint32_t number, struct ocl_check_text *text)
{
    const struct ocl_stack *const stack = ocl_stack_of(number);
    struct frame frame = {.name = NULL};
    if (!stack)
        return;
    const int first = first_frame(stack);
    for (int i = first; i < stack->depth && !is_start(&frame); i++) {
        find_frame(stack->at[i], &frame);
        write_frame(&frame, i - first, text);
    }
}

bool ocl_stack_visit(uint32_t number, bool (*visit)(const char *name, const void *argument),
                     const void *argument)
{
    const struct ocl_stack *const stack = ocl_stack_of(number);
    for (int i = stack ? first_frame(stack) : 0; stack && i < stack->depth; i++) {
        struct frame frame;
        find_frame(stack->at[i], &frame);
        if ((frame.name && visit(frame.name, argument)) ||
            (frame.file && visit(frame.file, argument)))
            return true;
    }
    return false;
}

/* Sub-groups laid over work-groups: sub-group g of size n has the work-items g * n to g * n + n - 1 of the group in the order of
 * their local numbers, the last one perhaps fewer. A function writes each work-item's value down, waits for all of the
 * work-group, and reads what its sub-group wrote.
 *
 * Limit: all work-items of a work-group have to come to each call, as to a barrier; of a real device those of a sub-group do.
 *
 * PoCL runs a work-group in one thread of the processor from its begin to its end. So the values lie in memory of the
 * process's that belongs to the thread, at a fixed address, by which PoCL's cache knows the text again. A kernel finds its
 * thread's by the register that points to a thread's own variables.
 *
 * Source: OpenCL 3.0, extension cl_khr_subgroups and its kin (shuffle, shuffle_relative, ballot).
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/stub/sub_groups.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 256, ITEMS = 4096 };

/* Keys of the threads, then a line of words for each. */
static const uintptr_t place = 0x5ab000000000;
static const size_t place_bytes =
    THREADS * sizeof(uint32_t) + (size_t)THREADS * ITEMS * sizeof(uint64_t);

#if defined(__x86_64__)
static const char own_thread[] = "mov %%fs:0, %0";
#elif defined(__aarch64__)
static const char own_thread[] = "mrs %0, tpidr_el0";
#else
static const char own_thread[] = "";
#endif

static const char numbers[] =
    "#define cl_khr_subgroups 1\n"
    "#define cl_khr_subgroup_shuffle 1\n"
    "#define cl_khr_subgroup_shuffle_relative 1\n"
    "#define cl_khr_subgroup_ballot 1\n"
    "#define STUB_SIZE %uu\n"
    "static uint stub_item(void)\n"
    "{\n"
    "    return (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) "
    "* get_local_id(2)));\n"
    "}\n"
    "static uint stub_items(void) { return (uint)(get_local_size(0) * get_local_size(1) * "
    "get_local_size(2)); }\n"
    "static uint get_max_sub_group_size(void) { return STUB_SIZE; }\n"
    "static uint get_sub_group_id(void) { return stub_item() / STUB_SIZE; }\n"
    "static uint get_sub_group_local_id(void) { return stub_item() %% STUB_SIZE; }\n"
    "static uint get_num_sub_groups(void) { return (stub_items() + STUB_SIZE - 1) / STUB_SIZE; }\n"
    "static uint get_enqueued_num_sub_groups(void) { return get_num_sub_groups(); }\n"
    "static uint get_sub_group_size(void)\n"
    "{\n"
    "    return min(STUB_SIZE, stub_items() - get_sub_group_id() * STUB_SIZE);\n"
    "}\n"
    "static __global ulong *stub_words(void)\n"
    "{\n"
    "    __global volatile uint *keys = (__global volatile uint *)%#llxul;\n"
    "    ulong self;\n"
    "    __asm__ volatile(\"%s\" : \"=r\"(self));\n"
    "    const uint key = (uint)(self >> 6);\n"
    "    uint at = (uint)(self >> 12) %% %uu;\n"
    "    for (;; at = (at + 1) %% %uu) {\n"
    "        const uint was = keys[at] == 0 ? atomic_cmpxchg(&keys[at], 0u, key) : keys[at];\n"
    "        if (was == 0 || was == key)\n"
    "            return (__global ulong *)(keys + %uu) + at * %uu;\n"
    "    }\n"
    "}\n"
    "static __global ulong *stub_tell(ulong value)\n"
    "{\n"
    "    __global ulong *words = stub_words();\n"
    "    words[stub_item()] = value;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n"
    "    return words + get_sub_group_id() * STUB_SIZE;\n"
    "}\n"
    "static void stub_done(void) { barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE); }\n"
    "static void __attribute__((overloadable)) sub_group_barrier(uint flags) { stub_done(); }\n"
    "static void __attribute__((overloadable)) sub_group_barrier(uint flags, int scope) { "
    "stub_done(); }\n";

static const char functions[] =
    "#define STUB_ONE(T, NAME, MORE, FROM)                                                         "
    " \\\n"
    "    static T __attribute__((overloadable)) NAME(T value MORE)                                 "
    " \\\n"
    "    {                                                                                         "
    " \\\n"
    "        const __global ulong *told = stub_tell(STUB_BITS(value));                             "
    " \\\n"
    "        const uint lane = get_sub_group_local_id(), from = (FROM);                            "
    " \\\n"
    "        const T other = from < get_sub_group_size() ? STUB_VALUE(T, told[from]) : value;      "
    " \\\n"
    "        stub_done();                                                                          "
    " \\\n"
    "        return other;                                                                         "
    " \\\n"
    "    }\n"
    "#define STUB_FOLD(T, NAME, BEGIN, FIRST, END, JOIN)                                           "
    " \\\n"
    "    static T __attribute__((overloadable)) NAME(T value)                                      "
    " \\\n"
    "    {                                                                                         "
    " \\\n"
    "        const __global ulong *told = stub_tell(STUB_BITS(value));                             "
    " \\\n"
    "        const uint lane = get_sub_group_local_id();                                           "
    " \\\n"
    "        T a = BEGIN;                                                                          "
    " \\\n"
    "        for (uint i = FIRST; i < (END); i++) {                                                "
    " \\\n"
    "            const T b = STUB_VALUE(T, told[i]);                                               "
    " \\\n"
    "            a = JOIN;                                                                         "
    " \\\n"
    "        }                                                                                     "
    " \\\n"
    "        stub_done();                                                                          "
    " \\\n"
    "        return a;                                                                             "
    " \\\n"
    "    }\n"
    "#define STUB_OF(T, WORD, NONE, JOIN)                                                          "
    " \\\n"
    "    STUB_FOLD(T, sub_group_reduce_##WORD, STUB_VALUE(T, told[0]), 1, get_sub_group_size(), "
    "JOIN) \\\n"
    "    STUB_FOLD(T, sub_group_scan_inclusive_##WORD, STUB_VALUE(T, told[0]), 1, lane + 1, JOIN)  "
    " \\\n"
    "    STUB_FOLD(T, sub_group_scan_exclusive_##WORD, NONE, 0, lane, JOIN)\n"
    "#define STUB_COMMA ,\n"
    "#define STUB_ALL(T, LEAST, MOST)                                                              "
    " \\\n"
    "    STUB_OF(T, add, (T)0, a + b)                                                              "
    " \\\n"
    "    STUB_OF(T, min, MOST, a < b ? a : b)                                                      "
    " \\\n"
    "    STUB_OF(T, max, LEAST, a > b ? a : b)                                                     "
    " \\\n"
    "    STUB_ONE(T, sub_group_broadcast, STUB_COMMA uint which, which)                            "
    " \\\n"
    "    STUB_ONE(T, sub_group_shuffle, STUB_COMMA uint which, which)                              "
    " \\\n"
    "    STUB_ONE(T, sub_group_shuffle_xor, STUB_COMMA uint mask, lane ^ mask)                     "
    " \\\n"
    "    STUB_ONE(T, sub_group_shuffle_up, STUB_COMMA uint delta, lane - delta)                    "
    " \\\n"
    "    STUB_ONE(T, sub_group_shuffle_down, STUB_COMMA uint delta, lane + delta)\n"
    "#define STUB_BITS(value)      ((ulong)(value))\n"
    "#define STUB_VALUE(T, word)   ((T)(word))\n"
    "STUB_ALL(int, INT_MIN, INT_MAX)\n"
    "STUB_ALL(uint, 0u, UINT_MAX)\n"
    "STUB_ALL(long, LONG_MIN, LONG_MAX)\n"
    "STUB_ALL(ulong, 0ul, ULONG_MAX)\n"
    "#undef STUB_BITS\n"
    "#undef STUB_VALUE\n"
    "#define STUB_BITS(value)      ((ulong)as_uint(value))\n"
    "#define STUB_VALUE(T, word)   as_float((uint)(word))\n"
    "STUB_ALL(float, -INFINITY, INFINITY)\n"
    "static int sub_group_all(int predicate) { return sub_group_reduce_min(predicate != 0 ? 1 : "
    "0); }\n"
    "static int sub_group_any(int predicate) { return sub_group_reduce_max(predicate != 0 ? 1 : "
    "0); }\n"
    "static uint4 sub_group_ballot(int predicate)\n"
    "{\n"
    "    const ulong bits = sub_group_reduce_add(predicate ? 1ul << get_sub_group_local_id() : "
    "0ul);\n"
    "    return (uint4)((uint)bits, (uint)(bits >> 32), 0u, 0u);\n"
    "}\n"
    "#line 1\n";

static bool has_place;

static void take_place(void)
{
    has_place = mmap((void *)place, place_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                     0) == (void *)place;
}

bool clem_stub_has_sub_groups(const char *text)
{
    return strstr(text, "sub_group_") || strstr(text, "_subgroups");
}

char *clem_stub_add_sub_groups(const char *text, unsigned items)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const size_t room = sizeof numbers + sizeof functions + strlen(text) + 512;
    char *whole = own_thread[0] ? malloc(room) : NULL;
    pthread_once(&once, take_place);
    if (!whole || !has_place) {
        free(whole);
        return NULL;
    }
    const int used = snprintf(whole, room, numbers, items, (unsigned long long)place, own_thread,
                              THREADS, THREADS, THREADS, ITEMS);
    snprintf(whole + used, room - (size_t)used, "%s%s", functions, text);
    return whole;
}

/* Tests of cl/check/check_log.c and of how logs are noted: which reads stay.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_log.h"

#include <stdlib.h>
#include <sys/types.h>

#include "cl/check/check_race.h"
#include "tests/test.h"

enum { MEMORY = 64 << 20, THREADS = 64, SITE = 9, WORDS = 4096 };
#define BASE UINT64_C(0x100000)

struct log {
    struct clem_check_still head;
    uint64_t words[3 * WORDS];
};

static void add(struct log *log, uint64_t address, uint64_t slot, uint64_t lanes)
{
    uint64_t *const to = log->words + log->head.log_count;
    log->head.log = (uint64_t)(uintptr_t)log->words;
    to[0] = address;
    to[1] = slot;
    to[2] = lanes;
    log->head.log_count += CLEM_READ_WORDS;
    log->head.latest = (uint32_t)slot;
}

/* Two places, the lanes of 5. */
static void add_list(struct log *log, uint64_t slot, uint32_t first, uint32_t second)
{
    add(log, BASE, slot, CLEM_READ_LANES(5, 4, CLEM_READ_LIST, 2));
    log->words[log->head.log_count++] = first | (uint64_t)second << 32;
}

static uint64_t count_reads(const struct log *log)
{
    uint64_t count = 0;
    for (uint64_t at = 0; at < log->head.log_count; at += CLEM_READ_SIZE(log->words[at + 2]))
        count += CLEM_READ_HOW(log->words[at + 2]) != CLEM_READ_NEXT;
    return count;
}

TEST_BODY(packed_log_has_the_last_read_of_each_word)
{
    struct log *const log = calloc(1, sizeof *log);
    const uint64_t line = CLEM_READ_LANES(UINT32_MAX, 4, CLEM_READ_LINE, 0);
    assert_non_null(log);
    for (uint32_t launch = 0; launch < 20; launch++) {
        for (uint32_t i = 0; i < 20 - launch % 3; i++)
            add(log, BASE + 128 * i, 10 + launch, line);
        add_list(log, 10 + launch, 40000 + 4 * launch, 20004);
        add(log, launch, 0, CLEM_READ_LANES(0, 0, CLEM_READ_NEXT, 0));
    }
    ocl_check_log_pack(&log->head, BASE, 1 << 20);
    assert_int_equal(count_reads(log), 20 + 20); /* of each list one place is its own */
    assert_int_equal(log->words[log->head.log_count - 3], 19);
    const uint64_t packed = log->head.log_count;
    ocl_check_log_pack(&log->head, BASE, 1 << 20); /* not before it is twice as long */
    assert_int_equal(log->head.log_count, packed);
    free(log);
}

static void count_found(void *found, const struct ocl_race_report *report)
{
    *(uint32_t *)found += report->before.site == SITE && !report->before.writes;
}

/* Whether a launch that nothing orders behind the reads races with them there, for each byte. */
static uint32_t races_at(struct ocl_race *race, uint32_t launch, uint64_t address, uint32_t *found)
{
    static uint64_t number;
    const uint32_t before = *found;
    struct ocl_race_block *const block = ocl_race_block_begin(race, launch, ++number, THREADS);
    ocl_race_access(race, block, 3,
                    &(const struct ocl_race_access){
                        .address = address, .site = SITE + 1, .bytes = 1, .writes = true});
    ocl_race_block_end(race, block);
    return *found - before;
}

TEST_BODY(logged_reads_are_found_once_they_are_noted)
{
    uint32_t found = 0;
    struct ocl_race *const race = ocl_race_new(MEMORY, count_found, &found);
    struct log *const log = calloc(1, sizeof *log);
    assert_non_null(log);
    const uint32_t reader = ocl_race_launch_begin(race, NULL);
    assert_int_equal(ocl_race_past_of(race, reader), OCL_RACE_OLD);
    struct ocl_race_block *const block = ocl_race_block_begin(race, reader, 0, THREADS);
    const struct clem_race_look *const look = ocl_race_look(race);
    assert_int_equal(look->is_clear, 1);
    ocl_race_access(race, block, 1,
                    &(const struct ocl_race_access){
                        .address = BASE + 4096, .site = SITE, .bytes = 4, .reads = true});
    const uint64_t slot = (look->sites[SITE].bits | 32) << 32 | look->time;
    log->head.clear = look->clear;
    log->head.alone = look->alone;
    add(log, BASE + 200, slot, CLEM_READ_LANES(0xff0, 1, CLEM_READ_LINE, 0));
    add(log, BASE + 512, slot, CLEM_READ_LANES(UINT32_MAX, 4, CLEM_READ_PLACE, 0));
    add_list(log, slot, 1000, 2004);
    ocl_race_block_end(race, block);
    const uint32_t writer = ocl_race_launch_begin(race, NULL);
    assert_int_equal(ocl_race_past_of(race, writer), OCL_RACE_BESIDE);
    assert_int_equal(races_at(race, writer, BASE + 1000, &found), 0);
    ocl_race_note_reads(race, &log->head);
    for (uint64_t at = 0; at < 2100; at++) {
        const bool is_line = at >= 204 && at < 212, is_place = at >= 512 && at < 516,
                   is_list = (at >= 1000 && at < 1004) || (at >= 2004 && at < 2008);
        if ((races_at(race, writer, BASE + at, &found) != 0) != (is_line || is_place || is_list))
            fail_msg("byte %llu", (unsigned long long)at);
    }
    assert_int_equal(ocl_race_is_full(race), false);
    ocl_race_free(race);
    free(log);
}

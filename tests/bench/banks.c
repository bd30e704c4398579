/* The model of conflicts in the banks of local memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include "bench/banks.h"

static size_t common_divisor(size_t a, size_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* Words of 4 bytes at a stride meet as often as the stride and the number of banks have in common. */
TEST_BODY(banks_of_words_at_a_stride)
{
    for (size_t stride = 1; stride <= 65; stride++)
        assert_true(banks_conflict_of_stride(stride, 4) == (double)common_divisor(stride, 32));
}

/* Half-warps of 8-byte words and quarter-warps of 16-byte words have no conflicts side by side. */
TEST_BODY(banks_of_wide_words)
{
    assert_true(banks_conflict_of_stride(1, 8) == 1.0);
    assert_true(banks_conflict_of_stride(2, 8) == 2.0);
    assert_true(banks_conflict_of_stride(32, 8) == 16.0);
    assert_true(banks_conflict_of_stride(33, 8) == 1.0);
    assert_true(banks_conflict_of_stride(1, 16) == 1.0);
    assert_true(banks_conflict_of_stride(2, 16) == 2.0);
    assert_true(banks_conflict_of_stride(32, 16) == 8.0);
}

/* A word goes to all lanes that ask for it in one pass. */
TEST_BODY(banks_give_a_word_to_all)
{
    size_t places[BANK_LANES] = {0};
    assert_true(banks_conflict(places, 4) == 1.0);
    for (size_t i = 0; i < BANK_LANES; i++)
        places[i] = i / 2 * 2;
    assert_true(banks_conflict(places, 4) == 1.0);
    for (size_t i = 0; i < BANK_LANES; i++)
        places[i] = i % 2 * 32;
    assert_true(banks_conflict(places, 4) == 2.0);
}

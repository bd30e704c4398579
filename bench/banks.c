/* The passes that the lanes of a warp need through the banks of local memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/banks.h"

/* Whether an earlier one of the first `count` places is the same. */
static int is_known(const size_t *places, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++)
        if (places[i] == place)
            return 1;
    return 0;
}

/* The most different words that the lanes of one request want from a bank. */
static size_t passes_of(const size_t *places, size_t lanes, size_t units)
{
    size_t wanted[BANK_COUNT] = {0}, most = 0;
    for (size_t i = 0; i < lanes; i++) {
        if (is_known(places, i, places[i]))
            continue;
        for (size_t k = 0; k < units; k++) {
            size_t bank = (places[i] * units + k) % BANK_COUNT;
            if (++wanted[bank] > most)
                most = wanted[bank];
        }
    }
    return most;
}

double banks_conflict(const size_t places[BANK_LANES], size_t word)
{
    size_t requests = word / 4, lanes = BANK_LANES / requests, passes = 0;
    for (size_t request = 0; request < requests; request++)
        passes += passes_of(places + request * lanes, lanes, word / 4);
    return (double)passes / (double)requests;
}

double banks_conflict_of_stride(size_t stride, size_t word)
{
    size_t places[BANK_LANES];
    for (size_t i = 0; i < BANK_LANES; i++)
        places[i] = i * stride;
    return banks_conflict(places, word);
}

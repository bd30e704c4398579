/* What programs were run, in numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_TALLY_H
#define ORDER_TALLY_H

#include "interpret.h"

struct tally {
    long programs;
    long
        counted; /* of 40 commands on three streams, with an order across streams and a checked read */
    long commands, checks, findings;
    double us[3]; /* as of outcomes, in all */
    long pairs[KINDS]
              [KINDS]; /* on one buffer: a command of the first kind before one of the second */
};

/* tally_program: one more, with what became of it. */
void tally_program(struct tally *tally, const struct program *program,
                   const struct outcome *outcome);

void tally_add(struct tally *tally, const struct tally *more);

/* tally_table: the pairs as a table. */
void tally_table(const struct tally *tally);

/* tally_rare: those that met fewer than ENOUGH_PAIRS times, though some memory is for both, and how many there are. */
enum { ENOUGH_PAIRS = 50 };
void tally_rare(const struct tally *tally, const struct features *features,
                const struct facts *facts);

#endif

/* Which OpenCL calls fail, and how: each place from which a call is made, once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_POINTS_H
#define TESTS_FAULT_POINTS_H

#include <stdbool.h>

enum fault_mode {
    FAULT_NONE,
    FAULT_ONCE,  /* the call fails, those behind it do not */
    FAULT_LOST,  /* the call fails, and so does every one behind it */
    FAULT_EVENT, /* the call succeeds, and the event that it makes ends with the code */
};

/* From here to fault_end(): the first call that comes from a place where none has failed before, in any round of this
 * process since fault_forget(), meets the fault. A place is the whole chain of callers; where a loop comes to it several
 * times in a round, the first `repeats` times are places of their own. */
void fault_begin(enum fault_mode mode, int code, unsigned repeats);

/* Everything works again. Returns whether the fault was met. */
bool fault_end(void);

/* Counts so many new places as places where a call has failed, and lets them pass: for a process that is one round. */
void fault_skip(unsigned places);

/* From the next fault_forget() on, of every `parts` new places only one fails, the one with number `part`: a part of what would
 * take too long. parts is 1 for all; where part is no less than parts, none fails. */
void fault_sample(unsigned part, unsigned parts);

/* New places that came by since fault_forget(), those that did not fail included. */
unsigned fault_places(void);

/* Whether the fault was met in the round that is running. */
bool fault_was_met(void);

/* Places where a call has failed count as new again. */
void fault_forget(void);

/* The OpenCL function whose call met the fault last, "none" at first, and its callers, on stderr. */
const char *fault_name(void);
void fault_print_place(void);

/* ---- for the functions that stand in for OpenCL's ---- */

/* The code that this call fails with, or 0. */
int fault_of_call(const char *name);

/* Whether the device is lost: every call fails. */
bool fault_is_lost(void);

/* The code that the event of this call ends with, or 0. */
int fault_of_event(const char *name);

#endif

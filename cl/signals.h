/* SIGSEGV belongs to clem and to the program: what the program wants of it, while clem's handler is the one that the
 * system calls. From the first allocation whose pages migrate on; until then nothing is changed. Private to cl/ and to
 * the facade's stand-ins for the C library's functions.
 *
 * A thread in which the system blocks SIGSEGV is killed by its first touch of a page that the device has. So it is
 * blocked nowhere, and threads note that the program blocks it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SIGNALS_H
#define OCL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

typedef void ocl_signal_handler(int number, siginfo_t *info, void *context);

/* Makes handler the one that the system calls, what was there the program's, and unblocks SIGSEGV in the calling thread
 * and in all other signals' handlers. Once; nobody else calls it at that moment. */
void ocl_signals_share(ocl_signal_handler *handler);

/* Whether that has been done: the rest needs it. Safe in handlers of signals, as all that follows is. */
bool ocl_signals_are_shared(void);

/* The same, but for a child of vfork(): it has the parent's memory and signals of its own. */
bool ocl_signals_are_shared_here(void);

/* Unblocks SIGSEGV in the calling thread, which may have blocked it before, or where no stand-in saw it. */
void ocl_signals_unblock(void);

/* The same, and puts the handler in front of one that was installed over it where no stand-in saw it, which becomes the
 * program's. One thread at a time. */
void ocl_signals_share_again(void);

/* Of a signal that is not a touch of a page: calls the program's handler as the system would, or ends the process as it
 * would. Returns when the handler does, and then the instruction is tried again. */
void ocl_signals_hand_on(int number, siginfo_t *info, void *context);

/* sigaction() for SIGSEGV, as the program knows it. before: what it set last; either may be NULL. */
void ocl_signals_exchange(const struct sigaction *wanted, struct sigaction *before);

/* Whether the mask of another signal's handler has SIGSEGV as the program knows it; is_masked says what it is from now
 * on. */
bool ocl_signals_is_masked(int number);
void ocl_signals_set_masked(int number, bool is_masked);

/* Whether the program blocks SIGSEGV in the calling thread. */
bool ocl_signals_is_blocked(void);
void ocl_signals_set_blocked(bool is_blocked);

/* In the program's handler for SIGSEGV, masks of the system have a token in its place. The first takes it out of a mask
 * and says whether it was there; the second ends that for the calling thread. */
bool ocl_signals_take_token(sigset_t *mask);
void ocl_signals_unblock_token(void);

#endif

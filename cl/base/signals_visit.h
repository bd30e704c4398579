/* Unblocking SIGSEGV in other threads. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SIGNALS_VISIT_H
#define OCL_SIGNALS_VISIT_H

/* Unblocks SIGSEGV in all threads that blocked it before a stand-in could see that, and has them note it, as
 * ocl_signals_unblock() does for the calling one. Only those are interrupted, but all where /proc does not tell which those
 * are: calls of theirs that are never made again by themselves, such as poll(), return EINTR. After ocl_signals_share(). */
void ocl_signals_visit(void);

#endif

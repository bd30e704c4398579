/* exit() in a signal's handler that interrupted a call of clem's: what is locked then is never unlocked. Private to
 * cl/context/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_INTERRUPTED_H
#define OCL_INTERRUPTED_H

#include <stdbool.h>

/* Whether the calling thread is in a signal's handler that interrupted a call of clem's, or of what clem calls. Takes no
 * lock but the loader's, which a thread may take again. */
bool ocl_call_is_interrupted(void);

/* For the one thread that ends such a process: calls function, and gives up when it is neither over nor has told of
 * progress for some time, as it waits for a lock of this thread's own. Then ends the process where even the C library's
 * memory is locked so, which exit handlers would wait for.
 * Needs: no other handler jumps away meanwhile. */
void ocl_interrupted_run(void (*function)(void));
void ocl_interrupted_tell_progress(void); /* nothing outside of it */

#endif

/* The end of the process. Private to cl/context/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_EXIT_H
#define OCL_EXIT_H

/* The process does not end before the work of the device is complete, where its driver computes in the process, or ten
 * seconds are over. Called each time that a context of the device was opened. */
void ocl_exit_watch(int device);

#endif

/* Where reports go: the file that was asked for, or standard error as it was when checks began. Private to cl/check/.
 *
 * The program may close or replace its streams meanwhile, change its folder, its root or its rights, or have no more numbers for
 * files: so files stay open from the start, and are looked at before something is written: nothing of this may come into a
 * file of the program's.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_REPORT_FILE_H
#define OCL_REPORT_FILE_H

#include <stdbool.h>

#include "cl/check/wishes.h"

/* Needs: no other call has been made, nor is. Says on stderr where the file cannot be had; reports go there then. */
void ocl_report_file_begin(const struct ocl_check_wishes *wishes);

/* The file to write to now; -1: there is none left. In handlers of signals too. */
int ocl_report_file(void);

/* Whether what is written there stays, as on a terminal: a document is written once. */
bool ocl_report_file_is_stream(void);

/* Others that append to it wait until the second call, though never long. Does nothing with a stream. */
void ocl_report_file_hold(int file);
void ocl_report_file_let_go(int file);

/* It could not be written to, for errno's reason. True: from now on reports go elsewhere, and this one has to be written again. */
bool ocl_report_file_fail(int error);

#endif

/* clem-info --peaks, for clem-run --summary. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_CLEM_PEAKS_H
#define FACADE_TOOLS_CLEM_PEAKS_H

/* Prints what large copies reach on the first device, in bytes a second: from pinned memory to the device, back, and within
 * the device. Returns 0, or 1 where one fails. Takes a few hundred milliseconds. */
int clem_peaks_print(void);

#endif

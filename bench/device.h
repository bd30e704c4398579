/* The devices of this run and what is known about them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_DEVICE_H
#define CLEM_BENCH_DEVICE_H

#include "bench/bench.h"

/* Number of devices, 0 when there is none. */
int device_count(void);

/* Fills facts about a device; false when it cannot be asked. */
bool device_describe(int index, struct device_facts *facts);

/* Whether choice ("all", a number, or part of the name, case ignored) takes this device. */
bool device_is_chosen(const struct device_facts *facts, const char *choice);

#endif

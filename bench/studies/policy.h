/* Paths of loads and hints of stores, and which of them a device has.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_POLICY_H
#define CLEM_BENCH_POLICY_H

#include "bench/study.h"

/* The numbers of PATH and HINT in policy.cl. From POLICY_CA and POLICY_WB on they are PTX's. */
enum policy_path {
    POLICY_PLAIN,
    POLICY_VOLATILE,
    POLICY_READ_ONLY,
    POLICY_PREFETCH,
    POLICY_CA,
    POLICY_CG,
    POLICY_CS,
    POLICY_LU,
    POLICY_CV,
    POLICY_PATHS
};
enum policy_hint {
    POLICY_WRITE,
    POLICY_NON_TEMPORAL,
    POLICY_WB,
    POLICY_WRITE_CG,
    POLICY_WRITE_CS,
    POLICY_WT,
    POLICY_HINTS
};

#define POLICY_VALUE 0x9E3779B9u

/* Whether the device's compiler reads PTX. */
bool policy_reads_ptx(const struct device_facts *device);

/* Whether a path, or a hint, gives right values on the device; asked once in a run for each of PTX's.
 * False after attempt_fail (UNSUPPORTED). attempt may be NULL: then only the device's kind counts. */
bool policy_path_works(struct attempt *attempt, const struct device_facts *device,
                       enum policy_path path);
bool policy_hint_works(struct attempt *attempt, const struct device_facts *device,
                       enum policy_hint hint);

/* False, after attempt_fail where there is an attempt. */
bool policy_refuse(struct attempt *attempt, const char *reason);

#endif

/* What the stub of a device with coarse-grained SVM has seen; found with dlsym().
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_STUB_COARSE_H
#define TESTS_STUB_COARSE_H

#include <stdint.h>

/* All count from the start of the process. */
struct clem_stub_counters {
    uint64_t maps, unmaps;
    uint64_t bytes_to_host;   /* by maps */
    uint64_t bytes_to_device; /* by unmaps of maps for writing */
    uint64_t launches;
    /* Broken rules. */
    uint64_t overlapping_maps;      /* of a range of which some is mapped */
    uint64_t stray_unmaps;          /* of what is not mapped */
    uint64_t launches_while_mapped; /* with an argument that points to what is mapped */
    uint64_t commands_while_mapped; /* that copy or fill what is mapped */
    uint64_t host_pointers;         /* host pages of SVM given to a command on buffers */
    uint64_t frees_while_mapped;
};

void clem_stub_read(struct clem_stub_counters *counters);

#endif

/* The names of the runtime API, for linkers.
 * SPDX-License-Identifier: Apache-2.0 */
#define ENTRY(group, name, status)                                                                 \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return 999; /* cudaErrorUnknown */                                                         \
    }
#include "facade/lists/entry_points.def"

/* The names of the driver API, for linkers.
 * SPDX-License-Identifier: Apache-2.0 */
#define ENTRY(group, api_name, name, status)                                                       \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return 999; /* CUDA_ERROR_UNKNOWN */                                                       \
    }
#include "facade/lists/driver_entry_points.def"

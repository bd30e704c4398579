/* The driver functions that programs ask for by name. Names here are those that programs call (FACADE_PUBLIC_NAMES).
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/names/driver_names.h"

#include "facade/driver/driver.h"
#include "include/cudaGL.h"

enum {
#define SINCE(symbol, version) SINCE_##symbol = version,
#include "facade/lists/driver_versions.def"
#undef SINCE
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
static const struct facade_driver_name names[] = {
#define ENTRY(group, api_name, exported_name, status)                                              \
    {#api_name, #exported_name, (facade_any_function *)exported_name, SINCE_##exported_name},
#include "facade/lists/driver_entry_points.def"
#undef ENTRY
};
#pragma GCC diagnostic pop

__attribute__((constructor)) static void tell(void)
{
    facade_driver_names_are(names, sizeof names / sizeof names[0]);
}

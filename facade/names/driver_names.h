/* The driver functions that programs ask for by name. Private to facade/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_DRIVER_NAMES_H
#define FACADE_DRIVER_NAMES_H

#include <stddef.h>

/* The functions have many types; a caller casts back to the one it asked for. */
typedef void facade_any_function(void);

struct facade_driver_name {
    const char *name;
    const char *symbol;
    facade_any_function *function; /* that programs call, not its body */
    int since;                     /* the version of CUDA that brought it */
};

/* What programs call stands above all rooms, so it says itself what there is. Called before main; names must stay. */
void facade_driver_names_are(const struct facade_driver_name *names, size_t count);

#endif

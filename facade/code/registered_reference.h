/* Texture and surface references that programs of CUDA 11 and before register before main. Private to facade/code/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_REGISTERED_REFERENCE_H
#define FACADE_REGISTERED_REFERENCE_H

#include <stdbool.h>

/* A host variable of the program and the name it has in the device code. */
struct facade_registered_reference {
    void **binary; /* what __cudaRegisterFatBinary gave */
    const void *host;
    char *name;
    bool is_surface, reads_normalized;
};

/* What is registered at the host variable's address, or NULL. Lives until its binary is
 * unregistered. */
const struct facade_registered_reference *facade_registered_reference(const void *host,
                                                                      bool is_surface);

/* The references of a binary are registered no more. */
void facade_references_unregister(void **binary);

#endif

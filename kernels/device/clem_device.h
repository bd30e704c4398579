/* What OpenCL C programs include to use clem's textures, surfaces and symbols.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_DEVICE_H
#define CLEM_DEVICE_H

#include "clem_surface.h"
#include "clem_symbols.h"
#include "clem_texture.h"

#endif

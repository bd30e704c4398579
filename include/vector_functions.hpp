/* vector_functions.hpp: make_ functions, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __VECTOR_FUNCTIONS_HPP__
#define __VECTOR_FUNCTIONS_HPP__

#include "vector_functions.h"

#endif

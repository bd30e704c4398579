/* What becomes of bits that nobody wrote where values are computed. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_FLOW_H
#define OCL_CHECK_FLOW_H

#include <stdbool.h>
#include <stdint.h>

/* So many bytes, the lowest. */
uint64_t ocl_flow_bytes(uint64_t bytes);

/* The bits of a result of so many bytes that come from bits which nobody wrote. how: CLEM_CHECK_MIX and the like, with its value;
 * sources: such bits of what it comes from, 0 where there is none. */
uint64_t ocl_flow(unsigned how, uint64_t value, uint32_t bytes, const uint64_t sources[4]);

/* Whether such bits of the result are other bits than those that were read: no copy, or part of one. */
bool ocl_flow_computes(unsigned how, uint64_t value, uint32_t bytes, const uint64_t sources[4]);

#endif

/* How kernels take the addresses of what they copy and fill: ADDRESS() among the parameters, POINTER() first in the body.
 * As numbers (built with CLEM_ADDRESSES_ARE_NUMBERS) they spare drivers the search for what a pointer lies in: a launch with
 * two pointers costs 1.5 microseconds more than one with two numbers on an NVIDIA H200 (driver 580).
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef CLEM_ADDRESSES_ARE_NUMBERS
#define ADDRESS(type, name) ulong name##_address
#define POINTER(type, name) __global type *name = (__global type *)name##_address
#else
#define ADDRESS(type, name) __global type *restrict name
#define POINTER(type, name) (void)name
#endif

/* Whether this is built with a sanitizer that defines the C library's functions itself.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SANITIZED_H
#define OCL_SANITIZED_H

#if defined(__has_feature)
#define OCL_IS_SANITIZED                                                                           \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                        \
     __has_feature(memory_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OCL_IS_SANITIZED 1
#else
#define OCL_IS_SANITIZED 0
#endif

#endif

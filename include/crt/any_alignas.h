/* alignas() where CUDA takes it and clang does not, behind __shared__: clang has GNU's attributes anywhere. Included
 * before sources that need it alone (clang_brings_missing()), in both passes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_ANY_ALIGNAS_H
#define CLEM_ANY_ALIGNAS_H

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

template <class type> constexpr __SIZE_TYPE__ clem_alignment()
{
    return alignof(type);
}

template <__SIZE_TYPE__ bytes> constexpr __SIZE_TYPE__ clem_alignment()
{
    return bytes;
}

#define alignas(...) __attribute__((__aligned__(::clem_alignment<__VA_ARGS__>())))

#endif

#endif

/* device_new.h: new and delete in kernels of types that want more than the alignment of malloc(). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_NEW_H
#define CLEM_CRT_DEVICE_NEW_H

#include "device_runtime.h"

/* clang has the others. Source: C++17, new.delete. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__) &&                             \
    defined(__cpp_aligned_new) && !defined(__CUDACC_RTC__)

/* What malloc() gave stands before the address. */
static __inline__ __attribute__((device)) void *clem_new(__SIZE_TYPE__ bytes,
                                                         std::align_val_t alignment)
{
    const __SIZE_TYPE__ to = static_cast<__SIZE_TYPE__>(alignment), more = to + sizeof(void *);
    void *const whole = bytes > ~more ? nullptr : malloc(bytes + more);
    if (!whole)
        return nullptr;
    void **const address =
        reinterpret_cast<void **>((reinterpret_cast<__SIZE_TYPE__>(whole) + more) & ~(to - 1));
    address[-1] = whole;
    return address;
}
static __inline__ __attribute__((device)) void clem_delete(void *address)
{
    if (address)
        free(static_cast<void **>(address)[-1]);
}

#define CLEM_NEW_DELETE(parts)                                                                     \
    __attribute__((device)) inline void *operator new parts(__SIZE_TYPE__ bytes,                   \
                                                            std::align_val_t alignment)            \
    {                                                                                              \
        return clem_new(bytes, alignment);                                                         \
    }                                                                                              \
    __attribute__((device)) inline void *operator new parts(                                       \
        __SIZE_TYPE__ bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept          \
    {                                                                                              \
        return clem_new(bytes, alignment);                                                         \
    }                                                                                              \
    __attribute__((device)) inline void operator delete parts(void *address,                       \
                                                              std::align_val_t) noexcept           \
    {                                                                                              \
        clem_delete(address);                                                                      \
    }                                                                                              \
    __attribute__((device)) inline void operator delete parts(void *address, __SIZE_TYPE__,        \
                                                              std::align_val_t) noexcept           \
    {                                                                                              \
        clem_delete(address);                                                                      \
    }                                                                                              \
    __attribute__((device)) inline void operator delete parts(void *address, std::align_val_t,     \
                                                              const std::nothrow_t &) noexcept     \
    {                                                                                              \
        clem_delete(address);                                                                      \
    }
CLEM_NEW_DELETE()
CLEM_NEW_DELETE([])
#undef CLEM_NEW_DELETE

#endif

#endif

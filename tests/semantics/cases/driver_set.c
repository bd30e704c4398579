/* Semantics of driver fills.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../oracle.h"

void case_driver_set_linear(void)
{
    CUdeviceptr d = 0;
    unsigned back[4] = {0};
    make_driver_context();
    REQUIRE_DRIVER(cuMemAlloc(&d, 4096));
    DRIVER_TRY(cuMemsetD8(d, 0x11, 16));
    DRIVER_TRY(cuMemsetD16(d + 2, 0x2233, 1));
    DRIVER_TRY(cuMemsetD32(d + 4, 0x44556677, 1));
    DRIVER_TRY(cuMemcpyDtoH(back, d, 16));
    VALUE(back[0], "first word");
    VALUE(back[1], "second word");
    VALUE(back[2], "third word");
    DRIVER_TRY(cuMemsetD16(d + 1, 0, 1));
    DRIVER_TRY(cuMemsetD32(d + 1, 0, 1));
    DRIVER_TRY(cuMemsetD32(d + 2, 0, 1));
    DRIVER_TRY(cuMemsetD32(d + 2, 0, 0));
    DRIVER_TRY(cuMemsetD16(d + 1, 0, 0));
    DRIVER_TRY(cuMemsetD8(0, 0, 0));
    DRIVER_TRY(cuMemsetD8(0, 0, 16));
    DRIVER_TRY(cuMemsetD32(0, 0, 0));
    DRIVER_TRY(cuMemsetD32(1, 0, 16));
    DRIVER_TRY(cuMemsetD8(d, 0, 4097));
    DRIVER_TRY(cuMemsetD8(d, 0, HUGE_SIZE));
    DRIVER_TRY(cuMemsetD32(d, 0, SIZE_MAX / 2));
    DRIVER_TRY(cuMemsetD32(d, 0, (SIZE_MAX / 4) + 2));
    DRIVER_TRY(cuMemsetD32(d + 1, 0, HUGE_SIZE));
    DRIVER_TRY(cuMemsetD8Async(d, 0, 16, NULL));
    DRIVER_TRY(cuMemsetD16Async(d + 1, 0, 16, NULL));
    DRIVER_TRY(cuMemsetD32Async(d, 0, 16, CU_STREAM_PER_THREAD));
    DRIVER_TRY(cuMemsetD8Async(d, 0, 16, (CUstream)(uintptr_t)3));
    DRIVER_TRY(cuMemsetD32Async(1, 0, 16, (CUstream)(uintptr_t)3));
}

void case_driver_set_2d(void)
{
    CUdeviceptr d = 0;
    unsigned char back[256] = {0};
    make_driver_context();
    REQUIRE_DRIVER(cuMemAlloc(&d, 4096));
    REQUIRE_DRIVER(cuMemsetD8(d, 0xee, 4096));
    DRIVER_TRY(cuMemsetD2D8(d, 64, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D16(d + 16, 64, 0x0203, 5, 2));
    DRIVER_TRY(cuMemsetD2D32(d + 32, 64, 0x04050607, 2, 2));
    DRIVER_TRY(cuMemcpyDtoH(back, d, 256));
    VALUE((back[9] == 1) + (back[10] == 0xee) + (back[73] == 1) + (back[74] == 0xee), "8 bit");
    VALUE((back[16] == 3) + (back[25] == 2) + (back[26] == 0xee) + (back[89] == 2), "16 bit");
    VALUE((back[32] == 7) + (back[39] == 4) + (back[40] == 0xee) + (back[103] == 4), "32 bit");
    DRIVER_TRY(cuMemsetD2D8(d, 9, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D8(d, 0, 1, 10, 1));
    DRIVER_TRY(cuMemsetD2D16(d, 63, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D16(d + 1, 64, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D32(d, 66, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D32(d + 2, 64, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D32(d, 64, 1, 17, 2));
    DRIVER_TRY(cuMemsetD2D32(d, 64, 1, 16, 64));
    DRIVER_TRY(cuMemsetD2D32(d, 64, 1, 16, 65));
    DRIVER_TRY(cuMemsetD2D8(0, 64, 1, 0, 0));
    DRIVER_TRY(cuMemsetD2D8(0, 64, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D8(d, 0, 1, 0, 2));
    DRIVER_TRY(cuMemsetD2D8(d, 0, 1, 10, 0));
    DRIVER_TRY(cuMemsetD2D32(d + 1, 3, 1, 0, 0));
    DRIVER_TRY(cuMemsetD2D8(d, SIZE_MAX, 1, 10, 2));
    DRIVER_TRY(cuMemsetD2D8(d, 64, 1, 10, SIZE_MAX));
    DRIVER_TRY(cuMemsetD2D8Async(d, 64, 1, 10, 2, NULL));
    DRIVER_TRY(cuMemsetD2D32Async(d + 1, 64, 1, 10, 2, NULL));
}

void case_driver_set_places(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    for (size_t i = 0; i < count; i++) {
        CUdeviceptr p = address_of(places[i].p);
        DRIVER_TRY_AS(cuMemsetD8(p, 1, PLACE_BYTES), "cuMemsetD8 %s", places[i].name);
        DRIVER_TRY_AS(cuMemsetD32(p, 1, PLACE_BYTES / 4), "cuMemsetD32 %s", places[i].name);
        DRIVER_TRY_AS(cuMemsetD2D8(p, 64, 1, 64, 64), "cuMemsetD2D8 %s", places[i].name);
    }
}

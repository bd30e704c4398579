/* Writes the time of the device's clock in nanoseconds, where a compiler gives a way to it; 0 elsewhere. Who sees it in
 * host memory sees what earlier commands wrote there as well.
 * Index space: one work-item. Alignment: word is an address, a multiple of 8.
 * SPDX-License-Identifier: Apache-2.0 */

/* %globaltimer: PTX ISA, Special Registers. The macro is NVIDIA's. */
#ifdef __NV_CL_C_VERSION
ulong device_clock(void)
{
    ulong time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    asm volatile("membar.sys;");
    return time;
}
#else
ulong device_clock(void)
{
    return 0;
}
#endif

kernel void clock_write(ulong word)
{
    *(volatile global ulong *)word = device_clock();
}

/* Questions to a device: where is this buffer, and what are addresses good for?
 * SPDX-License-Identifier: Apache-2.0 */

/* Index space of all: one work-item. Alignment: that of the parameters' types. */

/* from[0] is the address of a uint x, from[1] a number n. Stores x + n into the uint after x, and
 * into from[2] the address that from has here. */
void follow(global ulong *from)
{
    global uint *x = (global uint *)from[0];
    x[1] = x[0] + (uint)from[1];
    from[2] = (ulong)from;
}

/* Stores into answer[0] the device address of from, and follows it where answer[1] is not 0: for drivers that let an
 * address be given for a pointer parameter. One kernel for both, because PoCL compiles each when it is launched. */
kernel void probe_learn(global ulong *from, global ulong *answer)
{
    answer[0] = (ulong)from;
    if (answer[1] != 0)
        follow(from);
}

/* For those that do not. */
kernel void probe_follow_number(ulong from)
{
    follow((global ulong *)from);
}

/* Stores x[0] + n into x[1]. */
kernel void probe_add(global uint *x, uint n)
{
    x[1] = x[0] + n;
}

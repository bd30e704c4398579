/* The part that is no CUDA.
 * SPDX-License-Identifier: Apache-2.0 */
int host_part(int value)
{
    return value;
}

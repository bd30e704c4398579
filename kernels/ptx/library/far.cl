/* Functions that are called for those lanes alone for which `far` is not zero; the others have `near`.
 * SPDX-License-Identifier: Apache-2.0 */

float clem_far_sinf(uint far, float near, float x)
{
    return far ? clem_sinf(x) : near;
}

float clem_far_cosf(uint far, float near, float x)
{
    return far ? clem_cosf(x) : near;
}

float clem_far_powf(uint far, float near, float x, float y)
{
    return far ? clem_powf(x, y) : near;
}

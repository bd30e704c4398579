// Stencils and sweeps over grids.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void stencil_2d(const float *in, float *out, int width, int height)
{
    __shared__ float tile[18][18];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    tile[ty][tx] = in[y * width + x];
    if (threadIdx.x == 0)
        tile[ty][0] = x > 0 ? in[y * width + x - 1] : 0;
    if (threadIdx.x == 15)
        tile[ty][17] = x < width - 1 ? in[y * width + x + 1] : 0;
    if (threadIdx.y == 0)
        tile[0][tx] = y > 0 ? in[(y - 1) * width + x] : 0;
    if (threadIdx.y == 15)
        tile[17][tx] = y < height - 1 ? in[(y + 1) * width + x] : 0;
    __syncthreads();
    out[y * width + x] = 0.5f * tile[ty][tx] + 0.125f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

// 25 points: a plane in shared memory, the depth in registers that move on.
extern "C" __global__ void stencil_3d(const float *in, float *out, const float *weight, int nx, int ny, int nz)
{
    enum { RADIUS = 4, WIDE = 32, HIGH = 8 };
    __shared__ float tile[HIGH + 2 * RADIUS][WIDE + 2 * RADIUS];
    const int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
    const int row = nx + 2 * RADIUS, plane = row * (ny + 2 * RADIUS);
    int at = (y + RADIUS) * row + x + RADIUS;
    float before[RADIUS], behind[RADIUS], now;
    for (int i = RADIUS - 2; i >= 0; i--, at += plane)
        behind[i] = in[at];
    now = in[at];
    int from = at;
    at += plane;
    for (int i = 0; i < RADIUS; i++, at += plane)
        before[i] = in[at];
    for (int z = 0; z < nz; z++) {
        for (int i = RADIUS - 1; i > 0; i--)
            behind[i] = behind[i - 1];
        behind[0] = now;
        now = before[0];
#pragma unroll
        for (int i = 0; i < RADIUS - 1; i++)
            before[i] = before[i + 1];
        before[RADIUS - 1] = in[at];
        at += plane;
        from += plane;
        __syncthreads();
        if (threadIdx.y < RADIUS) {
            tile[threadIdx.y][tx] = in[from - RADIUS * row];
            tile[threadIdx.y + HIGH + RADIUS][tx] = in[from + HIGH * row];
        }
        if (threadIdx.x < RADIUS) {
            tile[ty][threadIdx.x] = in[from - RADIUS];
            tile[ty][threadIdx.x + WIDE + RADIUS] = in[from + WIDE];
        }
        tile[ty][tx] = now;
        __syncthreads();
        float value = weight[0] * now;
#pragma unroll
        for (int i = 1; i <= RADIUS; i++)
            value += weight[i] * (before[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] +
                                  tile[ty][tx + i]);
        out[from] = value;
    }
}

// Heat of a chip: several turns in one launch over a tile that gets smaller.
extern "C" __global__ void hotspot(int turns, const float *power, const float *from, float *to, int columns, int rows, int border,
                                   float cap, float rx, float ry, float rz, float step)
{
    enum { BLOCK = 16 };
    __shared__ float now[BLOCK][BLOCK], heat[BLOCK][BLOCK], next[BLOCK][BLOCK];
    const float ambient = 80, by_cap = step / cap, by_x = 1 / rx, by_y = 1 / ry, by_z = 1 / rz;
    const int tx = threadIdx.x, ty = threadIdx.y, small = BLOCK - turns * 2;
    const int top = small * blockIdx.y - border, left = small * blockIdx.x - border;
    const int y = top + ty, x = left + tx;
    if (y >= 0 && y < rows && x >= 0 && x < columns) {
        now[ty][tx] = from[columns * y + x];
        heat[ty][tx] = power[columns * y + x];
    }
    __syncthreads();
    const int first_y = top < 0 ? -top : 0, last_y = top + BLOCK > rows ? rows - 1 - top : BLOCK - 1;
    const int first_x = left < 0 ? -left : 0, last_x = left + BLOCK > columns ? columns - 1 - left : BLOCK - 1;
    const int north = ty - 1 < first_y ? first_y : ty - 1, south = ty + 1 > last_y ? last_y : ty + 1;
    const int west = tx - 1 < first_x ? first_x : tx - 1, east = tx + 1 > last_x ? last_x : tx + 1;
    bool is_computed = false;
    for (int i = 0; i < turns; i++) {
        is_computed = false;
        if (tx >= i + 1 && tx <= BLOCK - i - 2 && ty >= i + 1 && ty <= BLOCK - i - 2 && tx >= first_x && tx <= last_x &&
            ty >= first_y && ty <= last_y) {
            is_computed = true;
            next[ty][tx] = now[ty][tx] + by_cap * (heat[ty][tx] + (now[south][tx] + now[north][tx] - 2 * now[ty][tx]) * by_y +
                                                   (now[ty][east] + now[ty][west] - 2 * now[ty][tx]) * by_x +
                                                   (ambient - now[ty][tx]) * by_z);
        }
        __syncthreads();
        if (i == turns - 1)
            break;
        if (is_computed)
            now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (is_computed)
        to[columns * y + x] = next[ty][tx];
}

// The cheapest way down a wall: several rows in one launch.
extern "C" __global__ void pathfinder(int turns, const int *wall, const int *from, int *to, int columns, int start, int border)
{
    enum { BLOCK = 256 };
    __shared__ int before[BLOCK], now[BLOCK];
    const int t = threadIdx.x, small = BLOCK - turns * 2, left = small * blockIdx.x - border, x = left + t;
    const int first = left < 0 ? -left : 0, last = left + BLOCK > columns ? columns - 1 - left : BLOCK - 1;
    const int west = t - 1 < first ? first : t - 1, east = t + 1 > last ? last : t + 1;
    const bool is_valid = t >= first && t <= last;
    if (x >= 0 && x < columns)
        before[t] = from[x];
    __syncthreads();
    bool is_computed = false;
    for (int i = 0; i < turns; i++) {
        is_computed = false;
        if (t >= i + 1 && t <= BLOCK - i - 2 && is_valid) {
            is_computed = true;
            const int least = min(before[west], min(before[t], before[east]));
            now[t] = least + wall[columns * (start + i) + x];
        }
        __syncthreads();
        if (i == turns - 1)
            break;
        if (is_computed)
            before[t] = now[t];
        __syncthreads();
    }
    if (is_computed)
        to[x] = now[t];
}

// One block of the anti-diagonals of two sequences' alignment.
extern "C" __global__ void needleman(const int *reference, int *matrix, int columns, int penalty, int i, int blocks)
{
    enum { BLOCK = 16 };
    __shared__ int score[BLOCK + 1][BLOCK + 1], match[BLOCK][BLOCK];
    const int t = threadIdx.x, bx = blockIdx.x, by = i - 1 - bx;
    const int base = columns * BLOCK * by + BLOCK * bx, corner = base, north = base + t + 1, west = base + columns * (t + 1);
    if (by < 0 || by >= blocks)
        return;
    if (t == 0)
        score[0][0] = matrix[corner];
    for (int y = 0; y < BLOCK; y++)
        match[y][t] = reference[base + columns * (y + 1) + t + 1];
    __syncthreads();
    score[t + 1][0] = matrix[west];
    __syncthreads();
    score[0][t + 1] = matrix[north];
    __syncthreads();
    for (int m = 0; m < BLOCK; m++) {
        if (t <= m) {
            const int x = t + 1, y = m - t + 1;
            score[y][x] = max(score[y - 1][x - 1] + match[y - 1][x - 1], max(score[y][x - 1] - penalty, score[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int m = BLOCK - 2; m >= 0; m--) {
        if (t <= m) {
            const int x = t + BLOCK - m, y = BLOCK - t;
            score[y][x] = max(score[y - 1][x - 1] + match[y - 1][x - 1], max(score[y][x - 1] - penalty, score[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int y = 0; y < BLOCK; y++)
        matrix[base + columns * (y + 1) + t + 1] = score[y + 1][t + 1];
}

// Speckle is taken out of an image: the coefficient of diffusion of each pixel.
extern "C" __global__ void srad(float *east, float *west, float *north, float *south, const float *image, float *c, int columns,
                                int rows, float q0)
{
    enum { BLOCK = 16 };
    __shared__ float temp[BLOCK][BLOCK], result[BLOCK][BLOCK];
    __shared__ float n[BLOCK][BLOCK], s[BLOCK][BLOCK], w[BLOCK][BLOCK], e[BLOCK][BLOCK];
    const int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    const int at = columns * BLOCK * by + BLOCK * bx + columns * ty + tx;
    n[ty][tx] = by == 0 ? image[BLOCK * bx + tx] : image[at - columns * (ty + 1)];
    s[ty][tx] = by == (int)gridDim.y - 1 ? image[columns * BLOCK * (gridDim.y - 1) + BLOCK * bx + columns * (BLOCK - 1) + tx]
                                         : image[at + columns * (BLOCK - ty)];
    w[ty][tx] = bx == 0 ? image[columns * BLOCK * by + columns * ty] : image[at - tx - 1];
    e[ty][tx] = bx == (int)gridDim.x - 1 ? image[at - tx + BLOCK - 1] : image[at - tx + BLOCK];
    temp[ty][tx] = image[at];
    __syncthreads();
    const float here = temp[ty][tx];
    const float dn = (ty == 0 ? n[ty][tx] : temp[ty - 1][tx]) - here, ds = (ty == BLOCK - 1 ? s[ty][tx] : temp[ty + 1][tx]) - here;
    const float dw = (tx == 0 ? w[ty][tx] : temp[ty][tx - 1]) - here, de = (tx == BLOCK - 1 ? e[ty][tx] : temp[ty][tx + 1]) - here;
    const float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here), l = (dn + ds + dw + de) / here;
    const float number = 0.5f * g2 - 0.0625f * (l * l), divisor = 1 + 0.25f * l, q = number / (divisor * divisor);
    const float value = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    result[ty][tx] = value < 0 ? 0 : value > 1 ? 1 : value;
    __syncthreads();
    c[at] = result[ty][tx];
    east[at] = de;
    west[at] = dw;
    north[at] = dn;
    south[at] = ds;
}

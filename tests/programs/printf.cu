/* printf in kernels: every format against the host's, order within a thread, all threads' lines, many lines.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <algorithm>
#include <string>
#include <unistd.h>

/* Both sides run this, so its output must be the same. */
#define LINES(PRINT)                                                                               \
    PRINT("plain, 100%%\n");                                                                       \
    PRINT("%d %i %u %x %X %o %#x %#o\n", -42, 42, 3000000000u, 48879, 48879, 8, 255, 8);           \
    PRINT("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%*d] [%-*d]\n", 42, 42, 42, 42, 42, 7, 6, 9, 4, \
          1);                                                                                      \
    PRINT("%lld %llu %llx %ld %hd\n", -1234567890123ll, 18446744073709551615ull,                   \
          0x123456789abcdefull, -5l, 70000);                                                       \
    PRINT("%f %e %g %G %.3f %10.2f|%-10.1f| %+.1e\n", 3.25, 12345.678, 1e-10, 1e20, 2.0 / 3, -1.5, \
          2.25, 6.02e23);                                                                          \
    PRINT("%a %A %.0f %#.0f\n", 1.0, 0.1, 2.5, 3.0);                                               \
    PRINT("%c%c%c [%3c] %s [%10s] [%-6s] [%.2s]\n", 'a', 'b', 'c', 'd', "text", "right", "left",   \
          "cut");                                                                                  \
    PRINT("%f %f %f %d\n", (double)INFINITY, -(double)INFINITY, 1.0f, true);

__global__ void lines(void){LINES(printf)}

__global__ void threads(void)
{
    printf("block %u thread %u: %d\n", blockIdx.x, threadIdx.x, blockIdx.x * 100 + threadIdx.x);
}

__global__ void returned(int *out)
{
    out[0] = printf("%d %d %s\n", 1, 2, "three");
    out[1] = printf("none\n");
}

__device__ void from_a_function(const char *name, float value)
{
    if (value > 0.5f)
        printf("%s is %.4f\n", name, value);
    else if (value > 0)
        printf("%s is small\n", name);
}

__global__ void branches(const float *values)
{
    from_a_function("first", values[0]);
    from_a_function("second", values[1]);
    from_a_function("third", values[2]);
}

static int saved;

static FILE *capture(void)
{
    FILE *file = tmpfile();
    if (file == NULL)
        exit(1);
    fflush(stdout);
    saved = dup(1);
    dup2(fileno(file), 1);
    return file;
}

static std::string captured(FILE *file)
{
    CUDA(cudaDeviceSynchronize());
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    std::string text;
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;)
        text.push_back((char)c);
    fclose(file);
    return text;
}

static std::vector<std::string> sorted_lines(const std::string &text)
{
    std::vector<std::string> all;
    for (size_t start = 0, end; (end = text.find('\n', start)) != std::string::npos;
         start = end + 1)
        all.push_back(text.substr(start, end - start));
    std::sort(all.begin(), all.end());
    return all;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(2);
    device_array<float> values(std::vector<float>{0.75f, 0.25f, -1});
    FILE *file = capture();
    lines<<<1, 1>>>();
    const std::string got = captured(file);
    file = capture();
    LINES(printf)
    const std::string expected = captured(file);
    if (!EXPECT(got == expected))
        printf("--- got\n%s--- expected\n%s", got.c_str(), expected.c_str());
    result("lines", got.data(), got.size());

    file = capture();
    threads<<<5, 40>>>();
    const std::vector<std::string> all = sorted_lines(captured(file));
    std::string each;
    for (int b = 0; b < 5; b++)
        for (int t = 0; t < 40; t++)
            each += "block " + std::to_string(b) + " thread " + std::to_string(t) + ": " +
                    std::to_string(b * 100 + t) + "\n";
    EXPECT(all == sorted_lines(each));

    file = capture();
    returned<<<1, 1>>>(out.data);
    branches<<<1, 1>>>(values.data);
    EXPECT(captured(file) == "1 2 three\nnone\nfirst is 0.7500\nsecond is small\n");
    EXPECT(out.host() == (std::vector<int>{3, 0}));

    file = capture();
    for (int i = 0; i < 20; i++)
        threads<<<2, 10>>>();
    EXPECT(sorted_lines(captured(file)).size() == 400);
    return program_end();
}

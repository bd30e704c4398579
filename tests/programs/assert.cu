/* assert in kernels: a true one does nothing, a false one prints where it was and gives cudaErrorAssert from then on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cassert>
#include <string>
#include <unistd.h>

__global__ void holds(int *out)
{
    assert(blockDim.x == 64);
    out[threadIdx.x] = (int)threadIdx.x;
}

__global__ void fails(const int *in)
{
    assert(in[threadIdx.x] != 37 && "no 37 here");
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> memory(64);
    holds<<<1, 64>>>(memory.data);
    LAUNCHED();
    EXPECT(memory.host()[63] == 63);

    FILE *file = tmpfile();
    if (file == NULL)
        return 1;
    fflush(stderr);
    const int saved = dup(2);
    dup2(fileno(file), 2);
    fails<<<1, 64>>>(memory.data);
    const cudaError_t status = cudaDeviceSynchronize();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    std::string text;
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;)
        text.push_back((char)c);
    fclose(file);

    EXPECT(status == cudaErrorAssert);
    EXPECT(cudaMemset(memory.data, 0, 4) == cudaErrorAssert); /* and it stays */
    const bool is_told = text.find("assert.cu") != std::string::npos &&
                         text.find("in[threadIdx.x] != 37") != std::string::npos &&
                         text.find("[37,0,0]") != std::string::npos &&
                         text.find("[0,0,0]") != std::string::npos;
    if (!EXPECT(is_told))
        printf("    %s\n", text.c_str());
    return program_end();
}

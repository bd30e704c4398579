/* assert in kernels: a true one does nothing, a false one prints where it was and gives cudaErrorAssert from then on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cassert>
#include <csignal>
#include <string>
#include <sys/wait.h>
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

__global__ void strays(const int *in, int *out)
{
    out[(size_t)in[threadIdx.x] << 40] = 1;
}

/* What the function writes on stderr. */
template <typename Function> static std::string told_by(Function function)
{
    std::string text;
    FILE *file = tmpfile();
    if (file == NULL)
        return text;
    fflush(stderr);
    const int saved = dup(2);
    dup2(fileno(file), 2);
    function();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;)
        text.push_back((char)c);
    fclose(file);
    return text;
}

/* A kernel behind the assertion touches what the assertion was to keep it from: the process may end by that, or the device knows
 * of nothing else. Whether the assertion is the failure. */
static bool go_on_behind_it()
{
    if (const pid_t child = fork()) {
        int status = 0;
        EXPECT(child > 0 && waitpid(child, &status, 0) == child);
        return WIFEXITED(status) && WEXITSTATUS(status) == 1;
    }
    signal(SIGSEGV, SIG_DFL);
    device_array<int> memory(64);
    CUDA(cudaMemset(memory.data, 1, 64 * sizeof(int)));
    const int wrong = 37;
    CUDA(cudaMemcpy(memory.data + 1, &wrong, sizeof wrong, cudaMemcpyHostToDevice));
    fails<<<1, 64>>>(memory.data);
    strays<<<1, 1>>>(memory.data, memory.data);
    _exit(cudaDeviceSynchronize() == cudaErrorAssert);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    bool is_known = false;
    const std::string of_child =
        told_by([&] { is_known = go_on_behind_it(); }); /* before the first call of CUDA */
    const char *const address = getenv("CLEM_ADDRESS");
    if (!address || strcmp(address, "handle") !=
                        0) /* a crash is told of, and what the device noted can be read then */
        is_known |= of_child.find("strays") != std::string::npos;
    EXPECT(!is_known || of_child.find("in[threadIdx.x] != 37") != std::string::npos);
    device_array<int> memory(64);
    holds<<<1, 64>>>(memory.data);
    LAUNCHED();
    EXPECT(memory.host()[63] == 63);

    cudaError_t status = cudaSuccess;
    const std::string text = told_by([&] {
        fails<<<1, 64>>>(memory.data);
        status = cudaDeviceSynchronize();
    });

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

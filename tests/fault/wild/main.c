/* What a kernel's own failure, an access to a wild address above all, leaves behind on the device at hand: the answer of each
 * kind of call behind it, and whether a device that was reset works again.
 *
 *   clem_wild cuda write|read|misaligned|trap [CALL]   CUDA's calls. Where the device is a CPU only trap is possible: the
 *                                                      others would be accesses of this process. Ends with 1 when the
 *                                                      failure is not told, does not stay, or outlasts cudaDeviceReset()
 *   clem_wild opencl [CALL]                            OpenCL's calls behind a wild write, without clem
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wild.h"

int wild_child(const char *name, int (*function)(void *), void *argument)
{
    int state = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(CALL_SECONDS);
        const int status = function(argument);
        fflush(NULL);
        _exit(status);
    }
    if (child < 0 || waitpid(child, &state, 0) != child)
        return 1;
    if (WIFEXITED(state))
        return WEXITSTATUS(state);
    printf("%-34s %s\n", name, WTERMSIG(state) == SIGALRM ? "hangs" : strsignal(WTERMSIG(state)));
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const hurts[HURTS] = {"write", "read", "misaligned", "trap"};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "opencl") == 0)
        return wild_opencl(argc == 3 ? argv[2] : NULL);
    for (int i = 0; i < HURTS; i++) {
        if ((argc == 3 || argc == 4) && strcmp(argv[1], "cuda") == 0 &&
            strcmp(argv[2], hurts[i]) == 0)
            return wild_cuda((enum hurt)i, argc == 4 ? argv[3] : NULL);
    }
    fprintf(stderr, "usage: clem_wild cuda write|read|misaligned|trap [CALL], or opencl [CALL]\n");
    return 2;
}

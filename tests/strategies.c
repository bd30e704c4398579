/* Prints the address strategies that the first device can do, one per line: what tests/run repeats the tests for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clem.h>

/* CLEM_ADDRESS is read once per process, so each strategy is tried in a child of its own. The lines
 * printed so far go out first: some OpenCL implementations flush the child's copy of them. */
static int can_do(const char *name)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        clemDeviceInfo info;
        setenv("CLEM_ADDRESS", name, 1);
        _exit(clemGetDeviceInfo(&info, 0) == cudaSuccess &&
                      strcmp(clemAddressName(info.address), name) == 0
                  ? 0
                  : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

int main(void)
{
    static const char *const names[] = {"bda", "usm", "raw", "svm", "handle"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (can_do(names[i])) {
            printf("%s\n", names[i]);
            found++;
        }
    }
    return found > 0 ? 0 : 1;
}

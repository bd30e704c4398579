/* Runs a command and waits for it and for all that it leaves behind, so that their time counts: clem's compiler is no child of
 * the program that has it compile.
 *   clem-bench-whole COMMAND...      ends as the command does, or with 128 and the signal's number
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    int status = 0, its_status = 0;
    if (count < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 64;
    const pid_t child = fork();
    if (child == 0) {
        execvp(words[1], words + 1);
        perror(words[1]);
        _exit(127);
    }
    for (pid_t ended = wait(&status); ended > 0; ended = wait(&status))
        if (ended == child)
            its_status = status;
    return WIFEXITED(its_status) ? WEXITSTATUS(its_status) : 128 + WTERMSIG(its_status);
}

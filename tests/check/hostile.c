/* A program that frees memory twice, and is hard on whoever wants to say so: hostile WORD. hostile.sh reads what --check says.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorName(error));
    exit(1);
}

static void free_twice(void)
{
    void *made = NULL;
    must(cudaMalloc(&made, 64));
    must(cudaFree(made));
    (void)cudaFree(made);
}

/* Files of its own in the place of its streams, and nothing above them. */
static void close_all(const char *data)
{
    must(cudaFree(NULL));
    for (int file = STDIN_FILENO; file < 4096; file++)
        if (strcmp(data, "-") != 0 ? file <= STDERR_FILENO : file > STDERR_FILENO)
            close(file);
    for (int i = 0; strcmp(data, "-") != 0 && i < 3; i++)
        if (open(data, O_WRONLY | O_CREAT | O_APPEND, 0666) != i)
            _exit(1);
    free_twice();
}

/* A child that does nothing, and one that does what only its parent may. */
static void fork_twice(void)
{
    must(cudaFree(NULL));
    for (int i = 0; i < 2; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            void *made = NULL;
            exit(i == 1 && cudaMalloc(&made, 64) == cudaSuccess);
        }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
            exit(1);
    }
    free_twice();
}

static void *free_often(void *unused)
{
    for (volatile int i = 0; i < 200; i++) /* at one place, which no copy of the loop's body is */
        free_twice();
    return unused;
}

/* Some end before they are done. */
static void end_threads(void)
{
    pthread_t threads[8];
    must(cudaFree(NULL));
    for (int i = 0; i < 8; i++)
        if (pthread_create(&threads[i], NULL, free_often, NULL) != 0)
            exit(1);
    for (int i = 0; i < 8; i += 2)
        pthread_cancel(threads[i]);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

static void end_otherwise(const char *word)
{
    if (strcmp(word, "_exit") == 0)
        _exit(0);
    if (strcmp(word, "quick") == 0)
        quick_exit(3);
    if (strcmp(word, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(word, "abort") == 0)
        abort();
}

int main(int count, char **words)
{
    const char *const word = count > 1 ? words[1] : "";
    if (strcmp(word, "nothing") == 0) {
        must(cudaFree(NULL));
        _exit(0);
    }
    if (strcmp(word, "closed") == 0)
        close_all(count > 2 ? words[2] : "-");
    else if (strcmp(word, "forks") == 0)
        fork_twice();
    else if (strcmp(word, "threads") == 0)
        end_threads();
    else
        free_twice();
    if (strcmp(word, "execs") == 0)
        (void)execl("/proc/self/exe", words[0], "once", (char *)NULL);
    if (strcmp(word, "elsewhere") == 0) {
        if (chdir("/") != 0)
            return 1;
        must(cudaFree(NULL));
        void *made = NULL;
        must(cudaMalloc(&made, 32));
        must(cudaFree(made));
        (void)cudaFree(made);
    }
    end_otherwise(word);
    return 0;
}

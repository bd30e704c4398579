/* Which checks are wanted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check.h"

#include <execinfo.h>
#include <pthread.h>
#include <string.h>

#include "cl/base/options.h"

static unsigned wanted;

static unsigned check_named(const char *word, size_t length)
{
    static const struct {
        const char *name;
        unsigned checks;
    } names[] = {{"memory", OCL_CHECK_MEMORY}, {"init", OCL_CHECK_INIT}, {"race", OCL_CHECK_RACE},
                 {"sync", OCL_CHECK_SYNC},     {"leak", OCL_CHECK_LEAK}, {"guard", OCL_CHECK_GUARD},
                 {"all", OCL_CHECK_ALL}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, word, length) == 0)
            return names[i].checks;
    return 0;
}

static void read_wanted(void)
{
    const char *words = ocl_options_get()->check;
    while (words && *words) {
        const size_t length = strcspn(words, ",");
        const unsigned checks = check_named(words, length);
        if (!checks && length > 0)
            ocl_options_refuse("CLEM_CHECK", words, "it names no check");
        wanted |= checks;
        words += length + (words[length] == ',');
    }
}

unsigned ocl_check_wanted(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_wanted);
    return wanted;
}

bool ocl_check_wants(unsigned checks)
{
    return (ocl_check_wanted() & checks) != 0;
}

void ocl_check_stack(struct ocl_stack *stack)
{
    stack->depth = backtrace(stack->at, OCL_STACK_DEPTH);
}

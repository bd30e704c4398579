/* What is said of budgets that do not suffice. SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/base/budget.h"

#include <stdio.h>
#include <stdlib.h>

enum ptx_status ptx_outcome(const struct ptx_budget *budget, struct ptx_log *log, const char *who)
{
    if (!budget->exceeded)
        return PTX_E_OUT_OF_MEMORY;
    if (log) {
        free(log->text);
        if (asprintf(&log->text, "%.200s needs more than its budget of \"%s\" allows", who,
                     budget->exceeded) < 0)
            log->text = NULL;
    }
    return PTX_E_TOO_LARGE;
}

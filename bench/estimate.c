/* How long a run is going to take.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/estimate.h"

#include <stdio.h>

/* What a cell takes beside its samples: memory, filling, verifying, building a kernel. */
#define SECONDS_BESIDE 0.4
/* So many cells' worth of the prediction counts beside what was measured, so that the first cell
 * alone does not decide. */
#define TRUST_SECONDS 5.0

double estimate_task(const struct task *task, const struct effort *effort)
{
    double contenders = 1 + task->raw_beside + task->host_beside;
    double least = (double)effort->samples * effort->sample_seconds;
    double samples = (least + effort->seconds) / 2; /* steady ones end early */
    if (task->row->work == WORK_CHECK)
        return SECONDS_BESIDE;
    return SECONDS_BESIDE + contenders * (samples > least ? samples : least);
}

void estimate_add(struct estimate *estimate, double predicted)
{
    estimate->left += predicted;
}

void estimate_skip(struct estimate *estimate, double predicted)
{
    estimate->left -= predicted;
    if (estimate->left < 0)
        estimate->left = 0;
}

void estimate_done(struct estimate *estimate, double predicted, double seconds)
{
    estimate_skip(estimate, predicted);
    estimate->done += predicted;
    estimate->measured += seconds;
}

double estimate_left(const struct estimate *estimate)
{
    double factor = (estimate->measured + TRUST_SECONDS) / (estimate->done + TRUST_SECONDS);
    return estimate->left * factor;
}

void estimate_text(char out[32], double seconds)
{
    long minutes = (long)(seconds / 60 + 0.5);
    if (seconds < 99.5)
        snprintf(out, 32, "%.0f s", seconds);
    else if (minutes < 120)
        snprintf(out, 32, "%ld min", minutes);
    else
        snprintf(out, 32, "%ld h %02ld min", minutes / 60, minutes % 60);
}

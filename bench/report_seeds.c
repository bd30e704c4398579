/* The verdicts on the seed rows, on paper.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/seeds.h"

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>
#endif

static void counts_line(FILE *file, const struct seed_verdict verdicts[SEEDS], size_t unmeasured)
{
    size_t counts[VERDICTS] = {0};
    for (size_t i = 0; i < SEEDS; i++)
        counts[verdicts[i].verdict]++;
    counts[VERDICT_INCONCLUSIVE] -= unmeasured;
    fprintf(file, "\nseed rows: ");
    for (int i = 0; i < VERDICTS; i++)
        fprintf(file, "%zu %s, ", counts[i], verdict_name((enum verdict)i));
    fprintf(file, "%zu not measured in this run\n", unmeasured);
}

/* As many IDs in a line as a page is wide. */
static void unmeasured_lines(FILE *file, const struct seed_verdict verdicts[SEEDS])
{
    size_t in_line = 0;
    for (size_t i = 0; i < SEEDS; i++) {
        if (verdicts[i].measured)
            continue;
        fprintf(file, "%s %s", in_line == 0 ? "  not measured:" : "", seeds[i].id);
        if (++in_line == 14) {
            fputc('\n', file);
            in_line = 0;
        }
    }
    if (in_line)
        fputc('\n', file);
}

void report_seeds_text(FILE *file, const struct device_report *device)
{
    struct seed_verdict verdicts[SEEDS];
    size_t unmeasured = 0;
    seeds_judge(device, verdicts);
    for (size_t i = 0; i < SEEDS; i++)
        unmeasured += !verdicts[i].measured;
    counts_line(file, verdicts, unmeasured);
    for (size_t i = 0; i < SEEDS; i++)
        if (verdicts[i].measured && verdicts[i].verdict != VERDICT_AS_EXPECTED)
            fprintf(file, "  %s %-12s %s\n         %s\n", seeds[i].id,
                    verdict_name(verdicts[i].verdict), seeds[i].what, verdicts[i].words);
    unmeasured_lines(file, verdicts);
}

#ifdef CLEM_BENCH_JSON
void report_seeds_json(cJSON *array, const struct device_report *device)
{
    struct seed_verdict verdicts[SEEDS];
    seeds_judge(device, verdicts);
    for (size_t i = 0; i < SEEDS; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "device", device->facts.index);
        cJSON_AddStringToObject(object, "id", seeds[i].id);
        cJSON_AddStringToObject(object, "what", seeds[i].what);
        cJSON_AddStringToObject(object, "verdict", verdict_name(verdicts[i].verdict));
        cJSON_AddBoolToObject(object, "measured", verdicts[i].measured);
        cJSON_AddStringToObject(object, "words", verdicts[i].words);
        cJSON_AddNumberToObject(object, "expectations", verdicts[i].expected);
        cJSON_AddNumberToObject(object, "expectations_measured", verdicts[i].found);
        cJSON_AddStringToObject(object, "covered_by", seeds[i].covers);
        cJSON_AddItemToArray(array, object);
    }
}
#endif

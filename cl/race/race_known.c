/* What threads know of what other threads did.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race_state.h"

static uint32_t latest_of(const struct ocl_race *race, uint32_t node)
{
    return node ? race->nodes[node].latest : 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Without memory: what was known before, so that more is reported than there is. is_full says so. */
static uint32_t add_node(struct ocl_race *race, const struct node *node)
{
    size_t room = race->node_room;
    const size_t count = race->node_count ? race->node_count : 1;
    if (!race_grow(race, (void **)&race->nodes, &room, count, sizeof *race->nodes))
        return node->left;
    race->node_room = (uint32_t)room;
    race->nodes[count] = *node;
    race->nodes[count].latest =
        larger(node->time, larger(latest_of(race, node->left), latest_of(race, node->right)));
    race->node_count = (uint32_t)count + 1;
    return (uint32_t)count;
}

/* Whether a is b, or next below it. */
static bool is_within(const struct ocl_race *race, uint32_t a, uint32_t b)
{
    return a == b || race->nodes[b].left == a || race->nodes[b].right == a;
}

uint32_t race_join(struct ocl_race *race, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0)
        return a | b;
    if (is_within(race, a, b))
        return b;
    if (is_within(race, b, a))
        return a;
    return add_node(race, &(struct node){.left = a, .right = b});
}

uint32_t race_tell(struct ocl_race *race, uint32_t knows, uint32_t block, uint32_t who,
                   uint32_t time)
{
    return add_node(race, &(struct node){.left = knows, .block = block, .who = who, .time = time});
}

static bool push(struct ocl_race *race, size_t *depth, uint32_t node)
{
    if (!race_grow(race, (void **)&race->stack, &race->stack_room, *depth, sizeof *race->stack))
        return false;
    race->stack[(*depth)++] = node;
    return true;
}

static bool says(const struct node *node, uint32_t block, uint32_t thread, uint32_t time)
{
    return node->block == block && node->time >= time &&
           (node->who == WHO_ALL || node->who == thread || node->who == WHO_WARP + thread / 32);
}

bool race_knows(struct ocl_race *race, uint32_t knows, uint32_t block, uint32_t thread,
                uint32_t time)
{
    size_t depth = 0;
    race->question++;
    while (knows != 0 || depth > 0) {
        if (knows == 0)
            knows = race->stack[--depth];
        struct node *node = &race->nodes[knows];
        if (node->latest < time || node->mark == race->question) {
            knows = 0;
            continue;
        }
        node->mark = race->question;
        if (says(node, block, thread, time))
            return true;
        if (node->right && !push(race, &depth, node->right))
            return true;
        knows = node->left;
    }
    return false;
}

/* The order of streams, by a position for each of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/streams.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check.h"
#include "cl/thread.h"

enum { LINES = OCL_STREAM_LINES };

static struct line {
    uint64_t id; /* of the queue; 0: none */
    const void *context;
    bool is_legacy, is_blocking, is_gone;
    uint32_t known[LINES]; /* what the next command comes after; of its own line: all so far */
    uint32_t doubt,
        last_doubt; /* from this position on anything may have been waited for; 0: none */
} lines[LINES];
static uint32_t host[LINES]; /* what the host knows to be complete */
enum { HOST = LINES - 1 };   /* the line of what the program itself does, which no queue has */

struct point {
    struct point *next;
    uint64_t number;
    uint32_t known[LINES];
};
enum { ROWS = 512 };
static struct point *points[ROWS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all of the above */

static _Atomic(ocl_streams_looker) looker; /* NULL: none */
static _Atomic uint64_t commands;

void ocl_streams_set_looker(ocl_streams_looker function)
{
    atomic_store(&looker, function);
}

/* No lock is held. */
static void look(void)
{
    ocl_streams_looker function = atomic_load(&looker);
    if (function)
        function();
}

/* ---- Lines; the lock is held ---- */

static void join(uint32_t known[LINES], const uint32_t more[LINES])
{
    for (size_t i = 0; i < LINES; i++)
        known[i] = more[i] > known[i] ? more[i] : known[i];
}

static bool is_free(const struct line *line)
{
    const size_t at = (size_t)(line - lines);
    return at != HOST && (line->id == 0 || (line->is_gone && host[at] >= line->known[at]));
}

static struct line *find(uint64_t id)
{
    for (size_t i = 0; i < LINES; i++)
        if (lines[i].id == id)
            return &lines[i];
    return NULL;
}

/* Its positions go on where those of the queue ended that had it before. */
static struct line *take(const struct ocl_stream *stream)
{
    struct line *line = lines;
    while (line < lines + HOST && !is_free(line))
        line++;
    if (line == lines + HOST)
        return NULL;
    line->id = stream->id;
    line->context = stream->context;
    line->is_legacy = stream->is_legacy;
    line->is_blocking = stream->is_blocking;
    line->is_gone = false;
    line->doubt = line->last_doubt = 0;
    const size_t at = (size_t)(line - lines);
    const uint32_t own = line->known[at];
    memcpy(line->known, host, sizeof line->known);
    line->known[at] = own;
    return line;
}

/* Those of the context that are of a kind. */
static void join_kind(uint32_t known[LINES], const void *context, bool is_legacy)
{
    for (size_t i = 0; i < LINES; i++)
        if (lines[i].id != 0 && lines[i].context == context &&
            (is_legacy ? lines[i].is_legacy : lines[i].is_blocking))
            join(known, lines[i].known);
}

/* Nodes of a graph have lines of their own; one goes on with its predecessor's where no other has. */
struct ocl_stream_graph {
    uint64_t id; /* of the queue */
    size_t count, next;
    struct line *at; /* of the node at hand, NULL before the first */
    uint32_t base[LINES];
    struct node {
        struct line *line;
        bool goes_on;  /* another node has its line */
        bool is_moved; /* it has another's */
        uint32_t known[LINES];
    } nodes[];
};

/* Whose nodes the calling thread gives the queue, or NULL. */
static const struct ocl_stream_graph *graph_in(const struct ocl_stream *stream)
{
    const struct ocl_thread *thread = ocl_thread_if_any();
    const struct ocl_stream_graph *graph = thread ? thread->graph : NULL;
    return graph && graph->id == stream->id ? graph : NULL;
}

/* What the queue gets comes after what its kind is behind. NULL: there are too many queues.
 * Source: CUDA Runtime API 13.0, stream synchronization behavior, legacy default stream. */
static struct line *line_of(const struct ocl_stream *stream)
{
    const struct ocl_stream_graph *graph = graph_in(stream);
    struct line *line = graph ? graph->at : stream->id ? find(stream->id) : NULL;
    if (!line && !graph && stream->id)
        line = take(stream);
    if (!line)
        return NULL;
    join(line->known, host);
    if (stream->is_legacy)
        join_kind(line->known, stream->context, false);
    else if (stream->is_blocking)
        join_kind(line->known, stream->context, true);
    return line;
}

static bool is_in_doubt(const uint32_t known[LINES])
{
    for (size_t i = 0; i < LINES; i++)
        if (lines[i].doubt != 0 && known[i] >= lines[i].doubt)
            return true;
    return false;
}

static void host_knows(const uint32_t known[LINES])
{
    join(host, known);
    for (size_t i = 0; i < LINES; i++) {
        if (lines[i].doubt == 0 || host[i] < lines[i].doubt)
            continue;
        lines[i].doubt = host[i] < lines[i].last_doubt ? host[i] + 1 : 0;
    }
}

/* ---- Commands ---- */

void ocl_stream_host(struct ocl_stream_time *time)
{
    pthread_mutex_lock(&lock);
    time->line = HOST;
    time->position = ++host[HOST];
    memcpy(time->known, host, sizeof time->known);
    pthread_mutex_unlock(&lock);
}

static bool is_wanted(void)
{
    return ocl_check_wants(OCL_CHECK_RACE);
}

void ocl_stream_command(const struct ocl_stream *stream, struct ocl_stream_time *time)
{
    time->line = time->position = 0;
    if (!is_wanted() || stream->is_own)
        return;
    atomic_fetch_add(&commands, 1);
    pthread_mutex_lock(&lock);
    struct line *line = line_of(stream);
    if (line) {
        const size_t at = (size_t)(line - lines);
        line->known[at]++;
        memcpy(time->known, line->known, sizeof time->known);
        time->line = (uint32_t)at;
        time->position = is_in_doubt(line->known) ? 0 : line->known[at];
    }
    pthread_mutex_unlock(&lock);
}

void ocl_stream_follow(const struct ocl_stream *stream, uint64_t other)
{
    if (!is_wanted())
        return;
    pthread_mutex_lock(&lock);
    struct line *line = line_of(stream);
    const struct line *before = other ? find(other) : NULL;
    if (line && before)
        join(line->known, before->known);
    pthread_mutex_unlock(&lock);
}

void ocl_stream_doubt(const struct ocl_stream *stream)
{
    if (!is_wanted())
        return;
    pthread_mutex_lock(&lock);
    struct line *line = line_of(stream);
    if (line) {
        const size_t at = (size_t)(line - lines);
        line->last_doubt = ++line->known[at];
        line->doubt = line->doubt ? line->doubt : line->last_doubt;
    }
    pthread_mutex_unlock(&lock);
}

void ocl_stream_gone(uint64_t id)
{
    if (!is_wanted() || id == 0)
        return;
    pthread_mutex_lock(&lock);
    struct line *line = find(id);
    if (line)
        line->is_gone = true;
    pthread_mutex_unlock(&lock);
}

/* ---- Points ---- */

static struct point **place_of(uint64_t number)
{
    struct point **place = &points[number % ROWS];
    while (*place && (*place)->number != number)
        place = &(*place)->next;
    return place;
}

void ocl_stream_record(const struct ocl_stream *stream, uint64_t number)
{
    if (!is_wanted())
        return;
    struct point *point = malloc(sizeof *point);
    pthread_mutex_lock(&lock);
    const struct line *line = point ? line_of(stream) : NULL;
    if (line) {
        memcpy(point->known, line->known, sizeof point->known);
        point->number = number;
        point->next = points[number % ROWS];
        points[number % ROWS] = point;
        point = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(point);
}

/* Where nothing is known of the point, the queue may have waited for anything. */
void ocl_stream_await(const struct ocl_stream *stream, uint64_t number)
{
    if (!is_wanted() || number == 0)
        return;
    pthread_mutex_lock(&lock);
    struct line *line = line_of(stream);
    const struct point *point = *place_of(number);
    if (line && point)
        join(line->known, point->known);
    pthread_mutex_unlock(&lock);
    if (!point)
        ocl_stream_doubt(stream);
}

void ocl_stream_see(uint64_t number)
{
    if (!is_wanted() || number == 0)
        return;
    pthread_mutex_lock(&lock);
    const struct point *point = *place_of(number);
    if (point)
        host_knows(point->known);
    pthread_mutex_unlock(&lock);
    look();
}

void ocl_stream_forget(uint64_t number)
{
    if (number == 0 || !is_wanted())
        return;
    pthread_mutex_lock(&lock);
    struct point **place = place_of(number), *point = *place;
    if (point)
        *place = point->next;
    pthread_mutex_unlock(&lock);
    free(point);
}

/* ---- Graphs ---- */

enum { MOST_NODES = 48, LEAST_FREE = 64 };

/* Lock held. */
static bool has_room(void)
{
    size_t count = 0;
    for (size_t i = 0; i < LINES; i++)
        count += is_free(&lines[i]);
    return count >= LEAST_FREE;
}

void ocl_stream_graph_begin(const struct ocl_stream *stream, size_t count)
{
    if (!is_wanted() || stream->is_own || stream->id == 0 || count < 2 || count > MOST_NODES)
        return;
    struct ocl_stream_graph *graph = calloc(1, sizeof *graph + count * sizeof *graph->nodes);
    if (!graph)
        return;
    pthread_mutex_lock(&lock);
    const struct line *line = has_room() ? line_of(stream) : NULL;
    if (line) {
        graph->id = stream->id;
        graph->count = count;
        memcpy(graph->base, line->known, sizeof graph->base);
    }
    pthread_mutex_unlock(&lock);
    if (line)
        ocl_thread()->graph = graph;
    else
        free(graph);
}

/* Lock held. The node before the next has got all that it gets. */
static void leave_node(struct ocl_stream_graph *graph)
{
    if (graph->next > 0 && graph->at)
        memcpy(graph->nodes[graph->next - 1].known, graph->at->known, sizeof graph->base);
}

void ocl_stream_graph_node(const struct ocl_stream *stream)
{
    static uint64_t last;
    struct ocl_stream_graph *graph = ocl_thread()->graph;
    if (!graph || graph->id != stream->id || graph->next == graph->count)
        return;
    pthread_mutex_lock(&lock);
    leave_node(graph);
    struct line *line =
        take(&(struct ocl_stream){.id = OCL_STREAM_NODE + ++last, .context = stream->context});
    if (line)
        join(line->known, graph->base);
    graph->nodes[graph->next++].line = graph->at = line;
    pthread_mutex_unlock(&lock);
}

/* Lock held. The node at hand has got nothing yet: its line is free again for another. */
static void go_on_with(struct ocl_stream_graph *graph, struct node *earlier)
{
    struct node *node = &graph->nodes[graph->next - 1];
    if (!node->line || node->is_moved || !earlier->line || earlier->goes_on)
        return;
    join(earlier->line->known, node->line->known);
    node->line->is_gone = true;
    node->line = graph->at = earlier->line;
    earlier->goes_on = node->is_moved = true;
}

void ocl_stream_graph_after(size_t earlier)
{
    struct ocl_stream_graph *graph = ocl_thread()->graph;
    if (!graph || graph->next == 0 || earlier + 1 >= graph->next)
        return;
    pthread_mutex_lock(&lock);
    struct node *before = &graph->nodes[earlier];
    if (graph->at)
        join(graph->at->known, before->known);
    go_on_with(graph, before);
    pthread_mutex_unlock(&lock);
}

void ocl_stream_graph_end(const struct ocl_stream *stream)
{
    struct ocl_stream_graph *graph = ocl_thread()->graph;
    if (!graph)
        return;
    ocl_thread()->graph = NULL;
    pthread_mutex_lock(&lock);
    leave_node(graph);
    struct line *line = line_of(stream);
    for (size_t i = 0; i < graph->next; i++) {
        if (line)
            join(line->known, graph->nodes[i].known);
        if (graph->nodes[i].line)
            graph->nodes[i].line->is_gone = true;
    }
    pthread_mutex_unlock(&lock);
    free(graph);
}

/* ---- The host ---- */

void ocl_stream_finished(const struct ocl_stream *stream)
{
    if (!is_wanted())
        return;
    pthread_mutex_lock(&lock);
    const struct line *line = stream->is_legacy ? line_of(stream) : find(stream->id);
    if (line && stream->id)
        host_knows(line->known);
    pthread_mutex_unlock(&lock);
    look();
}

void ocl_streams_finished(const void *context)
{
    if (!is_wanted())
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < LINES; i++)
        if (lines[i].id != 0 && (!context || lines[i].context == context))
            host_knows(lines[i].known);
    pthread_mutex_unlock(&lock);
    look();
}

void ocl_stream_told(const struct ocl_stream_time *time)
{
    if (time->position == 0)
        return;
    pthread_mutex_lock(&lock);
    host_knows(time->known);
    pthread_mutex_unlock(&lock);
}

void ocl_stream_heard(struct ocl_stream_time *time)
{
    if (time->position == 0)
        return;
    pthread_mutex_lock(&lock);
    join(time->known, host);
    pthread_mutex_unlock(&lock);
}

bool ocl_stream_is_known(const struct ocl_stream_time *time)
{
    pthread_mutex_lock(&lock);
    const bool is_known = time->position <= host[time->line];
    pthread_mutex_unlock(&lock);
    return is_known;
}

bool ocl_streams_are_known(void)
{
    bool are_known = true;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < LINES; i++)
        are_known &= lines[i].id == 0 || host[i] >= lines[i].known[i];
    pthread_mutex_unlock(&lock);
    return are_known;
}

uint64_t ocl_streams_count(void)
{
    return atomic_load(&commands);
}

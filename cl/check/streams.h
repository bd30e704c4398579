/* Which commands of streams are in order, for what is said of races between them. Private to cl/.
 *
 * Each queue has a line, on which its commands have positions from 1 on. What a command comes after is a position for each
 * line: of its own queue's earlier commands, of events that its queue has waited for, of the legacy stream as CUDA has it,
 * and of all that the host knew to be complete when it submitted the command. The host is one, however many threads it has:
 * what one thread has waited for, all know. So more is in order here than may be, and nothing is reported that is right.
 * Behind a function of the host, and behind a wait for a value in memory or for another process, anything may have been
 * waited for: until the host knows those to be complete, commands behind them count as in order with all.
 * Names of queues are their ids. Everything here does nothing where no races are looked for.
 * Threads: any. Locks: a leaf.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STREAMS_H
#define OCL_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OCL_STREAM_LINES = 128 };
#define OCL_STREAM_FUNCTION ((uint64_t)1 << 63)
#define OCL_STREAM_NODE     ((uint64_t)1 << 62) /* ids of nodes of graphs, which are no queues */

/* A queue. */
struct ocl_stream {
    uint64_t id;
    const void *context;
    bool is_legacy, is_blocking; /* its kind, if either */
    bool
        is_own; /* clem's, or what is submitted now comes in another command's turn: in order with all */
};

/* When a command runs. */
struct ocl_stream_time {
    uint32_t line, position; /* position 0: in order with all */
    uint32_t known[OCL_STREAM_LINES];
};

/* Whether a command comes after another, or either is in order with all. */
static inline bool ocl_stream_is_behind(const struct ocl_stream_time *time,
                                        const struct ocl_stream_time *earlier)
{
    return time->position == 0 || earlier->position == 0 ||
           earlier->position <= time->known[earlier->line];
}

/* The program itself touches memory, between two of its calls: when. It comes behind all that the host knows to be complete,
 * and before all commands that are submitted later. */
void ocl_stream_host(struct ocl_stream_time *time);

/* A command: its time. */
void ocl_stream_command(const struct ocl_stream *stream, struct ocl_stream_time *time);

/* What the queue gets from now on comes after all that another has got. */
void ocl_stream_follow(const struct ocl_stream *stream, uint64_t other);

/* A point in a queue, by a number that is never used again, from OCL_STREAM_FUNCTION on for functions of the host: is there, is waited for by a queue or the host, is gone. */
void ocl_stream_record(const struct ocl_stream *stream, uint64_t point);
void ocl_stream_await(const struct ocl_stream *stream, uint64_t point);
void ocl_stream_see(uint64_t point);
void ocl_stream_forget(uint64_t point);

/* The host knows all to be complete that a queue, or those of a context (NULL: all contexts'), have got. */
void ocl_stream_finished(const struct ocl_stream *stream);
void ocl_streams_finished(const void *context);

/* A command has told the host of itself, and of what it comes after. */
void ocl_stream_told(const struct ocl_stream_time *time);
/* A command has read what the host told: it comes after all that the host knows. */
void ocl_stream_heard(struct ocl_stream_time *time);

/* Called when the host has learned of work that is complete, with no lock held. */
typedef void (*ocl_streams_looker)(void);
void ocl_streams_set_looker(ocl_streams_looker function);

/* From here on the queue may have waited for anything. */
void ocl_stream_doubt(const struct ocl_stream *stream);

/* The queue is gone: it gets nothing more. */
void ocl_stream_gone(uint64_t id);

/* A graph of `count` nodes, which the calling thread submits to a queue one after the other though only edges order them. Then for
 * each in turn: it is next; it comes after an earlier one. Nothing where there are too many: all are in order then.
 * end: what comes in the queue comes after all. */
void ocl_stream_graph_begin(const struct ocl_stream *stream, size_t count);
void ocl_stream_graph_node(const struct ocl_stream *stream);
void ocl_stream_graph_after(size_t earlier);
void ocl_stream_graph_end(const struct ocl_stream *stream);

/* Whether the host knows a command to be complete; whether it knows all launches to be. */
bool ocl_stream_is_known(const struct ocl_stream_time *time);
bool ocl_streams_are_known(void);

/* How many commands there were. */
uint64_t ocl_streams_count(void);

#endif

/* The order of a program's points, and what is determined at each read. program.h names the rules.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_MODEL_H
#define ORDER_MODEL_H

#include "program.h"

/* READ: what it reads may be read from then on, which is START but for some copies. */
enum point { CALL, READ, START, END, RETURN, POINTS };

enum { MODEL_WORDS = MOST_COMMANDS * POINTS / 64 };

struct points {
    uint64_t word[MODEL_WORDS];
};

/* What a command does to a unit: at some time after start and before end. */
struct access {
    struct region region;
    bool writes;
    uint8_t start, end; /* enum point, of the command */
};

enum { MOST_ACCESSES = 3 };

struct model {
    const struct program *program;
    int commands; /* how many have their points */
    struct points before[MOST_COMMANDS][POINTS];
    struct access access[MOST_COMMANDS][MOST_ACCESSES];
    int accesses[MOST_COMMANDS];
    bool is_strict
        [MOST_COMMANDS];         /* its accesses must have an order with all others of the buffer */
    int16_t born[MOST_COMMANDS]; /* the command that created its stream, or -1 */
    bool is_gated;               /* a host function waits for the caller */
    int cross_waits;             /* waits for an event of another stream */
};

/* model_begin: no command has its points. The program is read when commands are added. */
void model_begin(struct model *model, const struct program *program);

/* model_add: gives the next command its points. False: CUDA does not define what it does (an event whose latest record is open,
 * say), and the model is as before. */
bool model_add(struct model *model);

/* model_build: all commands of a program; false as above. */
bool model_build(struct model *model, const struct program *program);

/* is_asynchronous: the call must not wait for work of the device or of host functions. */
bool is_asynchronous(const struct program *program, const struct command *command);

/* happens_before: point p of command x is always before point q of command y. x < y. */
bool happens_before(const struct model *model, int x, enum point p, int y, enum point q);

/* model_conflict: the latest earlier command without order to this one that touches the same unit, one of both writing; -1: none. */
int model_conflict(const struct model *model, int command);

/* model_forbidden: the latest earlier command that CUDA wants ordered with this one, and is not; -1: none. model_add()
 * does not ask. */
int model_forbidden(const struct model *model, int command);

/* model_value: the record whose value the wait of an event may wait for instead; -1: none. */
int model_value(const struct model *model, int command);

/* model_must_be_done: the query can only say success, since a synchronisation of the stream returned before and nothing came to
 * the stream after. */
bool model_must_be_done(const struct model *model, int command);

/* model_must_be_pending: the query can only say not ready, since a host function of its stream waits for the caller. */
bool model_must_be_pending(const struct model *model, int command);

/* What the memory must hold. */
struct memory_model {
    uint8_t *bytes[MOST_BUFFERS];
    bool known[MOST_BUFFERS][MOST_UNITS];
};

/* memory_begin: false without memory; memory_end() takes what it left either way. */
bool memory_begin(struct memory_model *memory, const struct program *program);
void memory_end(struct memory_model *memory);

/* memory_step: what the command does; commands in their order. For CHECK, known[] of the region's units is whether they are
 * determined, and bytes are the values. */
void memory_step(struct memory_model *memory, const struct model *model, int command,
                 bool known[MOST_UNITS]);

#endif

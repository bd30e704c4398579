/* One line on stderr about an access that ends the process, before it does. Private to cl/.
 *
 * CUDA has an error for a kernel's access to memory that is not there. On a CPU it is the process's own, and ends it without
 * a word. The line says what is known of it; then all goes on as if nothing of this were there: the access is made again, and
 * comes to the program's handler or to the system's own action.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CRASH_H
#define OCL_CRASH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ocl_crash_access { OCL_CRASH_TOUCH, OCL_CRASH_READ, OCL_CRASH_WRITE };

struct ocl_crash {
    uint64_t address;             /* of what was touched */
    bool has_address;             /* it is known; it is not where no memory could ever have it */
    enum ocl_crash_access access; /* OCL_CRASH_TOUCH: not known which */
    uint64_t code;                /* of the instruction; 0 where the processor is not known */
};

/* What the processor says of the access that a handler of SIGSEGV or SIGBUS was called for, by that handler's third argument;
 * OCL_CRASH_TOUCH: it, or the system, does not say. Safe in handlers. */
enum ocl_crash_access ocl_crash_access_by(const void *context);

/* The address of the instruction that made it; 0 where the processor is not known. Safe in handlers. */
uint64_t ocl_crash_code_by(const void *context);

/* A line that grows where nothing can be allocated; what does not fit is left out. */
struct ocl_crash_line {
    size_t length;
    char text[512];
};
void ocl_crash_write(struct ocl_crash_line *line, const char *text);
void ocl_crash_write_address(struct ocl_crash_line *line, uint64_t address); /* hexadecimal */
void ocl_crash_write_count(struct ocl_crash_line *line, uint64_t count);

/* Writes what it knows of the access, without an end of line, or returns false: it is none of its own. It runs in a handler,
 * in the middle of anything. */
typedef bool ocl_crash_witness(const struct ocl_crash *crash, struct ocl_crash_line *line);

/* From now on the witness is asked, in the order of the first calls; at most four are. The first call puts the handler in front
 * of the program's; one that the program installs later replaces it.
 * Threads: any; takes a lock that is nobody else's. */
void ocl_crash_watch(ocl_crash_witness *witness);

/* The line alone, for another handler of SIGSEGV, before it hands on what the system gave it: once for an access that is made
 * again. */
void ocl_crash_tell(const siginfo_t *info, const void *context);

#endif

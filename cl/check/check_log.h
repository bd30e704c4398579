/* What launches have read of memory that was still, and no row of cells of races has yet: logs (kernels/ptx/library/check.h).
 * All but ocl_check_log_free() need: who calls may look for races. Private to check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_LOG_H
#define OCL_CHECK_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct clem_check_still;

static inline struct clem_check_still *ocl_check_still_at(uint64_t address)
{
    return (struct clem_check_still *)(uintptr_t)address;
}

/* Who notes what is in a log where other accesses are. Is above those who keep logs, who say so. */
typedef void ocl_check_log_noter(const struct clem_check_still *log);
void ocl_check_log_note_by(ocl_check_log_noter *noter);

/* A log is noted, and those of launches before come first; all of them are, but those that stay; stays NULL: none does. */
void ocl_check_log_settle(struct clem_check_still *log);
void ocl_check_logs_settle(bool (*stays)(const struct clem_check_still *log, const void *with),
                           const void *with);
/* They concern nobody any more; likewise those of some memory. */
void ocl_check_logs_discard(void);
void ocl_check_logs_forget(uint64_t address, uint64_t bytes);

/* Whether the log of the struct clem_check_memory that is there has room for a read: where there is none, what is in it is noted. */
bool ocl_check_log_room(uint64_t memory);
/* Puts a log behind that of launches before. false: there is no memory. */
bool ocl_check_log_append(struct clem_check_still *to, const struct clem_check_still *from,
                          uint64_t memory_bytes);
/* Leaves out reads of which later ones have each word, once the log has become twice as long as it was then. */
void ocl_check_log_pack(struct clem_check_still *log, uint64_t memory_base, uint64_t memory_bytes);

/* A struct clem_check_still, or 0, whose memory is nobody's. */
void ocl_check_log_free(uint64_t still);

#endif

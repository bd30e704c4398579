/* How much memory the control groups of this process leave it. Private to cl/base/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CGROUP_H
#define OCL_CGROUP_H

#include <stdint.h>

struct ocl_cgroup;

/* The group that this process is in, of version 1 and of version 2; NULL when there is none or no memory to tell.
 * root stands in for "/" ("" is the system's own): proc/self/cgroup, proc/self/mountinfo and what they name are
 * looked for below it.
 * Source: cgroups(7), proc(5); Linux, Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst. */
struct ocl_cgroup *ocl_cgroup_find(const char *root);
void ocl_cgroup_free(struct ocl_cgroup *group);

/* Bytes, of the group and all around it the least: a nested group may be wider than what it lies in.
 * limit: what the group may have. left: what of that is neither taken nor held for anything but caches of files, which
 * the system drops. UINT64_MAX: no limit. group may be NULL. */
uint64_t ocl_cgroup_limit(const struct ocl_cgroup *group);
uint64_t ocl_cgroup_left(const struct ocl_cgroup *group);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of control groups, of both versions (Linux: Documentation/admin-guide/cgroup-v2.rst and
 * cgroup-v1/memory.rst): those of the process's group and of all around it, as far as they are to
 * be seen. What files say is not trusted. Nothing here calls malloc().
 */
#ifndef CN_RUNTIME_OS_GROUPS_H
#define CN_RUNTIME_OS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes; SIZE_MAX: no limit. `root` stands before each file's name: "", or a tree of a test. */
size_t cn_groups_memory(const char *root);

/* Processors, rounded up; SIZE_MAX: no limit. */
size_t cn_groups_processors(const char *root);

/* The group's path of `length` bytes of /proc/self/cgroup, into `path`: of the hierarchy that has
 * the controller (version 1), or, if that is null, of version 2. False: none, or too long, or it
 * leads up by "..". */
bool cn_groups_path(const char *text, size_t length, const char *controller, char *path, size_t size);

/* The number that these bytes begin with; SIZE_MAX if there is none ("max", "-1"), or it is larger.
 * *end: the byte after it. */
size_t cn_groups_number(const char *text, size_t length, size_t *end);

#endif

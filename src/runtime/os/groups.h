/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of control groups, of both versions (Linux: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst):
 * the limits of the process's group and of all groups around it, as far as they are visible. The contents of files are
 * checked. These functions run without malloc().
 */
#ifndef CN_RUNTIME_OS_GROUPS_H
#define CN_RUNTIME_OS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes; SIZE_MAX: unlimited. `root` is put before each file's name: "", or a test's tree. */
size_t cn_groups_memory_limit(const char *root);

/* Processors, rounded up; SIZE_MAX: unlimited. */
size_t cn_groups_processor_limit(const char *root);

/* Write the group's path into `path`. `text` has the `length` bytes of /proc/self/cgroup. The path is that of the
 * hierarchy that has the controller (version 1), or, if `controller` is null, of version 2. False: the path is missing,
 * too long, or goes up by "..". */
bool cn_groups_find_path(const char *text, size_t length, const char *controller, char *path, size_t size);

/* The number that these bytes begin with; SIZE_MAX if it is missing ("max", "-1") or larger. *end: the byte after
 * it. */
size_t cn_groups_parse_number(const char *text, size_t length, size_t *end);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the limits of the process's control group and of all its visible ancestors, for both versions of control groups
 * (Linux: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst). The contents of files are checked. These
 * functions do not call malloc().
 */
#ifndef CN_RUNTIME_OS_GROUPS_H
#define CN_RUNTIME_OS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

/* The limit in bytes; SIZE_MAX: unlimited. `root` is a prefix of each file's name: "", or a test's tree. */
size_t cn_groups_memory_limit(const char *root);

/* The limit in processors, rounded up; SIZE_MAX: unlimited. */
size_t cn_groups_processor_limit(const char *root);

/* Write the group's path into `path`: the path in the hierarchy of `controller` (version 1), or in the hierarchy of
 * version 2 if `controller` is null. `text` has the `length` bytes of /proc/self/cgroup. False: the path is missing,
 * too long, or goes up by "..". */
bool cn_groups_find_path(const char *text, size_t length, const char *controller, char *path, size_t size);

/* The number at the beginning of the text; SIZE_MAX if the number is missing ("max", "-1") or larger. `*end` is the
 * index of the byte after the number. */
size_t cn_groups_parse_number(const char *text, size_t length, size_t *end);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes the names in objects that managed code of other units uses to call a function (compile/transitions/thunk.c).
 * Private to src/object and src/driver.
 */
#ifndef CN_OBJECT_BUILD_THUNK_NAMES_H
#define CN_OBJECT_BUILD_THUNK_NAMES_H

#include <cairn/object.h>
#include "base/vector.h"
#include "object/elf/elf_parts.h"

/* Check that these names agree with the names of the functions. The names disagree if a tool has renamed a function, or
 * made it weak or local. Negative if they disagree; *error then has a message, which the caller frees. */
int cn_thunk_names_check(const struct cn_elf_file *elf, char **error);

/* A rename of a function: `to` replaces `from` in objects that do not define `from`. If `to` is null, the linker sets
 * `from` to an expression, and references to `from` are refused. */
struct cn_function_rename {
  const char *from, *to;
};

struct cn_renames {
  CN_VECTOR(struct cn_function_rename) list;
};

/* Rename the object's symbols that belong to these functions. With CAIRN_OK, *out is the new object, which the caller
 * frees, or null if nothing changes. Otherwise *error has a message, which the caller frees. */
enum cairn_status cn_thunk_names_change(const void *bytes, size_t size, const struct cn_renames *renames, void **out,
                                        size_t *out_size, char **error);

/* The first function of `renames` that the object defines, or null. */
const char *cn_thunk_names_find_defined(const void *bytes, size_t size, const struct cn_renames *renames);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes the names in objects by which managed code of other units calls a function (compile/transitions/thunk.c).
 * Private to src/object and src/driver.
 */
#ifndef CN_OBJECT_BUILD_THUNK_NAMES_H
#define CN_OBJECT_BUILD_THUNK_NAMES_H

#include <cairn/object.h>
#include "base/vector.h"
#include "object/elf/elf_parts.h"

/* Check that the names agree with those of the functions. They disagree if a tool has renamed a function, or made it
 * weak or local. Negative: *error is a message to free. */
int cn_thunk_names_check(const struct cn_elf_file *elf, char **error);

/* A function that the linker calls by another name: `to` replaces `from` in objects that only refer to `from`. Null for
 * `to`: the address is an expression's, the function is unknown, and such references are refused. */
struct cn_function_rename {
  const char *from, *to;
};

struct cn_renames {
  CN_VECTOR(struct cn_function_rename) list;
};

/* Rename the symbols in the object that belong to these functions. CAIRN_OK: *out is the new object, to be freed, or
 * null: the object stays as it is. Otherwise *error is a message to free. */
enum cairn_status cn_thunk_names_change(const void *bytes, size_t size, const struct cn_renames *renames, void **out,
                                        size_t *out_size, char **error);

/* The first of these functions that the object defines, or null. */
const char *cn_thunk_names_find_defined(const void *bytes, size_t size, const struct cn_renames *renames);

#endif

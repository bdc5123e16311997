/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of a module's code, for backtraces, debuggers and profilers (<cairn/code.h>). Private to src/jit. All calls are
 * under the session's lock.
 */
#ifndef CN_JIT_DEBUG_H
#define CN_JIT_DEBUG_H

#include <stddef.h>
#include <stdint.h>
#include "base/vector.h"
#include "jit/linking_layer.h"

/* A function or a section that a link has placed. */
struct cn_jit_part {
  char *name;
  uintptr_t start;
  size_t bytes;
};

/* The parts of a module while it is linked. */
struct cn_jit_parts {
  CN_VECTOR(struct cn_jit_part) functions, sections;
};

/* Callbacks of a link, whose owners are modules: add a part. */
void cn_jit_debug_note_function(void *module, const struct cn_link_function *function);
void cn_jit_debug_note_section(void *module, const struct cn_link_section *section);

/* Name the functions of a linked module, whose object is `object`, and drop the parts. */
struct cn_jit_module;
void cn_jit_debug_name_code(struct cn_jit_module *module, const void *object, size_t size);

/* Forget the parts of a link that failed. */
void cn_jit_debug_drop_parts(struct cn_jit_module *module);

#endif

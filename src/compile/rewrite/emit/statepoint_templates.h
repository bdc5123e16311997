/* SPDX-License-Identifier: Apache-2.0
 *
 * Templates: statepoints of the same shape are copies of one. LLVM makes a copy of an instruction in a fraction of the
 * time that it takes to make one of arguments, bundles and attributes.
 */
#ifndef CN_COMPILE_REWRITE_EMIT_STATEPOINT_TEMPLATES_H
#define CN_COMPILE_REWRITE_EMIT_STATEPOINT_TEMPLATES_H

#include "compile/core/pass.h"

#define CN_TEMPLATES 64

/* The differences between statepoints that have only these attributes and bundles. */
struct cn_statepoint_shape {
  LLVMTypeRef callee; /* function type */
  uint32_t args, deopt, live;
  unsigned convention;
};

struct cn_templates {
  struct cn_statepoint_template {
    struct cn_statepoint_shape shape;
    LLVMValueRef instruction; /* outside of all blocks; its operands are poison */
  } cells[CN_TEMPLATES];
};

/* A new statepoint of that shape, outside of all blocks; null if its template is missing. The caller sets all operands
 * except the last, the declaration. */
LLVMValueRef cn_templates_copy(const struct cn_templates *templates, const struct cn_statepoint_shape *shape);
/* Make a template of a statepoint. */
void cn_templates_add(struct cn_templates *templates, const struct cn_statepoint_shape *shape, LLVMValueRef statepoint);
void cn_templates_free(struct cn_templates *templates);

#endif

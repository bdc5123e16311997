/* SPDX-License-Identifier: Apache-2.0
 *
 * Templates of statepoints: statepoints with equal shapes are copies of one template. LLVM copies an instruction in a
 * fraction of the time that it needs to build one from arguments, bundles and attributes.
 */
#ifndef CN_COMPILE_REWRITE_EMIT_STATEPOINT_TEMPLATES_H
#define CN_COMPILE_REWRITE_EMIT_STATEPOINT_TEMPLATES_H

#include "compile/core/pass.h"

#define CN_TEMPLATES 64

/* The properties that statepoints of one template share. */
struct cn_statepoint_shape {
  LLVMTypeRef callee; /* function type */
  uint32_t args, deopt, live;
  unsigned convention;
};

struct cn_templates {
  struct cn_statepoint_template {
    struct cn_statepoint_shape shape;
    LLVMValueRef instruction; /* the template, outside of all blocks, with poison as operands */
  } cells[CN_TEMPLATES];
};

/* A new statepoint with this shape, outside of all blocks; null if the shape has no template. The caller sets all
 * operands except the last, which is the declaration. */
LLVMValueRef cn_templates_copy(const struct cn_templates *templates, const struct cn_statepoint_shape *shape);
/* Add a template for statepoints like `statepoint`. */
void cn_templates_add(struct cn_templates *templates, const struct cn_statepoint_shape *shape, LLVMValueRef statepoint);
void cn_templates_free(struct cn_templates *templates);

#endif

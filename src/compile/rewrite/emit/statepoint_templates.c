/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps one statepoint of each shape (function type, convention, numbers of operands) outside of all blocks, as a
 * template, and copies it, which takes less time than to build another. Part of rewrite-statepoints. Needs: a struct
 * cn_templates. Provides: copies of statepoints with equal shapes. Breaks: nothing.
 */
#include "compile/rewrite/emit/statepoint_templates.h"

#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"

/* The hash omits the address of the type, which would make the time differ between executions with equal output. */
static uint32_t template_cell_of(const struct cn_statepoint_shape *shape)
{
  return (shape->args * 5 + shape->deopt * 3 + shape->live) % CN_TEMPLATES;
}

static bool is_same_shape(const struct cn_statepoint_shape *a, const struct cn_statepoint_shape *b)
{
  return a->callee == b->callee && a->args == b->args && a->deopt == b->deopt && a->live == b->live &&
         a->convention == b->convention;
}

LLVMValueRef cn_templates_copy(const struct cn_templates *templates, const struct cn_statepoint_shape *shape)
{
  const struct cn_statepoint_template *cell = &templates->cells[template_cell_of(shape)];

  return cell->instruction && is_same_shape(&cell->shape, shape) ? LLVMInstructionClone(cell->instruction) : NULL;
}

void cn_templates_add(struct cn_templates *templates, const struct cn_statepoint_shape *shape, LLVMValueRef statepoint)
{
  struct cn_statepoint_template *cell = &templates->cells[template_cell_of(shape)];
  unsigned operands = (unsigned)LLVMGetNumOperands(statepoint);

  CN_ASSERT(LLVMIsAInstruction(statepoint));
  CN_CHECK(shape->args + shape->deopt + shape->live + 1 == operands);
  if (cell->instruction)
    LLVMDeleteInstruction(cell->instruction);
  cell->shape = *shape;
  cell->instruction = LLVMInstructionClone(statepoint);
  LLVMInstructionSetDebugLoc(cell->instruction,
                             NULL); /* the statepoint of a call without a location must have no location */
  for (unsigned i = 0; i + 1 < operands; i++)
    LLVMSetOperand(cell->instruction, i, LLVMGetPoison(LLVMTypeOf(LLVMGetOperand(statepoint, i))));
}

void cn_templates_free(struct cn_templates *templates)
{
  for (size_t i = 0; i < CN_TEMPLATES; i++)
    if (templates->cells[i].instruction)
      LLVMDeleteInstruction(templates->cells[i].instruction);
  memset(templates, 0, sizeof *templates);
}

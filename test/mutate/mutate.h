/* SPDX-License-Identifier: Apache-2.0
 *
 * Breakages of rewritten modules, each wrong by construction: never because our verifier says so.
 */
#ifndef CN_TEST_MUTATE_H
#define CN_TEST_MUTATE_H

#include <stdbool.h>
#include <stdint.h>
#include "compile/analysis/cfg.h"

/* The search for the n-th place that a kind of breakage fits. */
struct place {
  LLVMModuleRef module;
  LLVMContextRef llvm;
  struct cn_cfg cfg;         /* of the function that is looked at */
  LLVMBuilderRef builder;
  LLVMValueRef statepoint;   /* some declaration of gc.statepoint */
  unsigned statepoints;      /* calls of it in managed functions */
  bool compares;             /* two references are compared in this function */
  uint64_t skip;             /* so many places are passed by first */
};

/* Is this place the one? Counts it. */
static inline bool is_it(struct place *p) { return p->skip-- == 0; }

/* Breaks something at `instruction` and returns true, if the place is there. */
typedef bool mutation(struct place *p, LLVMValueRef instruction);
struct kind {
  const char *name;
  mutation *mutate;
};
extern const struct kind kinds[]; /* ends with a null name */

/* ---- facts.c: what makes a breakage one ---- */

/* The statepoint of a relocate or result; null if its token is none. */
LLVMValueRef statepoint_of(LLVMValueRef projection);
bool is_statepoint(LLVMValueRef value);
bool is_relocate(LLVMValueRef value);
bool is_result(LLVMValueRef value);
/* The operands of bundle `tag` of a statepoint. */
void bundle(LLVMValueRef statepoint, const char *tag, uint32_t *first, uint32_t *end);
/* What a relocate lists as its base (operand 1) or derived pointer (2). */
LLVMValueRef listed(LLVMValueRef relocate, unsigned operand);
/* The one value that names the object, or null if that is not plain to see. */
LLVMValueRef origin(LLVMValueRef value);
/* On some way it points to an object that may move, and no branch has tested it for null. */
bool may_move(LLVMValueRef value);
/* Does the user need a valid address in its operand? */
bool is_real_use(LLVMValueRef user, unsigned operand);
/* Is that so of the value, or of what it is handed on to by phi, select and GEP, in code that is
 * reached? */
bool is_needed(struct place *p, LLVMValueRef value);
bool is_reached(struct place *p, LLVMValueRef instruction);
/* The next statepoint after `instruction` in its block, or null. */
LLVMValueRef statepoint_after(LLVMValueRef instruction);
/* Does `a` come before `b` in one block? */
bool comes_before(LLVMValueRef a, LLVMValueRef b);

#endif

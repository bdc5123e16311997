/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of pass verify-safepoints share. Private to verify*.c.
 */
#ifndef CN_COMPILE_VERIFY_H
#define CN_COMPILE_VERIFY_H

#include "base/vector.h"
#include "compile/cfg.h"

/* Epochs (verify_epochs.c). An epoch is the time since one safepoint, or since one join of paths
 * that come from different epochs. Every safepoint and every such join starts one, so that at
 * each point of the function exactly one epoch is current: it is SSA numbering of "the last
 * safepoint".
 *
 * The fact all else rests on: if `def` dominates `p` and the same epoch is current at both, no
 * path from `def` to `p` has a safepoint on it; if the epochs differ, some static path has. */
#define CN_EPOCH_NONE 0u
#define CN_EPOCH_ENTRY 1u
#define CN_EPOCH_MIXED UINT32_MAX

struct cn_epochs {
  const struct cn_cfg *cfg;
  uint32_t *in, *out;          /* by block: current at its start (its phis), and when it is left */
  struct cn_ptrmap statepoints; /* statepoint -> the epoch that it starts */
};

void cn_epochs_build(struct cn_epochs *epochs, const struct cn_cfg *cfg);
void cn_epochs_free(struct cn_epochs *epochs);
/* The epoch that `instruction` starts if it is a statepoint, else `current`. */
uint32_t cn_epochs_after(const struct cn_epochs *epochs, LLVMValueRef instruction,
                         uint32_t current);

/* The epoch that is current at `instruction`: a statepoint's own is not yet. */
uint32_t cn_epochs_at(const struct cn_epochs *epochs, LLVMValueRef instruction);

/* Values that a safepoint makes stale (verify_values.c): references, what holds them, statepoint
 * tokens, and integers and unmanaged pointers made of references. */
struct cn_stale {
  uint32_t epoch; /* the epoch whose addresses the value has; CN_EPOCH_NONE: never stale; MIXED: of
                     several */
  int weight;     /* integers: how many references went in positively, less those negatively; or
                     CN_WEIGHT_OTHER */
};
#define CN_WEIGHT_OTHER 1000

struct cn_values {
  const struct cn_epochs *epochs;
  struct cn_ptrmap map;
};

void cn_values_build(struct cn_values *values, const struct cn_epochs *epochs);
void cn_values_free(struct cn_values *values);
struct cn_stale cn_values_of(const struct cn_values *values, LLVMValueRef value);
/* A computation that only hands a stale value on: not a use of its own. */
bool cn_values_hands_on(LLVMValueRef instruction);
/* Is `incoming` of epoch `epoch` valid when `from` is left? */
bool cn_values_valid_at(const struct cn_stale *stale, uint32_t epoch);

/* verify_null.c: on each path from the definition of the reference `value` that has a safepoint on
 * it, has a comparison shown the reference to be null before `at` in `block` is reached? `at` null:
 * before `block` is left. */
bool cn_null_spares(const struct cn_values *values, LLVMValueRef value, LLVMValueRef at,
                    uint32_t block);

struct cn_verifier {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg;
  struct cn_epochs epochs;
  struct cn_values values;
  struct cn_ptrmap live; /* statepoint -> where its "gc-live" operands are (verify_bases.c) */
};

/* How `value` went stale (verify_trail.c). */
struct cn_trail {
  LLVMValueRef origin;     /* what was handed on since, or the value itself */
  LLVMValueRef statepoint; /* that it did not survive, or null */
  CN_VECTOR(LLVMBasicBlockRef) blocks; /* from there to where `value` is read */
};
/* Read just after `last` (null: before the first instruction) in block `b`. */
void cn_trail_find(struct cn_trail *trail, const struct cn_verifier *v, LLVMValueRef value,
                   LLVMValueRef last, uint32_t b);
void cn_trail_free(struct cn_trail *trail);

void cn_verify_uses(struct cn_verifier *v);      /* verify_uses.c */
void cn_verify_relocates(struct cn_verifier *v); /* verify_bases.c: indices, duplicates, bases */
void cn_verify_allocas(struct cn_verifier *v);   /* verify_allocas.c */

/* "the call to @foo (file line 7)", for messages. */
const char *cn_verify_name_statepoint(LLVMValueRef statepoint, char *buffer, size_t size);

#endif

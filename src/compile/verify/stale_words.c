/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks roots by tag (user_roots.c): a value loaded from such a word, or stored into it, is outdated after a
 * safepoint, because the collector may have changed the word. Needs: struct cn_epochs, the words that statepoints list
 * (check_descriptions.c). Provides: diagnostic stale-word. Breaks: nothing.
 *
 * Only the program can interpret a word. The word may be a small integer, which stays valid, so an outdated value may
 * be correct. An error is a call that converts an outdated value to a reference, or that takes an outdated copy of the
 * whole word instead of a new load. Values in other memory are ignored.
 */
#include <stdlib.h>
#include "base/bitset.h"
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/verify/verify.h"

enum { WORD_BYTES = 8, MAX_FUNCTION_REPORTS = 10 };
/* A bit above the epoch in the map's values: the value is an unchanged copy of the word. */
#define WORD_COPY_BIT (UINT64_C(1) << 32)

struct word_check {
  struct cn_verifier *v;
  struct cn_ptrmap stored; /* values that the function stores into words */
  struct cn_ptrmap values; /* value -> epoch, and WORD_COPY_BIT */
  bool changed;
};

void cn_stale_words_add(struct cn_stale_words *listed, LLVMValueRef alloca, uint64_t word, uint64_t words)
{
  bool fresh;
  uint64_t *index = cn_ptrmap_add(&listed->index, alloca, &fresh);

  if (fresh) {
    uint64_t *bits = cn_alloc(CN_BITSET_WORDS(words) * sizeof *bits);
    *index = listed->locals.count;
    cn_push(&listed->locals, ((struct cn_stale_words_of){bits, words}));
  }
  CN_CHECK(word < words && listed->locals.at[*index].words == words);
  cn_bitset_add(listed->locals.at[*index].bits, word);
}

void cn_stale_words_free(struct cn_stale_words *listed)
{
  for (size_t i = 0; i < listed->locals.count; i++)
    free(listed->locals.at[i].bits);
  cn_free(&listed->locals);
  cn_ptrmap_free(&listed->index);
}

static bool is_listed_word(const struct cn_verifier *v, LLVMValueRef pointer)
{
  uint64_t offset = 0;

  while (LLVMIsAGetElementPtrInst(pointer) && cn_types_gep_offset(v->ctx, pointer, &offset))
    pointer = LLVMGetOperand(pointer, 0);
  const uint64_t *index = cn_ptrmap_find(&v->words.index, pointer);
  const struct cn_stale_words_of *local = index ? &v->words.locals.at[*index] : NULL;
  return local && offset % WORD_BYTES == 0 && offset / WORD_BYTES < local->words &&
         cn_bitset_contains(local->bits, offset / WORD_BYTES);
}

static bool is_unmanaged_scalar(LLVMValueRef value)
{
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind ||
         (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind && !cn_is_ref(LLVMTypeOf(value)));
}

static uint64_t word_state_of(const struct word_check *words, LLVMValueRef value)
{
  const uint64_t *found = cn_ptrmap_find(&words->values, value);

  return found ? *found : CN_EPOCH_NONE;
}

static uint32_t epoch_of_state(uint64_t found)
{
  return (uint32_t)found;
}

static bool is_outdated_state(uint64_t found, uint32_t epoch)
{
  return epoch_of_state(found) != CN_EPOCH_NONE && epoch_of_state(found) != epoch;
}

static void set_word_state(struct word_check *words, LLVMValueRef value, uint64_t now)
{
  bool fresh;
  uint64_t *old = cn_ptrmap_add(&words->values, value, &fresh);

  CN_ASSERT(epoch_of_state(now) != CN_EPOCH_NONE);
  if (!fresh && epoch_of_state(*old) != CN_EPOCH_NONE && epoch_of_state(*old) != epoch_of_state(now))
    now = CN_EPOCH_MIXED | (now & *old & WORD_COPY_BIT);
  words->changed |= *old != now;
  *old = now;
}

/* ---- results of instructions ---- */

static uint64_t join_word_states(uint64_t a, uint64_t b, bool copy)
{
  uint64_t kept = copy ? (a | b) & WORD_COPY_BIT : 0;

  if (epoch_of_state(a) == CN_EPOCH_NONE || epoch_of_state(b) == CN_EPOCH_NONE)
    return epoch_of_state(a) | epoch_of_state(b) | kept;
  return (epoch_of_state(a) == epoch_of_state(b) ? epoch_of_state(a) : CN_EPOCH_MIXED) | kept;
}

static uint64_t state_of_phi(const struct word_check *words, LLVMValueRef phi, uint32_t b)
{
  const struct cn_epochs *epochs = &words->v->epochs;
  uint64_t all = CN_EPOCH_NONE;

  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
    uint32_t from = cn_cfg_index_of(&words->v->cfg, LLVMGetIncomingBlock(phi, k));
    uint64_t in = from == CN_NO_BLOCK ? CN_EPOCH_NONE : word_state_of(words, LLVMGetIncomingValue(phi, k));
    if (epoch_of_state(in) == CN_EPOCH_NONE)
      continue;
    bool valid = !is_outdated_state(in, epochs->out[from]);
    all = join_word_states(all, (valid ? epochs->in[b] : CN_EPOCH_MIXED) | (in & WORD_COPY_BIT), true);
  }
  return all;
}

static uint64_t state_of_operands(const struct word_check *words, LLVMValueRef i, bool copy)
{
  uint64_t all = CN_EPOCH_NONE;

  for (int o = 0; o < LLVMGetNumOperands(i); o++)
    all = join_word_states(all, word_state_of(words, LLVMGetOperand(i, (unsigned)o)), copy);
  return all;
}

/* The state of the value of `i`; `epoch` is current after `i`. */
static uint64_t evaluate_word_state(const struct word_check *words, LLVMValueRef i, uint32_t b, uint32_t epoch)
{
  uint64_t found = CN_EPOCH_NONE;

  if (!is_unmanaged_scalar(i))
    return CN_EPOCH_NONE;
  if (LLVMIsALoadInst(i) && is_listed_word(words->v, LLVMGetOperand(i, 0)))
    return epoch | WORD_COPY_BIT;
  if (LLVMIsAPHINode(i))
    found = state_of_phi(words, i, b);
  else if (LLVMIsABinaryOperator(i) || LLVMIsACastInst(i))
    found = state_of_operands(words, i, LLVMIsACastInst(i) != NULL);
  else if (LLVMIsASelectInst(i) || LLVMIsAFreezeInst(i))
    found = state_of_operands(words, i, true);
  if (epoch_of_state(found) == CN_EPOCH_NONE && cn_ptrmap_find(&words->stored, i))
    found = epoch;
  return found;
}

static void propagate_word_states(struct word_check *words)
{
  const struct cn_verifier *v = words->v;

  words->changed = false;
  for (uint32_t b = 0; b < v->cfg.count; b++) {
    uint32_t epoch = v->epochs.in[b];
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block) {
      epoch = cn_epoch_after(&v->epochs, i, epoch);
      uint64_t now = evaluate_word_state(words, i, b, epoch);
      if (epoch_of_state(now) != CN_EPOCH_NONE)
        set_word_state(words, i, now);
    }
    CN_ASSERT(epoch == v->epochs.out[b]);
  }
}

/* ---- uses ---- */

/* True if the call returns a reference; for a statepoint, if its callee does. */
static bool returns_reference(LLVMValueRef call)
{
  if (cn_holds_ref(LLVMTypeOf(call)))
    return true;
  CN_EACH_USE(use, call)
    if (cn_calls_intrinsic(LLVMGetUser(use), "llvm.experimental.gc.result") &&
        cn_holds_ref(LLVMTypeOf(LLVMGetUser(use))))
      return true;
  return false;
}

static bool check_outdated_arguments(struct word_check *words, LLVMValueRef call, uint32_t epoch)
{
  char name[120];

  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMValueRef value = LLVMGetOperand(call, a);
    uint64_t found = word_state_of(words, value);
    if (!is_outdated_state(found, epoch) || !(found & WORD_COPY_BIT || returns_reference(call)))
      continue;
    const struct cn_finding finding = {.value = value};
    cn_report_finding(words->v->ctx, call, "stale-word", &finding,
                      "%s is a copy of a user root from before a safepoint, at which the collector may have changed "
                      "the word: read the word again",
                      cn_value_name(value, name, sizeof name));
    return true;
  }
  return false;
}

static void check_outdated_words(struct word_check *words)
{
  const struct cn_verifier *v = words->v;
  unsigned reports = 0;

  for (uint32_t b = 0; b < v->cfg.count; b++) {
    uint32_t epoch = v->epochs.in[b];
    LLVMValueRef i = LLVMGetFirstInstruction(v->cfg.blocks[b].block);
    for (; i && reports < MAX_FUNCTION_REPORTS; i = LLVMGetNextInstruction(i)) {
      if (cn_is_call(i))
        reports += check_outdated_arguments(words, i, epoch);
      epoch = cn_epoch_after(&v->epochs, i, epoch);
    }
    CN_ASSERT(i || epoch == v->epochs.out[b]);
  }
}

static void find_stored_values(struct word_check *words)
{
  const struct cn_cfg *cfg = &words->v->cfg;

  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if (LLVMIsAStoreInst(i) && is_unmanaged_scalar(LLVMGetOperand(i, 0)) && !LLVMIsConstant(LLVMGetOperand(i, 0)) &&
          is_listed_word(words->v, LLVMGetOperand(i, 1))) {
        cn_ptrmap_add(&words->stored, LLVMGetOperand(i, 0), NULL);
        if (LLVMIsAArgument(LLVMGetOperand(i, 0)))
          set_word_state(words, LLVMGetOperand(i, 0), CN_EPOCH_ENTRY);
      }
}

void cn_verify_user_words(struct cn_verifier *v)
{
  struct word_check words = {.v = v};

  if (!v->words.locals.count)
    return;
  find_stored_values(&words);
  do
    propagate_word_states(&words);
  while (words.changed);
  check_outdated_words(&words);
  cn_ptrmap_free(&words.stored);
  cn_ptrmap_free(&words.values);
}

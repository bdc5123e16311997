/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the accesses that need no barrier, with the reasons. A write is exempt if
 *
 *   its place is in a local       a local is a root
 *   its object is fresh           collectors treat fresh objects as young or logged; for cards: small objects only
 *   its value stays in place      null, a constant, an immediate or an immovable object; for cards only
 *   its place had a barrier       in the same safepoint-free interval, on every path
 *
 * A read is exempt for the first two reasons; a read of one reference also if the value never moves or is only compared
 * with null; a read of several also if the place had a barrier.
 *
 * Needs: struct cn_safepoint_free_intervals. Provides: the reason, or null; struct cn_barrier_history, the barriers so
 * far. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

static bool is_immediate(LLVMValueRef value)
{
  LLVMValueRef callee = LLVMIsACallInst(value) ? cn_direct_callee(value) : NULL;
  size_t length;

  return callee && cn_calls_is_immediate_maker(LLVMGetValueName2(callee, &length));
}

/* True if the word is a constant, an immovable reference or an immediate on each path. `seen` has the phis and selects
 * of the search so far. */
static bool is_never_movable_word(LLVMValueRef value, struct cn_ptrmap *seen)
{
  bool fresh = false, select = LLVMIsASelectInst(value);

  if (LLVMIsConstant(value) || cn_is_immovable(value) || is_immediate(value))
    return true;
  if (!select && !LLVMIsAPHINode(value))
    return false;
  cn_ptrmap_add(seen, value, &fresh);
  for (int i = select; fresh && i < LLVMGetNumOperands(value); i++)
    if (!is_never_movable_word(LLVMGetOperand(value, (unsigned)i), seen))
      return false;
  return true;
}

static const char *why_word_needs_no_barrier(LLVMValueRef value)
{
  struct cn_ptrmap seen = {0};
  bool holds = is_never_movable_word(value, &seen);

  cn_ptrmap_free(&seen);
  if (!holds)
    return NULL;
  if (LLVMIsConstant(value))
    return LLVMIsNull(value) ? "null is stored" : "a constant is stored";
  if (is_immediate(value))
    return "the stored value is an immediate";
  return cn_is_immovable(value) ? "the stored value never moves"
                                : "all values that may be stored point to objects that stay in place";
}

static const char *why_value_needs_no_barrier(const struct cn_barrier_history *barred, const struct cn_access *access)
{
  if (barred->kind != CAIRN_BARRIERS_CARDS)
    return NULL;
  if (access->kind == CN_ACCESS_NON_REFERENCES)
    return "the stored value is not a reference";
  if (access->kind == CN_ACCESS_ONE_REFERENCE)
    return why_word_needs_no_barrier(access->value);
  return access->value && LLVMIsConstant(access->value) ? "a constant is stored" : NULL;
}

/* True if access `a`, which precedes `b` in reverse post-order, runs before `b` on each path, in the same
 * safepoint-free interval. */
static bool runs_before_in_interval(const struct cn_safepoint_free_intervals *windows, LLVMValueRef a, LLVMValueRef b)
{
  uint32_t from = cn_cfg_index_of(windows->cfg, LLVMGetInstructionParent(a));
  uint32_t to = cn_cfg_index_of(windows->cfg, LLVMGetInstructionParent(b));

  return cn_cfg_dominates(windows->cfg, from, to) &&
         cn_safepoint_free_after(windows, a) == cn_safepoint_free_before(windows, b);
}

enum { MAX_TRIED_BARRIERS = 32 }; /* the most barriers of one object that a search visits */

/* Sets `*size` to the number of bytes that a barrier covers. False if the number is variable. */
static bool find_barrier_bytes(LLVMValueRef bytes, uint64_t *size)
{
  *size = sizeof(uint64_t);
  if (bytes && LLVMIsAConstantInt(bytes))
    *size = LLVMConstIntGetZExtValue(bytes);
  return !bytes || LLVMIsAConstantInt(bytes);
}

/* True if the barrier covers `bytes` bytes at distance `offset` from the barrier's base. */
static bool covers_range(const struct cn_barrier_history_entry *entry, uint64_t offset, LLVMValueRef bytes)
{
  uint64_t room, size, ahead = offset - entry->offset;

  if (entry->offset == offset && entry->bytes == bytes)
    return true;
  return find_barrier_bytes(entry->bytes, &room) && find_barrier_bytes(bytes, &size) && ahead <= room &&
         size <= room - ahead;
}

/* True if an earlier barrier covers the wanted barrier; if not, the wanted barrier is added to the history. */
static bool find_or_note_barrier(struct cn_barrier_history *barred, const struct cn_barrier_history_entry *wanted)
{
  struct cn_barrier_history_entry note = *wanted;
  uint64_t *last = cn_ptrmap_add(&barred->last, cn_address_root_of(note.base), NULL);
  size_t tried = 0;

  for (size_t e = *last; e && tried < MAX_TRIED_BARRIERS; tried++) {
    const struct cn_barrier_history_entry *entry = &barred->entries.at[e - 1];
    e = entry->previous;
    if (!cn_address_has_same_form(entry->base, note.base))
      continue;
    note.base = entry->base;
    if (covers_range(entry, note.offset, note.bytes) && runs_before_in_interval(barred->windows, entry->at, note.at))
      return true;
  }
  note.previous = *last;
  cn_push(&barred->entries, note);
  *last = barred->entries.count;
  return false;
}

static bool find_or_note_place_barrier(struct cn_barrier_history *barred, LLVMValueRef at,
                                       const struct cn_access *access)
{
  struct cn_barrier_history_entry wanted = {.at = at, .bytes = access->bytes};

  if (access->mask)
    return false;
  wanted.base = cn_address_base_and_offset(barred->ctx, access->slot, &wanted.offset);
  return find_or_note_barrier(barred, &wanted);
}

/* The reason why accesses to the place need no barrier, or null. With cards, a new large object is no reason, because a
 * collector scans only the dirty cards of large objects. */
static const char *why_place_needs_no_barrier(const struct cn_barrier_history *barred, LLVMValueRef at,
                                              LLVMValueRef root)
{
  if (cn_address_is_local_root(root))
    return "the place is in a local";
  bool small = barred->kind == CAIRN_BARRIERS_CARDS;
  return cn_address_is_fresh_object(barred->windows, root, at, small) ? "the object is new" : NULL;
}

/* True if all uses of the loaded reference compare it with null, because a stale reference gives equal results there.
 */
static bool is_only_compared_with_null(LLVMValueRef load)
{
  CN_EACH_USE(use, load) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAICmpInst(user) || !LLVMIsNull(LLVMGetOperand(user, 1)))
      return false;
  }
  return true;
}

const char *cn_why_read_needs_no_barrier(struct cn_barrier_history *barred, LLVMValueRef at,
                                         const struct cn_access *access)
{
  const char *why = why_place_needs_no_barrier(barred, at, cn_address_root_of(access->slot));

  if (why)
    return why;
  if (access->kind != CN_ACCESS_ONE_REFERENCE)
    return find_or_note_place_barrier(barred, at, access) ? "the place had its barrier" : NULL;
  if (cn_is_immovable(at))
    return "the loaded value never moves";
  return is_only_compared_with_null(at) ? "the loaded value is only compared with null" : NULL;
}

const char *cn_why_write_needs_no_barrier(struct cn_barrier_history *barred, LLVMValueRef at,
                                          const struct cn_access *access)
{
  LLVMValueRef root = cn_address_root_of(access->slot);
  const char *why = why_value_needs_no_barrier(barred, access);

  CN_ASSERT(access->kind != CN_ACCESS_NONE && access->kind != CN_ACCESS_UNKNOWN);
  if (!why)
    why = why_place_needs_no_barrier(barred, at, root);
  if (why || barred->kind == CAIRN_BARRIERS_CUSTOM)
    return why;
  return find_or_note_place_barrier(barred, at, access) ? "the place had its barrier" : NULL;
}

void cn_barrier_history_widen(struct cn_barrier_history *barred, size_t e, uint64_t offset, LLVMValueRef bytes)
{
  CN_ASSERT(e < barred->entries.count && LLVMIsAConstantInt(bytes));
  barred->entries.at[e].offset = offset;
  barred->entries.at[e].bytes = bytes;
  barred->entries.at[e].wide = true;
}

bool cn_barrier_history_covers(const struct cn_barrier_history *barred, size_t e)
{
  size_t tried = 0;

  if (e == CN_NOT_BARRED)
    return false;
  const struct cn_barrier_history_entry *entry = &barred->entries.at[e];
  for (size_t o = entry->previous; o && tried < MAX_TRIED_BARRIERS; tried++) {
    const struct cn_barrier_history_entry *other = &barred->entries.at[o - 1];
    if (other->wide && other->base == entry->base && covers_range(other, entry->offset, entry->bytes) &&
        runs_before_in_interval(barred->windows, other->at, entry->at))
      return true;
    o = other->previous;
  }
  return false;
}

void cn_barrier_history_free(struct cn_barrier_history *barred)
{
  cn_ptrmap_free(&barred->last);
  cn_free(&barred->entries);
}

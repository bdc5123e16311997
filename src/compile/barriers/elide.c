/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the accesses that need no barrier, with the reasons. A write is exempt if
 *
 *   its place is in a local       a local is a root
 *   its object is fresh           collectors treat fresh objects as young or logged; for cards: small objects only
 *   its value stays in place      null, a constant, an immediate or an immovable object; for cards only
 *   its place had a barrier       in the same safepoint-free interval, on every path
 *
 * Needs: struct cn_safepoint_free. Provides: struct cn_barred. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

static bool is_immediate(LLVMValueRef value)
{
  LLVMValueRef callee = LLVMIsACallInst(value) ? cn_direct_callee(value) : NULL;
  size_t length;

  return callee && strcmp(LLVMGetValueName2(callee, &length), CN_TAG_FROM) == 0;
}

/* True if the word, on each path that brings it, is a constant, immovable or an immediate. `seen` has the phis and
 * selects on the path. */
static bool leads_nowhere(LLVMValueRef value, struct cn_ptrmap *seen)
{
  bool fresh = false, select = LLVMIsASelectInst(value);

  if (LLVMIsConstant(value) || cn_is_immovable(value) || is_immediate(value))
    return true;
  if (!select && !LLVMIsAPHINode(value))
    return false;
  cn_ptrmap_add(seen, value, &fresh);
  for (int i = select; fresh && i < LLVMGetNumOperands(value); i++)
    if (!leads_nowhere(LLVMGetOperand(value, (unsigned)i), seen))
      return false;
  return true;
}

/* The reason why the stored value needs no barrier, or null. */
static const char *no_barrier_reason_of(LLVMValueRef value)
{
  struct cn_ptrmap seen = {0};
  bool holds = leads_nowhere(value, &seen);

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

static const char *unneeded_value(const struct cn_barred *barred, const struct cn_access *access)
{
  if (barred->kind != CAIRN_BARRIERS_CARDS)
    return NULL;
  if (access->kind == CN_ACCESS_CLEARS)
    return "the stored value is not a reference";
  if (access->kind == CN_ACCESS_ONE)
    return no_barrier_reason_of(access->value);
  return access->value && LLVMIsConstant(access->value) ? "a constant is stored" : NULL;
}

/* True if `a`, an earlier access in the order of the search, runs before `b` on each path, in the same safepoint-free
 * interval. */
static bool is_before(const struct cn_safepoint_free *windows, LLVMValueRef a, LLVMValueRef b)
{
  uint32_t from = cn_cfg_index(windows->cfg, LLVMGetInstructionParent(a));
  uint32_t to = cn_cfg_index(windows->cfg, LLVMGetInstructionParent(b));

  return cn_cfg_dominates(windows->cfg, from, to) &&
         cn_safepoint_free_after(windows, a) == cn_safepoint_free_at(windows, b);
}

enum { MOST_TRIED = 32 }; /* the most barriers of one object that a search visits */

/* The bytes that a barrier covers. False if their number is unknown. */
static bool size_of(LLVMValueRef bytes, uint64_t *size)
{
  *size = sizeof(uint64_t);
  if (bytes && LLVMIsAConstantInt(bytes))
    *size = LLVMConstIntGetZExtValue(bytes);
  return !bytes || LLVMIsAConstantInt(bytes);
}

/* True if the barrier covers `bytes` from `offset` on, a distance from its own base. */
static bool covers_range(const struct cn_barred_at *entry, uint64_t offset, LLVMValueRef bytes)
{
  uint64_t room, size, ahead = offset - entry->offset;

  if (entry->offset == offset && entry->bytes == bytes)
    return true;
  return size_of(entry->bytes, &room) && size_of(bytes, &size) && ahead <= room && size <= room - ahead;
}

/* True if an earlier barrier covers the place. False: notes the place's own barrier. */
static bool was_before(struct cn_barred *barred, const struct cn_barred_at *wanted)
{
  struct cn_barred_at note = *wanted;
  uint64_t *last = cn_ptrmap_add(&barred->last, cn_address_root_of(note.base), NULL);
  size_t tried = 0;

  for (size_t e = *last; e && tried < MOST_TRIED; tried++) {
    const struct cn_barred_at *entry = &barred->entries.at[e - 1];
    e = entry->previous;
    if (!cn_address_is_same(entry->base, note.base))
      continue;
    note.base = entry->base;
    if (covers_range(entry, note.offset, note.bytes) && is_before(barred->windows, entry->at, note.at))
      return true;
  }
  note.previous = *last;
  cn_push(&barred->entries, note);
  *last = barred->entries.count;
  return false;
}

static bool place_was_before(struct cn_barred *barred, LLVMValueRef at, const struct cn_access *access)
{
  struct cn_barred_at wanted = {.at = at, .bytes = access->bytes};

  if (access->mask)
    return false;
  wanted.base = cn_address_base(barred->ctx, access->slot, &wanted.offset);
  return was_before(barred, &wanted);
}

/* The reason why accesses to the place need no barrier, or null. For cards, large objects are excluded: of a new one, a
 * collector scans dirty cards only. */
static const char *unneeded_place(const struct cn_barred *barred, LLVMValueRef at, LLVMValueRef root)
{
  if (cn_address_is_local(root))
    return "the place is in a local";
  bool small = barred->kind == CAIRN_BARRIERS_CARDS;
  return cn_address_is_fresh(barred->windows, root, at, small) ? "the object is new" : NULL;
}

/* True if all uses of the loaded reference compare it with null: for these a stale reference is good enough. */
static bool is_only_tested(LLVMValueRef load)
{
  CN_EACH_USE(use, load) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAICmpInst(user) || !LLVMIsNull(LLVMGetOperand(user, 1)))
      return false;
  }
  return true;
}

const char *cn_barrier_unneeded_read(struct cn_barred *barred, LLVMValueRef at, const struct cn_access *access)
{
  const char *why = unneeded_place(barred, at, cn_address_root_of(access->slot));

  if (why)
    return why;
  if (access->kind != CN_ACCESS_ONE)
    return place_was_before(barred, at, access) ? "the place had its barrier" : NULL;
  if (cn_is_immovable(at))
    return "the loaded value never moves";
  return is_only_tested(at) ? "the loaded value is only compared with null" : NULL;
}

const char *cn_barrier_unneeded_write(struct cn_barred *barred, LLVMValueRef at, const struct cn_access *access)
{
  LLVMValueRef root = cn_address_root_of(access->slot);
  const char *why = unneeded_value(barred, access);

  CN_ASSERT(access->kind != CN_ACCESS_NONE && access->kind != CN_ACCESS_UNKNOWN);
  if (!why)
    why = unneeded_place(barred, at, root);
  if (why || barred->kind == CAIRN_BARRIERS_CUSTOM)
    return why;
  return place_was_before(barred, at, access) ? "the place had its barrier" : NULL;
}

void cn_barred_widen(struct cn_barred *barred, size_t e, uint64_t offset, LLVMValueRef bytes)
{
  CN_ASSERT(e < barred->entries.count && LLVMIsAConstantInt(bytes));
  barred->entries.at[e].offset = offset;
  barred->entries.at[e].bytes = bytes;
  barred->entries.at[e].wide = true;
}

bool cn_barred_is_covered(const struct cn_barred *barred, size_t e)
{
  size_t tried = 0;

  if (e == CN_NOT_BARRED)
    return false;
  const struct cn_barred_at *entry = &barred->entries.at[e];
  for (size_t o = entry->previous; o && tried < MOST_TRIED; tried++) {
    const struct cn_barred_at *other = &barred->entries.at[o - 1];
    if (other->wide && other->base == entry->base && covers_range(other, entry->offset, entry->bytes) &&
        is_before(barred->windows, other->at, entry->at))
      return true;
    o = other->previous;
  }
  return false;
}

void cn_barred_free(struct cn_barred *barred)
{
  cn_ptrmap_free(&barred->last);
  cn_free(&barred->entries);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of breakage. Each says why what it does is wrong wherever it fits.
 */
#include "mutate/mutate.h"

/* `user` still hands on what its operand is, or needs it. */
static bool carries(struct place *p, LLVMValueRef user, unsigned operand)
{
  if (!is_reached(p, user))
    return false;
  if (is_real_use(user, operand))
    return true;
  bool hands_on = LLVMIsAPHINode(user) || LLVMIsAGetElementPtrInst(user) ||
                  (LLVMIsASelectInst(user) && operand > 0);
  return hands_on && is_needed(p, user);
}

/* Put `old` into the n-th use of `fresh` that matters. */
static bool replace_use(struct place *p, LLVMValueRef fresh, LLVMValueRef old)
{
  for (LLVMUseRef use = LLVMGetFirstUse(fresh); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    for (int o = 0; o < LLVMGetNumOperands(user); o++)
      if (LLVMGetOperand(user, (unsigned)o) == fresh && carries(p, user, (unsigned)o) &&
          is_it(p)) {
        LLVMSetOperand(user, (unsigned)o, old);
        return true;
      }
  }
  return false;
}

/* A use put back to the reference from before the safepoint. Every way to the use leads over the
 * safepoint, and past no other definition of the old value, for the relocate dominates the use. */
static bool stale_use(struct place *p, LLVMValueRef i)
{
  LLVMValueRef old = is_relocate(i) ? listed(i, 2) : NULL;

  return old && may_move(old) && replace_use(p, i, old);
}

/* The same, two safepoints back. */
static bool staler_use(struct place *p, LLVMValueRef i)
{
  LLVMValueRef old = is_relocate(i) ? listed(i, 2) : NULL, older;

  if (!old || !is_relocate(old))
    return false;
  older = listed(old, 2);
  return older && may_move(older) && replace_use(p, i, older);
}

/* A live value dropped: no more in gc-live, its relocates gone. Being listed here is no use. */
static bool dropped(struct place *p, LLVMValueRef i)
{
  LLVMValueRef old = is_relocate(i) ? listed(i, 2) : NULL;
  LLVMValueRef statepoint = old ? statepoint_of(i) : NULL, next;
  uint32_t first, end;

  if (!old || !may_move(old))
    return false;
  bundle(statepoint, "gc-live", &first, &end);
  uint64_t index = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
  LLVMSetOperand(statepoint, first + (uint32_t)index, LLVMConstNull(LLVMTypeOf(old)));
  if (!is_needed(p, i) || !is_it(p)) {
    LLVMSetOperand(statepoint, first + (uint32_t)index, old);
    return false;
  }
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMGetOperand(i, 0)); use; use = LLVMGetNextUse(use)) {
    next = LLVMGetUser(use);
    if (is_relocate(next) && LLVMConstIntGetZExtValue(LLVMGetOperand(next, 2)) == index)
      LLVMReplaceAllUsesWith(next, old);
  }
  return true;
}

/* Make operand `which` of a relocate name something of another object. */
static bool rename_entry(struct place *p, LLVMValueRef i, unsigned which)
{
  LLVMValueRef kept = is_relocate(i) ? listed(i, which == 1 ? 2 : 1) : NULL;
  LLVMValueRef from = kept ? origin(kept) : NULL;
  uint32_t first, end;

  if (!from || !may_move(from) || p->compares || !is_needed(p, i))
    return false;
  bundle(statepoint_of(i), "gc-live", &first, &end);
  for (uint32_t o = first; o < end; o++) {
    LLVMValueRef other = LLVMGetOperand(statepoint_of(i), o);
    LLVMValueRef its = cn_is_ref(LLVMTypeOf(other)) ? origin(other) : NULL;
    if (!its || its == from || LLVMTypeOf(other) != LLVMTypeOf(kept) || !is_it(p))
      continue;
    LLVMSetOperand(i, which, LLVMConstInt(LLVMInt32TypeInContext(p->llvm), o - first, false));
    return true;
  }
  return false;
}

/* A base swapped, a derived pointer swapped: no longer of one object. */
static bool other_base(struct place *p, LLVMValueRef i) { return rename_entry(p, i, 1); }
static bool other_derived(struct place *p, LLVMValueRef i) { return rename_entry(p, i, 2); }

/* One input of a base's phi is another parameter; the derived pointer's phi beside it has not. */
static bool base_input(struct place *p, LLVMValueRef i)
{
  LLVMValueRef base = is_relocate(i) ? listed(i, 1) : NULL;
  LLVMValueRef derived = base ? listed(i, 2) : NULL;

  if (!derived || base == derived || !LLVMIsAPHINode(base) || !LLVMIsAPHINode(derived) ||
      LLVMGetInstructionParent(base) != LLVMGetInstructionParent(derived) || p->compares)
    return false;
  for (unsigned k = 0; k < LLVMCountIncoming(base); k++) {
    LLVMValueRef from = origin(LLVMGetIncomingValue(derived, k));
    if (LLVMGetIncomingBlock(base, k) != LLVMGetIncomingBlock(derived, k) || !from ||
        cn_cfg_index_of(&p->cfg, LLVMGetIncomingBlock(base, k)) == CN_NO_BLOCK)
      continue;
    for (LLVMValueRef a = LLVMGetFirstParam(p->cfg.function); a; a = LLVMGetNextParam(a))
      if (LLVMTypeOf(a) == LLVMTypeOf(base) && a != from && is_it(p)) {
        LLVMSetOperand(base, k, a);
        return true;
      }
  }
  return false;
}

static LLVMTypeRef callee_type(LLVMValueRef statepoint)
{
  unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);

  return LLVMGetTypeAttributeValue(LLVMGetCallSiteEnumAttribute(statepoint, 3, kind));
}

/* A parse point unwrapped: the call is there, the collector does not know it. */
static bool unwrapped(struct place *p, LLVMValueRef i)
{
  LLVMValueRef arguments[16], next;

  if (!is_statepoint(i) || !LLVMIsACallInst(i) || p->statepoints < 2)
    return false;
  uint64_t count = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 3));
  if (count > 16 || !is_it(p))
    return false;
  for (unsigned a = 0; a < count; a++)
    arguments[a] = LLVMGetOperand(i, 5 + a);
  LLVMPositionBuilderBefore(p->builder, i);
  LLVMValueRef call = LLVMBuildCall2(p->builder, callee_type(i), LLVMGetOperand(i, 2), arguments,
                                     (unsigned)count, "");
  LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(i));
  if (cn_classify_call(call).kind != CN_CALL_PARSE_POINT) { /* a leaf by our rule: no breakage */
    p->skip = UINT64_MAX / 2;
    LLVMInstructionEraseFromParent(call);
    return false;
  }
  for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetFirstUse(i)) {
    next = LLVMGetUser(use);
    LLVMReplaceAllUsesWith(next, is_relocate(next) ? listed(next, 2) : call);
    LLVMInstructionEraseFromParent(next);
  }
  LLVMInstructionEraseFromParent(i);
  return true;
}

/* One entry listed twice, another not at all. */
static bool duplicate(struct place *p, LLVMValueRef i)
{
  uint32_t first, end;

  if (!is_statepoint(i))
    return false;
  bundle(i, "gc-live", &first, &end);
  for (uint32_t o = first; o + 1 < end; o++) {
    LLVMValueRef a = LLVMGetOperand(i, o), b = LLVMGetOperand(i, o + 1);
    if (a == b || LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMIsConstant(a) || !is_it(p))
      continue;
    LLVMSetOperand(i, o + 1, a);
    return true;
  }
  return false;
}

/* A local that holds references not listed. */
static bool undescribed(struct place *p, LLVMValueRef i)
{
  uint32_t o, end;

  if (!is_statepoint(i))
    return false;
  for (bundle(i, "deopt", &o, &end); o < end; o++) {
    LLVMValueRef alloca = LLVMGetOperand(i, o);
    if (!LLVMIsAAllocaInst(alloca) || !cn_holds_ref(LLVMGetAllocatedType(alloca)) || !is_it(p))
      continue;
    LLVMSetOperand(i, o, LLVMConstNull(LLVMTypeOf(alloca)));
    return true;
  }
  return false;
}

/* A local that holds one reference, said to have it in the next word. */
static bool misplaced(struct place *p, LLVMValueRef i)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(p->llvm);
  uint32_t o, end;

  if (!is_statepoint(i))
    return false;
  for (bundle(i, "deopt", &o, &end); o + 4 < end; o++) {
    LLVMValueRef alloca = LLVMGetOperand(i, o), one = LLVMConstInt(i64, 1, false);
    if (!LLVMIsAAllocaInst(alloca) || !cn_holds_ref(LLVMGetAllocatedType(alloca)) ||
        LLVMGetOperand(i, o + 1) != one || LLVMGetOperand(i, o + 3) != one ||
        LLVMGetOperand(i, o - 1) == alloca || !is_it(p))
      continue;
    uint64_t offset = LLVMConstIntGetZExtValue(LLVMGetOperand(i, o + 4));
    LLVMSetOperand(i, o + 4, LLVMConstInt(i64, offset + 8, false));
    return true;
  }
  return false;
}

/* One area more announced than there are. */
static bool miscounted(struct place *p, LLVMValueRef i)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(p->llvm);
  uint32_t o, end;

  if (!is_statepoint(i))
    return false;
  for (bundle(i, "deopt", &o, &end); o + 1 < end; o++) {
    if (LLVMGetOperand(i, o) != LLVMConstInt(i64, CAIRN_ABI_ALLOCA_MARK, false) || !is_it(p))
      continue;
    uint64_t areas = LLVMConstIntGetZExtValue(LLVMGetOperand(i, o + 1));
    LLVMSetOperand(i, o + 1, LLVMConstInt(i64, areas + 1, false));
    return true;
  }
  return false;
}

static LLVMValueRef global(struct place *p, const char *name, LLVMTypeRef function)
{
  LLVMValueRef found = LLVMGetNamedFunction(p->module, name);

  return found ? found : LLVMAddFunction(p->module, name, function);
}

/* A safepoint between a reference and its use. */
static bool inserted(struct place *p, LLVMValueRef i)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(p->llvm), type;
  LLVMValueRef zero = LLVMConstInt(i32, 0, false);
  bool fits = false;

  for (int o = 0; o < LLVMGetNumOperands(i) && !fits; o++)
    fits = is_real_use(i, (unsigned)o) && may_move(LLVMGetOperand(i, (unsigned)o));
  if (!fits || !is_it(p))
    return false;
  type = LLVMFunctionType(LLVMVoidTypeInContext(p->llvm), NULL, 0, false);
  LLVMValueRef arguments[] = {LLVMConstInt(LLVMInt64TypeInContext(p->llvm), 0, false), zero,
                              global(p, "mutant", type), zero, zero, zero, zero};
  LLVMPositionBuilderBefore(p->builder, i);
  LLVMValueRef call = LLVMBuildCall2(p->builder, LLVMGlobalGetValueType(p->statepoint),
                                     p->statepoint, arguments, 7, "");
  LLVMAddCallSiteAttribute(
      call, 3,
      LLVMCreateTypeAttribute(p->llvm, LLVMGetEnumAttributeKindForName("elementtype", 11), type));
  return true;
}

/* A relocate or result read after the next safepoint only, when it is old already. */
static bool late(struct place *p, LLVMValueRef i)
{
  LLVMValueRef next = is_relocate(i) || is_result(i) ? statepoint_after(i) : NULL;

  if (!next || !may_move(i))
    return false;
  for (LLVMValueRef user = LLVMGetNextInstruction(next); user; user = LLVMGetNextInstruction(user))
    for (int o = 0; o < LLVMGetNumOperands(user); o++) {
      LLVMValueRef moved = LLVMGetOperand(user, (unsigned)o);
      if (!is_relocate(moved) || statepoint_of(moved) != next || listed(moved, 2) != i ||
          !is_real_use(user, (unsigned)o) || !is_it(p))
        continue;
      LLVMPositionBuilderBefore(p->builder, user);
      LLVMValueRef again = LLVMInstructionClone(i);
      LLVMInsertIntoBuilder(p->builder, again);
      LLVMSetOperand(user, (unsigned)o, again);
      return true;
    }
  return false;
}

/* A local read before a safepoint stands for the same local read after it. */
static bool stale_reload(struct place *p, LLVMValueRef i)
{
  LLVMValueRef next = LLVMIsALoadInst(i) && cn_is_ref(LLVMTypeOf(i)) ? statepoint_after(i) : NULL;

  if (!next || !LLVMIsAAllocaInst(LLVMGetOperand(i, 0)) || !may_move(i))
    return false;
  for (LLVMValueRef again = LLVMGetNextInstruction(next); again;
       again = LLVMGetNextInstruction(again))
    if (LLVMIsALoadInst(again) && LLVMTypeOf(again) == LLVMTypeOf(i) &&
        LLVMGetOperand(again, 0) == LLVMGetOperand(i, 0) && replace_use(p, again, i))
      return true;
  return false;
}

/* The address kept as an integer, or as an unmanaged pointer, over a safepoint, and used. */
static bool kept_address(struct place *p, LLVMValueRef i, bool pointer)
{
  LLVMValueRef old = is_relocate(i) ? listed(i, 2) : NULL;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(p->llvm), ptr = LLVMPointerTypeInContext(p->llvm, 0);

  if (!old || !may_move(old) || !LLVMIsACallInst(statepoint_of(i)) || !is_it(p))
    return false;
  LLVMPositionBuilderBefore(p->builder, statepoint_of(i));
  LLVMValueRef address = pointer ? LLVMBuildAddrSpaceCast(p->builder, old, ptr, "")
                                 : LLVMBuildPtrToInt(p->builder, old, i64, "");
  LLVMValueRef place = LLVMConstNull(ptr);
  LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(i));
  if (pointer)
    LLVMBuildLoad2(p->builder, i64, address, "");
  else
    LLVMBuildStore(p->builder, address, place);
  return true;
}

static bool kept_integer(struct place *p, LLVMValueRef i) { return kept_address(p, i, false); }
static bool kept_pointer(struct place *p, LLVMValueRef i) { return kept_address(p, i, true); }

/* A distance whose two ends were taken on two sides of a safepoint. */
static bool torn_distance(struct place *p, LLVMValueRef i)
{
  LLVMValueRef old = is_relocate(i) ? listed(i, 2) : NULL;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(p->llvm);

  if (!old || !may_move(old) || !LLVMIsACallInst(statepoint_of(i)) || !is_it(p))
    return false;
  LLVMPositionBuilderBefore(p->builder, statepoint_of(i));
  LLVMValueRef before = LLVMBuildPtrToInt(p->builder, old, i64, "");
  LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(i));
  LLVMValueRef after = LLVMBuildPtrToInt(p->builder, i, i64, "");
  LLVMBuildStore(p->builder, LLVMBuildSub(p->builder, after, before, ""),
                 LLVMConstNull(LLVMPointerTypeInContext(p->llvm, 0)));
  return true;
}

/* Callers take the function for a leaf, and keep no record of their frames. */
static bool leaf(struct place *p, LLVMValueRef i)
{
  if (!is_statepoint(i) || !is_it(p))
    return false;
  LLVMAddAttributeAtIndex(p->cfg.function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(p->llvm, "gc-leaf-function", 16, "", 0));
  return true;
}

/* Where the tail that tells of spans begins, or 0. */
static uint32_t span_tail(struct place *p, LLVMValueRef i, uint32_t *end)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(p->llvm);
  uint32_t o;

  if (!is_statepoint(i))
    return 0;
  for (bundle(i, "deopt", &o, end); o < *end; o++)
    if (LLVMGetOperand(i, o) == LLVMConstInt(i64, CAIRN_ABI_SPAN_MARK, false))
      return o;
  return 0;
}

/* Add one to operand `which` of a pair: another entry of the table, each of which is another span;
 * another function's. */
static bool edit_span(struct place *p, LLVMValueRef i, unsigned which)
{
  uint32_t end = 0, at = span_tail(p, i, &end);

  for (uint32_t o = at + 2; at && o + 2 < end; o += 2) {
    if (!is_it(p))
      continue;
    LLVMValueRef old = LLVMGetOperand(i, o + which);
    LLVMSetOperand(i, o + which,
                   LLVMConstInt(LLVMTypeOf(old), LLVMConstIntGetZExtValue(old) + 1, false));
    return true;
  }
  return false;
}

static bool other_span(struct place *p, LLVMValueRef i) { return edit_span(p, i, 0); }
static bool other_depth(struct place *p, LLVMValueRef i) { return edit_span(p, i, 1); }

/* The mark gone: what is left is the user's deoptimisation state. */
static bool lost_spans(struct place *p, LLVMValueRef i)
{
  uint32_t end = 0, at = span_tail(p, i, &end);

  if (!at || !is_it(p))
    return false;
  LLVMSetOperand(i, at, LLVMConstNull(LLVMTypeOf(LLVMGetOperand(i, at))));
  return true;
}

/* What the callee may collect while it uses it, and nobody needs later, is no longer listed. */
static bool dead_operand(struct place *p, LLVMValueRef i)
{
  uint32_t first, end;

  if (!is_statepoint(i) || !LLVMGetCallSiteStringAttribute(i, CN_FUNCTION_INDEX,
                                                           "cairn-live-operands", 19))
    return false;
  uint64_t arguments = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 3));
  for (bundle(i, "gc-live", &first, &end); first < end; first++)
    for (uint32_t a = 5; a < 5 + arguments; a++) {
      LLVMValueRef listed = LLVMGetOperand(i, first);
      if (LLVMGetOperand(i, a) != listed || !may_move(listed) || !is_it(p))
        continue;
      LLVMSetOperand(i, first, LLVMConstNull(LLVMTypeOf(listed)));
      return true;
    }
  return false;
}

/* ---- words of the language's own ---- */

/* The operand that says the offset of a word of the local in operand `o` of a description; or 0. */
static uint32_t word_of(LLVMValueRef statepoint, uint32_t o, uint32_t end)
{
  return o + 6 < end && LLVMIsAAllocaInst(LLVMGetOperand(statepoint, o)) &&
                 LLVMIsAConstantInt(LLVMGetOperand(statepoint, o + 3)) &&
                 LLVMIsNull(LLVMGetOperand(statepoint, o + 3))
             ? o + 4
             : 0;
}

/* A word with another tag, in another place, or of another parameter than the marker says. */
static bool other_word(struct place *p, LLVMValueRef i)
{
  uint32_t o, end;

  if (!is_statepoint(i))
    return false;
  for (bundle(i, "deopt", &o, &end); o < end; o++)
    for (uint32_t at = word_of(i, o, end); at && at < o + 7; at++) {
      LLVMValueRef old = LLVMGetOperand(i, at);
      if (!is_it(p))
        continue;
      uint64_t other = LLVMConstIntGetZExtValue(old) + 8;
      LLVMSetOperand(i, at, LLVMConstInt(LLVMTypeOf(old), other, false));
      return true;
    }
  return false;
}

/* Is the local at `address` nothing but a word that `statepoint` lists? */
static bool lists_word(LLVMValueRef statepoint, LLVMValueRef address)
{
  uint32_t o, end;

  for (bundle(statepoint, "deopt", &o, &end); o < end; o++)
    if (LLVMGetOperand(statepoint, o) == address && word_of(statepoint, o, end) &&
        LLVMIsNull(LLVMGetOperand(statepoint, word_of(statepoint, o, end))))
      return true;
  return false;
}

/* What a call makes a reference of was read from the word before the last safepoint: the load is
 * moved over it, as an optimiser that knows nothing of the collector would. */
static bool old_word(struct place *p, LLVMValueRef i)
{
  LLVMUseRef use = LLVMIsALoadInst(i) ? LLVMGetFirstUse(i) : NULL;
  LLVMValueRef user = use ? LLVMGetUser(use) : NULL, before = LLVMGetPreviousInstruction(i);

  if (!user || !LLVMIsACallInst(user) || !cn_is_ref(LLVMTypeOf(user)) || !is_reached(p, i))
    return false;
  while (before && !is_statepoint(before))
    before = LLVMGetPreviousInstruction(before);
  if (!before || !lists_word(before, LLVMGetOperand(i, 0)) || !is_it(p))
    return false;
  LLVMInstructionRemoveFromParent(i);
  LLVMPositionBuilderBefore(p->builder, before);
  LLVMInsertIntoBuilder(p->builder, i);
  return true;
}

/* ---- memory that nobody looks at ---- */

static LLVMValueRef new_global(struct place *p, const char *name, LLVMTypeRef type, bool local)
{
  LLVMValueRef global = LLVMAddGlobal(p->module, type, name);

  LLVMSetInitializer(global, LLVMConstNull(type));
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetThreadLocal(global, local);
  return global;
}

/* A reference that was relocated is stored where the collector does not find it. */
static bool store_away(struct place *p, LLVMValueRef i, bool local, bool twice)
{
  LLVMTypeRef ptr = LLVMPointerTypeInContext(p->llvm, 0);

  if (!is_relocate(i) || !cn_is_ref(LLVMTypeOf(i)) || !may_move(i) || !is_it(p))
    return false;
  LLVMValueRef to = new_global(p, "mutant.memory", LLVMInt64TypeInContext(p->llvm), local);
  LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(i));
  if (twice) {
    LLVMValueRef pointer = new_global(p, "mutant.pointer", ptr, false);
    LLVMSetInitializer(pointer, to);
    LLVMSetGlobalConstant(pointer, true);
    to = LLVMBuildLoad2(p->builder, ptr, pointer, "");
  }
  LLVMBuildStore(p->builder, i, to);
  return true;
}

static bool to_global(struct place *p, LLVMValueRef i) { return store_away(p, i, false, false); }
static bool to_thread(struct place *p, LLVMValueRef i) { return store_away(p, i, true, false); }
static bool to_pointed(struct place *p, LLVMValueRef i) { return store_away(p, i, false, true); }

const struct kind kinds[] = {
    {"stale-use", stale_use},         {"staler-use", staler_use},
    {"dropped", dropped},             {"other-base", other_base},
    {"other-derived", other_derived}, {"base-input", base_input},
    {"unwrapped", unwrapped},         {"duplicate", duplicate},
    {"undescribed", undescribed},     {"misplaced", misplaced},
    {"miscounted", miscounted},       {"inserted", inserted},
    {"late", late},                   {"stale-reload", stale_reload},
    {"kept-integer", kept_integer},   {"kept-pointer", kept_pointer},
    {"torn-distance", torn_distance}, {"leaf", leaf},
    {"other-span", other_span},       {"other-depth", other_depth},
    {"lost-spans", lost_spans},       {"other-word", other_word},
    {"old-word", old_word},           {"dead-operand", dead_operand},
    {"to-global", to_global},         {"to-thread", to_thread},
    {"to-pointed", to_pointed},
    {NULL, NULL},
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `restore-references`: gives copies that the optimiser makes as integers the type of references again. First the
 * pass splits integers of addresses (split_integers.c); last it reports locals that hide references (hidden_locals.c).
 *
 * Needs: optimised IR with TBAA. Provides: managed functions copy references as references; an error for a reference
 * from managed memory that is still copied as an integer. Breaks: nothing.
 *
 * The optimiser turns a loop that copies an array of references into a memcpy. If the length is one element,
 * InstCombine turns the memcpy into an i64 load and an i64 store. Later passes may move this load and store apart, over
 * an allocation or into another iteration (test/compile/restore/idiom.c). The TBAA tag of a load that copies a
 * reference says pointer, and the tag of an integer's load says integer. An ordinary pointer that becomes a reference
 * is harmless: the collector ignores addresses outside of its heap (include/cairn/collector.h).
 *
 * A phi web here is all loads, phis and stores that one value may flow through. The pass either changes all members of
 * a phi web or leaves the web unchanged. The pass refuses an unchanged web with a load from managed memory.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/tbaa.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/optimise/prepare.h"

struct phi_web {
  struct cn_ctx *ctx;
  struct cn_ptrmap seen; /* value -> its replacement; 0 before the replacement is made */
  CN_VECTOR(LLVMValueRef) values;
  CN_VECTOR(LLVMValueRef) stores;
  LLVMTypeRef type; /* the type of the replacements */
  bool broken;      /* some value has another use or origin than loads, phis and stores */
  LLVMValueRef managed_load;
};

/* The type of references with the size of `type`, an i64 or a vector of i64; null for other types. */
static LLVMTypeRef reference_type_for(struct cn_ctx *ctx, LLVMTypeRef type)
{
  LLVMTypeRef word = LLVMInt64TypeInContext(ctx->llvm);

  if (type == word)
    return cn_ref_type(ctx);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetElementType(type) == word)
    return LLVMVectorType(cn_ref_type(ctx), LLVMGetVectorSize(type));
  return NULL;
}

static bool is_plain_access(LLVMValueRef access)
{
  return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static bool is_pointer_load(struct cn_ctx *ctx, LLVMValueRef i)
{
  if (!LLVMIsALoadInst(i) || !is_plain_access(i) || !reference_type_for(ctx, LLVMTypeOf(i)))
    return false;
  LLVMValueRef tag = LLVMGetMetadata(i, LLVMGetMDKindIDInContext(ctx->llvm, "tbaa", 4));
  return tag && cn_tbaa_is_pointer(tag);
}

static void add_member(struct phi_web *w, LLVMValueRef value)
{
  bool fresh;

  if (LLVMIsAConstant(value)) {
    w->broken |= !LLVMIsNull(value) && !LLVMIsUndef(value);
    return;
  }
  cn_ptrmap_add(&w->seen, value, &fresh);
  if (!fresh)
    return;
  cn_push(&w->values, value);
  if (LLVMIsALoadInst(value)) {
    w->broken |= !is_pointer_load(w->ctx, value);
    if (cn_is_ref(LLVMTypeOf(LLVMGetOperand(value, 0))))
      w->managed_load = value;
  } else if (LLVMIsAPHINode(value)) {
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
      add_member(w, LLVMGetIncomingValue(value, i));
  } else {
    w->broken = true;
  }
}

static void follow_uses(struct phi_web *w, LLVMValueRef value)
{
  CN_EACH_USE(use, value) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value && is_plain_access(user))
      cn_push(&w->stores, user);
    else if (LLVMIsAPHINode(user))
      add_member(w, user);
    else
      w->broken = true;
  }
}

static void gather_members(struct phi_web *w, LLVMValueRef load)
{
  CN_ASSERT(LLVMIsALoadInst(load));
  add_member(w, load);
  for (size_t i = 0; i < w->values.count; i++)
    follow_uses(w, w->values.at[i]);
}

static LLVMValueRef replacement_of(struct phi_web *w, LLVMValueRef value)
{
  if (LLVMIsUndef(value))
    return LLVMIsPoison(value) ? LLVMGetPoison(w->type) : LLVMGetUndef(w->type);
  if (LLVMIsAConstant(value))
    return LLVMConstNull(w->type);
  const uint64_t *made = cn_ptrmap_find(&w->seen, value);
  CN_CHECK(made && *made); /* every operand of a member is a member */
  return (LLVMValueRef)(uintptr_t)*made;
}

static void copy_metadata(struct phi_web *w, LLVMValueRef to, LLVMValueRef from)
{
  static const char *const kinds[] = {"tbaa", "alias.scope", "noalias"};

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    unsigned kind = LLVMGetMDKindIDInContext(w->ctx->llvm, kinds[i], (unsigned)strlen(kinds[i]));
    LLVMValueRef node = LLVMGetMetadata(from, kind);
    if (node)
      LLVMSetMetadata(to, kind, node);
  }
  LLVMSetAlignment(to, LLVMGetAlignment(from));
}

/* Make the new value; a phi gets its operands after all members are made. */
static LLVMValueRef make_replacement(struct phi_web *w, LLVMBuilderRef builder, LLVMValueRef value)
{
  LLVMPositionBuilderBefore(builder, value);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(value));
  if (LLVMIsAPHINode(value))
    return LLVMBuildPhi(builder, w->type, "");
  CN_CHECK(LLVMIsALoadInst(value) && is_plain_access(value));
  LLVMValueRef load = LLVMBuildLoad2(builder, w->type, LLVMGetOperand(value, 0), "");
  copy_metadata(w, load, value);
  return load;
}

static void fill_replacement_phi(struct phi_web *w, LLVMValueRef phi, LLVMValueRef fresh)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef incoming = replacement_of(w, LLVMGetIncomingValue(phi, i));
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMAddIncoming(fresh, &incoming, &from, 1);
  }
}

static void replace_stores(struct phi_web *w, LLVMBuilderRef builder)
{
  for (size_t i = 0; i < w->stores.count; i++) {
    LLVMValueRef store = w->stores.at[i];
    LLVMPositionBuilderBefore(builder, store);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(store));
    LLVMValueRef fresh = LLVMBuildStore(builder, replacement_of(w, LLVMGetOperand(store, 0)), LLVMGetOperand(store, 1));
    copy_metadata(w, fresh, store);
    LLVMInstructionEraseFromParent(store);
  }
}

static void replace_web_values(struct phi_web *w)
{
  CN_CHECK(!w->broken && w->type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(w->ctx->llvm);

  for (size_t i = 0; i < w->values.count; i++) {
    LLVMValueRef value = w->values.at[i];
    *cn_ptrmap_find(&w->seen, value) = (uintptr_t)make_replacement(w, builder, value);
  }
  for (size_t i = 0; i < w->values.count; i++)
    if (LLVMIsAPHINode(w->values.at[i]))
      fill_replacement_phi(w, w->values.at[i], replacement_of(w, w->values.at[i]));
  replace_stores(w, builder);
  for (size_t i = 0; i < w->values.count; i++)
    LLVMReplaceAllUsesWith(w->values.at[i], LLVMGetPoison(LLVMTypeOf(w->values.at[i])));
  for (size_t i = 0; i < w->values.count; i++)
    LLVMInstructionEraseFromParent(w->values.at[i]);
  LLVMDisposeBuilder(builder);
}

/* Give the phi web of `load` the type of references. True if the function changed. */
static bool restore_web_of_load(struct cn_ctx *ctx, LLVMValueRef load)
{
  struct phi_web w = {.ctx = ctx, .type = reference_type_for(ctx, LLVMTypeOf(load))};
  bool changed = false;

  CN_ASSERT(LLVMIsALoadInst(load));
  gather_members(&w, load);
  if (!w.broken) {
    replace_web_values(&w);
    changed = true;
  } else if (w.managed_load) {
    cn_error(ctx, w.managed_load, "hidden-reference",
             "the optimiser loads a reference as an integer and uses it otherwise than to copy it");
  }
  cn_ptrmap_free(&w.seen);
  cn_free(&w.values);
  cn_free(&w.stores);
  return changed;
}

static void restore_references_in(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;)
      if (is_pointer_load(ctx, i) && restore_web_of_load(ctx, i))
        i = LLVMGetFirstInstruction(b); /* the next instruction may have been a member */
      else
        i = LLVMGetNextInstruction(i);
}

bool cn_restore_references(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_is_managed(f)) {
      if (!cn_has_statepoints(f))
        cn_address_integers_split(ctx, f);
      restore_references_in(ctx, f);
      cn_hidden_locals_check(ctx, f);
    }
  return ctx->errors == 0;
}

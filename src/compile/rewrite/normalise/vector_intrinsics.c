/* SPDX-License-Identifier: Apache-2.0
 *
 * Intrinsics and casts that yield vectors of references, in terms of instructions that splitting
 * and base inference know (docs/field.md, row 12). What a masked load keeps where nothing is loaded
 * keeps its base; lanes that are loaded are bases; lanes that only change their place are moved one
 * by one, of which the code generator makes a shuffle.
 *
 * Needs: nothing. Provides: no reference that is poison by its definition; vectors of references
 * come from memory, calls, phi, select, insertelement, extractelement, shufflevector, GEP and
 * freeze only. Breaks: nothing. The seeds' statepoints-later, "Base & Derived Pointers".
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/names.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/values/refs.h"

struct forms {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
};

/* Where one lane of a result comes from. */
struct lane {
  LLVMValueRef vector;
  unsigned lane;
};

static LLVMValueRef number(const struct forms *f, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(f->ctx->llvm), n, false);
}

static LLVMValueRef argument(LLVMValueRef call, unsigned i)
{
  return LLVMGetArgOperand(call, i);
}

static unsigned lanes_of(LLVMValueRef vector)
{
  return LLVMGetVectorSize(LLVMTypeOf(vector));
}

static LLVMValueRef gather(struct forms *f, LLVMTypeRef type, const struct lane *lanes)
{
  LLVMValueRef whole = LLVMConstNull(type);

  for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
    LLVMValueRef lane =
        LLVMBuildExtractElement(f->builder, lanes[i].vector, number(f, lanes[i].lane), "");
    whole = LLVMBuildInsertElement(f->builder, whole, lane, number(f, i), "");
  }
  return whole;
}

/* ---- lanes that change their place ---- */

/* Lane `i` of the result of `call`, of a vector of `count` lanes; `part` is the element of the
 * struct that is returned. */
typedef struct lane place(LLVMValueRef call, unsigned i, unsigned part);

static struct lane place_reverse(LLVMValueRef call, unsigned i, unsigned part)
{
  LLVMValueRef v = argument(call, 0);

  (void)part;
  return (struct lane){v, lanes_of(v) - 1 - i};
}

static struct lane place_extract(LLVMValueRef call, unsigned i, unsigned part)
{
  (void)part;
  return (struct lane){argument(call, 0),
                       (unsigned)LLVMConstIntGetZExtValue(argument(call, 1)) + i};
}

static struct lane place_insert(LLVMValueRef call, unsigned i, unsigned part)
{
  LLVMValueRef inner = argument(call, 1);
  unsigned at = (unsigned)LLVMConstIntGetZExtValue(argument(call, 2));

  (void)part;
  if (i >= at && i - at < lanes_of(inner))
    return (struct lane){inner, i - at};
  return (struct lane){argument(call, 0), i};
}

/* Of the lanes of both operands in a row, those from `from` on. */
static struct lane place_spliced(LLVMValueRef call, uint64_t from)
{
  unsigned count = lanes_of(argument(call, 0));

  return from < count ? (struct lane){argument(call, 0), (unsigned)from}
                      : (struct lane){argument(call, 1), (unsigned)(from - count)};
}

static struct lane place_left(LLVMValueRef call, unsigned i, unsigned part)
{
  (void)part;
  return place_spliced(call, LLVMConstIntGetZExtValue(argument(call, 2)) + i);
}

static struct lane place_right(LLVMValueRef call, unsigned i, unsigned part)
{
  (void)part;
  return place_spliced(call, lanes_of(argument(call, 0)) -
                                 LLVMConstIntGetZExtValue(argument(call, 2)) + i);
}

static struct lane place_interleave(LLVMValueRef call, unsigned i, unsigned part)
{
  unsigned count = LLVMGetNumArgOperands(call);

  (void)part;
  return (struct lane){argument(call, i % count), i / count};
}

static struct lane place_deinterleave(LLVMValueRef call, unsigned i, unsigned part)
{
  unsigned count = LLVMCountStructElementTypes(LLVMTypeOf(call));

  return (struct lane){argument(call, 0), i * count + part};
}

static LLVMValueRef move_lanes(struct forms *f, LLVMValueRef call, LLVMTypeRef type, place *from,
                               unsigned part)
{
  unsigned count = LLVMGetVectorSize(type);
  struct lane *lanes = cn_alloc(count * sizeof *lanes);

  for (unsigned i = 0; i < count; i++)
    lanes[i] = from(call, i, part);
  LLVMValueRef result = gather(f, type, lanes);
  free(lanes);
  return result;
}

static LLVMValueRef lower_places(struct forms *f, LLVMValueRef call, place *from)
{
  LLVMTypeRef type = LLVMTypeOf(call);

  if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return move_lanes(f, call, type, from, 0);
  LLVMValueRef whole = LLVMConstNull(type);
  for (unsigned part = 0; part < LLVMCountStructElementTypes(type); part++) {
    LLVMTypeRef vector = LLVMStructGetTypeAtIndex(type, part);
    LLVMValueRef lanes = move_lanes(f, call, vector, from, part);
    whole = LLVMBuildInsertValue(f->builder, whole, lanes, part, "");
  }
  return whole;
}

/* ---- lanes that a mask chooses ---- */

/* The lanes that the mask chooses and that lie before the explicit vector length. */
static LLVMValueRef active(struct forms *f, LLVMValueRef mask, LLVMValueRef length)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(f->ctx->llvm);
  LLVMValueRef before = LLVMConstNull(LLVMTypeOf(mask));

  for (unsigned i = 0; i < lanes_of(mask); i++) {
    LLVMValueRef lane = LLVMConstInt(i32, i, false);
    LLVMValueRef in = LLVMBuildICmp(f->builder, LLVMIntULT, lane, length, "");
    before = LLVMBuildInsertElement(f->builder, before, in, number(f, i), "");
  }
  return LLVMBuildAnd(f->builder, mask, before, "");
}

/* vp.select, vp.merge */
static LLVMValueRef lower_choice(struct forms *f, LLVMValueRef call)
{
  LLVMValueRef mask = active(f, argument(call, 0), argument(call, 3));

  return LLVMBuildSelect(f->builder, mask, argument(call, 1), argument(call, 2), "");
}

/* What `call` loads where `mask` says so, and `otherwise` elsewhere. The caller lets the other uses
 * of the call read that. */
static LLVMValueRef mask_result(struct forms *f, LLVMValueRef call, LLVMValueRef mask,
                                LLVMValueRef otherwise)
{
  return LLVMBuildSelect(f->builder, mask, call, otherwise, "");
}

/* Loads with a mask and a vector length: what they do not load is poison. Those that have got their
 * select are marked, for statepoints may be stripped and made again. */
static LLVMValueRef lower_vp_load(struct forms *f, LLVMValueRef call)
{
  static const char mark[] = "cairn-masked";
  unsigned count = LLVMGetNumArgOperands(call);

  if (LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, mark, sizeof mark - 1))
    return NULL;
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX,
                           LLVMCreateStringAttribute(f->ctx->llvm, mark, sizeof mark - 1, "", 0));
  LLVMValueRef mask = active(f, argument(call, count - 2), argument(call, count - 1));

  return mask_result(f, call, mask, LLVMConstNull(LLVMTypeOf(call)));
}

/* Loads that hand on what is given for lanes that they do not load. */
static LLVMValueRef lower_masked_load(struct forms *f, LLVMValueRef call)
{
  unsigned count = LLVMGetNumArgOperands(call);
  LLVMValueRef mask = argument(call, count - 2), otherwise = argument(call, count - 1);

  if (LLVMIsConstant(otherwise))
    return NULL;
  LLVMSetOperand(call, count - 1, LLVMConstNull(LLVMTypeOf(call)));
  return mask_result(f, call, mask, otherwise);
}

/* Lane by lane, so that each has its base. */
static LLVMValueRef lower_ptrmask(struct forms *f, LLVMValueRef call)
{
  LLVMValueRef pointers = argument(call, 0), masks = argument(call, 1);

  if (cn_is_ref(LLVMTypeOf(call)))
    return NULL;
  LLVMTypeRef types[] = {LLVMGetElementType(LLVMTypeOf(pointers)),
                         LLVMGetElementType(LLVMTypeOf(masks))};
  LLVMValueRef ptrmask = cn_intrinsic(f->ctx, "llvm.ptrmask", types, 2);
  LLVMValueRef whole = LLVMConstNull(LLVMTypeOf(call));
  for (unsigned i = 0; i < lanes_of(call); i++) {
    LLVMValueRef args[] = {LLVMBuildExtractElement(f->builder, pointers, number(f, i), ""),
                           LLVMBuildExtractElement(f->builder, masks, number(f, i), "")};
    LLVMValueRef lane =
        LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(ptrmask), ptrmask, args, 2, "");
    whole = LLVMBuildInsertElement(f->builder, whole, lane, number(f, i), "");
  }
  return whole;
}

/* llvm.ssa.copy, for which the code generator has no instruction. */
static LLVMValueRef lower_copy(struct forms *f, LLVMValueRef call)
{
  (void)f;
  return argument(call, 0);
}

/* ---- which is which ---- */

static const struct form {
  const char *name;
  place *places;
  LLVMValueRef (*lower)(struct forms *f, LLVMValueRef call); /* null: stays as it is */
  bool stays;                                                /* the call is needed still */
} forms[] = {
    {"llvm.vector.reverse", place_reverse, NULL, false},
    {"llvm.vector.extract", place_extract, NULL, false},
    {"llvm.vector.insert", place_insert, NULL, false},
    {"llvm.vector.splice.left", place_left, NULL, false},
    {"llvm.vector.splice.right", place_right, NULL, false},
    {"llvm.vector.interleave2", place_interleave, NULL, false},
    {"llvm.vector.interleave3", place_interleave, NULL, false},
    {"llvm.vector.interleave4", place_interleave, NULL, false},
    {"llvm.vector.interleave5", place_interleave, NULL, false},
    {"llvm.vector.interleave6", place_interleave, NULL, false},
    {"llvm.vector.interleave7", place_interleave, NULL, false},
    {"llvm.vector.interleave8", place_interleave, NULL, false},
    {"llvm.vector.deinterleave2", place_deinterleave, NULL, false},
    {"llvm.vector.deinterleave3", place_deinterleave, NULL, false},
    {"llvm.vector.deinterleave4", place_deinterleave, NULL, false},
    {"llvm.vector.deinterleave5", place_deinterleave, NULL, false},
    {"llvm.vector.deinterleave6", place_deinterleave, NULL, false},
    {"llvm.vector.deinterleave7", place_deinterleave, NULL, false},
    {"llvm.vector.deinterleave8", place_deinterleave, NULL, false},
    {"llvm.vp.select", NULL, lower_choice, false},
    {"llvm.vp.merge", NULL, lower_choice, false},
    {"llvm.vp.load", NULL, lower_vp_load, true},
    {"llvm.vp.gather", NULL, lower_vp_load, true},
    {"llvm.experimental.vp.strided.load", NULL, lower_vp_load, true},
    {"llvm.masked.load", NULL, lower_masked_load, true},
    {"llvm.masked.gather", NULL, lower_masked_load, true},
    {"llvm.masked.expandload", NULL, lower_masked_load, true},
    {"llvm.ssa.copy", NULL, lower_copy, false},
    {"llvm.ptrmask", NULL, lower_ptrmask, false},
};

static const struct form *form_of(LLVMValueRef call)
{
  if (!cn_calls_some_intrinsic(call))
    return NULL;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (cn_calls_intrinsic(call, forms[i].name))
      return &forms[i];
  return NULL;
}

/* A splice may shift by more than the vector has, and by what is not known here. */
static bool has_known_place(LLVMValueRef call)
{
  LLVMValueRef by = argument(call, 2);

  return LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) <= lanes_of(argument(call, 0));
}

bool cn_vector_intrinsics_know(LLVMValueRef call)
{
  const struct form *form = form_of(call);
  bool splices = form && (form->places == place_left || form->places == place_right);

  CN_ASSERT(LLVMIsAInstruction(call));
  return form && (!splices || has_known_place(call));
}

/* ---- instructions ---- */

/* Between a reference and a vector of one. */
static LLVMValueRef lower_bitcast(struct forms *f, LLVMValueRef cast)
{
  LLVMValueRef from = LLVMGetOperand(cast, 0);
  bool to_ref = cn_is_ref(LLVMTypeOf(cast)), from_ref = cn_is_ref(LLVMTypeOf(from));

  if (to_ref == from_ref)
    return NULL;
  if (to_ref)
    return LLVMBuildExtractElement(f->builder, from, number(f, 0), "");
  LLVMValueRef null = LLVMConstNull(LLVMTypeOf(cast));
  return LLVMBuildInsertElement(f->builder, null, from, number(f, 0), "");
}

static LLVMValueRef lower_constant_cast(LLVMValueRef cast)
{
  LLVMValueRef from = LLVMGetOperand(cast, 0);

  if (!LLVMIsConstant(from))
    return NULL;
  return LLVMIsAIntToPtrInst(cast) ? LLVMConstIntToPtr(from, LLVMTypeOf(cast))
                                   : LLVMConstAddrSpaceCast(from, LLVMTypeOf(cast));
}

/* A lane that the vector has not is poison: whatever lay in a register. */
static LLVMValueRef lower_extract(struct forms *f, LLVMValueRef extract)
{
  LLVMValueRef index = LLVMGetOperand(extract, 1);

  (void)f;
  if (!LLVMIsAConstantInt(index) ||
      LLVMConstIntGetZExtValue(index) < lanes_of(LLVMGetOperand(extract, 0)))
    return NULL;
  return LLVMConstNull(LLVMTypeOf(extract));
}

/* The argument that a leaf returns as it is ("returned"), or null. That may be a derived pointer;
 * what else a call returns is a base. */
static LLVMValueRef lower_returned(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned kind = cn_attribute_kind("returned"), arguments = LLVMGetNumArgOperands(call);

  for (unsigned a = 0; a < arguments; a++)
    if (LLVMTypeOf(argument(call, a)) == LLVMTypeOf(call) &&
        (LLVMGetCallSiteEnumAttribute(call, a + 1, kind) ||
         (callee && LLVMGetEnumAttributeAtIndex(callee, a + 1, kind))))
      return cn_classify_call(call).kind == CN_CALL_LEAF ? argument(call, a) : NULL;
  return NULL;
}

/* What `i` becomes, or null if it stays; *stays if it is needed still. */
static LLVMValueRef lower(struct forms *f, LLVMValueRef i, bool *stays)
{
  const struct form *form;

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMBitCast:
    return lower_bitcast(f, i);
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast: /* of constants: they are constants, which do not move */
    return lower_constant_cast(i);
  case LLVMExtractElement:
    return lower_extract(f, i);
  case LLVMCall:
    form = form_of(i);
    *stays = form ? form->stays : true;
    if (!form)
      return lower_returned(i);
    return form->places ? lower_places(f, i, form->places) : form->lower(f, i);
  default:
    return NULL;
  }
}

/* Let the other uses of `i` read `to`. */
static void replace(LLVMValueRef i, LLVMValueRef to, bool stays)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(i, &length));

  LLVMReplaceAllUsesWith(i, to);
  if (stays && LLVMIsASelectInst(to) && LLVMGetOperand(to, 1) == to)
    LLVMSetOperand(to, 1, i); /* the select chooses between it and something else */
  if (!stays)
    LLVMInstructionEraseFromParent(i);
  if (!stays && length && LLVMIsAInstruction(to) && !*LLVMGetValueName2(to, &length))
    LLVMSetValueName2(to, name, strlen(name));
  free(name);
}

/* Opcodes that lower() knows. */
static bool may_change(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMBitCast:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
  case LLVMExtractElement:
  case LLVMCall:
    return true;
  default:
    return false;
  }
}

void cn_vector_intrinsics_lower(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct forms f = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      bool stays = false;
      next = LLVMGetNextInstruction(i);
      if (!next || !may_change(i) || !cn_holds_ref(LLVMTypeOf(i)))
        continue;
      LLVMPositionBuilderBefore(f.builder, next);
      LLVMSetCurrentDebugLocation2(f.builder, LLVMInstructionGetDebugLoc(i));
      LLVMValueRef to = lower(&f, i, &stays);
      if (to)
        replace(i, to, stays);
    }
  LLVMDisposeBuilder(f.builder);
}

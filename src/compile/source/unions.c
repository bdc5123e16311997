/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles the tagged unions of C, which the macro cairn_union() of include/cairn/cairn.h declares: one word for a
 * reference or a number. Part of pass `rules`, before the checks of a function.
 *
 * Needs: the front end's IR, in which a typed GEP or a constant offset gives the address of the union, and the type of
 * the member before the union is struct cairn_union_bit_. Provides: each number is stored as a box (docs/words.md), so
 * the word is a reference, null or a box at each point of the program; errors of rule tagged-union. Breaks: nothing.
 *
 * The program's own tag cannot tell the collector which member a union holds, because tag and member are two stores: a
 * collection or the concurrent marker may come between them. So the word itself must tell. The box of a number has the
 * upper bit set, which no address of the heap has, and the member before the union keeps the inverse of the number's
 * own upper bit:
 *
 *   store x:  word = x | 1 << 63, bit = ~x >> 63            load:  word ^ bit << 63
 *
 * A load from a zeroed word and bit is 0, and a number of fewer than 64 bits needs no bit. Functions of native code
 * access the words as integers.
 */
#include "compile/source/unions.h"

#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"

#define UPPER_BIT (UINT64_C(1) << 63)

/* A union in a struct. The field before the union is the bit. */
struct union_place {
  LLVMValueRef pointer; /* of the union */
  uint64_t distance;    /* from the bit to the union, in bytes */
};

bool cn_unions_is_bit_type(LLVMTypeRef type)
{
  static const char prefix[] = "struct." CN_UNION_BIT_TYPE;
  const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;

  return name && strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* True if field `field` of the struct is a tagged union; *distance becomes the bytes from the bit to the union. */
static bool is_union_field(struct cn_ctx *ctx, LLVMTypeRef type, unsigned field, uint64_t *distance)
{
  if (field == 0 || !cn_unions_is_bit_type(LLVMStructGetTypeAtIndex(type, field - 1)))
    return false;
  *distance = LLVMOffsetOfElement(ctx->layout, type, field) - LLVMOffsetOfElement(ctx->layout, type, field - 1);
  return true;
}

/* True if a union of the type lies at `offset`. */
static bool find_union_at(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t offset, uint64_t *distance)
{
  while (type && LLVMTypeIsSized(type) && offset < LLVMABISizeOfType(ctx->layout, type)) {
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
      type = LLVMGetElementType(type);
      offset %= LLVMABISizeOfType(ctx->layout, type);
      continue;
    }
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
      return false;
    unsigned field = LLVMElementAtOffset(ctx->layout, type, offset);
    offset -= LLVMOffsetOfElement(ctx->layout, type, field);
    if (is_union_field(ctx, type, field, distance))
      return offset == 0;
    type = LLVMStructGetTypeAtIndex(type, field);
  }
  return false;
}

/* The struct type that the last index of the GEP steps into, or null. */
static LLVMTypeRef last_struct_of(LLVMValueRef gep)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);

  for (int i = 2; i + 1 < LLVMGetNumOperands(gep); i++)
    type = LLVMGetTypeKind(type) == LLVMStructTypeKind
               ? LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, (unsigned)i)))
               : LLVMGetElementType(type);
  return LLVMGetNumOperands(gep) > 2 && LLVMGetTypeKind(type) == LLVMStructTypeKind ? type : NULL;
}

/* True if `pointer` is the address of a tagged union: a member of a struct, or a constant offset into a global. */
static bool find_union(struct cn_ctx *ctx, LLVMValueRef pointer, struct union_place *place)
{
  bool constant = LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr;
  uint64_t offset = 0;

  place->pointer = pointer;
  if (LLVMIsAGetElementPtrInst(pointer)) {
    LLVMTypeRef type = last_struct_of(pointer);
    LLVMValueRef last = LLVMGetOperand(pointer, (unsigned)LLVMGetNumOperands(pointer) - 1);
    return type && is_union_field(ctx, type, (unsigned)LLVMConstIntGetZExtValue(last), &place->distance);
  }
  if (!constant || !cn_types_gep_offset(ctx, pointer, &offset))
    return false;
  LLVMValueRef global = cn_types_global_of(LLVMGetOperand(pointer, 0));
  return global && find_union_at(ctx, LLVMGlobalGetValueType(global), offset, &place->distance);
}

/* ---- accesses ---- */

struct union_access {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMValueRef instruction;
  struct union_place place;
  LLVMTypeRef i64, type; /* `type` and `bits` are those of the member's value */
  uint64_t bits;
  bool native; /* in a function of native code */
  CN_VECTOR(LLVMValueRef) dead;
};

static LLVMValueRef call_box_function(const struct union_access *a, const char *name, LLVMValueRef operand)
{
  LLVMTypeRef ref = cn_ref_type(a->ctx), from = LLVMTypeOf(operand), to = cn_is_ref(from) ? a->i64 : ref;
  LLVMTypeRef type = LLVMFunctionType(to, &from, 1, false);
  LLVMValueRef function = cn_emit_declare_function(a->ctx, name, type, LLVMCCallConv);

  return function ? LLVMBuildCall2(a->builder, type, function, &operand, 1, "") : LLVMGetPoison(to);
}

static LLVMValueRef build_bit_address(const struct union_access *a)
{
  LLVMValueRef back = LLVMConstInt(a->i64, -a->place.distance, true);

  return LLVMBuildInBoundsGEP2(a->builder, LLVMInt8TypeInContext(a->ctx->llvm), a->place.pointer, &back, 1, "");
}

/* Give the access of the word the alignment, volatility and TBAA tag of the member's access. */
static LLVMValueRef like_access(const struct union_access *a, LLVMValueRef access)
{
  unsigned kind = LLVMGetMDKindIDInContext(a->ctx->llvm, "tbaa", 4);
  LLVMValueRef tag = LLVMGetMetadata(a->instruction, kind);

  LLVMSetAlignment(access, LLVMGetAlignment(a->instruction));
  LLVMSetVolatile(access, LLVMGetVolatile(a->instruction));
  if (tag)
    LLVMSetMetadata(access, kind, tag);
  return access;
}

static LLVMTypeRef integer_of_member(const struct union_access *a)
{
  return LLVMIntTypeInContext(a->ctx->llvm, (unsigned)a->bits);
}

static LLVMValueRef build_member_of_bits(const struct union_access *a, LLVMValueRef bits)
{
  if (LLVMGetTypeKind(a->type) == LLVMPointerTypeKind)
    return LLVMBuildIntToPtr(a->builder, bits, a->type, "");
  LLVMValueRef integer = a->bits < 64 ? LLVMBuildTrunc(a->builder, bits, integer_of_member(a), "") : bits;
  return LLVMBuildBitCast(a->builder, integer, a->type, "");
}

static LLVMValueRef build_bits_of_member(const struct union_access *a, LLVMValueRef member)
{
  if (LLVMGetTypeKind(a->type) == LLVMPointerTypeKind)
    return LLVMBuildPtrToInt(a->builder, member, a->i64, "");
  LLVMValueRef integer = LLVMBuildBitCast(a->builder, member, integer_of_member(a), "");
  return a->bits < 64 ? LLVMBuildZExt(a->builder, integer, a->i64, "") : integer;
}

static void replace_load(const struct union_access *a)
{
  LLVMTypeRef word_type = a->native ? a->i64 : cn_ref_type(a->ctx), i8 = LLVMInt8TypeInContext(a->ctx->llvm);
  LLVMValueRef word = like_access(a, LLVMBuildLoad2(a->builder, word_type, a->place.pointer, ""));
  LLVMValueRef bits = a->native ? word : call_box_function(a, CN_BOX_BITS, word);

  if (a->bits == 64) {
    LLVMValueRef bit = LLVMBuildLoad2(a->builder, i8, build_bit_address(a), "");
    LLVMSetAlignment(bit, 1);
    bit = LLVMBuildShl(a->builder, LLVMBuildZExt(a->builder, bit, a->i64, ""), LLVMConstInt(a->i64, 63, false), "");
    bits = LLVMBuildXor(a->builder, bits, bit, "");
  }
  LLVMReplaceAllUsesWith(a->instruction, build_member_of_bits(a, bits));
  LLVMInstructionEraseFromParent(a->instruction);
}

static void replace_store(const struct union_access *a)
{
  LLVMValueRef bits = build_bits_of_member(a, LLVMGetOperand(a->instruction, 0));
  LLVMTypeRef i8 = LLVMInt8TypeInContext(a->ctx->llvm);

  if (a->bits == 64) {
    LLVMValueRef last = LLVMConstInt(a->i64, 63, false);
    LLVMValueRef bit = LLVMBuildLShr(a->builder, LLVMBuildNot(a->builder, bits, ""), last, "");
    bit = LLVMBuildTrunc(a->builder, bit, i8, "");
    LLVMSetAlignment(LLVMBuildStore(a->builder, bit, build_bit_address(a)), 1);
  }
  LLVMValueRef word = LLVMBuildOr(a->builder, bits, LLVMConstInt(a->i64, UPPER_BIT, false), "");
  if (!a->native)
    word = call_box_function(a, CN_BOX_FROM, word);
  like_access(a, LLVMBuildStore(a->builder, word, a->place.pointer));
  LLVMInstructionEraseFromParent(a->instruction);
}

/* The type of a plain load or store at `pointer`, or null. */
static LLVMTypeRef plain_access_type(LLVMValueRef i, unsigned operand)
{
  bool load = LLVMIsALoadInst(i) != NULL, store = LLVMIsAStoreInst(i) && operand == 1;

  if ((!load && !store) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
    return NULL;
  return LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
}

static bool is_number_type(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMPointerTypeKind:
    return true;
  default:
    return false;
  }
}

static bool is_clearing(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.memset") && LLVMIsNull(LLVMGetOperand(i, 1));
}

/* True if the instruction is the address of the union's bytes after a small number, and each use clears them, as clang
 * does in initialisers. The uses then go, because these bytes belong to the box. */
static bool drop_clearing_of_padding(struct union_access *a)
{
  LLVMValueRef gep = a->instruction;
  uint64_t offset = 0;

  if (!LLVMIsAGetElementPtrInst(gep) || !cn_types_gep_offset(a->ctx, gep, &offset) || offset == 0 || offset >= 8)
    return false;
  CN_EACH_USE(use, gep)
    if (!is_clearing(LLVMGetUser(use)) || LLVMGetOperand(LLVMGetUser(use), 0) != gep)
      return false;
  CN_EACH_USE(use, gep)
    cn_push(&a->dead, LLVMGetUser(use));
  cn_push(&a->dead, gep);
  return true;
}

/* Report a use of the union's address other than by a load or store of a member, or replace the access of a number.
 * Clearing the union stores null. */
static void compile_use(struct union_access *a, unsigned operand)
{
  LLVMTypeRef type = plain_access_type(a->instruction, operand);

  if (is_clearing(a->instruction) || drop_clearing_of_padding(a))
    return;
  if (!type || (!cn_is_ref(type) && !is_number_type(type))) {
    cn_error(a->ctx, a->instruction, "tagged-union",
             "a member of a cairn_union() is used other than by a read or an assignment, but its word may hold the "
             "box of a number; read the member into a local, or copy the whole struct");
    return;
  }
  if (cn_is_ref(type))
    return;
  a->type = type;
  a->bits = LLVMSizeOfTypeInBits(a->ctx->layout, type);
  LLVMPositionBuilderBefore(a->builder, a->instruction);
  LLVMSetCurrentDebugLocation2(a->builder, LLVMInstructionGetDebugLoc(a->instruction));
  if (LLVMIsALoadInst(a->instruction))
    replace_load(a);
  else
    replace_store(a);
}

/* Report copies of a constant to a struct with a tagged union, if the constant's type lacks the union. */
static void check_copied_constant(struct cn_ctx *ctx, LLVMValueRef copy)
{
  LLVMTypeRef to = cn_types_memory_type_of(LLVMGetOperand(copy, 0));
  LLVMValueRef from = cn_types_root_of(LLVMGetOperand(copy, 1)), global = LLVMIsAGlobalVariable(from);

  if (!to || !global || !LLVMIsGlobalConstant(global) || !LLVMGetInitializer(global) ||
      LLVMIsNull(LLVMGetInitializer(global)) || !cn_unions_has_union(to) ||
      cn_unions_has_union(LLVMGlobalGetValueType(global)))
    return;
  cn_error(ctx, copy, "tagged-union",
           "a constant is copied to a struct with a cairn_union(), but the constant's type has none; assign the "
           "members");
}

bool cn_unions_has_union(LLVMTypeRef type)
{
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return cn_unions_has_union(LLVMGetElementType(type));
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return false;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
    LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, i);
    if (cn_unions_is_bit_type(member) || cn_unions_has_union(member))
      return true;
  }
  return false;
}

void cn_unions_compile(struct cn_ctx *ctx, LLVMValueRef function, bool native)
{
  struct union_access a = {.ctx = ctx, .native = native, .i64 = LLVMInt64TypeInContext(ctx->llvm)};
  LLVMValueRef next;

  CN_ASSERT(LLVMIsAFunction(function) && !LLVMIsDeclaration(function));
  a.builder = LLVMCreateBuilderInContext(ctx->llvm);
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
      next = LLVMGetNextInstruction(i);
      a.instruction = i;
      if (cn_calls_is_memory_copy(i))
        check_copied_constant(ctx, i);
      for (int o = 0; o < LLVMGetNumOperands(i); o++)
        if (find_union(ctx, LLVMGetOperand(i, (unsigned)o), &a.place)) {
          compile_use(&a, (unsigned)o);
          break; /* the instruction may be gone */
        }
    }
  for (size_t i = 0; i < a.dead.count; i++)
    LLVMInstructionEraseFromParent(a.dead.at[i]);
  cn_free(&a.dead);
  LLVMDisposeBuilder(a.builder);
}

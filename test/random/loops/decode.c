/* SPDX-License-Identifier: Apache-2.0
 *
 * IR into operations on numbered values.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "random/loops/code.h"

struct decoder {
  struct cn_loops_code *code;
  struct cn_ptrmap lists; /* statepoints: where their live values are kept */
};

static void unknown(struct decoder *d, LLVMValueRef what)
{
  if (!d->code->unknown)
    d->code->unknown = what;
}

static LLVMTypeRef element_of(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static unsigned lanes_of(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static unsigned bits_of(LLVMTypeRef type)
{
  type = element_of(type);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;
}

static bool is_known_type(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(element_of(type));

  if (kind == LLVMVoidTypeKind || kind == LLVMTokenTypeKind || kind == LLVMLabelTypeKind)
    return true;
  return lanes_of(type) <= CN_LANES && bits_of(type) <= 64 &&
         (kind == LLVMIntegerTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMPointerTypeKind);
}

static struct cn_value constant(struct decoder *d, LLVMValueRef v)
{
  struct cn_value out = {0};
  LLVMTypeRef type = LLVMTypeOf(v);
  LLVMBool loses;

  if (LLVMIsAConstantInt(v)) {
    out.lane[0] = cn_cut(LLVMConstIntGetZExtValue(v), bits_of(type));
  } else if (LLVMIsAConstantFP(v)) {
    double real = LLVMConstRealGetDouble(v, &loses);
    memcpy(&out.lane[0], &real, sizeof real);
  } else if (LLVMIsNull(v) || LLVMIsUndef(v)) {
    return out;
  } else if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
    for (unsigned i = 0; i < lanes_of(type) && i < CN_LANES; i++)
      out.lane[i] = constant(d, LLVMGetAggregateElement(v, i)).lane[0];
  } else if (LLVMIsAGlobalVariable(v)) {
    cn_push(&d->code->mutators, (uint32_t)d->code->values.count);
  } else if (!LLVMIsAFunction(v)) {
    unknown(d, v);
  }
  return out;
}

static uint32_t slot_of(struct decoder *d, LLVMValueRef v)
{
  bool fresh;
  uint64_t *slot = cn_ptrmap_add(&d->code->slots, v, &fresh);

  if (fresh) {
    *slot = d->code->values.count;
    struct cn_value value = {0};
    if (LLVMIsConstant(v))
      value = constant(d, v);
    cn_push(&d->code->values, value);
  }
  return (uint32_t)*slot;
}

static uint64_t block_of(struct decoder *d, LLVMBasicBlockRef block)
{
  return *cn_ptrmap_find(&d->code->blocks, block);
}

static void note(struct decoder *d, struct cn_op *op, uint64_t number)
{
  cn_push(&d->code->numbers, number);
  op->length++;
}

/* ---- calls ---- */

static bool starts(const char *name, const char *with)
{
  return strncmp(name, with, strlen(with)) == 0;
}

static const struct {
  const char *name;
  enum cn_call does;
} intrinsics[] = {
    {"llvm.umin.", CN_DOES_UMIN},
    {"llvm.umax.", CN_DOES_UMAX},
    {"llvm.smin.", CN_DOES_SMIN},
    {"llvm.smax.", CN_DOES_SMAX},
    {"llvm.abs.", CN_DOES_ABS},
    {"llvm.fshl.", CN_DOES_FSHL},
    {"llvm.fabs.", CN_DOES_FABS},
    {"llvm.threadlocal.address", CN_DOES_ADDRESS},
    {"llvm.lifetime", CN_DOES_NOTHING},
    {"llvm.assume", CN_DOES_NOTHING},
    {"llvm.memset.", CN_DOES_FILL},
    {"cairn_poll_slow", CN_DOES_POLL},
    {"cairn_poll", CN_DOES_POLL},
    {"llvm.experimental.gc.statepoint", CN_DOES_MOVE},
    {"llvm.experimental.gc.relocate", CN_DOES_RELOCATE},
};

/* The described locals of the frame (abi.def): alloca, count, stride, how many offsets, these. */
static void decode_areas(struct decoder *d, struct cn_op *op, LLVMOperandBundleRef deopt)
{
  unsigned end = LLVMGetNumOperandBundleArgs(deopt);

  for (unsigned at = 2; at + 4 < end;) {
    uint64_t n[3], alloca = slot_of(d, LLVMGetOperandBundleArgAtIndex(deopt, at++));
    for (unsigned i = 0; i < 3; i++)
      n[i] = LLVMConstIntGetZExtValue(LLVMGetOperandBundleArgAtIndex(deopt, at++));
    for (uint64_t k = 0; k < n[2]; k++) {
      uint64_t offset = LLVMConstIntGetZExtValue(LLVMGetOperandBundleArgAtIndex(deopt, at++));
      for (uint64_t element = 0; element < n[0]; element++) {
        note(d, op, alloca);
        note(d, op, offset + element * n[1]);
      }
    }
  }
}

/* A bundle of a call, or null; to be disposed of. */
static LLVMOperandBundleRef bundle_of(LLVMValueRef call, const char *tag)
{
  size_t length;

  for (unsigned b = 0; b < LLVMGetNumOperandBundles(call); b++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, b);
    if (strcmp(LLVMGetOperandBundleTag(bundle, &length), tag) == 0)
      return bundle;
    LLVMDisposeOperandBundle(bundle);
  }
  return NULL;
}

/* Statepoints read their live values into a list each, relocates from there. They are found before
 * anything is decoded, for relocates may stand in blocks before them. */
static void find_lists(struct decoder *d, LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    LLVMOperandBundleRef live = LLVMIsACallInst(i) ? bundle_of(i, "gc-live") : NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMTokenTypeKind)
      *cn_ptrmap_add(&d->lists, i, NULL) = d->code->live;
    if (!live)
      continue;
    d->code->live += LLVMGetNumOperandBundleArgs(live);
    LLVMDisposeOperandBundle(live);
  }
}

static void decode_statepoint(struct decoder *d, struct cn_op *op, LLVMValueRef i)
{
  LLVMOperandBundleRef live = bundle_of(i, "gc-live"), deopt = bundle_of(i, "deopt");

  op->first = (uint32_t)d->code->numbers.count;
  op->other = (uint32_t)*cn_ptrmap_find(&d->lists, i);
  op->count = live ? LLVMGetNumOperandBundleArgs(live) : 0;
  for (unsigned k = 0; k < op->count; k++)
    note(d, op, slot_of(d, LLVMGetOperandBundleArgAtIndex(live, k)));
  if (deopt)
    decode_areas(d, op, deopt);
  if (live)
    LLVMDisposeOperandBundle(live);
  if (deopt)
    LLVMDisposeOperandBundle(deopt);
}

static void decode_call(struct decoder *d, struct cn_op *op, LLVMValueRef i)
{
  size_t length;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
  size_t at = 0, count = sizeof intrinsics / sizeof *intrinsics;

  if (LLVMIsAInlineAsm(LLVMGetCalledValue(i))) /* what keeps locals in memory: no code */
    return;
  while (at < count && !starts(name, intrinsics[at].name))
    at++;
  if (at == count) {
    unknown(d, i);
    return;
  }
  op->call = intrinsics[at].does;
  for (unsigned k = 0; k < 3 && k < LLVMGetNumArgOperands(i); k++)
    if (op->call != CN_DOES_MOVE && op->call != CN_DOES_RELOCATE)
      op->from[k] = slot_of(d, LLVMGetArgOperand(i, k));
  if (op->call == CN_DOES_MOVE)
    decode_statepoint(d, op, i);
  if (op->call == CN_DOES_RELOCATE) {
    const uint64_t *list = cn_ptrmap_find(&d->lists, LLVMGetArgOperand(i, 0));
    CN_CHECK(list); /* a statepoint dominates its relocates */
    op->from[0] = (uint32_t)*list;
    op->from[0] += (uint32_t)LLVMConstIntGetZExtValue(LLVMGetArgOperand(i, 2));
  }
}

/* ---- other instructions ---- */

static uint64_t size_of(struct decoder *d, LLVMValueRef at, LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return (LLVMGetIntTypeWidth(type) + 7) / 8;
  case LLVMDoubleTypeKind:
  case LLVMPointerTypeKind:
    return 8;
  case LLVMVectorTypeKind:
    return LLVMGetVectorSize(type) * size_of(d, at, LLVMGetElementType(type));
  case LLVMArrayTypeKind:
    return LLVMGetArrayLength2(type) * size_of(d, at, LLVMGetElementType(type));
  default:
    unknown(d, at);
    return 8;
  }
}

static void decode_address(struct decoder *d, struct cn_op *op, LLVMValueRef i)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(i);

  if (op->count > 3 || op->lanes != 1)
    unknown(d, i);
  for (unsigned k = 0; k + 1 < op->count && k < 2; k++) {
    op->scale[k] = size_of(d, i, type);
    op->other |= bits_of(LLVMTypeOf(LLVMGetOperand(i, k + 1))) != 64;
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
      type = LLVMGetElementType(type);
    else if (k + 2 < op->count)
      unknown(d, i);
  }
  if (op->other)
    unknown(d, i);
}

static void decode_end(struct decoder *d, struct cn_op *op, LLVMValueRef i)
{
  op->first = (uint32_t)d->code->numbers.count;
  for (unsigned s = 0; s < LLVMGetNumSuccessors(i); s++) {
    note(d, op, block_of(d, LLVMGetSuccessor(i, s)));
    if (LLVMIsASwitchInst(i))
      note(d, op, s ? slot_of(d, LLVMGetSwitchCaseValue(i, s)) : 0);
  }
}

static void decode_more(struct decoder *d, struct cn_op *op, LLVMValueRef i)
{
  switch (op->code) {
  case LLVMCall:
    decode_call(d, op, i);
    break;
  case LLVMICmp:
    op->other = LLVMGetICmpPredicate(i);
    break;
  case LLVMFCmp:
    op->other = LLVMGetFCmpPredicate(i);
    break;
  case LLVMGetElementPtr:
    decode_address(d, op, i);
    break;
  case LLVMAlloca:
    op->other = d->code->frame;
    d->code->frame += (uint32_t)(size_of(d, i, LLVMGetAllocatedType(i)) + 15) / 16 * 16;
    break;
  case LLVMShuffleVector:
    op->first = (uint32_t)d->code->numbers.count;
    for (unsigned k = 0; k < LLVMGetNumMaskElements(i); k++)
      note(d, op, (uint64_t)LLVMGetMaskValue(i, k));
    op->other = lanes_of(LLVMTypeOf(LLVMGetOperand(i, 0)));
    break;
  case LLVMBr:
  case LLVMSwitch:
    decode_end(d, op, i);
    break;
  default:
    break;
  }
}

/* What `bits` and `other` mean by default: the width of the result, or of what is compared or
 * stored, and of the first operand. */
static void decode(struct decoder *d, LLVMValueRef i)
{
  int count = LLVMGetNumOperands(i);
  struct cn_op op = {.code = LLVMGetInstructionOpcode(i), .count = (uint32_t)count};
  LLVMTypeRef type = LLVMTypeOf(i), first = count ? LLVMTypeOf(LLVMGetOperand(i, 0)) : type;

  if (!is_known_type(type))
    unknown(d, i);
  if (op.code == LLVMStore || op.code == LLVMICmp || op.code == LLVMFCmp)
    type = first;
  op.lanes = lanes_of(type);
  op.bits = bits_of(type);
  op.other = op.code == LLVMGetElementPtr ? 0 : bits_of(first);
  if (op.code != LLVMCall)
    for (int k = 0; k < count && k < 3; k++)
      if (!LLVMValueIsBasicBlock(LLVMGetOperand(i, (unsigned)k)))
        op.from[k] = slot_of(d, LLVMGetOperand(i, (unsigned)k));
  if (op.code == LLVMBitCast || op.code == LLVMSelect)
    op.count = lanes_of(first);
  if (op.code == LLVMBr)
    op.count = LLVMIsConditional(i) ? 3 : 1;
  decode_more(d, &op, i);
  op.to = slot_of(d, i);
  cn_push(&d->code->ops, op);
}

static void decode_phi(struct decoder *d, LLVMValueRef i)
{
  struct cn_phi phi = {.to = slot_of(d, i), .first = (uint32_t)d->code->numbers.count};

  if (!is_known_type(LLVMTypeOf(i)))
    unknown(d, i);
  for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
    uint64_t from = block_of(d, LLVMGetIncomingBlock(i, k));
    uint64_t value = slot_of(d, LLVMGetIncomingValue(i, k));
    cn_push(&d->code->numbers, from);
    cn_push(&d->code->numbers, value);
    phi.length++;
  }
  cn_push(&d->code->phis, phi);
}

static void decode_block(struct decoder *d, LLVMBasicBlockRef block)
{
  struct cn_code_block *at = &d->code->at.at[block_of(d, block)];
  LLVMValueRef i = LLVMGetFirstInstruction(block);

  at->phi = (uint32_t)d->code->phis.count;
  for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    decode_phi(d, i);
  at->phis = (uint32_t)d->code->phis.count - at->phi;
  at->op = (uint32_t)d->code->ops.count;
  for (; i; i = LLVMGetNextInstruction(i))
    decode(d, i);
}

struct cn_loops_code *cn_loops_decode(LLVMValueRef function)
{
  struct decoder d = {.code = cn_alloc(sizeof *d.code)};

  for (unsigned p = 0; p < LLVMCountParams(function); p++)
    slot_of(&d, LLVMGetParam(function, p));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    *cn_ptrmap_add(&d.code->blocks, b, NULL) = d.code->at.count;
    cn_push(&d.code->at, (struct cn_code_block){0});
    find_lists(&d, b);
  }
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    decode_block(&d, b);
  cn_ptrmap_free(&d.lists);
  return d.code;
}

/* Depth first; counts the blocks that an edge leads back to from what is reached over them. */
static void visit(const struct cn_loops_code *code, uint32_t block, char *state, uint64_t *heads)
{
  enum { UNSEEN, OPEN, HEAD, DONE };
  const struct cn_op *end = &code->ops.at[code->at.at[block].op];

  while (end->code != LLVMBr && end->code != LLVMSwitch && end->code != LLVMRet && end->code != LLVMUnreachable)
    end++;
  state[block] = OPEN;
  for (uint32_t s = 0; s < end->length; s += end->code == LLVMSwitch ? 2 : 1) {
    uint32_t to = (uint32_t)code->numbers.at[end->first + s];
    if (state[to] == OPEN)
      state[to] = HEAD;
    else if (state[to] == UNSEEN)
      visit(code, to, state, heads);
  }
  *heads += state[block] == HEAD;
  state[block] = DONE;
}

uint64_t cn_loops_count(const struct cn_loops_code *code)
{
  char *state = cn_alloc(code->at.count);
  uint64_t heads = 0;

  visit(code, 0, state, &heads);
  free(state);
  return heads;
}

LLVMValueRef cn_loops_unknown(const struct cn_loops_code *code)
{
  return code->unknown;
}

void cn_loops_forget(struct cn_loops_code *code)
{
  cn_ptrmap_free(&code->slots);
  cn_ptrmap_free(&code->blocks);
  cn_free(&code->values);
  cn_free(&code->ops);
  cn_free(&code->phis);
  cn_free(&code->at);
  cn_free(&code->numbers);
  cn_free(&code->mutators);
  free(code);
}

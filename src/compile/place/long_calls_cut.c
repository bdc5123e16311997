/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts one long call into pieces. Part of pass `place-safepoints`.
 *
 * Needs: any long call. Provides: the old call for lengths up to a limit, and for longer lengths
 *
 *   long.start:  the direction, and the end of the first piece
 *   long.piece:  a poll; the call for one piece of the memory; a branch to long.piece if more is left
 *   long.rest:   a poll
 *
 * Breaks: struct cn_cfg.
 *
 * Pieces meet at offsets whose addresses are multiples of eight, before and after a move: between two pieces a
 * collection finds complete references. The addresses before the first piece decide the direction of the loop, and the
 * direction stays right if objects move.
 */
#include <llvm-c/DebugInfo.h>
#include "compile/analysis/cfg.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/place/long_calls.h"

static const char piece_reason[] = "polls between two pieces of a long call";

struct call_cutter {
  struct cn_ctx *ctx;
  const struct cn_long_call *which;
  LLVMBuilderRef builder;
  LLVMTypeRef i64;
  bool aligned; /* the memory of the first argument has the alignment of objects */
  struct cn_poll_emitter *polls;
  struct cn_ptrmap *polled;
  LLVMBasicBlockRef rest;   /* the block after all loops */
  LLVMValueRef result;      /* in `rest`: the result of the last piece, or null */
  LLVMValueRef length, odd; /* i64: the number of bytes; the first address modulo eight */
};

static LLVMValueRef make_i64(const struct call_cutter *c, uint64_t n)
{
  return LLVMConstInt(c->i64, n, false);
}

static LLVMBasicBlockRef append_block(const struct call_cutter *c, const char *name)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(c->rest);

  return LLVMAppendBasicBlockInContext(c->ctx->llvm, function, name);
}

static LLVMValueRef call_binary_intrinsic(const struct call_cutter *c, const char *name, LLVMValueRef a, LLVMValueRef b)
{
  LLVMTypeRef type = c->i64;
  LLVMValueRef intrinsic = cn_intrinsic(c->ctx, name, &type, 1), both[] = {a, b};

  return LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(intrinsic), intrinsic, both, 2, "");
}

/* Drop the attributes of the result (index 0) and of the arguments (1, ...) that hold only for the complete call.
 * Pieces are aligned to the element size, as the memory of the call is. */
static void remove_complete_call_facts(const struct call_cutter *c, LLVMValueRef call)
{
  static const char *const facts[] = {
      "dereferenceable", "dereferenceable_or_null", "align", "initializes", "nonnull", "range"};
  LLVMContextRef llvm = c->ctx->llvm;

  for (LLVMAttributeIndex at = 0; at <= c->which->length + 1; at++)
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
      LLVMRemoveCallSiteEnumAttribute(call, at, cn_attribute_kind(facts[f]));
  uint64_t element = c->which->element;
  for (unsigned i = 0; i < c->which->places && element; i++)
    LLVMAddCallSiteAttribute(call, i + 1, LLVMCreateEnumAttribute(llvm, cn_attribute_kind("align"), element));
  if (c->aligned && element < CAIRN_ABI_OBJECT_ALIGN)
    LLVMAddCallSiteAttribute(call, 1,
                             LLVMCreateEnumAttribute(llvm, cn_attribute_kind("align"), CAIRN_ABI_OBJECT_ALIGN));
  LLVMSetMetadata(call, LLVMGetMDKindIDInContext(llvm, "tbaa.struct", 11), NULL);
}

static LLVMValueRef build_piece_call(const struct call_cutter *c, LLVMValueRef at, LLVMValueRef bytes)
{
  const struct cn_long_call *w = c->which;
  LLVMTypeRef i8 = LLVMInt8TypeInContext(c->ctx->llvm);
  CN_CHECK(w->places == 1 || w->places == 2);
  LLVMValueRef places[2], call = LLVMInstructionClone(w->call);
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(w->call, w->length));

  for (unsigned i = 0; i < w->places; i++)
    places[i] = LLVMBuildGEP2(c->builder, i8, LLVMGetOperand(w->call, i), &at, 1, "long.at");
  bytes = type == c->i64 ? bytes : LLVMBuildTrunc(c->builder, bytes, type, "");
  LLVMInsertIntoBuilder(c->builder, call);
  for (unsigned i = 0; i < w->places; i++)
    LLVMSetOperand(call, i, places[i]);
  remove_complete_call_facts(c, call);
  LLVMSetOperand(call, w->length, bytes);
  CN_ASSERT(LLVMTypeOf(bytes) == type);
  cn_work_attach_promise(c->ctx, call, cn_work_of_bytes(w->piece));
  return call;
}

/* Build a test that is true if the loop continues after the result of `piece`; null if the loop always continues. */
static LLVMValueRef build_continue_test(const struct call_cutter *c, LLVMValueRef piece)
{
  if (c->which->result != CN_LONG_RESULT_COMPARISON && c->which->result != CN_LONG_RESULT_FOUND_POINTER)
    return NULL;
  return LLVMBuildICmp(c->builder, LLVMIntEQ, piece, LLVMConstNull(LLVMTypeOf(piece)), "");
}

/* Build a poll after the loop's phis, and leave the builder after the poll. */
static void build_poll(struct call_cutter *c)
{
  CN_ASSERT(!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(c->builder)));
  LLVMValueRef place = LLVMBuildUnreachable(c->builder);

  cn_poll_emit(c->polls, place, CN_POLL_FORM_STUB_CALL, piece_reason);
  LLVMBasicBlockRef after = LLVMGetInstructionParent(place);
  LLVMInstructionEraseFromParent(place);
  LLVMPositionBuilderAtEnd(c->builder, after);
}

static void build_loop_back_edge(struct call_cutter *c, LLVMBasicBlockRef body, LLVMValueRef piece, LLVMValueRef more)
{
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->builder);
  LLVMValueRef nothing = build_continue_test(c, piece);

  if (nothing)
    more = LLVMBuildAnd(c->builder, more, nothing, "");
  LLVMBuildCondBr(c->builder, more, body, c->rest);
  if (c->result) {
    bool first = c->which->result == CN_LONG_RESULT_FIRST_ARGUMENT;
    LLVMValueRef value = first ? LLVMGetOperand(c->which->call, 0) : piece;
    LLVMAddIncoming(c->result, &value, &latch, 1);
  }
  cn_ptrmap_add(c->polled, latch, NULL);
}

static void add_loop_phi_inputs(const struct call_cutter *c, LLVMValueRef phi, LLVMValueRef first,
                                LLVMBasicBlockRef entry, LLVMValueRef next)
{
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->builder);

  CN_CHECK(latch != entry);
  LLVMAddIncoming(phi, &first, &entry, 1);
  LLVMAddIncoming(phi, &next, &latch, 1);
}

/* Build the loop that begins at the start of the memory. Pieces end at multiples of the piece size minus the odd
 * bytes. */
static void build_upward_loop(struct call_cutter *c, LLVMBasicBlockRef entry)
{
  LLVMBasicBlockRef body = append_block(c, "long.piece");
  LLVMValueRef size = make_i64(c, c->which->piece);
  LLVMValueRef first = LLVMBuildSub(c->builder, size, c->odd, "");

  LLVMBuildBr(c->builder, body);
  LLVMPositionBuilderAtEnd(c->builder, body);
  LLVMValueRef at = LLVMBuildPhi(c->builder, c->i64, "long.from");
  LLVMValueRef stop = LLVMBuildPhi(c->builder, c->i64, "long.stop");
  build_poll(c);
  LLVMValueRef end = call_binary_intrinsic(c, "llvm.umin", stop, c->length);
  LLVMValueRef piece = build_piece_call(c, at, LLVMBuildSub(c->builder, end, at, ""));
  LLVMValueRef next = LLVMBuildAdd(c->builder, stop, size, "");
  LLVMValueRef more = LLVMBuildICmp(c->builder, LLVMIntULT, end, c->length, "");
  add_loop_phi_inputs(c, at, make_i64(c, 0), entry, end);
  add_loop_phi_inputs(c, stop, first, entry, next);
  build_loop_back_edge(c, body, piece, more);
}

/* Build the loop that begins at the end of the memory. The downward loop has the pieces of the upward loop in reverse
 * order. A length of zero also makes one piece. */
static void build_downward_loop(struct call_cutter *c, LLVMBasicBlockRef entry)
{
  LLVMBasicBlockRef body = append_block(c, "long.piece");
  LLVMValueRef less = call_binary_intrinsic(c, "llvm.usub.sat", c->length, make_i64(c, 1));
  LLVMValueRef last = LLVMBuildAdd(c->builder, less, c->odd, "");
  LLVMValueRef first = LLVMBuildAnd(c->builder, last, make_i64(c, 0 - c->which->piece), "");

  LLVMBuildBr(c->builder, body);
  LLVMPositionBuilderAtEnd(c->builder, body);
  LLVMValueRef end = LLVMBuildPhi(c->builder, c->i64, "long.end");
  LLVMValueRef start = LLVMBuildPhi(c->builder, c->i64, "long.start");
  build_poll(c);
  LLVMValueRef at = call_binary_intrinsic(c, "llvm.usub.sat", start, c->odd);
  LLVMValueRef piece = build_piece_call(c, at, LLVMBuildSub(c->builder, end, at, ""));
  LLVMValueRef next = LLVMBuildSub(c->builder, start, make_i64(c, c->which->piece), "");
  LLVMValueRef more = LLVMBuildICmp(c->builder, LLVMIntNE, at, make_i64(c, 0), "");
  add_loop_phi_inputs(c, end, c->length, entry, at);
  add_loop_phi_inputs(c, start, first, entry, next);
  build_loop_back_edge(c, body, piece, more);
}

static bool is_destination_aligned(LLVMValueRef call)
{
  LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, 1, cn_attribute_kind("align"));

  return align && LLVMGetEnumAttributeValue(align) >= CAIRN_ABI_OBJECT_ALIGN;
}

static void build_piece_loops(struct call_cutter *c, LLVMBasicBlockRef start)
{
  LLVMValueRef call = c->which->call, to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);

  LLVMPositionBuilderAtEnd(c->builder, start);
  c->length = LLVMBuildZExt(c->builder, LLVMGetOperand(call, c->which->length), c->i64, "");
  c->aligned = is_destination_aligned(call);
  c->odd = c->aligned ? make_i64(c, 0)
                      : LLVMBuildAnd(c->builder, LLVMBuildPtrToInt(c->builder, to, c->i64, ""),
                                     make_i64(c, CAIRN_ABI_OBJECT_ALIGN - 1), "long.odd");
  if (!c->which->overlapping || LLVMTypeOf(to) != LLVMTypeOf(from)) {
    build_upward_loop(c, start);
    return;
  }
  LLVMBasicBlockRef up = append_block(c, "long.up"), down = append_block(c, "long.down");
  LLVMBuildCondBr(c->builder, LLVMBuildICmp(c->builder, LLVMIntUGT, to, from, ""), down, up);
  LLVMPositionBuilderAtEnd(c->builder, up);
  build_upward_loop(c, up);
  LLVMPositionBuilderAtEnd(c->builder, down);
  build_downward_loop(c, down);
}

static void join_results(struct call_cutter *c, LLVMBasicBlockRef plain, LLVMBasicBlockRef rest, LLVMBasicBlockRef done)
{
  LLVMValueRef call = c->which->call;

  if (!c->result)
    return;
  LLVMPositionBuilderBefore(c->builder, LLVMGetFirstInstruction(done));
  LLVMValueRef all = LLVMBuildPhi(c->builder, LLVMTypeOf(call), "long.result");
  LLVMReplaceAllUsesWith(call, all);
  LLVMAddIncoming(all, &c->result, &rest, 1);
  if (c->which->limit)
    LLVMAddIncoming(all, &call, &plain, 1);
}

static void branch_on_length(struct call_cutter *c, LLVMBasicBlockRef head, LLVMBasicBlockRef start,
                             LLVMBasicBlockRef plain)
{
  LLVMValueRef length = LLVMGetOperand(c->which->call, c->which->length);
  LLVMValueRef limit = LLVMConstInt(LLVMTypeOf(length), c->which->limit, false);

  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(c->builder, head);
  if (!c->which->limit) {
    LLVMBuildBr(c->builder, start);
    CN_CHECK(!LLVMGetFirstUse(c->which->call)); /* the caller deletes the old call */
    LLVMDeleteBasicBlock(plain);
    return;
  }
  cn_work_attach_promise(c->ctx, c->which->call, cn_work_of_bytes(c->which->limit));
  LLVMValueRef is_long = LLVMBuildICmp(c->builder, LLVMIntUGT, length, limit, "long");
  cn_emit_mark_branch_unlikely(c->ctx, LLVMBuildCondBr(c->builder, is_long, start, plain));
}

void cn_long_cut_call(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_poll_emitter *polls,
                      struct cn_ptrmap *polled)
{
  LLVMValueRef call = which->call, function;
  struct call_cutter c = {.ctx = ctx,
                          .which = which,
                          .polls = polls,
                          .polled = polled,
                          .builder = LLVMCreateBuilderInContext(ctx->llvm),
                          .i64 = LLVMInt64TypeInContext(ctx->llvm)};
  CN_CHECK(which->piece >= CAIRN_ABI_OBJECT_ALIGN && (which->piece & (which->piece - 1)) == 0);
  CN_CHECK(which->length < LLVMGetNumArgOperands(call));
  LLVMBasicBlockRef head = LLVMGetInstructionParent(call);
  LLVMBasicBlockRef done = cn_split_block_before(ctx, LLVMGetNextInstruction(call), "long.done");
  LLVMBasicBlockRef plain = cn_split_block_before(ctx, call, "long.plain");

  function = LLVMGetBasicBlockParent(head);
  LLVMSetCurrentDebugLocation2(c.builder, LLVMInstructionGetDebugLoc(call));
  LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(ctx->llvm, function, "long.start");
  c.rest = LLVMAppendBasicBlockInContext(ctx->llvm, function, "long.rest");
  LLVMPositionBuilderAtEnd(c.builder, c.rest);
  if (LLVMGetFirstUse(call))
    c.result = LLVMBuildPhi(c.builder, LLVMTypeOf(call), "long.last");
  LLVMValueRef out = LLVMBuildBr(c.builder, done);
  build_piece_loops(&c, start);
  CN_CHECK(!c.result || LLVMCountIncoming(c.result));
  cn_poll_emit(polls, out, CN_POLL_FORM_STUB_CALL, piece_reason);
  join_results(&c, plain, LLVMGetInstructionParent(out), done);
  branch_on_length(&c, head, start, plain);
  LLVMDisposeBuilder(c.builder);
}

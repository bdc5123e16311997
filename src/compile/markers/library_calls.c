/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls functions of the C library on references: functions that only read text or bytes, such as strlen and memcmp.
 * The objects stay in place during such a call, because the callee reaches no safepoint. The names of the callees get
 * a prefix from `prepare` to `drop-markers`: LLVM 22 would replace a call of strlen on a reference by a call on an
 * ordinary pointer.
 *
 * Needs: unoptimised IR for the calls, and final code for the names. Provides: calls of leaves on references; code that
 * cuts calls on long texts into pieces, and that place-safepoints gives polls. Breaks: struct cn_cfg.
 *
 *   strlen(s):        the runtime's cairn_text_length(s, limit), and the helper if the text is longer
 *   strcmp(a, b):     cairn_text_compare(a, b, limit), and the helper if the texts are equal so far
 *   strcasecmp(a, b): strncasecmp(a, b, limit); if the texts are equal so far, memchr tells whether they end
 *   strncmp(a, b, n): the old call if n is at most the limit, and else the helper
 *   memcmp, memchr:   place-safepoints cuts these calls (place/long_calls.c)
 *
 * A helper, cairn.long.NAME, is a loop that makes the calls for one piece after the other.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/markers/markers.h"

/* The bytes of one call. A call for this number of bytes takes two microseconds in a cache. */
#define MAX_PIECE_BYTES (16 << 10)
#define MIN_PIECE_BYTES 256
/* The piece is divided by this number for functions that take nanoseconds for a byte. */
#define SLOW_PIECE_DIVISOR 8
#define MAX_PARAMETERS 4
/* LLVM 22's encoding of memory(argmem: read). */
#define MEMORY_READS_ARGUMENTS (1 << 0)

enum library_form { FORM_LENGTH, FORM_COMPARISON, FORM_SIZED_COMPARISON };

/* The functions whose time depends on the end of a text. The comparisons of pieces are calls of `sized`. */
static const struct text_function {
  const char *name;
  enum library_form form;
  const char *sized;
  bool slow;
} text_functions[] = {
    {"strlen", FORM_LENGTH, NULL, false},
    {"strcmp", FORM_COMPARISON, "strncmp", false},
    {"strcasecmp", FORM_COMPARISON, "strncasecmp", true},
    {"strncmp", FORM_SIZED_COMPARISON, "strncmp", false},
    {"strncasecmp", FORM_SIZED_COMPARISON, "strncasecmp", true},
};

/* ---- declarations ---- */

/* The bits of the parameters that are pointers, or that are references. */
static unsigned pointer_mask(LLVMTypeRef type, bool references)
{
  LLVMTypeRef types[MAX_PARAMETERS];
  unsigned mask = 0;

  CN_CHECK(LLVMCountParamTypes(type) <= MAX_PARAMETERS);
  LLVMGetParamTypes(type, types);
  for (unsigned i = 0; i < LLVMCountParamTypes(type); i++)
    mask |= (unsigned)(references ? cn_is_ref(types[i]) : LLVMGetTypeKind(types[i]) == LLVMPointerTypeKind) << i;
  return mask;
}

/* Describe the function to the optimiser, and to the passes that find the base of a result. */
static void describe_library_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  static const char *const attributes[] = {"nounwind", "willreturn", "nocallback", "nofree", "nosync"};
  static const char base[] = "cairn-base";
  LLVMTypeRef type = LLVMGlobalGetValueType(function);

  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, attributes[i], 0);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "memory", MEMORY_READS_ARGUMENTS);
  cn_emit_mark_leaf(ctx, function);
  if (cn_is_ref(LLVMGetReturnType(type)) && (pointer_mask(type, true) & 1))
    LLVMAddAttributeAtIndex(function, 1, LLVMCreateStringAttribute(ctx->llvm, base, sizeof base - 1, "", 0));
}

/* The name of library function `name` of this type until drop-markers. The caller frees the result. */
static char *prefixed_name(const char *name, LLVMTypeRef type)
{
  unsigned mask = pointer_mask(type, true);

  return mask == pointer_mask(type, false) ? cn_format(CN_LIBRARY_PREFIX ".%s", name)
                                           : cn_format(CN_LIBRARY_PREFIX "%u.%s", mask, name);
}

/* The declaration of library function `name` with this type. */
static LLVMValueRef declare_library_function(struct cn_ctx *ctx, const char *name, LLVMTypeRef type)
{
  char *full = prefixed_name(name, type);
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, full);

  if (!function || LLVMGlobalGetValueType(function) != type) {
    function = LLVMAddFunction(ctx->module, full, type);
    describe_library_function(ctx, function);
  }
  free(full);
  return function;
}

/* Give a function that clang has declared with references the name with the prefix: calls on ordinary pointers need a
 * declaration with their own type. */
static void rename_declaration_with_references(struct cn_ctx *ctx, LLVMValueRef function, const char *name)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);

  if (!ctx->options->manage_all || !LLVMIsDeclaration(function) || !cn_calls_reads_references(name) ||
      LLVMCountParamTypes(type) > MAX_PARAMETERS || !cn_calls_type_has_refs(type))
    return;
  char *full = prefixed_name(name, type);
  LLVMSetValueName2(function, full, strlen(full));
  describe_library_function(ctx, function);
  free(full);
}

void cn_library_calls_prepare(struct cn_ctx *ctx)
{
  size_t length;

  CN_EACH_FUNCTION(f, ctx->module) {
    const char *name = LLVMGetValueName2(f, &length), *own = cn_calls_library_name(name);
    if (own == name)
      rename_declaration_with_references(ctx, f, name);
    else if (!LLVMIsDeclaration(f) || !cn_calls_reads_references(own) ||
             LLVMCountParamTypes(LLVMGlobalGetValueType(f)) > MAX_PARAMETERS)
      cn_error(ctx, f, "library-call", "@%s is no function of the C library that may be called on references", name);
    else
      describe_library_function(ctx, f);
  }
}

/* ---- pieces ---- */

struct text_call {
  struct cn_ctx *ctx;
  const struct text_function *which;
  LLVMValueRef call;
  LLVMTypeRef type;
  LLVMTypeRef i64;
  uint64_t limit;
  LLVMBuilderRef builder;
};

static LLVMValueRef make_i64(const struct text_call *t, uint64_t n)
{
  return LLVMConstInt(t->i64, n, false);
}

static LLVMBasicBlockRef append_block(const struct text_call *t, LLVMValueRef function, const char *name)
{
  return LLVMAppendBasicBlockInContext(t->ctx->llvm, function, name);
}

/* Build a search of the zero in the piece that begins at `text`. */
static LLVMValueRef build_end_search(const struct text_call *t, LLVMValueRef text)
{
  LLVMTypeRef pointer = LLVMTypeOf(text), i32 = LLVMInt32TypeInContext(t->ctx->llvm);
  LLVMTypeRef parameters[] = {pointer, i32, t->i64};
  LLVMTypeRef type = LLVMFunctionType(pointer, parameters, 3, false);
  LLVMValueRef arguments[] = {text, LLVMConstNull(i32), make_i64(t, t->limit)};

  return LLVMBuildCall2(t->builder, type, declare_library_function(t->ctx, "memchr", type), arguments, 3, "end");
}

static LLVMValueRef build_comparison(const struct text_call *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef bytes)
{
  LLVMTypeRef parameters[] = {LLVMTypeOf(a), LLVMTypeOf(b), t->i64};
  LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(t->type), parameters, 3, false);
  LLVMValueRef arguments[] = {a, b, bytes};
  LLVMValueRef function = declare_library_function(t->ctx, t->which->sized, type);
  LLVMValueRef call = LLVMBuildCall2(t->builder, type, function, arguments, 3, "order");

  cn_work_attach_promise(t->ctx, call, cn_work_of_bytes(MAX_PIECE_BYTES));
  return call;
}

static LLVMValueRef build_distance(const struct text_call *t, LLVMValueRef end, LLVMValueRef start)
{
  return LLVMBuildSub(t->builder, LLVMBuildPtrToInt(t->builder, end, t->i64, ""),
                      LLVMBuildPtrToInt(t->builder, start, t->i64, ""), "length");
}

static LLVMValueRef build_place(const struct text_call *t, LLVMValueRef text, LLVMValueRef at)
{
  return LLVMBuildGEP2(t->builder, LLVMInt8TypeInContext(t->ctx->llvm), text, &at, 1, "");
}

/* Build a call of a function of the runtime that reads texts up to the limit. */
static LLVMValueRef build_runtime_call(const struct text_call *t, const char *name)
{
  unsigned texts = t->which->form == FORM_LENGTH ? 1 : 2;
  LLVMTypeRef parameters[3];
  LLVMValueRef arguments[3];

  for (unsigned i = 0; i < texts; i++) {
    arguments[i] = LLVMGetOperand(t->call, i);
    parameters[i] = LLVMTypeOf(arguments[i]);
  }
  arguments[texts] = make_i64(t, t->limit);
  parameters[texts] = t->i64;
  LLVMTypeRef type = LLVMFunctionType(t->i64, parameters, texts + 1, false);
  return LLVMBuildCall2(t->builder, type, declare_library_function(t->ctx, name, type), arguments, texts + 1, "");
}

/* ---- helpers ---- */

/* Build the end of the helper's loop: block `more` advances `at` by a piece and returns to `scan`. */
static void build_advance(const struct text_call *t, LLVMValueRef at, LLVMBasicBlockRef entry, LLVMBasicBlockRef scan,
                          LLVMBasicBlockRef more)
{
  LLVMValueRef zero = make_i64(t, 0);

  LLVMPositionBuilderAtEnd(t->builder, more);
  LLVMValueRef next = LLVMBuildAdd(t->builder, at, make_i64(t, t->limit), "");
  LLVMBuildBr(t->builder, scan);
  LLVMAddIncoming(at, &zero, &entry, 1);
  LLVMAddIncoming(at, &next, &more, 1);
}

static void build_length_loop(const struct text_call *t, LLVMValueRef helper)
{
  LLVMBasicBlockRef entry = append_block(t, helper, "entry"), scan = append_block(t, helper, "scan");
  LLVMBasicBlockRef more = append_block(t, helper, "more"), done = append_block(t, helper, "done");
  LLVMValueRef text = LLVMGetParam(helper, 0);

  LLVMPositionBuilderAtEnd(t->builder, entry);
  LLVMBuildBr(t->builder, scan);
  LLVMPositionBuilderAtEnd(t->builder, scan);
  LLVMValueRef at = LLVMBuildPhi(t->builder, t->i64, "at");
  LLVMValueRef end = build_end_search(t, build_place(t, text, at));
  LLVMBuildCondBr(t->builder, LLVMBuildIsNull(t->builder, end, ""), more, done);
  build_advance(t, at, entry, scan, more);
  LLVMPositionBuilderAtEnd(t->builder, done);
  LLVMBuildRet(t->builder, build_distance(t, end, text));
}

static void build_comparison_loop(const struct text_call *t, LLVMValueRef helper)
{
  LLVMBasicBlockRef entry = append_block(t, helper, "entry"), scan = append_block(t, helper, "scan");
  LLVMBasicBlockRef equal = append_block(t, helper, "equal"), search = append_block(t, helper, "search");
  LLVMBasicBlockRef more = append_block(t, helper, "more"), done = append_block(t, helper, "done");
  LLVMValueRef limit = make_i64(t, t->limit);

  LLVMPositionBuilderAtEnd(t->builder, entry);
  LLVMBuildBr(t->builder, scan);
  LLVMPositionBuilderAtEnd(t->builder, scan);
  LLVMValueRef at = LLVMBuildPhi(t->builder, t->i64, "at");
  LLVMValueRef left = LLVMBuildSub(t->builder, LLVMGetParam(helper, 2), at, "left");
  LLVMValueRef last = LLVMBuildICmp(t->builder, LLVMIntULE, left, limit, "last");
  LLVMValueRef a = build_place(t, LLVMGetParam(helper, 0), at), b = build_place(t, LLVMGetParam(helper, 1), at);
  LLVMValueRef order = build_comparison(t, a, b, LLVMBuildSelect(t->builder, last, left, limit, ""));
  LLVMBuildCondBr(t->builder, LLVMBuildIsNull(t->builder, order, ""), equal, done);
  LLVMPositionBuilderAtEnd(t->builder, equal);
  LLVMBuildCondBr(t->builder, last, done, search);
  LLVMPositionBuilderAtEnd(t->builder, search);
  LLVMValueRef end = build_end_search(t, cn_is_ref(LLVMTypeOf(a)) ? a : b);
  LLVMBuildCondBr(t->builder, LLVMBuildIsNull(t->builder, end, ""), more, done);
  build_advance(t, at, entry, scan, more);
  LLVMPositionBuilderAtEnd(t->builder, done);
  LLVMBuildRet(t->builder, order);
}

static void add_helper_attributes(struct cn_ctx *ctx, LLVMValueRef helper, LLVMValueRef caller)
{
  static const char frame_pointer[] = "frame-pointer";
  LLVMAttributeRef frames = cn_string_attribute(caller, frame_pointer);

  LLVMSetLinkage(helper, LLVMInternalLinkage);
  if (LLVMGetGC(caller))
    LLVMSetGC(helper, LLVMGetGC(caller));
  else
    LLVMAddAttributeAtIndex(helper, CN_FUNCTION_INDEX,
                            LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_MANAGED, sizeof CN_ATTR_MANAGED - 1, "", 0));
  cn_emit_copy_target_attributes(caller, helper);
  if (frames)
    LLVMAddAttributeAtIndex(helper, CN_FUNCTION_INDEX, frames);
  cn_add_enum_attribute(ctx, helper, CN_FUNCTION_INDEX, "noinline", 0);
  cn_add_enum_attribute(ctx, helper, CN_FUNCTION_INDEX, "cold", 0);
  cn_add_enum_attribute(ctx, helper, CN_FUNCTION_INDEX, "nounwind", 0);
  cn_add_enum_attribute(ctx, helper, CN_FUNCTION_INDEX, "uwtable", 2);
}

static LLVMTypeRef helper_type_of(const struct text_call *t)
{
  LLVMTypeRef parameters[3] = {LLVMTypeOf(LLVMGetOperand(t->call, 0))};

  if (t->which->form == FORM_LENGTH)
    return LLVMFunctionType(t->i64, parameters, 1, false);
  parameters[1] = LLVMTypeOf(LLVMGetOperand(t->call, 1));
  parameters[2] = t->i64;
  return LLVMFunctionType(LLVMGetReturnType(t->type), parameters, 3, false);
}

/* Build a call of the helper, and the helper on its first use. */
static LLVMValueRef build_helper_call(const struct text_call *t)
{
  LLVMTypeRef type = helper_type_of(t);
  char *name =
      cn_format(CN_LONG_PREFIX "%u.%s", pointer_mask(type, true), t->which->sized ? t->which->sized : "strlen");
  LLVMValueRef helper = LLVMGetNamedFunction(t->ctx->module, name);
  LLVMValueRef arguments[3] = {LLVMGetOperand(t->call, 0)};

  if (t->which->form != FORM_LENGTH) {
    arguments[1] = LLVMGetOperand(t->call, 1);
    arguments[2] = t->which->form == FORM_COMPARISON ? LLVMConstAllOnes(t->i64) : LLVMGetOperand(t->call, 2);
  }
  if (!helper) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(t->builder);
    helper = LLVMAddFunction(t->ctx->module, name, type);
    add_helper_attributes(t->ctx, helper, LLVMGetBasicBlockParent(here));
    LLVMSetCurrentDebugLocation2(t->builder, NULL);
    if (t->which->form == FORM_LENGTH)
      build_length_loop(t, helper);
    else
      build_comparison_loop(t, helper);
    LLVMPositionBuilderAtEnd(t->builder, here);
    LLVMSetCurrentDebugLocation2(t->builder, location);
  }
  free(name);
  return LLVMBuildCall2(t->builder, type, helper, arguments, LLVMCountParamTypes(type), "");
}

/* ---- one call ---- */

/* The blocks after the call of one text: `far` calls the helper, and the phi in `done` is the result. */
struct text_blocks {
  LLVMBasicBlockRef far, done;
  LLVMValueRef result;
};

static void add_result(const struct text_call *t, const struct text_blocks *blocks, LLVMValueRef value)
{
  LLVMBasicBlockRef from = LLVMGetInsertBlock(t->builder);

  LLVMAddIncoming(blocks->result, &value, &from, 1);
}

static void build_unlikely_branch(const struct text_call *t, LLVMValueRef test, LLVMBasicBlockRef seldom,
                                  LLVMBasicBlockRef mostly)
{
  cn_emit_mark_branch_unlikely(t->ctx, LLVMBuildCondBr(t->builder, test, seldom, mostly));
}

static void build_short_length(const struct text_call *t, const struct text_blocks *blocks)
{
  LLVMValueRef length = build_runtime_call(t, CN_TEXT_LENGTH);
  LLVMValueRef beyond = LLVMBuildICmp(t->builder, LLVMIntUGT, length, make_i64(t, t->limit), "");

  build_unlikely_branch(t, beyond, blocks->far, blocks->done);
  add_result(t, blocks, length);
}

/* Build the comparison of strcmp, whose result is out of the range of int if the texts are equal up to the limit. */
static void build_short_text_comparison(const struct text_call *t, const struct text_blocks *blocks)
{
  LLVMValueRef order = build_runtime_call(t, CN_TEXT_COMPARE);
  LLVMValueRef beyond = LLVMBuildICmp(t->builder, LLVMIntEQ, order, make_i64(t, (uint64_t)INT64_MIN), "");

  order = LLVMBuildTrunc(t->builder, order, LLVMGetReturnType(t->type), "order");
  build_unlikely_branch(t, beyond, blocks->far, blocks->done);
  add_result(t, blocks, order);
}

static void build_short_comparison(const struct text_call *t, const struct text_blocks *blocks)
{
  LLVMBasicBlockRef equal = LLVMInsertBasicBlockInContext(t->ctx->llvm, blocks->done, "text.equal");
  LLVMValueRef a = LLVMGetOperand(t->call, 0), b = LLVMGetOperand(t->call, 1);
  LLVMValueRef order = build_comparison(t, a, b, make_i64(t, t->limit));

  LLVMBuildCondBr(t->builder, LLVMBuildIsNull(t->builder, order, ""), equal, blocks->done);
  add_result(t, blocks, order);
  LLVMPositionBuilderAtEnd(t->builder, equal);
  LLVMValueRef end = build_end_search(t, cn_is_ref(LLVMTypeOf(a)) ? a : b);
  build_unlikely_branch(t, LLVMBuildIsNull(t->builder, end, ""), blocks->far, blocks->done);
  add_result(t, blocks, order);
}

static void build_short_sized_comparison(const struct text_call *t, const struct text_blocks *blocks)
{
  LLVMBasicBlockRef near = LLVMInsertBasicBlockInContext(t->ctx->llvm, blocks->done, "text.near");
  LLVMValueRef bytes = LLVMGetOperand(t->call, 2);

  build_unlikely_branch(t, LLVMBuildICmp(t->builder, LLVMIntUGT, bytes, make_i64(t, t->limit), ""), blocks->far, near);
  LLVMPositionBuilderAtEnd(t->builder, near);
  add_result(t, blocks, build_comparison(t, LLVMGetOperand(t->call, 0), LLVMGetOperand(t->call, 1), bytes));
  LLVMBuildBr(t->builder, blocks->done);
}

/* Replace the call by code for short texts in line, and a call of the helper for long texts. */
static void cut_text_call(const struct text_call *t)
{
  LLVMBasicBlockRef head = LLVMGetInstructionParent(t->call);
  struct text_blocks blocks = {.done = cn_split_block_before(t->ctx, LLVMGetNextInstruction(t->call), "text.done")};

  LLVMPositionBuilderBefore(t->builder, LLVMGetFirstInstruction(blocks.done));
  blocks.result = LLVMBuildPhi(t->builder, LLVMTypeOf(t->call), "text");
  blocks.far = append_block(t, LLVMGetBasicBlockParent(head), "text.far");
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(t->builder, head);
  LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(t->call));
  if (t->which->form == FORM_LENGTH)
    build_short_length(t, &blocks);
  else if (t->which->form == FORM_COMPARISON && !t->which->slow)
    build_short_text_comparison(t, &blocks);
  else if (t->which->form == FORM_COMPARISON)
    build_short_comparison(t, &blocks);
  else
    build_short_sized_comparison(t, &blocks);
  LLVMPositionBuilderAtEnd(t->builder, blocks.far);
  add_result(t, &blocks, build_helper_call(t));
  LLVMBuildBr(t->builder, blocks.done);
  cn_emit_replace_instruction(t->call, blocks.result);
}

/* ---- all calls ---- */

static const struct text_function *text_function_of(const char *name)
{
  for (size_t i = 0; i < sizeof text_functions / sizeof *text_functions; i++)
    if (strcmp(name, text_functions[i].name) == 0)
      return &text_functions[i];
  return NULL;
}

static bool has_declared_types(const struct text_call *t)
{
  unsigned count = t->which->form == FORM_LENGTH ? 1 : t->which->form == FORM_COMPARISON ? 2 : 3;

  if (LLVMGetNumArgOperands(t->call) != count || LLVMIsFunctionVarArg(t->type) ||
      LLVMGetTypeKind(LLVMGetReturnType(t->type)) != LLVMIntegerTypeKind)
    return false;
  for (unsigned i = 0; i < count && i < 2; i++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(t->call, i))) != LLVMPointerTypeKind)
      return false;
  if (t->which->form == FORM_LENGTH)
    return LLVMGetReturnType(t->type) == t->i64;
  return count == 2 || LLVMTypeOf(LLVMGetOperand(t->call, 2)) == t->i64;
}

static uint64_t piece_of(struct cn_ctx *ctx, bool slow)
{
  uint64_t piece = MAX_PIECE_BYTES;

  while (piece > MIN_PIECE_BYTES && cn_work_of_bytes(piece) > cn_work_budget(ctx))
    piece /= 2;
  return slow ? piece / SLOW_PIECE_DIVISOR : piece;
}

/* True if a sized comparison has a constant length of at most the limit. */
static bool is_short_by_length(const struct text_call *t)
{
  LLVMValueRef bytes = t->which->form == FORM_SIZED_COMPARISON ? LLVMGetOperand(t->call, 2) : NULL;

  return bytes && LLVMIsAConstantInt(bytes) && LLVMConstIntGetZExtValue(bytes) <= t->limit;
}

static void bound_text_call(struct cn_ctx *ctx, LLVMValueRef call, const struct text_function *which)
{
  struct text_call t = {.ctx = ctx,
                        .which = which,
                        .call = call,
                        .type = LLVMGetCalledFunctionType(call),
                        .i64 = LLVMInt64TypeInContext(ctx->llvm),
                        .limit = piece_of(ctx, which->slow)};

  if (!has_declared_types(&t))
    return;
  if (is_short_by_length(&t)) {
    cn_work_attach_promise(ctx, call, cn_work_of_bytes(MAX_PIECE_BYTES));
    return;
  }
  cn_remark(ctx, call, "long-call", "made in pieces of %lu bytes if the text is longer", (unsigned long)t.limit);
  t.builder = LLVMCreateBuilderInContext(ctx->llvm);
  cut_text_call(&t);
  LLVMDisposeBuilder(t.builder);
}

/* The name of the library function that the call may call on references, or null. */
static const char *library_callee_of(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;
  size_t length;

  if (!callee || !LLVMIsDeclaration(callee) || LLVMGetIntrinsicID(callee) ||
      LLVMCountParamTypes(LLVMGetCalledFunctionType(call)) > MAX_PARAMETERS)
    return NULL;
  const char *name = LLVMGetValueName2(callee, &length), *own = cn_calls_library_name(name);
  return (own != name || ctx->options->manage_all) && cn_calls_reads_references(own) ? own : NULL;
}

/* Let the call name a declaration of its type. */
static void give_own_declaration(struct cn_ctx *ctx, LLVMValueRef call, const char *name)
{
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMValueRef callee = cn_direct_callee(call);

  if (LLVMGlobalGetValueType(callee) == type)
    return;
  callee = cn_calls_type_has_refs(type) ? declare_library_function(ctx, name, type)
                                        : cn_emit_declare_function(ctx, name, type, LLVMCCallConv);
  if (callee)
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee);
}

void cn_library_calls_expand(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_VECTOR(LLVMValueRef) calls = {0};

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (library_callee_of(ctx, i))
        cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++) {
    LLVMValueRef call = calls.at[i];
    const char *name = library_callee_of(ctx, call);
    const struct text_function *which = text_function_of(name);
    bool bounded = LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, CN_ATTR_WORK, sizeof CN_ATTR_WORK - 1);
    give_own_declaration(ctx, call, name);
    if (which && !bounded && cn_calls_type_has_refs(LLVMGetCalledFunctionType(call)))
      bound_text_call(ctx, call, which);
  }
  cn_free(&calls);
}

/* ---- names ---- */

/* Mark the calls, because a call of the C library's function on a reference is else a parse point. */
static void mark_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMAttributeRef leaf = LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_LEAF, sizeof CN_ATTR_LEAF - 1, "", 0);

  CN_EACH_USE(use, function)
    if (LLVMIsACallInst(LLVMGetUser(use)) || LLVMIsAInvokeInst(LLVMGetUser(use)))
      LLVMAddCallSiteAttribute(LLVMGetUser(use), CN_FUNCTION_INDEX, leaf);
}

void cn_library_calls_rename(struct cn_ctx *ctx)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module), next; f; f = next) {
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    char *own = cn_format("%s", cn_calls_library_name(name));
    bool other = strcmp(own, name) != 0;
    LLVMValueRef known = LLVMGetNamedFunction(ctx->module, own);

    next = LLVMGetNextFunction(f);
    if (other)
      mark_calls(ctx, f);
    if (other && known) {
      LLVMReplaceAllUsesWith(f, known);
      LLVMDeleteFunction(f);
    } else if (other) {
      LLVMSetValueName2(f, own, strlen(own));
    }
    free(own);
  }
}

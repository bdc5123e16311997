/* SPDX-License-Identifier: Apache-2.0
 *
 * Long strings: strlen, strcpy and their like end where their data does, and would delay a
 * collection until then. Their memory is native: with a reference a call is no leaf. So where it is
 * not known to be short, the bounded function strnlen is asked first, and the call goes through a
 * transition if a string is longer than a limit: a thread in native code delays nobody. Part of
 * pass `place-safepoints`.
 *
 * Needs: nothing. Provides: no call of a leaf in the table goes through more than a limit of bytes,
 * except those in regions without safepoints and those in funclets. Breaks: struct cn_cfg.
 *
 *   before:       is it long?
 *   long.plain:   the old call; none where the answer is its result, as of strlen
 *   long.native:  the same through a transition; at -Os and -Oz always this one
 *
 * Not with a poll of the module's own, whose runtime may have no transitions.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/analysis/funclets.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/names.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"
#include "compile/markers/nopoll.h"
#include "compile/place/long_calls.h"
#include "compile/transitions/thunk.h"

/* The limit of functions that take a few nanoseconds for a byte is as much lower. */
enum { SLOWER = 8, STRINGS = 2, ARGUMENTS = 4 };

/* Arguments, counted from 1; 0: none. The string `at` is read to its end; it fits into the memory
 * at `within`, too. */
struct string {
  unsigned at, within;
};

enum question { STRNLEN, STRNCMP };

static const struct scan {
  const char *name;
  struct string strings[STRINGS];
  unsigned length;  /* the argument that says how many bytes at most */
  bool slow, count; /* is the answer of strnlen the result? */
  bool compare;     /* is that of strncmp, unless it is zero and the string is long? */
} scans[] = {
    {"strlen", .strings = {{1, 0}}, .count = true},
    {"strcmp", .strings = {{1, 2}}, .compare = true},
    {"strcpy", .strings = {{2, 1}}},
    {"stpcpy", .strings = {{2, 1}}},
    {"strcat", .strings = {{1, 0}, {2, 1}}},
    {"strchr", .strings = {{1, 0}}},
    {"strchrnul", .strings = {{1, 0}}},
    {"strrchr", .strings = {{1, 0}}},
    {"index", .strings = {{1, 0}}},
    {"rindex", .strings = {{1, 0}}},
    {"strdup", .strings = {{1, 0}}},
    {"strlcpy", .strings = {{2, 0}}},
    {"strlcat", .strings = {{1, 0}, {2, 0}}},
    {"__strcpy_chk", .strings = {{2, 1}}},
    {"__stpcpy_chk", .strings = {{2, 1}}},
    {"__strcat_chk", .strings = {{1, 0}, {2, 1}}},
    {"strcasecmp", .strings = {{1, 2}}, .slow = true},
    {"strcoll", .strings = {{1, 0}, {2, 0}}, .slow = true},
    {"strspn", .strings = {{1, 0}, {2, 0}}, .slow = true},
    {"strcspn", .strings = {{1, 0}, {2, 0}}, .slow = true},
    {"strpbrk", .strings = {{1, 0}, {2, 0}}, .slow = true},
    {"strstr", .strings = {{1, 0}, {2, 0}}, .slow = true},
    {"strcasestr", .strings = {{1, 0}, {2, 0}}, .slow = true},
    {"strnlen", .strings = {{1, 0}}, .length = 2},
    {"strndup", .strings = {{1, 0}}, .length = 2},
    {"strncmp", .strings = {{1, 2}}, .length = 3},
    {"strncpy", .strings = {{1, 0}}, .length = 3},
    {"stpncpy", .strings = {{1, 0}}, .length = 3},
    {"__strncpy_chk", .strings = {{1, 0}}, .length = 3},
    {"__stpncpy_chk", .strings = {{1, 0}}, .length = 3},
    {"strncasecmp", .strings = {{1, 2}}, .length = 3, .slow = true},
};

struct long_string {
  LLVMValueRef call;
  const struct scan *scan;
  uint64_t limit;     /* bytes */
  bool asks[STRINGS]; /* may this string be longer? */
  bool asks_length;   /* may that many bytes be more? */
};

typedef CN_VECTOR(struct long_string) string_vector;

/* ---- which calls ---- */

static const struct scan *scan_of(LLVMValueRef callee)
{
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);

  for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
    if (strcmp(name, scans[i].name) == 0)
      return &scans[i];
  return NULL;
}

static LLVMTypeRef question_type(struct cn_ctx *ctx, enum question question)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef compare[] = {pointer, pointer, i64}, count[] = {pointer, i64};

  return question == STRNCMP ? LLVMFunctionType(i32, compare, 3, false)
                             : LLVMFunctionType(i64, count, 2, false);
}

static const char *const questions[] = {[STRNLEN] = "strnlen", [STRNCMP] = "strncmp"};

/* Can it be asked here? A program may have something else of that name. */
static bool can_ask(struct cn_ctx *ctx, enum question question)
{
  const char *name = questions[question];
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (function)
    return LLVMIsDeclaration(function) &&
           LLVMGlobalGetValueType(function) == question_type(ctx, question);
  return !LLVMGetNamedGlobal(ctx->module, name) &&
         !LLVMGetNamedGlobalAlias(ctx->module, name, strlen(name));
}

static LLVMValueRef argument(LLVMValueRef call, unsigned number)
{
  CN_ASSERT(number);
  return number <= LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, number - 1) : NULL;
}

static bool is_native_pointer(LLVMValueRef call, unsigned number)
{
  LLVMValueRef found = number ? argument(call, number) : NULL;

  return !number || (found && LLVMGetTypeKind(LLVMTypeOf(found)) == LLVMPointerTypeKind &&
                     LLVMGetPointerAddressSpace(LLVMTypeOf(found)) == 0);
}

/* Is it called as C declares it? */
static bool fits(struct cn_ctx *ctx, const struct scan *scan, LLVMValueRef call)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(cn_direct_callee(call));
  LLVMValueRef length = scan->length ? argument(call, scan->length) : NULL;

  for (size_t s = 0; s < STRINGS; s++)
    if (!is_native_pointer(call, scan->strings[s].at) ||
        !is_native_pointer(call, scan->strings[s].within))
      return false;
  if (LLVMGetNumOperandBundles(call) || LLVMIsFunctionVarArg(type) ||
      LLVMGetCalledFunctionType(call) != type || LLVMGetNumArgOperands(call) > ARGUMENTS ||
      LLVMGetInstructionCallConv(call) != LLVMCCallConv)
    return false;
  if (scan->length && !(length && LLVMTypeOf(length) == LLVMInt64TypeInContext(ctx->llvm)))
    return false;
  return !(scan->count || scan->compare) ||
         LLVMTypeOf(call) ==
             LLVMGetReturnType(question_type(ctx, scan->compare ? STRNCMP : STRNLEN));
}

static uint64_t room(struct cn_ctx *ctx, LLVMValueRef call, unsigned number)
{
  return number ? cn_long_room(ctx, argument(call, number)) : UINT64_MAX;
}

/* Find what may be longer than the limit. */
static bool may_be_long(struct cn_ctx *ctx, struct long_string *l)
{
  const struct scan *scan = l->scan;
  bool any = false;

  for (size_t s = 0; s < STRINGS && scan->strings[s].at; s++) {
    l->asks[s] = room(ctx, l->call, scan->strings[s].at) > l->limit &&
                 room(ctx, l->call, scan->strings[s].within) > l->limit;
    any |= l->asks[s];
  }
  if (!scan->length)
    return any;
  l->asks[0] = false;
  l->asks_length =
      any && cn_largest_value(argument(l->call, scan->length), CN_LARGEST_DEPTH) > l->limit;
  return l->asks_length;
}

static bool is_long(struct cn_ctx *ctx, LLVMValueRef call, struct long_string *out)
{
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;
  const struct scan *scan = callee && LLVMIsDeclaration(callee) ? scan_of(callee) : NULL;

  if (!scan || cn_classify_call(call).kind != CN_CALL_LEAF || !fits(ctx, scan, call) ||
      cn_long_is_said_short(call))
    return false;
  uint64_t limit = cn_long_limit(ctx);
  *out = (struct long_string){
      .call = call, .scan = scan, .limit = scan->slow ? limit / SLOWER : limit};
  if (!may_be_long(ctx, out)) {
    cn_work_say(ctx, call, cn_work_of_bytes(limit));
    return false;
  }
  return can_ask(ctx, STRNLEN) && (!scan->compare || can_ask(ctx, STRNCMP)) &&
         !cn_nopoll_cover(ctx, call) && !cn_funclet_of(LLVMGetInstructionParent(call));
}

/* ---- the code ---- */

struct asker {
  struct cn_ctx *ctx;
  const struct long_string *which;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef native, done;
  LLVMValueRef result; /* in `done`; null: nobody uses it */
};

static LLVMValueRef number(const struct asker *a, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(a->ctx->llvm), n, false);
}

/* Ask about as many arguments, from this one on. */
static LLVMValueRef ask(const struct asker *a, enum question question, unsigned first,
                        unsigned count)
{
  LLVMTypeRef type = question_type(a->ctx, question);
  LLVMValueRef function = cn_emit_declare(a->ctx, questions[question], type, LLVMCCallConv);
  LLVMValueRef arguments[ARGUMENTS];

  CN_CHECK(function && count < ARGUMENTS);
  for (unsigned i = 0; i < count; i++)
    arguments[i] = argument(a->which->call, first + i);
  arguments[count] = number(a, a->which->limit);
  return LLVMBuildCall2(a->builder, type, function, arguments, count + 1, "");
}

/* Go on to `next` unless it is long. */
static void branch(const struct asker *a, LLVMValueRef is_long, LLVMBasicBlockRef next)
{
  cn_emit_unlikely(a->ctx, LLVMBuildCondBr(a->builder, is_long, a->native, next));
}

static LLVMValueRef count(const struct asker *a, unsigned string, LLVMBasicBlockRef next)
{
  LLVMValueRef answer = ask(a, STRNLEN, string, 1);

  branch(a, LLVMBuildICmp(a->builder, LLVMIntEQ, answer, number(a, a->which->limit), "long"), next);
  return answer;
}

static void give(const struct asker *a, LLVMValueRef value)
{
  LLVMBasicBlockRef from = LLVMGetInsertBlock(a->builder);

  if (a->result)
    LLVMAddIncoming(a->result, &value, &from, 1);
}

static LLVMBasicBlockRef insert(const struct asker *a, LLVMBasicBlockRef before)
{
  return LLVMInsertBasicBlockInContext(a->ctx->llvm, before, "long.ask");
}

/* Strings that differ early are done; others are asked for their length. */
static void compare(const struct asker *a)
{
  LLVMBasicBlockRef equal = insert(a, a->done);
  LLVMValueRef answer = ask(a, STRNCMP, 1, 2);
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(answer));

  LLVMBuildCondBr(a->builder, LLVMBuildICmp(a->builder, LLVMIntEQ, answer, zero, ""), equal,
                  a->done);
  give(a, answer);
  LLVMPositionBuilderAtEnd(a->builder, equal);
  count(a, 1, a->done);
  give(a, answer);
}

/* Ask all that may be long, before the old call. */
static void guard(const struct asker *a, LLVMBasicBlockRef plain)
{
  const struct long_string *w = a->which;
  bool both = w->asks[0] && w->asks[1];
  LLVMBasicBlockRef second = both ? insert(a, plain) : plain;

  CN_CHECK(w->asks_length || w->asks[0] || w->asks[1]);
  if (w->asks_length) {
    LLVMValueRef bytes = argument(w->call, w->scan->length);
    branch(a, LLVMBuildICmp(a->builder, LLVMIntUGT, bytes, number(a, w->limit), "long"), plain);
    return;
  }
  if (w->asks[0])
    count(a, w->scan->strings[0].at, second);
  if (both)
    LLVMPositionBuilderAtEnd(a->builder, second);
  if (w->asks[1])
    count(a, w->scan->strings[1].at, plain);
}

/* The same call through a transition, where the builder is. What LLVM knows of the leaf is not true
 * of it. */
static LLVMValueRef call_native(const struct asker *a)
{
  static const char *const facts[] = {"nocallback", "nosync", "memory", "willreturn", "nofree"};
  LLVMValueRef call = a->which->call, callee = cn_direct_callee(call), arguments[ARGUMENTS];
  LLVMTypeRef type = LLVMGlobalGetValueType(callee);
  LLVMValueRef thunk = cn_thunk_for(a->ctx, callee, type, CN_THUNK_ANY);
  unsigned length = LLVMGetNumArgOperands(call);

  for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
    LLVMRemoveEnumAttributeAtIndex(thunk, CN_FUNCTION_INDEX, cn_attribute_kind(facts[f]));
  LLVMRemoveStringAttributeAtIndex(thunk, CN_FUNCTION_INDEX, CN_ATTR_LEAF, sizeof CN_ATTR_LEAF - 1);
  cn_add_attribute(a->ctx, thunk, CN_FUNCTION_INDEX, "nounwind", 0);
  for (unsigned i = 0; i < length; i++)
    arguments[i] = LLVMGetOperand(call, i);
  LLVMValueRef again = LLVMBuildCall2(a->builder, type, thunk, arguments, length, "");
  CN_ASSERT(cn_classify_call(again).kind == CN_CALL_PARSE);
  return again;
}

/* Where bytes count, nothing is asked: each call goes through the transition. */
static void replace(struct cn_ctx *ctx, const struct long_string *which)
{
  struct asker a = {.ctx = ctx, .which = which, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  LLVMPositionBuilderBefore(a.builder, which->call);
  cn_emit_instead(which->call, call_native(&a));
  LLVMDisposeBuilder(a.builder);
}

static void part(struct cn_ctx *ctx, const struct long_string *which)
{
  LLVMValueRef call = which->call;
  struct asker a = {.ctx = ctx, .which = which, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  LLVMBasicBlockRef head = LLVMGetInstructionParent(call);

  LLVMSetCurrentDebugLocation2(a.builder, LLVMInstructionGetDebugLoc(call));
  a.done = cn_split_before(ctx, LLVMGetNextInstruction(call), "long.done");
  LLVMBasicBlockRef plain = cn_split_before(ctx, call, "long.plain");
  a.native = LLVMAppendBasicBlockInContext(ctx->llvm, LLVMGetBasicBlockParent(head), "long.native");
  if (LLVMGetFirstUse(call)) {
    LLVMPositionBuilderBefore(a.builder, LLVMGetFirstInstruction(a.done));
    a.result = LLVMBuildPhi(a.builder, LLVMTypeOf(call), "long.result");
    LLVMReplaceAllUsesWith(call, a.result);
  }
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(a.builder, head);
  if (which->scan->count) {
    LLVMValueRef answer = count(&a, 1, a.done);
    give(&a, answer);
  } else if (which->scan->compare) {
    compare(&a);
  } else {
    guard(&a, plain);
    LLVMPositionBuilderAtEnd(a.builder, plain);
    give(&a, call);
    cn_work_say(ctx, call, cn_work_of_bytes(cn_long_limit(ctx)));
  }
  LLVMPositionBuilderAtEnd(a.builder, a.native);
  LLVMValueRef native = call_native(&a);
  LLVMBuildBr(a.builder, a.done);
  give(&a, native);
  if (which->scan->count || which->scan->compare)
    LLVMDeleteBasicBlock(plain);
  LLVMDisposeBuilder(a.builder);
}

void cn_long_strings(struct cn_ctx *ctx, LLVMValueRef function)
{
  string_vector calls = {0};
  struct long_string found;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_long(ctx, i, &found))
        cn_push(&calls, found);
  for (size_t i = 0; i < calls.count; i++) {
    cn_remark(ctx, calls.at[i].call, "long-call",
              "made through a transition if it goes through more than %lu bytes",
              (unsigned long)calls.at[i].limit);
    if (ctx->options->size_level)
      replace(ctx, &calls.at[i]);
    else
      part(ctx, &calls.at[i]);
  }
  cn_free(&calls);
}

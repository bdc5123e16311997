/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds calls on long strings: strlen, strcpy and similar functions run to the end of their string, and would delay a
 * collection until then. The strings are in native memory, because a call with a reference is no leaf. If a string may
 * be long, a bounded call of memchr first searches for its end. If the string is longer than a limit, the call goes
 * through a transition, and a collection can run during the call. Part of pass `place-safepoints`.
 *
 * Needs: any module. Provides: each call of a leaf in the table reads at most a limited number of bytes, except
 * invokes, calls in safepoint-free intervals or funclets, and calls whose attribute "cairn-work" promises few bytes.
 * Breaks: struct cn_cfg.
 *
 *   before:       the search for the end
 *   long.plain:   the old call; nothing if the search gives the result, as for strlen
 *   long.native:  the call through a transition
 *
 * docs/placement.md, "Long calls", lists the conditions that send every call through the transition. Modules with their
 * own poll stay unchanged: their runtime may lack transitions.
 */
#include <stdio.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/analysis/funclets.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"
#include "compile/markers/markers.h"
#include "compile/place/long_calls.h"
#include "compile/transitions/transitions.h"

/* The limit is divided by this number for functions that take a few nanoseconds per byte. */
enum { SLOW_LIMIT_DIVISOR = 8, MAX_STRINGS = 2, MAX_ARGUMENTS = 4 };

/* Numbers of arguments, counted from 1; 0 if absent. The function reads the string `at` up to its end; the string also
 * fits into the memory at `within`. */
struct string_argument {
  unsigned at, within;
};

enum way {
  LENGTH_CHECKED,       /* the check searches the end of each string, or compares the length argument */
  LENGTH_RETURNED,      /* the end of the string gives the result */
  COMPARED_UP_TO_LIMIT, /* strncmp compares first; memchr searches the end of strings that are equal up to the limit */
  COPIED_BY_MEMCPY,     /* memcpy copies the last string, to the end of the other, if all ends are found */
  ALWAYS_NATIVE, /* memchr cannot find the end: wide characters, another end than zero, or a possible null pointer */
};
enum question { QUESTION_MEMCHR, QUESTION_STRNCMP };

static const struct string_function {
  const char *names; /* names, each with a space before and after it */
  enum way way;
  struct string_argument strings[MAX_STRINGS];
  unsigned length; /* the argument with the most bytes or wide characters to read */
  bool slow;
} string_functions[] = {
    {" strlen ", LENGTH_RETURNED, {{1, 0}}, 0, false},
    {" strcmp ", COMPARED_UP_TO_LIMIT, {{1, 2}}, 0, false},
    {" strcpy stpcpy ", COPIED_BY_MEMCPY, {{2, 1}}, 0, false},
    {" strcat ", COPIED_BY_MEMCPY, {{1, 0}, {2, 1}}, 0, false},
    {" strncat __strcat_chk __strncat_chk ", LENGTH_CHECKED, {{1, 0}, {2, 1}}, 0, false},
    {" strchr strchrnul strrchr index rindex strdup __strlen_chk ", LENGTH_CHECKED, {{1, 0}}, 0, false},
    {" strlcpy ", LENGTH_CHECKED, {{2, 0}}, 0, false},
    {" strlcat ", LENGTH_CHECKED, {{1, 0}, {2, 0}}, 0, false},
    {" __strcpy_chk __stpcpy_chk ", LENGTH_CHECKED, {{2, 1}}, 0, false},
    {" strcasecmp ", LENGTH_CHECKED, {{1, 2}}, 0, true},
    {" strxfrm ", LENGTH_CHECKED, {{2, 0}}, 0, true},
    {" strcoll strspn strcspn strpbrk strstr strcasestr ", LENGTH_CHECKED, {{1, 0}, {2, 0}}, 0, true},
    {" strnlen strndup bzero explicit_bzero ", LENGTH_CHECKED, {{1, 0}}, 2, false},
    {" memmem ", LENGTH_CHECKED, {{1, 0}}, 2, true},
    {" strncpy stpncpy __strncpy_chk __stpncpy_chk ", LENGTH_CHECKED, {{1, 0}}, 3, false},
    {" strncmp mempcpy bcopy __memcpy_chk __memmove_chk __mempcpy_chk ", LENGTH_CHECKED, {{1, 2}}, 3, false},
    {" memrchr __memset_chk ", LENGTH_CHECKED, {{1, 0}}, 3, false},
    {" strncasecmp wcsncmp wmemcmp wmemcpy wmemmove ", LENGTH_CHECKED, {{1, 2}}, 3, true},
    {" wcsncpy wmemchr wmemset ", LENGTH_CHECKED, {{1, 0}}, 3, true},
    {" memccpy __memccpy_chk ", LENGTH_CHECKED, {{1, 2}}, 4, false},
    {" wcscat wcschr wcslen wcsrchr rawmemchr ", ALWAYS_NATIVE, {{1, 0}}, 0, true},
    {" wcscmp ", ALWAYS_NATIVE, {{1, 2}}, 0, true},
    {" wcscpy ", ALWAYS_NATIVE, {{2, 1}}, 0, true},
    {" wcsstr ", ALWAYS_NATIVE, {{1, 0}, {2, 0}}, 0, true},
    {" mbstowcs wcstombs ", ALWAYS_NATIVE, {{2, 0}}, 0, true},
    {" strsep strtok strtok_r ", ALWAYS_NATIVE, {{0, 0}}, 0, false},
};

struct long_string_call {
  LLVMValueRef call;
  const struct string_function *scan;
  uint64_t limit;         /* bytes */
  bool asks[MAX_STRINGS]; /* the string may be longer than the limit */
  bool asks_length;       /* the length argument may be larger than the limit */
  bool asked;             /* code checks lengths before the call; false: each call goes through a transition */
};

typedef CN_VECTOR(struct long_string_call) long_string_call_vector;

/* ---- which calls ---- */

static const struct string_function *string_function_of(LLVMValueRef callee)
{
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  char word[24];

  if (snprintf(word, sizeof word, " %s ", name) >= (int)sizeof word || strchr(name, ' '))
    return NULL;
  for (size_t i = 0; i < sizeof string_functions / sizeof *string_functions; i++)
    if (strstr(string_functions[i].names, word))
      return &string_functions[i];
  return NULL;
}

static LLVMTypeRef question_type(struct cn_ctx *ctx, enum question question)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef find[] = {pointer, i32, i64}, compare[] = {pointer, pointer, i64};

  return question == QUESTION_STRNCMP ? LLVMFunctionType(i32, compare, 3, false)
                                      : LLVMFunctionType(pointer, find, 3, false);
}

/* Both functions are in ISO C, so programs that call functions of the table have both. */
static const char *const question_function_names[] = {[QUESTION_MEMCHR] = "memchr", [QUESTION_STRNCMP] = "strncmp"};

/* True unless `function` is compiled with -ffreestanding, -fno-builtin or -fno-builtin-NAME. With these options a
 * program may define another function NAME. */
static bool may_use_builtin(LLVMValueRef function, const char *name)
{
  char own[32];

  snprintf(own, sizeof own, "no-builtin-%s", name);
  return !cn_string_attribute(function, "no-builtins") && !cn_string_attribute(function, own);
}

/* True if code at the call can call memchr or strncmp. A program may define other functions by these names. */
static bool may_ask_question(struct cn_ctx *ctx, LLVMValueRef call, enum question question)
{
  LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  const char *name = question_function_names[question];
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (cn_calls_has_attribute(call, "nobuiltin") || !may_use_builtin(caller, name))
    return false;
  if (function)
    return LLVMIsDeclaration(function) && LLVMGlobalGetValueType(function) == question_type(ctx, question);
  return !LLVMGetNamedGlobal(ctx->module, name) && !LLVMGetNamedGlobalAlias(ctx->module, name, strlen(name));
}

/* True if code checks the length before the call; false at -Os and -Oz. */
static bool may_check_length(struct cn_ctx *ctx, const struct string_function *scan, LLVMValueRef call)
{
  if (ctx->options->size_level || scan->way == ALWAYS_NATIVE)
    return false;
  return scan->length || (may_ask_question(ctx, call, QUESTION_MEMCHR) &&
                          (scan->way != COMPARED_UP_TO_LIMIT || may_ask_question(ctx, call, QUESTION_STRNCMP)));
}

static LLVMValueRef argument_of(LLVMValueRef call, unsigned number)
{
  CN_ASSERT(number);
  return number <= LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, number - 1) : NULL;
}

static bool is_native_pointer(LLVMValueRef call, unsigned number)
{
  LLVMValueRef found = number ? argument_of(call, number) : NULL;

  return !number || (found && LLVMGetTypeKind(LLVMTypeOf(found)) == LLVMPointerTypeKind &&
                     LLVMGetPointerAddressSpace(LLVMTypeOf(found)) == 0);
}

static bool has_declared_types(struct cn_ctx *ctx, const struct string_function *scan, LLVMValueRef call)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(cn_direct_callee(call));
  LLVMValueRef length = scan->length ? argument_of(call, scan->length) : NULL;

  for (size_t s = 0; s < MAX_STRINGS; s++)
    if (!is_native_pointer(call, scan->strings[s].at) || !is_native_pointer(call, scan->strings[s].within))
      return false;
  if (LLVMGetNumOperandBundles(call) || LLVMIsFunctionVarArg(type) || LLVMGetCalledFunctionType(call) != type ||
      LLVMGetNumArgOperands(call) > MAX_ARGUMENTS || LLVMGetInstructionCallConv(call) != LLVMCCallConv)
    return false;
  if (scan->length && !(length && LLVMTypeOf(length) == LLVMInt64TypeInContext(ctx->llvm)))
    return false;
  switch (scan->way) {
  case LENGTH_RETURNED:
    return LLVMTypeOf(call) == LLVMInt64TypeInContext(ctx->llvm);
  case COMPARED_UP_TO_LIMIT:
    return LLVMTypeOf(call) == LLVMInt32TypeInContext(ctx->llvm);
  case COPIED_BY_MEMCPY:
    return LLVMTypeOf(call) == LLVMPointerTypeInContext(ctx->llvm, 0);
  default:
    return true;
  }
}

static uint64_t argument_memory_size(struct cn_ctx *ctx, LLVMValueRef call, unsigned number)
{
  return number ? cn_long_pointee_size(ctx, argument_of(call, number)) : UINT64_MAX;
}

static bool may_exceed_limit(struct cn_ctx *ctx, struct long_string_call *l)
{
  const struct string_function *scan = l->scan;
  bool any = scan->strings[0].at == 0;

  for (size_t s = 0; s < MAX_STRINGS && scan->strings[s].at; s++) {
    l->asks[s] = argument_memory_size(ctx, l->call, scan->strings[s].at) > l->limit &&
                 argument_memory_size(ctx, l->call, scan->strings[s].within) > l->limit;
    any |= l->asks[s];
  }
  if (!scan->length)
    return any;
  l->asks[0] = false;
  l->asks_length = any && cn_largest_value(argument_of(l->call, scan->length), CN_DEFAULT_VALUE_DEPTH) > l->limit;
  return l->asks_length;
}

static bool is_long_string_call(struct cn_ctx *ctx, LLVMValueRef call, struct long_string_call *out)
{
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;
  bool leaf =
      callee && LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && cn_classify_call(call).kind == CN_CALL_LEAF;
  const struct string_function *scan = leaf ? string_function_of(callee) : NULL;

  if (!scan || !has_declared_types(ctx, scan, call) || cn_long_is_declared_short(call))
    return false;
  uint64_t limit = cn_long_limit_bytes(ctx);
  *out = (struct long_string_call){.call = call,
                                   .scan = scan,
                                   .limit = scan->slow ? limit / SLOW_LIMIT_DIVISOR : limit,
                                   .asked = may_check_length(ctx, scan, call)};
  if (!may_exceed_limit(ctx, out)) {
    cn_work_attach_promise(ctx, call, cn_work_of_bytes(limit));
    return false;
  }
  return !cn_nopoll_is_in_region(ctx, call) && !cn_funclet_pad_of(LLVMGetInstructionParent(call));
}

/* ---- the code ---- */

struct length_check_builder {
  struct cn_ctx *ctx;
  const struct long_string_call *which;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef native, done;
  LLVMValueRef ends[MAX_STRINGS]; /* the end of each string that memchr searched */
  LLVMValueRef result;            /* the phi in `done`; null if the result is unused */
};

static LLVMValueRef make_i64(const struct length_check_builder *a, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(a->ctx->llvm), n, false);
}

/* Build a call of memchr or strncmp: on argument `first` of the old call, `other` and the limit. */
static LLVMValueRef build_question(const struct length_check_builder *a, enum question question, unsigned first,
                                   LLVMValueRef other)
{
  LLVMTypeRef type = question_type(a->ctx, question);
  LLVMValueRef function = cn_emit_declare_function(a->ctx, question_function_names[question], type, LLVMCCallConv);
  LLVMValueRef arguments[] = {argument_of(a->which->call, first), other, make_i64(a, a->which->limit)};

  CN_CHECK(function);
  return LLVMBuildCall2(a->builder, type, function, arguments, 3, "");
}

static void branch_if_short(const struct length_check_builder *a, LLVMValueRef is_long, LLVMBasicBlockRef next)
{
  cn_emit_mark_branch_unlikely(a->ctx, LLVMBuildCondBr(a->builder, is_long, a->native, next));
}

static LLVMValueRef build_end_search(const struct length_check_builder *a, unsigned string, LLVMBasicBlockRef next)
{
  LLVMValueRef zero = LLVMConstNull(LLVMInt32TypeInContext(a->ctx->llvm));
  LLVMValueRef end = build_question(a, QUESTION_MEMCHR, string, zero);

  branch_if_short(a, LLVMBuildIsNull(a->builder, end, "long"), next);
  return end;
}

static LLVMValueRef build_string_length(const struct length_check_builder *a, size_t string)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(a->ctx->llvm);
  LLVMValueRef start = argument_of(a->which->call, a->which->scan->strings[string].at);

  return LLVMBuildSub(a->builder, LLVMBuildPtrToInt(a->builder, a->ends[string], i64, ""),
                      LLVMBuildPtrToInt(a->builder, start, i64, ""), "length");
}

static void add_result_input(const struct length_check_builder *a, LLVMValueRef value)
{
  LLVMBasicBlockRef from = LLVMGetInsertBlock(a->builder);

  if (a->result)
    LLVMAddIncoming(a->result, &value, &from, 1);
}

static LLVMBasicBlockRef insert_check_block(const struct length_check_builder *a, LLVMBasicBlockRef before)
{
  return LLVMInsertBasicBlockInContext(a->ctx->llvm, before, "long.ask");
}

/* Build the comparison of strings up to the limit. If the strings are equal up to the limit, code searches the end of
 * the first string. */
static void build_guarded_comparison(const struct length_check_builder *a)
{
  LLVMBasicBlockRef equal = insert_check_block(a, a->done);
  LLVMValueRef answer = build_question(a, QUESTION_STRNCMP, 1, argument_of(a->which->call, 2));
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(answer));

  LLVMBuildCondBr(a->builder, LLVMBuildICmp(a->builder, LLVMIntEQ, answer, zero, ""), equal, a->done);
  add_result_input(a, answer);
  LLVMPositionBuilderAtEnd(a->builder, equal);
  build_end_search(a, 1, a->done);
  add_result_input(a, answer);
}

/* Build the checks of all strings and lengths that may be too long, before the old call. */
static void build_length_checks(struct length_check_builder *a, LLVMBasicBlockRef plain)
{
  const struct long_string_call *w = a->which;

  CN_CHECK(w->asks_length || w->asks[0] || w->asks[1]);
  if (w->asks_length) {
    LLVMValueRef bytes = argument_of(w->call, w->scan->length);
    branch_if_short(a, LLVMBuildICmp(a->builder, LLVMIntUGT, bytes, make_i64(a, w->limit), "long"), plain);
    return;
  }
  LLVMBasicBlockRef second = w->asks[0] && w->asks[1] ? insert_check_block(a, plain) : plain;
  if (w->asks[0])
    a->ends[0] = build_end_search(a, w->scan->strings[0].at, second);
  if (second != plain)
    LLVMPositionBuilderAtEnd(a->builder, second);
  if (w->asks[1])
    a->ends[1] = build_end_search(a, w->scan->strings[1].at, plain);
}

static void build_memcpy(const struct length_check_builder *a)
{
  LLVMValueRef call = a->which->call, to = argument_of(call, 1);
  size_t ignored;
  const char *name = LLVMGetValueName2(cn_direct_callee(call), &ignored);
  bool appends = a->ends[1] != NULL;
  LLVMValueRef length = build_string_length(a, appends), all;

  all = LLVMBuildAdd(a->builder, length, make_i64(a, 1), "");
  LLVMValueRef copied = LLVMBuildMemCpy(a->builder, appends ? a->ends[0] : to, 1, argument_of(call, 2), 1, all);
  cn_work_attach_promise(a->ctx, copied, cn_work_of_bytes(a->which->limit));
  LLVMTypeRef byte = LLVMInt8TypeInContext(a->ctx->llvm);
  bool ends = strcmp(name, "stpcpy") == 0;
  add_result_input(a, ends ? LLVMBuildGEP2(a->builder, byte, to, &length, 1, "") : to);
}

/* Build the code for short strings at the old call, or keep the old call. */
static void build_short_path(const struct length_check_builder *a)
{
  const struct string_function *scan = a->which->scan;
  LLVMValueRef call = a->which->call;

  LLVMPositionBuilderBefore(a->builder, call);
  if (scan->way == LENGTH_RETURNED) {
    add_result_input(a, build_string_length(a, 0));
  } else if (scan->way == COPIED_BY_MEMCPY && a->ends[0] && (a->ends[1] || !scan->strings[1].at)) {
    build_memcpy(a);
  } else {
    add_result_input(a, call);
    cn_work_attach_promise(a->ctx, call, cn_work_of_bytes(cn_long_limit_bytes(a->ctx)));
    return;
  }
  LLVMInstructionEraseFromParent(call);
}

/* Build a call through a transition, without the leaf's attributes that are false for a transition. */
static LLVMValueRef build_native_call(const struct length_check_builder *a)
{
  static const char *const facts[] = {"nocallback", "nosync", "memory", "willreturn", "nofree"};
  LLVMValueRef call = a->which->call, callee = cn_direct_callee(call), arguments[MAX_ARGUMENTS];
  LLVMTypeRef type = LLVMGlobalGetValueType(callee);
  LLVMValueRef thunk = cn_thunk_for(a->ctx, callee, type, CN_THUNK_ANY_CALLEE);
  unsigned length = LLVMGetNumArgOperands(call);

  for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
    LLVMRemoveEnumAttributeAtIndex(thunk, CN_FUNCTION_INDEX, cn_attribute_kind(facts[f]));
  LLVMRemoveStringAttributeAtIndex(thunk, CN_FUNCTION_INDEX, CN_ATTR_LEAF, sizeof CN_ATTR_LEAF - 1);
  cn_add_enum_attribute(a->ctx, thunk, CN_FUNCTION_INDEX, "nounwind", 0);
  for (unsigned i = 0; i < length; i++)
    arguments[i] = LLVMGetOperand(call, i);
  LLVMValueRef again = LLVMBuildCall2(a->builder, type, thunk, arguments, length, "");
  CN_ASSERT(cn_classify_call(again).kind == CN_CALL_PARSE_POINT);
  return again;
}

/* Make the call go through the transition for strings of any length. */
static void replace_by_native_call(struct cn_ctx *ctx, const struct long_string_call *which)
{
  struct length_check_builder a = {.ctx = ctx, .which = which, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  LLVMPositionBuilderBefore(a.builder, which->call);
  cn_emit_replace_instruction(which->call, build_native_call(&a));
  LLVMDisposeBuilder(a.builder);
}

static void guard_call_by_length(struct cn_ctx *ctx, const struct long_string_call *which)
{
  LLVMValueRef call = which->call;
  struct length_check_builder a = {.ctx = ctx, .which = which, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  LLVMBasicBlockRef head = LLVMGetInstructionParent(call);

  LLVMSetCurrentDebugLocation2(a.builder, LLVMInstructionGetDebugLoc(call));
  a.done = cn_split_block_before(ctx, LLVMGetNextInstruction(call), "long.done");
  LLVMBasicBlockRef plain = cn_split_block_before(ctx, call, "long.plain");
  a.native = LLVMAppendBasicBlockInContext(ctx->llvm, LLVMGetBasicBlockParent(head), "long.native");
  if (LLVMGetFirstUse(call)) {
    LLVMPositionBuilderBefore(a.builder, LLVMGetFirstInstruction(a.done));
    a.result = LLVMBuildPhi(a.builder, LLVMTypeOf(call), "long.result");
    LLVMReplaceAllUsesWith(call, a.result);
  }
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(a.builder, a.native);
  LLVMValueRef native = build_native_call(&a);
  LLVMBuildBr(a.builder, a.done);
  add_result_input(&a, native);
  LLVMPositionBuilderAtEnd(a.builder, head);
  if (which->scan->way == COMPARED_UP_TO_LIMIT) {
    build_guarded_comparison(&a);
    LLVMDeleteBasicBlock(plain);
  } else {
    build_length_checks(&a, plain);
    build_short_path(&a);
  }
  LLVMDisposeBuilder(a.builder);
}

void cn_long_strings_guard_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  long_string_call_vector calls = {0};
  struct long_string_call found;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_long_string_call(ctx, i, &found))
        cn_push(&calls, found);
  for (size_t i = 0; i < calls.count; i++) {
    cn_remark(ctx, calls.at[i].call, "long-call", "made through a transition if it goes through more than %lu bytes",
              (unsigned long)calls.at[i].limit);
    if (calls.at[i].asked)
      guard_call_by_length(ctx, &calls.at[i]);
    else
      replace_by_native_call(ctx, &calls.at[i]);
  }
  cn_free(&calls);
}

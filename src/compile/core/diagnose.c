/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes diagnostics, with the function, file and line of an instruction, and with a rule; runs LLVM's passes and
 * reports their errors. Needs: nothing. Provides: cn_report(), cn_report_finding(), cn_check_llvm_error(),
 * cn_run_llvm_passes(), cn_value_name(). Breaks: as LLVM's passes do; the other functions change nothing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/pass.h"
#include "compile/core/statepoint_attributes.h"

/* The debug location of the variable in local `alloca`, or null. */
static LLVMMetadataRef variable_location_of(LLVMValueRef alloca)
{
  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  CN_EACH_BLOCK(b, LLVMGetBasicBlockParent(LLVMGetInstructionParent(alloca)))
    CN_EACH_INSTRUCTION(i, b)
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r))
        if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordDeclare && LLVMDbgVariableRecordGetValue(r, 0) == alloca)
          return LLVMDbgRecordGetDebugLoc(r);
  return NULL;
}

/* Fill in the source position `location`, of a variable's declaration. */
static void locate_variable(LLVMMetadataRef location, struct cairn_diagnostic *d)
{
  LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
  unsigned length;

  d->line = LLVMDILocationGetLine(location);
  d->column = LLVMDILocationGetColumn(location);
  d->file = file ? LLVMDIFileGetFilename(file, &length) : NULL;
  d->directory = file ? LLVMDIFileGetDirectory(file, &length) : NULL;
}

/* Fill in the source position of `at`, or else of its variable, or else the position of its function. */
static void locate_source(LLVMValueRef at, struct cairn_diagnostic *d)
{
  LLVMMetadataRef variable = LLVMIsAAllocaInst(at) ? variable_location_of(at) : NULL;
  unsigned length;

  if (LLVMIsAInstruction(at) && LLVMGetDebugLocLine(at)) {
    d->line = LLVMGetDebugLocLine(at);
    d->column = LLVMGetDebugLocColumn(at);
    d->file = LLVMGetDebugLocFilename(at, &length);
    d->directory = LLVMGetDebugLocDirectory(at, &length);
    return;
  }
  if (variable && LLVMDILocationGetLine(variable)) {
    locate_variable(variable, d);
    return;
  }
  LLVMValueRef function = LLVMIsAInstruction(at) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)) : at;
  if ((LLVMIsAFunction(function) || LLVMIsAGlobalVariable(function)) && LLVMGetDebugLocLine(function)) {
    d->line = LLVMGetDebugLocLine(function);
    d->file = LLVMGetDebugLocFilename(function, &length);
    d->directory = LLVMGetDebugLocDirectory(function, &length);
  }
}

static bool is_unnamed(LLVMValueRef value)
{
  size_t length;

  LLVMGetValueName2(value, &length);
  return length == 0;
}

/* The number of an unnamed function in printed IR, which counts unnamed variables, aliases and ifuncs first. */
static unsigned function_number_of(LLVMValueRef function)
{
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  unsigned number = 0;

  CN_EACH_GLOBAL(g, module)
    number += is_unnamed(g);
  for (LLVMValueRef g = LLVMGetFirstGlobalAlias(module); g; g = LLVMGetNextGlobalAlias(g))
    number += is_unnamed(g);
  for (LLVMValueRef g = LLVMGetFirstGlobalIFunc(module); g; g = LLVMGetNextGlobalIFunc(g))
    number += is_unnamed(g);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != function; f = LLVMGetNextFunction(f))
    number += is_unnamed(f);
  return number;
}

/* The name of the function that `at` is or belongs to. The number of an unnamed function is written to `buffer`. */
static const char *function_name_of(LLVMValueRef at, char *buffer, size_t size)
{
  size_t length;

  if (LLVMIsAInstruction(at))
    at = LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
  if (!LLVMIsAFunction(at))
    return NULL;
  if (!is_unnamed(at))
    return LLVMGetValueName2(at, &length);
  snprintf(buffer, size, "%u", function_number_of(at));
  return buffer;
}

static uint64_t mix_into_hash(uint64_t hash, const void *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* True if an error was reported for the same line of C, or in other IR an equal error for the same place. An error
 * often causes others in its line, and the optimiser may copy an instruction many times. */
static bool is_repeated_error(struct cn_ctx *ctx, const struct cairn_diagnostic *d)
{
  bool per_line = ctx->options && ctx->options->manage_all && strcmp(d->rule, "internal") != 0;
  const unsigned place[] = {d->line, per_line ? 0 : d->column, d->severity};
  uint64_t hash = mix_into_hash(UINT64_C(0xcbf29ce484222325), place, sizeof place);

  if (!d->line || d->severity != CAIRN_ERROR)
    return false;
  hash = mix_into_hash(hash, d->file, d->file ? strlen(d->file) + 1 : 0);
  if (!per_line) {
    hash = mix_into_hash(hash, d->rule, strlen(d->rule) + 1);
    hash = mix_into_hash(hash, d->message, strlen(d->message));
  }
  for (size_t i = 0; i < CN_ERRORS_TOLD; i++)
    if (ctx->told[i] == hash)
      return true;
  ctx->told[ctx->errors % CN_ERRORS_TOLD] = hash;
  return false;
}

/* Append to *text, an allocated string, and free `more`, which LLVM has allocated. */
static void append_text(char **text, const char *before, char *more)
{
  char *longer = cn_format("%s%s%s", *text, before, more);

  LLVMDisposeMessage(more);
  free(*text);
  *text = longer;
}

static char *print_operand(LLVMValueRef operand)
{
  bool named = !LLVMIsAConstant(operand) || LLVMIsAGlobalValue(operand);
  char *type = LLVMPrintTypeToString(LLVMTypeOf(operand)), name[160];

  cn_value_name(operand, name, sizeof name);
  char *text = named ? cn_format("%s %s", type, name) : cn_strdup(name); /* a constant has its type */
  LLVMDisposeMessage(type);
  return text;
}

/* The call that became the statepoint, as its front end wrote it: "call i64 @f(i64 %x)". */
static char *print_call_of_statepoint(const struct cn_call_target *site)
{
  char *text = cn_strdup(LLVMIsAInvokeInst(site->call) ? "invoke " : "call ");
  char callee[160];

  append_text(&text, "", LLVMPrintTypeToString(LLVMGetReturnType(site->type)));
  cn_value_name(cn_call_target_callee(site), callee, sizeof callee);
  bool thunk = strncmp(callee, "@" CN_CALL_PREFIX, sizeof CN_CALL_PREFIX) == 0;
  append_text(&text, thunk ? " @" : " ", cn_strdup(thunk ? callee + sizeof CN_CALL_PREFIX : callee));
  for (unsigned i = 0; i < site->count; i++)
    append_text(&text, i == 0 ? "(" : ", ", print_operand(LLVMGetOperand(site->call, site->first + i)));
  append_text(&text, site->count == 0 ? "()" : ")", cn_strdup(""));
  return text;
}

/* The text of instruction `at` if it lacks a source position, else null. A statepoint is printed as the call that it
 * was. The caller frees the text. */
static char *print_instruction(LLVMValueRef at, const struct cairn_diagnostic *d)
{
  if (!at || !LLVMIsAInstruction(at) || d->line || (d->severity != CAIRN_ERROR && d->severity != CAIRN_WARNING))
    return NULL;
  if ((LLVMIsACallInst(at) || LLVMIsAInvokeInst(at)) && cn_calls_intrinsic(at, "llvm.experimental.gc.statepoint")) {
    struct cn_call_target site = cn_call_target_of(at);
    if (site.type != NULL)
      return print_call_of_statepoint(&site);
  }
  return LLVMPrintValueToString(at);
}

/* The name of the block with the instruction, or null: numbers of unnamed blocks are not those of the front end. */
static const char *find_block_name(LLVMValueRef instruction, char *buffer, size_t size)
{
  LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(instruction));

  if (is_unnamed(block))
    return NULL;
  cn_value_name(block, buffer, size);
  return strncmp(buffer, "%poll.", 6) == 0 ? NULL : buffer; /* a part of the front end's block, after a poll */
}

static void report_diagnostic(struct cn_ctx *ctx, LLVMValueRef at, struct cairn_diagnostic *d, const char *format,
                              va_list args)
{
  char *message, number[16], block[160];

  CN_CHECK(vasprintf(&message, format, args) >= 0);
  d->message = message;
  if (at) {
    locate_source(at, d);
    d->function = function_name_of(at, number, sizeof number);
  }
  char *text = print_instruction(at, d);
  d->instruction = text != NULL ? text + strspn(text, " ") : NULL;
  d->block = text != NULL ? find_block_name(at, block, sizeof block) : NULL;
  bool repeated = is_repeated_error(ctx, d);
  if (d->severity == CAIRN_ERROR) {
    ctx->errors++;
    ctx->broken |= strcmp(d->rule, "internal") == 0 || strcmp(d->rule, "invalid-ir") == 0;
  }
  if (!repeated && ctx->options && ctx->options->diagnose)
    ctx->options->diagnose(ctx->options->env, d);
  LLVMDisposeMessage(text);
  free(message);
}

void cn_report(struct cn_ctx *ctx, enum cairn_severity severity, LLVMValueRef at, const char *rule, const char *format,
               ...)
{
  struct cairn_diagnostic d = {.severity = severity, .rule = rule};
  va_list args;

  va_start(args, format);
  report_diagnostic(ctx, at, &d, format, args);
  va_end(args);
}

void cn_report_finding(struct cn_ctx *ctx, LLVMValueRef at, const char *rule, const struct cn_finding *finding,
                       const char *format, ...)
{
  struct cairn_diagnostic d = {.severity = CAIRN_ERROR, .rule = rule};
  char value[160], other[160], block[160];
  char **path = cn_alloc(finding->path_count * sizeof *path);
  va_list args;

  if (finding->value)
    d.value = cn_value_name(finding->value, value, sizeof value);
  if (finding->other)
    d.other = cn_value_name(finding->other, other, sizeof other);
  for (size_t i = 0; i < finding->path_count; i++)
    path[i] = cn_strdup(cn_value_name(LLVMBasicBlockAsValue(finding->path[i]), block, sizeof block));
  if (finding->path_count) {
    d.path = (const char *const *)path;
    d.path_count = finding->path_count;
  }
  va_start(args, format);
  report_diagnostic(ctx, at, &d, format, args);
  va_end(args);
  for (size_t i = 0; i < finding->path_count; i++)
    free(path[i]);
  free(path);
}

/* The number of an unnamed block in printed IR, which counts unnamed parameters, blocks and values together. */
static const char *block_name_of(LLVMBasicBlockRef block, char *buffer, size_t size)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  unsigned number = 0;

  for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p))
    number += is_unnamed(p);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != block; b = LLVMGetNextBasicBlock(b)) {
    number += is_unnamed(LLVMBasicBlockAsValue(b));
    CN_EACH_INSTRUCTION(i, b)
      number += is_unnamed(i) && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
  }
  snprintf(buffer, size, "%%%u", number);
  return buffer;
}

const char *cn_value_name(LLVMValueRef value, char *buffer, size_t size)
{
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);

  if (length > 0) {
    snprintf(buffer, size, "%s%s", LLVMIsAGlobalValue(value) ? "@" : "%", name);
    return buffer;
  }
  if (LLVMIsAFunction(value)) {
    snprintf(buffer, size, "@%u", function_number_of(value));
    return buffer;
  }
  if (LLVMValueIsBasicBlock(value))
    return block_name_of(LLVMValueAsBasicBlock(value), buffer, size);
  char *text = LLVMPrintValueToString(value);
  char *start = text + strspn(text, " ");
  char *number = LLVMIsAArgument(value) ? strrchr(start, '%') : NULL;
  if (number)
    start = number; /* the type precedes the number */
  if (*start == '%')
    start[strcspn(start, " ")] = 0; /* the instruction follows the name */
  snprintf(buffer, size, "%.*s", (int)strcspn(start, "\n"), start);
  if (strlen(start) >= size && size > 4)
    memcpy(buffer + size - 4, "...", 4);
  LLVMDisposeMessage(text);
  return buffer;
}

bool cn_check_llvm_error(struct cn_ctx *ctx, LLVMValueRef at, LLVMErrorRef error)
{
  if (!error)
    return true;
  char *message = LLVMGetErrorMessage(error);
  cn_error(ctx, at, "llvm-pass", "%s", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

bool cn_run_llvm_passes(struct cn_ctx *ctx, const char *passes)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(ctx->module, passes, ctx->machine, options);

  LLVMDisposePassBuilderOptions(options);
  return cn_check_llvm_error(ctx, NULL, error);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnostics: from an instruction to function, file, line and rule.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/pass.h"

/* The source position of `at`: an instruction's, or its function's. */
static void locate(LLVMValueRef at, struct cairn_diagnostic *d)
{
  unsigned length;

  if (LLVMIsAInstruction(at) && LLVMGetDebugLocLine(at)) {
    d->line = LLVMGetDebugLocLine(at);
    d->column = LLVMGetDebugLocColumn(at);
    d->file = LLVMGetDebugLocFilename(at, &length);
    return;
  }
  LLVMValueRef function = LLVMIsAInstruction(at)
                              ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(at))
                              : at;
  if ((LLVMIsAFunction(function) || LLVMIsAGlobalVariable(function)) &&
      LLVMGetDebugLocLine(function)) {
    d->line = LLVMGetDebugLocLine(function);
    d->file = LLVMGetDebugLocFilename(function, &length);
  }
}

static const char *function_of(LLVMValueRef at)
{
  size_t length;

  if (LLVMIsAInstruction(at))
    at = LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
  return LLVMIsAFunction(at) ? LLVMGetValueName2(at, &length) : NULL;
}

void cn_report(struct cn_ctx *ctx, enum cairn_severity severity, LLVMValueRef at, const char *rule,
               const char *format, ...)
{
  struct cairn_diagnostic d = {.severity = severity, .rule = rule};
  va_list args;
  char *message;

  va_start(args, format);
  CN_CHECK(vasprintf(&message, format, args) >= 0);
  va_end(args);
  d.message = message;
  if (at) {
    locate(at, &d);
    d.function = function_of(at);
  }
  if (severity == CAIRN_ERROR)
    ctx->errors++;
  if (ctx->options && ctx->options->diagnose)
    ctx->options->diagnose(ctx->options->env, &d);
  free(message);
}

const char *cn_value_name(LLVMValueRef value, char *buffer, size_t size)
{
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);

  if (length > 0) {
    snprintf(buffer, size, "%s%s", LLVMIsAGlobalValue(value) ? "@" : "%", name);
    return buffer;
  }
  char *text = LLVMPrintValueToString(value);
  char *start = text + strspn(text, " ");
  char *number = LLVMIsAArgument(value) ? strrchr(start, '%') : NULL;
  if (number)
    start = number; /* the type stands before it */
  if (*start == '%')
    start[strcspn(start, " ")] = 0; /* the instruction stands behind it */
  snprintf(buffer, size, "%.*s", (int)strcspn(start, "\n"), start);
  if (strlen(start) >= size && size > 4)
    memcpy(buffer + size - 4, "...", 4);
  LLVMDisposeMessage(text);
  return buffer;
}

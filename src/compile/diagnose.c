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
    d->directory = LLVMGetDebugLocDirectory(at, &length);
    return;
  }
  LLVMValueRef function = LLVMIsAInstruction(at)
                              ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(at))
                              : at;
  if ((LLVMIsAFunction(function) || LLVMIsAGlobalVariable(function)) &&
      LLVMGetDebugLocLine(function)) {
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

/* The number that IR as text gives a function without a name: variables, aliases and resolvers
 * without names come first. */
static unsigned number_of(LLVMValueRef function)
{
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  unsigned number = 0;

  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    number += is_unnamed(g);
  for (LLVMValueRef g = LLVMGetFirstGlobalAlias(module); g; g = LLVMGetNextGlobalAlias(g))
    number += is_unnamed(g);
  for (LLVMValueRef g = LLVMGetFirstGlobalIFunc(module); g; g = LLVMGetNextGlobalIFunc(g))
    number += is_unnamed(g);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != function; f = LLVMGetNextFunction(f))
    number += is_unnamed(f);
  return number;
}

/* The name of the function that `at` is or is in, in `buffer` if it has only a number. */
static const char *function_of(LLVMValueRef at, char *buffer, size_t size)
{
  size_t length;

  if (LLVMIsAInstruction(at))
    at = LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
  if (!LLVMIsAFunction(at))
    return NULL;
  if (!is_unnamed(at))
    return LLVMGetValueName2(at, &length);
  snprintf(buffer, size, "%u", number_of(at));
  return buffer;
}

void cn_report(struct cn_ctx *ctx, enum cairn_severity severity, LLVMValueRef at, const char *rule,
               const char *format, ...)
{
  struct cairn_diagnostic d = {.severity = severity, .rule = rule};
  char *message, number[16];
  va_list args;

  va_start(args, format);
  CN_CHECK(vasprintf(&message, format, args) >= 0);
  va_end(args);
  d.message = message;
  if (at) {
    locate(at, &d);
    d.function = function_of(at, number, sizeof number);
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
  if (LLVMIsAFunction(value)) {
    snprintf(buffer, size, "@%u", number_of(value));
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

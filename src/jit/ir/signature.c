/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the types of functions as text, to compare the versions of a function, which come from different contexts.
 */
#include "jit/ir/ir.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include "base/check.h"

static char *append(char *text, const char *more)
{
  char *longer = cn_format("%s%s%s", text, *text ? " " : "", more);

  free(text);
  return longer;
}

static char *append_type(char *text, LLVMTypeRef type)
{
  char *printed = LLVMPrintTypeToString(type); /* a named structure with its members */

  text = append(text, printed);
  LLVMDisposeMessage(printed);
  return text;
}

/* The attributes that change the place or the form of a value. */
static char *append_attributes(char *text, LLVMValueRef function, unsigned index)
{
  static const char *const names[] = {"byval",      "sret",     "inreg", "nest",    "swiftself", "swifterror",
                                      "swiftasync", "inalloca", "byref", "signext", "zeroext",   "preallocated"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMAttributeRef attribute =
        LLVMGetEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])));
    if (!attribute)
      continue;
    text = append(text, names[i]);
    if (LLVMIsTypeAttribute(attribute))
      text = append_type(text, LLVMGetTypeAttributeValue(attribute));
  }
  return text;
}

char *cn_jit_signature_of(LLVMValueRef function)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned convention = LLVMGetFunctionCallConv(function), count = LLVMCountParamTypes(type);
  char *text = convention ? cn_format("cc %u", convention) : cn_strdup("");

  text = append_attributes(append_type(text, LLVMGetReturnType(type)), function, LLVMAttributeReturnIndex);
  text = append(text, "(");
  for (unsigned i = 0; i < count; i++) {
    text = append_type(text, LLVMTypeOf(LLVMGetParam(function, i)));
    text = append_attributes(text, function, i + 1);
    if (i + 1 < count)
      text = append(text, ",");
  }
  return append(text, LLVMIsFunctionVarArg(type) ? "... )" : ")");
}

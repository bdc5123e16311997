#!/bin/sh
# LLVM 22.1.8: after names of values were discarded for a while, LLVM prints IR that LLVM does not read.
#
# Expected: LLVMContextSetDiscardValueNames(context, 0) gives later values unique names again. Observed: a function that
# was made while names were discarded has no table of names for good, so two of its values keep the same name, and the
# printed module is refused: "multiple definition of local value". Clang leaves its modules in this state: it discards
# names by default, so a host that runs clang in its process and then prints or names values meets it. A copy of the
# module has the tables. Source: Function's constructor makes the table only if !shouldDiscardValueNames()
# (llvm/lib/IR/Function.cpp), and Value::setNameImpl() without a table takes any name (llvm/lib/IR/Value.cpp).
# Packages: libllvm22 and llvm-22-dev of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22-dev=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
cat > names.c <<'END'
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <string.h>

/* Prints whether LLVM reads what it prints of a module with a function of two values of one name; `early` discards
 * names while the function is made. */
static void print_and_read(const char *when, LLVMBool early, LLVMBool copied)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("names", context), again;
  LLVMTypeRef number = LLVMInt32TypeInContext(context), parameters[] = {number};
  char *message = "";

  LLVMContextSetDiscardValueNames(context, early);
  LLVMValueRef function = LLVMAddFunction(module, "f", LLVMFunctionType(number, parameters, 1, 0));
  LLVMContextSetDiscardValueNames(context, 0);
  if (copied) {
    module = LLVMCloneModule(module);
    function = LLVMGetNamedFunction(module, "f");
  }
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMValueRef argument = LLVMGetParam(function, 0), one = LLVMBuildAdd(builder, argument, argument, "sum");
  LLVMBuildRet(builder, LLVMBuildAdd(builder, one, argument, "sum"));
  char *text = LLVMPrintModuleToString(module);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "printed");
  LLVMBool refused = LLVMParseIRInContext(LLVMContextCreate(), buffer, &again, &message);
  const char *line = refused ? strstr(message, "error: ") : "read";
  printf("%s: %.*s\n", when, (int)strcspn(line ? line : message, "\n"), line ? line : message);
}

int main(void)
{
  print_and_read("names kept", 0, 0);
  print_and_read("names discarded for a while", 1, 0);
  print_and_read("the same, a copy of the module", 1, 1);
  return 0;
}
END
library=$(find root -name 'libLLVM.so.22*' -type f | head -n 1)
cc names.c -Iroot/usr/include/llvm-c-22 -Iroot/usr/include/llvm-22 "$library" \
  -Wl,-rpath,"$folder/$(dirname "$library")" -o names
./names | tee said
grep -q '^names kept: read' said
grep -q "^names discarded for a while: error: multiple definition of local value named 'sum'" said
grep -q '^the same, a copy of the module: read' said

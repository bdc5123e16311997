#!/bin/sh
# gdb 13.1, LLVM 22.1.8: one object of LLVM's C interface hides the debug information of all other objects.
#
# Expected: gdb knows the lines and types of every object of a program. Observed: if one object has DWARF 5 of a
# compile unit made by LLVMDIBuilderCreateCompileUnit(), gdb has no line, type or static variable of the C units beside
# it; with DWARF 4 it has them. Source: the function makes the unit's name table kind "Default", which asks for the
# section .debug_names (clang asks for none), and has no parameter for it; gdb 13 reads an index of one unit as that
# of the whole program (gdb/dwarf2/read-debug-names.c). Removing the section from the object helps. Packages: libllvm22,
# llvm-22-dev and gdb of Debian, into a folder; gdb's libraries are the system's. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22-dev=$version" gdb=13.1-3 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
cat > emit.c <<'END'
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>

static LLVMContextRef llvm;

static void add_flag(LLVMModuleRef module, const char *name, size_t length, unsigned value)
{
  LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(llvm), value, 0);

  LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, name, length, LLVMValueAsMetadata(number));
}

static void describe(LLVMModuleRef module, LLVMValueRef function, LLVMBuilderRef builder)
{
  LLVMDIBuilderRef info = LLVMCreateDIBuilder(module);
  LLVMMetadataRef file = LLVMDIBuilderCreateFile(info, "other.x", 7, ".", 1);

  LLVMDIBuilderCreateCompileUnit(info, LLVMDWARFSourceLanguageC99, file, "x", 1, 0, "", 0, 0, "", 0,
                                 LLVMDWARFEmissionFull, 0, 0, 0, "", 0, "", 0);
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(info, file, NULL, 0, LLVMDIFlagZero);
  LLVMMetadataRef program = LLVMDIBuilderCreateFunction(info, file, "answer", 6, "", 0, file, 1, type, 0, 1, 1,
                                                        LLVMDIFlagZero, 0);
  LLVMSetSubprogram(function, program);
  LLVMSetCurrentDebugLocation2(builder, LLVMDIBuilderCreateDebugLocation(llvm, 1, 1, program, NULL));
  LLVMDIBuilderFinalize(info);
}

int main(int argc, char **argv)
{
  const char *triple = "x86_64-unknown-linux-gnu";
  LLVMTargetRef target;
  char *message = "";

  if (argc < 3)
    return 2;
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  llvm = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("other", llvm);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(llvm);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(llvm);
  LLVMValueRef function = LLVMAddFunction(module, "answer", LLVMFunctionType(i32, NULL, 0, 0));
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(llvm, function, ""));
  describe(module, function, builder);
  LLVMBuildRet(builder, LLVMConstInt(i32, 42, 0));
  add_flag(module, "Dwarf Version", 13, (unsigned)atoi(argv[1]));
  add_flag(module, "Debug Info Version", 18, LLVMDebugMetadataVersion());
  LLVMSetTarget(module, triple);
  if (LLVMGetTargetFromTriple(triple, &target, &message) ||
      LLVMTargetMachineEmitToFile(LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
                                                          LLVMRelocPIC, LLVMCodeModelDefault),
                                  module, argv[2], LLVMObjectFile, &message)) {
    fprintf(stderr, "%s\n", message);
    return 2;
  }
  return 0;
}
END
cat > main.c <<'END'
struct pair {
  int first, second;
} pair;
int answer(void);

int main(void)
{
  return answer() + pair.first;
}
END
library=$(find root -name 'libLLVM.so.22*' -type f | head -n 1)
cc emit.c -Iroot/usr/include/llvm-c-22 -Iroot/usr/include/llvm-22 "$library" \
  -Wl,-rpath,"$folder/$(dirname "$library")" -o emit
knows() {
  ./emit "$1" other.o
  cc -g -O0 main.c other.o -o program
  root/usr/bin/gdb -nx -batch -ex 'info line main' -ex 'ptype struct pair' program > answers 2>&1 || true
  if grep -q 'Line 7 of "main.c"' answers && grep -q 'int second' answers; then echo all
  elif grep -q 'No line number information' answers && grep -q 'No struct type named pair' answers; then echo nothing
  else cat answers >&2; echo another; fi
}
four=$(knows 4) five=$(knows 5)
echo "$(root/usr/bin/gdb --version | head -n 1): known of the C unit, beside DWARF 4: $four, beside DWARF 5: $five"
[ "$four" = all ] && [ "$five" = nothing ]

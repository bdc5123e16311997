#!/bin/sh
# LLVM 22.1.8: LLVMPassBuilderOptionsSetLoopVectorization(options, 0) leaves the loop vectoriser of "default<O2>" on.
#
# Expected, by llvm-c/Transforms/PassBuilder.h: LLVMRunPasses() with "default<O2>" makes no vector loop, unless the IR
# asks for one. Observed: the loop below becomes one of <4 x i32>, with unrolling, interleaving and the vectoriser of
# straight code (SLP) switched off, too. A front end that wants scalar loops sets the loop's metadata
# "llvm.loop.vectorize.enable" to false. Source: llvm/lib/Passes/PassBuilderBindings.cpp, PassBuilderPipelines.cpp.
# Takes libllvm22 and llvm-22-dev from the system's package sources. Exits non-zero if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libllvm22 llvm-22-dev 2>log || { cat log; exit 2; }
for package in ./*.deb; do
  dpkg-deb -x "$package" .
done
cat > loop.c <<'END'
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "define void @add(ptr noalias %to, ptr noalias %from, i64 %count) {\n"
    "entry:\n  %some = icmp sgt i64 %count, 0\n  br i1 %some, label %loop, label %out\n"
    "loop:\n  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
    "  %a = getelementptr i32, ptr %from, i64 %i\n  %v = load i32, ptr %a\n  %w = add i32 %v, 7\n"
    "  %b = getelementptr i32, ptr %to, i64 %i\n  store i32 %w, ptr %b\n"
    "  %next = add nsw i64 %i, 1\n  %more = icmp slt i64 %next, %count\n"
    "  br i1 %more, label %loop, label %out\nout:\n  ret void\n}\n";

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  exit(2);
}

static int becomes_vector(int wanted)
{
  const char *triple = "x86_64-unknown-linux-gnu";
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "loop");
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMModuleRef module;
  LLVMTargetRef target;
  LLVMErrorRef error;
  char *message;

  if (LLVMParseIRInContext(LLVMContextCreate(), buffer, &module, &message) ||
      LLVMGetTargetFromTriple(triple, &target, &message))
    fail(message);
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelDefault,
                                                         LLVMRelocDefault, LLVMCodeModelDefault);
  LLVMSetTarget(module, triple);
  LLVMPassBuilderOptionsSetLoopVectorization(options, wanted);
  LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
  LLVMPassBuilderOptionsSetLoopInterleaving(options, 0);
  LLVMPassBuilderOptionsSetLoopUnrolling(options, 0);
  if ((error = LLVMRunPasses(module, "default<O2>", machine, options)) != NULL)
    fail(LLVMGetErrorMessage(error));
  return strstr(LLVMPrintModuleToString(module), "<4 x i32>") != NULL;
}

int main(void)
{
  unsigned major, minor, patch;

  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMGetVersion(&major, &minor, &patch);
  int on = becomes_vector(1), off = becomes_vector(0);
  printf("LLVM %u.%u.%u: a vector loop with loop vectorisation on: %d, off: %d\n", major, minor, patch, on, off);
  return on && off ? 0 : 1;
}
END
library=$(find . -name 'libLLVM*.so*' -type f | head -n 1)
cc -Iusr/include/llvm-c-22 -Iusr/include/llvm-22 \
  -o loop loop.c "$library" -Wl,-rpath,"$(dirname "$(realpath "$library")")"
./loop

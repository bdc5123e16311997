#!/bin/sh
# LLVM 22.1.8: ORC's layer of RuntimeDyld gives the address 0 to a function that has a local symbol of its name beside
# it.
#
# Expected: LLVMOrcLLJITLookup() of a global function gives its address, as with JITLink, or an error. Observed: no
# error, and 0, if the object also has a local symbol of that name. Such objects are ordinary: `ld -r` makes one of two
# units of which one has a static function of that name. Source: RTDyldObjectLinkingLayer.cpp collects the names of
# symbols that are not global in emit(), and onObjLoad() resolves no symbol of such a name. src/object/elf/elf_memory.c
# keeps modules of Cairn from this layer. Packages: libllvm22 and llvm-22-dev of Debian, into a folder. Exits non-zero
# if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22-dev=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
printf 'int answer(void) { return 42; }\n' > global.c
printf 'static __attribute__((noinline, used)) int answer(void) { return 7; }\n' > local.c
cat > look_up.c <<'END'
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/OrcEE.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>

static LLVMOrcObjectLayerRef make_layer(void *env, LLVMOrcExecutionSessionRef session, const char *triple)
{
  (void)env, (void)triple;
  return LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager(session);
}

static void check(LLVMErrorRef error)
{
  if (!error)
    return;
  printf("an error: %s\n", LLVMGetErrorMessage(error));
  exit(1);
}

static unsigned long address(const char *object, int old_layer)
{
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcExecutorAddress found = 1;
  LLVMMemoryBufferRef buffer;
  LLVMOrcLLJITRef jit;
  char *message;

  if (old_layer)
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, make_layer, NULL);
  check(LLVMOrcCreateLLJIT(&jit, builder));
  if (LLVMCreateMemoryBufferWithContentsOfFile(object, &buffer, &message))
    exit(1);
  check(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), buffer));
  check(LLVMOrcLLJITLookup(jit, &found, "answer"));
  return found;
}

int main(int argc, char **argv)
{
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  if (argc < 3)
    return 1;
  unsigned long jitlink = address(argv[2], 0), alone = address(argv[1], 1), both = address(argv[2], 1);
  printf("JITLink: %s; RuntimeDyld, without the local symbol: %s; with it: %#lx\n", jitlink > 1 ? "an address" : "none",
         alone > 1 ? "an address" : "none", both);
  return jitlink > 1 && alone > 1 && both == 0 ? 0 : 1;
}
END
cc -c global.c && cc -c local.c && ld -r global.o local.o -o both.o
library=$(find root -name 'libLLVM.so.22*' -type f | head -1)
cc look_up.c -Iroot/usr/include/llvm-c-22 -Iroot/usr/include/llvm-22 "$library" -o look_up
LD_LIBRARY_PATH="$folder/$(dirname "$library")" ./look_up global.o both.o

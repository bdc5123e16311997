#!/bin/sh
# LLVM 22.1.8: constructors of objects made through LLVM's C interface do not run if lld or mold links the program.
#
# Expected: a function of llvm.global_ctors runs before main(), as with llc or clang. Observed: with GNU ld it runs;
# with lld and mold it does not, without a message. Source: LLVMCreateTargetMachine() leaves
# TargetOptions.UseInitArray false (llvm/include/llvm/Target/TargetOptions.h), which llc and clang set, so the object
# has .ctors; GNU ld's script puts .ctors into .init_array, the two others keep it as a section that nothing runs. The
# interface has no function for the option. Packages: libllvm22, llvm-22-dev, lld-22, mold and GNU ld of Debian, into
# a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22-dev=$version" "lld-22=$version" mold=1.10.1+dfsg-1 \
  binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0=2.40-2 libctf-nobfd0=2.40-2 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
cat > emit.c <<'END'
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "@started = global i32 0\n"
                           "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]\n"
                           "  [{ i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]\n"
                           "define internal void @begin() {\n  store i32 1, ptr @started\n  ret void\n}\n";

int main(void)
{
  const char *triple = "x86_64-unknown-linux-gnu";
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "constructor");
  LLVMModuleRef module;
  LLVMTargetRef target;
  char *message = "";

  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  if (LLVMParseIRInContext(LLVMContextCreate(), buffer, &module, &message) ||
      LLVMGetTargetFromTriple(triple, &target, &message) ||
      LLVMTargetMachineEmitToFile(LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
                                                          LLVMRelocPIC, LLVMCodeModelDefault),
                                  module, "constructor.o", LLVMObjectFile, &message)) {
    fprintf(stderr, "%s\n", message);
    return 2;
  }
  return 0;
}
END
cat > main.c <<'END'
extern int started;

int main(void)
{
  return started;
}
END
library=$(find root -name 'libLLVM.so.22*' -type f | head -n 1)
cc emit.c -Iroot/usr/include/llvm-c-22 -Iroot/usr/include/llvm-22 "$library" \
  -Wl,-rpath,"$folder/$(dirname "$library")" -o emit
./emit
LD_LIBRARY_PATH=$folder/$(dirname "$(find root/usr/lib -name 'libbfd*.so' | head -n 1)") # of GNU ld and mold
export LD_LIBRARY_PATH
status=0
for linker in root/usr/bin/x86_64-linux-gnu-ld.bfd root/usr/lib/llvm-22/bin/ld.lld root/usr/bin/mold; do
  # The compiler runs the program "ld" of the folder that -B names.
  mkdir -p by
  ln -sf "$folder/$linker" by/ld
  cp "$linker" by/ld.bfd 2>/dev/null || true
  cc -B "$folder/by" main.c constructor.o -o program
  ran=0
  ./program || ran=$?
  echo "$($linker --version | head -n 1): the constructor ran: $ran"
  case $linker in *bfd) wanted=1 ;; *) wanted=0 ;; esac
  [ "$ran" = "$wanted" ] || status=1
  rm -rf by
done
exit "$status"

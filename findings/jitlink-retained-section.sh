#!/bin/sh
# LLVM 22.1.8: JITLink drops a section that the object marks with SHF_GNU_RETAIN.
#
# Expected: an object whose section is marked "retain" keeps that section, as with ld --gc-sections, lld and mold.
# Observed: LLJIT links the object and runs its function, and the section's bytes are nowhere in the process, so tables
# that a runtime finds by section (maps, notes, constructors of its own) are lost. With an exported symbol in the
# section the bytes are there. Source: llvm/lib/ExecutionEngine/JITLink/ELFLinkGraphBuilder.h makes a block without a
# symbol that lives, and prune() deletes what no live symbol reaches. Packages: libllvm22, llvm-22-dev of Debian, into a
# folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22-dev=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
for kind in local global; do
  cat > "$kind.s" <<END
        .text
        .globl answer
answer: movl \$42, %eax
        ret
        .section notes, "aR", @progbits
        .$kind note
note:   .ascii "retained"
END
  as "$kind.s" -o "$kind.o"
done
cat > look.c <<'END'
#define _GNU_SOURCE
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(LLVMErrorRef error)
{
  if (!error)
    return;
  fprintf(stderr, "%s\n", LLVMGetErrorMessage(error));
  exit(2);
}

/* Counts in read-only memory of the process alone; the buffer of the object file is writable. */
static int count_linked(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[400], rights[5], wanted[9] = "";
  unsigned long from, to;
  int found = 0;

  strcat(strcat(wanted, "reta"), "ined");
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) == 3 && strcmp(rights, "r--p") == 0 && !strchr(line, '/') &&
        !strchr(line, '['))
      for (char *at = (char *)from; at && (at = memmem(at, to - (unsigned long)at, wanted, 8)); at++)
        found++;
  fclose(maps);
  return found;
}

int main(int argc, char **argv)
{
  LLVMOrcExecutorAddress answer;
  LLVMMemoryBufferRef buffer;
  LLVMOrcLLJITRef jit;
  char *message;

  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  if (argc < 2 || LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &buffer, &message))
    return 2;
  check(LLVMOrcCreateLLJIT(&jit, NULL));
  check(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), buffer));
  check(LLVMOrcLLJITLookup(jit, &answer, "answer"));
  if (((int (*)(void))answer)() != 42)
    return 2;
  printf("%d\n", count_linked());
  return 0;
}
END
library=$(find root -name 'libLLVM.so.22*' -type f | head -n 1)
cc look.c -Iroot/usr/include/llvm-c-22 -Iroot/usr/include/llvm-22 "$library" \
  -Wl,-rpath,"$folder/$(dirname "$library")" -o look
local=$(./look local.o) global=$(./look global.o)
echo "LLVM $version: retained sections in memory, with a local symbol: $local, with a global symbol: $global"
[ "$local" = 0 ] && [ "$global" -gt 0 ]

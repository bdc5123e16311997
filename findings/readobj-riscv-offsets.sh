#!/bin/sh
# LLVM 22.1.8: of a RISC-V object, llvm-readobj prints the offset 0 for every record of a stack map.
#
# Expected: --stackmap prints the places of the calls, as for objects of other processors, or says that it cannot.
# Observed: with the feature "relax" each record has the instruction offset 0, without a message; after linking the
# offsets are right. Source: the linker may shorten the code, so the assembler leaves the field 0 and writes a pair of
# relocations, R_RISCV_ADD32 and R_RISCV_SUB32, which llvm/tools/llvm-readobj does not apply. A tool that indexes
# objects before the link takes all calls for one. Packages: libllvm22, llvm-22 and lld-22 of Debian, into a folder.
# Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" "lld-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > calls.ll <<'END'
target triple = "riscv64-unknown-linux-gnu"
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
define void @safepoint() noinline {
  ret void
}
define void @_start() gc "statepoint-example" {
  %s = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 1, i32 0,
    ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2, i32 0,
    ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0)
  ret void
}
END
offsets() {
  $tools/llvm-readobj --stackmap "$1" | sed -n 's/.*instruction offset: //p' | xargs
}
$tools/llc -O2 -mattr=+c,+relax -filetype=obj calls.ll -o calls.o
$tools/ld.lld calls.o -o program
object=$(offsets calls.o) program=$(offsets program)
echo "$($tools/llvm-readobj --version | grep -o 'version.*'): offsets in the object: $object; in the program: $program"
[ "$object" = '0 0' ] && case $program in 0* | *' 0') false ;; *' '*) true ;; *) false ;; esac

#!/bin/sh
# LLVM 22.1.8, AArch64: the shadow of a stackmap reaches beyond its block, and beyond the function.
#
# Expected: a shadow holds neither the end of its block nor a call (the Stack Map document,
# "llvm.experimental.stackmap"), so that a runtime may overwrite its bytes. Observed: of a shadow of 32 bytes before the
# epilogue, only 16 bytes exist; the rest belongs to the next function, or to the block behind, to which others jump.
# With the epilogue's directives off (no unwind tables) the no-ops are there. Source: LowerSTACKMAP() of
# llvm/lib/Target/AArch64/AArch64AsmPrinter.cpp counts each following instruction of the block as 4 bytes, also those
# without code, such as CFI_INSTRUCTION and KILL. Packages: libllvm22 and llvm-22 of Debian, into a folder. Exits
# non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > with.ll <<'END'
target triple = "aarch64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @g()
define i32 @f(i32 %n) uwtable {
  call void @g()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 32)
  ret i32 %n
}
END
sed 's/ uwtable//' with.ll > without.ll
# The bytes from the record to the end of the function.
rest() { # rest NAME
  "$tools/llc" -filetype=obj "$1.ll" -o "$1.o"
  at=$("$tools/llvm-readobj" --stackmap "$1.o" | sed -n 's/.*instruction offset: //p')
  size=$("$tools/llvm-nm" -S "$1.o" | awk '$4 == "f" { print $2 }')
  echo $((0x$size - at))
}
with=$(rest with) without=$(rest without)
echo "a shadow of 32 bytes before the epilogue: $with bytes are in the function, without unwind tables $without"
[ "$with" -lt 32 ] && [ "$without" -ge 32 ]

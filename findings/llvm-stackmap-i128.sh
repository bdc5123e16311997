#!/bin/sh
# LLVM 22.1.8: an object differs from build to build if a stack map lists a negative constant of 128 bits.
#
# Expected: llc gives the same bytes for the same input, and a constant of a stack map is a Constant or ConstantIndex
# of its value, or an error. Observed: the record holds an address of the compiler's heap, another one in each run, for
# a constant that does not fit 64 bits as a signed number. The constant 7 of the same type is recorded as 7.
# Source: the wide constant is a ConstantInt operand of the instruction STACKMAP; the code of StackMaps reads its union
# as an integer (llvm/lib/CodeGen/StackMaps.cpp). Packages: libllvm22 and llvm-22 of Debian, into a folder. Exits
# non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
for value in 7 -1; do
  cat > "$value.ll" <<END
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
define void @f() {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0, i128 $value)
  ret void
}
END
done
differ() {
  for run in 1 2 3 4; do
    $tools/llc -filetype=obj "./$1.ll" -o - | sha256sum
  done | sort -u | wc -l
}
small=$(differ 7) wide=$(differ -1)
echo "$($tools/llc --version | grep -o 'version.*'): objects of 4 runs, with i128 7: $small kind, with i128 -1: $wide"
[ "$small" = 1 ] && [ "$wide" -gt 1 ]

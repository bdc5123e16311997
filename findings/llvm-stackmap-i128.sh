#!/bin/sh
# LLVM 22.1.8: an object differs from build to build if a stack map lists a negative constant of 128 bits.
#
# Expected: llc gives the same bytes for the same input, and a constant of a stack map is a Constant or ConstantIndex
# of its value, or an error. Observed: for a constant with the highest bit set the record holds another number in each
# run. The constant 7 of the same type is recorded as 7. Source: llvm/lib/CodeGen/StackMaps.cpp takes the operand for
# an integer of 64 bits; only an assertion, which release builds lack, would notice a wide constant. Packages:
# libllvm22 and llvm-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
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

#!/bin/sh
# LLVM 22.1.8: a stack map has the address of a 128-bit argument, in the place of its value, among deopt values.
#
# Expected: the value of a deopt operand is recorded, as Indirect [sp + offset] with its size. Seen: for an i128 that
# the caller passed on the stack, llc -O2 records Direct sp + offset with size 8, like the address of an alloca; at -O0,
# and for an i128 in registers, it records the value. Source: llvm/lib/CodeGen/SelectionDAG/StatepointLowering.cpp takes
# each FrameIndex operand for an alloca, and an argument of two words in memory is one. Packages: libllvm22 and llvm-22
# of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > argument.ll <<END
target triple = "x86_64-unknown-linux-gnu"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @g()
define void @f(i64, i64, i64, i64, i64, i64, i128 %wide) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i128 %wide) ]
  ret void
}
END
for level in 0 2; do
  $tools/llc -O$level -filetype=obj argument.ll -o argument.o
  $tools/llvm-readobj --stackmap argument.o | grep '#4:' > record.$level
  echo "-O$level: $(cat record.$level)"
done
grep -q Indirect record.0 && grep -q 'Direct' record.2 && ! grep -q Indirect record.2

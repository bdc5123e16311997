#!/bin/sh
# LLVM 22.1.8: a variadic callee of a statepoint does not receive its floating-point arguments.
#
# Expected: a call of a variadic function, wrapped by rewrite-statepoints-for-gc, passes the same arguments as the call
# itself; the verifier and llc accept the module. Observed: the callee reads another number, since %al, in which the
# System V convention passes the count of vector registers, is what it was (0 here). Source: LowerStatepoint()
# builds the call from a type without "..." (llvm/lib/CodeGen/SelectionDAG/StatepointLowering.cpp), so the code for
# variadic calls of X86ISelLoweringCall.cpp does not run. Packages: libllvm22 and llvm-22 of Debian, into a folder.
# Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > call.ll <<'END'
target triple = "x86_64-unknown-linux-gnu"
declare void @record(ptr, ...)
define void @plain(ptr %to) {
  call void (ptr, ...) @record(ptr %to, double 1.5)
  ret void
}
define void @managed(ptr %to) gc "statepoint-example" {
  call void (ptr, ...) @record(ptr %to, double 1.5)
  ret void
}
END
cat > main.c <<'END'
#include <stdarg.h>
#include <stdio.h>

void plain(double *to), managed_with_zero(double *to);
__asm__("managed_with_zero: xorl %eax, %eax\n jmp managed");

void record(double *to, ...)
{
  va_list list;

  va_start(list, to);
  *to = va_arg(list, double);
  va_end(list);
}

int main(void)
{
  double by_call = 0, by_statepoint = 0;

  managed_with_zero(&by_statepoint);
  plain(&by_call);
  printf("of 1.5 the callee reads, by a call: %s, by a statepoint: %s\n", by_call == 1.5 ? "1.5" : "another number",
         by_statepoint == 1.5 ? "1.5" : "another number");
  return by_call == 1.5 && by_statepoint != 1.5 ? 0 : 1;
}
END
$tools/opt -passes=rewrite-statepoints-for-gc call.ll -o statepoint.bc
$tools/llc -O2 -filetype=obj statepoint.bc -o statepoint.o
cc -no-pie -O0 main.c statepoint.o -o main
./main

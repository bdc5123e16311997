; RUN: rm -rf %t && mkdir %t
; RUN: clang -O1 -D_GNU_SOURCE -Wall -Wextra -I%root/include -c %S/Inputs/unload_native.c -o %t/native.o
; RUN: sed 's/i64 %n, i64 1000/i64 2000, i64 %n/' %s > %t/other.ll
; RUN: %cairn-cc -O2 -fPIC -shared %s -o %t/1.so && %cairn-cc -O2 -fPIC -shared %t/other.ll -o %t/2.so
; RUN: %cairn-cc -O2 -rdynamic %t/native.o -o %t/main && %t/main %t/1.so %t/2.so | FileCheck %s && env CAIRN_STRESS=1 %t/main %t/1.so %t/2.so | FileCheck %s
; RUN: env CAIRN_STATS=1 %t/main %t/1.so %t/2.so 2>&1 | FileCheck --check-prefix=MEMORY %s
; Shared objects with deopt operands come and go, and two threads at a time look at a new one first. Wrong: the operands
; of an image that was at the same address before; memory of sites that are gone.
; CHECK: 240 right looks
; MEMORY: frame map memory: {{[0-9]{1,5}$}}

declare void @look(i64)
define void @call(i64 %n) gc "statepoint-example" {
  call void @look(i64 %n) [ "deopt"(i64 %n, i64 1000,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n,
    i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n, i64 %n) ]
  ret void
}

; statepoints-later, "num patch bytes": a statepoint whose call is no-ops, described in its deopt bundle before the lists
; of described allocas and of spans. Wrong: the lists that readers find from the end are lost, or the description counts
; as the program's own deopt state.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,describe-points -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: llc -O2 -filetype=obj %t.ll -o %t.o && llvm-objdump -d %t.o | FileCheck --check-prefix=CODE %s
; RUN: llc -O0 -filetype=obj %t.ll -o %t.0.o && llvm-objdump -d %t.0.o | FileCheck --check-prefix=CODE %s
; Stripped and rewritten, the module has one description each.
; RUN: %cairn opt -p strip-statepoints -S %t.ll | FileCheck --check-prefix=STRIPPED %s
; RUN: %cairn opt -p strip-statepoints,rewrite-statepoints,describe-points -S %t.ll | FileCheck %s
; Other runtimes read the deopt operands as LLVM writes them.
; RUN: llvm-extract -func=values -S %s | %cairn opt -p rewrite-statepoints --roots=pairs -S - | FileCheck --check-prefix=PAIRS %s
; RUN: not %cairn opt -p rewrite-statepoints --disable-output %S/Inputs/patch-bytes.ll 2>&1 | FileCheck --check-prefix=REFUSED %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @g()
declare void @use(ptr)
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
@key = internal global i8 0

; The words: mark, kind 2, 5 bytes, no arguments; an integer of 1 bit, a double, a reference, a local, undefined.
; CHECK-LABEL: define void @values
; CHECK: gc.statepoint.p0(i64 7, i32 5, {{.*}}[ "deopt"(i1 %b, double %d, ptr addrspace(1) %r, ptr %l, i64 undef, i64 4846245170335664462, i64 2, i64 5, i64 0, i64 256, i64 16385, i64 16387, i64 16389, i64 16388, i64 9), "gc-live"(ptr addrspace(1) %r) ]
; CODE-LABEL: <values>:
; CODE: nopl
; CODE: retq
; STRIPPED-LABEL: define void @values
; STRIPPED: call void @g() [[DIRECTED:#[0-9]+]] [ "deopt"(i1 %b, double %d, ptr addrspace(1) %r, ptr %l, i64 undef) ]
; PAIRS: gc.statepoint.p0(i64 7, i32 5, {{.*}}[ "deopt"(i1 %b, double %d, ptr addrspace(1) %r, ptr %l, i64 0), "gc-live"
define void @values(i1 %b, double %d, ptr addrspace(1) %r) uwtable gc "statepoint-example" {
  %l = alloca i64
  call void @g() "statepoint-id"="7" "statepoint-num-patch-bytes"="5" [ "deopt"(i1 %b, double %d, ptr addrspace(1) %r, ptr %l, i64 undef) ]
  ret void
}

; Described allocas and spans follow.
; CHECK-LABEL: define void @lists
; CHECK: i32 9, ptr elementtype(void ()) @g, {{.*}}[ "deopt"(i32 3, i64 4846245170335664462, i64 2, i64 9, i64 0, i64 8192, i64 5, i64 4846245170083810383, i64 1, ptr %a, i64 1, i64 8, i64 1, i64 0, i64 7, i64 [[SPAN:[0-9]+]], i64 1, i64 1, i64 0, i64 4) ]
; STRIPPED-LABEL: define void @lists
; STRIPPED: call void @g() #{{[0-9]+}} [ "deopt"(i32 3) ]
define void @lists() uwtable gc "statepoint-example" {
  %a = alloca ptr addrspace(1)
  store ptr addrspace(1) null, ptr %a
  call void @use(ptr %a)
  call void @cairn.span.begin(i64 77, ptr @key)
  call void @g() "statepoint-num-patch-bytes"="9" [ "deopt"(i32 3) ]
  call void @cairn.span.end(i64 77)
  ret void
}

; Without a bundle of the program; and a call that is no point.
; CHECK-LABEL: define void @plain
; CHECK: i32 65535, {{.*}} [ "deopt"(i64 4846245170335664462, i64 2, i64 65535, i64 0, i64 4) ]
; CHECK: call token {{.*}} @g, i32 0, i32 0, i32 0, i32 0){{$}}
; STRIPPED-LABEL: define void @plain
; STRIPPED: call void @g() #{{[0-9]+}}{{$}}
define void @plain() uwtable gc "statepoint-example" {
  call void @g() "statepoint-num-patch-bytes"="65535"
  call void @g() "statepoint-num-patch-bytes"="0"
  ret void
}
; REFUSED: 'long': call to @g: more than 65535 patch bytes [patch-point]
; REFUSED: 'wide': call to @g: a value in the deopt bundle of a patchable safepoint is an integer of more than 64 bits
; REFUSED: 'wide': call to @g: a value in the deopt bundle of a patchable safepoint is a vector

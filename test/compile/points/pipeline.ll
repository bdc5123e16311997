; The whole pipeline and LLVM's code generator, at every level and in every order: the points of the object have the
; program's ids, lengths and classes, whatever the optimiser made of the values. stackmaps-v2, "Stack Map Format", "Direct
; Stack Map Entries"; statepoints-later, "num patch bytes".
; RUN: for o in 0 1 2 3 s z; do %cairn-cc -O$o -c %s -o %t.o && %cairn frames --points %t.o > %t.$o && FileCheck %s < %t.$o || exit 1; done
; RUN: %cairn-cc -O2 -fcairn-safepoints=early -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s
; RUN: %cairn-cc -O0 -fcairn-safepoints=early -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-slots=always -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-barriers=none -fPIC -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=none -c %s -o %t.o && %cairn frames --points %t.o | FileCheck --check-prefix=NONE %s
; Fences (fences.ll) are no points.
; RUN: %cairn-cc -O2 -c %s -o %t.o && %cairn frames --points %t.o | not grep -E 'id 0(,|$)'
; Live-out lists are made on request.
; RUN: %cairn-cc -O2 -c %s -o %t.o && %cairn frames --points %t.o | FileCheck --check-prefix=WITHOUT %s
; RUN: %cairn-cc -O2 -fcairn-live-outs -c %s -o %t.o && %cairn frames --points %t.o | FileCheck --check-prefix=WITH %s
; WITHOUT-NOT: live-outs
; WITH: live-outs
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare double @llvm.experimental.patchpoint.f64(i64, i32, ptr, i32, ...)
declare ptr addrspace(1) @llvm.experimental.patchpoint.p1(i64, i32, ptr, i32, ...)
declare void @g(i64)
declare ptr addrspace(1) @make()

; CHECK-LABEL: function values:
; CHECK: shadow of 8 bytes, id 1
; CHECK: value integer of 1 bits: {{[a-z\[]}}
; CHECK-NEXT: value integer of 5 bits:
; CHECK-NEXT: value integer of 8 bits:
; CHECK-NEXT: value integer of 33 bits:
; CHECK-NEXT: value float of 16 bits:
; CHECK-NEXT: value float of 32 bits:
; CHECK-NEXT: value float of 64 bits:
; CHECK-NEXT: value reference:
; CHECK-NEXT: value pointer:
; CHECK-NEXT: value local: {{r[bs]p [-+] [0-9]+$}}
; CHECK: shadow of 0 bytes, id 2
; CHECK: value integer of 1 bits: constant 1
; CHECK-NEXT: value integer of 8 bits: constant 255
; CHECK-NEXT: value integer of 64 bits: constant 1234567890123456789
; CHECK-NEXT: value reference: constant 0
; CHECK-NEXT: value undefined
; NONE: shadow of 8 bytes, id 1
define void @values(i1 %a, i5 %b, i8 %c, i33 %d, half %e, float %f, double %h, ptr addrspace(1) %r, ptr %p) gc "statepoint-example" {
  %l = alloca [4 x i64]
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 8, i1 %a, i5 %b, i8 %c, i33 %d, half %e, float %f, double %h, ptr addrspace(1) %r, ptr %p, ptr %l)
  call void @g(i64 1)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 2, i32 0, i1 true, i8 -1, i64 1234567890123456789, ptr addrspace(1) null, i32 poison)
  ret void
}

; More values than registers, and a shadow before a safepoint, over blocks.
; CHECK-LABEL: function many:
; CHECK: shadow of 16 bytes, id 3
; CHECK-COUNT-16: value
; CHECK: statepoint of 5 bytes, id 4
; CHECK: value integer of 64 bits
; CHECK: value reference
define i64 @many(ptr %p, ptr addrspace(1) %r, i1 %c) gc "statepoint-example" {
  %v0 = load volatile i64, ptr %p
  %v1 = load volatile i64, ptr %p
  %v2 = load volatile i64, ptr %p
  %v3 = load volatile i64, ptr %p
  %v4 = load volatile i64, ptr %p
  %v5 = load volatile i64, ptr %p
  %v6 = load volatile i64, ptr %p
  %v7 = load volatile i64, ptr %p
  %v8 = load volatile i64, ptr %p
  %v9 = load volatile i64, ptr %p
  %w0 = load volatile i64, ptr %p
  %w1 = load volatile i64, ptr %p
  %w2 = load volatile i64, ptr %p
  %w3 = load volatile i64, ptr %p
  %w4 = load volatile double, ptr %p
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 3, i32 16, i64 %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4, i64 %v5, i64 %v6, i64 %v7, i64 %v8, i64 %v9, i64 %w0, i64 %w1, i64 %w2, i64 %w3, double %w4, ptr addrspace(1) %r)
  br i1 %c, label %yes, label %no
yes:
  call void @g(i64 %v9) "statepoint-id"="4" "statepoint-num-patch-bytes"="5" [ "deopt"(i64 %v0, ptr addrspace(1) %r) ]
  br label %no
no:
  ret i64 %v1
}

; "anyregcc": 13 arguments, a result of each class; the other conventions.
; CHECK-LABEL: function patchpoints:
; CHECK: patchpoint of 15 bytes, id 5, convention 13
; CHECK: result integer of 64 bits: r
; CHECK-COUNT-13: argument integer of 64 bits: r
; CHECK: patchpoint of 15 bytes, id 6, convention 13
; CHECK: result float of 64 bits: xmm
; CHECK-NEXT: argument float of 64 bits: xmm
; CHECK-NEXT: argument integer of 8 bits: r
; CHECK: patchpoint of 20 bytes, id 7{{$}}
; CHECK: value reference
; CHECK: patchpoint of 20 bytes, id 8, convention 14
; CHECK: patchpoint of 20 bytes, id 9, convention 15
; CHECK: patchpoint of 20 bytes, id 10, convention 8
; CHECK: patchpoint of 13 bytes, id 11, convention 9, with a target
define i64 @patchpoints(i64 %x, double %d, i8 %b) gc "statepoint-example" {
  %v = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 5, i32 15, ptr null, i32 13, i64 %x, i64 %x, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11)
  %f = call anyregcc double (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.f64(i64 6, i32 15, ptr null, i32 2, double %d, i8 %b)
  %r = call ptr addrspace(1) @make()
  %q = call ptr addrspace(1) (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.p1(i64 7, i32 20, ptr null, i32 9, ptr addrspace(1) %r, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 %x, ptr addrspace(1) %r)
  call void @g(i64 %v)
  call preserve_mostcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 8, i32 20, ptr null, i32 1, ptr addrspace(1) %q, i64 %v)
  call preserve_allcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 9, i32 20, ptr null, i32 0, double %f)
  call fastcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 10, i32 20, ptr null, i32 1, double %f)
  call coldcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 11, i32 13, ptr inttoptr (i64 4096 to ptr), i32 1, i64 %v)
  ret i64 %v
}

; Invoked, with values live into the pad; a local of variable size moves the frame's base.
; CHECK-LABEL: function invoked:
; CHECK: patchpoint of 16 bytes, id 12
; CHECK: value reference: {{r|\[rb}}
; CHECK-NEXT: value pointer:
; CHECK: shadow of 4 bytes, id 13
declare i32 @__gxx_personality_v0(...)
define ptr addrspace(1) @invoked(ptr addrspace(1) %r, i64 %n) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  %a = alloca i64, i64 %n
  %v = invoke ptr addrspace(1) (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.p1(i64 12, i32 16, ptr null, i32 1, ptr addrspace(1) %r, ptr addrspace(1) %r, ptr %a) to label %next unwind label %pad
next:
  call void @g(i64 %n)
  ret ptr addrspace(1) %v
pad:
  %e = landingpad {ptr, i32} cleanup
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 13, i32 4, ptr addrspace(1) %r)
  call void @g(i64 2)
  resume {ptr, i32} %e
}

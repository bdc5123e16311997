; A point's record lacks the kind, the length and the types; the operands after POINT_MARK say them. Wrong: a runtime
; patches other bytes than the region's, or takes an integer for a reference.
; RUN: %cairn opt -p describe-points -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: opt -passes=verify -disable-output %t.ll
; A second run, and one after the optimiser, change nothing.
; RUN: %cairn opt -p describe-points -S %t.ll -o %t.again.ll && diff <(sed 1,2d %t.ll) <(sed 1,2d %t.again.ll)
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare ptr addrspace(1) @llvm.experimental.patchpoint.p1(i64, i32, ptr, i32, ...)
declare void @target()
declare i32 @personality(...)

; stackmaps-v2, "llvm.experimental.stackmap": "i64 77, i32 8, ptr". The words: mark, kind 0, 8 bytes, no arguments, a
; pointer of 64 bits, 5 operands.
; CHECK-LABEL: define i64 @shadow
; CHECK: stackmap(i64 77, i32 8, ptr %p, i64 4846245170335664462, i64 0, i64 8, i64 0, i64 16386, i64 5){{$}}
define i64 @shadow(ptr %p) gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 77, i32 8, ptr %p)
  %val = load i64, ptr %p
  %add = add i64 %val, 3
  ret i64 %add
}

; "patchpoint ... with one argument in $rdi, and a return value in $rax per native calling convention": flag TARGET,
; 15 bytes, and a record without locations.
; CHECK-LABEL: define i64 @native
; CHECK: call i64 {{.*}}patchpoint.i64(i64 78, i32 15, ptr inttoptr (i64 -281474976710654 to ptr), i32 1, ptr %p, i64 4846245170335664462, i64 8589934593, i64 15, i64 0, i64 4)
define i64 @native(ptr %p) gc "statepoint-example" {
  %target = inttoptr i64 -281474976710654 to ptr
  br label %next
next:
  %val = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 78, i32 15, ptr %target, i32 1, ptr %p)
  %add = add i64 %val, 3
  ret i64 %add
}

; "anyregcc": the record has the result and the argument. Convention 13, flags RESULT and TARGET, one argument; an
; integer, a pointer; then a live value, a reference.
; CHECK-LABEL: define i64 @anyreg
; CHECK: call anyregcc i64 {{.*}}(i64 78, i32 15, ptr @target, i32 1, ptr %p, ptr addrspace(1) %r, i64 4846245170335664462, i64 12884905217, i64 15, i64 1, i64 16384, i64 16386, i64 16387, i64 7)
define i64 @anyreg(ptr %p, ptr addrspace(1) %r) gc "statepoint-example" {
  %val = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 78, i32 15, ptr @target, i32 1, ptr %p, ptr addrspace(1) %r)
  ret i64 %val
}

; "A zero-byte null target patchpoint is valid", and "zero patch point arguments": negative and repeated ids, too.
; CHECK-LABEL: define void @empty
; CHECK: patchpoint.void(i64 -1, i32 0, ptr null, i32 0, i64 4846245170335664462, i64 1, i64 0, i64 0, i64 4)
; CHECK: stackmap(i64 -1, i32 0, i64 4846245170335664462, i64 0, i64 0, i64 0, i64 4)
; CHECK: call anyregcc void {{.*}}patchpoint.void(i64 5, i32 3, ptr null, i32 0, i64 4846245170335664462, i64 3329, i64 3, i64 0, i64 4)
define void @empty() gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 -1, i32 0, ptr null, i32 0)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 -1, i32 0)
  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 5, i32 3, ptr null, i32 0)
  ret void
}

; "Stack Map Format", every class: integers of 1, 7, 24 and 64 bits; float, double, half; pointer, pointer of 32 bits,
; reference; the address of a local ("Direct Stack Map Entries"), and others of a local that are just pointers.
; CHECK-LABEL: define void @classes
; CHECK: ptr %middle, ptr %dynamic, i64 4846245170335664462, i64 0, i64 4, i64 0, i64 256, i64 1792, i64 6144, i64 16384, i64 8193, i64 16385, i64 4097, i64 16386, i64 8194, i64 16387, i64 16389, i64 16386, i64 16386, i64 17)
define void @classes(i1 %a, i7 %b, i24 %c, i64 %d, float %e, double %f, half %g, ptr %h, ptr addrspace(270) %i, ptr addrspace(1) %j, i64 %n) gc "statepoint-example" {
  %local = alloca [4 x i64]
  %middle = getelementptr i64, ptr %local, i64 1
  %dynamic = alloca i64, i64 %n
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 4, i1 %a, i7 %b, i24 %c, i64 %d, float %e, double %f, half %g, ptr %h, ptr addrspace(270) %i, ptr addrspace(1) %j, ptr %local, ptr %middle, ptr %dynamic)
  ret void
}

; An undefined value is the constant 0 of its width, with class UNDEFINED: LLVM would record some register. A constant
; keeps its class. An undefined argument stays, because a register has to hold something.
; CHECK-LABEL: define void @undefined
; CHECK: stackmap(i64 2, i32 0, i32 0, i64 0, i64 0, i1 true, ptr addrspace(1) null, i64 4846245170335664462, i64 0, i64 0, i64 0, i64 8196, i64 16388, i64 16388, i64 256, i64 16387, i64 9)
; CHECK: patchpoint.void(i64 3, i32 0, ptr null, i32 1, ptr addrspace(1) undef, i16 0, i64 4846245170335664462, i64 3329, i64 0, i64 1, i64 16388, i64 4100, i64 6)
define void @undefined() gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 2, i32 0, i32 undef, ptr addrspace(1) undef, double poison, i1 true, ptr addrspace(1) null)
  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 3, i32 0, ptr null, i32 1, ptr addrspace(1) undef, i16 poison)
  ret void
}

; What the call says of itself stays: attributes, metadata, names, tail; "marking the call site as readonly".
; CHECK-LABEL: define ptr addrspace(1) @kept
; CHECK: %r = tail call preserve_mostcc nonnull ptr addrspace(1) {{.*}}@llvm.experimental.patchpoint.p1(i64 4, i32 20, ptr null, i32 2, i8 zeroext %x, ptr addrspace(1) nonnull %p, i8 %x, i64 4846245170335664462, {{.*}}) [[READ:#[0-9]+]], !note
; CHECK: ret ptr addrspace(1) %r
define ptr addrspace(1) @kept(i8 %x, ptr addrspace(1) %p) gc "statepoint-example" {
  %r = tail call preserve_mostcc nonnull ptr addrspace(1) (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.p1(i64 4, i32 20, ptr null, i32 2, i8 zeroext %x, ptr addrspace(1) nonnull %p, i8 zeroext %x) readonly cold, !note !0
  ret ptr addrspace(1) %r
}

; An invoke: the patched code may throw.
; CHECK-LABEL: define i64 @thrown
; CHECK: invoke i64 {{.*}}patchpoint.i64(i64 5, i32 13, ptr @target, i32 0, i64 %x, i64 4846245170335664462, i64 8589934593, i64 13, i64 0, i64 16384, i64 5)
; CHECK-NEXT: to label %normal unwind label %pad
define i64 @thrown(i64 %x) gc "statepoint-example" personality ptr @personality {
  %r = invoke i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 5, i32 13, ptr @target, i32 0, i64 %x) to label %normal unwind label %pad
normal:
  ret i64 %r
pad:
  %e = landingpad {ptr, i32} cleanup
  resume {ptr, i32} %e
}
; CHECK: attributes [[READ]] = { cold memory(read) }
!0 = !{}

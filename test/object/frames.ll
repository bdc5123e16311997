; The way from statepoints to frame maps: which references are where, how the caller's registers are
; found. A wrong register, slot, base or frame size here is a stale reference in a program.
; RUN: llc -O3 -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true \
; RUN:   -relocation-model=pic -filetype=obj %s -o %t.raw.o
; RUN: %cairn frames --rewrite %t.raw.o -o %t.o
; RUN: %cairn frames %t.o | FileCheck %s
; A second rewriting changes nothing, and rewriting again from the start gives the same bytes.
; RUN: %cairn frames --rewrite %t.o -o %t.twice.o
; RUN: cmp %t.o %t.twice.o
; RUN: %cairn frames --rewrite %t.raw.o -o %t.again.o
; RUN: cmp %t.o %t.again.o
; Nothing of the stack maps is left; everything else is there.
; RUN: llvm-readelf -SsrW %t.o | FileCheck --check-prefix=ELF %s
; ELF-NOT: llvm_stackmaps
; ELF-NOT: __LLVM_StackMaps
; ELF: cairn_frames PROGBITS {{.*}} AL
; ELF-NOT: llvm_stackmaps
; ELF: Relocation section '.relacairn_frames'
; ELF: R_X86_64_PC32 {{.*}} .text + 0
; ELF-NOT: __LLVM_StackMaps
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @g()
declare void @use(ptr)
declare preserve_allcc void @cairn_poll_slow()

; CHECK-LABEL: function registers: code size {{[0-9]+}}, safepoints 1
; CHECK-NEXT: +0x{{[0-9a-f]+}}: cfa rsp + 32, rbx at cfa - 24, r14 at cfa - 16{{$}}
; CHECK-NEXT: root rbx
; CHECK-NEXT: derived r14 from rbx
define ptr addrspace(1) @registers(ptr addrspace(1) %a, i64 %i) uwtable gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) ["gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %d)]
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %d2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  store ptr addrspace(1) %a2, ptr addrspace(1) %d2
  ret ptr addrspace(1) %d2
}

; At a poll the references stay in the registers of the arguments: the call preserves them all.
; CHECK-LABEL: function poll:
; CHECK-NEXT: cfa rsp + 16, poll
; CHECK-NEXT: root rsi
; CHECK-NEXT: root rdi
define void @poll(ptr addrspace(1) %a, ptr addrspace(1) %b) uwtable gc "statepoint-example" {
  %t = call preserve_allcc token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 3390701569, i32 0, ptr elementtype(void ()) @cairn_poll_slow, i32 0, i32 0, i32 0, i32 0) ["gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b)]
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %b2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 1, i32 1)
  store ptr addrspace(1) %a2, ptr addrspace(1) %b2
  ret void
}

; More references than registers: the rest lies in the frame. Null is not a root; an id of one's own
; is kept.
; CHECK-LABEL: function spill:
; CHECK-NEXT: cfa rsp + [[#]],{{.*}} rbp at cfa - 16,{{.*}} r15 at cfa - 24, id 42
; CHECK-COUNT-5: root r
; CHECK-COUNT-3: root [rsp + [[#]]]
; CHECK-NOT: root
define void @spill(ptr %p) uwtable gc "statepoint-example" {
  %a = load volatile ptr addrspace(1), ptr %p
  %b = load volatile ptr addrspace(1), ptr %p
  %c = load volatile ptr addrspace(1), ptr %p
  %d = load volatile ptr addrspace(1), ptr %p
  %e = load volatile ptr addrspace(1), ptr %p
  %f = load volatile ptr addrspace(1), ptr %p
  %g = load volatile ptr addrspace(1), ptr %p
  %h = load volatile ptr addrspace(1), ptr %p
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 42, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) ["gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d, ptr addrspace(1) %e, ptr addrspace(1) %f, ptr addrspace(1) %g, ptr addrspace(1) %h, ptr addrspace(1) null)]
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %b2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 1, i32 1)
  %c2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 2, i32 2)
  %d2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 3, i32 3)
  %e2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 4, i32 4)
  %f2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 5, i32 5)
  %g2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 6, i32 6)
  %h2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 7, i32 7)
  %n2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 8, i32 8)
  store volatile ptr addrspace(1) %a2, ptr %p
  store volatile ptr addrspace(1) %b2, ptr %p
  store volatile ptr addrspace(1) %c2, ptr %p
  store volatile ptr addrspace(1) %d2, ptr %p
  store volatile ptr addrspace(1) %e2, ptr %p
  store volatile ptr addrspace(1) %f2, ptr %p
  store volatile ptr addrspace(1) %g2, ptr %p
  store volatile ptr addrspace(1) %h2, ptr %p
  store volatile ptr addrspace(1) %n2, ptr %p
  ret void
}

; A derived reference whose base is not used afterwards: the base's place is a root all the same.
; CHECK-LABEL: function base_unused:
; CHECK-NEXT: cfa
; CHECK-NEXT: root [[BASE:r[0-9a-z]+]]
; CHECK-NEXT: derived r{{[0-9a-z]+}} from [[BASE]]
; CHECK-NOT: root
define ptr addrspace(1) @base_unused(ptr addrspace(1) %a, i64 %i) uwtable gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) ["gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %d)]
  %d2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %d2
}

; Over-aligned with a dynamic alloca: the frame address is at RBP, slots at RBX.
; CHECK-LABEL: function aligned:
; CHECK-NEXT: cfa rbp + 16, rbx at cfa - [[#]], rbp at cfa - 16
; CHECK: area [rbx + [[#]]], count 2, stride 8
define void @aligned(i64 %n) uwtable gc "statepoint-example" {
  %x = alloca [2 x ptr addrspace(1)], align 64
  %y = alloca i8, i64 %n
  store [2 x ptr addrspace(1)] zeroinitializer, ptr %x
  call void asm sideeffect "", "r,~{memory}"(ptr %x)
  call void asm sideeffect "", "r,~{memory}"(ptr %y)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) ["deopt"(i64 4846245170083810383, i64 1, ptr %x, i64 2, i64 8, i64 1, i64 0, i64 7)]
  ret void
}

; Arguments that are pushed for the call belong to the frame at that safepoint only; the slot's
; offset counts them.
; CHECK-LABEL: function pushes:
; CHECK-NEXT: cfa rsp + 32, rbx at cfa - 16
; CHECK-NEXT: root rbx
declare void @many(i64, i64, i64, i64, i64, i64, i64, i64)
define void @pushes(ptr addrspace(1) %a, i64 %n) uwtable optsize gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void (i64, i64, i64, i64, i64, i64, i64, i64)) @many, i32 8, i32 0, i64 %n, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 %n, i32 0, i32 0) ["gc-live"(ptr addrspace(1) %a)]
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  store i64 0, ptr addrspace(1) %a2
  ret void
}

; A patchable statepoint is no call yet, but no-ops of any length; an undefined reference and one
; derived from null are no roots.
; CHECK-LABEL: function patchable:
; CHECK-NEXT: cfa rsp + {{.*}}, id 7
; CHECK-NEXT: root r14
; CHECK-NOT: root
; CHECK: cfa rsp + {{.*}}, id 8
; CHECK-NEXT: root r14
; CHECK-NOT: root
define ptr addrspace(1) @patchable(ptr addrspace(1) %a, i64 %i) uwtable gc "statepoint-example" {
  %n = getelementptr i8, ptr addrspace(1) null, i64 %i
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 11, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) ["gc-live"(ptr addrspace(1) undef, ptr addrspace(1) null, ptr addrspace(1) %n, ptr addrspace(1) %a)]
  %u2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %n2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 1, i32 2)
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 3, i32 3)
  store ptr addrspace(1) %n2, ptr addrspace(1) %a2
  %t2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 8, i32 1, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) ["gc-live"(ptr addrspace(1) %a2)]
  %a3 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t2, i32 0, i32 0)
  ret ptr addrspace(1) %a3
}

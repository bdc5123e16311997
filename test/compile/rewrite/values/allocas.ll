; Address-taken locals that hold references are zeroed and escaped at entry, lose their lifetime
; markers, and every statepoint describes them (abi.def). Wrong: a local that is not described keeps
; a stale reference; one that is not zeroed gives the collector garbage; without the escape the
; optimiser forwards the stored reference over the statepoint.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='default<O3>' -S \
; RUN:   | FileCheck %s --check-prefix=O3
; RUN: %cairn opt -p rewrite-statepoints %s | llc -O3 -max-registers-for-gc-values=256 \
; RUN:   -fixup-allow-gcptr-in-csr=true -verify-machineinstrs -o /dev/null
%pair = type { ptr addrspace(1), i64 }
%mix = type { i64, [3 x ptr addrspace(1)], i32 }
declare void @foo(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: define void @locals
; CHECK-NEXT: %x = alloca ptr addrspace(1)
; CHECK-NEXT: %arr = alloca [4 x %pair]
; CHECK-NEXT: %mix = alloca %mix
; CHECK-NEXT: %bytes = alloca [32 x i8], align 8
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr align 8 %x, i8 0, i64 8, i1 false)
; CHECK-NEXT: call void asm sideeffect "", "r,~{memory}"(ptr %x)
; CHECK: %n = alloca i64
; CHECK-NOT: lifetime
; CHECK: @foo, i32 1, i32 0, ptr null, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 4, ptr %x, i64 1, i64 8, i64 1, i64 0, ptr %arr, i64 4, i64 16, i64 1, i64 0, ptr %mix, i64 3, i64 8, i64 1, i64 8, ptr %bytes, i64 3, i64 8, i64 1, i64 8, i64 22), "gc-live"(ptr addrspace(1) %a) ]
; The user's own deopt state comes first.
; CHECK: @foo, {{.*}} [ "deopt"(i32 7, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5, i64 4846245170083810383, i64 4, ptr %x, {{.*}}, i64 22) ]
define void @locals(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = alloca ptr addrspace(1)
  %n = alloca i64
  call void @foo(ptr null)
  %arr = alloca [4 x %pair]
  %mix = alloca %mix
  %bytes = alloca [32 x i8]
  call void @llvm.lifetime.start.p0(ptr %x)
  store ptr addrspace(1) %a, ptr %x
  call void @foo(ptr %x)
  call void @llvm.lifetime.end.p0(ptr %x)
  %g = getelementptr i8, ptr %bytes, i64 8
  store ptr addrspace(1) %a, ptr %g
  call void @llvm.memcpy.p0.p0.i64(ptr %bytes, ptr %mix, i64 32, i1 0)
  call void @foo(ptr %arr) [ "deopt"(i32 7) ]
  ret void
}

; The load after the call stays a load: what was stored may have moved.
; O3-LABEL: define ptr addrspace(1) @reload
; O3: store ptr addrspace(1) %a, ptr %x
; O3: "deopt"(i64 4846245170083810383, i64 1, {{(nonnull )?}}ptr {{.*}}%x, i64 1, i64 8, i64 1, i64 0, i64 7)
; O3: [[L:%.*]] = load ptr addrspace(1), ptr %x
; O3: ret ptr addrspace(1) [[L]]
define ptr addrspace(1) @reload(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = alloca ptr addrspace(1)
  store ptr addrspace(1) %a, ptr %x
  call void @foo(ptr null)
  %l = load ptr addrspace(1), ptr %x
  ret ptr addrspace(1) %l
}

; Without a statepoint, nothing is described.
; CHECK-LABEL: define ptr addrspace(1) @quiet
; CHECK-NOT: asm
; CHECK: ret
define ptr addrspace(1) @quiet(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = alloca ptr addrspace(1)
  store ptr addrspace(1) %a, ptr %x
  %l = load ptr addrspace(1), ptr %x
  ret ptr addrspace(1) %l
}

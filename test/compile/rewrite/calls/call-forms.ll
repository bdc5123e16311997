; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
; RUN: llc -O0 -verify-machineinstrs %t.ll -o /dev/null
; RUN: llc -O2 -verify-machineinstrs %t.ll -o /dev/null
; What a call asks for beside its callee and arguments reaches its statepoint; what would be a lie
; about a collection does not.

declare void @foo()
declare i64 @value(i64)
declare zeroext i8 @byte(i8 signext)
declare void @directed() "statepoint-id"="11" "statepoint-num-patch-bytes"="5" "deopt-lowering"="live-in"
declare void @memory(ptr, ptr, ptr)
declare ptr addrspace(1) @reference(ptr addrspace(1))

; The call site wins over the function.
; CHECK-LABEL: define ptr addrspace(1) @directives
; CHECK: statepoint.p0(i64 11, i32 5, ptr elementtype(void ()) {{(null|@directed)}}, i32 0, i32 2, i32 0, i32 0)
; CHECK: statepoint.p0(i64 12, i32 5, ptr elementtype(void ()) {{(null|@directed)}}, i32 0, i32 0, i32 0, i32 0)
; CHECK: statepoint.p0(i64 2882400000, i32 0, {{.*}} @foo, i32 0, i32 3, i32 0, i32 0) [ "deopt"(ptr addrspace(1) %p{{.*}}), "gc-transition"(i64 1)
define ptr addrspace(1) @directives(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @directed()
  call void @directed() "statepoint-id"="12" "deopt-lowering"="live-through"
  call void @foo() "deopt-lowering"="live-in" [ "deopt"(ptr addrspace(1) %p), "gc-transition"(i64 1) ]
  ret ptr addrspace(1) %p
}

; CHECK-LABEL: define i8 @attributes
; CHECK: elementtype(i8 (i8)) @byte, i32 1, i32 0, i8 signext %b, i32 0, i32 0)
; CHECK: call zeroext i8 @llvm.experimental.gc.result.i8
; CHECK: elementtype(i64 (i64)) @value, i32 1, i32 0, i64 noundef range(i64 0, 10) %n, i32 0, i32 0)
; CHECK: call noundef range(i64 1, 5) i64 @llvm.experimental.gc.result.i64
; CHECK: elementtype(ptr addrspace(1) (ptr addrspace(1))) @reference, i32 1, i32 0, ptr addrspace(1) nonnull %p{{.*}}, i32 0, i32 0)
; CHECK: call nonnull align 16 ptr addrspace(1) @llvm.experimental.gc.result.p1
define i8 @attributes(i8 %b, i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  %r = call zeroext i8 @byte(i8 signext %b)
  %v = call noundef range(i64 1, 5) i64 @value(i64 noundef range(i64 0, 10) %n)
  %q = call nonnull align 16 dereferenceable(8) noalias ptr addrspace(1) @reference(ptr addrspace(1) nonnull readonly captures(none) %p)
  store i64 %v, ptr addrspace(1) %q
  ret i8 %r
}

; A collection writes the locals that are described to it, whatever the callee does with them.
; CHECK-LABEL: define void @frames
; CHECK: elementtype(void (ptr, ptr, ptr)) @memory, i32 3, i32 0, ptr sret(i64) %b, ptr %a, ptr %a, i32 0, i32 0)
define void @frames(ptr %b) gc "statepoint-example" {
  %a = alloca ptr addrspace(1)
  call void @memory(ptr sret(i64) writable dead_on_unwind %b, ptr noalias readonly captures(none) %a, ptr initializes((0, 8)) writeonly %a)
  ret void
}

; CHECK-LABEL: define void @conventions
; CHECK: call fastcc token
; CHECK: call coldcc token
; CHECK: call preserve_mostcc token
; CHECK: call preserve_allcc token
; CHECK: call swiftcc token {{.*}}i64 swiftself 1
; CHECK: call cxx_fast_tlscc token
; CHECK: call tailcc token
; CHECK: call swifttailcc token
; CHECK: call preserve_nonecc token
; CHECK: call win64cc token
; CHECK: call x86_regcallcc token
define void @conventions(ptr %f) gc "statepoint-example" {
  call fastcc void %f()
  call coldcc void %f()
  call preserve_mostcc void %f()
  call preserve_allcc void %f()
  call swiftcc void %f(i64 swiftself 1)
  call cxx_fast_tlscc void %f()
  call tailcc void %f()
  call swifttailcc void %f()
  call preserve_nonecc void %f()
  call win64cc void %f()
  call x86_regcallcc void %f()
  ret void
}

; Assembly is a leaf; so is a callbr of it, and what its ways out use needs no relocation.
; CHECK-LABEL: define i64 @assembly
; CHECK: callbr void asm sideeffect
; CHECK: call i64 asm "nop"
; CHECK-NOT: statepoint
define i64 @assembly(i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  callbr void asm sideeffect "testq $0, $0; jne ${1:l}", "r,!i"(i64 %n) to label %on [label %off]
on:
  %r = call i64 asm "nop", "=r,0"(i64 %n)
  ret i64 %r
off:
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

; References live over a safepoint before a callbr, on both ways out.
; CHECK-LABEL: define i64 @assembly_after
; CHECK: callbr
; CHECK: off:
; CHECK: %p.relocated = call coldcc ptr addrspace(1)
; CHECK-NEXT: load i64, ptr addrspace(1) %p.relocated
define i64 @assembly_after(i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  callbr void asm sideeffect "testq $0, $0; jne ${1:l}", "r,!i"(i64 %n) to label %on [label %off]
on:
  ret i64 1
off:
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

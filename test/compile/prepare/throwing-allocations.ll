; An invoke of an allocation function calls a new function, which LLVM neither inlines nor finds to be nounwind, so that
; the landing pad stays. What would go wrong: an allocation loses its layout, its length, its metadata or its pad.
; RUN: %cairn opt -p prepare -S -o - %s | FileCheck %s
; RUN: %cairn-cc -O3 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=CODE
; RUN: not %cairn opt -p layouts,allocate -S -o - %s 2>&1 | FileCheck %s --check-prefix=SKIPPED
target triple = "x86_64-unknown-linux-gnu"
%node = type { ptr addrspace(1), i64 }
@node = internal constant %node zeroinitializer
@word = internal constant i64 0
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_resize_array(ptr, ptr addrspace(1), i64)
declare i32 @__gcc_personality_v0(...)

; SKIPPED: an invoke of an allocation function; run pass prepare first [invoke]

define ptr addrspace(1) @f(i64 %n) gc "statepoint-example" personality ptr @__gcc_personality_v0 {
; CHECK-LABEL: define ptr addrspace(1) @f(
; CHECK: invoke ptr addrspace(1) @cairn.throwing.cairn_alloc(ptr null, i64 0)
; CHECK: invoke ptr addrspace(1) @cairn.throwing.cairn_alloc_array(ptr null, i64 %n)
; CHECK: invoke ptr addrspace(1) @cairn.throwing.cairn_resize_array(ptr null, ptr addrspace(1) %array, i64 %n)
; CODE-LABEL: define {{.*}}ptr addrspace(1) @f(
; CODE-COUNT-3: invoke {{.*}}token {{.*}}@cairn.throwing.
; CODE: landingpad
  %one = invoke ptr addrspace(1) @cairn_alloc(ptr @node, i64 16) to label %a unwind label %pad
a:
  %array = invoke ptr addrspace(1) @cairn_alloc_array(ptr @word, i64 %n) to label %b unwind label %pad
b:
  store ptr addrspace(1) %array, ptr addrspace(1) %one
  %more = invoke ptr addrspace(1) @cairn_resize_array(ptr @word, ptr addrspace(1) %array, i64 %n) to label %c unwind label %pad
c:
  store ptr addrspace(1) %more, ptr addrspace(1) %one
  ret ptr addrspace(1) %one
pad:
  %l = landingpad { ptr, i32 } cleanup
  ret ptr addrspace(1) null
}

; CHECK: define internal ptr addrspace(1) @cairn.throwing.cairn_alloc(ptr %0, i64 %1) [[HOW:#[0-9]+]] gc "statepoint-example"
; CHECK-NEXT: call void asm sideeffect unwind "", ""()
; CHECK-NEXT: call {{.*}}ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
; CHECK: define internal ptr addrspace(1) @cairn.throwing.cairn_alloc_array(ptr %0, i64 %1) [[HOW]]
; CHECK: call {{.*}}ptr addrspace(1) @cairn_alloc_array(ptr @word, i64 %1)
; CHECK: define internal ptr addrspace(1) @cairn.throwing.cairn_resize_array(ptr %0, ptr addrspace(1) %1, i64 %2) [[HOW]]
; CHECK: call {{.*}}ptr addrspace(1) @cairn_resize_array(ptr @word, ptr addrspace(1) %1, i64 %2)
; CHECK: attributes [[HOW]] = { {{.*}}noinline

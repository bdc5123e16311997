; RUN: %cairn opt -p rewrite-statepoints,call-targets -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: llc -O2 -filetype=obj -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true %t.ll -o %t.o
; RUN: %cairn frames --rewrite %t.o -o %t.framed.o && %cairn frames %t.framed.o | FileCheck --check-prefix=FRAMES %s
; A known native callee gets a call that preserves no register: references that are live over it are in the frame, where
; the prologue has put the callers' registers, too.

declare i64 @native(i64, i8 signext, ptr, i64, i64, i64, float, double) "cairn-native"
declare void @few(i64) "cairn-native" nounwind
declare i64 @seven(i64, i64, i64, i64, i64, i64, i64) "cairn-native"
declare void @by_value(ptr byval([3 x i64])) "cairn-native"
declare void @vector(<4 x float>) "cairn-native"
declare i32 @personality(...)

; CHECK-LABEL: define i64 @calls
; CHECK: call preserve_nonecc token {{.*}}ptr elementtype(i64 (ptr, i64, i64, i64, i64, i8, ptr, i64, i64, i64, float, double)) @cairn_call_short, i32 12, i32 0, ptr @native, i64 poison, i64 poison, i64 poison, i64 1, i8 signext 2, ptr %p, i64 4, i64 5, i64 6, float {{.*}}, double {{.*}}, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %r) ]
; FRAMES: function calls:
; FRAMES-NEXT: rbx at cfa - 56, rbp at cfa - 16, r12 at cfa - 48, r13 at cfa - 40, r14 at cfa - 32, r15 at cfa - 24
; FRAMES-NEXT: root rbp
define i64 @calls(ptr %p, ptr addrspace(1) %r) uwtable gc "statepoint-example" {
  %x = call i64 @native(i64 1, i8 signext 2, ptr %p, i64 4, i64 5, i64 6, float 1.0, double 2.0)
  %v = load i64, ptr addrspace(1) %r
  %s = add i64 %x, %v
  ret i64 %s
}

; CHECK-LABEL: define i64 @unwinds
; CHECK: invoke preserve_nonecc token {{.*}}@cairn_call_short, i32 5
; CHECK-NEXT: to label %ok unwind label %pad
define i64 @unwinds(ptr addrspace(1) %r) uwtable gc "statepoint-example" personality ptr @personality {
  invoke void @few(i64 1) to label %ok unwind label %pad
ok:
  %v = load i64, ptr addrspace(1) %r
  ret i64 %v
pad:
  %l = landingpad { ptr, i32 } cleanup
  ret i64 0
}

; Other arguments are where the stub cannot leave them.
; CHECK-LABEL: define void @others
; CHECK: call token {{.*}}@cairn_call_native, i32 8
; CHECK: call token {{.*}}@cairn_call_native, i32 2
; CHECK: call token {{.*}}@cairn_call_native, i32 2
define void @others(ptr %p) uwtable gc "statepoint-example" {
  %x = call i64 @seven(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7)
  call void @by_value(ptr byval([3 x i64]) %p)
  call void @vector(<4 x float> zeroinitializer)
  ret void
}

; A frame of unknown size is found by a register that the call would not preserve.
; CHECK-LABEL: define void @sized
; CHECK: call token {{.*}}@cairn_call_native, i32 2
define void @sized(i64 %n) uwtable gc "statepoint-example" {
  %a = alloca i8, i64 %n, align 64
  %x = ptrtoint ptr %a to i64
  call void @few(i64 %x)
  ret void
}

; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.1.ll
; RUN: %cairn opt -p tail-calls -S %t.1.ll -o %t.ll && FileCheck %s < %t.ll
; RUN: %cairn verify %t.ll
; RUN: llc -O0 -verify-machineinstrs %t.ll -o - | FileCheck --check-prefix=ASM %s
; RUN: llc -O2 -verify-machineinstrs %t.ll -o - | FileCheck --check-prefixes=ASM,OPT %s
; Tail calls for which the caller's signature has no room: without them, recursion of functions whose
; signatures differ takes stack where plain C takes none. An argument in the wrong register, or a
; caller that no longer is what its own callers call, would be a silent wrong call.

@table = global ptr @more

declare i64 @three(i64, ptr addrspace(1), i64)
declare double @floats(double, float)
declare i8 @bytes(i8 signext, i8 zeroext)
declare i64 @seven(i64, i64, i64, i64, i64, i64, i64)
declare i64 @one(i64)
declare void @foo()

; CHECK: @table = global ptr @more
; CHECK: @other_name = alias i64 (i64), ptr @more
@other_name = alias i64 (i64), ptr @more

; ---- what stays where it is comes first ----

; The seventh argument is on the stack.
; CHECK-LABEL: define i64 @too_many(i64 %n)
; CHECK: statepoint
define i64 @too_many(i64 %n) gc "statepoint-example" {
  %r = tail call i64 @seven(i64 %n, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6)
  ret i64 %r
}
; Callers pass this one's copy on the stack.
; CHECK-LABEL: define i64 @by_value(ptr byval(i64) %p)
; CHECK: statepoint
define i64 @by_value(ptr byval(i64) %p) gc "statepoint-example" {
  %n = load i64, ptr %p
  %r = tail call i64 @three(i64 %n, ptr addrspace(1) null, i64 1)
  ret i64 %r
}
; The address of a block names its function.
; CHECK-LABEL: define i64 @computed_goto(i64 %n)
; CHECK: statepoint
@place = global ptr blockaddress(@computed_goto, %there)
define i64 @computed_goto(i64 %n) gc "statepoint-example" {
  %to = load ptr, ptr @place
  indirectbr ptr %to, [label %there]
there:
  %r = tail call i64 @three(i64 %n, ptr addrspace(1) null, i64 1)
  ret i64 %r
}

; Callers call it as they always did.
; CHECK-LABEL: define i64 @caller(i64 %n)
; CHECK: statepoint{{.*}}ptr elementtype(i64 (i64)) @more
define i64 @caller(i64 %n) gc "statepoint-example" {
  %r = call i64 @more(i64 %n)
  %s = add i64 %r, 1
  ret i64 %s
}

; No room is needed, but the integer goes where the caller has a reference, and the reverse.
; CHECK-LABEL: define i64 @exchanged
; CHECK-SAME: (ptr addrspace(1) %p, i64 %n, i64 %m)
; CHECK: [[A:%.*]] = inttoptr i64 %n to ptr addrspace(1)
; CHECK: [[B:%.*]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK: musttail call i64 @three(ptr addrspace(1) [[A]], i64 [[B]], i64 %m)
; ASM-LABEL: exchanged:
; OPT: movq %rdi, %rax
; OPT-NEXT: movq %rsi, %rdi
; OPT-NEXT: movq %rax, %rsi
; ASM: jmp three
define i64 @exchanged(ptr addrspace(1) %p, i64 %n, i64 %m) gc "statepoint-example" {
  %r = tail call i64 @three(i64 %n, ptr addrspace(1) %p, i64 %m)
  ret i64 %r
}

; CHECK-LABEL: define i64 @more
; CHECK-SAME: (i64 %n, i64 %0, i64 %1) #[[ATTR:[0-9]+]] section ".text.own" align 32 gc "statepoint-example" prefix i64 7
; CHECK: musttail call i64 @three(i64 %n, i64 {{.*}}, i64 1)
; CHECK-NEXT: ret i64
; ASM-LABEL: more:
; ASM: jmp three
define i64 @more(i64 %n) nounwind section ".text.own" align 32 gc "statepoint-example" prefix i64 7 {
  %r = tail call i64 @three(i64 %n, ptr addrspace(1) null, i64 1)
  ret i64 %r
}

; Narrow parameters get wide, and the body reads them as they were.
; CHECK-LABEL: define i64 @wider
; CHECK-SAME: (i64 %n, float %f
; CHECK: [[N:%.*]] = trunc i64 %n to i32
; CHECK: zext i32 [[N]] to i64
; CHECK: musttail call i64 @three
; ASM-LABEL: wider:
; ASM: jmp three
define i64 @wider(i32 zeroext %n, float %f) gc "statepoint-example" {
  %m = zext i32 %n to i64
  %r = tail call i64 @three(i64 %m, ptr addrspace(1) null, i64 1)
  ret i64 %r
}

; CHECK-LABEL: define double @float_registers
; CHECK-SAME: (double %a, double %b)
; CHECK: bitcast double %a to <2 x float>
; CHECK: musttail call double @floats(double %{{.*}}, double {{.*}}float 2.000000e+00, float poison{{.*}})
; ASM-LABEL: float_registers:
; OPT: cvtss2sd %xmm0, %xmm0
; OPT-NEXT: movss {{.*}}, %xmm1
; ASM: jmp floats
define double @float_registers(float %a, double %b) gc "statepoint-example" {
  %wide = fpext float %a to double
  %r = tail call double @floats(double %wide, float 2.0)
  ret double %r
}

; A musttail call that was there follows; a byte is extended as its callee expects it.
; CHECK-LABEL: define i8 @both
; CHECK-SAME: (i64 %n, i64 %0)
; CHECK: musttail call i8 @both(i64 {{.*}}, i64 poison)
; CHECK: [[A:%.*]] = sext i8 %{{.*}} to i64
; CHECK: [[B:%.*]] = zext i8 %{{.*}} to i64
; CHECK: musttail call i8 @bytes(i64 [[A]], i64 [[B]])
; ASM-LABEL: both:
; ASM-DAG: jmp both
; ASM-DAG: jmp bytes
define i8 @both(i32 %n) gc "statepoint-example" {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  %r = musttail call i8 @both(i32 1)
  ret i8 %r
b:
  %t = trunc i32 %n to i8
  %u = lshr i8 %t, 1
  %s = tail call i8 @bytes(i8 signext %t, i8 zeroext %u)
  ret i8 %s
}

; The promise that the callee is managed stays: without it the call tests the callee.
; CHECK-LABEL: define i64 @promised
; CHECK: musttail call i64 %f({{.*}}) #[[PROMISE:[0-9]+]]
; CHECK: musttail call i64 %f({{.*}}) #[[PROMISE]]
define i64 @promised(ptr %f, i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %a, label %b
a:
  %r = tail call i64 %f(ptr null) "cairn-managed-callee"
  ret i64 %r
b:
  %s = tail call i64 %f(ptr null, i64 1, i64 2) "cairn-managed-callee"
  ret i64 %s
}

; CHECK: attributes #[[ATTR]] = { nounwind }
; CHECK: attributes #[[PROMISE]] = { "cairn-managed-callee" }

; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: not %cairn verify --time-to-safepoint --poll-budget=20 %s | FileCheck %s --check-prefix=TIME
; A poll where an address is at large as an integer would leave it behind, so that the function could
; not be compiled. It stays long then, which is said.

declare i64 @leaf(i64) "gc-leaf-function" "cairn-work"="30000"
declare void @half() "cairn-work"="30000"

; CHECK-LABEL: define i64 @hidden
; CHECK: %k = ptrtoint
; CHECK-NOT: threadlocal.address
; CHECK: ret i64
; TIME: @hidden: no safepoint, through 45.01 us (90018)
; TIME-NEXT: path: 45.01 us (90018): the longest path adds up to that
define i64 @hidden(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  %k = ptrtoint ptr addrspace(1) %p to i64
  %a = call i64 @leaf(i64 %n)
  %b = call i64 @leaf(i64 %a)
  %c = call i64 @leaf(i64 %b)
  %s = add i64 %k, %c
  ret i64 %s
}

; Nor where an object is half made.
; CHECK-LABEL: define void @allocates
; CHECK: %mutator = call
; CHECK-NEXT: %free = load
; CHECK-NEXT: call i64 @leaf
; CHECK-NEXT: call i64 @leaf
; CHECK-NEXT: call i64 @leaf
; CHECK-NEXT: store
@cairn_mutator = external thread_local(localexec) global [128 x i8]
define void @allocates(i64 %n) gc "statepoint-example" {
entry:
  call void @half()
  br label %next
next:
  %mutator = call ptr @llvm.threadlocal.address.p0(ptr @cairn_mutator)
  %free = load i64, ptr %mutator
  %a = call i64 @leaf(i64 %n)
  %b = call i64 @leaf(i64 %a)
  %c = call i64 @leaf(i64 %b)
  store i64 %free, ptr %mutator
  ret void
}
declare ptr @llvm.threadlocal.address.p0(ptr)

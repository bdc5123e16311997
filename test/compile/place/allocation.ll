; RUN: %cairn opt -p place-safepoints --polls=entry,backedge -S %s | FileCheck %s
; An allocation in line takes the free pointer, compares it, and puts the new one back: a poll in
; the midst of it could collect, and the object would then be made in the space that was left.
@cairn_mutator = external thread_local global [192 x i8]
; CHECK-LABEL: define i64 @allocates

; CHECK: load volatile
; CHECK: %free = load i64
define i64 @allocates(i64 %limit) gc "statepoint-example" {
  %mutator = call ptr @llvm.threadlocal.address.p0(ptr @cairn_mutator)
  %field = getelementptr i8, ptr %mutator, i64 8
  %free = load i64, ptr %field
  %end = add i64 %free, 24
  %full = icmp ugt i64 %end, %limit
  br i1 %full, label %slow, label %fast
fast:
  store i64 %end, ptr %field
  ret i64 %free
slow:
  ret i64 0
}

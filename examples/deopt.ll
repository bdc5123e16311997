; SPDX-License-Identifier: Apache-2.0
;
; The compiled function of examples/deopt.c, by hand: total() adds visit(value) of each item. The compiler has guessed
; that no value is negative, which a guard tests, and that there is no bonus, which an invalidation tells.
;
; A record: its 8 operands, language 1 with the kind of the pending result, function 1, index, 2 locals, no removed
; object; the locals `list` and `sum`. Index 0 is the head of the loop; index 1 is the return of visit().

%item = type { ptr addrspace(1), i64 }

declare void @llvm.experimental.guard(i1, ...)
declare i64 @visit(i64) "cairn-managed"

define i64 @total(ptr addrspace(1) %first) gc "statepoint-example" {
entry:
  br label %head

head:
  %list = phi ptr addrspace(1) [ %first, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %end = icmp eq ptr addrspace(1) %list, null
  br i1 %end, label %done, label %body

body:
  %field = getelementptr %item, ptr addrspace(1) %list, i64 0, i32 1
  %value = load i64, ptr addrspace(1) %field
  %fits = icmp sge i64 %value, 0
  call void (i1, ...) @llvm.experimental.guard(i1 %fits, i64 1) [ "deopt"(
    i64 4847652539576877064, i64 1, i64 1, i64 0, i64 2, i64 0, ptr addrspace(1) %list, i64 %sum) ]
  %result = call i64 @visit(i64 %value) [ "deopt"(
    i64 4847652539576877064, i64 65537, i64 1, i64 1, i64 2, i64 0, ptr addrspace(1) %list, i64 %sum) ]
  %more = add i64 %sum, %result
  %next = load ptr addrspace(1), ptr addrspace(1) %list
  br label %head

done:
  ret i64 %sum
}

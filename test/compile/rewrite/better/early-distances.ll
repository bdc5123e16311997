; A derived reference that is live into a landing pad, before the optimiser. What would go wrong: its
; distance from its base is formed of two addresses as integers, and the optimiser forms the sum of
; addresses from both sides of a safepoint.
; RUN: %cairn opt --safepoints=early -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s --check-prefix=LATE
; RUN: %cairn-cc -O2 -fcairn-safepoints=early -c %s -o %t.o
; CHECK-LABEL: @loop(
; CHECK-NOT: ptrtoint
; CHECK: call i64 @cairn.ptrdiff(ptr addrspace(1)
; CHECK-NOT: ptrtoint
; LATE: ptrtoint
; LATE-NOT: @cairn.ptrdiff
declare void @native()

define void @loop(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" personality ptr null {
entry:
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %n
  br label %again
again:
  %a = phi ptr addrspace(1) [ %p, %entry ], [ %q, %again ]
  invoke void @native() to label %again unwind label %pad
pad:
  %d = phi ptr addrspace(1) [ %a, %again ], [ %d, %pad ]
  %t = landingpad token cleanup
  invoke void @native() to label %out unwind label %pad
out:
  store i64 1, ptr addrspace(1) %d
  ret void
}

; A call with patch bytes stays, though its callee is defined here: inlined, the region would be gone without a word.
; RUN: %cairn-cc -O2 -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s
; CHECK-COUNT-2: statepoint
; CHECK-NOT: statepoint
@counter = global i64 0

define void @slowly() gc "statepoint-example" {
  %n = load i64, ptr @counter
  %m = add i64 %n, 1
  store i64 %m, ptr @counter
  ret void
}

define i64 @guarded(i64 %n) gc "statepoint-example" {
  call void @slowly() "statepoint-id"="79" "statepoint-num-patch-bytes"="5"
  call void @slowly() "statepoint-id"="80"
  call void @slowly() "statepoint-id"="81" "statepoint-num-patch-bytes"="13"
  ret i64 %n
}

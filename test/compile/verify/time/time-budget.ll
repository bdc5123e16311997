; RUN: %cairn verify --time-to-safepoint %s | FileCheck %s
; RUN: %cairn verify --time-to-safepoint --poll-budget=3 %s | FileCheck %s
; RUN: not %cairn verify --time-to-safepoint --poll-budget=2 %s | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: not %cairn verify --time-to-safepoint --json --poll-budget=2 %s | FileCheck %s --check-prefix=JSON
; What has a bound is no finding, unless a budget is given and it is more than twice that.

; CHECK: {{^}}@loop: no safepoint, through 5.00 us (10002)
; TWO-NEXT: loop %loop: 5.00 us (10000): a pass does 100 units, and all that follow on it 9900
; JSON: "function": "loop"{{.*}} "causes": [{"kind": "loop", "where": "%loop", {{.*}}, "work": 10000}]}
define void @loop() gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  call void @work() "cairn-work"="92"
  %n = add i64 %i, 1
  %c = icmp eq i64 %n, 100
  br i1 %c, label %out, label %loop
out:
  ret void
}
declare void @work() "gc-leaf-function"

; CHECK: {{^}}@path: no safepoint, through 5.01 us (10016)
; TWO-NEXT: path: 5.01 us (10016): the longest path adds up to that
define void @path() gc "statepoint-example" {
  call void @unknown()
  call void @unknown()
  call void @unknown()
  call void @unknown()
  call void @unknown() "cairn-work"="1990"
  ret void
}
declare void @unknown()

; CHECK: {{^}}@long_call: no safepoint, through 5.00 us (10001)
; TWO-NEXT: call @long: 5.00 us (10000): it takes as long as its arguments say
define void @long_call() gc "statepoint-example" {
  call void @long()
  ret void
}
declare void @long() "gc-leaf-function" "cairn-work"="9995"

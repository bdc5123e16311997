; RUN: opt -passes='function(place-safepoints),rewrite-statepoints-for-gc' -S %s -o %t.ll
; RUN: not %cairn verify --time-to-safepoint %t.ll | FileCheck %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints -S %s -o %t.ours.ll
; RUN: %cairn verify --time-to-safepoint --poll-budget=20 %t.ours.ll | FileCheck %s --check-prefix=OURS
; What LLVM's own place-safepoints leaves without a bound, and that nothing of it is left in ours.

@flag = external global i64
declare void @do_safepoint()
declare void @foo()
define void @gc.safepoint_poll() {
  %f = load volatile i64, ptr @flag
  %c = icmp eq i64 %f, 0
  br i1 %c, label %out, label %slow
slow:
  call void @do_safepoint()
  br label %out
out:
  ret void
}

; 2147483647 passes fit 32 bits, so LLVM places no poll: a second at least.
; CHECK: {{^}}@long (slow.c:1): enter 0.00 us (3), between 0.00 us (0), leave {{[0-9]+}}.{{[0-9]+}} us
; CHECK-NEXT: {{^}}  slow.c:3:3: loop %loop: {{[0-9.]+}} us ({{[0-9]+}}): a pass does 5 units, and all that follow on it 10737418{{[0-9]+}}
; OURS: {{^}}@long (slow.c:1): enter 0.00 us ({{[0-9]+}}), between {{[0-9.]+}} us
define i64 @long(ptr %p) gc "statepoint-example" !dbg !5 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %x = load volatile i64, ptr %p
  %t = add i64 %s, %x
  %n = add i64 %i, 1
  %c = icmp eq i64 %n, 2147483647
  br i1 %c, label %out, label %loop, !dbg !7
out:
  ret i64 %t
}

; The same with a bound that nobody knows: also without a poll, as long as it is of 32 bits.
; CHECK: {{^}}@any (slow.c:10):
; CHECK-NEXT: {{^}}  slow.c:12:3: loop %loop: unbounded: only the running program knows how often it goes round
; OURS: {{^}}@any (slow.c:10):
define i64 @any(ptr %p, i32 %m) gc "statepoint-example" !dbg !6 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %x = load volatile i64, ptr %p
  %t = add i64 %s, %x
  %n = add nsw i32 %i, 1
  %c = icmp slt i32 %n, %m
  br i1 %c, label %loop, label %out, !dbg !8
out:
  ret i64 %t
}

; LLVM takes the call for a safepoint, though @foo may never come to one.
; CHECK: {{^}}@calls:
; CHECK-NEXT: loop %loop: unbounded: it ends when the data says so, and the call of @foo need not come to a safepoint
; OURS: {{^}}@calls:
define void @calls(ptr %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  call void @foo()
  %x = load volatile i1, ptr %p
  br i1 %x, label %loop, label %out
out:
  ret void
}

; Where LLVM polls, it is seen.
; CHECK: {{^}}@polled: enter 0.00 us (3), between 0.00 us (6), leave 0.00 us (3)
; OURS: {{^}}@polled:
define void @polled(ptr %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %x = load volatile i1, ptr %p
  br i1 %x, label %loop, label %out
out:
  ret void
}
; OURS-NOT: :

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "slow.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{}
!5 = distinct !DISubprogram(name: "long", scope: !1, file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DISubprogram(name: "any", scope: !1, file: !1, line: 10, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!7 = !DILocation(line: 3, column: 3, scope: !5)
!8 = !DILocation(line: 12, column: 3, scope: !6)

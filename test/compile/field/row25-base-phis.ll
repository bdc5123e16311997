; Field row 25: LLVM 22 makes a base phi per derived phi. Ours makes one for those that share their flow,
; and none where all inputs have one base or where the phi itself is a base.
; RUN: opt -passes=rewrite-statepoints-for-gc -S %s | grep -c '= phi ptr addrspace(1)' > %t.llvm
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
; RUN: grep -c '= phi ptr addrspace(1)' %t.ll > %t.ours
; RUN: python3 -c "import sys; a, b = (int(open(f).read()) for f in sys.argv[1:]); assert a <= b, (a, b)" %t.ours %t.llvm
declare void @foo()
; CHECK-LABEL: define i64 @bases_only(
; CHECK-NOT: .base
; CHECK: ret i64
define i64 @bases_only(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %a, label %join
a:
  br label %join
join:
  %m = phi ptr addrspace(1) [ %p, %entry ], [ %q, %a ]
  %n = phi ptr addrspace(1) [ %p, %entry ], [ %q, %a ]
  call void @foo()
  %v = load i64, ptr addrspace(1) %m
  %w = load i64, ptr addrspace(1) %n
  %s = add i64 %v, %w
  ret i64 %s
}
; CHECK-LABEL: define i64 @derived(
; CHECK: ret i64
define i64 @derived(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c, i64 %i, i64 %j) gc "statepoint-example" {
entry:
  %pi = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %pj = getelementptr i8, ptr addrspace(1) %p, i64 %j
  br i1 %c, label %a, label %join
a:
  %qi = getelementptr i8, ptr addrspace(1) %q, i64 %i
  %qj = getelementptr i8, ptr addrspace(1) %q, i64 %j
  br label %join
join:
  %m = phi ptr addrspace(1) [ %pi, %entry ], [ %qi, %a ]
  %n = phi ptr addrspace(1) [ %pj, %entry ], [ %qj, %a ]
  call void @foo()
  %v = load i64, ptr addrspace(1) %m
  %w = load i64, ptr addrspace(1) %n
  %s = add i64 %v, %w
  ret i64 %s
}

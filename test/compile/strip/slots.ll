; Slots are values again, and a reference that was read as its base and a distance is the reference
; that it was: what an optimiser finds of distances is arithmetic on addresses, which it hoists over
; calls that are safepoints again later.

; RUN: %cairn opt -p rewrite-statepoints --slots=always -S %s -o %t.ll
; RUN: FileCheck --check-prefix=REWRITTEN %s < %t.ll
; RUN: %cairn opt -p strip-statepoints -S %t.ll | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints --safepoints=early -S %s -o %t.early.ll
; RUN: FileCheck --check-prefix=EARLY %s < %t.early.ll
; RUN: %cairn opt -p strip-statepoints -S %t.early.ll | FileCheck %s
; RUN: %cairn opt -p 'strip-statepoints,default<O2>,rewrite-statepoints,verify-safepoints' %t.ll \
; RUN:   -o /dev/null

declare void @foo()
declare i32 @personality(...)
declare ptr addrspace(1) @make()

; The phi in the pad is a slot and a distance in a local of its own.
; REWRITTEN-LABEL: define i64 @pads(
; REWRITTEN: ptrtoint
; REWRITTEN: store i64
; EARLY-LABEL: define i64 @pads(
; EARLY: call i64 @cairn.ptrdiff(
; CHECK-LABEL: define i64 @pads(
; CHECK-NOT: alloca
; CHECK-NOT: ptrtoint
; CHECK-NOT: call i64 @cairn.ptrdiff
; CHECK: pad:
; CHECK-NEXT: [[PHI:%.*]] = phi ptr addrspace(1) [ %e, %next ], [ %d, %entry ]
; CHECK-NEXT: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: load i64, ptr addrspace(1) [[PHI]]
define i64 @pads(ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) gc "statepoint-example" personality ptr @personality {
entry:
  %d = getelementptr i64, ptr addrspace(1) %b, i64 %n
  invoke void @foo() to label %next unwind label %pad

next:
  %e = getelementptr i64, ptr addrspace(1) %c, i64 %n
  invoke void @foo() to label %done unwind label %pad

done:
  ret i64 0

pad:
  %phi = phi ptr addrspace(1) [ %d, %entry ], [ %e, %next ]
  %x = landingpad { ptr, i32 } cleanup
  call void @foo()
  %v = load i64, ptr addrspace(1) %phi
  ret i64 %v
}

; The derived phi alone crosses, in a loop that each round steps it.
; CHECK-LABEL: define i64 @loop(
; CHECK-NOT: alloca
; CHECK-NOT: ptrtoint
; CHECK: ret i64
define i64 @loop(ptr addrspace(1) %b, i64 %n) gc "statepoint-example" {
entry:
  br label %head

head:
  %p = phi ptr addrspace(1) [ %b, %entry ], [ %q, %head ]
  call void @foo()
  %q = getelementptr i64, ptr addrspace(1) %p, i64 %n
  %v = load i64, ptr addrspace(1) %q
  %c = icmp eq i64 %v, 0
  br i1 %c, label %out, label %head

out:
  ret i64 %v
}

; The second slot alone is zeroed, and not any more.
; REWRITTEN-LABEL: define void @partly(
; REWRITTEN: getelementptr inbounds i8, ptr %slots, i64 8
; REWRITTEN: memset
; CHECK-LABEL: define void @partly(
; CHECK-NEXT: call void @foo()
define void @partly(ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
  call void @foo()
  br i1 %c, label %a, label %b1

a:
  %x = call ptr addrspace(1) @make()
  call void @foo()
  store i64 1, ptr addrspace(1) %x
  br label %b1

b1:
  store i64 1, ptr addrspace(1) %b
  ret void
}

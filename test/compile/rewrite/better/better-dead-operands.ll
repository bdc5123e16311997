; A reference that a call is given and nobody needs after it is not listed, unless the call or its callee has
; attribute "cairn-live-operands", a gc-live bundle names it, or the optimisation is off, as in LLVM's own pass
; (where it always is). Wrong: a callee that keeps no record of its own, and collects, under which the object goes.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=dead-operands -S %s -o %t.off.ll && FileCheck %s --check-prefix=OFF < %t.off.ll
; RUN: opt -passes='verify<safepoint-ir>' -disable-output %t.ll
; RUN: opt -passes='verify<safepoint-ir>' -disable-output %t.off.ll
; RUN: for w in sink recompute liveness share-bases; do for s in never always; do \
; RUN:   %cairn opt -p rewrite-statepoints,verify-safepoints --without=dead-operands,$w --slots=$s --disable-output %s 2> %t.out || { cat %t.out; exit 1; }; done; done
; RUN: %cairn opt -p rewrite-statepoints,strip-statepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck --check-prefix=AGAIN %s
; RUN: for o in 0 2; do llc -O$o -filetype=obj %t.ll -o %t.o && llvm-readobj --stackmap %t.o | FileCheck --check-prefix=MAP %s || exit 1; done
; RUN: %build/test/cairn-mutate %t.ll %t.off.ll | FileCheck --check-prefix=MUTANTS %s
; MUTANTS: dead-operand {{ *[1-9][0-9]*}} mutants, 0 refused by LLVM, 0 missed
; MUTANTS: , 0 missed
declare void @f(ptr addrspace(1))
declare void @listing(ptr addrspace(1)) "cairn-live-operands"
declare i64 @g(ptr addrspace(1), ptr addrspace(1))
declare void @h()
declare i32 @personality(...)

; CHECK-LABEL: define void @dies
; CHECK-NOT: gc-live
; CHECK: ret void
; OFF-LABEL: define void @dies
; OFF: elementtype(void (ptr addrspace(1))) @f, {{.*}} [ "gc-live"(ptr addrspace(1) %p) ]
; OFF-NEXT: gc.relocate
define void @dies(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @f(ptr addrspace(1) %p)
  ret void
}

; By the callee; it is no tail call, for then there would be nobody to list it.
; CHECK-LABEL: define void @by_callee
; CHECK: @listing, {{.*}} [ "gc-live"(ptr addrspace(1) %p) ]
; CHECK-NEXT: gc.relocate
; AGAIN-LABEL: define void @by_callee
; AGAIN: @listing, {{.*}} [ "gc-live"(ptr addrspace(1) %p) ]
; MAP: 5 locations:
define void @by_callee(ptr addrspace(1) %p) gc "statepoint-example" {
  tail call void @listing(ptr addrspace(1) %p)
  ret void
}

; By the call: of a derived pointer, the object.
; CHECK-LABEL: define i64 @by_call
; CHECK: @g, {{.*}} [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %q) ]
; CHECK-NEXT: gc.result
; CHECK-NEXT: gc.relocate
; CHECK-NEXT: gc.relocate
; MAP: 7 locations:
define i64 @by_call(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %q, i64 16
  %x = call i64 @g(ptr addrspace(1) %p, ptr addrspace(1) %d) "cairn-live-operands"
  ret i64 %x
}

; By name, whatever the call is given.
; CHECK-LABEL: define void @by_name
; CHECK: @h, {{.*}} [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %q) ]
; MAP: 7 locations:
define void @by_name(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %q, i64 16
  call void @h() [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %d, ptr addrspace(1) null) ]
  ret void
}

; In a loop, of a pointer that walks, and at an invoke.
; CHECK-LABEL: define void @round
; CHECK: @listing, {{.*}} [ "gc-live"(ptr addrspace(1) %moved, ptr addrspace(1) %s) ]
; MAP: 7 locations:
define void @round(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
e:
  br label %l
l:
  %i = phi i64 [ 0, %e ], [ %j, %l ]
  %s = phi ptr addrspace(1) [ %p, %e ], [ %d, %l ]
  call void @listing(ptr addrspace(1) %s)
  %d = getelementptr i8, ptr addrspace(1) %s, i64 16
  %j = add i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %l, label %m
m:
  ret void
}

; CHECK-LABEL: define void @invoked
; CHECK: @listing, {{.*}} [ "gc-live"(ptr addrspace(1) %p) ]
; MAP: 5 locations:
define void @invoked(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  invoke void @listing(ptr addrspace(1) %p) to label %ok unwind label %pad
ok:
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}

; Null and what does not move need no entry.
; CHECK-LABEL: define void @fixed
; CHECK-NOT: gc-live
; CHECK: ret void
define void @fixed(ptr addrspace(1) "cairn-immovable" %p) gc "statepoint-example" {
  call void @listing(ptr addrspace(1) %p)
  call void @listing(ptr addrspace(1) null)
  ret void
}

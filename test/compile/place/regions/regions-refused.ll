; What may come to a safepoint where none may be, and regions that do not close, are errors, all of them
; said before anything is changed; and the verifier finds the same in a module that came another way.
; Wrong: a collection in the middle of what must be one step, without a word.
; RUN: split-file %s %t
; RUN: not %cairn opt -p place-safepoints %t/calls.ll -o /dev/null 2>&1 | FileCheck --check-prefix=CALLS %s
; RUN: not %cairn opt -p place-safepoints %t/shape.ll -o /dev/null 2>&1 | FileCheck --check-prefix=SHAPE %s
; RUN: not %cairn opt -p place-safepoints %t/marker.ll -o /dev/null 2>&1 | FileCheck --check-prefix=MARKER %s
; RUN: not %cairn opt -p rewrite-statepoints,verify-safepoints %t/calls.ll -o /dev/null 2>&1 \
; RUN:   | FileCheck --check-prefix=VERIFY %s
; RUN: not %cairn opt -p rewrite-statepoints,verify-safepoints %t/shape.ll -o /dev/null 2>&1 \
; RUN:   | FileCheck --check-prefix=VSHAPE %s

;--- calls.ll
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare void @foo()
declare ptr addrspace(1) @cairn_alloc_slow(ptr, i64)
; CALLS: in function 'inside': call to @foo may come to a safepoint, in a region without any; move it out [nopoll-safepoint]
; CALLS: in function 'allocates': an allocation may come to a safepoint, in a region
; CALLS: in function 'indirect': indirect call may come to a safepoint
; CALLS: in function 'whole': call to @foo may come to a safepoint, in a function without any; move it out [nopoll-safepoint]
; CALLS-NOT: error
; VERIFY: in function 'inside': {{.*}}@foo{{.*}} is a safepoint in a region that must have none [nopoll-safepoint]
; VERIFY: in function 'allocates': {{.*}} region
; VERIFY: in function 'indirect': {{.*}} region
; VERIFY: in function 'whole': {{.*}} function that must have none [nopoll-safepoint]
; VERIFY-NOT: error
define void @inside() gc "statepoint-example" {
  call void @foo()
  call void @cairn.nopoll.begin()
  call void @foo()
  call void @cairn.nopoll.end()
  call void @foo()
  ret void
}
define ptr addrspace(1) @allocates() gc "statepoint-example" {
  call void @cairn.nopoll.begin()
  %p = call ptr addrspace(1) @cairn_alloc_slow(ptr null, i64 8)
  call void @cairn.nopoll.end()
  ret ptr addrspace(1) %p
}
define void @indirect(ptr %f, i1 %c) gc "statepoint-example" {
  call void @cairn.nopoll.begin()
  br i1 %c, label %a, label %b
a:
  call void %f()
  br label %b
b:
  call void @cairn.nopoll.end()
  ret void
}
define void @whole() "cairn-nopoll" gc "statepoint-example" {
  call void @foo()
  ret void
}

;--- shape.ll
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare void @foo()
; SHAPE: in function 'open': the function is left in a region without safepoints [nopoll-region]
; SHAPE: in function 'closed': a region without safepoints ends that has not begun [nopoll-region]
; SHAPE: in function 'sometimes': from here on a region without safepoints is open on some paths and not on others [nopoll-region]
; SHAPE: in function 'growing': from here on
; SHAPE-NOT: in function 'unmanaged'
; VSHAPE: in function 'open': the function is left in a region without safepoints [nopoll-region]
; VSHAPE: in function 'closed': a region without safepoints ends that has not begun [nopoll-region]
; VSHAPE: in function 'sometimes': {{.*}} is a safepoint in a region
; VSHAPE: in function 'growing': the function is left in a region
define void @open(i1 %c) gc "statepoint-example" {
  call void @foo()
  call void @cairn.nopoll.begin()
  br i1 %c, label %a, label %b
a:
  call void @cairn.nopoll.end()
  ret void
b:
  ret void
}
define void @closed() gc "statepoint-example" {
  call void @cairn.nopoll.end()
  ret void
}
define void @sometimes(i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  call void @cairn.nopoll.begin()
  br label %b
b:
  call void @foo()
  br i1 %c, label %d, label %e
d:
  call void @cairn.nopoll.end()
  br label %e
e:
  ret void
}
define void @growing(i1 %c) gc "statepoint-example" {
  br label %head
head:
  call void @cairn.nopoll.begin()
  br i1 %c, label %head, label %e
e:
  ret void
}
define void @unmanaged() {
  call void @cairn.nopoll.begin()
  ret void
}

;--- marker.ll
; MARKER: @cairn.nopoll.begin is not declared as void (), without a body [nopoll-region]
; MARKER: @cairn.nopoll.end is used other than by a call [nopoll-region]
declare void @cairn.nopoll.begin(i32)
declare void @cairn.nopoll.end()
define ptr @f() gc "statepoint-example" {
  call void @cairn.nopoll.begin(i32 1)
  ret ptr @cairn.nopoll.end
}

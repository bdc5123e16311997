; Phis that choose nothing, at places of their own: before a catchswitch, before a landing pad, of the
; result of an invoke, of what is undefined. Wrong: a use that its definition does not dominate, or a
; phi that stands for itself.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --slots=always -S %s | opt -passes=verify -disable-output
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify,verify<safepoint-ir>' -disable-output
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare ptr addrspace(1) @make()

; Round a loop through the handler: only one reference there is, in one slot.
; CHECK-LABEL: define ptr addrspace(1) @handler
; CHECK: %slots = alloca [1 x ptr addrspace(1)]
; CHECK-NOT: phi
; CHECK: ret ptr addrspace(1)
define ptr addrspace(1) @handler(ptr addrspace(1) %a) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  br label %try
try:
  %q = phi ptr addrspace(1) [ %a, %entry ], [ %p, %back ]
  invoke void @foo() to label %more unwind label %switch
more:
  invoke void @foo() to label %exit unwind label %switch
exit:
  ret ptr addrspace(1) %q
switch:
  %p = phi ptr addrspace(1) [ %q, %try ], [ %q, %more ]
  %s = catchswitch within none [label %catch] unwind to caller
catch:
  %c = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %c to label %back
back:
  br label %try
}

; CHECK-LABEL: define ptr addrspace(1) @result
; CHECK: %moved = phi ptr addrspace(1)
; CHECK: "gc-live"(ptr addrspace(1) %moved) ]
; CHECK: ret ptr addrspace(1) %x.relocated
define ptr addrspace(1) @result(i1 %c) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %x = invoke ptr addrspace(1) @make() to label %loop unwind label %pad
loop:
  %p = phi ptr addrspace(1) [ %x, %entry ], [ %p, %latch ]
  call void @foo()
  br label %latch
latch:
  br i1 %c, label %loop, label %exit
exit:
  ret ptr addrspace(1) %p
pad:
  %l = landingpad token cleanup
  ret ptr addrspace(1) null
}

; CHECK-LABEL: define { ptr addrspace(1), i64 } @pair
; CHECK: landingpad
; CHECK: ret { ptr addrspace(1), i64 }
define { ptr addrspace(1), i64 } @pair({ ptr addrspace(1), i64 } %a) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  invoke void @foo() to label %normal unwind label %pad
normal:
  ret { ptr addrspace(1), i64 } %a
pad:
  %p = phi { ptr addrspace(1), i64 } [ %a, %entry ]
  %l = landingpad token cleanup
  call void @foo()
  ret { ptr addrspace(1), i64 } %p
}

; CHECK-LABEL: define ptr addrspace(1) @undefined
; CHECK: @foo, i32 0, i32 0, i32 0, i32 0){{$}}
define ptr addrspace(1) @undefined(i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %x, label %y
x:
  br label %y
y:
  %p = phi ptr addrspace(1) [ undef, %x ], [ undef, %entry ]
  %n = phi ptr addrspace(1) [ null, %x ], [ null, %entry ]
  call void @foo()
  %s = select i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %n
  ret ptr addrspace(1) %s
}

; A phi that chooses nothing is what comes into it: several edges of one switch, and the exit of a
; loop in LCSSA form, over which the GEP is computed again.
; CHECK-LABEL: define void @edges
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: "gc-live"(ptr addrspace(1) %a.relocated) ]
; CHECK: [[D:%.*]] = getelementptr i8, ptr addrspace(1) %a.relocated{{.*}}, i64 8
; CHECK: call void @use(ptr addrspace(1) [[D]])
define void @edges(ptr addrspace(1) %a, i32 %n) gc "statepoint-example" {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @foo()
  switch i32 %n, label %x [
    i32 1, label %y
    i32 2, label %y
  ]
x:
  ret void
y:
  %q = phi ptr addrspace(1) [ %d, %entry ], [ %d, %entry ]
  call void @foo()
  call void @use(ptr addrspace(1) %q)
  ret void
}

; One that such a phi leaves with nothing to choose, too; round a loop that need not be entered at
; one place.
; CHECK-LABEL: define void @ring
; CHECK-NOT: phi
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: call void @use(ptr addrspace(1) %a.relocated)
define void @ring(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %x, label %y
x:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %p, %x ], [ %q, %y ]
  br i1 %c, label %x, label %exit
y:
  %q = phi ptr addrspace(1) [ %a, %entry ], [ %r, %z ]
  br i1 %c, label %x, label %z
z:
  %r = phi ptr addrspace(1) [ %q, %y ]
  br label %y
exit:
  %s = phi ptr addrspace(1) [ %p, %x ]
  call void @foo()
  call void @use(ptr addrspace(1) %s)
  ret void
}

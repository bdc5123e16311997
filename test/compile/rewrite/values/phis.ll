; Phis that choose nothing, at places of their own: before a catchswitch, before a landing pad, of the
; result of an invoke, of what is undefined. Wrong: a use that its definition does not dominate, or a
; phi that stands for itself.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --slots=always -S %s | opt -passes=verify -disable-output
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=merge-derived -S %s | opt -passes=verify -disable-output
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify,verify<safepoint-ir>' -disable-output
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare void @foo()
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

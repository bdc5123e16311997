; Funclets, at which LLVM's own pass crashes. A call inside a funclet is a parse point with its "funclet"
; bundle; what is live into a handler is loaded where it is used, for a block with a catchswitch has no room.
; Wrong: a statepoint without its funclet, which the code generator takes for unreachable; a load or a store in
; a block with a catchswitch; the phi of another edge.
; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t
; RUN: FileCheck %s <%t
; RUN: opt -passes='verify,function(verify<safepoint-ir>)' -disable-output %t
; RUN: %cairn verify %t
; RUN: llc -verify-machineinstrs -o /dev/null %t
; RUN: llc -verify-machineinstrs -O0 -o /dev/null %t
; RUN: %cairn opt -p rewrite-statepoints --slots=always -S %s -o %t.slots
; RUN: opt -passes='verify,function(verify<safepoint-ir>)' -disable-output %t.slots
; RUN: %cairn verify %t.slots
; RUN: llc -verify-machineinstrs -o /dev/null %t.slots
target datalayout = "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-windows-msvc"
declare void @foo(ptr addrspace(1))
declare ptr addrspace(1) @make()
declare void @use(ptr addrspace(1), ptr addrspace(1))
declare i32 @__CxxFrameHandler3(...)


; CHECK-LABEL: define ptr addrspace(1) @catches
; CHECK: dispatch:
; CHECK-NEXT: %cs = catchswitch within none [label %handler, label %handler2] unwind label %cleanup
; CHECK: %cp = catchpad
; CHECK-NEXT: call token {{.*}}@make{{.*}} "funclet"(token %cp) ]
; CHECK: invoke token {{.*}}@use{{.*}} "funclet"(token %cp) ]
; CHECK-NEXT: to label %cret unwind label %cleanup
; CHECK: %cl = cleanuppad within none []
; CHECK-NEXT: load ptr addrspace(1)
; CHECK: call token {{.*}}@use{{.*}} "funclet"(token %cl) ]
define ptr addrspace(1) @catches(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  invoke void @foo(ptr addrspace(1) %b) to label %ok unwind label %dispatch
ok:
  %r = invoke ptr addrspace(1) @make() to label %join unwind label %dispatch
dispatch:
  %cs = catchswitch within none [label %handler, label %handler2] unwind label %cleanup
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  %m = call ptr addrspace(1) @make() [ "funclet"(token %cp) ]
  call void @use(ptr addrspace(1) %a, ptr addrspace(1) %d) [ "funclet"(token %cp) ]
  invoke void @use(ptr addrspace(1) %m, ptr addrspace(1) %d) [ "funclet"(token %cp) ] to label %cret unwind label %cleanup
cret:
  catchret from %cp to label %join
handler2:
  %cp2 = catchpad within %cs [ptr null, i32 64, ptr null]
  catchret from %cp2 to label %join
join:
  %p = phi ptr addrspace(1) [ %r, %ok ], [ %m, %cret ], [%b, %handler2]
  call void @use(ptr addrspace(1) %p, ptr addrspace(1) %a)
  ret ptr addrspace(1) %p
cleanup:
  %cl = cleanuppad within none []
  call void @use(ptr addrspace(1) %a, ptr addrspace(1) %b) [ "funclet"(token %cl) ]
  cleanupret from %cl unwind to caller
}

; The phis of a catchswitch are stored before the invokes, and loaded in the pads after it into slots that no
; later invoke writes to.
; CHECK-LABEL: define ptr addrspace(1) @phis
; CHECK: store ptr addrspace(1) %a, ptr %slots,
; CHECK: invoke
; CHECK: dispatch:
; CHECK-NEXT: %cs = catchswitch
; CHECK: %cp = catchpad
; CHECK: [[V:%.*]] = load ptr addrspace(1), ptr %slots,
; CHECK: store ptr addrspace(1) [[V]]
; CHECK: cleanup:
; CHECK-NEXT: %cl = cleanuppad
define ptr addrspace(1) @phis(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  invoke void @foo(ptr addrspace(1) %b) to label %ok unwind label %dispatch
ok:
  %r = invoke ptr addrspace(1) @make() to label %ok2 unwind label %dispatch
ok2:
  invoke void @foo(ptr addrspace(1) %r) to label %join unwind label %dispatch
dispatch:
  %q = phi ptr addrspace(1) [ %a, %entry ], [ %b, %ok ], [ %r, %ok2 ]
  %e = phi ptr addrspace(1) [ %d, %entry ], [ %b, %ok ], [ %r, %ok2 ]
  %cs = catchswitch within none [label %handler] unwind label %cleanup
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  call void @use(ptr addrspace(1) %q, ptr addrspace(1) %e) [ "funclet"(token %cp) ]
  catchret from %cp to label %join
join:
  %p = phi ptr addrspace(1) [ %r, %ok2 ], [ %q, %handler ]
  call void @use(ptr addrspace(1) %p, ptr addrspace(1) %a)
  ret ptr addrspace(1) %p
cleanup:
  %x = phi ptr addrspace(1) [ %e, %dispatch ]
  %cl = cleanuppad within none []
  call void @use(ptr addrspace(1) %x, ptr addrspace(1) %q) [ "funclet"(token %cl) ]
  cleanupret from %cl unwind to caller
}

; What a phi takes from a catchswitch is stored where that is entered from.
; CHECK-LABEL: define void @chain
; CHECK: store ptr addrspace(1) %a, ptr %slots
; CHECK: invoke token {{.*}}@foo
; CHECK: store ptr addrspace(1) {{.*}}, ptr %slots
; CHECK: invoke token {{.*}}@make
; CHECK: dispatch:
; CHECK-NEXT: %cs = catchswitch
; CHECK: %cl = cleanuppad
; CHECK-NEXT: load ptr addrspace(1), ptr %slots
define void @chain(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  invoke void @foo(ptr addrspace(1) %b) to label %ok unwind label %dispatch
ok:
  %r = invoke ptr addrspace(1) @make() to label %ok2 unwind label %cleanup
ok2:
  ret void
dispatch:
  %cs = catchswitch within none [label %handler] unwind label %cleanup
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  catchret from %cp to label %ok2
cleanup:
  %x = phi ptr addrspace(1) [ %d, %dispatch ], [ %b, %ok ]
  %cl = cleanuppad within none []
  call void @use(ptr addrspace(1) %x, ptr addrspace(1) %x) [ "funclet"(token %cl) ]
  cleanupret from %cl unwind to caller
}

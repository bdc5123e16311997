; What would have to be loaded where funclets leave no room. Wrong: the value of another path, or of before the
; safepoint.
; RUN: not %cairn opt -p rewrite-statepoints -S %s -o %t 2>%t.err
; RUN: FileCheck %s <%t.err
target triple = "x86_64-pc-windows-msvc"
declare void @foo(ptr addrspace(1))
declare i32 @__CxxFrameHandler3(...)

; The cleanup is also entered from an invoke after the handler, where the slot of %q may hold another value.
; CHECK: in function 'shared': {{.*}} [funclet-phi]
define void @shared(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @foo(ptr addrspace(1) %b) to label %ok unwind label %dispatch
ok:
  invoke void @foo(ptr addrspace(1) %b) to label %done unwind label %dispatch
dispatch:
  %q = phi ptr addrspace(1) [ %a, %entry ], [ %b, %ok ]
  %cs = catchswitch within none [label %handler] unwind label %cleanup
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  invoke void @foo(ptr addrspace(1) %q) [ "funclet"(token %cp) ] to label %end unwind label %cleanup
end:
  catchret from %cp to label %done
done:
  ret void
cleanup:
  %cl = cleanuppad within none []
  call void @foo(ptr addrspace(1) %q) [ "funclet"(token %cl) ]
  cleanupret from %cl unwind to caller
}

; CHECK: in function 'argument': {{.*}} [funclet-argument]
define void @argument(ptr addrspace(1) %a) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @foo(ptr addrspace(1) %a) to label %ok unwind label %cleanup
ok:
  ret void
cleanup:
  %cl = cleanuppad within none [ptr addrspace(1) %a]
  cleanupret from %cl unwind to caller
}

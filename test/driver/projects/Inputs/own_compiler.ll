; A language with references in two address spaces and a poll of its own.
declare void @my_collector()
@wanted = external global i8

define void @gc.safepoint_poll() {
  %flag = load volatile i8, ptr @wanted
  %asked = icmp ne i8 %flag, 0
  br i1 %asked, label %collect, label %done
collect:
  call void @my_collector()
  br label %done
done:
  ret void
}

define ptr addrspace(2) @longest(ptr addrspace(2) %list, ptr addrspace(1) %other) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(2) [ %list, %entry ], [ %next, %loop ]
  %next = load ptr addrspace(2), ptr addrspace(2) %at
  %end = icmp eq ptr addrspace(2) %next, null
  br i1 %end, label %done, label %loop
done:
  store ptr addrspace(2) %at, ptr addrspace(1) %other
  ret ptr addrspace(2) %at
}

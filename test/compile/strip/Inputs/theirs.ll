declare void @foo()
declare i32 @personality(...)
declare ptr addrspace(1) @make(ptr addrspace(1))

define ptr addrspace(1) @loop(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %a = phi ptr addrspace(1) [ %p, %entry ], [ %b, %latch ]
  %g = getelementptr i8, ptr addrspace(1) %a, i64 %n
  call void @foo() [ "deopt"(i32 1, ptr addrspace(1) %g) ]
  br i1 %c, label %one, label %latch
one:
  %m = call ptr addrspace(1) @make(ptr addrspace(1) %a) "statepoint-id"="9"
  br label %latch
latch:
  %b = phi ptr addrspace(1) [ %a, %loop ], [ %m, %one ]
  %x = load i1, ptr addrspace(1) %g
  store i1 true, ptr addrspace(1) %q
  br i1 %x, label %loop, label %exit
exit:
  ret ptr addrspace(1) %b
}

define void @calls(ptr addrspace(1) %p, ptr %f) gc "coreclr" {
  %v = call ptr addrspace(1) %f(ptr addrspace(1) %p)
  call void @foo() [ "gc-transition"(i32 4) ]
  %w = call ptr addrspace(1) @loop(ptr addrspace(1) %v, ptr addrspace(1) %p, i1 true, i64 3)
  store i8 0, ptr addrspace(1) %w
  ret void
}

; What a front end makes that knows LLVM's statepoints and nothing of Cairn.

%cell = type { ptr addrspace(1), i64 }

declare ptr addrspace(1) @make(i64, ptr addrspace(1))     ; compiled by cairn-cc
declare i64 @weigh(i64, ptr)                               ; native; calls back

define ptr addrspace(1) @build(i64 %n) uwtable gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %more, %loop ]
  %list = phi ptr addrspace(1) [ null, %entry ], [ %longer, %loop ]
  %weight = call i64 @weigh(i64 %i, ptr @garbage)
  %longer = call ptr addrspace(1) @make(i64 %weight, ptr addrspace(1) %list)
  %more = add i64 %i, 1
  %again = icmp slt i64 %more, %n
  br i1 %again, label %loop, label %done

done:
  ret ptr addrspace(1) %longer
}

; Called by native code, with references in its callers' frames.
define i64 @garbage(i64 %n) noinline uwtable gc "statepoint-example" {
  %cell = call ptr addrspace(1) @make(i64 %n, ptr addrspace(1) null)
  %other = call ptr addrspace(1) @make(i64 1, ptr addrspace(1) %cell)
  %sum = call i64 @sum(ptr addrspace(1) %other)
  ret i64 %sum
}

define i64 @sum(ptr addrspace(1) %list) noinline uwtable gc "statepoint-example" {
  %end = icmp eq ptr addrspace(1) %list, null
  br i1 %end, label %none, label %some

some:
  %next = load ptr addrspace(1), ptr addrspace(1) %list
  %rest = call i64 @sum(ptr addrspace(1) %next)
  %field = getelementptr %cell, ptr addrspace(1) %list, i64 0, i32 1
  %value = load i64, ptr addrspace(1) %field
  %sum = add i64 %rest, %value
  ret i64 %sum

none:
  ret i64 0
}

; What could go wrong: calls of other functions are counted, or those after the first block are not.
; RUN: %cairn opt -p count-allocations --report --disable-output %s 2>&1 | FileCheck %s
@node = internal constant { ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @other(ptr, i64)

; CHECK: remark: {{.*}}has 2 allocation calls [allocations]
define void @two(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 8)
  br i1 %c, label %more, label %end
more:
  %b = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 8)
  br label %end
end:
  ret void
}

; CHECK: remark: {{.*}}has 0 allocation calls [allocations]
define void @none() gc "statepoint-example" {
  %a = call ptr addrspace(1) @other(ptr @node, i64 8)
  ret void
}

; CHECK-NOT: allocation calls
define void @native() {
  ret void
}

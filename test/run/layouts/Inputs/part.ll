; A module that allocates cells: the test replaces LAYOUT, TYPE and SIZE, and PART in the names of functions.
%cell = type { ptr addrspace(1), i64 }
%opaque = type opaque
@cell.layout = LAYOUT
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_resize_array(ptr, ptr addrspace(1), i64)

define ptr addrspace(1) @cons_PART(i64 %value, ptr addrspace(1) %next) gc "statepoint-example" {
  %cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 SIZE)
  store ptr addrspace(1) %next, ptr addrspace(1) %cell
  %field = getelementptr i8, ptr addrspace(1) %cell, i64 8
  store i64 %value, ptr addrspace(1) %field
  ret ptr addrspace(1) %cell
}

define ptr addrspace(1) @array_PART(i64 %count) gc "statepoint-example" {
  %array = call ptr addrspace(1) @cairn_alloc_array(ptr @cell.layout, i64 %count)
  %longer = add i64 %count, 1
  %r = call ptr addrspace(1) @cairn_resize_array(ptr @cell.layout, ptr addrspace(1) %array, i64 %longer)
  ret ptr addrspace(1) %r
}

!0 = !{!"cons cell", !1, !2}
!1 = !{!"FIRST", i64 0}
!2 = !{!"value", i64 8}

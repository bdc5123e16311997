; Allocations with a layout that the program makes at run time, by its address and by its name.
%opaque = type opaque
@named = external constant %opaque
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)

define ptr addrspace(1) @make(ptr %layout) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc(ptr %layout, i64 0)
  ret ptr addrspace(1) %r
}
define ptr addrspace(1) @make_array(ptr %layout, i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array(ptr %layout, i64 %n)
  ret ptr addrspace(1) %r
}
define ptr addrspace(1) @make_flexible(ptr %layout, i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_flex(ptr %layout, i64 %n)
  ret ptr addrspace(1) %r
}
define ptr addrspace(1) @make_bytes(ptr %layout, i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr %layout, i64 %n)
  ret ptr addrspace(1) %r
}
define ptr addrspace(1) @make_named() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc(ptr @named, i64 0)
  ret ptr addrspace(1) %r
}

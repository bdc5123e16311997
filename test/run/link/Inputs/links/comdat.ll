; comdat_cons() is in the units of both: the linker keeps one copy, with the map of that copy.
; comdat_unused_UNIT() is needed by nobody.
%node = type { ptr addrspace(1), i64 }
@layout = internal constant %node zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
$comdat_cons = comdat any

define linkonce_odr ptr addrspace(1) @comdat_cons(ptr addrspace(1) %list, i64 %value) noinline comdat gc "statepoint-example" {
  %node = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store ptr addrspace(1) %list, ptr addrspace(1) %node
  %field = getelementptr %node, ptr addrspace(1) %node, i64 0, i32 1
  store i64 %value, ptr addrspace(1) %field
  ret ptr addrspace(1) %node
}

define ptr addrspace(1) @comdat_UNIT(ptr addrspace(1) %list, i64 %value) gc "statepoint-example" {
  %first = call ptr addrspace(1) @comdat_cons(ptr addrspace(1) %list, i64 %value)
  %second = call ptr addrspace(1) @comdat_cons(ptr addrspace(1) %first, i64 %value)
  store ptr addrspace(1) %list, ptr addrspace(1) %second
  ret ptr addrspace(1) %first
}

define hidden ptr addrspace(1) @comdat_unused_UNIT(ptr addrspace(1) %list) gc "statepoint-example" {
  %a = call ptr addrspace(1) @comdat_cons(ptr addrspace(1) %list, i64 1)
  %b = call ptr addrspace(1) @comdat_cons(ptr addrspace(1) %a, i64 2)
  store ptr addrspace(1) %a, ptr addrspace(1) %b
  ret ptr addrspace(1) %a
}

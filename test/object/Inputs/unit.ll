; One unit of a program of two: a function of its own, one that nobody calls, one that both units
; have.
declare void @g(ptr addrspace(1))
$shared = comdat any
define linkonce_odr ptr addrspace(1) @shared(ptr addrspace(1) %a) uwtable comdat gc "statepoint-example" {
  call void @g(ptr addrspace(1) %a)
  ret ptr addrspace(1) %a
}
define ptr addrspace(1) @UNIT(ptr addrspace(1) %a) uwtable gc "statepoint-example" {
  call void @g(ptr addrspace(1) %a)
  %b = call ptr addrspace(1) @shared(ptr addrspace(1) %a)
  ret ptr addrspace(1) %a
}
define ptr addrspace(1) @unused_UNIT(ptr addrspace(1) %a) uwtable gc "statepoint-example" {
  call void @g(ptr addrspace(1) %a)
  call void @g(ptr addrspace(1) %a)
  ret ptr addrspace(1) %a
}

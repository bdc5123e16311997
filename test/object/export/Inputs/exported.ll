; Functions whose frame maps are written in the formats of other runtimes.
declare void @foo()
define ptr addrspace(1) @keep(ptr addrspace(1) %p, ptr addrspace(1) %q) uwtable gc "statepoint-example" {
  call void @foo()
  store volatile i64 1, ptr addrspace(1) %q
  call void @foo()
  store volatile i64 1, ptr addrspace(1) %q
  ret ptr addrspace(1) %p
}
define internal ptr addrspace(1) @local(ptr addrspace(1) %p) noinline uwtable gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %p
}
@table = global ptr @local

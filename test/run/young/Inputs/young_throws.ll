; SPDX-License-Identifier: Apache-2.0
; The end of young_throws.test's program.

declare i32 @cairn_throw(i64, ptr addrspace(1))
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"

define void @raise_5(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 %n)
  %s = call i32 @cairn_throw(i64 5, ptr addrspace(1) %b)
  ret void
}

define i64 @caught_5(ptr %unused) noinline gc "statepoint-example" {
  %e = call ptr addrspace(1) @cairn_thrown()
  %v = load i64, ptr addrspace(1) %e
  ret i64 %v
}

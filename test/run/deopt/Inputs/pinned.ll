; SPDX-License-Identifier: Apache-2.0
; A compiled function of the language 9 that has an open scope of a pin at its call (<cairn/pin.h>).

@place = private constant [9 x i8] c"pinned.l\00"

declare ptr @cairn_pin_scope_at(ptr addrspace(1), ptr) "gc-leaf-function"
declare void @cairn_unpin_scope_at(ptr addrspace(1), ptr) "gc-leaf-function"
declare i64 @marks_caller(i64) "cairn-managed"

define i64 @calls_pinned(ptr addrspace(1) %o, i64 %n) noinline gc "statepoint-example" {
  %address = call ptr @cairn_pin_scope_at(ptr addrspace(1) %o, ptr @place)
  %r = call i64 @marks_caller(i64 %n) ["deopt"(
    i64 4847652539576877063, i64 65545, i64 4, i64 7, i64 1, i64 0, i64 %n)]
  call void @cairn_unpin_scope_at(ptr addrspace(1) %o, ptr @place)
  ret i64 %r
}

; SPDX-License-Identifier: Apache-2.0
; Compiled functions that catch exceptions, for catch.c. Their language has the number 9.

declare i32 @__gxx_personality_v0(...)
declare i64 @throws_marked(i64, ptr addrspace(1)) "cairn-managed"
declare i64 @calls_later(i64) "cairn-managed"
declare void @polls_often(i64) "cairn-managed"
declare i64 @is_jumped_to(i64)

; Index 0 waits for the call that throws, index 1 for the call after the catch.
define i64 @catches(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  %r = invoke i64 @throws_marked(i64 %n, ptr addrspace(1) %o) ["deopt"(
    i64 4847652539576877064, i64 65545, i64 9, i64 0, i64 2, i64 0, i64 %n, ptr addrspace(1) %o)]
    to label %good unwind label %caught

good:
  ret i64 %r

caught:
  %unused = landingpad { ptr, i32 } catch ptr null
  call void @polls_often(i64 10)
  %s = call i64 @calls_later(i64 %n) ["deopt"(
    i64 4847652539576877064, i64 65545, i64 9, i64 1, i64 2, i64 0, i64 %n, ptr addrspace(1) %o)]
  %bad = add i64 %s, 1000000
  ret i64 %bad
}

; Calls native code that a jump returns to.
define i64 @calls_native(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %r = call i64 @is_jumped_to(i64 %n) ["deopt"(
    i64 4847652539576877064, i64 65545, i64 9, i64 2, i64 2, i64 0, i64 %n, ptr addrspace(1) %o)]
  %bad = add i64 %r, 1000000
  ret i64 %bad
}

; Cleans up, and passes the exception on.
define i64 @cleans_up(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  %r = invoke i64 @throws_marked(i64 %n, ptr addrspace(1) %o) ["deopt"(
    i64 4847652539576877064, i64 65545, i64 9, i64 0, i64 2, i64 0, i64 %n, ptr addrspace(1) %o)]
    to label %good unwind label %passes

good:
  ret i64 %r

passes:
  %e = landingpad { ptr, i32 } cleanup
  call void @polls_often(i64 10)
  resume { ptr, i32 } %e
}

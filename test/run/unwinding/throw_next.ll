; RUN: %cairn-cc -O2 %s -o %t && %t && env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t
; RUN: %cairn frames %t | FileCheck %s
; A throw to a landing pad that begins at the return address, because the call never returns. Wrong: the throw takes
; the distance 0 for a call without a landing pad, and finds no activation that catches.
; CHECK-LABEL: function main
; CHECK: +[[AT:0x[0-9a-f]+]]: {{.*}}landing pad +[[AT]],

declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare i32 @cairn_throw(i64, ptr addrspace(1))
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
declare void @exit(i32) noreturn
declare i32 @__gcc_personality_v0(...)

define internal void @raise() noinline noreturn gc "statepoint-example" {
  %s = call i32 @cairn_throw(i64 1, ptr addrspace(1) null)
  call void @exit(i32 %s)
  unreachable
}

define i32 @main() gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  call void @cairn.span.begin(i64 1, ptr null)
  invoke void @raise() to label %none unwind label %pad
none:
  unreachable
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 1)
  ret i32 0
}

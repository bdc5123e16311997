; SPDX-License-Identifier: Apache-2.0
; Functions of a language with the number 7, whose records have objects that the code does not allocate. Layout 0 is
; struct node { struct node *next, *other; long value; }, 1 is struct node *[], 2 is long [], 3 is
; struct small { bool odd; short half; float f; double d; }. The first operand of a record is DEOPT_FRAME << 32, or
; DEOPT_OBJECTS << 32, and the number of its operands.

declare void @cairn_deoptimize(i64)
declare ptr addrspace(1) @gives(i64) "cairn-managed"

define internal void @leave(i64 %n, i64 %m, ptr addrspace(1) %o) alwaysinline gc "statepoint-example" {
  %odd = trunc i64 %n to i1
  %half = trunc i64 %m to i16
  %d = sitofp i64 %n to double
  %f = fptrunc double %d to float
  call void @cairn_deoptimize(i64 5) [ "deopt"(
    i64 4847652539576877081, i64 7, i64 13, i64 41, i64 3, i64 2, i24 0, i24 1, ptr addrspace(1) %o, i64 8589934594,
    i64 4, i64 0, i64 %n, i64 24, i64 %m, i64 17179869187, i64 0, i64 0, i1 %odd, i64 2, i16 %half, i64 4, float %f,
    i64 8, double %d) ]
  ret void
}

define i64 @leaves(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %m = add i64 %n, 1
  call void @leave(i64 %n, i64 %m, ptr addrspace(1) %o) [ "deopt"(
    i64 4847652539576877075, i64 7, i64 12, i64 40, i64 5, i64 1, i64 %n, ptr addrspace(1) %o, i24 0, i24 8388608,
    i24 8388609, i64 12884901888, i64 0, i64 0, i24 8388609, i64 8, ptr addrspace(1) %o, i64 16, i64 %n,
    i64 4850168209296326675, i64 7, i64 2, i64 12884901889, i64 3, i64 0, ptr addrspace(1) %o, i64 8, i24 8388608,
    i64 16, i24 8388609, i64 12884901888, i64 0, i64 0, i24 8388609, i64 8, ptr addrspace(1) poison, i64 16, i64 %m) ]
  unreachable
}

define i64 @calls(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %m = add i64 %n, 1
  %r = call ptr addrspace(1) @gives(i64 %n) [ "deopt"(
    i64 4847652539576877075, i64 196615, i64 14, i64 40, i64 5, i64 1, i64 %n, ptr addrspace(1) %o, i24 0,
    i24 8388608, i24 8388609, i64 12884901888, i64 0, i64 0, i24 8388609, i64 8, ptr addrspace(1) %o, i64 16, i64 %n,
    i64 4850168209296326675, i64 7, i64 2, i64 12884901889, i64 3, i64 0, ptr addrspace(1) %o, i64 8, i24 8388608,
    i64 16, i24 8388609, i64 12884901888, i64 0, i64 0, i24 8388609, i64 8, ptr addrspace(1) poison, i64 16, i64 %m) ]
  ret i64 -1
}

; The difference of a reference and a null that a branch chose is what the input subtracts, whether the optimiser has
; specialised it or not; it is no address to verify-safepoints, as it is none where nothing was specialised. It was 0.
; RUN: split-file %s %t
; RUN: %cairn opt -p lower-differences -S %t/made.ll | FileCheck %t/made.ll
; RUN: %cairn opt -p lower-differences,verify-safepoints --disable-output %t/made.ll
; RUN: %cairn opt -p prepare -S %t/given.ll | FileCheck %t/given.ll
; RUN: not %cairn-cc -O2 -c %t/given.ll -o %t/given.o 2>&1 | FileCheck %s --check-prefix=REFUSED

; What the input subtracts from null is an address, whatever way null is written; it was 0. Where it
; is kept over a safepoint it is refused, elsewhere it is what it says.
; REFUSED-DAG: error: in function 'over': {{.*}}[integer-of-reference]
; REFUSED-DAG: error: in function 'negative': {{.*}}[integer-of-reference]
; REFUSED-DAG: error: in function 'made_of_zero': {{.*}}[integer-of-reference]
; REFUSED-DAG: error: in function 'behind_null': {{.*}}[integer-of-reference]
; REFUSED-NOT: 'bits'
; REFUSED-NOT: 'part'
;--- made.ll
declare i64 @cairn.ptrdiff(ptr addrspace(1), ptr addrspace(1))

define i64 @f(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %a = call i64 @cairn.ptrdiff(ptr addrspace(1) %p, ptr addrspace(1) null)
  %b = call i64 @cairn.ptrdiff(ptr addrspace(1) %p, ptr addrspace(1) %q)
  %c = add i64 %a, %b
  ret i64 %c
}
; CHECK-LABEL: define i64 @f
; CHECK-NEXT: [[N:%.*]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK-NEXT: [[A:%.*]] = sub i64 [[N]], 0, !cairn.difference
; CHECK-NEXT: [[P:%.*]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK-NEXT: [[Q:%.*]] = ptrtoint ptr addrspace(1) %q to i64
; CHECK-NEXT: [[D:%.*]] = sub i64 [[P]], [[Q]]{{$}}
; CHECK-NEXT: add i64 [[A]], [[D]]

; Kept over a safepoint it is no address.
; CHECK-LABEL: define i64 @kept
; CHECK: sub i64 0, {{%.*}}, !cairn.difference
; CHECK: ret i64 0
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define i64 @kept(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  %a = call i64 @cairn.ptrdiff(ptr addrspace(1) null, ptr addrspace(1) %p)
  %z = call i64 @cairn.ptrdiff(ptr addrspace(1) null, ptr addrspace(1) null)
  %s = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br i1 %c, label %yes, label %no
yes:
  ret i64 %a
no:
  ret i64 %z
}

;--- given.ll
; CHECK-LABEL: define i64 @over(
; CHECK-NOT: @cairn.ptrdiff
; CHECK: define i64 @bits(
declare void @foo()
define i64 @over(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) null to i64
  %d = sub i64 %i, %j
  call void @foo()
  ret i64 %d
}
define i64 @negative(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) null to i64
  %d = sub i64 %j, %i
  call void @foo()
  ret i64 %d
}
define i64 @made_of_zero(ptr addrspace(1) %p) gc "statepoint-example" {
  %n = inttoptr i64 0 to ptr addrspace(1)
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %n to i64
  %d = sub i64 %i, %j
  call void @foo()
  ret i64 %d
}
define i64 @behind_null(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) getelementptr (i8, ptr addrspace(1) null, i64 8) to i64
  %d = sub i64 %i, %j
  call void @foo()
  ret i64 %d
}
define i64 @folded(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %d = sub i64 %i, ptrtoint (ptr addrspace(1) null to i64)
  call void @foo()
  ret i64 %d
}
; Used at once: the lowest bits say how it is aligned.
; CHECK: ptrtoint ptr addrspace(1) %p to i64
define i64 @bits(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) null to i64
  %d = sub i64 %i, %j
  %b = and i64 %d, 7
  ret i64 %b
}
; Two references that one path takes from null: a difference like any other.
; CHECK-LABEL: define i64 @part(
; CHECK: call i64 @cairn.ptrdiff(ptr addrspace(1) %p, ptr addrspace(1) %q)
define i64 @part(ptr addrspace(1) %p, ptr addrspace(1) %r, i1 %c) gc "statepoint-example" {
  %q = select i1 %c, ptr addrspace(1) %r, ptr addrspace(1) null
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %q to i64
  %d = sub i64 %i, %j
  call void @foo()
  ret i64 %d
}

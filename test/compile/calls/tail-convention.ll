; RUN: %cairn opt -p lower-tailcc -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %cairn opt --report -p lower-tailcc --disable-output %s 2>&1 | FileCheck --check-prefix=SAYS %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,tail-calls,call-targets -S %t.ll -o %t.2.ll
; RUN: FileCheck --check-prefix=LATE %s < %t.2.ll
; RUN: llc-22 -O0 -verify-machineinstrs %t.2.ll -o - | FileCheck --check-prefix=ASM %s
; Local functions of tailcc and swifttailcc, of which managed code makes all uses, and whose tail calls the C convention
; has, too. Wrong: the sides of a call disagree about the bytes that the callee pops, or a tail call takes stack.

declare void @foo()
declare tailcc i64 @elsewhere(i64)
@table = global ptr @kept_address

; ---- lowered ----

; SAYS: 'lone': gets the C convention
; CHECK-LABEL: define internal i64 @lone(i64 %n, double %d, ptr addrspace(1) %p)
; CHECK: call i64 @lone(
; LATE-LABEL: define internal i64 @lone(
; LATE-NOT: alloca
; LATE: }
define internal tailcc i64 @lone(i64 %n, double %d, ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  %r = call tailcc i64 @lone(i64 %n, double %d, ptr addrspace(1) %p)
  %s = add i64 %r, 1
  ret i64 %s
}
; A group; one end of a tail call has it only marked.
; SAYS: 'even': gets the C convention
; CHECK-LABEL: define internal i1 @even(
; CHECK: musttail call i1 @odd(
; ASM-LABEL: even:
; ASM: jmp odd
define internal tailcc i1 @even(i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  %less = sub i64 %n, 1
  %r = musttail call tailcc i1 @odd(i64 %less, ptr addrspace(1) %p)
  ret i1 %r
}
; SAYS: 'odd': gets the C convention
; CHECK-LABEL: define internal i1 @odd(
; CHECK: tail call i1 @even(
; LATE-LABEL: define internal i1 @odd(
; LATE: musttail call i1 @even(
; ASM-LABEL: odd:
; ASM: jmp even
define internal tailcc i1 @odd(i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %out, label %on
on:
  %less = sub i64 %n, 1
  %r = tail call tailcc i1 @even(i64 %less, ptr addrspace(1) %p)
  br label %out
out:
  %s = phi i1 [ false, %0 ], [ %r, %on ]
  ret i1 %s
}
; SAYS: 'swift': gets the C convention
; CHECK-LABEL: define private void @swift(
define private swifttailcc void @swift(ptr addrspace(1) %p) gc "statepoint-example" {
  musttail call swifttailcc void @swift(ptr addrspace(1) %p)
  ret void
}

; ---- not lowered ----

; SAYS: 'global': keeps its convention, because other units may call it
; CHECK-LABEL: define tailcc i64 @global(
define tailcc i64 @global(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
; SAYS: 'kept_address': keeps its convention, because not all of its uses are calls by managed code
; CHECK-LABEL: define internal tailcc i64 @kept_address(
define internal tailcc i64 @kept_address(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
; SAYS: 'given_itself': keeps its convention, because not all of its uses
; CHECK-LABEL: define internal tailcc void @given_itself(
define internal tailcc void @given_itself(ptr %f) gc "statepoint-example" {
  call tailcc void @given_itself(ptr @given_itself)
  ret void
}
; SAYS: 'called_otherwise': keeps its convention, because not all of its uses
; CHECK-LABEL: define internal tailcc i64 @called_otherwise(
define internal tailcc i64 @called_otherwise(i64 %n) gc "statepoint-example" {
  %r = call tailcc i64 @called_otherwise()
  ret i64 %r
}
; SAYS: 'from_native': keeps its convention, because not all of its uses
; CHECK-LABEL: define internal tailcc i64 @from_native(
; CHECK-LABEL: define i64 @native(
; CHECK: call tailcc i64 @from_native(
define internal tailcc i64 @from_native(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
define i64 @native(i64 %n) {
  %r = call tailcc i64 @from_native(i64 %n)
  ret i64 %r
}
; SAYS: 'seven': keeps its convention, because not all of its arguments
; CHECK-LABEL: define internal tailcc void @seven(
define internal tailcc void @seven(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) gc "statepoint-example" {
  ret void
}
; SAYS: 'wide': keeps its convention, because not all of its arguments
; CHECK-LABEL: define internal tailcc void @wide(
define internal tailcc void @wide(i128 %a) gc "statepoint-example" {
  ret void
}
; SAYS: 'passed_itself': keeps its convention, because not all of its arguments
; CHECK-LABEL: define internal swifttailcc void @passed_itself(
define internal swifttailcc void @passed_itself(ptr swiftself %a) gc "statepoint-example" {
  ret void
}
; SAYS: 'returns_much': keeps its convention, because not all of its arguments
; CHECK-LABEL: define internal tailcc [4 x i64] @returns_much(
define internal tailcc [4 x i64] @returns_much() gc "statepoint-example" {
  ret [4 x i64] zeroinitializer
}

; A tail call of another prototype, of an unknown function, of a leaf: both ends stay, and their groups with them.
; SAYS: 'far': keeps its convention, because of a tail call that the C convention does not have
; CHECK-LABEL: define internal tailcc i64 @far(
; CHECK: musttail call tailcc i64 @middle(
define internal tailcc i64 @far(i64 %n) gc "statepoint-example" {
  %r = musttail call tailcc i64 @middle(i64 %n)
  ret i64 %r
}
; SAYS: 'middle': keeps its convention, because of a tail call
; CHECK-LABEL: define internal tailcc i64 @middle(
define internal tailcc i64 @middle(i64 %n) gc "statepoint-example" {
  %r = musttail call tailcc i64 @two(i64 %n, i64 %n)
  ret i64 %r
}
; SAYS: 'two': keeps its convention, because of a tail call
; CHECK-LABEL: define internal tailcc i64 @two(
define internal tailcc i64 @two(i64 %n, i64 %m) gc "statepoint-example" {
  ret i64 %n
}
; SAYS: 'marked': keeps its convention, because of a tail call
; CHECK-LABEL: define internal tailcc i64 @marked(
define internal tailcc i64 @marked(i64 %n) gc "statepoint-example" {
  %r = tail call tailcc i64 @two(i64 %n, i64 %n)
  ret i64 %r
}
; SAYS: 'to_pointer': keeps its convention, because of a tail call
; CHECK-LABEL: define internal tailcc i64 @to_pointer(
define internal tailcc i64 @to_pointer(i64 %n, ptr %code) gc "statepoint-example" {
  %r = musttail call tailcc i64 %code(i64 %n, ptr %code)
  ret i64 %r
}
; SAYS: 'to_other_unit': keeps its convention, because of a tail call
; CHECK-LABEL: define internal tailcc i64 @to_other_unit(
define internal tailcc i64 @to_other_unit(i64 %n) gc "statepoint-example" {
  %r = musttail call tailcc i64 @elsewhere(i64 %n)
  ret i64 %r
}
; SAYS: 'to_leaf': keeps its convention, because of a tail call
; CHECK-LABEL: define internal tailcc i64 @to_leaf(
define internal tailcc i64 @to_leaf(i64 %n) gc "statepoint-example" {
  %r = tail call tailcc i64 @leaf(i64 %n)
  ret i64 %r
}
; SAYS: 'leaf': keeps its convention, because of a tail call
; CHECK-LABEL: define internal tailcc i64 @leaf(
define internal tailcc i64 @leaf(i64 %n) "gc-leaf-function" gc "statepoint-example" {
  ret i64 %n
}
; SAYS: 'too_large': keeps its convention, because of a tail call
; SAYS: 'too_large_by_group': keeps its convention, because not all of its arguments
; CHECK-LABEL: define internal tailcc void @too_large(
define internal tailcc void @too_large(i64 %n) gc "statepoint-example" {
  musttail call tailcc void @too_large_by_group(i64 %n, i128 0)
  ret void
}
define internal tailcc void @too_large_by_group(i64 %n, i128 %m) gc "statepoint-example" {
  ret void
}

; A tail call that no convention guarantees, since the caller has that of C.
; SAYS: 'called_by_c': gets the C convention
; CHECK-LABEL: define i64 @caller(
; CHECK: tail call i64 @called_by_c(
define i64 @caller(i64 %n) gc "statepoint-example" {
  %r = tail call tailcc i64 @called_by_c(i64 %n, i64 %n)
  ret i64 %r
}
define internal tailcc i64 @called_by_c(i64 %n, i64 %m) gc "statepoint-example" {
  ret i64 %n
}

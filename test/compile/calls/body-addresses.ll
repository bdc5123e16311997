; What could go wrong: a function whose address native code may call loses its entry; a call of a known closure stays a
; call through a pointer; a body's address is 24 bytes off.
; RUN: %cairn opt -p prepare -S %s | FileCheck --check-prefix=PREPARED %s
; RUN: %cairn-cc -O2 -S %s -o - | FileCheck %s

; PREPARED: @table = constant [3 x ptr] [ptr @only, ptr @both, ptr getelementptr (i8, ptr @both, i64 24)]
@table = constant [3 x ptr] [ptr getelementptr (i8, ptr @only, i64 24), ptr @both, ptr getelementptr (i8, ptr @both, i64 24)]
@public = constant ptr getelementptr (i8, ptr @visible, i64 24)
@shown = constant ptr getelementptr (i8, ptr @called, i64 24)
@inside = constant ptr getelementptr (i8, ptr @offset, i64 8)
declare void @g() "cairn-managed"

; The mark is at the end of the code before an entry.
; CHECK-NOT: .quad 5643653827705430469
; CHECK: {{^}}only:
; CHECK: .quad 5643653827705430469
; CHECK-NEXT: {{^}}both:
; CHECK: .quad 5643653827705430469
; CHECK-NEXT: {{^}}visible:
; CHECK: .quad 5643653827705430469
; CHECK-NEXT: {{^}}called:
; CHECK: .quad 5643653827705430469
; CHECK-NEXT: {{^}}offset:
; CHECK: {{^}}known:
; CHECK: addq $3

; PREPARED: define internal i64 @only(i64 %n) [[ONLY:#[0-9]+]] gc
define internal i64 @only(i64 %n) gc "statepoint-example" {
  call void @g()
  %r = add i64 %n, 3
  ret i64 %r
}
; PREPARED: define internal i64 @both(i64 %n) [[OTHER:#[0-9]+]] gc
define internal i64 @both(i64 %n) gc "statepoint-example" {
  call void @g()
  ret i64 %n
}
; PREPARED: define i64 @visible(i64 %n) [[OTHER]] gc
define i64 @visible(i64 %n) gc "statepoint-example" {
  call void @g()
  ret i64 %n
}
; PREPARED: define internal i64 @called(i64 %n) [[OTHER]] gc
define internal i64 @called(i64 %n) gc "statepoint-example" {
  call void @g()
  ret i64 %n
}
; PREPARED: define internal i64 @offset(i64 %n) [[OTHER]] gc
define internal i64 @offset(i64 %n) gc "statepoint-example" {
  call void @g()
  ret i64 %n
}
define i64 @native(i64 %n) "cairn-unmanaged" {
  %r = call i64 @called(i64 %n)
  ret i64 %r
}
; PREPARED: call i64 @only(i64 %n)
define i64 @known(i64 %n) gc "statepoint-example" {
  %r = call i64 getelementptr (i8, ptr @only, i64 24)(i64 %n) "cairn-managed-callee"
  ret i64 %r
}
; PREPARED: attributes [[ONLY]] = { "cairn-body-address"{{.*}} }
; PREPARED-NOT: "cairn-body-address"
; PREPARED: attributes [[OTHER]] =

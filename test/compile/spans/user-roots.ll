; Words of the language's own: described in each statepoint, zeroed and escaped at entry like other described locals,
; each once; unwrapped, they have markers again; what cannot be is refused. Wrong: a word that the collector is not
; shown, or is shown before anything is in it.
; RUN: split-file %s %t
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %t/fine.ll | FileCheck %t/fine.ll
; RUN: %cairn opt -p rewrite-statepoints,drop-markers -S %t/fine.ll -o %t/plain.ll
; RUN: %cairn opt -p strip-statepoints,rewrite-statepoints,verify-safepoints,drop-markers -S %t/plain.ll -o %t/again.ll
; RUN: FileCheck --check-prefix=AGAIN %t/fine.ll < %t/again.ll
; RUN: %cairn opt -p strip-statepoints -S %t/plain.ll | FileCheck --check-prefix=STRIP %t/fine.ll
; RUN: %cairn opt -p rewrite-statepoints -S %t/fine.ll | sed 's/i64 16, i64 5, i64 -1/i64 16, i64 4, i64 -1/' > %t/tag.ll
; RUN: not %cairn verify %t/tag.ll 2>&1 | FileCheck --check-prefix=LEFT %t/fine.ll
; RUN: %cairn opt -p rewrite-statepoints -S %t/fine.ll | sed 's/, i64 5, i64 -1, ptr/, i64 2, i64 -1, ptr/' > %t/small.ll
; RUN: not %cairn verify %t/small.ll 2>&1 | FileCheck --check-prefix=SENSE %t/fine.ll
; RUN: not %cairn opt -p rewrite-statepoints %t/refused.ll 2>&1 | FileCheck --implicit-check-not=error: %t/refused.ll
; RUN: not %cairn opt -p rewrite-statepoints %t/type.ll 2>&1 | FileCheck %t/type.ll

;--- fine.ll
declare void @cairn.user.root(ptr, i32, i64)
declare void @f()
; LEFT: leaves out a user root [described-tail]
; SENSE: has an area that makes no sense [described-tail]
; CHECK: call void @llvm.memset.p0.i64(ptr align 8 %w, i8 0, i64 24, i1 false)
; CHECK: call void asm sideeffect "", "r,~{memory}"(ptr %w)
; CHECK: call void @llvm.memset.p0.i64(ptr align 8 %p, i8 0, i64 16, i1 false)
; CHECK: call void asm sideeffect "", "r,~{memory}"(ptr %p)
; CHECK: @f, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 8, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5, i64 4846245170083810383, i64 3, ptr %r, i64 1, i64 8, i64 1, i64 0, ptr %w, i64 1, i64 8, i64 0, i64 16, i64 5, i64 -1, ptr %p, i64 1, i64 8, i64 0, i64 8, i64 3, i64 1099511627776, i64 21) ]
; AGAIN: asm sideeffect
; AGAIN: asm sideeffect
; AGAIN: asm sideeffect
; AGAIN-NOT: asm sideeffect
; AGAIN: i64 0, i64 8, i64 3, i64 1099511627776, ptr %w, i64 1, i64 8, i64 0, i64 16, i64 5, i64 -1, i64 21)
; STRIP: call void @cairn.user.root(ptr %{{.*}}, i32 5, i64 -1)
; STRIP-NOT: deopt"(i32 8, i64
define void @t() gc "statepoint-example" {
  %w = alloca [3 x i64]
  %p = alloca i8, i64 16
  %r = alloca ptr addrspace(1)
  store ptr addrspace(1) null, ptr %r
  call void @fill(ptr %r)
  %q = getelementptr i8, ptr %p, i64 8
  %w1 = getelementptr [3 x i64], ptr %w, i64 0, i64 2
  call void @cairn.user.root(ptr %w1, i32 5, i64 -1)
  call void @cairn.user.root(ptr %q, i32 3, i64 1099511627776)
  call void @cairn.user.root(ptr %q, i32 3, i64 1099511627776)
  call void @f() [ "deopt"(i32 8) ]
  ret void
}
declare void @fill(ptr) "gc-leaf-function"

;--- refused.ll
declare void @cairn.user.root(ptr, i32, i64)
declare void @f()
@g = global i64 0
; CHECK: error: in function 'native': a user root in an unmanaged function
define void @native() {
  %p = alloca i64
  call void @cairn.user.root(ptr %p, i32 3, i64 0)
  ret void
}
; CHECK: error: in function 'global': a user root is not in a local of fixed size and place [user-root]
define void @global() gc "statepoint-example" {
  call void @cairn.user.root(ptr @g, i32 3, i64 0)
  call void @f()
  ret void
}
; CHECK: error: in function 'dynamic': a user root is not in a local of fixed size and place [user-root]
define void @dynamic(i64 %n) gc "statepoint-example" {
  %p = alloca i64, i64 %n
  call void @cairn.user.root(ptr %p, i32 3, i64 0)
  call void @f()
  ret void
}
; CHECK: error: in function 'half': a user root is not a whole word of its local [user-root]
define void @half() gc "statepoint-example" {
  %p = alloca i32
  call void @cairn.user.root(ptr %p, i32 3, i64 0)
  call void @f()
  ret void
}
; CHECK: error: in function 'tag': a user root has a tag that is not a constant of at least CAIRN_ROOT_USER
define void @tag() gc "statepoint-example" {
  %p = alloca i64
  call void @cairn.user.root(ptr %p, i32 2, i64 0)
  call void @f()
  ret void
}
; CHECK: error: in function 'parameter': a user root has a parameter that is not a constant
define void @parameter(i64 %n) gc "statepoint-example" {
  %p = alloca i64
  call void @cairn.user.root(ptr %p, i32 3, i64 %n)
  call void @f()
  ret void
}
; CHECK: error: in function 'twice': a user root is there with another tag or parameter
define void @twice() gc "statepoint-example" {
  %p = alloca i64
  call void @cairn.user.root(ptr %p, i32 3, i64 0)
  call void @cairn.user.root(ptr %p, i32 4, i64 0)
  call void @f()
  ret void
}
; CHECK: error: in function 'reference': a user root holds a reference [user-root]
define void @reference() gc "statepoint-example" {
  %p = alloca ptr addrspace(1)
  call void @cairn.user.root(ptr %p, i32 3, i64 0)
  call void @f()
  ret void
}

;--- type.ll
; CHECK: @cairn.user.root is not declared as void (ptr, i32, i64), without a body [user-root]
declare void @cairn.user.root(ptr, i64, i64)
define void @t() gc "statepoint-example" {
  ret void
}

; RUN: split-file %s %t
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --disable-output %t/fine.ll
; RUN: not %cairn opt -p rewrite-statepoints,verify-safepoints --disable-output %t/wrong.ll 2>&1 | FileCheck --implicit-check-not=error: %t/wrong.ll
; RUN: %cairn opt -p prepare -S %t/access.ll | FileCheck %t/access.ll
; RUN: %cairn opt -p prepare,'default<O2>',place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %t/optimised.ll
; RUN: not %cairn opt -p 'default<O2>',place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %t/optimised.ll 2>&1 | FileCheck %t/optimised.ll
; RUN: not %cairn opt -p prepare --disable-output %t/vector.ll 2>&1 | FileCheck %t/vector.ll
; RUN: %cairn opt -p rewrite-statepoints -S %t/fine.ll -o %t/rewritten.ll
; RUN: %build/test/cairn-mutate %t/rewritten.ll | FileCheck --check-prefix=MUTANTS %s
; MUTANTS: other-word {{ *[1-9][0-9]*}} mutants, 0 refused by LLVM, 0 missed
; MUTANTS: old-word {{ *[1-9][0-9]*}} mutants, 0 refused by LLVM, 0 missed
; MUTANTS: , 0 missed
; Words of the language's own are read and written in memory, however they are reached; what was read before a
; safepoint is no longer what the word holds. Wrong: a load or store that the optimiser may take over a poll that
; is not there yet, and a use of an old value that nobody notices.

;--- wrong.ll
declare void @cairn.user.root(ptr, i32, i64)
declare void @f()
declare ptr addrspace(1) @to_ref(i64) "gc-leaf-function"
declare ptr addrspace(1) @to_ref_slowly(i64)
declare i64 @to_word(ptr addrspace(1)) "gc-leaf-function"
declare void @use(i64) "gc-leaf-function"

; CHECK: error: in function 'load': %a is a copy of a user root from before a safepoint, at which the collector may have changed the word: read the word again [stale-word]
define i64 @load() gc "statepoint-example" {
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  %a = load i64, ptr %w
  call void @f()
  %r = call ptr addrspace(1) @to_ref(i64 %a)
  %v = load i64, ptr addrspace(1) %r
  ret i64 %v
}

; CHECK: error: in function 'second': %a is a copy
define void @second() gc "statepoint-example" {
  %w = alloca [2 x i64]
  %s = getelementptr i8, ptr %w, i64 8
  call void @cairn.user.root(ptr %s, i32 3, i64 0)
  %a = load i64, ptr %s
  call void @f()
  call void @use(i64 %a)
  ret void
}

; CHECK: error: in function 'stored': %b is a copy
define i64 @stored(ptr addrspace(1) %p) gc "statepoint-example" {
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  %a = call i64 @to_word(ptr addrspace(1) %p)
  store i64 %a, ptr %w
  call void @use(i64 %a)
  call void @f()
  call void @use(i64 %a)
  %b = and i64 %a, -4
  %r = call ptr addrspace(1) @to_ref(i64 %b)
  %v = load i64, ptr addrspace(1) %r
  ret i64 %v
}

; CHECK: error: in function 'argument': %word is a copy
define ptr addrspace(1) @argument(i64 %word) gc "statepoint-example" {
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  store i64 %word, ptr %w
  call void @f()
  %r = call ptr addrspace(1) @to_ref_slowly(i64 %word)
  ret ptr addrspace(1) %r
}

; CHECK: error: in function 'round': %last is a copy
define i64 @round(i64 %n) gc "statepoint-example" {
e:
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  br label %l
l:
  %i = phi i64 [ 0, %e ], [ %j, %l ]
  %last = phi i64 [ 1, %e ], [ %a, %l ]
  %r = call ptr addrspace(1) @to_ref(i64 %last)
  %a = load i64, ptr %w
  %j = add i64 %i, 1
  call void @f()
  %c = icmp slt i64 %j, %n
  br i1 %c, label %l, label %x
x:
  ret i64 %a
}

;--- fine.ll
declare void @cairn.user.root(ptr, i32, i64)
declare void @f()
declare ptr addrspace(1) @to_ref(i64) "gc-leaf-function"
declare void @use(i64) "gc-leaf-function"

define i64 @straight(i64 %v) gc "statepoint-example" {
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 1)
  store i64 %v, ptr %w
  call void @f()
  %a = load i64, ptr %w
  %r = call ptr addrspace(1) @to_ref(i64 %a)
  %x = load i64, ptr addrspace(1) %r
  call void @f()
  %b = load i64, ptr %w
  %s = call ptr addrspace(1) @to_ref(i64 %b)
  %y = load i64, ptr addrspace(1) %s
  ret i64 %y
}

; Small integers in words, the word again after each safepoint, and null.
define i64 @loop(i64 %n, i64 %word) gc "statepoint-example" {
e:
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  store i64 %word, ptr %w
  %g = call ptr addrspace(1) @to_ref(i64 %word)
  br label %l
l:
  %i = phi i64 [ 0, %e ], [ %j, %m ]
  %a = load i64, ptr %w
  %d = icmp eq i64 %a, 0
  br i1 %d, label %k, label %m
k:
  br label %m
m:
  %ph = phi i64 [ %a, %l ], [ 0, %k ]
  %r = call ptr addrspace(1) @to_ref(i64 %ph)
  %s = lshr i64 %ph, 1
  %j = add i64 %i, %s
  call void @f()
  call void @use(i64 %s)
  %c = icmp slt i64 %j, %n
  br i1 %c, label %l, label %x
x:
  ret i64 %a
}

;--- access.ll
declare void @cairn.user.root(ptr, i32, i64)
declare i64 @to_word(ptr addrspace(1)) readnone "gc-leaf-function"
declare i64 @get(ptr readonly) memory(argmem: read) "gc-leaf-function"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare double @sin(double) memory(none)

; CHECK: declare i64 @to_word(ptr addrspace(1)) #[[LEAF:[0-9]+]]
; CHECK: declare i64 @get(ptr) #[[LEAF]]
; CHECK: declare double @sin(double) #[[NONE:[0-9]+]]
; CHECK-LABEL: define i64 @all(
; CHECK: load volatile i64, ptr %w
; CHECK: load volatile i64, ptr %second
; CHECK: store volatile i64 %word, ptr %either
; CHECK: atomicrmw volatile add ptr %w
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %w, ptr %other, i64 16, i1 true)
; CHECK: load i64, ptr %other
define i64 @all(ptr %other, i1 %c, ptr addrspace(1) %p) gc "statepoint-example" {
  %w = alloca [2 x i64]
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  %a = load i64, ptr %w
  %second = getelementptr i8, ptr %w, i64 8
  %b = load i64, ptr %second
  %either = select i1 %c, ptr %w, ptr %second
  %word = call i64 @to_word(ptr addrspace(1) %p)
  store i64 %word, ptr %either
  %old = atomicrmw add ptr %w, i64 1 monotonic
  call void @llvm.memcpy.p0.p0.i64(ptr %w, ptr %other, i64 16, i1 false)
  %got = call i64 @get(ptr readonly %w)
  %x = call i64 @inner(ptr %w)
  %o = load i64, ptr %other
  ret i64 %o
}

; CHECK-LABEL: define internal i64 @inner(
; CHECK: load volatile i64, ptr %p
define internal i64 @inner(ptr %p) gc "statepoint-example" {
  %a = load i64, ptr %p
  ret i64 %a
}
; CHECK: attributes #[[LEAF]] = { "gc-leaf-function" }
; CHECK: attributes #[[NONE]] = { memory(none) }

;--- optimised.ll
declare void @cairn.user.root(ptr, i32, i64)
declare ptr addrspace(1) @to_ref(i64) memory(none) nounwind willreturn "gc-leaf-function"
declare void @tick(i64) memory(inaccessiblemem: readwrite) nounwind willreturn "gc-leaf-function"

; The word is read outside the loop by an optimiser to which there are no polls.
; CHECK: error: in function 'sum': {{.*}} is a copy of a user root {{.*}} [stale-word]
define i64 @sum(i64 %n, i64 %first) gc "statepoint-example" {
e:
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  store i64 %first, ptr %w
  br label %l
l:
  %i = phi i64 [ 0, %e ], [ %j, %l ]
  %s = phi i64 [ 0, %e ], [ %t, %l ]
  call void @tick(i64 %i)
  %a = load i64, ptr %w
  %r = call ptr addrspace(1) @to_ref(i64 %a)
  %v = load volatile i64, ptr addrspace(1) %r
  %t = add i64 %s, %v
  %j = add i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %l, label %x
x:
  ret i64 %t
}

;--- vector.ll
declare void @cairn.user.root(ptr, i32, i64)
declare <2 x i64> @llvm.masked.load.v2i64.p0(ptr, <2 x i1>, <2 x i64>)
; CHECK: error: in function 'vector': a user root is accessed by @llvm.masked.load.v2i64.p0, which may be left out or done elsewhere [user-root]
define <2 x i64> @vector(<2 x i1> %m) gc "statepoint-example" {
  %w = alloca [2 x i64]
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  %a = call <2 x i64> @llvm.masked.load.v2i64.p0(ptr %w, <2 x i1> %m, <2 x i64> zeroinitializer)
  ret <2 x i64> %a
}

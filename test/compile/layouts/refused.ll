; A layout that is not known at compile time, or does not fit its object, would make the collector
; read the wrong words as references.
; RUN: split-file %s %t
; RUN: not %cairn opt -p layouts -S %t/computed.ll 2>&1 | FileCheck %s --check-prefix=COMPUTED
; RUN: not %cairn opt -p layouts -S %t/run-time.ll 2>&1 | FileCheck %s --check-prefix=RUN-TIME
; RUN: not %cairn opt -p layouts -S %t/twice.ll 2>&1 | FileCheck %s --check-prefix=TWICE
; RUN: not %cairn opt -p layouts -S %t/common.ll 2>&1 | FileCheck %s --check-prefix=COMMON
; RUN: not %cairn opt -p layouts -S %t/small.ll 2>&1 | FileCheck %s --check-prefix=SMALL
; RUN: not %cairn opt -p layouts -S %t/variable.ll 2>&1 | FileCheck %s --check-prefix=VARIABLE
; RUN: not %cairn opt -p layouts -S %t/flex.ll 2>&1 | FileCheck %s --check-prefix=FLEX
; RUN: not %cairn opt -p layouts -S %t/name.ll 2>&1 | FileCheck %s --check-prefix=NAME
; RUN: not %cairn opt -p layouts -S %t/many.ll 2>&1 | FileCheck %s --check-prefix=MANY
; RUN: not %cairn opt -p layouts -S %t/packed.ll 2>&1 | FileCheck %s --check-prefix=PACKED
; RUN: not %cairn opt -p layouts -S %t/aligned.ll 2>&1 | FileCheck %s --check-prefix=ALIGNED
; RUN: not %cairn opt -p layouts -S %t/called.ll 2>&1 | FileCheck %s --check-prefix=CALLED

;--- computed.ll
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
@a = internal constant i64 zeroinitializer
@b = internal constant ptr addrspace(1) zeroinitializer
define ptr addrspace(1) @f(i1 %which) gc "statepoint-example" {
; COMPUTED: in function 'f': {{.*}} [unknown-layout]
  %layout = select i1 %which, ptr @a, ptr @b
  %r = call ptr addrspace(1) @cairn_alloc(ptr %layout, i64 8)
  ret ptr addrspace(1) %r
}
;--- run-time.ll
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
define ptr addrspace(1) @f(ptr %layout) gc "statepoint-example" {
; RUN-TIME: must be 0, because the layout is known at run time only, and has the size [alloc-size]
  %r = call ptr addrspace(1) @cairn_alloc(ptr %layout, i64 8)
  ret ptr addrspace(1) %r
}
;--- twice.ll
@t = linkonce_odr constant i64 zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
define ptr addrspace(1) @f() gc "statepoint-example" {
; TWICE: the module states two different layouts of the name "t"; {{.*}} [shared-layout]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 8)
  %s = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 16)
  ret ptr addrspace(1) %s
}
;--- common.ll
@t = extern_weak constant i64
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
define ptr addrspace(1) @f() gc "statepoint-example" {
; COMMON: the layout static 't' is thread-local, or has a linkage that names nothing in other modules; {{.*}} [shared-layout]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 8)
  ret ptr addrspace(1) %r
}
;--- small.ll
@t = internal constant { ptr addrspace(1), i64 } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
define ptr addrspace(1) @f() gc "statepoint-example" {
; SMALL: 8 bytes, does not fit its type of 16 bytes [alloc-size]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 8)
  ret ptr addrspace(1) %r
}
;--- variable.ll
@t = internal constant { ptr addrspace(1), i64 } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
define ptr addrspace(1) @f(i64 %n) gc "statepoint-example" {
; VARIABLE: must be a constant{{.*}} [alloc-size]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 %n)
  ret ptr addrspace(1) %r
}
;--- flex.ll
@t = internal constant { ptr addrspace(1), i64 } zeroinitializer
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)
define ptr addrspace(1) @f(i64 %n) gc "statepoint-example" {
; FLEX: [flex-layout]
  %r = call ptr addrspace(1) @cairn_alloc_flex(ptr @t, i64 %n)
  ret ptr addrspace(1) %r
}
;--- name.ll
@t = internal constant i64 0
declare ptr addrspace(1) @cairn_alloc(ptr)
define ptr addrspace(1) @f() gc "statepoint-example" {
; NAME: [reserved-name]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t)
  ret ptr addrspace(1) %r
}
;--- many.ll
@t = internal constant [65537 x ptr addrspace(1)] zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
define ptr addrspace(1) @f() gc "statepoint-example" {
; MANY: [layout-too-large]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 524296)
  ret ptr addrspace(1) %r
}
;--- packed.ll
@t = internal constant <{ i8, ptr addrspace(1) }> zeroinitializer
@u = internal constant <{ ptr addrspace(1), i8 }> zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
define void @f() gc "statepoint-example" {
; PACKED: [misaligned-reference]
; PACKED-NEXT: [misaligned-reference]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 9)
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @u, i64 2)
  ret void
}
;--- called.ll
@t = internal constant i64 zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
define void @f(ptr %p) gc "statepoint-example" {
; CALLED: 'f': @cairn_alloc can only be called by its name{{.*}} [allocation-call]
; CALLED-NEXT: [allocation-call]
  store ptr @cairn_alloc, ptr %p
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(ptr addrspace(1) (ptr, i64)) @cairn_alloc, i32 2, i32 0, ptr @t, i64 8, i32 0, i32 0)
  ret void
}
;--- aligned.ll
@t = internal constant { i64, <4 x float>, ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
define ptr addrspace(1) @f() gc "statepoint-example" {
; ALIGNED: 'f': objects are aligned to 8 bytes, but the type of this one asks for 16{{.*}} [over-aligned]
  %r = call ptr addrspace(1) @cairn_alloc(ptr @t, i64 48)
  ret ptr addrspace(1) %r
}

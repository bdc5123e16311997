; What of a @gc.safepoint_poll cannot be made polls of is an error with its reason. LLVM's pass crashes,
; or puts in polls that are no safepoints. Wrong: any of these goes through.
; RUN: split-file %s %t
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/arguments.ll -o /dev/null 2>&1 | FileCheck --check-prefix=TYPE %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/variadic.ll -o /dev/null 2>&1 | FileCheck --check-prefix=TYPE %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/variable.ll -o /dev/null 2>&1 | FileCheck --check-prefix=NONE %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/alias.ll -o /dev/null 2>&1 | FileCheck --check-prefix=NONE %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/recursive.ll -o /dev/null 2>&1 | FileCheck --check-prefix=SELF %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/empty.ll -o /dev/null 2>&1 | FileCheck --check-prefix=EMPTY %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/leaf.ll -o /dev/null 2>&1 | FileCheck --check-prefix=EMPTY %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/done.ll -o /dev/null 2>&1 | FileCheck --check-prefix=DONE %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/ends.ll -o /dev/null 2>&1 | FileCheck --check-prefix=ENDS %s
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints %t/strategy.ll -o /dev/null 2>&1 | FileCheck --check-prefix=INLINE %s
; TYPE: error: {{.*}}@gc.safepoint_poll must have type void () [poll-type]
; NONE: error: {{.*}}@gc.safepoint_poll is not a function whose body could be inserted at polls [poll-type]
; SELF: error: {{.*}}@gc.safepoint_poll calls itself, so that its body cannot be inserted in line [poll-inline]
; EMPTY: error: {{.*}}no call in @gc.safepoint_poll is a parse point{{.*}}[poll-body]
; DONE: error: {{.*}}@gc.safepoint_poll has statepoints already{{.*}}[poll-body]
; ENDS: error: {{.*}}@gc.safepoint_poll does not return [poll-body]
; INLINE: error: {{.*}}the body of @gc.safepoint_poll cannot be inserted in line [poll-inline]

;--- arguments.ll
declare void @do_safepoint()
define void @gc.safepoint_poll(i32 %n) {
  call void @do_safepoint()
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- variadic.ll
declare void @do_safepoint()
define void @gc.safepoint_poll(...) {
  call void @do_safepoint()
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- variable.ll
@gc.safepoint_poll = global i32 0
define void @test() gc "statepoint-example" {
  ret void
}

;--- alias.ll
@gc.safepoint_poll = alias void (), ptr @poll
declare void @do_safepoint()
define void @poll() {
  call void @do_safepoint()
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- recursive.ll
declare void @do_safepoint()
define void @gc.safepoint_poll() alwaysinline {
  call void @do_safepoint()
  call void @gc.safepoint_poll()
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- empty.ll
define void @gc.safepoint_poll() {
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- leaf.ll
@page = external global i32
declare void @note() "gc-leaf-function"
define void @gc.safepoint_poll() {
  %v = load volatile i32, ptr @page
  call void @note()
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- done.ll
declare void @do_safepoint()
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
define void @gc.safepoint_poll() gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @do_safepoint, i32 0, i32 0, i32 0, i32 0)
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- ends.ll
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  unreachable
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- strategy.ll
declare void @do_safepoint()
define void @gc.safepoint_poll() gc "shadow-stack" {
  call void @do_safepoint()
  ret void
}
define void @test() gc "statepoint-example" {
  ret void
}

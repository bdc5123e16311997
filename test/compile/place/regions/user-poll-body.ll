; The module's own poll, whatever its body has: branches, a loop, an invoke, directives, locals, debug
; information; in functions with return polls and loops. In the body itself no poll is placed
; ("recursive poll insertion is not performed"). Only polls are inlined: what else wants to be, and
; the calls that the program makes of it, stays a call; and the body stays, though private and inlined
; everywhere. Wrong: the poll polls; other functions' calls disappear; a crash on what was deleted.
; RUN: %cairn opt --polls=entry,backedge,return -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s \
; RUN:   | FileCheck %s

declare void @do_safepoint(ptr)
declare void @slow()
declare void @foo()
declare i1 @more() "gc-leaf-function"
declare i32 @personality(...)
@flag = global i1 false

; CHECK-LABEL: define internal void @gc.safepoint_poll()
; CHECK-NOT: cairn
; CHECK-NOT: gc.statepoint
; CHECK: invoke void @slow()
; CHECK: ret void
define internal void @gc.safepoint_poll() alwaysinline personality ptr @personality {
entry:
  %local = alloca i64
  %asked = load volatile i1, ptr @flag
  br i1 %asked, label %again, label %done
again:
  call void @do_safepoint(ptr %local) "statepoint-id"="77" "statepoint-num-patch-bytes"="5"
  invoke void @slow() to label %next unwind label %pad
next:
  %more = load volatile i1, ptr @flag
  br i1 %more, label %again, label %done
pad:
  %l = landingpad { ptr, i32 } cleanup
  br label %done
done:
  ret void
}

; CHECK-LABEL: define void @other
define void @other() alwaysinline gc "statepoint-example" {
  call void @foo()
  ret void
}

; Twice: on entry and on return. The local is a static one of the caller.
; CHECK-LABEL: define ptr addrspace(1) @test
; CHECK: alloca i64
; CHECK-NEXT: alloca i64
; CHECK: load volatile i1, ptr @flag
; CHECK: gc.statepoint.p0(i64 77, i32 5, ptr elementtype(void (ptr)) @do_safepoint
; CHECK: invoke token {{.*}}@slow
; CHECK: gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @other
; CHECK: gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @gc.safepoint_poll
; CHECK: gc.statepoint.p0(i64 77, i32 5, ptr elementtype(void (ptr)) @do_safepoint
; CHECK: ret ptr addrspace(1) %
define ptr addrspace(1) @test(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality !dbg !5 {
  call void @other(), !dbg !7
  call void @gc.safepoint_poll(), !dbg !7
  ret ptr addrspace(1) %p
}

; A counted loop is cut into chunks that poll with it.
; CHECK-LABEL: define void @loop
; CHECK: chunk
; CHECK-COUNT-2: @do_safepoint
define void @loop(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" personality ptr @personality {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %q = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %q
  %next = add nuw i64 %i, 1
  %x = icmp ult i64 %next, %n
  br i1 %x, label %head, label %out
out:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/src")
!2 = !DISubroutineType(types: !4)
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{null}
!5 = distinct !DISubprogram(name: "test", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 2, column: 3, scope: !5)

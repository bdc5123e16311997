; The watchdog names the source line of a poll: where the optimiser left none, it is that of the loop, not line 0.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

declare void @native() "gc-leaf-function"

; CHECK: call preserve_allcc void @cairn_poll_slow(), !dbg [[LATCH:![0-9]+]]
define void @f(ptr %p) gc "statepoint-example" !dbg !3 {
entry:
  store i64 1, ptr %p, !dbg !6
  br label %loop, !dbg !6
loop:
  %again = load volatile i1, ptr %p, !dbg !7
  br i1 %again, label %latch, label %done, !dbg !7
latch:
  store volatile i1 0, ptr %p, !dbg !8
  br label %loop, !dbg !8
done:
  ret void, !dbg !6
}
; CHECK: [[LATCH]] = !DILocation(line: 5,

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 2, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DILocation(line: 3, scope: !3)
!7 = !DILocation(line: 5, scope: !3)
!8 = !DILocation(line: 0, scope: !3)

; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; Statepoints of one shape are copies of one. What would go wrong: a call without a source line, a poll
; say, gets that of another function, and the module is broken.
declare void @foo()
; CHECK-LABEL: define void @first
; CHECK: statepoint{{.*}}, !dbg
define void @first() gc "statepoint-example" !dbg !3 {
  call void @foo(), !dbg !5
  ret void
}
; CHECK-LABEL: define void @second
; CHECK: statepoint
; CHECK-NOT: !dbg
; CHECK: ret void
define void @second() gc "statepoint-example" {
  call void @foo()
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "b")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "first", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 2, column: 3, scope: !3)

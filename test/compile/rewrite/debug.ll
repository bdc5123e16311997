; Everything that is emitted for a call stands at the call's line, so that a debugger steps as if
; nothing had happened; base phis stand at the phi's. RUN with the verifier: a call without a
; location in a function that has debug information is refused.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
declare i32 @foo(ptr addrspace(1))
; CHECK: call token {{.*}}@foo{{.*}}, !dbg [[LINE:![0-9]+]]
; CHECK: call i32 @llvm.experimental.gc.result{{.*}}, !dbg [[LINE]]
; CHECK: call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate{{.*}}, !dbg [[LINE]]
; CHECK: [[LINE]] = !DILocation(line: 3, column: 5
define ptr addrspace(1) @f(ptr addrspace(1) %a) gc "statepoint-example" !dbg !4 {
  %r = call i32 @foo(ptr addrspace(1) %a), !dbg !7
  %g = getelementptr i8, ptr addrspace(1) %a, i32 %r, !dbg !7
  ret ptr addrspace(1) %g, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 3, column: 5, scope: !4)

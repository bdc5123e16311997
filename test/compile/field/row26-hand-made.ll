; Field row 26: a front end that writes statepoints itself forgets one use far down. The verifier names
; the value, the use and the path to it. (Writing calls and running rewrite-statepoints forgets none.)
; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; CHECK: row26-hand-made.c:7:3: error: in function 'f': %p is used after {{.*}} in line 3{{.*}}[stale-reference]
; CHECK: path: %entry -> %later
declare void @foo()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)
define i64 @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" !dbg !4 {
entry:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ], !dbg !7
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %v = load i64, ptr addrspace(1) %r
  br i1 %c, label %later, label %done
later:
  %w = load i64, ptr addrspace(1) %p, !dbg !8
  ret i64 %w
done:
  ret i64 %v
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "row26-hand-made.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 3, column: 3, scope: !4)
!8 = !DILocation(line: 7, column: 3, scope: !4)

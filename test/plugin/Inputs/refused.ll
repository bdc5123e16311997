declare void @foo()
define ptr addrspace(1) @cast(ptr %q) gc "statepoint-example" !dbg !4 {
  %p = addrspacecast ptr %q to ptr addrspace(1), !dbg !6
  call void @foo(), !dbg !6
  ret ptr addrspace(1) %p, !dbg !6
}
define ptr addrspace(1) @number(i64 %n) gc "statepoint-example" {
  %p = inttoptr i64 %n to ptr addrspace(1)
  call void @foo()
  ret ptr addrspace(1) %p
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "cast.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "cast", file: !1, line: 5, type: !5, scopeLine: 5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 7, column: 3, scope: !4)

@started = internal global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]
define internal void @begin() {
  store volatile i32 1, ptr @started
  ret void
}
define i32 @main() !dbg !4 {
  %started = load volatile i32, ptr @started, !dbg !6
  %status = sub i32 1, %started, !dbg !6
  ret i32 %status, !dbg !6
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "main.x", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "main", file: !1, line: 5, type: !5, scopeLine: 5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 6, column: 3, scope: !4)

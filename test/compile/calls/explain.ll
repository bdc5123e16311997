; --explain-calls is how a user finds out why a call is no safepoint: by function, and by source line
; where the module has any.

; RUN: %cairn opt --explain-calls %s -o /dev/null | FileCheck %s
; CHECK: calls of @f
; CHECK-NEXT: parse: call to @foo (external function, may reach a safepoint), at calls.c:7:3
; CHECK-NEXT: leaf: call to @strlen (table: reads and writes the given memory only), at calls.c:8:5
; CHECK-NEXT: parse: indirect call (indirect call){{$}}
; CHECK-NOT: native

declare void @foo()
declare i64 @strlen(ptr)

define void @f(ptr %p) gc "statepoint-example" !dbg !4 {
  call void @foo(), !dbg !6
  %n = call i64 @strlen(ptr %p), !dbg !7
  call void %p()
  %m = add i64 %n, 1
  store i64 %m, ptr %p
  ret void
}

define void @native() {
  call void @foo()
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "calls.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 5, type: !5, scopeLine: 5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 7, column: 3, scope: !4)
!7 = !DILocation(line: 8, column: 5, scope: !4)

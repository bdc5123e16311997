; A function that other units may call, and that stores through its parameters, gets a copy for the callers in the
; module whose arguments are described places. The function itself keeps its checks.
; RUN: %cairn opt --without=store-tests -p check-stores -S %s | FileCheck %s --check-prefix=PLAIN
; RUN: %cairn opt --without=store-copies -p check-stores -S %s | FileCheck %s --check-prefix=PLAIN
; RUN: %cairn opt -p check-stores -S %s | FileCheck %s
; PLAIN-NOT: .proved
@pointer = global ptr null
@global = global [4 x ptr addrspace(1)] zeroinitializer

; CHECK-LABEL: define void @set(
; CHECK: call void @cairn_check_store_at
define void @set(ptr %at, ptr addrspace(1) %p) gc "statepoint-example" !dbg !4 {
  store ptr addrspace(1) %p, ptr %at, !dbg !7
  ret void, !dbg !8
}

; CHECK-LABEL: define void @proves(
; CHECK: call void @set.proved(ptr @global
; CHECK: call void @set.proved(ptr %local
; CHECK: call void @set(ptr %unknown
; CHECK: ret void
define void @proves(ptr addrspace(1) %p) gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  store ptr addrspace(1) null, ptr %local
  %unknown = load ptr, ptr @pointer
  call void @set(ptr @global, ptr addrspace(1) %p)
  call void @set(ptr %local, ptr addrspace(1) %p)
  call void @set(ptr %unknown, ptr addrspace(1) %p)
  ret void
}

; The caller's parameter is unknown.
; CHECK-LABEL: define void @passes_on(
; CHECK: call void @set(
define void @passes_on(ptr %at, ptr addrspace(1) %p) gc "statepoint-example" {
  call void @set(ptr %at, ptr addrspace(1) %p)
  ret void
}

; Both the function and its copy call themselves.
; CHECK-LABEL: define void @recursive(
; CHECK: call void @recursive(
; CHECK: call void @cairn_check_store_at
define void @recursive(ptr %at, ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %at
  %last = icmp eq i64 %n, 0
  br i1 %last, label %done, label %more
more:
  %m = sub i64 %n, 1
  call void @recursive(ptr %at, ptr addrspace(1) %p, i64 %m)
  br label %done
done:
  %kind = phi i64 [ 0, %0 ], [ 1, %more ]
  switch i64 %kind, label %out [ i64 1, label %out ]
out:
  ret void
}

; CHECK-LABEL: define void @calls_recursive(
; CHECK: call void @recursive.proved(
define void @calls_recursive(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @recursive(ptr getelementptr (i8, ptr @global, i64 8), ptr addrspace(1) %p, i64 3)
  ret void
}

; Nothing is gained, as the place beyond the argument's object stays unknown.
; CHECK-LABEL: define void @beyond(
define void @beyond(ptr %at, ptr addrspace(1) %p) gc "statepoint-example" {
  %next = getelementptr i8, ptr %at, i64 32
  store ptr addrspace(1) %p, ptr %next
  ret void
}
; CHECK-LABEL: define void @calls_beyond(
; CHECK: call void @beyond(
define void @calls_beyond(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @beyond(ptr @global, ptr addrspace(1) %p)
  ret void
}

; Another unit may define a weak function; inline assembly may define a label.
; CHECK-LABEL: define weak void @weak(
define weak void @weak(ptr %at, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %at
  ret void
}
; CHECK-LABEL: define void @assembly(
define void @assembly(ptr %at, ptr addrspace(1) %p) gc "statepoint-example" {
  call void asm sideeffect "once:", ""() "gc-leaf-function"
  store ptr addrspace(1) %p, ptr %at
  ret void
}
; CHECK-LABEL: define void @calls_others(
; CHECK: call void @weak(
; CHECK: call void @assembly(
define void @calls_others(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @weak(ptr @global, ptr addrspace(1) %p)
  call void @assembly(ptr @global, ptr addrspace(1) %p)
  ret void
}

; The copies stand at the end of the module, without checks; a copy has a subprogram, with the function's lines.
; CHECK: define internal void @set.proved({{.*}}) gc "statepoint-example" !dbg [[SCOPE:![0-9]+]]
; CHECK-NOT: cairn_check
; CHECK: store ptr addrspace(1) {{.*}}, align 8, !dbg [[LINE:![0-9]+]]
; CHECK: define internal void @recursive.proved(
; CHECK-NOT: cairn_check
; CHECK: call void @recursive.proved(
; CHECK: ret void
; CHECK-NOT: define {{.*}}.proved
; CHECK: [[SCOPE]] = distinct !DISubprogram(name: "set"
; CHECK-SAME: line: 3
; CHECK-SAME: unit: ![[UNIT:[0-9]+]]
; CHECK: [[LINE]] = !DILocation(line: 5, column: 7, scope: [[SCOPE]])

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "set.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !6)
!4 = distinct !DISubprogram(name: "set", scope: !1, file: !1, line: 3, type: !3, scopeLine: 4, unit: !0)
!5 = !DILexicalBlock(scope: !4, file: !1, line: 4)
!6 = !{null}
!7 = !DILocation(line: 5, column: 7, scope: !5)
!8 = !DILocation(line: 6, column: 1, scope: !4)

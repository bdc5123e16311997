; Each row of the table in src/compile/analysis/invalid_attributes.c, where it may stand, as machine code: what is read
; through a reference before the call is read there, and what is read after it is read at the
; address after the call. tbaa: promises-tbaa.ll.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc -O2 -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true %t.ll -o - \
; RUN:   | FileCheck %s --check-prefix=ASM
declare void @foo()
declare void @take(ptr, ptr addrspace(1))
declare ptr addrspace(1) @same(ptr addrspace(1) returned)
declare ptr @llvm.invariant.start.p1(i64, ptr addrspace(1))
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@root = external constant ptr addrspace(1)
@weak = weak constant ptr addrspace(1) null
@null = internal constant ptr addrspace(1) null

; CHECK: @root = external global ptr addrspace(1)
; CHECK: @weak = weak global ptr addrspace(1) null
; CHECK: @null = internal constant ptr addrspace(1) null

; A leaf may be called later only if nobody says that it may be called anywhere.
; CHECK: declare i64 @length(ptr addrspace(1)) [[LEAF:#[0-9]+]]
declare i64 @length(ptr addrspace(1)) speculatable memory(none) nounwind willreturn "gc-leaf-function"

; ASM-LABEL: metadata:
; ASM: (%rdi), [[V:%r..]]
; ASM: callq foo
; ASM-COUNT-1: {{\(%r..?\)}}
; ASM-NOT: {{\(%r..?\)}}
; ASM: retq
; CHECK-LABEL: define i64 @metadata(
; CHECK: %v = load i64, ptr addrspace(1) %p, align 8{{$}}
define i64 @metadata(ptr addrspace(1) dereferenceable(8) %p, i64 %x) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !invariant.load !0, !invariant.group !0, !noalias !2, !alias.scope !2
  call void @foo()
  %w = load i64, ptr addrspace(1) %p, align 8
  %s = add i64 %x, %v
  %t = add i64 %w, %s
  ret i64 %t
}

; A reference that is loaded: what it leads to stays there as long as it lives, in that place only.
; ASM-LABEL: loaded:
; ASM: movq (%rdi), [[P:%r..]]
; ASM: movq ([[P]]), [[V:%r..]]
; ASM: callq foo
; ASM-COUNT-1: {{\(%r..?\)}}
; ASM-NOT: {{\(%r..?\)}}
; ASM: retq
; CHECK-LABEL: define i64 @loaded(
; CHECK: %p = load ptr addrspace(1), ptr addrspace(1) %h, align 8, !nonnull
; CHECK-NOT: dereferenceable
; CHECK: ret
define i64 @loaded(ptr addrspace(1) %h, i64 %x) gc "statepoint-example" {
  %p = load ptr addrspace(1), ptr addrspace(1) %h, align 8, !nonnull !0, !dereferenceable !3
  %v = load i64, ptr addrspace(1) %p, align 8
  call void @foo()
  %o = load ptr addrspace(1), ptr addrspace(1) %h, align 8, !dereferenceable_or_null !3
  %s = add i64 %x, %v
  %n = icmp eq ptr addrspace(1) %o, null
  %z = zext i1 %n to i64
  %t = add i64 %z, %s
  ret i64 %t
}

; Parameters, arguments, results, the function and its calls.
; ASM-LABEL: attributes:
; ASM: (%rdi), [[V:%r..]]
; ASM: callq take
; ASM: ({{%r..}}), {{%r..}}
; ASM: retq
; CHECK-LABEL: define nonnull ptr addrspace(1) @attributes(ptr addrspace(1) nonnull captures(none) %p, ptr %a)
; CHECK-SAME: #[[KEPT:[0-9]+]] gc
; CHECK: gc.statepoint{{.*}}@take, i32 2, i32 0, ptr nonnull %a, ptr addrspace(1) nonnull %p, i32 0, i32 0)
; CHECK-SAME: #[[KEPT]] [ "gc-live"
define nonnull noalias dereferenceable(8) ptr addrspace(1) @attributes(ptr addrspace(1) nonnull captures(none) returned noalias readonly nofree dereferenceable(8) dead_on_return %p, ptr %a) memory(argmem: read) nosync nofree nounwind gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8
  call void @take(ptr nonnull noalias readonly %a, ptr addrspace(1) nonnull noalias readnone dereferenceable_or_null(8) %p) memory(none) nosync nofree nounwind
  %w = load i64, ptr addrspace(1) %p, align 8
  %s = add i64 %w, %v
  store i64 %s, ptr %a, align 8
  ret ptr addrspace(1) %p
}

; The result is where the object lies after the call.
; ASM-LABEL: same_object:
; ASM: callq same
; ASM: movq %rax, %r{{.*}}
; ASM-NOT: %rdi
; ASM: retq
; CHECK-LABEL: define ptr addrspace(1) @same_object(
; CHECK: gc.statepoint{{.*}}@same, i32 1, i32 0, ptr addrspace(1) %p, i32 0, i32 0)
define ptr addrspace(1) @same_object(ptr addrspace(1) %p) gc "statepoint-example" {
  %q = call ptr addrspace(1) @same(ptr addrspace(1) returned %p)
  call void @foo()
  ret ptr addrspace(1) %q
}

; A constant that is read twice.
; ASM-LABEL: constant:
; ASM: movq root@GOTPCREL(%rip), [[ROOT:%r..]]
; ASM: movq ([[ROOT]]), [[P:%r..]]
; ASM: movq ([[P]]), {{%r..}}
; ASM: callq foo
; ASM: movq ([[ROOT]]), [[Q:%r..]]
; ASM: addq ([[Q]]),
; ASM: retq
define i64 @constant() gc "statepoint-example" {
  %p = load ptr addrspace(1), ptr @root, align 8
  %v = load i64, ptr addrspace(1) %p, align 8
  call void @foo()
  %q = load ptr addrspace(1), ptr @root, align 8
  %w = load i64, ptr addrspace(1) %q, align 8
  %t = add i64 %v, %w
  ret i64 %t
}

; ASM-LABEL: started:
; ASM: addq ({{%r..}}), {{%r..}}
; ASM: callq foo
; ASM-COUNT-1: {{\(%r..?\)}}
; ASM-NOT: {{\(%r..?\)}}
; ASM: retq
; CHECK-LABEL: define i64 @started(
; CHECK-NOT: invariant
; CHECK: ret
define i64 @started(ptr addrspace(1) %p, i64 %x) gc "statepoint-example" {
  %i = call ptr @llvm.invariant.start.p1(i64 8, ptr addrspace(1) %p)
  %v = load i64, ptr addrspace(1) %p, align 8
  call void @foo()
  %w = load i64, ptr addrspace(1) %p, align 8
  %s = add i64 %x, %v
  %t = add i64 %w, %s
  ret i64 %t
}

; Memory that is copied whole may hold references that the collector changes.
; ASM-LABEL: copied:
; ASM: ({{%r..}}), [[V:%r..]]
; ASM: [[V]], (
; ASM: callq foo
; ASM: ({{%r..}}), [[W:%r..]]
; ASM: [[W]], (
; ASM: retq
; CHECK-LABEL: define void @copied(
; CHECK: call void @llvm.memcpy{{.*}}i1 false){{$}}
; CHECK: call void @llvm.memcpy{{.*}}i1 false){{$}}
define void @copied(ptr %a, ptr %b) gc "statepoint-example" {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 8 %b, i64 8, i1 false), !tbaa.struct !6
  call void @foo()
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 8 %b, i64 8, i1 false), !tbaa !5
  ret void
}

; ASM-LABEL: leaf:
; ASM: callq length
; ASM: callq foo
; ASM-NOT: callq
; ASM: retq
define i64 @leaf(ptr addrspace(1) %p, i64 %c, i64 %z) gc "statepoint-example" {
  %n = call i64 @length(ptr addrspace(1) %p)
  call void @foo()
  %d = icmp eq i64 %c, %z
  %r = select i1 %d, i64 %n, i64 %z
  %w = load i64, ptr addrspace(1) %p
  %t = add i64 %r, %w
  ret i64 %t
}

; CHECK-DAG: attributes #[[KEPT]] = { nounwind }
; CHECK-DAG: attributes [[LEAF]] = { nounwind willreturn memory(none) "gc-leaf-function" }
!0 = !{}
!1 = distinct !{!1}
!2 = !{!7}
!3 = !{i64 8}
!4 = !{!"long", !8, i64 0}
!5 = !{!4, !4, i64 0, i64 1}
!6 = !{i64 0, i64 8, !5}
!7 = distinct !{!7, !1}
!8 = !{!"root"}

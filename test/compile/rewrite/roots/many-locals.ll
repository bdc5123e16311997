; Sixteen and more locals of one type that holds references become one array, which each statepoint
; describes as one. Wrong: each is listed at each safepoint, which grows with their product; a use
; that still names the local, or another element; a debug record that is lost.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints %s | llc -O2 -verify-machineinstrs -o /dev/null
; RUN: %cairn opt -p rewrite-statepoints,strip-statepoints -S %s | FileCheck %s --check-prefix=STRIP
declare void @take(ptr)
declare void @take_two(ptr, ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
%pair = type { ptr addrspace(1), i64 }

; An alignment that an element would not keep, and what is an array already: not those.
; CHECK-LABEL: define void @f(
; CHECK-NEXT: entry:
; CHECK-NEXT: %locals{{[0-9]*}} = alloca [16 x %pair], align 16
; CHECK-NEXT: %locals{{[0-9]*}} = alloca [18 x ptr addrspace(1)], align 8
; CHECK-NEXT: %wide = alloca ptr addrspace(1), align 16
; CHECK-NEXT: %many = alloca ptr addrspace(1), i32 2
; CHECK-NEXT: memset
; CHECK-NOT: lifetime
; CHECK: [[L17:%[0-9]+]] = getelementptr inbounds [18 x ptr addrspace(1)], ptr [[A:%locals[0-9]*]], i64 0, i64 17
; CHECK: [[S:%[0-9]+]] = getelementptr inbounds [18 x ptr addrspace(1)], ptr [[A]], i64 0, i64 0
; CHECK: #dbg_declare(ptr [[L17]], !
; CHECK-NEXT: store ptr addrspace(1) %r, ptr [[S]]
; CHECK: [[T:%[0-9]+]] = getelementptr inbounds [18 x ptr addrspace(1)], ptr [[A]], i64 0, i64 1
; CHECK-NEXT: @take_two, i32 2, i32 0, ptr [[T]], ptr [[T]], i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 4, ptr [[P:%locals[0-9]*]], i64 16, i64 16, i64 1, i64 0, ptr [[A]], i64 18, i64 8, i64 1, i64 0, ptr %wide, i64 1, i64 8, i64 1, i64 0, ptr %many, i64 2, i64 8, i64 1, i64 0, i64 22)
; CHECK: [[C:%[0-9]+]] = getelementptr inbounds [16 x %pair], ptr [[P]], i64 0, i64 15
; CHECK: call void @llvm.memcpy
; CHECK: phi ptr [ {{%[0-9]+}}, %entry ], [ {{%[0-9]+}}, %other ]
; STRIP-LABEL: define void @f(
; STRIP-NOT: memset
; STRIP: ret void
define void @f(ptr addrspace(1) %r, i1 %c) gc "statepoint-example" !dbg !4 {
entry:
  %l0 = alloca ptr addrspace(1)
  %l1 = alloca ptr addrspace(1)
  %l2 = alloca ptr addrspace(1)
  %l3 = alloca ptr addrspace(1)
  %l4 = alloca ptr addrspace(1)
  %l5 = alloca ptr addrspace(1)
  %l6 = alloca ptr addrspace(1)
  %l7 = alloca ptr addrspace(1)
  %l8 = alloca ptr addrspace(1)
  %l9 = alloca ptr addrspace(1)
  %l10 = alloca ptr addrspace(1)
  %l11 = alloca ptr addrspace(1)
  %l12 = alloca ptr addrspace(1)
  %l13 = alloca ptr addrspace(1)
  %l14 = alloca ptr addrspace(1)
  %l15 = alloca ptr addrspace(1)
  %l16 = alloca ptr addrspace(1)
  %l17 = alloca ptr addrspace(1)
  %p0 = alloca %pair
  %p1 = alloca %pair
  %p2 = alloca %pair
  %p3 = alloca %pair, align 16
  %p4 = alloca %pair
  %p5 = alloca %pair
  %p6 = alloca %pair
  %p7 = alloca %pair
  %p8 = alloca %pair
  %p9 = alloca %pair
  %p10 = alloca %pair
  %p11 = alloca %pair
  %p12 = alloca %pair
  %p13 = alloca %pair
  %p14 = alloca %pair
  %p15 = alloca %pair
  %wide = alloca ptr addrspace(1), align 16
  %many = alloca ptr addrspace(1), i32 2
  call void @llvm.lifetime.start.p0(ptr %l0)
    #dbg_declare(ptr %l17, !7, !DIExpression(), !8)
  store ptr addrspace(1) %r, ptr %l0
  call void @take_two(ptr %l1, ptr %l1), !dbg !8
  call void @llvm.memcpy.p0.p0.i64(ptr %p0, ptr %p15, i64 16, i1 false)
  call void @take(ptr %wide), !dbg !8
  call void @take(ptr %many), !dbg !8
  br i1 %c, label %other, label %join
other:
  br label %join
join:
  %which = phi ptr [ %l2, %entry ], [ %l3, %other ]
  call void @take(ptr %which), !dbg !8
  call void @take(ptr %l17), !dbg !8
  ret void
}

; Fifteen stay as they are.
; CHECK-LABEL: define void @few(
; CHECK-NOT: %locals
; CHECK: ret void
define void @few() gc "statepoint-example" {
  %l0 = alloca ptr addrspace(1)
  %l1 = alloca ptr addrspace(1)
  %l2 = alloca ptr addrspace(1)
  %l3 = alloca ptr addrspace(1)
  %l4 = alloca ptr addrspace(1)
  %l5 = alloca ptr addrspace(1)
  %l6 = alloca ptr addrspace(1)
  %l7 = alloca ptr addrspace(1)
  %l8 = alloca ptr addrspace(1)
  %l9 = alloca ptr addrspace(1)
  %l10 = alloca ptr addrspace(1)
  %l11 = alloca ptr addrspace(1)
  %l12 = alloca ptr addrspace(1)
  %l13 = alloca ptr addrspace(1)
  %l14 = alloca ptr addrspace(1)
  call void @take(ptr %l1)
  ret void
}

!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 7, !"Dwarf Version", i32 5}
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: FullDebug)
!3 = !DIFile(filename: "f.c", directory: "/")
!4 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 1, type: !5, unit: !2, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "seventeen", scope: !4, file: !3, line: 2, type: !9)
!8 = !DILocation(line: 2, scope: !4)
!9 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)

; Each form of store of references tells the runtime where it stores, and from which line. What would go wrong: CAIRN_VERIFY=stores names an older store to the same place.
; RUN: %cairn opt -p note-stores --note-stores -S %s | FileCheck %s
; RUN: %cairn opt -p note-stores -S %s | FileCheck %s --check-prefix=WITHOUT
; RUN: %cairn opt -p rules,prepare,insert-barriers,note-stores,verify-barriers,rewrite-statepoints,verify-safepoints,lower-barriers --barriers=cards --note-stores --disable-output %s
; WITHOUT-NOT: cairn_note_store
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK: [[LINE:@cairn.place[.0-9]*]] = private unnamed_addr constant [7 x i8] c"f.c:12\00"

; CHECK-LABEL: define void @one
; CHECK-NEXT: call void @cairn_note_store(ptr addrspace(1) %p, i64 8, ptr [[LINE]]), !dbg [[AT:![0-9]+]]
; CHECK-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %p, align 8, !dbg [[AT]]
; CHECK-NEXT: ret void
define void @one(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" !dbg !4 {
  store ptr addrspace(1) %v, ptr addrspace(1) %p, align 8, !dbg !5
  ret void
}

; Numbers, null, zeros, locals and globals: nothing that a barrier tells of.
; CHECK-LABEL: define void @none
; CHECK-NOT: cairn_note_store
; CHECK: ret void
@global = global ptr addrspace(1) null
define void @none(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  store i64 5, ptr addrspace(1) %p
  store ptr addrspace(1) null, ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr %local
  store ptr addrspace(1) %v, ptr @global
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 64, i1 false)
  ret void
}

; CHECK-LABEL: define void @many
; CHECK: call void @cairn_note_store(ptr addrspace(1) %p, i64 8, ptr [[PLACE:@.*]])
; CHECK-NEXT: [[AT:%.*]] = getelementptr i8, ptr addrspace(1) %p, i64 8
; CHECK-NEXT: call void @cairn_note_store(ptr addrspace(1) [[AT]], i64 8, ptr [[PLACE]])
; CHECK-COUNT-2: call void @cairn_note_store(ptr addrspace(1) %{{.*}}, i64 8, ptr [[PLACE]])
; CHECK-NEXT: store <4 x ptr addrspace(1)>
; CHECK: call void @cairn_note_store(ptr addrspace(1) %p, i64 8, ptr
; CHECK-NEXT: [[AT:%.*]] = getelementptr i8, ptr addrspace(1) %p, i64 16
; CHECK-NEXT: call void @cairn_note_store(ptr addrspace(1) [[AT]], i64 8, ptr
; CHECK-NEXT: store { ptr addrspace(1), i64, ptr addrspace(1) }
; CHECK: [[N:%.*]] = zext i32 %n to i64
; CHECK-NEXT: call void @cairn_note_copy(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 [[N]], ptr
; CHECK-NEXT: call void @llvm.memcpy
; CHECK: call void @cairn_note_copy(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %m, ptr
; CHECK-NEXT: call void @llvm.memmove
; CHECK: %[[FIRST:.*]] = getelementptr ptr addrspace(1), ptr addrspace(1) %p, i64 0
; CHECK-NEXT: %[[BIT0:.*]] = extractelement <4 x i1> %mask, i64 0
; CHECK-NEXT: %[[BYTES0:.*]] = select i1 %[[BIT0]], i64 8, i64 0
; CHECK-NEXT: call void @cairn_note_store(ptr addrspace(1) %[[FIRST]], i64 %[[BYTES0]], ptr
; CHECK: call void @llvm.masked.store
; CHECK: %[[FOURTH:.*]] = extractelement <4 x ptr addrspace(1)> %apart, i64 3
; CHECK-NEXT: %[[BIT:.*]] = extractelement <4 x i1> %mask, i64 3
; CHECK-NEXT: %[[BYTES:.*]] = select i1 %[[BIT]], i64 8, i64 0
; CHECK-NEXT: call void @cairn_note_store(ptr addrspace(1) %[[FOURTH]], i64 %[[BYTES]], ptr
; CHECK-NEXT: call void @llvm.masked.scatter
; CHECK: call void @cairn_note_store(ptr addrspace(1) %p, i64 8, ptr
; CHECK-NEXT: atomicrmw xchg
; CHECK: call void @cairn_note_store(ptr addrspace(1) %p, i64 8, ptr
; CHECK-NEXT: cmpxchg
define void @many(ptr addrspace(1) %p, ptr addrspace(1) %q, <4 x ptr addrspace(1)> %v, { ptr addrspace(1), i64, ptr addrspace(1) } %s, i32 %n, i64 %m, <4 x i1> %mask, <4 x ptr addrspace(1)> %apart) gc "statepoint-example" {
  store <4 x ptr addrspace(1)> %v, ptr addrspace(1) %p
  store { ptr addrspace(1), i64, ptr addrspace(1) } %s, ptr addrspace(1) %p
  call void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i1 false)
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %m, i1 false)
  call void @llvm.masked.store.v4p1.p1(<4 x ptr addrspace(1)> %v, ptr addrspace(1) %p, i32 8, <4 x i1> %mask)
  call void @llvm.masked.scatter.v4p1.v4p1(<4 x ptr addrspace(1)> %v, <4 x ptr addrspace(1)> align 8 %apart, <4 x i1> %mask)
  %old = atomicrmw xchg ptr addrspace(1) %p, ptr addrspace(1) %q seq_cst
  %pair = cmpxchg ptr addrspace(1) %p, ptr addrspace(1) %old, ptr addrspace(1) %q seq_cst seq_cst
  ret void
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "f.c", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "one", scope: !2, file: !2, line: 10, type: !3, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 12, column: 3, scope: !4)

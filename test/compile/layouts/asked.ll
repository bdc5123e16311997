; What a type asks of the collector: flags of its layout, and a bit of the offsets of weak fields. What would go wrong: a
; field that is not weak is marked, or a weak one is not, or one is asked for where there is no reference.
; RUN: rm -rf %t && split-file %s %t
; RUN: %cairn opt -p layouts -S %t/good.ll | FileCheck %s
; RUN: not %cairn opt -p layouts -S %t/bad.ll 2>&1 | FileCheck %s --check-prefix=BAD

;--- good.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%node = type { ptr addrspace(1), [3 x { i64, ptr addrspace(1), ptr addrspace(1) }], ptr addrspace(1) }
%table = type { ptr addrspace(1), [0 x { ptr addrspace(1), ptr addrspace(1) }] }
@weak = internal constant %node zeroinitializer, !cairn.type !{!"weak", !{!"first", i64 0}, !{!"in[].a", i64 16, i64 3, i64 24, !"weak"}, !{!"last", i64 80, !"weak"}}
@table = internal constant %table zeroinitializer, !cairn.type !{!"table", !{!"slot[].value", i64 16, i64 0, i64 16, !"weak"}}
@array = internal constant ptr addrspace(1) null, !cairn.type !{!"array", !{!"head", i64 0, !"weak"}}
@fin = internal constant i64 zeroinitializer, !cairn.type !{!"fin", !"finalisable"}
@stays = internal constant { ptr addrspace(1) } zeroinitializer, !cairn.type !{!"stays", !"never-moves", !"finalisable"}
; Fields 0, 16/40/64 and 24/48/72, 80; flags: 2 weak fields, 4 finalisable, 8 never moves, 1 no references
@pair = internal constant { ptr addrspace(1), ptr addrspace(1) } zeroinitializer, !cairn.type !{!"pair", !"ephemeron", !{!"key", i64 0, !"weak"}}
; CHECK: @cairn.layout.0 = {{.*}} i32 8, i64 88, i64 0, i32 0, i32 2, i32 0, {{.*}} [8 x i32] [i32 0, i32 17, i32 24, i32 41, i32 48, i32 65, i32 72, i32 81]
; CHECK: @cairn.layout.1 = {{.*}} i32 1, i64 8, i64 16, i32 8, i32 2, i32 2, {{.*}} [3 x i32] [i32 0, i32 0, i32 9]
; CHECK: @cairn.layout.2 = {{.*}} i32 0, i64 0, i64 8, i32 0, i32 2, i32 1, {{.*}} [1 x i32] [i32 1]
; CHECK: @cairn.layout.3 = {{.*}} i32 0, i64 8, i64 0, i32 0, i32 5, i32 0,
; An ephemeron is one with weak fields: 16 and 2
; CHECK: @cairn.layout.4 = {{.*}} i32 1, i64 8, i64 0, i32 0, i32 12, i32 0,
; CHECK: @cairn.layout.5 = {{.*}} i32 2, i64 16, i64 0, i32 0, i32 18, i32 0, {{.*}} [2 x i32] [i32 1, i32 8]
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)

define void @f() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @weak, i64 88)
  %b = call ptr addrspace(1) @cairn_alloc_flex(ptr @table, i64 7)
  %c = call ptr addrspace(1) @cairn_alloc_array(ptr @array, i64 7)
  %d = call ptr addrspace(1) @cairn_alloc(ptr @fin, i64 8)
  %e = call ptr addrspace(1) @cairn_alloc(ptr @stays, i64 8)
  %f = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  ret void
}

;--- bad.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; BAD: a weak field of t has no reference [type-metadata]
; BAD: a weak field of u has no reference [type-metadata]
; BAD: [type-metadata]
; BAD: v is an ephemeron, and has no weak field [type-metadata]
@a = internal constant { i64, ptr addrspace(1) } zeroinitializer, !cairn.type !{!"t", !{!"number", i64 0, !"weak"}}
@b = internal constant { i64, ptr addrspace(1) } zeroinitializer, !cairn.type !{!"u", !{!"next", i64 8, !"weak"}, !{!"beside", i64 16, !"weak"}}
@c = internal constant i64 zeroinitializer, !cairn.type !{!"t", !"unknown"}
@d = internal constant { ptr addrspace(1) } zeroinitializer, !cairn.type !{!"v", !"ephemeron"}
declare ptr addrspace(1) @cairn_alloc(ptr, i64)

define void @use() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @a, i64 16)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @b, i64 16)
  %c = call ptr addrspace(1) @cairn_alloc(ptr @c, i64 8)
  %d = call ptr addrspace(1) @cairn_alloc(ptr @d, i64 8)
  ret void
}

; Names of types and fields in IR: metadata of the layout static, or else the name of its type. Types with other names
; have layouts of their own, however equal.
; RUN: rm -rf %t && split-file %s %t
; RUN: %cairn opt -p layouts -S %t/good.ll | FileCheck %s
; RUN: %cairn opt -p layouts,layouts,globals -S %t/good.ll | FileCheck %s
; RUN: not %cairn opt -p layouts -S %t/bad.ll 2>&1 | FileCheck %s --check-prefix=BAD

;--- good.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%cell = type { ptr addrspace(1), i64 }
%struct.node.17 = type { ptr addrspace(1), i64 }
%table = type { i64, [0 x %cell] }
@cell.layout = internal constant %cell zeroinitializer
@node.layout = internal constant %struct.node.17 zeroinitializer
@said.layout = internal constant %cell zeroinitializer, !cairn.type !0
@again.layout = internal constant %cell zeroinitializer, !cairn.type !0
@table.layout = internal constant %table zeroinitializer, !cairn.type !3
@words.layout = internal constant i64 zeroinitializer
@root = global %cell zeroinitializer

; A root is no object: it has the layout of any type of its shape.
; CHECK-DAG: @[[CELL:cairn.names[.0-9]*]] = private unnamed_addr constant [5 x i8] c"cell\00", section "cairn_names", align 1
; CHECK-DAG: @cairn.layout.0 = {{.*}}trunc (i64 sub (i64 ptrtoint (ptr @[[CELL]] to i64), i64 ptrtoint (ptr @cairn.layout.0 to i64)) to i32), [1 x i32] zeroinitializer }, section "cairn_layouts"
; CHECK-DAG: @[[NODE:cairn.names[.0-9]*]] = {{.*}} c"struct node\00"
; CHECK-DAG: @cairn.layout.1 = {{.*}}@[[NODE]]
; CHECK-DAG: @[[CONS:cairn.names[.0-9]*]] = {{.*}} c"a cons cell\0A0 head\0A8 tail\00"
; CHECK-DAG: @cairn.layout.2 = {{.*}}@[[CONS]]
; CHECK-DAG: @[[TABLE:cairn.names[.0-9]*]] = {{.*}} c"table\0A8*0/16 slot[].key\00"
; CHECK-DAG: @cairn.layout.3 = {{.*}}@[[TABLE]]
; CHECK-DAG: @[[WORDS:cairn.names[.0-9]*]] = {{.*}} c"i64\00"
; CHECK-DAG: @cairn.layout.4 = {{.*}}@[[WORDS]]
; CHECK-NOT: @cairn.layout.5
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)

define void @f() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @node.layout, i64 16)
  %c = call ptr addrspace(1) @cairn_alloc(ptr @said.layout, i64 16)
  %d = call ptr addrspace(1) @cairn_alloc(ptr @again.layout, i64 16)
  %e = call ptr addrspace(1) @cairn_alloc_flex(ptr @table.layout, i64 5)
  %g = call ptr addrspace(1) @cairn_alloc_array(ptr @words.layout, i64 5)
  ret void
}
!0 = !{!"a cons cell", !1, !2}
!1 = !{!"head", i64 0}
!2 = !{!"tail", i64 8}
!3 = !{!"table", !4}
!4 = !{!"slot[].key", i64 8, i64 0, i64 16}

;--- bad.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%tree = type { ptr addrspace(1), ptr addrspace(1), i64 }
; BAD-COUNT-8: [type-metadata]
; BAD: field right of tree is at offset 9, inside of the reference at offset 8 [type-metadata]
; BAD: field depth of tree is at offset 77, and the type has 24 bytes [type-metadata]
; BAD: field depth of tree is at offset 24, and the type has 24 bytes [type-metadata]
; BAD: field all of tree is at offset 32, and the type has 24 bytes [type-metadata]
; BAD: field all of tree is at offset 18446744073709551615, and the type has 24 bytes [type-metadata]
; BAD-NOT: [type-metadata]
@a = internal constant i64 zeroinitializer, !cairn.type !{}
@b = internal constant i64 zeroinitializer, !cairn.type !{i64 1}
@c = internal constant i64 zeroinitializer, !cairn.type !{!"two\0Alines"}
@d = internal constant i64 zeroinitializer, !cairn.type !{!"t", !"field"}
@e = internal constant i64 zeroinitializer, !cairn.type !{!"t", !{!"field"}}
@f = internal constant i64 zeroinitializer, !cairn.type !{!"t", !{!"field", i64 0, i64 1}}
@g = internal constant i64 zeroinitializer, !cairn.type !{!"t", !{!"field", i64 0, i64 1, i64 0}}
@h = internal constant i64 zeroinitializer, !cairn.type !{!"t", null}
@i = internal constant %tree zeroinitializer, !cairn.type !{!"tree", !{!"left", i64 0}, !{!"right", i64 9}}
@j = internal constant %tree zeroinitializer, !cairn.type !{!"tree", !{!"depth", i64 77}}
@k = internal constant %tree zeroinitializer, !cairn.type !{!"tree", !{!"depth", i64 24}}
@l = internal constant %tree zeroinitializer, !cairn.type !{!"tree", !{!"all", i64 16, i64 3, i64 8}}
@m = internal constant %tree zeroinitializer, !cairn.type !{!"tree", !{!"all", i64 16, i64 3, i64 -8}}
; Within bounds: the last byte, an element of an array, an object that is larger than its type.
@n = internal constant %tree zeroinitializer, !cairn.type !{!"tree", !{!"last", i64 23}, !{!"all", i64 16, i64 8, i64 1}}
@o = internal constant %tree zeroinitializer, !cairn.type !{!"tree", !{!"rest", i64 24}}
declare ptr addrspace(1) @cairn_alloc(ptr, i64)

define void @use() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @a, i64 8)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @b, i64 8)
  %c = call ptr addrspace(1) @cairn_alloc(ptr @c, i64 8)
  %d = call ptr addrspace(1) @cairn_alloc(ptr @d, i64 8)
  %e = call ptr addrspace(1) @cairn_alloc(ptr @e, i64 8)
  %f = call ptr addrspace(1) @cairn_alloc(ptr @f, i64 8)
  %g = call ptr addrspace(1) @cairn_alloc(ptr @g, i64 8)
  %h = call ptr addrspace(1) @cairn_alloc(ptr @h, i64 8)
  %i = call ptr addrspace(1) @cairn_alloc(ptr @i, i64 24)
  %j = call ptr addrspace(1) @cairn_alloc(ptr @j, i64 24)
  %k = call ptr addrspace(1) @cairn_alloc(ptr @k, i64 24)
  %l = call ptr addrspace(1) @cairn_alloc(ptr @l, i64 24)
  %m = call ptr addrspace(1) @cairn_alloc(ptr @m, i64 24)
  %n = call ptr addrspace(1) @cairn_alloc(ptr @n, i64 24)
  %o = call ptr addrspace(1) @cairn_alloc(ptr @o, i64 32)
  ret void
}

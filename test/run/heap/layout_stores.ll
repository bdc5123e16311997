; A reference is stored where the layout of the object has none, by a function that does not know the object. CAIRN_VERIFY=stores names object, offset, layout and store. What would go wrong: it looks up the wrong place of an array, or accuses a right store.
; RUN: rm -rf %t && mkdir %t && cd %t
; RUN: %cairn-cc -O2 -fcairn-note-stores %s -o two && %cairn-cc -O0 -fcairn-note-stores %s -o zero
; RUN: %cairn-cc -O2 -fcairn-collector=semispace -fcairn-note-stores %s -o semispace
; RUN: for p in two zero semispace; do env CAIRN_VERIFY=stores ./$p && env CAIRN_STRESS=1 CAIRN_VERIFY=stores ./$p || exit 1; done
; RUN: for p in two zero semispace; do for wrong in 1 "1 2" "1 2 3" "1 2 3 4" "1 2 3 4 5" "1 2 3 4 5 6" "1 2 3 4 5 6 7" "1 2 3 4 5 6 7 8"; do \
; RUN:   not --crash env CAIRN_VERIFY=stores ./$p $wrong 2>&1 | grep fatal: || exit 1; done; done | FileCheck %s
; CHECK: has at offset 8, in pair at offset 8, the reference 0x{{.*}}, where the layout of pair has none: {{.*}} [layout-store]; stored at pc 0x{{[0-9a-f]+}} (set+0x
; CHECK: has at offset 56, in cell[3] at offset 8, {{.*}} where the layout of cell[] has none
; CHECK: has at offset 32, in table at offset 32, {{.*}} where the layout of table has none
; CHECK: has at offset 40, in cell[2] at offset 8, {{.*}} (set_both+0x
; CHECK: the reference 0x{{.*}}: where no object starts; stored at pc {{.*}} (set+0x
; CHECK: in cell[4] at offset 8, {{.*}} (set_masked+0x
; CHECK: in cell[5] at offset 8, {{.*}} (set_scattered+0x
; CHECK: has at offset 8, in pair at offset 8, {{.*}} (copy+0x
; CHECK: has at offset 8, in pair at offset 8
; CHECK: in cell[3] at offset 8
; CHECK: in table at offset 32
; CHECK: in cell[2] at offset 8
; CHECK: where no object starts; stored at pc {{.*}} (set+0x
; CHECK: in cell[4] at offset 8, {{.*}} (set_masked+0x
; CHECK: in cell[5] at offset 8, {{.*}} (set_scattered+0x
; CHECK: has at offset 8, in pair at offset 8, {{.*}} (copy+0x
; CHECK: has at offset 8, in pair at offset 8
; CHECK: in cell[3] at offset 8
; CHECK: in table at offset 32
; CHECK: in cell[2] at offset 8
; CHECK: where no object starts; stored at pc {{.*}} (set+0x
; CHECK: in cell[4] at offset 8, {{.*}} (set_masked+0x
; CHECK: in cell[5] at offset 8, {{.*}} (set_scattered+0x
; CHECK: has at offset 8, in pair at offset 8, {{.*}} (copy+0x

%pair = type { i64, i64 }
%cell = type { ptr addrspace(1), i64 }
%table = type { i64, [0 x %cell] }
@pair = internal constant %pair zeroinitializer
@cell = internal constant %cell zeroinitializer
@table = internal constant %table zeroinitializer
@kept = internal global [3 x ptr addrspace(1)] zeroinitializer

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)
declare void @cairn_collect()

define internal void @set(ptr addrspace(1) %o, i64 %i, ptr addrspace(1) %v) noinline gc "statepoint-example" {
  %at = getelementptr i64, ptr addrspace(1) %o, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %at
  ret void
}

define internal void @set_both(ptr addrspace(1) %o, i64 %i, ptr addrspace(1) %v) noinline gc "statepoint-example" {
  %at = getelementptr i64, ptr addrspace(1) %o, i64 %i
  %one = insertvalue { ptr addrspace(1), ptr addrspace(1) } zeroinitializer, ptr addrspace(1) %v, 0
  %both = insertvalue { ptr addrspace(1), ptr addrspace(1) } %one, ptr addrspace(1) %v, 1
  store { ptr addrspace(1), ptr addrspace(1) } %both, ptr addrspace(1) %at
  ret void
}

declare void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)>, ptr addrspace(1), <2 x i1>)
declare void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x ptr addrspace(1)>, <2 x i1>)

; The second lane would go where the layout has none.
define internal void @set_masked(ptr addrspace(1) %o, i64 %i, ptr addrspace(1) %v, <2 x i1> %mask) noinline gc "statepoint-example" {
  %at = getelementptr i64, ptr addrspace(1) %o, i64 %i
  %one = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %v, i64 0
  %both = insertelement <2 x ptr addrspace(1)> %one, ptr addrspace(1) %v, i64 1
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %both, ptr addrspace(1) align 8 %at, <2 x i1> %mask)
  ret void
}

declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

define internal void @copy(ptr addrspace(1) %o, i64 %i, ptr addrspace(1) %from, i64 %n) noinline gc "statepoint-example" {
  %at = getelementptr i64, ptr addrspace(1) %o, i64 %i
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) align 8 %at, ptr addrspace(1) align 8 %from, i64 %n, i1 false)
  ret void
}

define internal void @set_scattered(ptr addrspace(1) %o, <2 x i64> %i, ptr addrspace(1) %v, <2 x i1> %mask) noinline gc "statepoint-example" {
  %at = getelementptr i64, ptr addrspace(1) %o, <2 x i64> %i
  %one = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %v, i64 0
  %both = insertelement <2 x ptr addrspace(1)> %one, ptr addrspace(1) %v, i64 1
  call void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> %both, <2 x ptr addrspace(1)> align 8 %at, <2 x i1> %mask)
  ret void
}

define i32 @main(i32 %argc, ptr %argv) gc "statepoint-example" {
  %v = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @cell, i64 10)
  %t = call ptr addrspace(1) @cairn_alloc_flex(ptr @table, i64 3)
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store ptr addrspace(1) %a, ptr @kept
  store ptr addrspace(1) %t, ptr getelementptr (i8, ptr @kept, i64 8)
  store ptr addrspace(1) %o, ptr getelementptr (i8, ptr @kept, i64 16)
  call void @set(ptr addrspace(1) %a, i64 4, ptr addrspace(1) %v)
  call void @set(ptr addrspace(1) %a, i64 18, ptr addrspace(1) %v)
  call void @set(ptr addrspace(1) %t, i64 1, ptr addrspace(1) %v)
  call void @set(ptr addrspace(1) %t, i64 5, ptr addrspace(1) %v)
  call void @set_masked(ptr addrspace(1) %a, i64 8, ptr addrspace(1) %v, <2 x i1> <i1 true, i1 false>)
  call void @set_scattered(ptr addrspace(1) %a, <2 x i64> <i64 10, i64 11>, ptr addrspace(1) %v, <2 x i1> <i1 true, i1 false>)
  call void @copy(ptr addrspace(1) %a, i64 12, ptr addrspace(1) %a, i64 32)
  call void @copy(ptr addrspace(1) %t, i64 1, ptr addrspace(1) %a, i64 16)
  call void @copy(ptr addrspace(1) %o, i64 0, ptr addrspace(1) %o, i64 16)
  switch i32 %argc, label %go [
    i32 2, label %one
    i32 3, label %two
    i32 4, label %three
    i32 5, label %four
    i32 6, label %five
    i32 7, label %six
    i32 8, label %seven
    i32 9, label %eight
  ]
one:
  call void @set(ptr addrspace(1) %o, i64 1, ptr addrspace(1) %v)
  br label %go
two:
  call void @set(ptr addrspace(1) %a, i64 7, ptr addrspace(1) %v)
  br label %go
three:
  %element = getelementptr i8, ptr addrspace(1) %t, i64 8
  call void @set(ptr addrspace(1) %element, i64 3, ptr addrspace(1) %v)
  br label %go
four:
  call void @set_both(ptr addrspace(1) %a, i64 4, ptr addrspace(1) %v)
  br label %go
five:
  %inside = getelementptr i8, ptr addrspace(1) %v, i64 8
  call void @set(ptr addrspace(1) %a, i64 6, ptr addrspace(1) %inside)
  br label %go
six:
  call void @set_masked(ptr addrspace(1) %a, i64 8, ptr addrspace(1) %v, <2 x i1> <i1 true, i1 true>)
  br label %go
seven:
  call void @set_scattered(ptr addrspace(1) %a, <2 x i64> <i64 10, i64 11>, ptr addrspace(1) %v, <2 x i1> <i1 true, i1 true>)
  br label %go
eight:
  %third = getelementptr i64, ptr addrspace(1) %a, i64 4
  call void @copy(ptr addrspace(1) %o, i64 1, ptr addrspace(1) %third, i64 8)
  br label %go
go:
  call void @cairn_collect()
  ret i32 0
}

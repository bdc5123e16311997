; RUN: %cairn-cc -O0 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; Globals and functions of every linkage. A private function has no symbol in the object, by which its frame map would be
; found; a global that is not found would hold a reference to where its object was.
; CHECK: {{^}}1{{$}}
; CHECK: {{^}}2{{$}}
; CHECK: {{^}}3{{$}}
; CHECK: {{^}}4{{$}}
; CHECK: {{^}}5{{$}}
; CHECK: {{^}}6{{$}}
; CHECK: {{^}}60{{$}}
; CHECK: {{^}}7{{$}}
; CHECK: {{^}}8{{$}}
; CHECK: {{^}}9{{$}}
; CHECK: {{^}}10{{$}}

%node = type { ptr addrspace(1), i64 }
@L = private constant %node zeroinitializer
@g1 = private global ptr addrspace(1) null
@g2 = weak global ptr addrspace(1) null
@g3 = linkonce_odr global [2 x ptr addrspace(1)] zeroinitializer
@g4 = common global ptr addrspace(1) null
@g5 = hidden global <{ i8, [7 x i8], ptr addrspace(1) }> zeroinitializer, align 8
@"quoted g$ 6" = internal global ptr addrspace(1) null
@0 = internal global ptr addrspace(1) null
@g7 = global ptr addrspace(1) null, section "mysec"
@g8 = global [2 x <2 x ptr addrspace(1)>] zeroinitializer
@g9 = internal unnamed_addr global ptr addrspace(1) null, align 32
$g10 = comdat any
@g10 = global ptr addrspace(1) null, comdat
@g11 = private unnamed_addr constant ptr addrspace(1) null
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @printf(ptr, ...)
@f = private constant [5 x i8] c"%ld\0A\00"
define private ptr addrspace(1) @mk(i64 %v) noinline gc "statepoint-example" {
  %n = call ptr addrspace(1) @cairn_alloc(ptr @L, i64 16)
  %g = getelementptr i8, ptr addrspace(1) %n, i64 8
  store i64 %v, ptr addrspace(1) %g
  ret ptr addrspace(1) %n
}
define private void @put(ptr %slot, i64 %v) noinline gc "statepoint-example" {
  %n = call ptr addrspace(1) @mk(i64 %v)
  store ptr addrspace(1) %n, ptr %slot
  ret void
}
define private void @1(ptr %slot) noinline gc "statepoint-example" {
  %n = load ptr addrspace(1), ptr %slot
  call void @cairn_collect()
  %g = getelementptr i8, ptr addrspace(1) %n, i64 8
  %v = load i64, ptr addrspace(1) %g
  %p = call i32 (ptr, ...) @printf(ptr @f, i64 %v)
  ret void
}
define i32 @main(i32 %c, ptr %v) gc "statepoint-example" {
  call void @put(ptr @g1, i64 1)
  call void @put(ptr @g2, i64 2)
  call void @put(ptr getelementptr(i8, ptr @g3, i64 8), i64 3)
  call void @put(ptr @g4, i64 4)
  call void @put(ptr getelementptr(i8, ptr @g5, i64 8), i64 5)
  call void @put(ptr @"quoted g$ 6", i64 6)
  call void @put(ptr @0, i64 60)
  call void @put(ptr @g7, i64 7)
  call void @put(ptr getelementptr(i8, ptr @g8, i64 24), i64 8)
  call void @put(ptr @g9, i64 9)
  call void @put(ptr @g10, i64 10)
  call void @cairn_collect()
  call void @1(ptr @g1)
  call void @1(ptr @g2)
  call void @1(ptr getelementptr(i8, ptr @g3, i64 8))
  call void @1(ptr @g4)
  call void @1(ptr getelementptr(i8, ptr @g5, i64 8))
  call void @1(ptr @"quoted g$ 6")
  call void @1(ptr @0)
  call void @1(ptr @g7)
  call void @1(ptr getelementptr(i8, ptr @g8, i64 24))
  call void @1(ptr @g9)
  call void @1(ptr @g10)
  ret i32 0
}

; The classes and widths of a statepoint's deopt values, in its description and in section cairn_details. Wrong: a
; deoptimiser reads a value as another kind, another width, or what LLVM put in the place of an undefined value.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,verify-points -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cairn opt -p strip-statepoints,rewrite-statepoints,verify-points -S %t.ll | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-points --slots=always -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-points --slots=always %s -o %t.bc && llc -filetype=obj %t.bc -o %t.raw.o && %cairn frames --rewrite %t.raw.o -o %t.o && %cairn frames %t.o | FileCheck --check-prefix=FRAMES %s
; Readers of pairs get the program's operands alone, unless these are records.
; RUN: %cairn opt -p rewrite-statepoints,verify-points --roots=pairs -S %s | FileCheck --check-prefix=PAIRS %s
; DEFINE: %{options} =
; DEFINE: %{frames} = %cairn-cc %{options} -c %s -o %t.o && %cairn frames %t.o | FileCheck --check-prefix=FRAMES %s
; RUN: %{frames}
; REDEFINE: %{options} = -O0
; RUN: %{frames}
; REDEFINE: %{options} = -O2
; RUN: %{frames}
; REDEFINE: %{options} = -O2 -fcairn-safepoints=early
; RUN: %{frames}
; REDEFINE: %{options} = -O2 -fno-omit-frame-pointer
; RUN: %{frames}
; A reader of the C library's JSON finds the same.
; RUN: %cairn frames --json %t.o | python3 -c 'import json, sys; o = json.load(sys.stdin)["objects"][0]; v = [v for f in o["functions"] for s in f["safepoints"] for v in s["deopt"]]; print([x["bits"] for x in v if x["class"] == "vector"], sum(x["class"] == "reference" for x in v))' | grep -x '\[128, 16, 48, 96\] 5'
; A description that does not fit. The first fault: another class; another width; a class too few.
; DEFINE: %{edit} =
; DEFINE: %{refuse} = sed %{edit} %t.ll > %t.bad.ll && not cmp -s %t.ll %t.bad.ll && not %cairn opt -p verify-points --disable-output %t.bad.ll 2>&1 | FileCheck --check-prefix=WRONG %s && llc -filetype=obj %t.bad.ll -o %t.bad.o
; REDEFINE: %{edit} = 's/i64 16387, i64 16387, i64 16389, i64 16386, i64 8)/i64 16387, i64 16386, i64 16389, i64 16386, i64 8)/'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/i64 16387, i64 16387, i64 16389, i64 16386, i64 8)/i64 16387, i64 8195, i64 16389, i64 16386, i64 8)/'
; RUN: %{refuse} && not %cairn frames --rewrite %t.bad.o -o %t.out.o 2>&1 | FileCheck --check-prefix=MALFORMED %s
; REDEFINE: %{edit} = 's/i64 16387, i64 16387, i64 16389, i64 16386, i64 8)/i64 16387, i64 16389, i64 16386, i64 7)/'
; RUN: %{refuse} && not %cairn frames --rewrite %t.bad.o -o %t.out.o 2>&1 | FileCheck --check-prefix=MALFORMED %s
; REDEFINE: %{edit} = 's/"deopt"(i64 1128351314[0-9]*, i64 3, i64 7, i64 9, i64 0, i64 0, .*, i64 10)/"deopt"(i64 4847652539576877062, i64 3, i64 7, i64 9, i64 0, i64 0)/; s/\("deopt"(i64 [0-9]*, i64 3, i64 7, i64 9, i64 0, i64 0\)[^)]*)/\1)/'
; RUN: %{refuse}
; WRONG: the description of the point at {{.*}} [point-description]
; MALFORMED: the description of a point is malformed
; A number that is called a reference has no root: the object side refuses it.
; RUN: sed 's/i64 0, i64 0, i64 16384, i64 8192, i64 256/i64 0, i64 0, i64 16387, i64 8192, i64 256/' %t.ll > %t.bad.ll && not cmp -s %t.ll %t.bad.ll && llc -filetype=obj %t.bad.ll -o %t.bad.o && not %cairn frames --rewrite %t.bad.o -o %t.out.o 2>&1 | FileCheck --check-prefix=ROOT %s
; ROOT: a reference among the deopt values is not a root
; LLVM 22 lists a reference of deopt values that has no relocate as a base: the collector would take the inside of an
; object for an object.
; RUN: grep -v 'relocate.*i32 0, i32 1' %t.ll > %t.bad.ll && not %cairn verify %t.bad.ll 2>&1 | FileCheck --check-prefix=BASE %s
; BASE: {{.*}} may point into an object, and is among the deopt values without a relocate that names its base, at the call to @g [wrong-base]
; LLVM 22 leaves a long double out of a record of live-in values, without a word.
; RUN: sed 's/"deopt-lowering"="live-through"/"deopt-lowering"="live-in"/' %s > %t.in.ll && not %cairn opt -p rewrite-statepoints --disable-output %t.in.ll 2>&1 | FileCheck --check-prefix=LIVEIN %s
; LIVEIN: LLVM 22 leaves a long double out of a record with "deopt-lowering"="live-in"{{.*}} [deopt-aggregate]
; A statepoint that a front end wrote has no description: its values have no class.
; RUN: sed '/^define void @numbers/,/^}/s/, i64 4846245170335664462[^)]*)/)/' %t.ll > %t.given.ll && not cmp -s %t.ll %t.given.ll && %cairn opt -p verify-points --disable-output %t.given.ll && llc -filetype=obj %t.given.ll -o %t.given.o && %cairn frames --rewrite %t.given.o -o %t.given.new.o && %cairn frames %t.given.new.o | FileCheck --check-prefix=UNKNOWN %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
target triple = "x86_64-unknown-linux-gnu"
declare void @g()
declare void @keep(ptr)

; A width of 64 bits is 16384, of 1 bit 256; the class is in the low byte.
; CHECK-LABEL: define void @numbers
; LLVM 22 records the address of an i128 that was passed on the stack, in the place of the value.
; CHECK: [[WIDE:%.*]] = freeze i128 %w
; CHECK: "deopt"(i64 %n, i32 %i, i1 %b, i8 %c, i24 %t, half %h, bfloat %f, float %s, double %d, x86_fp80 %x, i128 [[WIDE]], i33 %o, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 16384, i64 8192, i64 256, i64 2048, i64 6144, i64 4097, i64 4096, i64 8193, i64 16385, i64 20481, i64 32768, i64 8448, i64 16)
; PAIRS-LABEL: define void @numbers
; PAIRS: "deopt"(i64 %n, i32 %i, i1 %b, i8 %c, i24 %t, half %h, bfloat %f, float %s, double %d, x86_fp80 %x, i128 {{.*}}, i33 %o) ]
; FRAMES-LABEL: function numbers:
; FRAMES: deopt integer of 64 bits: [
; FRAMES-NEXT: deopt integer of 32 bits: [
; FRAMES-NEXT: deopt integer of 1 bits: [
; FRAMES-NEXT: deopt integer of 8 bits: [
; FRAMES-NEXT: deopt integer of 24 bits: [
; FRAMES-NEXT: deopt float of 16 bits: [
; FRAMES-NEXT: deopt integer of 16 bits: [
; FRAMES-NEXT: deopt float of 32 bits: [
; FRAMES-NEXT: deopt float of 64 bits: [
; FRAMES-NEXT: deopt float of 80 bits: [
; FRAMES-NEXT: deopt integer of 128 bits: [
; FRAMES-NEXT: deopt integer of 33 bits: [
; UNKNOWN-LABEL: function numbers:
; UNKNOWN: deopt [
; UNKNOWN-NEXT: deopt [rsp + {{[0-9]+}}] (4 bytes)
define void @numbers(i64 %n, i32 %i, i1 %b, i8 %c, i24 %t, half %h, bfloat %f, float %s, double %d, x86_fp80 %x, i128 %w, i33 %o) gc "statepoint-example" {
  call void @g() "deopt-lowering"="live-through" [ "deopt"(i64 %n, i32 %i, i1 %b, i8 %c, i24 %t, half %h, bfloat %f, float %s, double %d, x86_fp80 %x, i128 %w, i33 %o) ]
  ret void
}

; The constants of LLVM's record have 64 bits: those above the width are none of the value's. An integer of more than 64
; bits is in memory, also if it is constant.
; FRAMES-LABEL: function constants:
; FRAMES: deopt constant 5
; FRAMES-NEXT: deopt integer of 32 bits: constant -42
; FRAMES-NEXT: deopt integer of 1 bits: constant -1
; FRAMES-NEXT: deopt integer of 8 bits: constant -1
; FRAMES-NEXT: deopt float of 64 bits: constant 4607182418800017408
; FRAMES-NEXT: deopt float of 32 bits: constant 1073741824
; FRAMES-NEXT: deopt float of 16 bits: constant 15360
; FRAMES-NEXT: deopt integer of 128 bits: [
; FRAMES-NEXT: deopt integer of 24 bits: constant 3
; FRAMES-NEXT: deopt constant -9223372036854775808
define void @constants() gc "statepoint-example" {
  call void @g() [ "deopt"(i64 5, i32 -42, i1 true, i8 255, double 1.0, float 2.0, half 1.0, i128 -1, i24 3, i64 -9223372036854775808) ]
  ret void
}

; A reference may point into its object: its place is a root's, which has the base.
; CHECK-LABEL: define void @pointers
; CHECK: [[IN:%.*]] = freeze ptr addrspace(1) %in
; CHECK: "deopt"(ptr addrspace(1) %p, ptr addrspace(1) [[IN]], ptr %l, ptr %q, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 16387, i64 16387, i64 16389, i64 16386, i64 8
; CHECK: gc.relocate.p1(token %{{.*}}, i32 0, i32 1)
; FRAMES-LABEL: function pointers:
; FRAMES: derived [[IN:.*]] from [[P:.*]]
; FRAMES: deopt reference: [[P]]
; FRAMES-NEXT: deopt reference: [[IN]]
; FRAMES-NEXT: deopt local: r{{[sb]}}p
; FRAMES-NEXT: deopt pointer: [
define void @pointers(ptr addrspace(1) %p, i64 %n, ptr %q) gc "statepoint-example" {
  %l = alloca i64
  store volatile i64 1, ptr %l
  %in = getelementptr i8, ptr addrspace(1) %p, i64 %n
  call void @g() [ "deopt"(ptr addrspace(1) %p, ptr addrspace(1) %in, ptr %l, ptr %q) ]
  ret void
}

; LLVM 22 deletes the relocate of a GEP with constant indices if its base is relocated, too.
; FRAMES-LABEL: function constant_place:
; FRAMES: derived [[IN:.*]] from
; FRAMES: deopt reference: [[IN]]
define i64 @constant_place(ptr addrspace(1) %p) gc "statepoint-example" {
  %in = getelementptr i8, ptr addrspace(1) %p, i64 8
  call void @g() [ "deopt"(ptr addrspace(1) %in) ]
  %v = load i64, ptr addrspace(1) %in
  %w = load i64, ptr addrspace(1) %p
  %s = add i64 %v, %w
  ret i64 %s
}

; An undefined reference becomes null.
; CHECK-LABEL: define void @undefined
; CHECK: i64 16388, i64 16387, i64 32772, i64 16387, i64 8)
; FRAMES-LABEL: function undefined:
; FRAMES: deopt undefined{{$}}
; FRAMES-NEXT: deopt reference: constant 0
; FRAMES-NEXT: deopt undefined{{$}}
; FRAMES-NEXT: deopt reference: constant 0
define void @undefined() gc "statepoint-example" {
  call void @g() [ "deopt"(i64 undef, ptr addrspace(1) poison, <4 x i32> undef, ptr addrspace(1) null) ]
  ret void
}

; FRAMES-LABEL: function vectors:
; FRAMES: deopt vector of 128 bits: [
; FRAMES-NEXT: deopt vector of 16 bits: [
; FRAMES-NEXT: deopt vector of 48 bits: [
; FRAMES-NEXT: deopt vector of 96 bits: [
define void @vectors(<2 x i64> %a, <2 x i8> %b, <3 x i16> %c, <3 x float> %d) gc "statepoint-example" {
  call void @g() [ "deopt"(<2 x i64> %a, <2 x i8> %b, <3 x i16> %c, <3 x float> %d) ]
  ret void
}

; A record, which is described for all readers.
; CHECK-LABEL: define void @record
; PAIRS-LABEL: define void @record
; PAIRS: "deopt"(i64 4847652539576877062, i64 3, i64 7, i64 9, i64 0, i64 0, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 16384, i64 16384, i64 16384, i64 16384, i64 16384, i64 16384, i64 10)
define void @record() gc "statepoint-example" {
  call void @g() [ "deopt"(i64 4847652539576877062, i64 3, i64 7, i64 9, i64 0, i64 0) ]
  ret void
}

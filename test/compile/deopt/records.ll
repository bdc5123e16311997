; verify-deopt: the frame records of a bundle are well formed, also after inlining and in statepoints. What would go wrong:
; a take-over reads other values than the front end meant. Each edit of the right module is one fault.
; RUN: rm -rf %t && mkdir %t && sed -n '/^target/,$p' %s > %t/right.ll && %cairn opt -p verify-deopt --disable-output %t/right.ll
; RUN: for o in 0 2; do %cairn-cc -O$o -c %t/right.ll -o %t/right.o || exit 1; done
; RUN: %cairn opt -p rewrite-statepoints,verify-deopt -S %t/right.ll -o %t/statepoints.ll
; Inlined, the caller's records come first.
; RUN: opt -passes='cgscc(inline)' -S %t/right.ll | %cairn opt -p verify-deopt -S - | FileCheck %s
; CHECK-LABEL: define void @outer
; CHECK: @g() [ "deopt"(i64 4847652539576877062, i64 3, i64 1, i64 2, i64 0, i64 0, i64 4847652539576877062, i64 3, i64 5, i64 6, i64 0, i64 0) ]
; DEFINE: %{edit} =
; DEFINE: %{says} =
; DEFINE: %{refuse} = sed %{edit} %t/right.ll > %t/bad.ll && not cmp -s %t/right.ll %t/bad.ll && not %cairn opt -p verify-deopt --disable-output %t/bad.ll 2>&1 | FileCheck --check-prefix=%{says} %s && not %cairn-cc -c %t/bad.ll -o %t/bad.o 2>&1 | FileCheck --check-prefix=RULE %s
; RULE: [deopt-record]
; REDEFINE: %{says} = LENGTH
; REDEFINE: %{edit} = 's/i64 4847652539576877062, i64 65538/i64 4847652539576877116, i64 65538/'
; RUN: %{refuse}
; LENGTH: deopt operand 0 of call to @g gives its record another length than the bundle has operands for
; REDEFINE: %{says} = EMPTY
; REDEFINE: %{edit} = 's/i64 4847652539576877062, i64 65538/i64 4847652539576877056, i64 65538/'
; RUN: %{refuse}
; EMPTY: deopt operand 0 of call to @g gives its record another length than the bundle has operands for
; REDEFINE: %{says} = HEADER
; REDEFINE: %{edit} = 's/i64 4847652539576877062, i64 65538/i64 4847652539576877063, i64 65538/'
; RUN: %{refuse}
; HEADER: deopt operand 7 of call to @g must be the header of a record, since the one before ends there
; REDEFINE: %{says} = SHORT
; REDEFINE: %{edit} = 's/i64 4850168209296326663, i64 2, i64 1,/i64 4850168209296326658, i64 2, i64 1,/'
; RUN: %{refuse}
; SHORT: deopt operand 23 of call to @g is missing from its record
; REDEFINE: %{says} = LANGUAGE
; REDEFINE: %{edit} = 's/i64 2, i64 21,/i64 256, i64 21,/'
; RUN: %{refuse}
; LANGUAGE: deopt operand 7 of call to @g names an unknown kind of result, or a language of 256 or more
; REDEFINE: %{says} = LANGUAGE2
; REDEFINE: %{edit} = 's/i64 2, i64 21,/i64 262144, i64 21,/'
; RUN: %{refuse}
; LANGUAGE2: deopt operand 7 of call to @g names an unknown kind of result, or a language of 256 or more
; REDEFINE: %{says} = CONSTANT
; REDEFINE: %{edit} = 's/i64 2, i64 21,/i64 %n, i64 21,/'
; RUN: %{refuse}
; CONSTANT: deopt operand 7 of call to @g is not a constant i64, as the head of a record is
; REDEFINE: %{says} = VALUES
; REDEFINE: %{edit} = 's/i64 4294967298, i64 1, ptr/i64 38654705666, i64 1, ptr/'
; RUN: %{refuse}
; VALUES: deopt operand 10 of call to @g announces more values than its record has
; REDEFINE: %{says} = OBJECTS
; REDEFINE: %{edit} = 's/i64 4294967298, i64 1, ptr/i64 4294967298, i64 9, ptr/'
; RUN: %{refuse}
; OBJECTS: deopt operand 11 of call to @g announces more objects than its record has operands for
; REDEFINE: %{says} = FIELDS
; REDEFINE: %{edit} = 's/i64 8589934599, i64 0/i64 12884901895, i64 0/'
; RUN: %{refuse}
; FIELDS: deopt operand 15 of call to @g announces more fields than its record has operands for
; REDEFINE: %{says} = OVER
; REDEFINE: %{edit} = 's/i64 8589934599, i64 0/i64 4294967303, i64 0/'
; RUN: %{refuse}
; OVER: deopt operand 19 of call to @g is left over in its record
; REDEFINE: %{says} = OFFSET
; REDEFINE: %{edit} = 's/i64 16, i24 0/i64 8, i24 0/'
; RUN: %{refuse}
; OFFSET: deopt operand 19 of call to @g is an offset before the end of the field before
; REDEFINE: %{says} = FAR
; REDEFINE: %{edit} = 's/i64 16, i24 0/i64 -8, i24 0/'
; RUN: %{refuse}
; FAR: deopt operand 19 of call to @g is an offset above 2^30
; REDEFINE: %{says} = ELEMENTS
; REDEFINE: %{edit} = 's/i64 8589934599, i64 0/i64 8589934599, i64 1073741825/'
; RUN: %{refuse}
; ELEMENTS: deopt operand 16 of call to @g is a number of elements above 2^30
; REDEFINE: %{says} = FRAMELESS
; REDEFINE: %{edit} = 's/i64 7, i64 %n/i64 4850168209296326663, i64 2, i64 1, i64 4294967300, i64 0, i64 8, i64 %n/'
; RUN: %{refuse}
; FRAMELESS: deopt operand 0 of call to @g begins records without a frame
; REDEFINE: %{says} = INSIDE
; REDEFINE: %{edit} = 's/double %d, i64 16,/ptr addrspace(1) %inside, i64 16,/'
; RUN: sed %{edit} %t/right.ll > %t/bad.ll && not %cairn opt -p verify-deopt --disable-output %t/bad.ll 2>&1 | FileCheck --check-prefix=INSIDE %s
; INSIDE: deopt operand 18 of call to @g is an address in an object; a field refers to the start of its object
; REDEFINE: %{says} = OWN
; REDEFINE: %{edit} = 's/ i24 0, i24 8388608, / i24 1, i24 8388608, /'
; RUN: %{refuse}
; OWN: deopt operand 13 of call to @g stands for an object that no record has
; REDEFINE: %{says} = SHARED
; REDEFINE: %{edit} = 's/i24 0, i24 8388608, i64/i24 0, i24 8388609, i64/'
; RUN: %{refuse}
; SHARED: deopt operand 14 of call to @g stands for an object that no record has
; REDEFINE: %{says} = VARIES
; REDEFINE: %{edit} = 's/ i24 0, i24 8388608, / i24 %v, i24 8388608, /'
; RUN: %{refuse}
; VARIES: deopt operand 13 of call to @g is an i24 that is not constant; an i24 stands for an object
; REDEFINE: %{says} = LOCAL
; REDEFINE: %{edit} = 's/ i24 0, i24 8388608, / ptr %l, i24 8388608, /'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/ i24 0, i24 8388608, / ptr %either, i24 8388608, /'
; RUN: %{refuse}
; LOCAL: deopt operand 13 of call to @g is the address of a local, which goes with its frame
; A function that no continuation can replace.
; REDEFINE: %{says} = CONVENTION
; REDEFINE: %{edit} = 's/define void @f(/define tailcc void @f(/'
; RUN: %{refuse}
; RUN: sed 's/define void @f(/define preserve_mostcc void @f(/' %t/right.ll | not %cairn opt -p verify-deopt --disable-output - 2>&1 | FileCheck --check-prefix=CONVENTION %s
; CONVENTION: in function 'f': no continuation can take the place of the function, because of its calling convention [deopt-record]
; RUN: for c in fastcc swiftcc preserve_nonecc x86_64_sysvcc; do sed "s/define void @f(/define $c void @f(/" %t/right.ll | %cairn opt -p verify-deopt --disable-output - || exit 1; done
; REDEFINE: %{says} = SRET
; REDEFINE: %{edit} = 's/define void @f(/define void @f(ptr sret(i64) %result, /'
; RUN: %{refuse}
; SRET: in function 'f': no continuation can take the place of the function, because of sret [deopt-record]
; The same in a statepoint, before Cairn's own lists.
; RUN: sed '/gc.statepoint/s/i64 16, i24 0/i64 8, i24 0/' %t/statepoints.ll > %t/bad.ll && not cmp -s %t/statepoints.ll %t/bad.ll && not %cairn opt -p verify-points --disable-output %t/bad.ll 2>&1 | FileCheck --check-prefix=OFFSET %s
; Records behind plain values: a caller without records.
; RUN: sed 's/i64 4847652539576877062, i64 3, i64 1, i64 2, i64 0, i64 0/i64 1/' %t/right.ll > %t/mixed.ll && %cairn opt -p verify-deopt --disable-output %t/mixed.ll && opt -passes='cgscc(inline)' %t/mixed.ll | not %cairn opt -p verify-deopt --disable-output - 2>&1 | FileCheck --check-prefix=MIXED %s
; MIXED: deopt operand 1 of call to @g is the header of a record after plain values; callers and callees must both have records
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
target triple = "x86_64-unknown-linux-gnu"
declare void @g()
declare void @keep(ptr)
define void @f(ptr addrspace(1) %p, double %d, i64 %n, i24 %v) gc "statepoint-example" {
  %l = alloca i64
  %inside = getelementptr i8, ptr addrspace(1) %p, i64 %n
  %c = icmp eq i64 %n, 7
  %middle = getelementptr i8, ptr %l, i64 %n
  %either = select i1 %c, ptr %middle, ptr null
  call void @keep(ptr %l)
  call void @g() [ "deopt"(i64 4847652539576877062, i64 65538, i64 11, i64 12, i64 0, i64 0, i64 4847652539576877071, i64 2, i64 21, i64 22, i64 4294967298, i64 1, ptr addrspace(1) %p, i24 0, i24 8388608, i64 8589934599, i64 0, i64 8, double %d, i64 16, i24 0, i64 4850168209296326663, i64 2, i64 1, i64 4294967300, i64 0, i64 8, i24 8388608) ]
  ret void
}
define internal void @inner() gc "statepoint-example" {
  call void @g() [ "deopt"(i64 4847652539576877062, i64 3, i64 5, i64 6, i64 0, i64 0) ]
  ret void
}
define void @outer() gc "statepoint-example" {
  call void @inner() [ "deopt"(i64 4847652539576877062, i64 3, i64 1, i64 2, i64 0, i64 0) ]
  ret void
}
; A plain bundle is no record.
define void @plain(i64 %n) gc "statepoint-example" {
  call void @g() [ "deopt"(i64 7, i64 %n) ]
  call void @g() [ "deopt"() ]
  ret void
}

; SPDX-License-Identifier: Apache-2.0
;
; What a front end hands to Cairn: references are ptr addrspace(1), managed functions say gc "statepoint-example", and an
; allocation names a zero-initialised constant whose type tells where the references lie. No safepoint, no stack map,
; no root is written by hand.
;
;   frontend                 builds the list 1..20000, reverses it into a fresh one each round, prints a checksum

%cell = type { ptr addrspace(1), i64 }

@cell.layout = internal constant %cell zeroinitializer
@newest = internal global ptr addrspace(1) null
@format = private constant [31 x i8] c"%ld cells, first %ld, sum %ld\0A\00"

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare i32 @printf(ptr, ...)
declare i64 @atol(ptr)

define internal ptr addrspace(1) @cons(i64 %value, ptr addrspace(1) %next) gc "statepoint-example" {
  %cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)
  store ptr addrspace(1) %next, ptr addrspace(1) %cell
  %field = getelementptr %cell, ptr addrspace(1) %cell, i64 0, i32 1
  store i64 %value, ptr addrspace(1) %field
  ret ptr addrspace(1) %cell
}

define internal ptr addrspace(1) @range(i64 %count) gc "statepoint-example" {
entry:
  br label %test

test:
  %n = phi i64 [ %count, %entry ], [ %less, %body ]
  %list = phi ptr addrspace(1) [ null, %entry ], [ %longer, %body ]
  %more = icmp sgt i64 %n, 0
  br i1 %more, label %body, label %done

body:
  %longer = call ptr addrspace(1) @cons(i64 %n, ptr addrspace(1) %list)
  %less = sub i64 %n, 1
  br label %test

done:
  ret ptr addrspace(1) %list
}

define internal ptr addrspace(1) @reverse(ptr addrspace(1) %list) gc "statepoint-example" {
entry:
  br label %test

test:
  %rest = phi ptr addrspace(1) [ %list, %entry ], [ %next, %body ]
  %reversed = phi ptr addrspace(1) [ null, %entry ], [ %longer, %body ]
  %end = icmp eq ptr addrspace(1) %rest, null
  br i1 %end, label %done, label %body

body:
  %field = getelementptr %cell, ptr addrspace(1) %rest, i64 0, i32 1
  %value = load i64, ptr addrspace(1) %field
  %longer = call ptr addrspace(1) @cons(i64 %value, ptr addrspace(1) %reversed)
  %next = load ptr addrspace(1), ptr addrspace(1) %rest
  br label %test

done:
  ret ptr addrspace(1) %reversed
}

define internal i64 @sum(ptr addrspace(1) %list) gc "statepoint-example" {
entry:
  br label %test

test:
  %rest = phi ptr addrspace(1) [ %list, %entry ], [ %next, %body ]
  %total = phi i64 [ 0, %entry ], [ %more, %body ]
  %end = icmp eq ptr addrspace(1) %rest, null
  br i1 %end, label %done, label %body

body:
  %field = getelementptr %cell, ptr addrspace(1) %rest, i64 0, i32 1
  %value = load i64, ptr addrspace(1) %field
  %more = add i64 %total, %value
  %next = load ptr addrspace(1), ptr addrspace(1) %rest
  br label %test

done:
  ret i64 %total
}

define i32 @main(i32 %argc, ptr %argv) gc "statepoint-example" {
entry:
  %given = icmp sgt i32 %argc, 1
  br i1 %given, label %parse, label %start

parse:
  %slot = getelementptr ptr, ptr %argv, i64 1
  %text = load ptr, ptr %slot
  %number = call i64 @atol(ptr %text)
  br label %start

start:
  %count = phi i64 [ 20000, %entry ], [ %number, %parse ]
  %first = call ptr addrspace(1) @range(i64 %count)
  store ptr addrspace(1) %first, ptr @newest
  br label %round

round:
  %i = phi i64 [ 0, %start ], [ %i.next, %round ]
  %list = load ptr addrspace(1), ptr @newest
  %reversed = call ptr addrspace(1) @reverse(ptr addrspace(1) %list)
  store ptr addrspace(1) %reversed, ptr @newest
  %i.next = add i64 %i, 1
  %again = icmp slt i64 %i.next, 1500
  br i1 %again, label %round, label %print

print:
  %last = load ptr addrspace(1), ptr @newest
  %field = getelementptr %cell, ptr addrspace(1) %last, i64 0, i32 1
  %value = load i64, ptr addrspace(1) %field
  %total = call i64 @sum(ptr addrspace(1) %last)
  %printed = call i32 (ptr, ...) @printf(ptr @format, i64 %count, i64 %value, i64 %total)
  ret i32 0
}

; RUN: clang -O2 -fexceptions -I%root/include -c %root/examples/second_language/manager.c -o %t.manager.o
; RUN: clang -O1 -fexceptions -c %S/Inputs/raise.c -o %t.raise.o
; RUN: clang -I%root/include -c %root/examples/second_language/language.S -o %t.language.o
; RUN: %cairn-cc -O2 %s %t.manager.o %t.raise.o %t.language.o -o %t
; RUN: %t | FileCheck %s
; RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
; Exceptions through frames of another language (docs/stack.md), which has saved registers with references of
; those who catch. What would go wrong: the unwinder brings back what they were before a collection.
; CHECK: caught 12
; CHECK: caught 133
; CHECK: caught 1344

%node = type { ptr addrspace(1), i64 }
@node_layout = internal constant %node zeroinitializer
@long_layout = internal constant i64 0

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare void @cairn_collect()
declare i32 @test_personality(...)
declare void @native_caught(ptr)
declare i64 @language_mix(ptr addrspace(1), ptr addrspace(1), i64, ptr, i64)

define ptr addrspace(1) @node(i64 %value) noinline gc "statepoint-example" {
  %n = call ptr addrspace(1) @cairn_alloc(ptr @node_layout, i64 16)
  %at = getelementptr i8, ptr addrspace(1) %n, i64 8
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %n
}

define internal ptr addrspace(1) @work(ptr addrspace(1) %x, i64 %turns) gc "statepoint-example" {
  %more = icmp sgt i64 %turns, 0
  br i1 %more, label %deeper, label %out
deeper:
  %less = sub i64 %turns, 1
  %r = call i64 @managed_turn(i64 %less)
  %n = call ptr addrspace(1) @node(i64 %r)
  ret ptr addrspace(1) %n
out:
  call void @cairn_collect()
  ret ptr addrspace(1) %x
}

; What is thrown within is caught here, and references from before are used: 10 times what is caught within
; (its node's value), plus this node's and another's.
define i64 @managed_turn(i64 %turns) noinline gc "statepoint-example" personality ptr @test_personality {
entry:
  %own = add i64 %turns, 5
  %x = call ptr addrspace(1) @node(i64 %own)
  %y = call ptr addrspace(1) @node(i64 7)
  %last = call ptr addrspace(1) @cairn_alloc(ptr @node_layout, i64 16)
  %array = call ptr addrspace(1) @cairn_alloc_array(ptr @long_layout, i64 5)
  %more = icmp sgt i64 %turns, 0
  br i1 %more, label %first, label %call
first:
  %less = sub i64 %turns, 1
  %below = call i64 @managed_turn(i64 %less)
  %ten = mul i64 %below, 10
  br label %call
call:
  %sum = phi i64 [ 0, %entry ], [ %ten, %first ]
  %r = invoke i64 @language_mix(ptr addrspace(1) %x, ptr addrspace(1) %array, i64 3, ptr @work, i64 0) to label %on unwind label %off
on:
  ret i64 -1
off:
  %pad = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %pad, 0
  call void @native_caught(ptr %exception)
  %xat = getelementptr i8, ptr addrspace(1) %x, i64 8
  %xv = load i64, ptr addrspace(1) %xat
  %yat = getelementptr i8, ptr addrspace(1) %y, i64 8
  %yv = load i64, ptr addrspace(1) %yat
  %zv = load i64, ptr addrspace(1) %last
  %s1 = add i64 %sum, %xv
  %s2 = add i64 %s1, %yv
  %s3 = add i64 %s2, %zv
  ret i64 %s3
}

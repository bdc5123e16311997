; RUN: clang -O1 -fexceptions -c %root/test/run/frames/Inputs/token_pads_native.c -o %t.o
; RUN: for o in 0 1 2; do %cairn-cc -O$o -fcairn-roots=pairs %s %t.o -o %t && %t 10 | FileCheck %s && env CAIRN_STRESS=1 %t 10 | FileCheck %s || exit 1; done
; RUN: env CAIRN_HEAP_MAX=4m %t 20000 | FileCheck --check-prefix=MANY %s
; RUN: %cairn-cc -O2 %s %t.o -o %t.all && env CAIRN_STRESS=1 %t.all 10 | FileCheck %s
; With roots in pairs alone, references live into landing pads as relocates by the pad's token, in what catches and
; in what cleans up and goes on, over several collections, from invokes that share a pad. Wrong: a pad that sees
; addresses from before the collection, or those of another invoke.
; By n: n twice (a box, once by a derived pointer), 5 (cleaned up), and 10 times the odd one of n and n + 1 (thrown).
; CHECK: caught 760, objects moved
; MANY: objects moved

%box = type { i64, ptr addrspace(1) }
@layout = internal constant %box zeroinitializer

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @test_personality(...)
declare void @native_raise(i64)
declare i64 @native_taken()
declare void @native_go_on()
declare void @native_note(ptr addrspace(1)) "gc-leaf-function"
declare void @native_look(ptr addrspace(1)) "gc-leaf-function"

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %n, ptr addrspace(1) %b
  ret ptr addrspace(1) %b
}

; Moves everything, then throws if n is odd.
define void @odd(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 %n)
  call void @cairn_collect()
  %bit = and i64 %n, 1
  %is = icmp eq i64 %bit, 1
  br i1 %is, label %throw, label %fine
throw:
  %v = load i64, ptr addrspace(1) %b
  %ten = mul i64 %v, 10
  call void @native_raise(i64 %ten)
  unreachable
fine:
  ret void
}

; Adds 5 to what it is given, while an exception is on its way.
define void @cleaning(i64 %n, ptr addrspace(1) %sum) noinline gc "statepoint-example" personality ptr @test_personality {
  invoke void @odd(i64 %n) to label %on unwind label %off
on:
  ret void
off:
  %l = landingpad { ptr, i32 } cleanup
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %sum
  %w = add i64 %v, 5
  store i64 %w, ptr addrspace(1) %sum
  call void @native_go_on()
  unreachable
}

; One of two invokes throws, whose pad is one; the derived pointer is no address that is computed again.
define i64 @managed_catch(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
entry:
  %sum = call ptr addrspace(1) @box(i64 0)
  %a = call ptr addrspace(1) @box(i64 %n)
  %b = call ptr addrspace(1) @box(i64 %n)
  %field = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %field
  call void @native_note(ptr addrspace(1) %a)
  %next = add i64 %n, 1
  %bit = and i64 %n, 1
  %is = icmp eq i64 %bit, 1
  br i1 %is, label %first, label %join
first:
  br label %join
join:
  %d = phi ptr addrspace(1) [ %field, %first ], [ %b, %entry ]
  invoke void @cleaning(i64 %n, ptr addrspace(1) %sum) to label %second unwind label %off
second:
  invoke void @cleaning(i64 %next, ptr addrspace(1) %sum) to label %never unwind label %off
never:
  ret i64 1000000
off:
  %which = phi ptr addrspace(1) [ %a, %join ], [ %b, %second ]
  %l = landingpad { ptr, i32 } catch ptr null
  call void @native_look(ptr addrspace(1) %a)
  %ten = call i64 @native_taken()
  call void @cairn_collect()
  br i1 %is, label %deep, label %flat
deep:
  %self = load ptr addrspace(1), ptr addrspace(1) %d
  %deep.value = load i64, ptr addrspace(1) %self
  br label %out
flat:
  %flat.value = load i64, ptr addrspace(1) %d
  br label %out
out:
  %v = phi i64 [ %deep.value, %deep ], [ %flat.value, %flat ]
  %w = load i64, ptr addrspace(1) %which
  %s = load i64, ptr addrspace(1) %sum
  %x = add i64 %ten, %s
  %y = add i64 %x, %v
  %z = add i64 %y, %w
  ret i64 %z
}

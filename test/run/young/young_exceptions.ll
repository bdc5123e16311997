; RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
; RUN: clang -Wall -Wextra -Werror -O1 -fexceptions -c %S/Inputs/young_exceptions.c -o %t.native.o
; RUN: %cairn-cc -O0 %s %t.native.o %t.o -o %t && %t 1000 | FileCheck %s && env CAIRN_STRESS=1 %t 1000 | FileCheck %s
; RUN: %cairn-cc -O2 %s %t.native.o %t.o -o %t && %t 1000 | FileCheck %s && env CAIRN_STRESS=1 %t 1000 | FileCheck %s
; RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t 1000 | FileCheck %s
; RUN: env GENERATIONAL_FULL=1000000 GENERATIONAL_REPORT=1 %t 5000 2>&1 | tee %t.report \
; RUN:   | FileCheck %s --check-prefix=MANY
; RUN: awk '/looked at/ { exit !($8 * 5 < $10) }' %t.report
; Exceptions that go past barriers and are caught between them, each handler raising the next one. What would go wrong:
; the unwinder does not find the way past a barrier; a handler's activation has run, and is not looked at; after an
; exception all of the stack is looked at, for the youngest barrier is gone.
; CHECK: fallen 177673
; MANY: fallen

%box = type { i64, ptr addrspace(1) }
@layout = internal constant %box zeroinitializer

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @test_personality(...)
declare void @native_raise(i64)
declare i64 @native_caught(ptr)
declare i64 @native_count(ptr, ptr)

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %n, ptr addrspace(1) %b
  ret ptr addrspace(1) %b
}

; Each activation with its own box; each 23rd has a handler, which adds what is in the box to what was thrown.
define i64 @fall(i64 %n, ptr addrspace(1) %above) noinline gc "statepoint-example" personality ptr @test_personality {
  %own = call ptr addrspace(1) @box(i64 %n)
  %field = getelementptr i8, ptr addrspace(1) %own, i64 8
  store ptr addrspace(1) %above, ptr addrspace(1) %field
  %last = icmp eq i64 %n, 0
  br i1 %last, label %end, label %more
end:
  call void @cairn_collect()
  %count = call i64 @native_count(ptr @fall, ptr @after)
  call void @native_raise(i64 %count)
  ret i64 0
more:
  %m = sub i64 %n, 1
  %rest = urem i64 %n, 23
  %handles = icmp eq i64 %rest, 0
  br i1 %handles, label %careful, label %plain
plain:
  %r = call i64 @fall(i64 %m, ptr addrspace(1) %own)
  %v = load i64, ptr addrspace(1) %own
  %s = add i64 %r, %v
  ret i64 %s
careful:
  %q = invoke i64 @fall(i64 %m, ptr addrspace(1) %own) to label %on unwind label %off
on:
  %half = urem i64 %n, 46
  %even = icmp eq i64 %half, 0
  br i1 %even, label %throw, label %pass
throw:
  call void @native_raise(i64 %q)
  ret i64 0
pass:
  ret i64 %q
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %x = call i64 @native_caught(ptr %e)
  %fresh = call ptr addrspace(1) @box(i64 %x)
  store ptr addrspace(1) %fresh, ptr addrspace(1) %field
  call void @cairn_collect()
  %got = load ptr addrspace(1), ptr addrspace(1) %field
  %thrown = load i64, ptr addrspace(1) %got
  %mine = load i64, ptr addrspace(1) %own
  %a = load i64, ptr addrspace(1) %above
  %sum1 = add i64 %thrown, %mine
  %sum = add i64 %sum1, %a
  %some = urem i64 %n, 115
  %again = icmp ne i64 %some, 0
  br i1 %again, label %raise, label %return
raise:
  call void @native_raise(i64 %sum)
  ret i64 0
return:
  call void @cairn_collect()
  ret i64 %sum
}
define void @after() noinline gc "statepoint-example" {
  ret void
}

define i64 @falls(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
  %first = call ptr addrspace(1) @box(i64 1)
  %r = invoke i64 @fall(i64 %n, ptr addrspace(1) %first) to label %on unwind label %off
on:
  %v = load i64, ptr addrspace(1) %first
  %s = add i64 %v, %r
  ret i64 %s
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %x = call i64 @native_caught(ptr %e)
  %y = load i64, ptr addrspace(1) %first
  %t = add i64 %x, %y
  ret i64 %t
}

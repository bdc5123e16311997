; RUN: clang -O1 -fexceptions -c %root/test/run/Inputs/exceptions_native.c -o %t.o
; RUN: %cairn-cc -O0 %s %t.o -o %t && env CAIRN_STRESS=1 %t 10 | FileCheck %s
; RUN: %cairn-cc -O2 %s %t.o -o %t && env CAIRN_STRESS=1 %t 10 | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-slots=always %s %t.o -o %t && env CAIRN_STRESS=1 %t 10 | FileCheck %s
; RUN: %cairn-cc -O3 -fcairn-safepoints=early %s %t.o -o %t && env CAIRN_STRESS=1 %t 10 | FileCheck %s
; Aggregates, vectors and derived references that go into one pad from several invokes of a loop, and a
; tail call after it. What would go wrong: the pad sees a part of an aggregate, or a field's address,
; from before a collection, or that of another invoke.
; CHECK: caught 1210, cleaned 55
; CHECK: passed 240
; CHECK: cancelled 120, cleaned 55

%box = type { i64, ptr addrspace(1) }
@layout = internal constant %box zeroinitializer
@kept = internal global ptr addrspace(1) null

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @test_personality(...)
declare void @native_raise(i64)
declare void @native_cancel(i64)
declare i64 @native_caught(ptr)
declare i64 @native_between(i64)

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %n, ptr addrspace(1) %b
  ret ptr addrspace(1) %b
}

; Allocates and collects: called while exceptions are on their way, too.
define i64 @managed_count(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 %n)
  store ptr addrspace(1) %b, ptr @kept
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %b
  ret i64 %v
}

define i64 @managed_throw(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 %n)
  %ten = mul i64 %n, 10
  call void @native_raise(i64 %ten)
  %v = load i64, ptr addrspace(1) %b
  ret i64 %v
}

; Cleans up, with references of its own, and lets the exception go on.
define i64 @cleaning(i64 %n, ptr addrspace(1) %sum) noinline gc "statepoint-example" personality ptr @test_personality {
  %b = call ptr addrspace(1) @box(i64 %n)
  %r = invoke i64 @native_between(i64 %n) to label %on unwind label %off
on:
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %c = call ptr addrspace(1) @box(i64 0)
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %b
  %s = load i64, ptr addrspace(1) %sum
  %t = add i64 %s, %v
  store i64 %t, ptr addrspace(1) %sum
  resume { ptr, i32 } %l
}


; 22n, if all that comes into the pad is what it should be; else far less.
%agg = type { ptr addrspace(1), [2 x ptr addrspace(1)], <2 x ptr addrspace(1)> }
define i64 @managed_catch(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
entry:
  %sum = call ptr addrspace(1) @box(i64 0)
  %a = call ptr addrspace(1) @box(i64 %n)
  %field = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %field
  %g0 = insertvalue %agg poison, ptr addrspace(1) %field, 0
  %g1 = insertvalue %agg %g0, ptr addrspace(1) %sum, 1, 0
  %g2 = insertvalue %agg %g1, ptr addrspace(1) null, 1, 1
  %vec = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %a, i32 0
  %idx = and i64 %n, 1
  %two = insertelement <2 x ptr addrspace(1)> %vec, ptr addrspace(1) %field, i32 1
  %g3 = insertvalue %agg %g2, <2 x ptr addrspace(1)> %two, 2
  %odd = icmp eq i64 %idx, 0
  br i1 %odd, label %first, label %second
first:
  %f = phi %agg [%g3, %entry], [%fn, %third]
  %d = phi ptr addrspace(1) [%field, %entry], [%dn, %third]
  %x1 = invoke i64 @maybe(i64 0, ptr addrspace(1) %sum) to label %second unwind label %off
second:
  %s = phi %agg [%g3, %entry], [%f, %first]
  %e = phi ptr addrspace(1) [%a, %entry], [%d, %first]
  %sum2 = extractvalue %agg %s, 1, 0
  %fn = insertvalue %agg %s, ptr addrspace(1) %sum2, 1, 1
  %dn = getelementptr i8, ptr addrspace(1) %a, i64 8
  %tries = extractvalue %agg %s, 1, 1
  %again = icmp eq ptr addrspace(1) %tries, null
  %x2 = invoke i64 @maybe(i64 0, ptr addrspace(1) %e) to label %third unwind label %off
third:
  br i1 %again, label %first, label %last
last:
  %r = invoke i64 @cleaning(i64 %n, ptr addrspace(1) %sum) to label %on unwind label %off
on:
  ret i64 %r
off:
  %p = phi %agg [%f, %first], [%s, %second], [%fn, %last]
  %q = phi ptr addrspace(1) [%d, %first], [%e, %second], [%dn, %last]
  %l = landingpad { ptr, i32 } catch ptr null
  %ex = extractvalue { ptr, i32 } %l, 0
  %ten = call i64 @native_caught(ptr %ex)
  call void @cairn_collect()
  %pf = extractvalue %agg %p, 0
  %ps = extractvalue %agg %p, 1, 1
  %pv = extractvalue %agg %p, 2
  %lane = trunc i64 %idx to i32
  %el = extractelement <2 x ptr addrspace(1)> %pv, i32 %lane
  %self = load ptr addrspace(1), ptr addrspace(1) %q
  %self2 = load ptr addrspace(1), ptr addrspace(1) %pf
  %e1 = icmp eq ptr addrspace(1) %self2, %self
  %off8 = shl i64 %idx, 3
  %el2 = getelementptr i8, ptr addrspace(1) %a, i64 %off8
  %e2 = icmp eq ptr addrspace(1) %el, %el2
  %e3 = and i1 %e1, %e2
  %sv = load i64, ptr addrspace(1) %ps
  %v = load i64, ptr addrspace(1) %self
  %v11 = mul i64 %v, 11
  %t1 = add i64 %ten, %sv
  %t2 = add i64 %t1, %v11
  %t3 = select i1 %e3, i64 %t2, i64 -100000
  %t4 = tail call i64 @result(i64 %t3)
  ret i64 %t4
}
define i64 @result(i64 %n) noinline gc "statepoint-example" {
  ret i64 %n
}
define i64 @maybe(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 %n)
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
; Catches what its native callee throws right away, deep in a managed recursion.
define i64 @managed_pass(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
  %a = call ptr addrspace(1) @box(i64 %n)
  %r = invoke i64 @down(i64 20, ptr addrspace(1) %a) to label %on unwind label %off
on:
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %x = call i64 @native_caught(ptr %e)
  %v = load i64, ptr addrspace(1) %a
  %y = add i64 %x, %v
  %z = mul i64 %v, 2
  %w = add i64 %y, %z
  ret i64 %w
}
define i64 @down(i64 %n, ptr addrspace(1) %a) noinline gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
more:
  %b = call ptr addrspace(1) @box(i64 %n)
  %m = sub i64 %n, 1
  %r = call i64 @down(i64 %m, ptr addrspace(1) %b)
  %v = load i64, ptr addrspace(1) %a
  %s = add i64 %r, %v
  ret i64 %s
end:
  call void @cairn_collect()
  %x = load i64, ptr addrspace(1) %a
  call void @native_raise(i64 %x)
  ret i64 %x
}

; A forced unwind runs cleanups and stops in native code.
define i64 @managed_deep(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
  %a = call ptr addrspace(1) @box(i64 %n)
  invoke void @native_cancel(i64 %n) to label %on unwind label %off
on:
  ret i64 0
off:
  %l = landingpad { ptr, i32 } cleanup
  %r = call i64 @managed_count(i64 %n)
  %v = load i64, ptr addrspace(1) %a
  resume { ptr, i32 } %l
}

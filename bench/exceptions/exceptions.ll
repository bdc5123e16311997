; SPDX-License-Identifier: Apache-2.0
; Exceptions that pass %depth activations: of the language (cairn_throw), and of the platform's unwinder
; (bench/exceptions).

declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare i64 @descend(i64, i64, i64, ptr addrspace(1)) "cairn-managed"
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @native_raise(i64) "cairn-native"
declare i64 @native_caught(ptr) "cairn-native"
declare i32 @__gxx_personality_v0(...)

%box = type { i64 }
@layout = internal constant %box zeroinitializer

define i64 @run_thrown(i64 %kind, i64 %depth, i64 %times) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %e = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  store i64 1, ptr addrspace(1) %e
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %next]
  %sum = phi i64 [0, %entry], [%sum2, %next]
  call void @cairn.span.begin(i64 1, ptr null)
  %r = invoke i64 @descend(i64 %kind, i64 %depth, i64 %i, ptr addrspace(1) %e) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 1)
  ret i64 -1
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 1)
  %v = load i64, ptr addrspace(1) %thrown
  br label %next
next:
  %sum2 = add i64 %sum, %v
  %j = add i64 %i, 1
  %again = icmp slt i64 %j, %times
  br i1 %again, label %loop, label %done
done:
  ret i64 %sum2
}

define i64 @descend_unwound(i64 %n) noinline gc "statepoint-example" {
  %last = icmp eq i64 %n, 0
  br i1 %last, label %end, label %more
end:
  call void @native_raise(i64 1)
  ret i64 0
more:
  %m = sub i64 %n, 1
  %r = call i64 @descend_unwound(i64 %m)
  %d = sub i64 %n, %r
  ret i64 %d
}

define i64 @run_unwound(i64 %depth, i64 %times) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %next]
  %sum = phi i64 [0, %entry], [%sum2, %next]
  %r = invoke i64 @descend_unwound(i64 %depth) to label %on unwind label %off
on:
  ret i64 -1
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %p = extractvalue { ptr, i32 } %l, 0
  %v = call i64 @native_caught(ptr %p)
  br label %next
next:
  %sum2 = add i64 %sum, %v
  %j = add i64 %i, 1
  %again = icmp slt i64 %j, %times
  br i1 %again, label %loop, label %done
done:
  ret i64 %sum2
}

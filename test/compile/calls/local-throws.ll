; What could go wrong: a throw becomes a branch although the runtime would pass the landing pad, or would set what the pad
; reads; the pad gets the wrong exception, or another value of its phis.
; RUN: %cairn opt -p local-throws --report -S %s 2>&1 | FileCheck %s
; RUN: %cairn-cc -O2 -S %s -o - | FileCheck --check-prefix=CODE %s

declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare i32 @cairn_throw(i64, ptr addrspace(1))
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
declare i64 @caught(ptr addrspace(1), i64) "cairn-managed"
declare void @work() "cairn-managed"
declare i32 @__gxx_personality_v0(...)
@type = external constant ptr

; CHECK-COUNT-6: remark: {{.*}}the function itself catches the exception, by a branch [local-throw]
; CHECK-NOT: remark:

; CHECK-LABEL: define i64 @own(
; CHECK-NOT: invoke
; CHECK: call i64 @caught(ptr addrspace(1) %x, i64 1)
; CHECK: }
; CODE-LABEL: {{^}}own:
; CODE-NOT: cairn_throw
; CODE: caught
; CODE-NOT: cairn_throw
; CODE: .Lfunc_end
define i64 @own(ptr addrspace(1) %x) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  call void @cairn.span.begin(i64 5, ptr null)
  %s = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %off
on:
  ret i64 0
off:
  %l = landingpad { ptr, i32 } cleanup
  %e = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %r = call i64 @caught(ptr addrspace(1) %e, i64 1)
  ret i64 %r
}

; Two throws and a call with one pad.
; CHECK-LABEL: define i64 @merge(
; CHECK: invoke void @work()
; CHECK: %[[LAST:[0-9a-z]+]] = landingpad
; CHECK: %[[T:[0-9a-z]+]] = call ptr addrspace(1) @cairn_thrown()
; CHECK: %[[E:[0-9]+]] = phi ptr addrspace(1) [ %[[T]], %off ], [ %y, %second ], [ %x, %first ]
; CHECK: %[[N:[0-9]+]] = phi i64 [ 3, %off ], [ 2, %second ], [ 1, %first ]
; CHECK: call i64 @caught(ptr addrspace(1) %[[E]], i64 %[[N]])
define i64 @merge(ptr addrspace(1) %x, ptr addrspace(1) %y, i1 %a, i1 %b) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  call void @cairn.span.begin(i64 5, ptr null)
  br i1 %a, label %first, label %next
first:
  call void @work()
  %s = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %off
next:
  br i1 %b, label %second, label %third
second:
  call void @work()
  %t = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %y) to label %on unwind label %off
third:
  invoke void @work() to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 0
off:
  %n = phi i64 [ 1, %first ], [ 2, %second ], [ 3, %third ]
  %l = landingpad { ptr, i32 } catch ptr null
  %e = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %r = call i64 @caught(ptr addrspace(1) %e, i64 %n)
  ret i64 %r
}

; A handler that throws to its own pad, and one that throws to an outer one in the same function.
; CHECK-LABEL: define i64 @again(
; CHECK-NOT: invoke i32 @cairn_throw
; CHECK: }
define i64 @again(ptr addrspace(1) %x, ptr addrspace(1) %y, i64 %count) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  call void @cairn.span.begin(i64 5, ptr null)
  call void @cairn.span.begin(i64 5, ptr null)
  br label %try
try:
  %i = phi i64 [ %count, %0 ], [ %less, %on ]
  invoke void @work() to label %on unwind label %off
on:
  %less = sub i64 %i, 1
  %more = icmp ne i64 %less, 0
  br i1 %more, label %try, label %throw
throw:
  %s = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %out unwind label %off
off:
  %n = phi i64 [ %i, %try ], [ 7, %throw ], [ %fewer, %mine ]
  %l = landingpad { ptr, i32 } cleanup
  %e = call ptr addrspace(1) @cairn_thrown()
  %fewer = lshr i64 %n, 1
  %end = icmp eq i64 %fewer, 0
  br i1 %end, label %leave, label %mine
mine:
  %m = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %e) to label %out unwind label %off
leave:
  call void @cairn.span.end(i64 5)
  %t = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %y) to label %out unwind label %outer
outer:
  %k = landingpad { ptr, i32 } catch ptr null
  %f = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %r = call i64 @caught(ptr addrspace(1) %f, i64 %n)
  ret i64 %r
out:
  ret i64 0
}

; These throws stay: another key, a key that varies, no span.
; CHECK-LABEL: define i64 @spans(
; CHECK-COUNT-3: invoke i32 @cairn_throw
define i64 @spans(ptr addrspace(1) %x, i64 %key, i32 %which) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  switch i32 %which, label %none [ i32 1, label %other
                                   i32 2, label %varies ]
other:
  call void @cairn.span.begin(i64 6, ptr null)
  %s = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %off
varies:
  call void @cairn.span.begin(i64 6, ptr null)
  %t = invoke i32 @cairn_throw(i64 %key, ptr addrspace(1) %x) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 6)
  ret i64 0
off:
  %l = landingpad { ptr, i32 } cleanup
  %e = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 6)
  %r = call i64 @caught(ptr addrspace(1) %e, i64 2)
  ret i64 %r
none:
  %u = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %out unwind label %pad
out:
  ret i64 0
pad:
  %k = landingpad { ptr, i32 } cleanup
  %f = call ptr addrspace(1) @cairn_thrown()
  %q = call i64 @caught(ptr addrspace(1) %f, i64 2)
  ret i64 %q
}

; So do these: a pad that exceptions without a type pass, a list, two clauses, a pad with a used value, a pad that works
; before it takes the exception.
; CHECK-LABEL: define i64 @pads(
; CHECK-COUNT-5: invoke i32 @cairn_throw
; CHECK: ret i64 0
define i64 @pads(ptr addrspace(1) %x, i32 %which) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  call void @cairn.span.begin(i64 5, ptr null)
  switch i32 %which, label %a [ i32 1, label %b
                                i32 2, label %c
                                i32 3, label %d
                                i32 4, label %e ]
a:
  %sa = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %typed
b:
  %sb = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %listed
c:
  %sc = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %both
d:
  %sd = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %used
e:
  %se = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %x) to label %on unwind label %late
typed:
  %la = landingpad { ptr, i32 } catch ptr @type
  %ea = call ptr addrspace(1) @cairn_thrown()
  br label %off
listed:
  %lb = landingpad { ptr, i32 } filter [0 x ptr] zeroinitializer
  %eb = call ptr addrspace(1) @cairn_thrown()
  br label %off
both:
  %lc = landingpad { ptr, i32 } catch ptr @type catch ptr null
  %ec = call ptr addrspace(1) @cairn_thrown()
  br label %off
used:
  %ld = landingpad { ptr, i32 } catch ptr null
  %ed = call ptr addrspace(1) @cairn_thrown()
  %selector = extractvalue { ptr, i32 } %ld, 1
  %wide = zext i32 %selector to i64
  br label %off
late:
  %le = landingpad { ptr, i32 } cleanup
  call void @work()
  %ee = call ptr addrspace(1) @cairn_thrown()
  br label %off
off:
  %t = phi ptr addrspace(1) [ %ea, %typed ], [ %eb, %listed ], [ %ec, %both ], [ %ed, %used ], [ %ee, %late ]
  %n = phi i64 [ 1, %typed ], [ 2, %listed ], [ 3, %both ], [ %wide, %used ], [ 5, %late ]
  call void @cairn.span.end(i64 5)
  %r = call i64 @caught(ptr addrspace(1) %t, i64 %n)
  ret i64 %r
on:
  call void @cairn.span.end(i64 5)
  ret i64 0
}

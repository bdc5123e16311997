target triple = "x86_64-pc-linux-gnu"
@cairn_mutator = thread_local global [192 x i8] zeroinitializer, align 16
; Steps that are not known when the loop is compiled.
@step.0 = global i8 0
@step.1 = global i8 1
@step.2 = global i8 2
@step.3 = global i8 3
@step.5 = global i8 5
@step.-1 = global i8 -1
@step.-3 = global i8 -3
@step.-4 = global i8 -4
@step.60 = global i8 60
declare void @abort()

define void @leaf() "gc-leaf-function" {
  ret void
}

define preserve_allcc void @cairn_poll_slow() {
  ret void
}

; Every start and bound of 8 bits: do the two functions say the same?
define void @compare(ptr %f, ptr %g) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n.next, %next ]
  %start = trunc i32 %n to i8
  %high = lshr i32 %n, 8
  %bound = trunc i32 %high to i8
  %a = call i64 %f(i8 %start, i8 %bound)
  %b = call i64 %g(i8 %start, i8 %bound)
  %same = icmp eq i64 %a, %b
  br i1 %same, label %next, label %bad
next:
  %n.next = add i32 %n, 1
  %more = icmp ult i32 %n.next, 65536
  br i1 %more, label %loop, label %done
bad:
  call void @abort()
  unreachable
done:
  ret void
}


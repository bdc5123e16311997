declare i32 @foo(i32)
define i32 @f(i32 %x, ptr %p) {
  %a = alloca i32
  store i32 %x, ptr %a
  %y = call i32 @foo(i32 %x)
  %z = load i32, ptr %a
  %i = ptrtoint ptr %p to i64
  %j = trunc i64 %i to i32
  %s = add i32 %y, %z
  %t = add i32 %s, %j
  ret i32 %t
}

; A program of two modules: the other one defines price().
@format = private constant [11 x i8] c"price %ld\0A\00"
declare i32 @printf(ptr, ...)
declare i64 @price()

define i32 @main(i32 %argc, ptr %argv) gc "statepoint-example" {
  %price = call i64 @price()
  %n = call i32 (ptr, ...) @printf(ptr @format, i64 %price)
  ret i32 0
}

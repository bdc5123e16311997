declare void @g()
define void @long() gc "statepoint-example" {
  call void @g() "statepoint-num-patch-bytes"="65536"
  ret void
}
define void @wide(i128 %a, <4 x i32> %v) gc "statepoint-example" {
  call void @g() "statepoint-num-patch-bytes"="8" [ "deopt"(i128 %a, <4 x i32> %v) ]
  call void @g() [ "deopt"(i128 %a, <4 x i32> %v) ]
  ret void
}

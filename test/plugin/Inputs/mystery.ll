target triple = "x86_64-pc-linux-gnu"
declare void @foo()
define void @mystery() gc "statepoint-example" {
  call void @foo() [ "mystery"(i32 1) ]
  ret void
}
@address = global ptr blockaddress(@other, %next)
define void @other() {
  br label %next
next:
  ret void
}

//--- assembly.ll
define void @f() {
  call void asm sideeffect "no such instruction", ""()
  ret void
}
//--- broken.ll
define i32 @f() gc "statepoint-example" {
  %x = add i32 %y, 1
  %y = add i32 %x, 1
  ret i32 %x
}
//--- layout.ll
target datalayout = "e-p:32:32"
define void @f() gc "statepoint-example" {
  ret void
}
//--- machine.ll
target triple = "riscv64-unknown-linux-gnu"
define void @f() gc "statepoint-example" {
  ret void
}
//--- strategy.ll
declare void @g()
define void @f() gc "another" {
  call void @g()
  ret void
}

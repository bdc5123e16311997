; One unit of a program of two: a function of its own, one that nobody calls, one that both units
; have.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @g(ptr addrspace(1))
$shared = comdat any
define linkonce_odr ptr addrspace(1) @shared(ptr addrspace(1) %a) uwtable comdat gc "statepoint-example" {
  call void @g(ptr addrspace(1) %a)
  ret ptr addrspace(1) %a
}
define ptr addrspace(1) @UNIT(ptr addrspace(1) %a) uwtable gc "statepoint-example" {
  call void @g(ptr addrspace(1) %a)
  %b = call ptr addrspace(1) @shared(ptr addrspace(1) %a)
  ret ptr addrspace(1) %a
}
define ptr addrspace(1) @unused_UNIT(ptr addrspace(1) %a) uwtable gc "statepoint-example" {
  call void @g(ptr addrspace(1) %a)
  call void @g(ptr addrspace(1) %a)
  ret ptr addrspace(1) %a
}

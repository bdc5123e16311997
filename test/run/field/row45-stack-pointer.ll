; Row 45: SP of a frame is computed as its CFA less LLVM's stack size, and is off by what was pushed for the call; of frames
; with dynamic or over-aligned allocas LLVM says no size at all. AArch64 pushes nothing for a call. SP is the callee's CFA, which is what the walk has.
; RUN: rm -rf %t && split-file %s %t && cd %t && clang -O1 -I%root/include -I%S/Inputs -c native.c
; RUN: %cairn-cc -O2 -S code.ll -o code.s && clang -c code.s -o llvm.o && %cairn stackmap llvm.o | FileCheck --check-prefix=SIZE %s
; SIZE: function pushed: stack size [[PUSHED:[0-9]+]],
; SIZE: function dynamic: stack size unknown
; SIZE: function aligned: stack size unknown
; RUN: %cairn-cc -O2 code.s native.o -o prog -lgcc_s
; RUN: ./prog $(%cairn stackmap llvm.o | sed -n 's/^function pushed: stack size \([0-9]*\),.*/\1/p') | FileCheck --check-prefixes=CHECK,%{machine} %s
; RUN: env CAIRN_VERIFY=frames CAIRN_STRESS=1 ./prog 0 | FileCheck --check-prefix=OURS %s
; x86_64: pushed: the unwinder agrees 1, CFA less size is off by {{[1-9][0-9]*}}
; aarch64: pushed: the unwinder agrees 1, CFA less size is off by 0{{$}}
; CHECK: dynamic: the unwinder agrees 1
; CHECK: aligned: the unwinder agrees 1
; OURS: pushed: the unwinder agrees 1
; OURS: 42

;--- native.c
#include "unwinder.h"
#include <stdlib.h>
static unsigned long size;
static void measure(const char *name)
{
  struct seen seen = {.count = 0};
  look(&seen);
  printf("%s: the unwinder agrees %d", name, seen.sp == cairn_stack_sp(&seen.it));
  if (name[0] == 'p')
    printf(", CFA less size is off by %ld", (long)(seen.cfa - RETURN_ADDRESS_BYTES - size - cairn_stack_sp(&seen.it)));
  printf("\n");
}
long native_many(long a, long b, long c, long d, long e, long f, long g, long h, long i);
long native_many(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
  measure("pushed");
  return a + b + c + d + e + f + g + h + i;
}
void native(void *p, const char *name);
void native(void *p, const char *name) { (void)p; measure(name); }
long choose(char **v);
long choose(char **v) { size = strtoul(v[1], NULL, 0); return 0; }

;--- code.ll
%box = type { i64, ptr addrspace(1) }
@layout = internal constant %box zeroinitializer
@format = internal constant [4 x i8] c"%d\0A\00"
@d = internal constant [8 x i8] c"dynamic\00"
@a = internal constant [8 x i8] c"aligned\00"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i64 @native_many(i64, i64, i64, i64, i64, i64, i64, i64, i64)
declare void @native(ptr, ptr)
declare i64 @choose(ptr)
declare i32 @printf(ptr, ...)

define i64 @pushed(ptr addrspace(1) %p) noinline minsize optsize gc "statepoint-example" {
  %many = call i64 @native_many(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9)
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
define i64 @dynamic(ptr addrspace(1) %p, i64 %n) noinline gc "statepoint-example" {
  %m = alloca i8, i64 %n
  call void @native(ptr %m, ptr @d)
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
define i64 @aligned(ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %m = alloca i8, align 256
  call void @native(ptr %m, ptr @a)
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
define i32 @main(i32 %c, ptr %argv) gc "statepoint-example" {
  %unused = call i64 @choose(ptr %argv)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 14, ptr addrspace(1) %b
  %x = call i64 @pushed(ptr addrspace(1) %b)
  %y = call i64 @dynamic(ptr addrspace(1) %b, i64 100)
  %z = call i64 @aligned(ptr addrspace(1) %b)
  %s = add i64 %x, %y
  %t = add i64 %s, %z
  %i = trunc i64 %t to i32
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %i)
  ret i32 0
}

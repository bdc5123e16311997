; RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
; RUN: sed %if aarch64 %{'s/x86_fp80/fp128/; s/0xK4002F000000000000000/0xL00000000000000004002E00000000000/; s/0xK3FFF8000000000000000/0xL00000000000000003FFF000000000000/; s/+sse2/+neon/'%} %else %{''%} %s > %t.in.ll
; RUN: %cairn-cc -O0 %t.in.ll %t.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %t.in.ll %t.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
; RUN: %if !aarch64 %{if grep -q avx512f /proc/cpuinfo; then sed s/+sse2/+avx512f/ %s >%t.ll && %cairn-cc -O2 %t.ll %t.o -o %t && %t \
; RUN:   | FileCheck %s; fi%}
; RUN: %if !aarch64 %{if grep -q avx2 /proc/cpuinfo; then sed s/+sse2/+avx2/ %s >%t.ll && %cairn-cc -O2 %t.ll %t.o -o %t && %t \
; RUN:   | FileCheck %s; fi%}
; Results in all registers that LLVM returns something in, through barriers on the way up (a young collection is at the
; bottom of each recursion). What would go wrong: the barrier's stub, or the C code that it calls, spoils a result.
; CHECK: three 113 223 333
; CHECK: floats 111 212 313 414
; CHECK: vector 120 220 320 420 520 620 720 820
; CHECK: mixed 105 205 305 405
; CHECK: extended 115

declare void @cairn_collect()
declare i32 @printf(ptr, ...)
@three.zero = private constant [19 x i8] c"three %ld %ld %ld\0A\00"
@floats.text = private constant [28 x i8] c"floats %.0f %.0f %.0f %.0f\0A\00"
@vector.text = private constant [48 x i8] c"vector %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\0A\00"
@mixed.text = private constant [25 x i8] c"mixed %ld %.0f %ld %.0f\0A\00"
@extended.text = private constant [14 x i8] c"extended %ld\0A\00"

define { i64, i64, i64 } @three(i64 %n) noinline gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
end:
  call void @cairn_collect()
  ret { i64, i64, i64 } { i64 13, i64 23, i64 33 }
more:
  %m = sub i64 %n, 1
  %r = call { i64, i64, i64 } @three(i64 %m)
  %a = extractvalue { i64, i64, i64 } %r, 0
  %b = extractvalue { i64, i64, i64 } %r, 1
  %d = extractvalue { i64, i64, i64 } %r, 2
  %x = add i64 %a, 1
  %y = add i64 %b, 2
  %z = add i64 %d, 3
  %s = insertvalue { i64, i64, i64 } undef, i64 %x, 0
  %t = insertvalue { i64, i64, i64 } %s, i64 %y, 1
  %u = insertvalue { i64, i64, i64 } %t, i64 %z, 2
  ret { i64, i64, i64 } %u
}

define { double, double, double, double } @floats(i64 %n) noinline gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
end:
  call void @cairn_collect()
  ret { double, double, double, double } { double 1.1e1, double 1.2e1, double 1.3e1, double 1.4e1 }
more:
  %m = sub i64 %n, 1
  %r = call { double, double, double, double } @floats(i64 %m)
  %a = extractvalue { double, double, double, double } %r, 0
  %b = extractvalue { double, double, double, double } %r, 1
  %d = extractvalue { double, double, double, double } %r, 2
  %e = extractvalue { double, double, double, double } %r, 3
  %w = fadd double %a, 1.0
  %x = fadd double %b, 2.0
  %y = fadd double %d, 3.0
  %z = fadd double %e, 4.0
  %s = insertvalue { double, double, double, double } undef, double %w, 0
  %t = insertvalue { double, double, double, double } %s, double %x, 1
  %u = insertvalue { double, double, double, double } %t, double %y, 2
  %v = insertvalue { double, double, double, double } %u, double %z, 3
  ret { double, double, double, double } %v
}

; One register of 64 bytes, two of 32, or four of 16.
define <8 x double> @vector(i64 %n) noinline #0 gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
end:
  call void @cairn_collect()
  ret <8 x double> <double 2.0e1, double 2.0e1, double 2.0e1, double 2.0e1, double 2.0e1, double 2.0e1, double 2.0e1, double 2.0e1>
more:
  %m = sub i64 %n, 1
  %r = call <8 x double> @vector(i64 %m)
  %s = fadd <8 x double> %r, <double 1.0, double 2.0, double 3.0, double 4.0, double 5.0, double 6.0, double 7.0, double 8.0>
  ret <8 x double> %s
}

define { i64, double, i64, double } @mixed(i64 %n) noinline gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
end:
  call void @cairn_collect()
  ret { i64, double, i64, double } { i64 5, double 5.0, i64 5, double 5.0 }
more:
  %m = sub i64 %n, 1
  %r = call { i64, double, i64, double } @mixed(i64 %m)
  %a = extractvalue { i64, double, i64, double } %r, 0
  %b = extractvalue { i64, double, i64, double } %r, 1
  %d = extractvalue { i64, double, i64, double } %r, 2
  %e = extractvalue { i64, double, i64, double } %r, 3
  %w = add i64 %a, 1
  %x = fadd double %b, 2.0
  %y = add i64 %d, 3
  %z = fadd double %e, 4.0
  %s = insertvalue { i64, double, i64, double } undef, i64 %w, 0
  %t = insertvalue { i64, double, i64, double } %s, double %x, 1
  %u = insertvalue { i64, double, i64, double } %t, i64 %y, 2
  %v = insertvalue { i64, double, i64, double } %u, double %z, 3
  ret { i64, double, i64, double } %v
}

define x86_fp80 @extended(i64 %n) noinline gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
end:
  call void @cairn_collect()
  ret x86_fp80 0xK4002F000000000000000
more:
  %m = sub i64 %n, 1
  %r = call x86_fp80 @extended(i64 %m)
  %s = fadd x86_fp80 %r, 0xK3FFF8000000000000000
  ret x86_fp80 %s
}

define i32 @main() #0 gc "statepoint-example" {
  %r = call { i64, i64, i64 } @three(i64 100)
  %a = extractvalue { i64, i64, i64 } %r, 0
  %b = extractvalue { i64, i64, i64 } %r, 1
  %c = extractvalue { i64, i64, i64 } %r, 2
  call i32 (ptr, ...) @printf(ptr @three.zero, i64 %a, i64 %b, i64 %c)
  %f = call { double, double, double, double } @floats(i64 100)
  %f0 = extractvalue { double, double, double, double } %f, 0
  %f1 = extractvalue { double, double, double, double } %f, 1
  %f2 = extractvalue { double, double, double, double } %f, 2
  %f3 = extractvalue { double, double, double, double } %f, 3
  call i32 (ptr, ...) @printf(ptr @floats.text, double %f0, double %f1, double %f2, double %f3)
  %v = call <8 x double> @vector(i64 100)
  %v0 = extractelement <8 x double> %v, i32 0
  %v1 = extractelement <8 x double> %v, i32 1
  %v2 = extractelement <8 x double> %v, i32 2
  %v3 = extractelement <8 x double> %v, i32 3
  %v4 = extractelement <8 x double> %v, i32 4
  %v5 = extractelement <8 x double> %v, i32 5
  %v6 = extractelement <8 x double> %v, i32 6
  %v7 = extractelement <8 x double> %v, i32 7
  call i32 (ptr, ...) @printf(ptr @vector.text, double %v0, double %v1, double %v2, double %v3, double %v4, double %v5, double %v6, double %v7)
  %m = call { i64, double, i64, double } @mixed(i64 100)
  %m0 = extractvalue { i64, double, i64, double } %m, 0
  %m1 = extractvalue { i64, double, i64, double } %m, 1
  %m2 = extractvalue { i64, double, i64, double } %m, 2
  %m3 = extractvalue { i64, double, i64, double } %m, 3
  call i32 (ptr, ...) @printf(ptr @mixed.text, i64 %m0, double %m1, i64 %m2, double %m3)
  %x = call x86_fp80 @extended(i64 100)
  %xi = fptosi x86_fp80 %x to i64
  call i32 (ptr, ...) @printf(ptr @extended.text, i64 %xi)
  ret i32 0
}

attributes #0 = { "target-features"="+sse2" }

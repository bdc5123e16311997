; Lengths that a front end's IR gives, constant or not, checked at run time as those of C are: one line says what and where.
; RUN: %cairn-cc -O2 %s -o %t
; RUN: not %t 1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
; RUN: not %t 1 2 2>&1 | FileCheck %s --check-prefix=OVERFLOW
; RUN: not %t 1 2 3 2>&1 | FileCheck %s --check-prefix=FLEX
; RUN: %t
; RUN: for n in -1 -9223372036854775808; do sed "s/i64 2305843009213693952)/i64 $n)/" %s > %t.ll && %cairn-cc -O2 %t.ll -o %t.constant && not %t.constant 1 2 2>&1 | FileCheck %s --check-prefix=CONSTANT || exit 1; done
; NEGATIVE: {{^}}cairn: negative array length -1 at pc 0x{{[0-9a-f]+}} (main+0x{{[0-9a-f]+}}){{$}}
; OVERFLOW: {{^}}cairn: array of 2305843009213693952 elements of 8 bytes at pc 0x{{[0-9a-f]+}} (main+0x{{[0-9a-f]+}}): the size overflows{{$}}
; FLEX: {{^}}cairn: array of 768614336404564650 elements of 24 bytes at pc 0x{{[0-9a-f]+}} (main+0x{{[0-9a-f]+}}): the size overflows{{$}}
; CONSTANT: {{^}}cairn: negative array length -{{[0-9]+}} at pc 0x{{[0-9a-f]+}} (main+0x{{[0-9a-f]+}}){{$}}

%flex = type { i64, [0 x { i64, i64, i64 }] }
@word.layout = internal constant i64 zeroinitializer
@flex.layout = internal constant %flex zeroinitializer
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)

define i32 @main(i32 %count, ptr %arguments) gc "statepoint-example" {
  switch i32 %count, label %fine [
    i32 2, label %negative
    i32 3, label %overflow
    i32 4, label %flexible
  ]
negative:
  %wide = sext i32 %count to i64
  %n = sub i64 1, %wide
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @word.layout, i64 %n)
  br label %fine
overflow:
  %b = call ptr addrspace(1) @cairn_alloc_array(ptr @word.layout, i64 2305843009213693952)
  br label %fine
flexible:
  %c = call ptr addrspace(1) @cairn_alloc_flex(ptr @flex.layout, i64 768614336404564650)
  br label %fine
fine:
  ret i32 0
}

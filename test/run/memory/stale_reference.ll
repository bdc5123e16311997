; A stale reference, kept by native code over a collection, faults under stress: the message says what it is, and the
; backtrace where. What would go wrong: a bare segmentation fault; a handler that crashes or hangs.
; RUN: rm -rf %t && split-file %s %t && cd %t && clang -O1 -g -c native.c
; RUN: %cairn-cc -O1 code.ll native.o -o prog && ./prog
; RUN: not --crash env CAIRN_STRESS=1 ./prog > out 2>&1; FileCheck --check-prefix=FAULT %s < out
; FAULT: cairn: stale reference: address 0x{{[0-9a-f]+}} was moved by collection {{[0-9]+}}, used at pc 0x{{[0-9a-f]+}} (use+0x{{[0-9a-f]+}})
; FAULT-NEXT: #0  0x{{[0-9a-f]+}} in use+0x{{[0-9a-f]+}} from {{.*}}/prog
; FAULT-NEXT: #1  0x{{[0-9a-f]+}} in main
; In managed code with debug information, the message has a line: that of the last safepoint before the access.
; RUN: clang -O1 -c kept.c && %cairn-cc -O1 -g managed.c kept.o -o managed && not --crash env CAIRN_STRESS=1 ./managed > managed.out 2>&1; FileCheck --check-prefix=LINE %s < managed.out
; LINE: cairn: stale reference: address 0x{{[0-9a-f]+}} was moved by collection {{[0-9]+}}, used at pc 0x{{[0-9a-f]+}} (main+0x{{[0-9a-f]+}}), near {{.*}}managed.c:9

;--- native.c
void keep(void *reference);
long use(void);
static volatile long *kept;
void keep(void *reference) { kept = reference; }
long use(void) { return *kept + 1; }

;--- kept.c
static void *kept;
void keep(void *reference);
void *get(void);
void keep(void *reference) { kept = reference; }
void *get(void) { return kept; }

;--- managed.c
#include <cairn/cairn.h>
struct box { long value; };
cairn_leaf void keep(struct box managed *box);
cairn_leaf struct box managed *get(void);
int main(void)
{
  struct box managed *box = cairn_new(struct box);
  keep(box);
  cairn_collect();
  return (int)get()->value;
}

;--- code.ll
%box = type { i64 }
@layout = internal constant %box zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare void @keep(ptr addrspace(1)) "gc-leaf-function"
declare i64 @use()
define i32 @main() gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  call void @keep(ptr addrspace(1) %b)
  %c = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  %u = call i64 @use()
  store i64 %u, ptr addrspace(1) %c
  call void @keep(ptr addrspace(1) %c)
  %v = load i64, ptr addrspace(1) %b
  %r = trunc i64 %v to i32
  ret i32 %r
}

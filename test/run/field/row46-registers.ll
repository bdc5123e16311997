; Row 46: _Unwind_GetGR() crashes for the stack pointer, and for each register that no call-frame information mentions. The iterator
; answers for all: where the value is, or that it is lost; the stack pointer apart.
; RUN: rm -rf %t && split-file %s %t && cd %t && clang -O1 -I%root/include -I%S/Inputs -c native.c
; RUN: %cairn-cc -O2 code.ll native.o -o prog -lgcc_s
; RUN: ./prog | FileCheck %s
; RUN: env CAIRN_VERIFY=frames CAIRN_STRESS=1 ./prog | FileCheck %s
; CHECK: sp is known 1, as a register 0, callee-saved {{6|11}}, others 0
; The unwinder: not to be asked.
; RUN: not --crash ./prog gr

;--- native.c
#include "unwinder.h"
#include <stdlib.h>
void native(int ask);
void native(int ask)
{
  struct seen seen = {.gr = ask};
  struct cairn_stack_state state;
  int saved = 0, others = 0;

  look(&seen);
  cairn_stack_get(&seen.it, &state);
  for (int i = 0; i < CAIRN_STACK_REGISTERS; i++)
    if (state.reg[i] != NULL)
      others++;
  for (int i = 0; i < KEPT_REGISTERS; i++)
    if (state.reg[kept_registers[i]] != NULL)
      saved++, others--;
  printf("sp is known %d, as a register %d, callee-saved %d, others %d\n",
         state.sp == cairn_stack_sp(&seen.it) && state.sp == seen.sp, state.reg[SP_NUMBER] != NULL, saved,
         others);
}

;--- code.ll
declare void @native(i32)
declare void @cairn_collect()
define i32 @main(i32 %c, ptr %argv) gc "statepoint-example" {
  %ask = sub i32 %c, 1
  call void @native(i32 %ask)
  call void @cairn_collect()
  ret i32 0
}

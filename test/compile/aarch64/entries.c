// The entry of a managed function of AArch64, before which the prefix jumps to the runtime with the body's address; and
// thunks. Wrong: another code than the runtime expects (include/cairn/entry.h), or a lost relocation.
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -fPIE -S %s -o %t.s
// RUN: llvm-mc -triple=aarch64-linux-gnu -filetype=obj %t.s -o %t.o
// RUN: llvm-objdump -dr --no-show-raw-insn -j .text %t.o | FileCheck %s --check-prefix=RELOC
// RUN: llvm-objdump -dr --no-show-raw-insn -j .text.cairn.call.native -j .text.cairn.slow.cairn_enter %t.o | \
// RUN:   FileCheck %s --check-prefix=THUNK
// RUN: llvm-objcopy -O binary -j .text %t.o %t.bin
// RUN: od -An -tx4 -v -w4 -N64 %t.bin | FileCheck %s
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -fPIC -S %s -o %t.pic.s
// RUN: llvm-mc -triple=aarch64-linux-gnu -filetype=obj %t.pic.s -o %t.pic.o
// RUN: llvm-objdump -dr --no-show-raw-insn -j .text %t.pic.o | FileCheck %s --check-prefix=PIC
#include <cairn/cairn.h>

struct list {
  struct list managed *next;
};
void native(void);

// Prefix, mark and entry; then the body.
// CHECK: 100001ce
// CHECK-NEXT: 14000000
// CHECK-NEXT: d503201f
// CHECK-NEXT: d503201f
// CHECK-NEXT: 43a7e1c5
// CHECK-NEXT: 4e524941
// CHECK-NEXT: d503245f
// CHECK-NEXT: d53bd051
// CHECK-NEXT: 91400231
// CHECK-NEXT: 91000231
// CHECK-NEXT: 3940a231
// CHECK-NEXT: 35fffeb1
// CHECK-NEXT: d503201f
// CHECK-NEXT: d503201f
// CHECK-NEXT: a9

// RELOC: 0000000000000004: R_AARCH64_JUMP26 cairn.slow.cairn_enter
// RELOC: 18 <first>:
// RELOC: 0000000000000020: R_AARCH64_TLSLE_ADD_TPREL_HI12 cairn_mutator
// RELOC: 0000000000000024: R_AARCH64_TLSLE_ADD_TPREL_LO12_NC cairn_mutator
// RELOC: 38 <cairn.managed_code.first>:

// PIC: R_AARCH64_JUMP26 cairn.slow.cairn_enter
// PIC: 18 <first>:
// PIC: 000000000000001c: R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21 cairn_mutator
// PIC: 0000000000000020: R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC cairn_mutator
// PIC: 3940a231
// PIC: 35fffe91
// PIC: 38 <cairn.managed_code.first>:

// A thunk passes its target in x14.
// THUNK: <cairn.call.native>:
// THUNK-NEXT: bti c
// THUNK-NEXT: adrp x14
// THUNK-NEXT: R_AARCH64_ADR_GOT_PAGE native
// THUNK-NEXT: ldr x14, [x14]
// THUNK-NEXT: R_AARCH64_LD64_GOT_LO12_NC native
// THUNK-NEXT: adrp x16
// THUNK-NEXT: R_AARCH64_ADR_GOT_PAGE cairn_call_any
// THUNK-NEXT: ldr x16, [x16]
// THUNK-NEXT: R_AARCH64_LD64_GOT_LO12_NC cairn_call_any
// THUNK-NEXT: br x16
// THUNK: <cairn.slow.cairn_enter>:
// THUNK-NEXT: bti c
// THUNK-NEXT: adrp x16
// THUNK-NEXT: R_AARCH64_ADR_GOT_PAGE cairn_enter
// THUNK: br x16
struct list managed *first(struct list managed *p)
{
  native();
  return p->next;
}

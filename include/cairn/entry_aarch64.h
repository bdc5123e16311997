/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry of assembly functions for AArch64. Included by <cairn/entry.h>. The code overwrites x9 to x17 and the
 * flags.
 */
#ifndef CAIRN_ENTRY_AARCH64_H
#define CAIRN_ENTRY_AARCH64_H

/* clang-format off */
#if defined __PIC__ && !defined __PIE__
#define CAIRN_ENTRY_LOOK \
  adrp x16, :gottprel:cairn_mutator; \
  ldr x16, [x16, :gottprel_lo12:cairn_mutator]; \
  mrs x17, tpidr_el0; \
  add x17, x17, x16; \
  ldrb w17, [x17, 40]; \
  cbnz w17, . - 48;                    /* to the prefix */ \
  nop;
#else
#define CAIRN_ENTRY_LOOK \
  mrs x17, tpidr_el0; \
  add x17, x17, #:tprel_hi12:cairn_mutator, lsl #12; \
  add x17, x17, #:tprel_lo12_nc:cairn_mutator; \
  ldrb w17, [x17, 40]; \
  cbnz w17, . - 44;                    /* to the prefix */ \
  nop; \
  nop;
#endif

#define CAIRN_ENTRY(name) \
  .variant_pcs cairn_enter; \
  .p2align 4; \
  adr x14, . + 56;                     /* name + 32 */ \
  b cairn_enter; \
  nop; \
  nop; \
  .quad 0x4e52494143a7e1c5; \
  name: \
  hint 34;                             /* bti c */ \
  CAIRN_ENTRY_LOOK \
  .weak cairn.managed_code.name; \
  cairn.managed_code.name:
/* clang-format on */

#endif

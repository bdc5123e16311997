/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry of assembly functions for x86-64. Included by <cairn/entry.h>. The code overwrites r11.
 */
#ifndef CAIRN_ENTRY_X86_64_H
#define CAIRN_ENTRY_X86_64_H

/* clang-format off */
#if defined __PIC__ && !defined __PIE__
#define CAIRN_ENTRY_LOOK \
  .byte 0x4c, 0x8b, 0x1d;              /* movq cairn_mutator@gottpoff(%rip), %r11 */ \
  .reloc ., R_X86_64_GOTTPOFF, cairn_mutator-4; \
  .long 0; \
  .byte 0x64, 0x41, 0x80, 0x7b, 40, 0; /* cmpb $0, %fs:40(%r11) */ \
  .byte 0x75, 0xd5;                    /* jne, to the prefix */ \
  .byte 0x0f, 0x1f, 0x44, 0, 0;        /* nop */
#else
#define CAIRN_ENTRY_LOOK \
  .byte 0x64, 0x80, 0x3c, 0x25;        /* cmpb $0, %fs:cairn_mutator@tpoff+40 */ \
  .reloc ., R_X86_64_TPOFF32, cairn_mutator+40; \
  .long 0; \
  .byte 0; \
  .byte 0x75, 0xd9;                    /* jne, to the prefix */ \
  .byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0; /* nop */
#endif

#define CAIRN_ENTRY(name) \
  .type cairn_mutator, @tls_object; \
  .p2align 4; \
  .byte 0x4c, 0x8d, 0x1d, 41, 0, 0, 0; /* leaq name+24(%rip), %r11 */ \
  .byte 0xe9;                          /* jmp cairn_enter@PLT */ \
  .reloc ., R_X86_64_PLT32, cairn_enter-4; \
  .long 0, 0; \
  .quad 0x4e52494143a7e1c5; \
  name: \
  .byte 0xf3, 0x0f, 0x1e, 0xfa;        /* endbr64 */ \
  CAIRN_ENTRY_LOOK \
  .weak cairn.managed_code.name; \
  cairn.managed_code.name:
/* clang-format on */

#endif

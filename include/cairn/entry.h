/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of an assembly function that compiled code may call as managed code (docs/stack.md): the mark, and the
 * entry for native callers. The entry makes the thread managed, and then calls the code after it. Native code calls the
 * entry, and managed code does, too, at a call of cairn_managed_callee(); other managed code calls the code after the
 * entry.
 *
 *   CAIRN_ENTRY(name)           in a .S file that the C preprocessor reads
 *   CAIRN_ENTRY_STRING(name)    in C, as part of the string of an __asm__
 *
 * Both macros define the labels `name` and, for calls that pass references, cairn.managed_code.name; the function's
 * first instruction follows the macro. The code overwrites r11. Its numbers come from <cairn/abi.def>: ENTRY_SIZE,
 * MANAGED_MARK, MUTATOR_STATE.
 */
#ifndef CAIRN_ENTRY_H
#define CAIRN_ENTRY_H

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

#define CAIRN_ENTRY_STRING(name) CAIRN_ENTRY_QUOTE(CAIRN_ENTRY(name))
#define CAIRN_ENTRY_QUOTE(...) CAIRN_ENTRY_QUOTE_TEXT(__VA_ARGS__)
#define CAIRN_ENTRY_QUOTE_TEXT(...) #__VA_ARGS__ "\n"

#endif

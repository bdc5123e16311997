/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembly: function `code`, which has one call, and its frame map. A row has the frame's size, the shape of the
 * prologue, and the root. POINT_FRAME is the frame of a point: its size in words, and its shape. */
#ifndef ONE_CALL_H
#define ONE_CALL_H

#if __aarch64__
#define CODE_SIZE 24
#define INSTRUCTION 4
#define RETURN_OFFSET 12
#define FRAME_WORDS 4
#define POINT_FRAME 4, 0x81
#else
#define CODE_SIZE 5
#define INSTRUCTION 2
#define RETURN_OFFSET 3
#define FRAME_WORDS 2
#define POINT_FRAME 1, 0x80
#endif
#ifndef SECTION
#define SECTION "ao",@progbits,.text
#endif
#define ROW_OF_REFERENCE 0x20, FRAME_WORDS, 0x81, 0x0e, 0, 0
#define ROW_WITHOUT_ROOTS 0x00, FRAME_WORDS, 0x81, 0, 0, 0

.macro define_code
.text
.globl code
.hidden code
.type code,@function
code:
#if __aarch64__
  stp x29, x30, [sp, -32]!
  str x19, [sp, 16]
  blr x0
local:
  ldr x19, [sp, 16]
  ldp x29, x30, [sp], 32
  ret
#else
  push %rbx
  call *%rax
local:
  pop %rbx
  ret
#endif
.size code, .-code
.section cairn_frames,SECTION
  .long 24, code-., CODE_SIZE, 1
  .byte RETURN_OFFSET, 0, ROW_OF_REFERENCE
.endm
#endif

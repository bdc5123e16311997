/* SPDX-License-Identifier: Apache-2.0
 *
 * The constants of AArch64 for the stack walk: its registers, and the frames that usual prologues leave. arch.h
 * includes the file of the runtime's port, and says what each port defines.
 *
 * A usual prologue saves x19 to x18 + n, a prefix of the callee-saved registers, from the CFA down; a word of padding
 * if n is odd; then the frame record, x30 and x29. Its shape is n:
 *
 *      CFA - 8   x19                    e.g. n = 3
 *      CFA - 16  x20
 *      CFA - 24  (padding)              the last of an odd number lies in the lower half of its pair
 *      CFA - 32  x21
 *      CFA - 40  x30, the return address
 *      CFA - 48  x29, the frame pointer, which points to this word
 */
#ifndef CN_RUNTIME_ARCH_REGISTERS_H
#define CN_RUNTIME_ARCH_REGISTERS_H

#include <stdint.h>
#include "framemap/frames_aarch64.h"

enum {
  CN_ARCH_REGISTER_COUNT = CN_PORT_REGISTER_COUNT,
  CN_ARCH_SAVED_VECTORS = CN_SAVED_VECTORS,
  CN_ARCH_FRAME_POINTER = CN_PORT_FRAME_POINTER,
  CN_ARCH_ENTRY_SAVED_REGISTER = CN_PORT_ENTRY_SAVED_REGISTER,
  CN_ARCH_SHAPES = CN_X29 + 1,
  CN_ARCH_CALL_PUSHES_RETURN = 0,
  CN_ARCH_RETURN_REACH_BYTES = 8 * (CN_X29 + 1),
  CN_ARCH_SIGNS_RETURNS = 1,
  CN_ARCH_KEEPS_THREAD_POINTER = 1,
  CN_ARCH_CFI_OPCODE = 0x2d /* DW_CFA_AARCH64_negate_ra_state */
};

/* The bytes of the registers above the frame record. */
static inline uintptr_t cn_arch_bytes_above_record(unsigned shape)
{
  return ((uintptr_t)shape + 1) / 2 * (2 * sizeof(uintptr_t));
}

static inline uintptr_t *cn_arch_return_slot(uintptr_t cfa, unsigned shape)
{
  return (uintptr_t *)(cfa - cn_arch_bytes_above_record(shape)) - 1;
}

/* XPACLRI is a hint, which older processors ignore. */
static inline uintptr_t cn_arch_strip_return(uintptr_t pc)
{
  register uintptr_t link __asm__("x30") = pc;

  __asm__("hint #7" : "+r"(link));
  return link;
}

static inline uintptr_t cn_arch_frame_record_bytes(unsigned shape)
{
  return cn_arch_bytes_above_record(shape) + 2 * sizeof(uintptr_t);
}

static inline unsigned cn_arch_shape_registers(unsigned shape)
{
  return ((1u << shape) - 1) | 1u << CN_X29;
}

static inline unsigned cn_arch_shape_of(unsigned registers)
{
  unsigned shape = (unsigned)__builtin_popcount(registers) - 1;

  return shape < CN_ARCH_SHAPES && registers == cn_arch_shape_registers(shape) ? shape : CN_ARCH_SHAPES;
}

#endif

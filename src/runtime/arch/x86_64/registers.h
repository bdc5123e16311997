/* SPDX-License-Identifier: Apache-2.0
 *
 * The constants of x86-64 for the stack walk: its registers, and the frames that usual prologues leave. arch.h includes
 * the file of the runtime's port, and says what each port defines.
 */
#ifndef CN_RUNTIME_ARCH_REGISTERS_H
#define CN_RUNTIME_ARCH_REGISTERS_H

#include <stdint.h>
#include "framemap/frames_x86_64.h"

enum {
  CN_ARCH_REGISTER_COUNT = CN_PORT_REGISTER_COUNT,
  CN_ARCH_SAVED_VECTORS = CN_SAVED_VECTORS,
  CN_ARCH_FRAME_POINTER = CN_PORT_FRAME_POINTER,
  CN_ARCH_ENTRY_SAVED_REGISTER = CN_PORT_ENTRY_SAVED_REGISTER,
  CN_ARCH_SHAPES = 1 << CN_CALLEE_SAVED_COUNT, /* a shape is the mask of the pushed registers */
  CN_ARCH_CALL_PUSHES_RETURN = 1,
  CN_ARCH_RETURN_REACH_BYTES = 8,
  CN_ARCH_SIGNS_RETURNS = 0,
  CN_ARCH_KEEPS_THREAD_POINTER = 0,
  CN_ARCH_CFI_OPCODE = 0
};

/* The call pushes the return address, whatever the callee's prologue does. */
static inline uintptr_t *cn_arch_return_slot(uintptr_t cfa, unsigned shape)
{
  (void)shape;
  return (uintptr_t *)cfa - 1;
}

static inline uintptr_t cn_arch_strip_return(uintptr_t pc)
{
  return pc;
}

/* The frame pointer is pushed first. */
static inline uintptr_t cn_arch_frame_record_bytes(unsigned shape)
{
  (void)shape;
  return 2 * sizeof(uintptr_t);
}

static inline unsigned cn_arch_shape_registers(unsigned shape)
{
  return shape;
}

static inline unsigned cn_arch_shape_of(unsigned registers)
{
  return registers;
}

#endif

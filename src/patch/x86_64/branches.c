/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembles jumps, calls and nops, and begins and ends an assembler's code. The functions only use their
 * arguments: any thread, any phase.
 */
#include "patch/x86_64/encode.h"

#include <string.h>

void cairn_assembler_begin(struct cairn_assembler *assembler, void *bytes, size_t capacity, uint64_t address)
{
  *assembler = (struct cairn_assembler){bytes, capacity, 0, address, CAIRN_OK};
}

enum { MAX_NOP_BYTES = 9 };
enum { JUMP_EXTENSION = 4, CALL_EXTENSION = 2, CONDITIONAL_JUMP = 0x80, CONDITIONAL_JUMP_BYTES = 6 };

static enum cairn_status branch(struct cairn_assembler *assembler, unsigned opcode, uint64_t target)
{
  enum { BRANCH_BYTES = 5 };
  struct cn_code code = {0};
  int64_t distance = cn_encode_distance(assembler, target, BRANCH_BYTES);

  if (!cn_encode_fits_32_bits(distance))
    return cn_encode_fail(assembler, CAIRN_E_FAR);
  cn_encode_put(&code, opcode);
  cn_encode_put_value(&code, (uint64_t)distance, 4);
  return cn_encode_append_bytes(assembler, code.bytes, code.length);
}

enum cairn_status cairn_assemble_jump(struct cairn_assembler *assembler, uint64_t target)
{
  return branch(assembler, 0xe9, target);
}

enum cairn_status cairn_assemble_call(struct cairn_assembler *assembler, uint64_t target)
{
  return branch(assembler, 0xe8, target);
}

static enum cairn_status branch_to_register(struct cairn_assembler *assembler, unsigned char extension, unsigned reg)
{
  struct cn_instruction instruction = {.opcode = 0xff, .reg = extension};

  return cn_encode_append(assembler, &instruction, cn_encode_find_general(reg, &instruction.rm));
}

enum cairn_status cairn_assemble_jump_register(struct cairn_assembler *assembler, unsigned reg)
{
  return branch_to_register(assembler, JUMP_EXTENSION, reg);
}

enum cairn_status cairn_assemble_call_register(struct cairn_assembler *assembler, unsigned reg)
{
  return branch_to_register(assembler, CALL_EXTENSION, reg);
}

static enum cairn_status branch_through(struct cairn_assembler *assembler, unsigned char extension, unsigned base,
                                        int64_t offset)
{
  struct cn_instruction instruction = {.opcode = 0xff, .reg = extension};

  return cn_encode_append(assembler, &instruction, cn_encode_set_memory(&instruction, base, offset));
}

enum cairn_status cairn_assemble_jump_memory(struct cairn_assembler *assembler, unsigned base, int64_t offset)
{
  return branch_through(assembler, JUMP_EXTENSION, base, offset);
}

enum cairn_status cairn_assemble_call_memory(struct cairn_assembler *assembler, unsigned base, int64_t offset)
{
  return branch_through(assembler, CALL_EXTENSION, base, offset);
}

/* Both instructions together, so that a failure leaves the code unchanged. */
static enum cairn_status branch_far(struct cairn_assembler *assembler, unsigned char extension, uint64_t target,
                                    unsigned scratch)
{
  unsigned char bytes[2 * CN_INSTRUCTION_BYTES];
  struct cairn_assembler both;

  cairn_assembler_begin(&both, bytes, sizeof bytes, 0);
  cairn_assemble_constant(&both, scratch, target, 8);
  if (branch_to_register(&both, extension, scratch) != CAIRN_OK)
    return cn_encode_fail(assembler, both.failure);
  return cn_encode_append_bytes(assembler, bytes, both.length);
}

enum cairn_status cairn_assemble_jump_far(struct cairn_assembler *assembler, uint64_t target, unsigned scratch)
{
  return branch_far(assembler, JUMP_EXTENSION, target, scratch);
}

enum cairn_status cairn_assemble_call_far(struct cairn_assembler *assembler, uint64_t target, unsigned scratch)
{
  return branch_far(assembler, CALL_EXTENSION, target, scratch);
}

static bool is_condition(enum cairn_condition condition)
{
  return (condition >= CAIRN_IF_BELOW && condition <= CAIRN_IF_ABOVE) ||
         (condition >= CAIRN_IF_LESS && condition <= CAIRN_IF_GREATER);
}

enum cairn_status cairn_assemble_jump_if(struct cairn_assembler *assembler, enum cairn_condition condition,
                                         uint64_t target)
{
  struct cn_code code = {0};
  int64_t distance = cn_encode_distance(assembler, target, CONDITIONAL_JUMP_BYTES);

  if (!is_condition(condition))
    return cn_encode_fail(assembler, CAIRN_E_BOUNDS);
  if (!cn_encode_fits_32_bits(distance))
    return cn_encode_fail(assembler, CAIRN_E_FAR);
  cn_encode_put(&code, CN_ESCAPE);
  cn_encode_put(&code, (unsigned)CONDITIONAL_JUMP | condition);
  cn_encode_put_value(&code, (uint64_t)distance, 4);
  return cn_encode_append_bytes(assembler, code.bytes, code.length);
}

enum cairn_status cairn_assemble_jump_over(struct cairn_assembler *assembler, enum cairn_condition condition,
                                           size_t *jump)
{
  uint64_t next = assembler->address + assembler->length + CONDITIONAL_JUMP_BYTES;
  enum cairn_status status = cairn_assemble_jump_if(assembler, condition, next);

  *jump = assembler->length;
  return status;
}

/* True if a conditional jump ends at this offset of the code, or bytes that look like one. */
static bool has_conditional_jump_before(const struct cairn_assembler *assembler, size_t end)
{
  if (end < CONDITIONAL_JUMP_BYTES || end > assembler->length)
    return false;
  const unsigned char *jump = assembler->bytes + end - CONDITIONAL_JUMP_BYTES;
  return jump[0] == CN_ESCAPE && (jump[1] & 0xf0) == CONDITIONAL_JUMP;
}

/* `jump` is the offset of the jump's end. */
enum cairn_status cairn_assemble_land(struct cairn_assembler *assembler, size_t jump)
{
  if (assembler->failure != CAIRN_OK)
    return assembler->failure;
  if (!has_conditional_jump_before(assembler, jump))
    return cn_encode_fail(assembler, CAIRN_E_BOUNDS);
  size_t distance = assembler->length - jump;
  if (distance > INT32_MAX)
    return cn_encode_fail(assembler, CAIRN_E_FAR);
  memcpy(assembler->bytes + jump - 4, &distance, 4); /* the machine is little-endian */
  return CAIRN_OK;
}

enum cairn_status cairn_assemble_return(struct cairn_assembler *assembler)
{
  static const unsigned char code[] = {0xc3};

  return cn_encode_append_bytes(assembler, code, sizeof code);
}

/* ---- Nops ---- */

enum cairn_status cairn_assemble_nops(struct cairn_assembler *assembler, size_t bytes)
{
  /* "Recommended Multi-Byte Sequence of NOP Instruction", at NOP in the manual. */
  static const unsigned char nops[MAX_NOP_BYTES][MAX_NOP_BYTES] = {
      {0x90},
      {0x66, 0x90},
      {0x0f, 0x1f, 0x00},
      {0x0f, 0x1f, 0x40, 0x00},
      {0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
      {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
      {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
  };

  if (assembler->failure == CAIRN_OK && bytes > assembler->capacity - assembler->length)
    return cn_encode_fail(assembler, CAIRN_E_ROOM);
  for (size_t part; bytes > 0 && assembler->failure == CAIRN_OK; bytes -= part) {
    part = bytes < MAX_NOP_BYTES ? bytes : MAX_NOP_BYTES;
    cn_encode_append_bytes(assembler, nops[part - 1], part);
  }
  return assembler->failure;
}

enum cairn_status cairn_assembler_end(struct cairn_assembler *assembler)
{
  return cairn_assemble_nops(assembler, assembler->capacity - assembler->length);
}

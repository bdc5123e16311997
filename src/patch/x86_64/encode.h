/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes single instructions for the assembler of the port.
 */
#ifndef CN_PATCH_X86_64_ENCODE_H
#define CN_PATCH_X86_64_ENCODE_H

#include <cairn/assembler.h>
#include <stdbool.h>

enum { CN_INSTRUCTION_BYTES = 16 }; /* an instruction has at most 15 bytes */
enum { CN_PREFIX_16_BITS = 0x66, CN_PREFIX_SINGLE = 0xf3, CN_PREFIX_DOUBLE = 0xf2, CN_ESCAPE = 0x0f };
enum { CN_REX = 0x40, CN_REX_W = 8, CN_REX_R = 4, CN_REX_B = 1 };

/* An instruction with a ModR/M byte. `reg` and `rm` are the machine's numbers. */
struct cn_instruction {
  unsigned char prefix; /* 0: no prefix */
  bool wide, escape;    /* REX.W; the opcode follows byte CN_ESCAPE */
  bool byte_register;   /* numbers 4 to 7 mean low bytes, which only a REX prefix selects */
  unsigned char opcode, reg, rm;
  bool memory, at_address; /* the operand is memory at register `rm` + offset, or at address `offset` */
  int64_t offset;
  unsigned immediate_bytes;
  uint64_t immediate;
};

struct cn_code {
  unsigned char bytes[CN_INSTRUCTION_BYTES], length;
};

/* The machine's number of the general or vector register with this DWARF number. False: the machine lacks the register.
 */
bool cn_encode_find_general(unsigned number, unsigned char *reg);
bool cn_encode_find_vector(unsigned number, unsigned char *reg);

/* Set the memory operand of an instruction. False: the base is of another kind than a general register. */
bool cn_encode_set_memory(struct cn_instruction *instruction, unsigned base, int64_t offset);

void cn_encode_put(struct cn_code *code, unsigned byte);
void cn_encode_put_value(struct cn_code *code, uint64_t value, unsigned bytes);

static inline bool cn_encode_fits_32_bits(int64_t value)
{
  return value == (int32_t)value;
}

/* The distance to `target` from the end of the next instruction, whose length is `length` bytes. */
static inline int64_t cn_encode_distance(const struct cairn_assembler *assembler, uint64_t target, unsigned length)
{
  return (int64_t)(target - (assembler->address + assembler->length + length));
}

/* Append an instruction. `registers` is true if the operands have registers of the right kind. */
enum cairn_status cn_encode_append(struct cairn_assembler *assembler, const struct cn_instruction *instruction,
                                   bool registers);

enum cairn_status cn_encode_append_bytes(struct cairn_assembler *assembler, const void *bytes, size_t length);

/* Note the failure, unless the assembler has failed before; returns the first failure. */
enum cairn_status cn_encode_fail(struct cairn_assembler *assembler, enum cairn_status failure);

#endif

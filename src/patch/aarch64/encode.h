/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes single instructions for the assembler of the port. Each instruction is a word; a function of the assembler
 * appends up to seven.
 */
#ifndef CN_PATCH_AARCH64_ENCODE_H
#define CN_PATCH_AARCH64_ENCODE_H

#include <cairn/assembler.h>
#include <stdbool.h>

enum { CN_INSTRUCTION_BYTES = 4, CN_MAX_INSTRUCTIONS = 7 };
enum { CN_SP = 31, CN_ZERO = 31 }; /* one number, which means SP or the zero register by the instruction */
enum { CN_SCRATCH = 16, CN_SECOND_SCRATCH = 17 };

/* Instructions whose fields are 0. */
#define CN_NOP 0xd503201fu
#define CN_BRANCH 0x14000000u
#define CN_CALL 0x94000000u
#define CN_BRANCH_IF 0x54000000u
#define CN_BRANCH_REGISTER 0xd61f0000u
#define CN_CALL_REGISTER 0xd63f0000u
#define CN_RETURN 0xd65f03c0u

/* Instructions that are appended together. */
struct cn_code {
  uint32_t word[CN_MAX_INSTRUCTIONS];
  unsigned count;
};

/* The machine's number of the register with this DWARF number: a general register; a general register or SP; a vector
 * register. False: the register is of another kind. */
bool cn_encode_find_general(unsigned number, uint32_t *reg);
bool cn_encode_find_base(unsigned number, uint32_t *reg);
bool cn_encode_find_vector(unsigned number, uint32_t *reg);

static inline void cn_encode_put(struct cn_code *code, uint32_t word)
{
  code->word[code->count++] = word;
}

/* A constant in a register: always in `bytes` / 2 instructions. */
void cn_encode_put_constant(struct cn_code *code, uint32_t reg, uint64_t value, unsigned bytes);

/* The address of a place up to 4 GiB away, by two instructions of which the first will lie at `address`. False: the
 * place is further away. */
bool cn_encode_put_address(struct cn_code *code, uint32_t reg, uint64_t address, uint64_t place);

/* True if `value` is a multiple of 4 that a field of `bits` bits has with its sign; *field is the value / 4. */
bool cn_encode_find_words(int64_t value, unsigned bits, uint32_t *field);

/* Append the instructions, all of them or none. */
enum cairn_status cn_encode_append(struct cairn_assembler *assembler, const struct cn_code *code);

static inline uint64_t cn_encode_next(const struct cairn_assembler *assembler)
{
  return assembler->address + assembler->length;
}

/* Note the failure, unless the assembler has failed before; returns the first failure. */
enum cairn_status cn_encode_fail(struct cairn_assembler *assembler, enum cairn_status failure);

#endif

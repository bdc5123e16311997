/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembles jumps, calls and nops, and begins and ends an assembler's code. The functions only use their
 * arguments: any thread, any phase.
 */
#include "patch/aarch64/encode.h"

#include <string.h>

enum { BRANCH_BITS = 26, CONDITIONAL_BITS = 19, CONDITIONAL_SHIFT = 5 };
#define CONDITIONAL_MASK 0xff000010u /* of a conditional jump's word: without the distance and the condition */

void cairn_assembler_begin(struct cairn_assembler *assembler, void *bytes, size_t capacity, uint64_t address)
{
  *assembler = (struct cairn_assembler){bytes, capacity, 0, address, CAIRN_OK};
}

/* Put a jump or call; the first instruction of `code` will lie at the assembler's next address. */
static enum cairn_status put_branch(struct cn_code *code, const struct cairn_assembler *assembler, uint32_t opcode,
                                    uint64_t target)
{
  int64_t distance = (int64_t)(target - (cn_encode_next(assembler) + code->count * CN_INSTRUCTION_BYTES));
  uint32_t field;

  if (distance % CN_INSTRUCTION_BYTES != 0)
    return CAIRN_E_BOUNDS;
  if (!cn_encode_find_words(distance, BRANCH_BITS, &field))
    return CAIRN_E_FAR;
  cn_encode_put(code, opcode | field);
  return CAIRN_OK;
}

static enum cairn_status append(struct cairn_assembler *assembler, const struct cn_code *code, enum cairn_status status)
{
  return status == CAIRN_OK ? cn_encode_append(assembler, code) : cn_encode_fail(assembler, status);
}

static enum cairn_status branch(struct cairn_assembler *assembler, uint32_t opcode, uint64_t target)
{
  struct cn_code code = {0};
  enum cairn_status status = put_branch(&code, assembler, opcode, target);

  return append(assembler, &code, status);
}

enum cairn_status cairn_assemble_jump(struct cairn_assembler *assembler, uint64_t target)
{
  return branch(assembler, CN_BRANCH, target);
}

enum cairn_status cairn_assemble_call(struct cairn_assembler *assembler, uint64_t target)
{
  return branch(assembler, CN_CALL, target);
}

static enum cairn_status branch_to_register(struct cairn_assembler *assembler, uint32_t opcode, unsigned reg)
{
  struct cn_code code = {0};
  uint32_t number;

  if (!cn_encode_find_general(reg, &number))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  cn_encode_put(&code, opcode | number << 5);
  return cn_encode_append(assembler, &code);
}

enum cairn_status cairn_assemble_jump_register(struct cairn_assembler *assembler, unsigned reg)
{
  return branch_to_register(assembler, CN_BRANCH_REGISTER, reg);
}

enum cairn_status cairn_assemble_call_register(struct cairn_assembler *assembler, unsigned reg)
{
  return branch_to_register(assembler, CN_CALL_REGISTER, reg);
}

/* Several instructions together, so that a failure leaves the code unchanged. */
static enum cairn_status branch_through(struct cairn_assembler *assembler, uint32_t opcode, unsigned base,
                                        int64_t offset)
{
  unsigned char bytes[CN_MAX_INSTRUCTIONS * CN_INSTRUCTION_BYTES];
  struct cn_code code = {0};
  struct cairn_assembler all;

  cairn_assembler_begin(&all, bytes, sizeof bytes, cn_encode_next(assembler));
  cairn_assemble_load(&all, CN_SCRATCH, base, offset, 8);
  branch_to_register(&all, opcode, CN_SCRATCH);
  code.count = (unsigned)(all.length / CN_INSTRUCTION_BYTES);
  memcpy(code.word, bytes, all.length);
  return append(assembler, &code, all.failure);
}

enum cairn_status cairn_assemble_jump_memory(struct cairn_assembler *assembler, unsigned base, int64_t offset)
{
  return branch_through(assembler, CN_BRANCH_REGISTER, base, offset);
}

enum cairn_status cairn_assemble_call_memory(struct cairn_assembler *assembler, unsigned base, int64_t offset)
{
  return branch_through(assembler, CN_CALL_REGISTER, base, offset);
}

/* Addresses of programs have 48 bits. */
static enum cairn_status branch_far(struct cairn_assembler *assembler, uint32_t opcode, uint64_t target,
                                    unsigned scratch)
{
  enum { ADDRESS_BITS = 48 };
  struct cn_code code = {0};
  uint32_t number;

  if (!cn_encode_find_general(scratch, &number))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  if (target >> ADDRESS_BITS != 0)
    return cn_encode_fail(assembler, CAIRN_E_FAR);
  cn_encode_put_constant(&code, number, target, 8);
  code.word[ADDRESS_BITS / 16] = opcode | number << 5; /* in place of the upper 16 bits, which are 0 */
  return cn_encode_append(assembler, &code);
}

enum cairn_status cairn_assemble_jump_far(struct cairn_assembler *assembler, uint64_t target, unsigned scratch)
{
  return branch_far(assembler, CN_BRANCH_REGISTER, target, scratch);
}

enum cairn_status cairn_assemble_call_far(struct cairn_assembler *assembler, uint64_t target, unsigned scratch)
{
  return branch_far(assembler, CN_CALL_REGISTER, target, scratch);
}

/* ---- Conditions ---- */

/* The machine's number of a condition. An odd number is the opposite of the even number below. False: there is no such
 * condition. */
static bool find_condition(enum cairn_condition condition, uint32_t *number)
{
  enum { UNKNOWN = 16 };
  static const unsigned char numbers[16] = {UNKNOWN, UNKNOWN, 3,       2,       0,  1,  9,  8,
                                            UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, 11, 10, 13, 12};

  *number = (unsigned)condition < sizeof numbers ? numbers[condition] : UNKNOWN;
  return *number != UNKNOWN;
}

/* The opposite condition jumps over a jump, which reaches further than a condition. */
enum cairn_status cairn_assemble_jump_if(struct cairn_assembler *assembler, enum cairn_condition condition,
                                         uint64_t target)
{
  struct cn_code code = {0};
  uint32_t number;

  if (!find_condition(condition, &number))
    return cn_encode_fail(assembler, CAIRN_E_BOUNDS);
  cn_encode_put(&code, CN_BRANCH_IF | 2 << CONDITIONAL_SHIFT | (number ^ 1));
  enum cairn_status status = put_branch(&code, assembler, CN_BRANCH, target);
  return append(assembler, &code, status);
}

enum cairn_status cairn_assemble_jump_over(struct cairn_assembler *assembler, enum cairn_condition condition,
                                           size_t *jump)
{
  struct cn_code code = {0};
  uint32_t number;

  if (!find_condition(condition, &number))
    return cn_encode_fail(assembler, CAIRN_E_BOUNDS);
  cn_encode_put(&code, CN_BRANCH_IF | 1 << CONDITIONAL_SHIFT | number);
  enum cairn_status status = cn_encode_append(assembler, &code);
  *jump = assembler->length;
  return status;
}

/* `jump` is the offset of the jump's end. */
enum cairn_status cairn_assemble_land(struct cairn_assembler *assembler, size_t jump)
{
  uint32_t word = 0, field;

  if (assembler->failure != CAIRN_OK)
    return assembler->failure;
  if (jump >= sizeof word && jump <= assembler->length && jump % CN_INSTRUCTION_BYTES == 0)
    memcpy(&word, assembler->bytes + jump - sizeof word, sizeof word);
  if ((word & CONDITIONAL_MASK) != CN_BRANCH_IF)
    return cn_encode_fail(assembler, CAIRN_E_BOUNDS);
  if (!cn_encode_find_words((int64_t)(assembler->length - jump + sizeof word), CONDITIONAL_BITS, &field))
    return cn_encode_fail(assembler, CAIRN_E_FAR);
  word = CN_BRANCH_IF | field << CONDITIONAL_SHIFT | (word & 0xf);
  memcpy(assembler->bytes + jump - sizeof word, &word, sizeof word);
  return CAIRN_OK;
}

/* ---- Returns and nops ---- */

enum cairn_status cairn_assemble_return(struct cairn_assembler *assembler)
{
  const struct cn_code code = {{CN_RETURN}, 1};

  return cn_encode_append(assembler, &code);
}

enum cairn_status cairn_assemble_nops(struct cairn_assembler *assembler, size_t bytes)
{
  const struct cn_code nop = {{CN_NOP}, 1};

  if (assembler->failure == CAIRN_OK && bytes > assembler->capacity - assembler->length)
    return cn_encode_fail(assembler, CAIRN_E_ROOM);
  if (bytes % CN_INSTRUCTION_BYTES != 0)
    return cn_encode_fail(assembler, CAIRN_E_BOUNDS);
  for (size_t done = 0; done < bytes && assembler->failure == CAIRN_OK; done += CN_INSTRUCTION_BYTES)
    cn_encode_append(assembler, &nop);
  return assembler->failure;
}

enum cairn_status cairn_assembler_end(struct cairn_assembler *assembler)
{
  return cairn_assemble_nops(assembler, assembler->capacity - assembler->length);
}

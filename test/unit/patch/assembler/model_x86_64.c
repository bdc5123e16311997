/* SPDX-License-Identifier: Apache-2.0
 *
 * A model of the assembler for x86-64, and the tests of its branches and nops.
 */
#include "unit/patch/assembler/model.h"

const char model_options[] = "-triple=x86_64 -mattr=+avx512vl";
const char model_comment[] = "#";
const unsigned model_alignment = 1;

/* ---- the model ---- */

bool model_is_general(unsigned reg)
{
  return reg < 16;
}

static bool is_vector(unsigned reg)
{
  return (reg >= 17 && reg <= 32) || (reg >= 67 && reg <= 82);
}

static bool is_high(unsigned reg)
{
  return reg >= 67;
}

static const char *name_of(unsigned reg, unsigned bytes)
{
  static const char *const old[4][8] = {{"al", "dl", "cl", "bl", "sil", "dil", "bpl", "spl"},
                                        {"ax", "dx", "cx", "bx", "si", "di", "bp", "sp"},
                                        {"eax", "edx", "ecx", "ebx", "esi", "edi", "ebp", "esp"},
                                        {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"}};
  static char text[4][16];
  static unsigned next;
  char *at = text[next++ % 4];

  if (is_vector(reg))
    snprintf(at, sizeof text[0], "%%xmm%u", is_high(reg) ? reg - 51 : reg - 17);
  else if (reg < 8)
    snprintf(at, sizeof text[0], "%%%s", old[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3][reg]);
  else
    snprintf(at, sizeof text[0], "%%r%u%s", reg, bytes == 1 ? "b" : bytes == 2 ? "w" : bytes == 4 ? "d" : "");
  return at;
}

/* `end` is the address after the instruction. */
static const char *memory_of(const struct operands *with, uint64_t end)
{
  static char text[40];
  bool absolute = with->other == CAIRN_ASSEMBLER_PC;
  int64_t offset = absolute ? (int64_t)((uint64_t)with->offset - end) : with->offset;
  const char *base = absolute ? "%rip" : name_of(with->other, 8);

  if (offset == 0)
    snprintf(text, sizeof text, "(%s)", base);
  else
    snprintf(text, sizeof text, "%ld(%s)", (long)offset, base);
  return text;
}

static char suffix_of(unsigned bytes)
{
  return bytes == 1 ? 'b' : bytes == 2 ? 'w' : bytes == 4 ? 'l' : 'q';
}

static const char *condition_of(unsigned condition)
{
  static const char *const names[] = {0, 0, "b", "ae", "e", "ne", "be", "a", 0, 0, 0, 0, "l", "ge", "le", "g"};

  return condition < 16 ? names[condition] : NULL;
}

static void describe_move(char *text, const struct operands *with)
{
  bool vectors = is_vector(with->reg) && is_vector(with->other), high = is_high(with->reg) || is_high(with->other);
  const char *name = vectors ? "movaps" : "movq";

  sprintf(text, "%s%s\t%s, %s", high ? "v" : "", name, name_of(with->other, 8), name_of(with->reg, 8));
}

static const char *access_name(const struct operands *with, bool load)
{
  static char name[12];

  if (is_vector(with->reg))
    sprintf(name, "%smov%s", is_high(with->reg) ? "v" : "", with->bytes == 4 ? "ss" : with->bytes == 8 ? "sd" : "ups");
  else if (load && with->bytes < 4)
    sprintf(name, "movz%cl", suffix_of(with->bytes));
  else
    sprintf(name, "mov%c", suffix_of(with->bytes));
  return name;
}

/* The disassembler prints constants of 16 and 32 bits without a sign. */
static long constant_of(const struct operands *with)
{
  return with->bytes == 1   ? (int8_t)with->value
         : with->bytes == 2 ? (uint16_t)with->value
         : with->bytes == 4 ? (uint32_t)with->value
                            : (long)with->value;
}

void model_describe(char *text, enum operation operation, const struct operands *with, uint64_t address, size_t length)
{
  uint64_t end = address + length;
  const char *reg = name_of(with->reg, with->bytes);
  char suffix = suffix_of(with->bytes);

  switch (operation) {
  case MOVE:
    describe_move(text, with);
    break;
  case CONSTANT:
    sprintf(text, "%s\t$%ld, %s", with->bytes == 8 ? "movabsq" : "movl", (long)with->value, reg);
    break;
  case LOAD:
    sprintf(text, "%s\t%s, %s", access_name(with, true), memory_of(with, end),
            name_of(with->reg, with->bytes < 4 ? 4 : with->bytes));
    break;
  case STORE:
    sprintf(text, "%s\t%s, %s", access_name(with, false), reg, memory_of(with, end));
    break;
  case ADDRESS:
    sprintf(text, "leaq\t%s, %s", memory_of(with, end), name_of(with->reg, 8));
    break;
  case COMPARE:
    sprintf(text, "cmp%c\t%s, %s", suffix, name_of(with->other, with->bytes), reg);
    break;
  case COMPARE_CONSTANT:
    sprintf(text, "cmp%c\t$%ld, %s", suffix, constant_of(with), reg);
    break;
  case COMPARE_MEMORY:
    sprintf(text, "cmp%c\t%s, %s", suffix, memory_of(with, end), reg);
    break;
  case COMPARE_MEMORY_CONSTANT:
    sprintf(text, "cmp%c\t$%ld, %s", suffix, constant_of(with), memory_of(with, end));
    break;
  case JUMP_REGISTER:
  case CALL_REGISTER:
    sprintf(text, "%sq\t*%s", operation == CALL_REGISTER ? "call" : "jmp", name_of(with->reg, 8));
    break;
  case JUMP_MEMORY:
  case CALL_MEMORY:
    sprintf(text, "%sq\t*%s", operation == CALL_MEMORY ? "call" : "jmp", memory_of(with, end));
    break;
  case JUMP:
  case CALL:
    sprintf(text, "%s\t%ld", operation == CALL ? "callq" : "jmp", (long)(with->value - end));
    break;
  default:
    sprintf(text, "j%s\t%ld", condition_of(with->reg), (long)(with->value - end));
  }
}

static bool is_size_of(unsigned reg, unsigned bytes)
{
  return is_vector(reg) ? bytes == 4 || bytes == 8 || bytes == 16
                        : bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* The constants of a comparison: signed or unsigned, except that 8 bytes have 32 bits with their sign. */
static bool is_comparable(int64_t value, unsigned bytes)
{
  int64_t least = bytes == 1 ? INT8_MIN : bytes == 2 ? INT16_MIN : INT32_MIN;
  int64_t most = bytes == 1 ? UINT8_MAX : bytes == 2 ? UINT16_MAX : bytes == 4 ? UINT32_MAX : INT32_MAX;

  return value >= least && value <= most;
}

static bool has_reg(enum operation operation)
{
  return operation <= COMPARE_MEMORY || operation == JUMP_REGISTER || operation == CALL_REGISTER;
}

static bool has_memory(enum operation operation)
{
  return operation == LOAD || operation == STORE || operation == ADDRESS || operation == COMPARE_MEMORY ||
         operation == COMPARE_MEMORY_CONSTANT || operation == JUMP_MEMORY || operation == CALL_MEMORY;
}

static bool has_bad_register(enum operation operation, const struct operands *with)
{
  bool moves = operation == MOVE || operation == LOAD || operation == STORE;

  if (has_reg(operation) && !model_is_general(with->reg) && !(moves && is_vector(with->reg)))
    return true;
  if (has_memory(operation))
    return !model_is_general(with->other) && with->other != CAIRN_ASSEMBLER_PC;
  return (operation == MOVE && !model_is_general(with->other) && !is_vector(with->other)) ||
         (operation == COMPARE && !model_is_general(with->other));
}

static bool has_bad_immediate(enum operation operation, const struct operands *with)
{
  switch (operation) {
  case CONSTANT:
    return (with->bytes != 4 && with->bytes != 8) || (with->bytes == 4 && with->value > UINT32_MAX);
  case LOAD:
  case STORE:
    return !is_size_of(with->reg, with->bytes);
  case COMPARE:
  case COMPARE_MEMORY:
    return !is_size_of(0, with->bytes);
  case COMPARE_CONSTANT:
  case COMPARE_MEMORY_CONSTANT:
    return !is_size_of(0, with->bytes) || !is_comparable((int64_t)with->value, with->bytes);
  default:
    return false;
  }
}

/* Targets of the tests are at most 2^31 - 256 bytes away, or more than 2^31 + 256. */
static bool is_far(enum operation operation, const struct operands *with, uint64_t address)
{
  int64_t away = 0;

  if (operation >= JUMP)
    away = (int64_t)(with->value - address);
  else if (has_memory(operation))
    away = with->other == CAIRN_ASSEMBLER_PC ? (int64_t)((uint64_t)with->offset - address) : with->offset;
  return away != (int32_t)away;
}

bool model_may_fail(enum operation operation, const struct operands *with, uint64_t address, enum cairn_status status)
{
  switch (status) {
  case CAIRN_E_REGISTER:
    return has_bad_register(operation, with);
  case CAIRN_E_IMMEDIATE:
    return has_bad_immediate(operation, with);
  case CAIRN_E_FAR:
    return is_far(operation, with, address);
  case CAIRN_E_BOUNDS:
    return operation == JUMP_IF && condition_of(with->reg) == NULL;
  default:
    return false;
  }
}

/* ---- random operands ---- */

int64_t model_draw_offset(void)
{
  static const int64_t special[] = {0, 8, -8, 127, 128, -128, -129, INT32_MAX - 256, INT32_MIN + 256};
  uint64_t random = draw();

  return random % 4 == 0 ? special[random / 4 % (sizeof special / sizeof *special)] : (int32_t)(random / 8 & ~511u);
}

/* One in eight is further away than 2 GiB. */
uint64_t model_draw_target(uint64_t address)
{
  uint64_t random = draw(), away = ((uint64_t)1 << 31) + 512 + draw() % ((uint64_t)1 << 40);

  if (random % 8 != 0)
    return address + (uint64_t)model_draw_offset();
  return random & 8 ? address + away : address - away;
}

/* ---- distances ---- */

static enum cairn_status jump_from(uint64_t address, uint64_t target)
{
  unsigned char bytes[5];
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, sizeof bytes, address);
  return cairn_assemble_jump(&code, target);
}

void model_borders(void **state)
{
  static const uint64_t from[] = {0, 0x400000, 0x7ffff7ff0000, UINT64_MAX - 8};

  (void)state;
  for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
    uint64_t end = from[i] + 5, least = end - ((uint64_t)1 << 31), most = end + INT32_MAX;
    assert_int_equal(jump_from(from[i], most), CAIRN_OK);
    assert_int_equal(jump_from(from[i], most + 1), CAIRN_E_FAR);
    assert_int_equal(jump_from(from[i], least), CAIRN_OK);
    assert_int_equal(jump_from(from[i], least - 1), CAIRN_E_FAR);
  }
}

void model_far_branches(void **state)
{
  unsigned char bytes[LONGEST], apart[LONGEST];
  struct cairn_assembler code, parts;

  (void)state;
  for (unsigned scratch = 0; scratch < REGISTERS; scratch++)
    for (int call = 0; call < 2; call++) {
      uint64_t target = draw() << 8;
      cairn_assembler_begin(&code, bytes, sizeof bytes, draw());
      enum cairn_status status =
          call ? cairn_assemble_call_far(&code, target, scratch) : cairn_assemble_jump_far(&code, target, scratch);
      cairn_assembler_begin(&parts, apart, sizeof apart, 0);
      cairn_assemble_constant(&parts, scratch, target, 8);
      assert_int_equal(
          call ? cairn_assemble_call_register(&parts, scratch) : cairn_assemble_jump_register(&parts, scratch), status);
      assert_int_equal(status, model_is_general(scratch) ? CAIRN_OK : CAIRN_E_REGISTER);
      assert_int_equal(code.length, parts.length);
      assert_memory_equal(bytes, apart, code.length);
    }
  cairn_assembler_begin(&code, bytes, 12, 0); /* r11 needs 13 bytes: none of them is written */
  assert_int_equal(cairn_assemble_call_far(&code, 1, 11), CAIRN_E_ROOM);
  assert_int_equal(code.length, 0);
}

void model_forward_jumps(void **state)
{
  unsigned char bytes[64];
  struct cairn_assembler code;
  struct listing listing;
  size_t jump;

  (void)state;
  open_listing(&listing);
  cairn_assembler_begin(&code, bytes, sizeof bytes, 0x1000);
  assert_int_equal(cairn_assemble_jump_over(&code, CAIRN_IF_LESS, &jump), CAIRN_OK);
  list(&listing, bytes, 6, "jl\t0"); /* before it lands */
  assert_int_equal(cairn_assemble_nops(&code, 7), CAIRN_OK);
  assert_int_equal(cairn_assemble_land(&code, jump), CAIRN_OK);
  list(&listing, bytes, 6, "jl\t7");
  compare_listing(&listing);
  assert_int_equal(code.length, 13);
  for (size_t wrong = 0; wrong < 20; wrong++) {
    struct cairn_assembler copy = code;
    if (wrong != jump)
      assert_int_equal(cairn_assemble_land(&copy, wrong), CAIRN_E_BOUNDS);
  }
  assert_int_equal(cairn_assemble_jump_over(&code, (enum cairn_condition)9, &jump), CAIRN_E_BOUNDS);
}

/* ---- nops ---- */

void model_nops(void **state)
{
  unsigned char bytes[9];
  struct cairn_assembler code;
  struct listing listing;

  (void)state;
  open_listing(&listing);
  static const char *const texts[] = {"nop",
                                      "nop",
                                      "nopl\t(%rax)",
                                      "nopl\t(%rax)",
                                      "nopl\t(%rax,%rax)",
                                      "nopw\t(%rax,%rax)",
                                      "nopl\t(%rax)",
                                      "nopl\t(%rax,%rax)",
                                      "nopw\t(%rax,%rax)"};
  for (size_t length = 1; length <= sizeof bytes; length++) {
    cairn_assembler_begin(&code, bytes, sizeof bytes, 0);
    assert_int_equal(cairn_assemble_nops(&code, length), CAIRN_OK);
    assert_int_equal(code.length, length);
    list(&listing, bytes, length, texts[length - 1]);
  }
  compare_listing(&listing);
}

/* More nops than one instruction has. Too many add nothing. */
void model_long_nops(void **state)
{
  unsigned char bytes[1000];
  struct cairn_assembler code;

  (void)state;
  cairn_assembler_begin(&code, bytes, sizeof bytes, 0);
  assert_int_equal(cairn_assemble_nops(&code, 999), CAIRN_OK);
  for (size_t at = 0; at + 9 <= 999; at += 9)
    assert_memory_equal(bytes + at, "\x66\x0f\x1f\x84\0\0\0\0\0", 9);
  assert_int_equal(cairn_assemble_nops(&code, 2), CAIRN_E_ROOM);
  assert_int_equal(code.length, 999);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler: each function with all registers, all sizes and random operands, as LLVM's disassembler reads its
 * bytes; its errors; and random code in buffers of random sizes. What would go wrong: an instruction that does
 * something else for some register, or half an instruction in a patch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/assembler.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REGISTERS = 131, TEXT_BYTES = 120, LONGEST = 16, UNTOUCHED = 0xcc };
enum operation {
  MOVE,
  CONSTANT,
  LOAD,
  STORE,
  ADDRESS,
  COMPARE,
  COMPARE_CONSTANT,
  COMPARE_MEMORY,
  COMPARE_MEMORY_CONSTANT,
  JUMP_REGISTER,
  CALL_REGISTER,
  JUMP_MEMORY,
  CALL_MEMORY,
  JUMP,
  CALL,
  JUMP_IF,
  OPERATIONS
};
struct operands {
  unsigned reg, other, bytes;
  int64_t offset;
  uint64_t value;
};

static uint64_t random_state = 1;

static uint64_t draw(void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 32 ^ random_state << 20;
}

static unsigned draw_below(unsigned limit)
{
  return (unsigned)(draw() % limit);
}

static enum cairn_status assemble(struct cairn_assembler *code, enum operation operation, const struct operands *with)
{
  switch (operation) {
  case MOVE:
    return cairn_assemble_move(code, with->reg, with->other);
  case CONSTANT:
    return cairn_assemble_constant(code, with->reg, with->value, with->bytes);
  case LOAD:
    return cairn_assemble_load(code, with->reg, with->other, with->offset, with->bytes);
  case STORE:
    return cairn_assemble_store(code, with->other, with->offset, with->reg, with->bytes);
  case ADDRESS:
    return cairn_assemble_address(code, with->reg, with->other, with->offset);
  case COMPARE:
    return cairn_assemble_compare(code, with->reg, with->other, with->bytes);
  case COMPARE_CONSTANT:
    return cairn_assemble_compare_constant(code, with->reg, (int64_t)with->value, with->bytes);
  case COMPARE_MEMORY:
    return cairn_assemble_compare_memory(code, with->reg, with->other, with->offset, with->bytes);
  case COMPARE_MEMORY_CONSTANT:
    return cairn_assemble_compare_memory_constant(code, with->other, with->offset, (int64_t)with->value, with->bytes);
  case JUMP_REGISTER:
    return cairn_assemble_jump_register(code, with->reg);
  case CALL_REGISTER:
    return cairn_assemble_call_register(code, with->reg);
  case JUMP_MEMORY:
    return cairn_assemble_jump_memory(code, with->other, with->offset);
  case CALL_MEMORY:
    return cairn_assemble_call_memory(code, with->other, with->offset);
  case JUMP:
    return cairn_assemble_jump(code, with->value);
  case CALL:
    return cairn_assemble_call(code, with->value);
  default:
    return cairn_assemble_jump_if(code, (enum cairn_condition)with->reg, with->value);
  }
}

/* ---- A model of the assembler: the text of an instruction, or the reasons to refuse it ---- */

static bool is_general(unsigned reg)
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

static void describe(char *text, enum operation operation, const struct operands *with, uint64_t end)
{
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

  if (has_reg(operation) && !is_general(with->reg) && !(moves && is_vector(with->reg)))
    return true;
  if (has_memory(operation))
    return !is_general(with->other) && with->other != CAIRN_ASSEMBLER_PC;
  return (operation == MOVE && !is_general(with->other) && !is_vector(with->other)) ||
         (operation == COMPARE && !is_general(with->other));
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

static bool may_fail(enum operation operation, const struct operands *with, uint64_t address, enum cairn_status status)
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

static bool may_not(enum operation operation, const struct operands *with, uint64_t address)
{
  return may_fail(operation, with, address, CAIRN_E_REGISTER) || may_fail(operation, with, address, CAIRN_E_FAR) ||
         may_fail(operation, with, address, CAIRN_E_IMMEDIATE) || may_fail(operation, with, address, CAIRN_E_BOUNDS);
}

/* ---- The disassembler ---- */

struct listing {
  char bytes[32], text[32]; /* names of files */
  FILE *bytes_file, *text_file;
  size_t count;
};

static FILE *new_file(char *name)
{
  strcpy(name, "/tmp/cairn-assembler-XXXXXX");
  FILE *file = fdopen(mkstemp(name), "w");
  assert_non_null(file);
  return file;
}

static void open_listing(struct listing *listing)
{
  listing->bytes_file = new_file(listing->bytes);
  listing->text_file = new_file(listing->text);
  listing->count = 0;
}

static void list(struct listing *listing, const unsigned char *bytes, size_t length, const char *text)
{
  fputc('[', listing->bytes_file);
  for (size_t i = 0; i < length; i++)
    fprintf(listing->bytes_file, "%s0x%02x", i != 0 ? "," : "", bytes[i]);
  fputs("]\n", listing->bytes_file);
  fprintf(listing->text_file, "%s\n", text);
  listing->count++;
}

/* The disassembler's next instruction, without its comment. */
static bool read_instruction(FILE *output, char *line)
{
  while (fgets(line, TEXT_BYTES, output) != NULL) {
    line[strcspn(line, "#\n")] = '\0';
    for (size_t i = strlen(line); i > 0 && (line[i - 1] == ' ' || line[i - 1] == '\t'); i--)
      line[i - 1] = '\0';
    if (line[0] == '\t' && line[1] != '.')
      return true;
  }
  return false;
}

static void compare_listing(struct listing *listing)
{
  char command[sizeof CAIRN_LLVM_MC + 100], said[TEXT_BYTES], expected[TEXT_BYTES];

  fclose(listing->bytes_file);
  fclose(listing->text_file);
  snprintf(command, sizeof command, "%s --disassemble -triple=x86_64 -mattr=+avx512vl %s 2>&1", CAIRN_LLVM_MC,
           listing->bytes);
  FILE *output = popen(command, "r"), *text = fopen(listing->text, "r");
  assert_non_null(output);
  assert_non_null(text);
  for (size_t i = 0; i < listing->count; i++) {
    assert_non_null(fgets(expected, sizeof expected, text));
    expected[strcspn(expected, "\n")] = '\0';
    assert_true(read_instruction(output, said));
    assert_string_equal(said + 1, expected);
  }
  assert_false(read_instruction(output, said));
  assert_int_equal(pclose(output), 0);
  fclose(text);
  unlink(listing->bytes);
  unlink(listing->text);
}

/* ---- Each instruction ---- */

static void assert_untouched(const unsigned char *bytes, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++)
    assert_int_equal(bytes[i], UNTOUCHED);
}

/* In a buffer that is a byte too small, nothing is written. */
static void assert_needs_room(enum operation operation, const struct operands *with, uint64_t address, size_t length)
{
  unsigned char bytes[LONGEST];
  struct cairn_assembler code;

  memset(bytes, UNTOUCHED, sizeof bytes);
  cairn_assembler_begin(&code, bytes, length - 1, address);
  assert_int_equal(assemble(&code, operation, with), CAIRN_E_ROOM);
  assert_int_equal(code.length, 0);
  assert_int_equal(cairn_assembler_end(&code), CAIRN_E_ROOM);
  assert_untouched(bytes, 0, sizeof bytes);
}

static void check(struct listing *listing, enum operation operation, const struct operands *with, uint64_t address)
{
  unsigned char bytes[LONGEST];
  struct cairn_assembler code;
  char text[TEXT_BYTES];

  memset(bytes, UNTOUCHED, sizeof bytes);
  cairn_assembler_begin(&code, bytes, sizeof bytes, address);
  enum cairn_status status = assemble(&code, operation, with);
  assert_int_equal(code.failure, status);
  assert_untouched(bytes, code.length, sizeof bytes);
  if (status != CAIRN_OK) {
    assert_int_equal(code.length, 0);
    assert_true(may_fail(operation, with, address, status));
    return;
  }
  assert_false(may_not(operation, with, address));
  describe(text, operation, with, address + code.length);
  list(listing, bytes, code.length, text);
  assert_needs_room(operation, with, address, code.length);
}

static int64_t draw_offset(void)
{
  static const int64_t special[] = {0, 8, -8, 127, 128, -128, -129, INT32_MAX - 256, INT32_MIN + 256};
  uint64_t random = draw();

  return random % 4 == 0 ? special[random / 4 % (sizeof special / sizeof *special)] : (int32_t)(random / 8 & ~511u);
}

/* One in eight is further away than 2 GiB. */
static uint64_t draw_target(uint64_t address)
{
  uint64_t random = draw(), away = ((uint64_t)1 << 31) + 512 + draw() % ((uint64_t)1 << 40);

  if (random % 8 != 0)
    return address + (uint64_t)draw_offset();
  return random & 8 ? address + away : address - away;
}

static uint64_t draw_value(void)
{
  static const uint64_t special[] = {
      0,         1,          127,       128,       (uint64_t)-128, (uint64_t)-129, 255,        256,
      32767,     65535,      65536,     INT32_MAX, 1u << 31,       UINT32_MAX,     1ull << 32, (uint64_t)INT32_MIN,
      INT64_MAX, 1ull << 63, UINT64_MAX};
  uint64_t random = draw();

  if (random % 2 == 0)
    return special[random / 2 % (sizeof special / sizeof *special)];
  uint64_t value = draw() >> random / 2 % 64;
  return random & 128 ? value : -value;
}

static struct operands draw_operands(enum operation operation, unsigned reg, unsigned other, unsigned bytes,
                                     uint64_t address)
{
  struct operands with = {reg, other, bytes, draw_offset(), draw_value()};

  if (other == CAIRN_ASSEMBLER_PC)
    with.offset = (int64_t)draw_target(address);
  else if (draw() % 16 == 0)
    with.offset = (int64_t)draw();
  if (operation >= JUMP)
    with.value = draw_target(address);
  return with;
}

static void check_operation(struct listing *listing, enum operation operation, unsigned reg, unsigned other)
{
  static const unsigned sizes[] = {0, 1, 2, 3, 4, 8, 16, 32};

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint64_t address = draw() << 4;
    struct operands with = draw_operands(operation, reg, other, sizes[i], address);
    check(listing, operation, &with, address);
  }
}

static void each_instruction(void **state)
{
  struct listing listing;

  (void)state;
  open_listing(&listing);
  for (enum operation operation = 0; operation < OPERATIONS; operation++)
    for (unsigned reg = 0; reg < REGISTERS; reg++)
      for (unsigned other = 0; other < REGISTERS; other++)
        if (operation < JUMP || other < 4)
          check_operation(&listing, operation, reg, other);
  assert_true(listing.count > 10000);
  compare_listing(&listing);
}

/* The length is the same for all constants, offsets and targets. */
static void lengths(void **state)
{
  (void)state;
  for (int i = 0; i < 200000; i++) {
    unsigned char bytes[2][LONGEST];
    struct cairn_assembler code[2];
    enum operation operation = draw() % OPERATIONS;
    unsigned reg = draw_below(33), other = draw_below(33), size = 1u << draw_below(5);

    for (int j = 0; j < 2; j++) {
      uint64_t address = draw();
      struct operands with = draw_operands(operation, reg, other, size, address);
      cairn_assembler_begin(&code[j], bytes[j], LONGEST, address);
      assemble(&code[j], operation, &with);
    }
    if (code[0].failure == CAIRN_OK && code[1].failure == CAIRN_OK)
      assert_int_equal(code[0].length, code[1].length);
  }
}

/* ---- Distances ---- */

static enum cairn_status jump_from(uint64_t address, uint64_t target)
{
  unsigned char bytes[5];
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, sizeof bytes, address);
  return cairn_assemble_jump(&code, target);
}

static void borders(void **state)
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

static void far_branches(void **state)
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
      assert_int_equal(status, is_general(scratch) ? CAIRN_OK : CAIRN_E_REGISTER);
      assert_int_equal(code.length, parts.length);
      assert_memory_equal(bytes, apart, code.length);
    }
  cairn_assembler_begin(&code, bytes, 12, 0); /* r11 needs 13 bytes: none of them is written */
  assert_int_equal(cairn_assemble_call_far(&code, 1, 11), CAIRN_E_ROOM);
  assert_int_equal(code.length, 0);
}

static void forward_jumps(void **state)
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

/* ---- Nops, ends and failures ---- */

static void nops(void **state)
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
static void long_nops(void **state)
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

/* The first failure stays, and nothing follows it. */
static void first_failure(void **state)
{
  unsigned char bytes[32];
  struct cairn_assembler code;

  (void)state;
  memset(bytes, UNTOUCHED, sizeof bytes);
  cairn_assembler_begin(&code, bytes, sizeof bytes, 0);
  assert_int_equal(cairn_assemble_return(&code), CAIRN_OK);
  assert_int_equal(cairn_assemble_move(&code, 99, 0), CAIRN_E_REGISTER);
  assert_int_equal(cairn_assemble_return(&code), CAIRN_E_REGISTER);
  assert_int_equal(cairn_assemble_jump(&code, UINT64_MAX / 2), CAIRN_E_REGISTER);
  assert_int_equal(cairn_assemble_land(&code, 6), CAIRN_E_REGISTER);
  assert_int_equal(cairn_assembler_end(&code), CAIRN_E_REGISTER);
  assert_int_equal(bytes[0], 0xc3);
  assert_untouched(bytes, 1, sizeof bytes);
}

/* Random code in buffers of random sizes: all of it, or what fitted before the first failure. */
static void random_code(void **state)
{
  enum { ROUNDS = 100000, MOST = 60 };
  unsigned char bytes[MOST + 1];
  struct cairn_assembler code;

  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    size_t capacity = draw() % MOST, length = 0;
    enum cairn_status failure = CAIRN_OK;

    memset(bytes, UNTOUCHED, sizeof bytes);
    cairn_assembler_begin(&code, bytes, capacity, draw());
    for (uint64_t left = draw() % 8; left > 0; left--) {
      enum operation operation = draw() % OPERATIONS;
      struct operands with =
          draw_operands(operation, draw_below(34), draw_below(34), 1u << draw_below(5), code.address + code.length);
      enum cairn_status status = assemble(&code, operation, &with);
      if (failure != CAIRN_OK || status != CAIRN_OK)
        assert_int_equal(code.length, length);
      failure = failure != CAIRN_OK ? failure : status;
      assert_int_equal(status, failure);
      length = code.length;
    }
    assert_untouched(bytes, length, sizeof bytes);
    assert_int_equal(cairn_assembler_end(&code), failure);
    assert_int_equal(code.length, failure == CAIRN_OK ? capacity : length);
    assert_untouched(bytes, capacity, sizeof bytes);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_instruction), cmocka_unit_test(lengths),       cmocka_unit_test(borders),
      cmocka_unit_test(far_branches),     cmocka_unit_test(forward_jumps), cmocka_unit_test(nops),
      cmocka_unit_test(long_nops),        cmocka_unit_test(first_failure), cmocka_unit_test(random_code),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

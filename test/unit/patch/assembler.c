/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler: each function with all registers, all sizes and random operands, as LLVM's disassembler reads its
 * bytes; its errors; and random code in buffers of random sizes. What would go wrong: an instruction that does
 * something else for some register, or half an instruction in a patch.
 */
#include "unit/patch/assembler/model.h"

#include <unistd.h>

static uint64_t random_state = 1;

uint64_t draw(void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 32 ^ random_state << 20;
}

static unsigned draw_below(unsigned limit)
{
  return (unsigned)(draw() % limit);
}

static uint64_t draw_address(void)
{
  return draw() / model_alignment * model_alignment;
}

/* More registers than the ports have general ones, and the place of addresses. */
static unsigned draw_register(void)
{
  unsigned reg = draw_below(36);

  return reg < 35 ? reg : CAIRN_ASSEMBLER_PC;
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

static bool may_not(enum operation operation, const struct operands *with, uint64_t address)
{
  static const enum cairn_status statuses[] = {CAIRN_E_REGISTER, CAIRN_E_FAR, CAIRN_E_IMMEDIATE, CAIRN_E_BOUNDS};

  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    if (model_may_fail(operation, with, address, statuses[i]))
      return true;
  return false;
}

/* ---- The disassembler ---- */

static FILE *new_file(char *name)
{
  strcpy(name, "/tmp/cairn-assembler-XXXXXX");
  FILE *file = fdopen(mkstemp(name), "w");
  assert_non_null(file);
  return file;
}

void open_listing(struct listing *listing)
{
  listing->bytes_file = new_file(listing->bytes);
  listing->text_file = new_file(listing->text);
  listing->count = 0;
}

void list(struct listing *listing, const unsigned char *bytes, size_t length, const char *text)
{
  fputc('[', listing->bytes_file);
  for (size_t i = 0; i < length; i++)
    fprintf(listing->bytes_file, "%s0x%02x", i != 0 ? "," : "", bytes[i]);
  fputs("]\n", listing->bytes_file);
  fprintf(listing->text_file, "%s\n", text);
  listing->count++;
  while ((text = strchr(text, '\n')) != NULL) {
    listing->count++;
    text++;
  }
}

/* The disassembler's next instruction, without its comment. */
static bool read_instruction(FILE *output, char *line)
{
  while (fgets(line, TEXT_BYTES, output) != NULL) {
    char *comment = strstr(line, model_comment);
    if (comment != NULL)
      *comment = '\0';
    line[strcspn(line, "\n")] = '\0';
    for (size_t i = strlen(line); i > 0 && (line[i - 1] == ' ' || line[i - 1] == '\t'); i--)
      line[i - 1] = '\0';
    if (line[0] == '\t' && line[1] != '.')
      return true;
  }
  return false;
}

void compare_listing(struct listing *listing)
{
  char command[sizeof CAIRN_LLVM_MC + 100], said[TEXT_BYTES], expected[TEXT_BYTES];

  fclose(listing->bytes_file);
  fclose(listing->text_file);
  snprintf(command, sizeof command, "%s --disassemble %s %s 2>&1", CAIRN_LLVM_MC, model_options, listing->bytes);
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
    assert_true(model_may_fail(operation, with, address, status));
    return;
  }
  assert_false(may_not(operation, with, address));
  model_describe(text, operation, with, address, code.length);
  list(listing, bytes, code.length, text);
  assert_needs_room(operation, with, address, code.length);
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
  struct operands with = {reg, other, bytes, model_draw_offset(), draw_value()};

  if (other == CAIRN_ASSEMBLER_PC)
    with.offset = (int64_t)model_draw_target(address);
  else if (draw() % 16 == 0)
    with.offset = (int64_t)draw();
  if (operation >= JUMP)
    with.value = model_draw_target(address);
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
      for (unsigned other = 0; other <= REGISTERS; other++)
        if (operation < JUMP || other < 4)
          check_operation(&listing, operation, reg, other < REGISTERS ? other : CAIRN_ASSEMBLER_PC);
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
    unsigned reg = draw_register(), other = draw_register(), size = 1u << draw_below(5);

    for (int j = 0; j < 2; j++) {
      uint64_t address = draw_address();
      struct operands with = draw_operands(operation, reg, other, size, address);
      cairn_assembler_begin(&code[j], bytes[j], LONGEST, address);
      assemble(&code[j], operation, &with);
    }
    if (code[0].failure == CAIRN_OK && code[1].failure == CAIRN_OK)
      assert_int_equal(code[0].length, code[1].length);
  }
}

/* ---- Ends and failures ---- */

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
  assert_untouched(bytes, code.length, sizeof bytes);
}

/* Random code in buffers of random sizes: all of it, or what fitted before the first failure. */
static void random_code(void **state)
{
  enum { ROUNDS = 100000, MOST = 60 };
  unsigned char bytes[MOST + 1];
  struct cairn_assembler code;

  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    size_t capacity = draw_below(MOST / model_alignment) * model_alignment, length = 0;
    enum cairn_status failure = CAIRN_OK;

    memset(bytes, UNTOUCHED, sizeof bytes);
    cairn_assembler_begin(&code, bytes, capacity, draw_address());
    for (uint64_t left = draw() % 8; left > 0; left--) {
      enum operation operation = draw() % OPERATIONS;
      struct operands with =
          draw_operands(operation, draw_register(), draw_register(), 1u << draw_below(5), code.address + code.length);
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
      cmocka_unit_test(each_instruction),    cmocka_unit_test(lengths),
      cmocka_unit_test(model_borders),       cmocka_unit_test(model_far_branches),
      cmocka_unit_test(model_forward_jumps), cmocka_unit_test(model_nops),
      cmocka_unit_test(model_long_nops),     cmocka_unit_test(first_failure),
      cmocka_unit_test(random_code),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A model of the assembler for AArch64, and the tests of its branches and nops.
 */
#include "unit/patch/assembler/model.h"

const char model_options[] = "-triple=aarch64";
const char model_comment[] = "//";
const unsigned model_alignment = 4;

enum { SP = 31, V0 = 64, SCRATCH = 16, SECOND = 17 };

/* ---- texts ---- */

bool model_is_general(unsigned reg)
{
  return reg < 31;
}

static bool is_base(unsigned reg)
{
  return reg <= SP;
}

static bool is_vector(unsigned reg)
{
  return reg >= V0 && reg < V0 + 32;
}

static const char *name_of(unsigned reg, unsigned bytes)
{
  static char text[8][8];
  static unsigned next;
  char *at = text[next++ % 8];

  if (reg == SP)
    strcpy(at, "sp");
  else if (is_vector(reg))
    snprintf(at, sizeof text[0], "%c%u", bytes == 16 ? 'q' : bytes == 8 ? 'd' : 's', reg - V0);
  else
    snprintf(at, sizeof text[0], "%c%u", bytes == 8 ? 'x' : 'w', reg);
  return at;
}

__attribute__((format(printf, 2, 3))) static void add(char *text, const char *format, ...)
{
  va_list values;

  if (*text != 0)
    strcat(text, "\n");
  va_start(values, format);
  vsprintf(text + strlen(text), format, values);
  va_end(values);
}

static void add_constant(char *text, unsigned reg, uint64_t value, unsigned bytes)
{
  add(text, "mov\t%s, #%lu", name_of(reg, bytes), (unsigned long)(value & 0xffff));
  for (unsigned part = 1; part < bytes / 2; part++)
    add(text, "movk\t%s, #%lu, lsl #%u", name_of(reg, bytes), (unsigned long)(value >> 16 * part & 0xffff), 16 * part);
}

static void add_address(char *text, unsigned reg, uint64_t address, uint64_t place)
{
  add(text, "adrp\t%s, #%ld", name_of(reg, 8), (long)((place & ~(uint64_t)0xfff) - (address & ~(uint64_t)0xfff)));
  add(text, "add\t%s, %s, #%lu", name_of(reg, 8), name_of(reg, 8), (unsigned long)(place & 0xfff));
}

static bool is_scaled(int64_t offset, unsigned bytes)
{
  return offset >= 0 && offset % bytes == 0 && offset / bytes < 4096;
}

/* `name` is ld or st. */
static void add_access(char *text, const char *name, unsigned reg, unsigned base, int64_t offset, unsigned bytes)
{
  const char *size = is_vector(reg) || bytes >= 4 ? "" : bytes == 1 ? "b" : "h";

  add(text, "%s%sr%s\t%s, [%s", name, is_scaled(offset, bytes) ? "" : "u", size,
      name_of(reg, is_vector(reg) ? bytes
                   : bytes == 8   ? 8
                                  : 4),
      name_of(base, 8));
  if (offset != 0)
    sprintf(text + strlen(text), ", #%ld", (long)offset);
  strcat(text, "]");
}

static void add_load(char *text, unsigned reg, const struct operands *with, unsigned bytes, uint64_t address)
{
  if (with->other != CAIRN_ASSEMBLER_PC) {
    add_access(text, "ld", reg, with->other, with->offset, bytes);
  } else if (is_vector(reg)) {
    add(text, "ldr\t%s, #%ld", name_of(reg, bytes), (long)((uint64_t)with->offset - address));
  } else {
    add_address(text, reg, address, (uint64_t)with->offset);
    add_access(text, "ld", reg, reg, 0, bytes);
  }
}

static void add_sum(char *text, const struct operands *with)
{
  const char *name = with->offset < 0 ? "sub" : "add";
  unsigned long distance = (unsigned long)(with->offset < 0 ? -with->offset : with->offset);

  add(text, "%s\t%s, %s, #%lu, lsl #12", name, name_of(with->reg, 8), name_of(with->other, 8), distance >> 12);
  add(text, "%s\t%s, %s, #%lu", name, name_of(with->reg, 8), name_of(with->reg, 8), distance & 0xfff);
}

static void add_compare(char *text, unsigned reg, unsigned other, unsigned bytes)
{
  if (bytes >= 4) {
    add(text, "cmp\t%s, %s", name_of(reg, bytes), name_of(other, bytes));
    return;
  }
  add(text, "lsl\tw16, %s, #%u", name_of(reg, 4), 32 - 8 * bytes);
  add(text, "cmp\tw16, %s, lsl #%u", name_of(other, 4), 32 - 8 * bytes);
}

static void add_compare_constant(char *text, unsigned reg, uint64_t value, unsigned bytes)
{
  add_constant(text, SCRATCH, (uint32_t)(bytes < 4 ? value << (32 - 8 * bytes) : value), 4);
  if (bytes == 8) {
    add(text, "cmp\t%s, w16, sxtw", name_of(reg, 8));
  } else if (bytes == 4) {
    add(text, "cmp\t%s, w16", name_of(reg, 4));
  } else {
    add(text, "lsl\tw17, %s, #%u", name_of(reg, 4), 32 - 8 * bytes);
    add(text, "cmp\tw17, w16");
  }
}

static void add_move(char *text, unsigned to, unsigned from)
{
  if (is_vector(to) && is_vector(from))
    add(text, "mov\tv%u.16b, v%u.16b", to - V0, from - V0);
  else
    add(text, "%s\t%s, %s", is_vector(to) || is_vector(from) ? "fmov" : "mov", name_of(to, 8), name_of(from, 8));
}

static const char *condition_of(unsigned condition)
{
  static const char *const names[] = {0, 0, "lo", "hs", "eq", "ne", "ls", "hi", 0, 0, 0, 0, "lt", "ge", "le", "gt"};

  return condition < 16 ? names[condition] : NULL;
}

static const char *opposite_of(unsigned condition)
{
  return condition_of(condition ^ 1);
}

static void describe_branch(char *text, enum operation operation, const struct operands *with, uint64_t address)
{
  if (operation == JUMP_MEMORY || operation == CALL_MEMORY) {
    add_load(text, SCRATCH, with, 8, address);
    add(text, "%s\tx16", operation == CALL_MEMORY ? "blr" : "br");
  } else if (operation == JUMP_REGISTER || operation == CALL_REGISTER) {
    add(text, "%s\t%s", operation == CALL_REGISTER ? "blr" : "br", name_of(with->reg, 8));
  } else if (operation == JUMP_IF) {
    add(text, "b.%s\t#8", opposite_of(with->reg));
    add(text, "b\t#%ld", (long)(with->value - address - 4));
  } else {
    add(text, "%s\t#%ld", operation == CALL ? "bl" : "b", (long)(with->value - address));
  }
}

void model_describe(char *text, enum operation operation, const struct operands *with, uint64_t address, size_t length)
{
  (void)length;
  *text = 0;
  switch (operation) {
  case MOVE:
    add_move(text, with->reg, with->other);
    break;
  case CONSTANT:
    add_constant(text, with->reg, with->value, with->bytes);
    break;
  case LOAD:
    add_load(text, with->reg, with, with->bytes, address);
    break;
  case STORE:
    add_access(text, "st", with->reg, with->other, with->offset, with->bytes);
    break;
  case ADDRESS:
    if (with->other == CAIRN_ASSEMBLER_PC)
      add_address(text, with->reg, address, (uint64_t)with->offset);
    else
      add_sum(text, with);
    break;
  case COMPARE:
    add_compare(text, with->reg, with->other, with->bytes);
    break;
  case COMPARE_CONSTANT:
    add_compare_constant(text, with->reg, with->value, with->bytes);
    break;
  case COMPARE_MEMORY:
    add_load(text, SECOND, with, with->bytes, address);
    add_compare(text, with->reg, SECOND, with->bytes);
    break;
  case COMPARE_MEMORY_CONSTANT:
    add_load(text, SECOND, with, with->bytes, address);
    add_compare_constant(text, SECOND, with->value, with->bytes);
    break;
  default:
    describe_branch(text, operation, with, address);
  }
}

/* ---- failures ---- */

static bool is_scratch(unsigned reg)
{
  return reg == SCRATCH || reg == SECOND;
}

static bool has_memory(enum operation operation)
{
  return operation == LOAD || operation == STORE || operation == ADDRESS || operation == COMPARE_MEMORY ||
         operation == COMPARE_MEMORY_CONSTANT || operation == JUMP_MEMORY || operation == CALL_MEMORY;
}

static bool has_bad_move(const struct operands *with)
{
  bool to = is_base(with->reg) || is_vector(with->reg), from = is_base(with->other) || is_vector(with->other);

  return !to || !from || (is_vector(with->reg) && with->other == SP) || (is_vector(with->other) && with->reg == SP);
}

static bool has_bad_register(enum operation operation, const struct operands *with)
{
  bool small = with->bytes < 4;

  if (has_memory(operation) && !is_base(with->other) && (with->other != CAIRN_ASSEMBLER_PC || operation == STORE))
    return true;
  switch (operation) {
  case MOVE:
    return has_bad_move(with);
  case LOAD:
  case STORE:
    return !model_is_general(with->reg) && !is_vector(with->reg);
  case COMPARE:
    return !model_is_general(with->reg) || !model_is_general(with->other) ||
           (small && (is_scratch(with->reg) || is_scratch(with->other)));
  case COMPARE_CONSTANT:
  case COMPARE_MEMORY:
    return !model_is_general(with->reg) || is_scratch(with->reg);
  case CONSTANT:
  case ADDRESS:
  case JUMP_REGISTER:
  case CALL_REGISTER:
    return !model_is_general(with->reg);
  default:
    return false;
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

static bool fits(int64_t distance, int64_t reach)
{
  return distance >= -reach && distance < reach;
}

#define MIB ((int64_t)1 << 20)

/* Pages within 4 GiB of each other. */
static bool is_near_page(uint64_t place, uint64_t address)
{
  return fits((int64_t)((place & ~(uint64_t)0xfff) - (address & ~(uint64_t)0xfff)), 4096 * MIB);
}

static bool is_vector_literal(enum operation operation, const struct operands *with)
{
  return operation == LOAD && is_vector(with->reg) && with->other == CAIRN_ASSEMBLER_PC;
}

static bool is_far(enum operation operation, const struct operands *with, uint64_t address)
{
  unsigned bytes = operation == JUMP_MEMORY || operation == CALL_MEMORY ? 8 : with->bytes;

  if (operation == JUMP_IF)
    return !fits((int64_t)(with->value - address - 4), 128 * MIB);
  if (operation >= JUMP)
    return !fits((int64_t)(with->value - address), 128 * MIB);
  if (!has_memory(operation))
    return false;
  if (is_vector_literal(operation, with))
    return !fits((int64_t)((uint64_t)with->offset - address), MIB);
  if (with->other == CAIRN_ASSEMBLER_PC)
    return !is_near_page((uint64_t)with->offset, address);
  if (operation == ADDRESS)
    return !fits(with->offset, 16 * MIB) || with->offset == -16 * MIB;
  return bytes == 0 || (!is_scaled(with->offset, bytes) && !fits(with->offset, 256));
}

static bool is_out_of_bounds(enum operation operation, const struct operands *with)
{
  if (operation == JUMP_IF && condition_of(with->reg) == NULL)
    return true;
  return (operation >= JUMP && with->value % 4 != 0) || (is_vector_literal(operation, with) && with->offset % 4 != 0);
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
    return is_out_of_bounds(operation, with);
  default:
    return false;
  }
}

/* ---- random operands ---- */

int64_t model_draw_offset(void)
{
  static const int64_t special[] = {0,    8,    -8,    255,   256,   -256,  -257,         4095,         4096,    -4096,
                                    4100, 8190, 16380, 32760, 65520, 65536, 16 * MIB - 1, 1 - 16 * MIB, 16 * MIB};
  uint64_t random = draw();

  if (random % 4 == 0)
    return special[random / 4 % (sizeof special / sizeof *special)];
  return random % 4 == 1 ? (int32_t)(random / 8) : (int64_t)(draw() % 16384) - 2048;
}

/* Near to the borders of all reaches, and aligned for seven of eight. */
uint64_t model_draw_target(uint64_t address)
{
  static const int64_t reaches[] = {MIB, 128 * MIB, 4096 * MIB};
  uint64_t random = draw();
  int64_t reach = reaches[random / 8 % 3], near = (int64_t)(draw() % 64) * 4 - 128, away = 0;

  if (random % 8 < 3)
    away = (random & 64 ? reach : -reach) + near;
  else if (random % 8 < 7)
    away = (int64_t)(draw() % (uint64_t)(2 * reach)) / 4 * 4 - reach;
  else
    away = near + (int64_t)(random / 64 % 4);
  return address + (uint64_t)away;
}

/* ---- distances ---- */

static enum cairn_status jump_from(uint64_t address, uint64_t target)
{
  unsigned char bytes[4];
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, sizeof bytes, address);
  return cairn_assemble_jump(&code, target);
}

void model_borders(void **state)
{
  static const uint64_t from[] = {0, 0x400000, 0x7ffff7ff0000, UINT64_MAX - 7};

  (void)state;
  for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
    uint64_t least = from[i] - (uint64_t)(128 * MIB), most = from[i] + (uint64_t)(128 * MIB) - 4;
    assert_int_equal(jump_from(from[i], most), CAIRN_OK);
    assert_int_equal(jump_from(from[i], most + 4), CAIRN_E_FAR);
    assert_int_equal(jump_from(from[i], least), CAIRN_OK);
    assert_int_equal(jump_from(from[i], least - 4), CAIRN_E_FAR);
    assert_int_equal(jump_from(from[i], from[i] + 2), CAIRN_E_BOUNDS);
    assert_int_equal(jump_from(from[i] + 2, from[i] + 6), CAIRN_E_BOUNDS);
  }
}

void model_far_branches(void **state)
{
  unsigned char bytes[LONGEST];
  struct cairn_assembler code;
  struct listing listing;
  char text[TEXT_BYTES];

  (void)state;
  open_listing(&listing);
  for (unsigned scratch = 0; scratch < REGISTERS; scratch++)
    for (int call = 0; call < 2; call++) {
      uint64_t target = draw() >> 16;
      cairn_assembler_begin(&code, bytes, sizeof bytes, draw() << 2);
      enum cairn_status status =
          call ? cairn_assemble_call_far(&code, target, scratch) : cairn_assemble_jump_far(&code, target, scratch);
      assert_int_equal(status, model_is_general(scratch) ? CAIRN_OK : CAIRN_E_REGISTER);
      if (status != CAIRN_OK)
        continue;
      assert_int_equal(code.length, 16);
      *text = 0;
      add(text, "mov\tx%u, #%lu", scratch, (unsigned long)(target & 0xffff));
      add(text, "movk\tx%u, #%lu, lsl #16", scratch, (unsigned long)(target >> 16 & 0xffff));
      add(text, "movk\tx%u, #%lu, lsl #32", scratch, (unsigned long)(target >> 32 & 0xffff));
      add(text, "%s\tx%u", call ? "blr" : "br", scratch);
      list(&listing, bytes, code.length, text);
    }
  compare_listing(&listing);
  cairn_assembler_begin(&code, bytes, 12, 0);
  assert_int_equal(cairn_assemble_call_far(&code, 1, SCRATCH), CAIRN_E_ROOM);
  assert_int_equal(code.length, 0);
  cairn_assembler_begin(&code, bytes, sizeof bytes, 0);
  assert_int_equal(cairn_assemble_call_far(&code, (uint64_t)1 << 48, SCRATCH), CAIRN_E_FAR);
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
  list(&listing, bytes, 4, "b.lt\t#4"); /* before it lands */
  assert_int_equal(cairn_assemble_nops(&code, 8), CAIRN_OK);
  assert_int_equal(cairn_assemble_land(&code, jump), CAIRN_OK);
  list(&listing, bytes, 4, "b.lt\t#12");
  compare_listing(&listing);
  assert_int_equal(code.length, 12);
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
  unsigned char bytes[4];
  struct cairn_assembler code;
  struct listing listing;

  (void)state;
  open_listing(&listing);
  cairn_assembler_begin(&code, bytes, sizeof bytes, 0);
  assert_int_equal(cairn_assemble_nops(&code, 4), CAIRN_OK);
  list(&listing, bytes, 4, "nop");
  compare_listing(&listing);
}

/* Too many nops, and parts of nops, add nothing. */
void model_long_nops(void **state)
{
  unsigned char bytes[1000];
  struct cairn_assembler code;

  (void)state;
  cairn_assembler_begin(&code, bytes, sizeof bytes, 0);
  assert_int_equal(cairn_assemble_nops(&code, 996), CAIRN_OK);
  for (size_t at = 0; at < 996; at += 4)
    assert_memory_equal(bytes + at, "\x1f\x20\x03\xd5", 4);
  assert_int_equal(cairn_assemble_nops(&code, 8), CAIRN_E_ROOM);
  assert_int_equal(code.length, 996);
  cairn_assembler_begin(&code, bytes, 998, 0);
  assert_int_equal(cairn_assemble_nops(&code, 6), CAIRN_E_BOUNDS);
  assert_int_equal(code.length, 0);
  cairn_assembler_begin(&code, bytes, 998, 0);
  assert_int_equal(cairn_assembler_end(&code), CAIRN_E_BOUNDS);
}

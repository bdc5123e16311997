/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: bytes become the byte code of a function, raw or with operands brought into their ranges; code that
 * passes the checker runs within bounds.
 */
#include "fuzz/tiny/exercise.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum {
  MOST_WORDS = 256,
  REGISTERS = 24,
  FEEDBACK = 1000,
  SYMBOLS = 6,
  SHAPES = 3,
  GLOBALS = 4,
  TRIES = 3,
  CAPTURES = 2,
  PARAMETERS = 10
};

struct input {
  const unsigned char *at, *end;
};

static unsigned byte(struct input *input)
{
  return input->at < input->end ? *input->at++ : 0;
}

/* Names, shapes and constants that the code may use. */
struct world {
  uint32_t symbols[SYMBOLS], shapes[SHAPES], first_global, inner, feedback;
};

static struct tiny_function *new_function(uint32_t *number)
{
  struct tiny_function **row = tiny_table_add(&tiny_tables->functions), *f = calloc(1, sizeof *f);

  *row = f;
  *number = f->number = tiny_tables->functions.count - 1;
  f->name = tiny_intern("f", 1);
  f->registers = REGISTERS;
  f->feedback_words = FEEDBACK;
  f->feedback = calloc(FEEDBACK, sizeof(uint32_t));
  f->source = tiny_source_new("code", "", 0);
  return f;
}

/* fn(a) with captured variables: a + 1. */
static uint32_t make_inner(void)
{
  uint32_t number;
  struct tiny_function *f = new_function(&number);

  f->code = calloc(2, sizeof(uint32_t));
  f->code[0] = TINY_OP_ADD_SMALL | 1u << 24;
  f->code[1] = TINY_OP_RETURN;
  f->words = 2;
  f->parameters = 1;
  f->captures = CAPTURES;
  return number;
}

static void make_world(struct world *w)
{
  static const char *const names[SYMBOLS] = {"a", "b", "length", "push", "init", "message"};

  for (unsigned i = 0; i < SYMBOLS; i++)
    w->symbols[i] = tiny_intern(names[i], strlen(names[i]));
  for (unsigned i = 0; i < SHAPES; i++)
    w->shapes[i] = i ? tiny_shape_with(w->shapes[i - 1], w->symbols[i]) : tiny_shape_new(0, 2);
  w->first_global = tiny_tables->globals.count;
  for (unsigned i = 0; i < GLOBALS; i++)
    tiny_global_add(1, w->symbols[i], 0);
  w->inner = make_inner();
  w->feedback = 0;
}

static void add_constants(struct tiny_function *f, const struct world *w)
{
  struct tiny_constant all[] = {
      {.kind = TINY_CONSTANT_INTEGER, .integer = (int64_t)1 << 59},
      {.kind = TINY_CONSTANT_FLOAT, .number = 1.5},
      {.kind = TINY_CONSTANT_STRING, .symbol = w->symbols[0]},
      {.kind = TINY_CONSTANT_FUNCTION, .function = w->inner},
  };

  f->constants = calloc(1, sizeof all);
  memcpy(f->constants, all, sizeof all);
  f->constant_count = sizeof all / sizeof *all;
}

/* An operand of its kind, from a byte. */
static uint32_t operand(enum tiny_operand kind, unsigned b, unsigned previous)
{
  switch (kind) {
  case TINY_OPERAND_READ:
  case TINY_OPERAND_WRITE:
  case TINY_OPERAND_SUPER:
    return b == 255 ? b : b % REGISTERS;
  case TINY_OPERAND_PAIR:
  case TINY_OPERAND_EACH:
  case TINY_OPERAND_FIRST_OF:
    return b % (REGISTERS - 4);
  case TINY_OPERAND_WINDOW:
    return b % (REGISTERS - 8);
  case TINY_OPERAND_NUMBER:
    return b % 5;
  case TINY_OPERAND_SENSE:
    return b & 1;
  case TINY_OPERAND_CONSTANT:
    return previous == TINY_OP_CLOSURE ? 3 : b % 3;
  case TINY_OPERAND_INTEGER:
  case TINY_OPERAND_SMALL:
    return b;
  default:
    return 0;
  }
}

static uint32_t extension(struct world *w, enum tiny_operand kind, unsigned b)
{
  switch (kind) {
  case TINY_OPERAND_SYMBOL:
    return w->symbols[b % SYMBOLS];
  case TINY_OPERAND_SHAPE:
    return w->shapes[b % SHAPES];
  case TINY_OPERAND_COUNT:
    return b;
  case TINY_OPERAND_SITE:
  case TINY_OPERAND_TARGET:
    w->feedback += kind == TINY_OPERAND_SITE ? TINY_SITE_WORDS : 1;
    return w->feedback - (kind == TINY_OPERAND_SITE ? TINY_SITE_WORDS : 1);
  case TINY_OPERAND_JUMP:
    return (uint32_t)(int8_t)b;
  default:
    return 0;
  }
}

/* An instruction with operands in range; the words go to `code`. */
static uint32_t instruction(struct world *w, struct input *input, uint32_t *code)
{
  unsigned op = byte(input) % TINY_OPS, shape = 0, words = 1;
  const struct tiny_op_row *row = &tiny_op_rows[op];

  code[0] = op;
  for (unsigned i = 0; i < 3; i++)
    code[0] |= operand((enum tiny_operand)row->operand[i], byte(input), op) << (8 + 8 * i);
  if (row->operand[0] == TINY_OPERAND_JUMP24)
    code[0] = op | (uint32_t)(int8_t)byte(input) << 8;
  if (row->operand[1] == TINY_OPERAND_GLOBAL)
    code[0] = (code[0] & 0xffff) | (w->first_global + byte(input) % GLOBALS) << 16;
  for (unsigned i = 0; i < 2 && row->extension[i] != TINY_OPERAND_NONE; i++, words++) {
    shape = byte(input);
    code[words] = extension(w, (enum tiny_operand)row->extension[i], shape);
  }
  if (op == TINY_OP_NEW_OBJECT)
    code[0] = (code[0] & 0xffffff) | (shape % SHAPES) << 24;
  for (unsigned i = 0; op == TINY_OP_CLOSURE && i < CAPTURES; i++, words++)
    code[words] = byte(input) % REGISTERS << 1;
  return words;
}

/* Handlers begin at the next instruction. */
static void mend_tries(struct tiny_function *f, const uint8_t *starts)
{
  for (uint32_t i = 0; i < f->try_count; i++) {
    struct tiny_try *t = &f->tries[i];
    t->handler = t->handler < f->words ? t->handler : f->words - 1;
    while (!starts[t->handler])
      t->handler++;
    t->end = t->end < t->handler ? t->end : t->handler;
    t->start = t->start < t->end ? t->start : t->end;
  }
}

/* Jumps in words become jumps to the next instruction that fits. */
static void mend_jumps(struct tiny_function *f)
{
  uint8_t starts[MOST_WORDS + 8] = {0};

  for (uint32_t at = 0; at < f->words; at += tiny_instruction_words(f, at))
    starts[at] = 1;
  for (uint32_t at = 0; at < f->words; at += tiny_instruction_words(f, at)) {
    const struct tiny_op_row *row = &tiny_op_rows[f->code[at] & 255];
    bool is_short = row->operand[0] == TINY_OPERAND_JUMP24;
    if (!is_short && row->extension[0] != TINY_OPERAND_JUMP)
      continue;
    int offset = is_short ? TINY_JUMP24_OF(f->code[at]) : (int)f->code[at + 1], next = (int)at + (is_short ? 1 : 2);
    enum tiny_op op = (enum tiny_op)(f->code[at] & 255);
    int distance = abs(offset) % MOST_WORDS, target = next + distance;
    if (op == TINY_OP_LOOP || op == TINY_OP_FOR_LOOP)
      target = (int)at - distance < 0 ? 0 : (int)at - distance;
    while (target < (int)f->words && !starts[target])
      target++;
    target = target < (int)f->words ? target : (int)f->words - 1;
    if (is_short)
      f->code[at] = (f->code[at] & 255) | (uint32_t)(target - next) << 8;
    else
      f->code[at + 1] = (uint32_t)(target - next);
  }
  mend_tries(f, starts);
}

static void make_code(struct tiny_function *f, struct world *w, struct input *input)
{
  bool is_raw = byte(input) % 8 == 0;
  unsigned tries = byte(input) % (TRIES + 1);

  f->captures = 1; /* its value is nil */
  f->tries = calloc(TRIES, sizeof *f->tries);
  for (; f->try_count < tries; f->try_count++) {
    struct tiny_try *t = &f->tries[f->try_count];
    *t = (struct tiny_try){byte(input), 0, 0, byte(input) % REGISTERS};
    t->end = t->start + byte(input) % 64;
    t->handler = t->end + byte(input) % 64;
  }
  f->code = calloc(MOST_WORDS + 8, sizeof *f->code);
  while (f->words < MOST_WORDS - 4 && input->at < input->end) {
    if (is_raw) {
      uint32_t word = byte(input) % (TINY_OPS + 1u);
      word |= byte(input) << 8 | byte(input) << 16 | byte(input) << 24;
      f->code[f->words++] = word;
    } else {
      f->words += instruction(w, input, f->code + f->words);
    }
  }
  f->code[f->words++] = TINY_OP_RETURN_NIL;
  if (!is_raw)
    mend_jumps(f);
}

/* Runs the function with a value of each kind as argument. */
static void run(uint32_t number, const struct world *w)
{
  value arguments[PARAMETERS] = {
      tiny_from_small(3),
      tiny_from_float(2.5),
      tiny_symbol_string(w->symbols[0]),
      tiny_array_new(2),
      tiny_map_new(),
      tiny_instance_new(w->shapes[0]),
      tiny_class_make(w->symbols[1], TINY_NIL, 2),
      tiny_closure_of_function(w->inner),
      TINY_ZERO,
      tiny_from_small(TINY_INTEGER_MAX),
  };

  tiny_array_push(arguments[3], arguments[0]);
  tiny_map_set(arguments[4], arguments[2], arguments[1]);
  if (tiny_is_thrown(tiny_call(tiny_closure_of_function(number), arguments, PARAMETERS)))
    tiny_text(tiny_catch());
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  struct input input = {data, data + size};
  struct world world;
  uint32_t number, at;

  exercise_begin();
  make_world(&world);
  tiny_make_globals();
  struct tiny_function *f = new_function(&number);
  add_constants(f, &world);
  f->parameters = PARAMETERS;
  make_code(f, &world, &input);
  if (!tiny_check(f, tiny_tables, &at) && setjmp(bound) == 0)
    run(number, &world);
  exercise_end();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of instructions, the checker of byte code, and the printer. Native code, stateless. The checker makes any
 * function safe to run: operands are in range, jumps go to instructions, and each path ends by a return.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tiny/code/bytecode.h"

const struct tiny_op_row tiny_op_rows[TINY_OPS] = {
#define OP(name, a, b, c, first, second, base) \
  {#name, \
   {TINY_OPERAND_##a, TINY_OPERAND_##b, TINY_OPERAND_##c}, \
   {TINY_OPERAND_##first, TINY_OPERAND_##second}, \
   TINY_OP_##base},
#include "tiny/code/bytecode.def"
#undef OP
};

const struct tiny_line *tiny_line_of(const struct tiny_function *function, uint32_t at)
{
  static const struct tiny_line unknown;
  uint32_t low = 0, high = function->line_count;

  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (function->lines[middle].at <= at)
      low = middle;
    else
      high = middle;
  }
  return high ? &function->lines[low] : &unknown;
}

uint32_t tiny_instruction_words(const struct tiny_function *function, uint32_t at)
{
  uint32_t word = function->code[at], words = 1;
  const struct tiny_op_row *row = &tiny_op_rows[word & 255];

  for (unsigned i = 0; i < 2; i++)
    words += row->extension[i] != TINY_OPERAND_NONE;
  if ((word & 255) == TINY_OP_CLOSURE)
    words += tiny_function_at(tiny_tables, function->constants[TINY_WIDE_OF(word)].function)->captures;
  return words;
}

/* ---- checker ---- */

struct check {
  const struct tiny_function *function;
  const struct tiny_tables *tables;
  uint8_t *starts; /* 1: an instruction begins at the word */
  uint32_t at;
  uint32_t feedback; /* words of feedback that instructions before `at` use */
};

static const char *check_register(const struct check *check, uint32_t number)
{
  return number < check->function->registers ? NULL : "a register is out of range";
}

/* Only LOOP and FOR_LOOP jump backwards, so that each cycle counts. */
static const char *check_jump(const struct check *check, int64_t target)
{
  enum tiny_op op = (enum tiny_op)(check->function->code[check->at] & 255);

  if ((target <= check->at) != (op == TINY_OP_LOOP || op == TINY_OP_FOR_LOOP))
    return "a jump has the wrong direction";
  if (target < 0 || target >= check->function->words || !check->starts[target])
    return "a jump leads to no instruction";
  return NULL;
}

/* An operand a, b or c. */
static const char *check_operand(const struct check *check, enum tiny_operand kind, unsigned index)
{
  const struct tiny_function *f = check->function;
  uint32_t word = f->code[check->at], operand = word >> (8 + 8 * index) & 255;

  switch (kind) {
  case TINY_OPERAND_NONE:
    return operand ? "an unused operand is not 0" : NULL;
  case TINY_OPERAND_READ:
  case TINY_OPERAND_WRITE:
    return check_register(check, operand);
  case TINY_OPERAND_SUPER:
    return operand == TINY_NO_SUPER ? NULL : check_register(check, operand);
  case TINY_OPERAND_SENSE:
    return operand > 1 ? "a sense is neither 0 nor 1" : NULL;
  case TINY_OPERAND_UPVALUE:
    return operand < f->captures ? NULL : "a captured variable is out of range";
  case TINY_OPERAND_PAIR:
    return check_register(check, operand + 1);
  case TINY_OPERAND_EACH:
    return check_register(check, operand + 3);
  case TINY_OPERAND_WINDOW:
    return check_register(check, operand + 2 + TINY_B(word));
  case TINY_OPERAND_FIRST_OF:
    return check_register(check, operand + TINY_C(word) - (TINY_C(word) > 0));
  case TINY_OPERAND_CONSTANT: {
    bool is_function = (word & 255) == TINY_OP_CLOSURE;
    if (TINY_WIDE_OF(word) >= f->constant_count)
      return "a constant is out of range";
    return (f->constants[TINY_WIDE_OF(word)].kind == TINY_CONSTANT_FUNCTION) == is_function
               ? NULL
               : "a constant has another kind";
  }
  case TINY_OPERAND_GLOBAL:
    return TINY_WIDE_OF(word) < check->tables->globals.count ? NULL : "a global is out of range";
  case TINY_OPERAND_JUMP24:
    return check_jump(check, (int64_t)check->at + 1 + TINY_JUMP24_OF(word));
  default:
    return NULL;
  }
}

/* Each instruction has its own words of feedback, in the order of the code. */
static const char *check_feedback(struct check *check, uint32_t first, uint32_t words)
{
  uint32_t most = check->function->feedback_words;

  if (first < check->feedback || words > most || first > most - words)
    return "feedback is out of range";
  check->feedback = first + words;
  return NULL;
}

/* An extension word. */
static const char *check_extension(struct check *check, enum tiny_operand kind, uint32_t word)
{
  const struct tiny_function *f = check->function;

  switch (kind) {
  case TINY_OPERAND_JUMP:
    return check_jump(check, (int64_t)check->at + 2 + (int32_t)word);
  case TINY_OPERAND_SYMBOL:
    return word && word < check->tables->symbols.count ? NULL : "a name is out of range";
  case TINY_OPERAND_SHAPE: {
    if (word < TINY_FIRST_SHAPE || word >= check->tables->shapes.count)
      return "a shape is out of range";
    const struct tiny_shape *shape = tiny_shape_at(check->tables, word);
    uint32_t count = TINY_C(f->code[check->at]);
    return shape->slots == count && count <= shape->inline_slots && !shape->class_number
               ? NULL
               : "a shape does not fit the object";
  }
  case TINY_OPERAND_COUNT:
    return word <= TINY_MAX_INLINE ? NULL : "a count is too large";
  case TINY_OPERAND_SITE:
    return check_feedback(check, word, TINY_SITE_WORDS);
  case TINY_OPERAND_TARGET:
    return check_feedback(check, word, 1);
  default:
    return NULL;
  }
}

/* The words of a CLOSURE: captured variables. */
static const char *check_captures(const struct check *check, uint32_t words)
{
  const uint32_t *code = check->function->code + check->at;

  for (uint32_t i = 1; i < words; i++) {
    uint32_t most = code[i] & 1 ? check->function->captures : check->function->registers;
    if (code[i] >> 1 >= most)
      return "a captured variable is out of range";
  }
  return NULL;
}

static const char *check_instruction(struct check *check, uint32_t words)
{
  uint32_t word = check->function->code[check->at];
  const struct tiny_op_row *row = &tiny_op_rows[word & 255];
  const char *error = NULL;

  for (unsigned i = 0; i < 3 && !error; i++)
    error = check_operand(check, (enum tiny_operand)row->operand[i], i);
  for (unsigned i = 0; i < 2 && !error; i++)
    if (row->extension[i] != TINY_OPERAND_NONE)
      error = check_extension(check, (enum tiny_operand)row->extension[i], check->function->code[check->at + 1 + i]);
  if (!error && (word & 255) == TINY_OP_CLOSURE)
    error = check_captures(check, words);
  return error;
}

static bool never_continues(uint32_t word)
{
  enum tiny_op op = (enum tiny_op)(word & 255);

  return op == TINY_OP_RETURN || op == TINY_OP_RETURN_NIL || op == TINY_OP_THROW || op == TINY_OP_JUMP ||
         op == TINY_OP_LOOP;
}

/* Finds where instructions begin. */
static const char *find_starts(struct check *check)
{
  const struct tiny_function *f = check->function;
  uint32_t last = 0, words = 0;

  for (check->at = 0; check->at < f->words; check->at += words) {
    uint32_t word = f->code[check->at];
    if ((word & 255) >= TINY_OPS)
      return "unknown instruction";
    if ((word & 255) == TINY_OP_CLOSURE) {
      const char *error = check_operand(check, TINY_OPERAND_CONSTANT, 1);
      if (error)
        return error;
    }
    words = tiny_instruction_words(f, check->at);
    if (words > f->words - check->at)
      return "the last instruction is cut short";
    check->starts[check->at] = 1;
    last = word;
  }
  return never_continues(last) ? NULL : "the code has no end";
}

static const char *check_header(const struct check *check)
{
  const struct tiny_function *f = check->function;

  if (!f->words || f->registers > TINY_MAX_REGISTERS || f->parameters > f->registers)
    return "the function's header is wrong";
  for (uint32_t i = 0; i < f->constant_count; i++) {
    const struct tiny_constant *constant = &f->constants[i];
    if (constant->kind > TINY_CONSTANT_FUNCTION ||
        (constant->kind == TINY_CONSTANT_STRING &&
         (!constant->symbol || constant->symbol >= check->tables->symbols.count)) ||
        (constant->kind == TINY_CONSTANT_FUNCTION && constant->function >= check->tables->functions.count))
      return "a constant is wrong";
  }
  return NULL;
}

static const char *check_tries(struct check *check)
{
  const struct tiny_function *f = check->function;
  const char *error = NULL;

  for (uint32_t i = 0; i < f->try_count && !error; i++) {
    const struct tiny_try *t = &f->tries[i];
    bool is_right = t->target < f->registers && t->start <= t->end && t->end <= t->handler && t->handler < f->words;
    check->at = t->start;
    if (!is_right || !check->starts[t->handler])
      error = "a try region is wrong";
  }
  return error;
}

const char *tiny_check(const struct tiny_function *function, const struct tiny_tables *tables, uint32_t *at)
{
  struct check check = {function, tables, calloc(function->words + 1, 1), 0, 0};

  if (!check.starts)
    return "out of memory";
  const char *error = check_header(&check);
  if (!error)
    error = find_starts(&check);
  for (check.at = 0; !error && check.at < function->words;) {
    uint32_t words = tiny_instruction_words(function, check.at);
    error = check_instruction(&check, words);
    if (!error)
      check.at += words;
  }
  if (!error)
    error = check_tries(&check);
  *at = check.at;
  free(check.starts);
  return error;
}

/* ---- printer ---- */

static void print_constant(const struct tiny_function *f, uint32_t number)
{
  const struct tiny_constant *constant = &f->constants[number];

  switch (constant->kind) {
  case TINY_CONSTANT_INTEGER:
    printf(" %ld", (long)constant->integer);
    break;
  case TINY_CONSTANT_FLOAT:
    printf(" %.17g", constant->number);
    break;
  case TINY_CONSTANT_STRING:
    printf(" \"%s\"", tiny_symbol_at(constant->symbol)->bytes);
    break;
  case TINY_CONSTANT_FUNCTION:
    printf(" function %u", constant->function);
    break;
  }
}

static void print_operand(const struct tiny_function *f, enum tiny_operand kind, uint32_t at, unsigned index)
{
  uint32_t word = f->code[at], operand = word >> (8 + 8 * index) & 255;

  if (kind == TINY_OPERAND_CONSTANT)
    print_constant(f, TINY_WIDE_OF(word));
  else if (kind == TINY_OPERAND_GLOBAL)
    printf(" %s", tiny_symbol_at(tiny_global_at(tiny_tables, TINY_WIDE_OF(word))->name)->bytes);
  else if (kind == TINY_OPERAND_INTEGER)
    printf(" %d", TINY_SIGNED_WIDE_OF(word));
  else if (kind == TINY_OPERAND_JUMP24)
    printf(" -> %u", at + 1 + (uint32_t)TINY_JUMP24_OF(word));
  else if (kind == TINY_OPERAND_SMALL)
    printf(" %d", (int8_t)operand);
  else if (kind == TINY_OPERAND_NUMBER || kind == TINY_OPERAND_SENSE || kind == TINY_OPERAND_UPVALUE)
    printf(" %u", operand);
  else if (kind != TINY_OPERAND_NONE && kind != TINY_OPERAND_WIDE)
    printf(" r%u", operand);
}

static void print_extension(const struct tiny_function *f, enum tiny_operand kind, uint32_t at, unsigned index)
{
  uint32_t word = f->code[at + 1 + index];

  if (kind == TINY_OPERAND_JUMP)
    printf(" -> %u", at + 2 + word);
  else if (kind == TINY_OPERAND_SYMBOL)
    printf(" '%s'", tiny_symbol_at(word)->bytes);
  else if (kind == TINY_OPERAND_SHAPE)
    printf(" shape %u", word);
  else if (kind == TINY_OPERAND_COUNT)
    printf(" %u", word);
}

void tiny_print_function(const struct tiny_function *f)
{
  printf("function %u %s: %u parameters, %u registers, %u captured\n", f->number, tiny_symbol_at(f->name)->bytes,
         f->parameters, f->registers, f->captures);
  for (uint32_t at = 0; at < f->words; at += tiny_instruction_words(f, at)) {
    const struct tiny_op_row *row = &tiny_op_rows[f->code[at] & 255];
    printf("%5u  %4u  %-18s", at, tiny_line_of(f, at)->line, row->name);
    for (unsigned i = 0; i < 3; i++)
      print_operand(f, (enum tiny_operand)row->operand[i], at, i);
    for (unsigned i = 0; i < 2; i++)
      print_extension(f, (enum tiny_operand)row->extension[i], at, i);
    printf("\n");
  }
  for (uint32_t i = 0; i < f->try_count; i++)
    printf("  try %u to %u: handler %u, r%u\n", f->tries[i].start, f->tries[i].end, f->tries[i].handler,
           f->tries[i].target);
  for (uint32_t i = 0; i < f->constant_count; i++)
    if (f->constants[i].kind == TINY_CONSTANT_FUNCTION)
      tiny_print_function(tiny_function_at(tiny_tables, f->constants[i].function));
}

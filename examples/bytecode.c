/* SPDX-License-Identifier: Apache-2.0
 *
 * An interpreter of byte code whose values are tagged unions (cairn_union() of <cairn/cairn.h>): a value of two words
 * is nil, a truth value, an integer, a double, a function, or a reference to a string or a list. Values lie on the
 * machine's stack, which is a managed array, in globals, in lists and in C's locals, and C passes them by value.
 *
 *   bytecode [n [rounds]]    runs the programs below with n, the last one several times
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

enum kind { NIL, BOOLEAN, INTEGER, NUMBER, FUNCTION, STRING, LIST };

struct function;
struct value {
  enum kind kind;
  cairn_union(_Bool boolean; long integer; double number; const struct function *function;
              struct string managed *string; struct list managed *list;) as;
};

struct string {
  long length;
  char bytes[];
};

struct list {
  long count, room;
  struct value managed *items;
};

/* ---- values ---- */

static struct value boolean(_Bool b)
{
  return (struct value){.kind = BOOLEAN, .as.boolean = b};
}

static struct value integer(long n)
{
  return (struct value){.kind = INTEGER, .as.integer = n};
}

static struct value number(double d)
{
  return (struct value){.kind = NUMBER, .as.number = d};
}

static struct value text(const char *bytes)
{
  long length = (long)strlen(bytes);
  struct value v = {.kind = STRING}; /* a collection finds the tag of a string, and no string yet */

  v.as.string = cairn_new_flex(struct string, length);
  v.as.string->length = length;
  cairn_copy_in(v.as.string->bytes, bytes, (size_t)length);
  return v;
}

static struct value join(struct string managed *a, struct string managed *b)
{
  struct string managed *both = cairn_new_flex(struct string, a->length + b->length);

  both->length = a->length + b->length;
  for (long i = 0; i < a->length; i++)
    both->bytes[i] = a->bytes[i];
  for (long i = 0; i < b->length; i++)
    both->bytes[a->length + i] = b->bytes[i];
  return (struct value){.kind = STRING, .as.string = both};
}

static struct value list(void)
{
  return (struct value){.kind = LIST, .as.list = cairn_new(struct list)};
}

static void append(struct list managed *to, struct value item)
{
  if (to->count == to->room) {
    long room = to->room ? 2 * to->room : 4;
    struct value managed *items = cairn_new_array(struct value, room);
    for (long i = 0; i < to->count; i++)
      items[i] = to->items[i];
    to->items = items;
    to->room = room;
  }
  to->items[to->count++] = item;
}

/* A number that the value's contents determine. */
static unsigned long digest(struct value v)
{
  unsigned long sum = (unsigned long)v.kind;

  switch (v.kind) {
  case BOOLEAN:
    return 2 + v.as.boolean;
  case INTEGER:
    return sum + (unsigned long)v.as.integer;
  case NUMBER:
    return sum + (unsigned long)(long)(v.as.number * 4096);
  case STRING:
    for (long i = 0; i < v.as.string->length; i++)
      sum = sum * 31 + (unsigned char)v.as.string->bytes[i];
    return sum;
  case LIST:
    for (long i = 0; i < v.as.list->count; i++)
      sum = sum * 31 + digest(v.as.list->items[i]);
    return sum;
  default:
    return sum;
  }
}

static void print(struct value v)
{
  char bytes[41] = "";

  switch (v.kind) {
  case BOOLEAN:
    printf("%s\n", v.as.boolean ? "true" : "false");
    break;
  case INTEGER:
    printf("%ld\n", v.as.integer);
    break;
  case NUMBER:
    printf("%.12g\n", v.as.number);
    break;
  case STRING:
    for (long i = 0; i < v.as.string->length && i < 40; i++)
      bytes[i] = v.as.string->bytes[i];
    printf("\"%s\" of %ld bytes\n", bytes, v.as.string->length);
    break;
  case LIST:
    printf("a list of %ld, %016lx\n", v.as.list->count, digest(v));
    break;
  default:
    printf("%s\n", v.kind == NIL ? "nil" : "a function");
  }
}

/* ---- the machine ---- */

enum op {
  PUSH_INTEGER, /* the operand */
  PUSH_CONSTANT,
  PUSH_TEXT,
  PUSH_LIST,
  LOAD, /* a local of the function, or the global with this number */
  STORE,
  LOAD_GLOBAL,
  STORE_GLOBAL,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  LESS,
  JUMP,
  JUMP_UNLESS,
  CALL, /* the operand is the number of arguments */
  RETURN,
  APPEND, /* list, item -> list */
  AT,     /* list, index -> item */
  PRINT
};

struct instruction {
  enum op op;
  long operand;
};

struct function {
  long locals; /* arguments included */
  const struct instruction *code;
};

static const char *const texts[] = {"", "ab", "-"};
static struct value constants[] = {
    {.kind = NUMBER, .as.number = 0.5}, {.kind = NUMBER, .as.number = -2},
    {.kind = BOOLEAN, .as.boolean = 1}, {.kind = NIL}};
static struct value globals[4];
static struct value managed *stack;
static long top, room;

static void push(struct value v)
{
  if (top == room) {
    room = room ? 2 * room : 8;
    stack = stack ? cairn_resize_array(stack, room) : cairn_new_array(struct value, room);
  }
  stack[top++] = v;
}

static struct value pop(void)
{
  struct value v = stack[--top];

  stack[top] = (struct value){.kind = NIL};
  return v;
}

static _Noreturn void fail(const char *what)
{
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static double to_number(struct value v)
{
  if (v.kind != INTEGER && v.kind != NUMBER)
    fail("not a number");
  return v.kind == INTEGER ? (double)v.as.integer : v.as.number;
}

static struct value calculate(enum op op, struct value a, struct value b)
{
  _Bool integers = a.kind == INTEGER && b.kind == INTEGER;

  switch (op) {
  case ADD:
    if (a.kind == STRING && b.kind == STRING)
      return join(a.as.string, b.as.string);
    return integers ? integer(a.as.integer + b.as.integer) : number(to_number(a) + to_number(b));
  case SUBTRACT:
    return integers ? integer(a.as.integer - b.as.integer) : number(to_number(a) - to_number(b));
  case MULTIPLY:
    return integers ? integer(a.as.integer * b.as.integer) : number(to_number(a) * to_number(b));
  case DIVIDE:
    return number(to_number(a) / to_number(b));
  default:
    return boolean(to_number(a) < to_number(b));
  }
}

/* An instruction other than a jump, a call or a return. */
static void step(struct instruction i, long base)
{
  struct value a, b;

  switch (i.op) {
  case PUSH_INTEGER:
    return push(integer(i.operand));
  case PUSH_CONSTANT:
    return push(constants[i.operand]);
  case PUSH_TEXT:
    return push(text(texts[i.operand]));
  case PUSH_LIST:
    return push(list());
  case LOAD:
    return push(stack[base + i.operand]);
  case STORE:
    stack[base + i.operand] = pop();
    return;
  case LOAD_GLOBAL:
    return push(globals[i.operand]);
  case STORE_GLOBAL:
    globals[i.operand] = pop();
    return;
  case PRINT:
    return print(pop());
  default:
    b = pop(), a = pop();
  }
  if (i.op == APPEND) {
    append(a.as.list, b);
    push(a);
  } else if (i.op == AT) {
    push(a.as.list->items[b.as.integer]);
  } else {
    push(calculate(i.op, a, b));
  }
}

/* Runs the function; the result takes the place of the arguments and of the function below them. */
static void run(const struct function *f, long arguments)
{
  long base = top - arguments;
  const struct instruction *i = f->code;

  while (top < base + f->locals)
    push((struct value){.kind = NIL});
  for (;; i++)
    switch (i->op) {
    case JUMP:
      i = f->code + i->operand - 1;
      break;
    case JUMP_UNLESS:
      if (!pop().as.boolean)
        i = f->code + i->operand - 1;
      break;
    case CALL:
      run(stack[top - i->operand - 1].as.function, i->operand);
      break;
    case RETURN: {
      struct value result = pop();
      while (top >= base)
        pop();
      push(result);
      return;
    }
    default:
      step(*i, base);
    }
}

/* ---- programs ---- */

/* fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2); global 0 is fib */
static const struct instruction fib_code[] = {
    {LOAD, 0}, {PUSH_INTEGER, 2}, {LESS, 0}, {JUMP_UNLESS, 6}, {LOAD, 0}, {RETURN, 0},
    {LOAD_GLOBAL, 0}, {LOAD, 0}, {PUSH_INTEGER, 1}, {SUBTRACT, 0}, {CALL, 1},
    {LOAD_GLOBAL, 0}, {LOAD, 0}, {PUSH_INTEGER, 2}, {SUBTRACT, 0}, {CALL, 1},
    {ADD, 0}, {RETURN, 0}};

/* The square root of n by ten steps of Newton: local 1 is the guess, local 2 counts. */
static const struct instruction root_code[] = {
    {LOAD, 0}, {STORE, 1}, {PUSH_INTEGER, 0}, {STORE, 2},
    {LOAD, 2}, {PUSH_INTEGER, 10}, {LESS, 0}, {JUMP_UNLESS, 21},
    {LOAD, 1}, {LOAD, 0}, {LOAD, 1}, {DIVIDE, 0}, {ADD, 0}, {PUSH_CONSTANT, 0}, {MULTIPLY, 0}, {STORE, 1},
    {LOAD, 2}, {PUSH_INTEGER, 1}, {ADD, 0}, {STORE, 2}, {JUMP, 4},
    {LOAD, 1}, {RETURN, 0}};

/* A list of values of all kinds: local 1 is the list, local 2 counts to n, local 3 is a text. Global 1 keeps the list
 * of the last run as an item of this run's list. */
static const struct instruction mixed_code[] = {
    {PUSH_LIST, 0}, {LOAD_GLOBAL, 1}, {APPEND, 0}, {STORE, 1}, {PUSH_INTEGER, 0}, {STORE, 2},
    {PUSH_TEXT, 0}, {STORE, 3},
    {LOAD, 2}, {LOAD, 0}, {LESS, 0}, {JUMP_UNLESS, 39},
    {LOAD, 1}, {LOAD, 2}, {APPEND, 0},
    {LOAD, 2}, {PUSH_CONSTANT, 1}, {MULTIPLY, 0}, {APPEND, 0},
    {LOAD, 2}, {PUSH_CONSTANT, 0}, {MULTIPLY, 0}, {APPEND, 0},
    {LOAD, 3}, {PUSH_TEXT, 1}, {ADD, 0}, {STORE, 3}, {LOAD, 3}, {APPEND, 0},
    {PUSH_CONSTANT, 2}, {APPEND, 0}, {PUSH_CONSTANT, 3}, {APPEND, 0}, {STORE, 1},
    {LOAD, 2}, {PUSH_INTEGER, 1}, {ADD, 0}, {STORE, 2}, {JUMP, 8},
    {LOAD, 1}, {RETURN, 0}};

static const struct function fib = {1, fib_code}, square_root = {3, root_code}, mixed = {4, mixed_code};

static struct value call(const struct function *f, struct value argument)
{
  push((struct value){.kind = FUNCTION, .as.function = f});
  push(argument);
  run(f, 1);
  return pop();
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 12, rounds = argc > 2 ? atol(argv[2]) : 10;
  double negative = -0.0;

  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: bytecode [n [rounds]]    runs some programs with n, the last one several times") < 0;
  globals[0] = (struct value){.kind = FUNCTION, .as.function = &fib};
  print(call(&fib, integer(n % 20)));
  print(call(&square_root, number((double)n)));
  for (long i = 0; i < rounds; i++) {
    if (i % 4 == 0)
      globals[1] = (struct value){.kind = NIL};
    globals[1] = call(&mixed, integer(4 * n));
  }
  print(globals[1]);
  struct value last = globals[1].as.list->items[globals[1].as.list->count - 3];
  print(last);
  print(number(1 / negative));
  print(integer(-1L ^ (1L << 62)));
  print(constants[1]);
  print(globals[2]);
  print(globals[0]);
  return 0;
}

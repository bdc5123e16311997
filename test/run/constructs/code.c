// RUN: %root/test/run/constructs/Inputs/rows %build %s
// Rows of docs/constructs.md: expressions, statements and calls. Wrong: an old address after the objects moved.
#include <alloca.h>
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "Inputs/rows.h"

ROW(comparison)
{
  ref a = make(1), b = make(2), c = a;

  move();
  CHECK(a == c && a != b && (a < b) != (b < a));
  assert(a);
  bool found = b;
  CHECK(found && (a ?: b) == a && !!a && (b ? b : a)->value == 2);
}

ROW(pointer_arithmetic)
{
  long managed *numbers = cairn_new_array(long, 10), *p = numbers + 3, *end = numbers + 10;

  for (long managed *at = numbers; at < end; at++) {
    *at = at - numbers;
    move();
  }
  CHECK(*p++ == 3 && *p == 4 && end - p == 6 && p[-2] == 2);
}

struct pair {
  long first, second;
};
struct holder {
  ref node;
  struct pair pair;
};

ROW(interior_pointer)
{
  struct holder managed *h = cairn_new(struct holder);
  long managed *second = &h->pair.second;

  h->node = make(1);
  move();
  *second = 5;
  CHECK(h->pair.second == 5 && second == &h->pair.second);
}

#define container_of(pointer, type, member) \
  ((type managed *)((char managed *)(pointer) - offsetof(type, member)))

ROW(container_of_member)
{
  struct holder managed *h = cairn_new(struct holder);
  long managed *second = &h->pair.second;

  h->node = make(4);
  move();
  CHECK(container_of(second, struct holder, pair.second)->node->value == 4);
  CHECK(offsetof(struct holder, pair.second) == 16);
}

ROW(statement_expression)
{
  ref r = ({
    ref first = make(1);
    move();
    first->next = make(2);
    first;
  });

  CHECK(r->value + r->next->value == 3);
}

static long cleaned;
static void clean(ref *variable)
{
  move();
  cleaned += (*variable)->value;
}

ROW(cleanup_attribute)
{
  for (int i = 0; i < 3; i++) {
    ref scoped __attribute__((cleanup(clean))) = make(i);
    move();
    if (i == 1)
      continue;
  }
  CHECK(cleaned == 3);
}

ROW(goto_statement)
{
  ref list = NULL;
  long n = 0;

again:
  move();
  {
    ref first = make(n);
    first->next = list;
    list = first;
  }
  if (++n < 4)
    goto again;
  CHECK(list->next->next->next->value == 0);
}

ROW(computed_goto)
{
  static const void *const code[] = {&&push, &&add, &&end};
  static const char program[] = {0, 0, 1, 2};
  ref stack[4] = {NULL};
  long at = 0, top = 0;

  goto *code[(int)program[at++]];
push:
  stack[top++] = make(at);
  move();
  goto *code[(int)program[at++]];
add:
  top--;
  stack[top - 1] = make(stack[top - 1]->value + stack[top]->value);
  move();
  goto *code[(int)program[at++]];
end:
  CHECK(top == 1 && stack[0]->value == 3);
}

ROW(switch_statement)
{
  ref from = make(5), to = NULL;
  long n = 7, turns = (n + 3) / 4;

  switch (n % 4) {
    do {
    case 0:
      to = make(from->value);
      __attribute__((fallthrough));
    case 3:
      move();
      __attribute__((fallthrough));
    case 1 ... 2:
      to = to ? to : from;
    } while (--turns > 0);
  }
  CHECK(to->value == 5);
}

ROW(vla_of_data)
{
  ref node = make(7);

  for (int n = 1; n < 5; n++) {
    long data[n];
    data[n - 1] = node->value;
    move();
    CHECK(data[n - 1] == 7 && node->value == 7);
  }
}

ROW(alloca_of_data)
{
  ref node = make(7);
  char *bytes = alloca((size_t)node->value);

  memset(bytes, 3, 7);
  move();
  CHECK(bytes[6] == 3 && node->value == 7);
}

struct numbers {
  ref node;
  double real;
  ref other;
};

ROW(memory_functions)
{
  struct numbers all[4] = {{make(1), 1.5, make(2)}};
  struct numbers managed *objects = cairn_new_array(struct numbers, 4);

  memcpy(&all[2], &all[0], sizeof all[0]);
  memmove(&all[1], &all[0], 3 * sizeof all[0]);
  move();
  CHECK(all[3].node->value == 1 && all[1].other->value == 2 && all[3].real == 1.5);
  memcpy(objects, all, sizeof all);
  memmove(&objects[0], &objects[1], 2 * sizeof objects[0]);
  memset(&all, 0, sizeof all);
  move();
  CHECK(!all[0].node && objects[0].node->value == 1 && objects[0].other->value == 2);
  memset(objects, 0, 4 * sizeof objects[0]);
  CHECK(!objects[0].other);
}

static int by_number(const void *a, const void *b)
{
  ref one = make(*(const long *)a), two = make(*(const long *)b);

  return (one->value > two->value) - (one->value < two->value);
}

ROW(qsort_of_data)
{
  long numbers[] = {5, 3, 9, 1}, key = 9;

  move();
  qsort(numbers, 4, sizeof *numbers, by_number);
  CHECK(numbers[0] == 1 && numbers[3] == 9);
  CHECK(bsearch(&key, numbers, 4, sizeof *numbers, by_number) == &numbers[3]);
}

static __attribute__((noinline)) long add_all(ref first, int count, ...)
{
  va_list list;
  long sum = first->value;

  va_start(list, count);
  for (int i = 0; i < count; i++) {
    move();
    sum += va_arg(list, long);
  }
  va_end(list);
  return sum + first->value;
}

ROW(variadic_function)
{
  CHECK(add_all(make(100), 3, 1l, 2l, 3l) == 206);
}

typedef ref (*operation)(ref, ref);
static ref plus(ref a, ref b)
{
  move();
  return make(a->value + b->value);
}
static ref times(ref a, ref b)
{
  move();
  return make(a->value * b->value);
}
struct closure {
  operation code;
  ref environment;
};

ROW(function_pointer)
{
  operation all[] = {plus, times};
  ref r = make(3);

  for (int i = 0; i < 2; i++)
    r = all[i](r, make(4));
  CHECK(r->value == 28);
}

ROW(function_pointer_in_object)
{
  struct closure managed *c = cairn_new(struct closure);

  c->code = plus;
  c->environment = make(30);
  move();
  CHECK(c->code(c->environment, make(2))->value == 32);
  CHECK(cairn_managed_callee(c->code)(c->environment, make(2))->value == 32);
}

static inline __attribute__((always_inline)) ref reversed(ref list)
{
  ref done = NULL;

  while (list) {
    ref next = list->next;
    move();
    list->next = done;
    done = list;
    list = next;
  }
  return done;
}

ROW(inline_function)
{
  ref list = make(1);

  list->next = make(2);
  list = reversed(list);
  CHECK(list->value == 2 && list->next->value == 1);
}

static __attribute__((noinline)) long count_down(ref list, long sum)
{
  if (!list)
    return sum;
  move();
  __attribute__((musttail)) return count_down(list->next, sum + list->value);
}

ROW(musttail_call)
{
  ref list = make(1);

  list->next = make(2);
  CHECK(count_down(list, 0) == 3);
}

static __attribute__((noinline)) long sum_array(long n, ref all[static n])
{
  long sum = 0;

  for (long i = 0; i < n; i++) {
    move();
    sum += all[i]->value;
  }
  return sum;
}

ROW(array_parameter)
{
  ref all[3] = {make(1), make(2), make(3)};

  CHECK(sum_array(3, all) == 6);
}

ref named(long value);
ref renamed(long value) __attribute__((alias("named")));
ref named(long value)
{
  return make(value);
}

ROW(alias_attribute)
{
  ref node = renamed(4);

  move();
  CHECK(node->value == 4);
}

static ref of_constructor;
static __attribute__((constructor)) void construct(void)
{
  of_constructor = make(7);
}

ROW(constructor_attribute)
{
  move();
  CHECK(of_constructor->value == 7);
}

typedef union {
  ref node;
  void managed *any;
} node_or_any __attribute__((transparent_union));

static __attribute__((noinline)) long value_of(node_or_any argument)
{
  move();
  return argument.node->value;
}

ROW(transparent_union)
{
  ref node = make(3);
  void managed *any = node;

  CHECK(value_of(node) + value_of(any) == 6);
}

ROW(comma_operator)
{
  ref a, b;
  long n = (a = make(1), move(), b = a, b->value);

  CHECK(n == 1 && a == b);
}

ROW(builtins)
{
  ref node = make(6);

  __builtin_prefetch((const void managed *)node ? "" : "x");
  move();
  CHECK(__builtin_expect(node->value == 6, 1));
  CHECK(!__builtin_constant_p(node) && __builtin_types_compatible_p(__typeof__(node), ref));
  CHECK(__builtin_choose_expr(1, node, 0)->value == 6);
  long sum;
  CHECK(!__builtin_add_overflow(node->value, 1, &sum) && sum == 7);
  if (node->value != 6)
    __builtin_unreachable();
}

ROW(inline_assembly)
{
  ref node = make(6);
  long value = node->value;

#ifdef __aarch64__
  __asm__ volatile("add %0, %0, #1" : "+r"(value) : : "cc", "memory");
#else
  __asm__ volatile("add $1, %0" : "+r"(value) : : "cc", "memory");
#endif
  move();
  node->value = value;
  CHECK(node->value == 7);
}

static jmp_buf buffer;

static __attribute__((noinline)) void jump(ref node)
{
  move();
  if (node->value == 3)
    longjmp(buffer, 7);
}

static void guarded(void)
{
  jump(make(2));
  jump(make(3));
}

/* Handles no reference, so it is native code. */
static __attribute__((noinline)) int protect(void (*body)(void))
{
  int status = setjmp(buffer);

  if (status == 0)
    body();
  return status;
}

ROW(setjmp_in_own_function)
{
  ref node = make(1);

  CHECK(protect(guarded) == 7);
  move();
  CHECK(node->value == 1);
}

ROW(memory_of_malloc)
{
  struct buffer {
    char *bytes;
    ref owner;
  };
  struct buffer managed *b = cairn_new(struct buffer);

  b->bytes = malloc(10);
  b->owner = make(3);
  strcpy(b->bytes, "text");
  move();
  CHECK(strcmp(b->bytes, "text") == 0 && b->owner->value == 3);
  free(b->bytes);
}

ROW(copy_to_native)
{
  char managed *text = cairn_new_array(char, 6);
  char bytes[6];

  cairn_copy_in(text, "hello", 6);
  move();
  cairn_copy_out(bytes, text, 6);
  CHECK(strcmp(bytes, "hello") == 0);
}

int main(void)
{
  RUN(comparison);
  RUN(pointer_arithmetic);
  RUN(interior_pointer);
  RUN(container_of_member);
  RUN(statement_expression);
  RUN(cleanup_attribute);
  RUN(goto_statement);
  RUN(computed_goto);
  RUN(switch_statement);
  RUN(vla_of_data);
  RUN(alloca_of_data);
  RUN(memory_functions);
  RUN(qsort_of_data);
  RUN(variadic_function);
  RUN(function_pointer);
  RUN(function_pointer_in_object);
  RUN(inline_function);
  RUN(musttail_call);
  RUN(array_parameter);
  RUN(alias_attribute);
  RUN(constructor_attribute);
  RUN(transparent_union);
  RUN(comma_operator);
  RUN(builtins);
  RUN(inline_assembly);
  RUN(setjmp_in_own_function);
  RUN(memory_of_malloc);
  RUN(copy_to_native);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that makes small objects which nobody else knows (bench/escape): usage: escape KERNEL COUNT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

/* A state that is another object on each pass of a loop. */
struct state {
  long n, sum, most;
};

static struct state managed *state(long n, long sum, long most)
{
  struct state managed *s = cairn_new(struct state);

  s->n = n;
  s->sum = sum;
  s->most = most;
  return s;
}

static struct state managed *step(struct state managed *s, long x)
{
  return state(s->n + 1, s->sum + x, x > s->most ? x : s->most);
}

static long states(long count)
{
  struct state managed *s = state(0, 0, 0);

  for (long i = 0; i < count; i++)
    if (i % 3)
      s = step(s, i * 7919 % 10007);
  return s->sum + s->most * s->n;
}

/* Tokens: one or none, beside the one before. */
struct token {
  int kind;
  long value;
};

static struct token managed *scan(const char **at)
{
  while (**at == ' ')
    ++*at;
  if (!**at)
    return NULL;
  struct token managed *t = cairn_new(struct token);
  t->kind = **at >= '0' && **at <= '9' ? 1 : 2;
  if (t->kind == 2)
    t->value = *(*at)++;
  for (; **at >= '0' && **at <= '9'; ++*at)
    t->value = t->value * 10 + **at - '0';
  return t;
}

static long tokens(long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++) {
    const char *at = "12 + 345 * 7 - x";
    struct token managed *last = NULL;
    for (struct token managed *t; (t = scan(&at)) != NULL; last = t)
      sum += last && last->kind == t->kind ? -t->value : t->value;
  }
  return sum;
}

/* A buffer of constant length. */
static long buffers(long count)
{
  long sum = 0;

  for (long n = 0; n < count; n++) {
    char managed *digits = cairn_new_array(char, 24);
    int length = 0;
    for (long rest = n; rest; rest /= 10)
      digits[length++] = (char)('0' + rest % 10);
    for (int i = 0; i < length; i++)
      sum = sum * 3 + digits[i];
  }
  return sum;
}

/* What is kept if something is wrong with it. */
struct request {
  long id, size;
  struct request managed *before;
};
static struct request managed *wrong;

static long errors(long count)
{
  long sum = 0;

  for (long n = 0; n < count; n++) {
    struct request managed *r = cairn_new(struct request);
    r->id = n;
    r->size = n * 37 % 1024;
    if (r->size == 1023) {
      r->before = NULL;
      wrong = r;
    } else {
      sum += r->id ^ r->size;
    }
  }
  return sum + wrong->id;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    long (*run)(long);
  } kernels[] = {{"states", states}, {"tokens", tokens}, {"buffers", buffers}, {"errors", errors}};

  for (size_t i = 0; argc == 3 && i < sizeof kernels / sizeof *kernels; i++)
    if (strcmp(argv[1], kernels[i].name) == 0) {
      printf("%ld\n", kernels[i].run(atol(argv[2])));
      return 0;
    }
  fprintf(stderr, "usage: escape KERNEL COUNT\n");
  return 2;
}

// RUN: %root/test/run/Inputs/same %build --many 24000 --small 2 %s
// RUN: %root/test/run/Inputs/same %build --levels "-O2" --own -fcairn-words=0:1 --small 2 %s
// Tagged unions wherever a value may be: in objects, arrays and flexible arrays, in globals and thread-locals, in
// locals whose address is taken, by value, nested in structs, and in native code. Numbers have the bits of addresses. Wrong:
// a number that a collection changes or follows, a reference that is lost, a number that loses a bit.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

enum kind { NOTHING, LONG, DOUBLE, INT, FLOAT, CHAR, FLAG, NATIVE, PAIR, ENUM };

struct pair;
struct value {
  enum kind kind;
  cairn_union(long l; double d; int i; float f; signed char c; _Bool flag; const char *native;
              struct pair managed *pair;
              enum kind e;) as;
};
/* Without a name, and after other members; two in one struct. */
struct two {
  long before;
  unsigned char kind;
  cairn_union(unsigned long number; struct pair managed *pair;);
  struct {
    short kind;
    cairn_union(double d; struct pair managed *pair;) as;
  } inner[2];
};
struct pair {
  struct value first;
  struct two two;
  struct value rest;
};
struct row {
  long count;
  struct value items[];
};

static struct value global, many[20] = {{.kind = DOUBLE, .as.d = 0.1}, [7] = {.kind = FLAG, .as.flag = 1}};
static const struct value fixed = {.kind = LONG, .as.l = (long)0xfffffff012345678};
static _Thread_local struct value local = {.kind = INT, .as.i = -3};

static unsigned long mix(unsigned long sum, unsigned long more)
{
  return (sum ^ more) * 0x9e3779b97f4a7c15 + (sum >> 29);
}

__attribute__((noinline)) static void set(struct value *v, unsigned long n)
{
  static const long few[] = {0, 1, -1, 0x7f0012345678, (long)0x8000000000000000, 0x7fffffffffffffff};

  v->kind = LONG + (enum kind)(n % 7);
  switch (v->kind) {
  case LONG:
    v->as.l = n % 3 != 0 ? few[n % 6] : (long)(n * 0x9e3779b97f4a7c15);
    break;
  case DOUBLE:
    v->as.d = n % 2 != 0 ? -(double)n / 3 : 3.14e-320 * (double)n;
    break;
  case INT:
    v->as.i = (int)(n * 0x9e3779b9);
    break;
  case FLOAT:
    v->as.f = -(float)n / 7;
    break;
  case CHAR:
    v->as.c = (signed char)n;
    break;
  case FLAG:
    v->as.flag = n % 5 == 0;
    break;
  default:
    v->as.native = &"native text"[n % 5];
  }
}

cairn_unmanaged __attribute__((noinline)) static void set_native(struct value *v, double d)
{
  if (v->kind == DOUBLE && v->as.d > 1)
    d += v->as.d;
  v->kind = DOUBLE;
  v->as.d = d;
}

static unsigned long digest(struct value v);

__attribute__((noinline)) static unsigned long digest_two(const struct two managed *t)
{
  unsigned long sum = (unsigned long)t->before;

  sum = mix(sum, t->kind != 0 ? t->number : t->pair != NULL);
  for (int i = 0; i < 2; i++)
    sum = mix(sum, t->inner[i].kind != 0 ? (unsigned long)(long)(t->inner[i].as.d * 64)
                                         : digest((struct value){.kind = PAIR, .as.pair = t->inner[i].as.pair}));
  return sum;
}

__attribute__((noinline)) static unsigned long digest(struct value v)
{
  unsigned long sum = v.kind;

  switch (v.kind) {
  case LONG:
    return mix(sum, (unsigned long)v.as.l);
  case DOUBLE:
    return mix(sum, (unsigned long)(long)(v.as.d * 1e6)) + (v.as.d != 0);
  case INT:
    return mix(sum, (unsigned long)v.as.i);
  case FLOAT:
    return mix(sum, (unsigned long)(long)(v.as.f * 1e6F));
  case CHAR:
    return mix(sum, (unsigned long)v.as.c);
  case FLAG:
    return mix(sum, v.as.flag);
  case NATIVE:
    return mix(sum, (unsigned char)*v.as.native);
  case ENUM:
    return mix(sum, v.as.e);
  case PAIR:
    return v.as.pair == NULL ? 1
                             : mix(mix(digest(v.as.pair->first), digest_two(&v.as.pair->two)), digest(v.as.pair->rest));
  default:
    return sum;
  }
}

/* The tags change before the members, with collections between. */
__attribute__((noinline)) static struct value cons(struct value first, struct value rest, unsigned long n)
{
  struct value v = {.kind = PAIR};
  struct pair managed *p = cairn_new(struct pair);

  p->first = first;
  p->rest = rest;
  p->two.kind = (unsigned char)(n % 2);
  p->two.before = (long)n;
  if (p->two.kind != 0)
    p->two.number = n * 0x9e3779b97f4a7c15;
  else
    p->two.pair = cairn_new(struct pair);
  p->two.inner[1].as.d = -1.5 * (double)n;
  p->two.inner[1].kind = (short)(n % 4);
  if (p->two.inner[1].kind == 0)
    p->two.inner[1].as.pair = cairn_new(struct pair);
  v.as.pair = p;
  return v;
}

int main(int argc, char **argv)
{
  unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 300,
                sum = digest(many[0]) + digest(many[7]) + digest(fixed);

  sum = mix(sum, digest(local));
  for (unsigned long i = 0; i < n; i++) {
    struct value list = {.kind = NOTHING}, v, w;
    struct row managed *row = cairn_new_flex(struct row, 20);
    for (unsigned long k = 0; k < 20; k++) {
      set(&v, i + k);
      w.kind = ENUM;
      w.as.e = (enum kind)(k % 9);
      list = cons(v, k % 5 == 0 ? cons(w, list, k) : list, i + k);
      row->items[k] = k % 3 != 0 ? list : v;
      set(&v, k);
      set_native(&v, (double)i / 4);
      sum = mix(sum, digest(v));
    }
    for (unsigned long k = 0; k < 20; k++)
      sum = mix(sum, digest(row->items[k]));
    many[i % 20] = list;
    global = cons(list, i % 50 != 0 ? global : fixed, i);
    set(&local, i);
    if (i % 3 == 0)
      local = cons(many[i * 7 % 20], local, i);
    sum = mix(sum, digest(local));
  }
  for (int k = 0; k < 20; k++)
    sum = mix(sum, digest(many[k]));
  printf("%lx %lx\n", sum, digest(global));
  return 0;
}

#!/usr/bin/env python3
"""Print a random managed-C program that stores references in every form, from a seed.

Objects that live long are changed all the time, and new ones are made, so that a collector with
generations, or one that marks or moves beside the program, depends on barriers. Stores are of
single references, of structs, by memcpy and memmove, atomic, in loops, through the address of a
field, into arrays, flexible members, nested structs, arrays that grow, and new objects that are
filled over several blocks; unions hold references of several types, or one or two. Odd seeds have words
that are references or integers as well. Two threads do so at a time, each with objects of its own;
checksums do not depend on addresses. Compiled with -DCAIRN_PLAIN by any C compiler it is its own oracle.
With -DOVERLAY a union has a reference and something else at one place: that is to be refused.

usage: random_stores.py SEED > program.c
"""
import random
import sys

PRELUDE = """\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/value.h>

typedef unsigned long ulong;
struct cell { ulong value; struct cell managed *next; };
typedef struct cell managed *ref;
struct pair { ref first; ulong number; ref second; };
struct nest { struct pair in[2]; struct { ref a; char c; ref b; } odd; };
struct wide { ref field[12]; struct pair pair[3]; struct nest nest; ref left, right; };
typedef struct wide managed *wide;
struct flex { ulong count; ref head; struct pair tail[]; };
struct shared { _Atomic(ref) slot[3]; };
typedef ref managed *array;
/* Of several types, `which` says of which one; and one or two. */
struct choice { ulong which; union { ref one; struct pair managed *pair; array few; } u; };
union place { ref one; struct { ref a, b; } two; ref both[2]; };
struct mixed { ulong number; struct { struct choice choice; union place place[2]; } in[2]; };
enum { LENGTH = 200, TAIL = 20, WIDES = 4 };
struct world {
  wide wide[WIDES];
  array table, other, grown;
  ulong length;
  struct flex managed *flex;
  struct shared managed *shared;
  struct choice choice[3];
  struct choice managed *choices;
  union place place[2];
  union place managed *places;
  struct mixed mixed;
  ref list;
%(word_field)s};
typedef struct world managed *world;
#define MIX(x) (sum = (sum ^ (x)) * 0x9e3779b97f4a7c15ul, sum ^= sum >> 29)

__attribute__((noinline)) static ref cell(ulong value, ref next)
{
  ref c = cairn_new(struct cell);
  c->value = value;
  c->next = next;
  return c;
}
/* An address within an object: whose, the compiler does not know. */
__attribute__((noinline)) static void store_at(ref managed *slot, ref value) { *slot = value; }
__attribute__((noinline)) static void swap(ref managed *a, ref managed *b) { ref t = *a; *a = *b; *b = t; }
static ulong sum_list(ref c)
{
  ulong sum = 3;
  for (int i = 0; c && i < 12; c = c->next, i++) sum = sum * 31 + c->value;
  return sum;
}
static ulong sum_pair(struct pair managed *p) { return sum_list(p->first) + 3 * p->number + 7 * sum_list(p->second); }
static ulong sum_choice(struct choice managed *c)
{
  return c->which == 0 ? sum_list(c->u.one)
         : c->which == 1 ? sum_pair(c->u.pair) : sum_list(c->u.few[0]) + 5 * sum_list(c->u.few[2]);
}
static ulong sum_place(union place managed *p) { return sum_list(p->one) + 11 * sum_list(p->both[1]); }
__attribute__((noinline)) static struct choice choose(ulong which, ref a, ref b)
{
  struct choice c = {which %% 3, {NULL}};
  if (c.which == 0) {
    c.u.one = a;
  } else if (c.which == 1) {
    c.u.pair = cairn_new(struct pair);
    c.u.pair->first = b;
    c.u.pair->second = a;
  } else {
    c.u.few = cairn_new_array(ref, 3);
    c.u.few[which & 2] = b;
  }
  return c;
}
__attribute__((noinline)) static union place turn(union place p, ref other)
{
  ref c = cell(7, p.two.b);
  p.two.b = p.one;
  p.one = other ? other : c;
  return p;
}
static ref cut(ref c) /* a list stays short */
{
  ref at = c;
  for (int i = 0; at && i < 6; i++) at = at->next;
  if (at) at->next = NULL;
  return c;
}
"""

EPILOGUE = """\
__attribute__((noinline)) static ulong sum_world(world w)
{
  ulong sum = sum_list(w->list);
  for (int k = 0; k < WIDES; k++) {
    wide a = w->wide[k];
    for (int i = 0; i < 12; i++) MIX(sum_list(a->field[i]));
    for (int i = 0; i < 3; i++) MIX(sum_pair(&a->pair[i]));
    for (int i = 0; i < 2; i++) MIX(sum_pair(&a->nest.in[i]));
    MIX(sum_list(a->nest.odd.a) + 3 * sum_list(a->nest.odd.b) + 5 * sum_list(a->left) + 7 * sum_list(a->right));
  }
  for (int i = 0; i < LENGTH; i++) MIX(sum_list(w->table[i]) + 3 * sum_list(w->other[i]));
  for (ulong i = 0; i < w->length; i++) MIX(sum_list(w->grown[i]));
  for (int i = 0; i < TAIL; i++) MIX(sum_pair(&w->flex->tail[i]));
  for (int i = 0; i < 3; i++) MIX(sum_choice(&w->choice[i]) + 3 * sum_choice(&w->choices[i]));
  for (int i = 0; i < 2; i++) MIX(sum_place(&w->place[i]) + 3 * sum_place(&w->places[i]));
  for (int i = 0; i < 2; i++) MIX(sum_choice(&w->mixed.in[i].choice) + 3 * sum_place(&w->mixed.in[i].place[1]));
  for (int i = 0; i < 3; i++) MIX(sum_list(__c11_atomic_load(&w->shared->slot[i], __ATOMIC_SEQ_CST)));
%(word_sum)s  return MIX(sum_list(w->flex->head));
}
__attribute__((noinline)) static world make_world(void)
{
  world w = cairn_new(struct world);
  for (int k = 0; k < WIDES; k++) w->wide[k] = cairn_new(struct wide);
  w->table = cairn_new_array(ref, LENGTH);
  w->other = cairn_new_array(ref, LENGTH);
  w->grown = cairn_new_array(ref, 8);
  w->length = 8;
  w->flex = cairn_new_flex(struct flex, TAIL, tail);
  w->shared = cairn_new(struct shared);
  w->choices = cairn_new_array(struct choice, 3);
  w->places = cairn_new_array(union place, 2);
%(word_make)s  return w;
}
static ulong rounds;
static void *run(void *seed)
{
  world w = make_world();
  ulong sum = (ulong)(size_t)seed;
  for (ulong n = 0; n < rounds; n++) {
    switch ((n * 7 + sum) %% %(operations)d) {
%(cases)s
    }
    if (n %% 16 == 15) MIX(sum_world(w));
  }
  MIX(sum_world(w));
  printf("%%lx\\n", sum);
  return NULL;
}
int main(int argc, char **argv)
{
  rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 400;
  pthread_t thread;
  for (size_t i = 1; i < 3; i++) {
    /* One writes when the other has ended. */
    if (pthread_create(&thread, NULL, run, (void *)i) != 0) return 2;
    if (i == 2) run((void *)3);
    pthread_join(thread, NULL);
  }
  return 0;
}
"""

WORDS = {
    "word_field": "  cairn_value word[16];\n  cairn_value managed *words;\n",
    "word_sum": "  for (int i = 0; i < 16; i++) MIX(sum_word(w->word[i]) + 3 * sum_word(w->words[i]));\n",
    "word_make": "  w->words = cairn_new_array(cairn_value, 16);\n",
}
WORD_PRELUDE = """\
static ulong sum_word(cairn_value v)
{
  return !v ? 5 : cairn_value_is_integer(v) ? (ulong)cairn_value_integer(v) * 3 : sum_list(cairn_value_object(struct cell, v));
}
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.words = seed % 2 == 1
        self.out = []
        self.counter = 0

    def pick(self, items):
        return self.random.choice(items)

    def below(self, n):
        return self.random.randrange(n)

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def line(self, text):
        self.out.append("  " + text)

    # ---- places and values; `w` is the world, `n` a number, a and b two of its wide objects

    def index(self, n):
        return self.pick([str(self.below(n)), f"(n + {self.below(50)}) % {n}", f"n * {self.pick([3, 5, 7])} % {n}"])

    def place(self):
        o = self.pick("ab")
        return self.pick([f"{o}->field[{self.index(12)}]", f"{o}->pair[{self.index(3)}].{self.pick(['first', 'second'])}",
                          f"{o}->nest.in[{self.below(2)}].second", f"{o}->nest.odd.{self.pick('ab')}", f"{o}->{self.pick(['left', 'right'])}",
                          f"w->table[{self.index(200)}]", f"w->other[{self.index(200)}]", f"w->flex->tail[{self.index(20)}].first",
                          "w->flex->head", "w->list", f"w->grown[n % w->length]"])

    def pair(self):
        o = self.pick("ab")
        return self.pick([f"{o}->pair[{self.index(3)}]", f"{o}->nest.in[{self.below(2)}]", f"w->flex->tail[{self.index(20)}]"])

    def value(self):
        return self.pick([f"cell(n + {self.below(9)}, NULL)"] * 3 + [f"cell(n, cut({self.place()}))", self.place(), self.place(), "NULL", "c", "c"])

    # ---- statements

    def s_one(self):
        v = self.fresh("v")
        self.line(f"ref {v} = {self.value()};")
        self.line(f"{self.place()} = {v};")

    def s_direct(self):
        self.line(f"{self.place()} = {self.pick(['NULL', 'c', self.place()])};")

    def s_run(self):
        o, start = self.pick("ab"), self.below(8)
        vs = [self.pick(["c", "NULL", f"{self.pick('ab')}->left"]) for _ in range(4)]
        for i in self.random.sample(range(4), self.pick([2, 3, 4])):
            self.line(f"{o}->field[{start + i}] = {vs[i]};")

    def s_struct(self):
        kind = self.pick(["new", "copy", "local", "nest"])
        if kind == "new":
            v = self.fresh("v")
            self.line(f"ref {v} = {self.value()};")
            self.line(f"{self.pair()} = (struct pair){{{v}, n, {self.pick(['c', 'NULL', v])}}};")
        elif kind == "copy":
            self.line(f"{self.pair()} = {self.pair()};")
        elif kind == "local":
            p = self.fresh("p")
            self.line(f"struct pair {p} = {self.pair()};")
            self.line(f"{p}.{self.pick(['first', 'second'])} = {self.value()};")
            self.line(f"{self.pair()} = {p};")
        else:
            self.line(self.pick(["a->nest = b->nest;", "a->nest.odd = b->nest.odd;", "if (n % 3 == 0) *a = *b;"]))

    def s_copy(self):
        count = self.pick([str(self.below(40) + 1), f"(n % {self.below(60) + 1})"])
        to, source = self.pick([("table", "other"), ("other", "table")])
        kind = self.pick(["memcpy", "memmove", "same", "pairs", "clear"])
        if kind == "same":
            self.line(f"memmove(&w->{to}[{self.below(30)}], &w->{to}[{self.below(30)}], {count} * sizeof(ref));")
        elif kind == "pairs":
            self.line(f"memcpy(&w->flex->tail[{self.below(10)}], {self.pick('ab')}->pair, {self.pick([1, 2, 3])} * sizeof(struct pair));")
        elif kind == "clear":
            self.line(f"memset(&w->{to}[{self.below(100)}], 0, {count} * sizeof(ref));")
        else:
            self.line(f"{kind}(&w->{to}[{self.index(100)}], &w->{source}[{self.index(100)}], {count} * sizeof(ref));")

    def s_loop(self):
        to, source = self.pick([("w->table", "w->other"), ("w->other", "w->table"), ("a->field", "b->field")])
        room = 12 if to[0] == "a" else 200
        bound = self.pick([str(room), f"n % {room}", str(room // 2)])
        i = self.fresh("i")
        body = self.pick([f"{to}[{i}] = {source}[{i}];", f"{to}[{i}] = {source}[{room} - 1 - {i}];", f"{to}[{i}] = c;",
                          f"if ({i} % {self.pick([3, 7])} == n % 3) {to}[{i}] = {self.pick(['c', 'NULL', f'{source}[{i}]'])};",
                          f"{to}[{i}] = {to}[{i}] ? {to}[{i}] : c;", f"if ({to}[{i}]) {to}[{i}]->next = {self.pick(['c', 'NULL', f'{source}[{i}]'])};",
                          f"if ({i} % 16 == n % 16) {to}[{i}] = cell(n + {i}, NULL);"])
        self.line(f"for (ulong {i} = 0; {i} < {bound}; {i}++) {body}")

    def s_atomic(self):
        slot, v, e = f"&w->shared->slot[{self.below(3)}]", self.fresh("v"), self.fresh("e")
        self.line(f"ref {v} = {self.value()};")
        kind = self.pick(["store", "exchange", "compare", "strong"])
        if kind == "store":
            self.line(f"__c11_atomic_store({slot}, {v}, __ATOMIC_RELEASE);")
        elif kind == "exchange":
            self.line(f"{self.place()} = __c11_atomic_exchange({slot}, {v}, __ATOMIC_ACQ_REL);")
        else:
            self.line(f"ref {e} = {self.pick(['NULL', f'__c11_atomic_load({slot}, __ATOMIC_ACQUIRE)'])};")
            self.line(f"MIX(__c11_atomic_compare_exchange_strong({slot}, &{e}, {v}, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 2 : sum_list({e}));")

    def s_address(self):
        v = self.fresh("v")
        self.line(f"ref {v} = {self.value()};")
        self.line(self.pick([f"store_at(&{self.place()}, {v});", f"swap(&{self.place()}, &{self.place()});",
                             f"*(n & {self.pick([1, 2])} ? &a->left : &b->right) = {v};"]))

    def s_fill(self):
        o = self.fresh("o")
        self.line(f"wide {o} = cairn_new(struct wide);")
        for _ in range(self.below(4) + 1):
            self.line(self.pick([f"{o}->field[{self.below(12)}] = c;", f"if (n % 3 == {self.below(3)}) {o}->left = {self.pick(['c', 'a->left'])};",
                                 f"for (int i = 0; i < 12; i++) {o}->field[i] = {self.pick(['a->field[i]', 'c'])};", f"{o}->pair[1] = a->pair[2];",
                                 f"if (n & 1) {{ {o}->right = cell(n, NULL); }} else {{ {o}->right = b->right; }}",
                                 f"{{ ref late = cell(n, {o}->left); {o}->left = late; }}", f"*{o} = *a;"]))
        self.line(f"w->wide[{self.index(4)}] = {o};")

    def s_grow(self):
        self.line(self.pick([f"if (w->length < 60) {{ w->grown = cairn_resize_array(w->grown, w->length + {self.below(9) + 1}); "
                             "w->length += %d; }" % 0, "w->length = w->length;"]))
        if "resize" in self.out[-1]:
            grown = int(self.out[-1].split("w->length + ")[1].split(")")[0])
            self.out[-1] = self.out[-1].replace("w->length += 0", f"w->length += {grown}")
        else:
            self.out[-1] = "  if (w->length > 20) { w->length -= 9; w->grown = cairn_resize_array(w->grown, w->length); }"
        self.line(f"w->grown[w->length - 1] = {self.pick(['c', 'w->grown[0]'])};")

    def s_list(self):
        at = self.fresh("at")
        self.line(f"if (n % {self.below(40) + 5} == 0 || !w->list) w->list = cell(n, NULL);")
        self.line(f"ref {at} = w->list;")
        self.line(f"for (int i = 0; i < 40 && {at}->next; i++) {at} = {at}->next;")
        self.line(f"{at}->next = cell(n, NULL);")

    def s_word(self):
        if not self.words:
            return
        place = self.pick([f"w->word[{self.index(16)}]", f"w->words[{self.index(16)}]"])
        kind = self.pick(["integer", "reference", "either", "copy", "loop", "sum"])
        i = self.fresh("i")
        if kind == "integer":
            self.line(f"{place} = cairn_value_from((long)n - {self.below(100)});")
        elif kind == "reference":
            self.line(f"{place} = cairn_value_of(c);")
        elif kind == "either":
            self.line(f"{place} = n & 1 ? cairn_value_from((long)n) : cairn_value_of(cell(n, NULL));")
        elif kind == "copy":
            self.line(self.pick(["memcpy(w->words, w->word, 16 * sizeof(cairn_value));", "memmove(&w->word[1], w->word, 9 * sizeof(cairn_value));"]))
        elif kind == "loop":
            self.line(f"for (int {i} = 0; {i} < 16; {i}++) if ({i} % 3 == (int)(n % 3)) w->word[{i}] = w->words[15 - {i}];")
        else:
            self.line(f"for (int {i} = 0; {i} < 16; {i}++) if (cairn_value_is_integer(w->words[{i}])) "
                      f"w->words[{i}] = cairn_value_from(cairn_value_integer(w->words[{i}]) + 1);")

    def choice(self):
        return self.pick([f"w->choice[{self.index(3)}]", f"w->choices[{self.index(3)}]", f"w->mixed.in[{self.index(2)}].choice"])

    def union(self):
        return self.pick([f"w->place[{self.index(2)}]", f"w->places[{self.index(2)}]", f"w->mixed.in[{self.index(2)}].place[{self.index(2)}]"])

    def s_union(self):
        u = self.fresh("u")
        kind = self.pick(["choose", "choose", "copy", "member", "local", "turn", "bytes", "mixed"])
        if kind == "choose":
            self.line(f"{self.choice()} = choose({self.pick(['n', '0', '1', '2', 'n / 3'])}, {self.value()}, {self.place()});")
        elif kind == "copy":
            self.line(self.pick([f"{self.choice()} = {self.choice()};", f"{self.union()} = {self.union()};"]))
        elif kind == "member":
            member = self.pick(["one", "two.a", "two.b", f"both[{self.index(2)}]"])
            self.line(self.pick([f"{self.union()}.{member} = {self.value()};", f"{self.place()} = {self.union()}.{member};"]))
        elif kind == "local":
            self.line(f"struct choice {u} = {self.choice()};")
            self.line(f"if ({u}.which == 0) {u}.u.one = cell(n, {u}.u.one ? NULL : c); else if ({u}.which == 1) {u}.u.pair->first = cell(n, NULL);")
            self.line(f"{self.choice()} = {u};")
        elif kind == "turn":
            self.line(f"{self.union()} = turn({self.union()}, {self.pick(['c', 'NULL', self.place()])});")
        elif kind == "bytes":
            self.line(self.pick([f"memcpy(w->choice, w->choices, {self.pick([1, 2, 3])} * sizeof(struct choice));",
                                 f"memmove(&w->choices[1], w->choices, {self.pick([1, 2])} * sizeof(struct choice));",
                                 "memcpy(w->places, w->place, sizeof(union place));", "memset(w->places, 0, sizeof(union place));"]))
        else:
            self.line(self.pick(["w->mixed.in[n % 2] = w->mixed.in[1 - n % 2];", f"struct mixed {u} = w->mixed; {u}.in[0].choice = choose(n, c, NULL); w->mixed = {u};",
                                 "w->mixed.in[0].choice = w->choices[n % 3];"]))

    def overlay(self):
        """Code that the compiler has to refuse."""
        other = self.pick(["long other;", "double other;", "void *other;", "char other[16];", "struct { long x; ref y; } other;", "float other[3];"])
        union = f"union bad {{ {self.pick(['ref one; ' + other, other + ' ref one;'])} }}"
        inner = self.pick([f"{union};\ntypedef union bad inner;", f"struct deep {{ int tag; {union} u[3]; }};\ntypedef struct deep inner;",
                           f"struct deep {{ struct {{ ref first; {union} u; }} in; }};\ntypedef struct deep inner;"])
        use = self.pick(["static void managed *bad(void) { return cairn_new(inner); }", "static void managed *bad(void) { return cairn_new_array(inner, 7); }",
                         "static inner bad_global;\nstatic inner *bad(void) { return &bad_global; }",
                         "struct tail { long count; inner in[]; };\nstatic void managed *bad(void) { return cairn_new_flex(struct tail, 5, in); }"])
        return f"#ifdef OVERLAY\n{inner}\n{use}\nvoid *keep(void); void *keep(void) {{ return bad() ? (void *)keep : (void *)0; }}\n#endif\n"

    def s_collect(self):
        if self.below(3) == 0:
            self.line(f"if (n % {self.below(40) + 2} == 0) cairn_collect();")
        else:
            self.line(f"for (int i = 0; i < {self.below(30)}; i++) c = cell(n + (ulong)i, NULL);")

    def operation(self, i):
        self.line("")
        self.out[-1] = f"__attribute__((noinline)) static ulong operation{i}(world w, ulong n, ulong sum)\n{{"
        self.line(f"wide a = w->wide[{self.index(4)}], b = w->wide[{self.index(4)}];")
        self.line("ref c = cell(n, NULL);")
        names = ["one", "one", "direct", "run", "struct", "struct", "copy", "copy", "loop", "loop", "atomic", "address", "fill", "grow", "list",
                 "word", "word", "union", "union", "union", "collect"]
        for _ in range(self.below(8) + 3):
            getattr(self, "s_" + self.pick(names))()
        self.line("return sum + c->value + b->pair[0].number;")
        self.out.append("}")

    def text(self):
        count = self.below(6) + 5
        for i in range(count):
            self.operation(i)
        cases = "\n".join(f"    case {i}: sum = operation{i}(w, n, sum); break;" for i in range(count))
        fields = WORDS if self.words else dict.fromkeys(WORDS, "")
        return (PRELUDE % fields + (WORD_PRELUDE if self.words else "") + "\n".join(self.out) + "\n" + self.overlay() +
                EPILOGUE % dict(fields, operations=count, cases=cases))


if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
    sys.exit(__doc__)
print(Program(int(sys.argv[1])).text(), end="")

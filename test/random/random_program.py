#!/usr/bin/env python3
"""Print a random managed-C program without undefined behaviour, from a seed.

The program keeps references wherever a compiler may put them: in locals, spills, phis,
address-taken locals, arrays on the stack, structs by value, globals, interior pointers and loops,
over calls, polls and allocations. It prints a checksum that does not depend on addresses. Compiled
with -DCAIRN_PLAIN by any C compiler it is its own oracle.

usage: random_program.py SEED > program.c
"""
import random
import sys

PRELUDE = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

#define NIL ((struct node managed *)0)
typedef unsigned long ulong;
struct duo { struct node managed *a, *b; };
struct pair { struct node managed *first; ulong weight; struct node managed *second; };
struct one { struct node managed *only; };
struct node {
  struct node managed *left;
  ulong value;
  struct pair pair;
  struct one one;
  unsigned char bytes[5];
  struct node managed *array[3];
  ulong numbers[4];
};
struct table { ulong count; struct node managed *slots[]; };
typedef struct node managed *ref;
struct row { ref who; ulong key; struct duo two; };
struct rows { ulong count; struct row row[]; };
struct nest { struct one one; struct { unsigned low : 3; unsigned high : 29; } bits; };
struct trio {
  struct node managed *who;
  struct trio managed *next;
  ulong n;
  unsigned char bytes[3];
  unsigned short half;
  unsigned word;
  struct trio managed *back;
  ulong more[2];
};

static struct node managed *global_ref;
static struct node managed *global_array[4];
static struct { int before; struct pair pairs[2]; } global_nest;
static struct table managed *global_table;
static struct rows managed *global_rows;
static ref managed *global_boxes;
static struct trio managed *global_trio;
static long fuel = %(fuel)d;
static ulong sum = 1;

static void mix(ulong x) { sum = (sum ^ x) * 0x9e3779b97f4a7c15ul; sum ^= sum >> 29; }
static ulong value_of(struct node managed *p) { return p ? p->value : 77; }
static struct node managed *make(ulong value, struct node managed *left)
{
  struct node managed *p = cairn_new(struct node);
  p->value = value;
  p->left = left;
  p->numbers[value & 3] = value * 3;
  p->bytes[value %% 5] = (unsigned char)value;
  return p;
}
static void mix_trio(struct trio managed *t)
{
  for (int i = 0; t && i < 3; t = i & 1 ? t->next : t->back, i++)
    mix(value_of(t->who) + t->n + t->bytes[0] + 3u * t->bytes[1] + 5u * t->bytes[2] + 7u * t->half + t->word +
        11 * t->more[0] + 13 * t->more[1] + (t->next == t) + 2 * (t->back == t) + 4 * !t->next + 8 * !t->back);
}
/* Loops over references, which the vectoriser and the idiom recogniser like. */
static ulong box_same(ref managed *x, ref managed *y, ulong n)
{
  ulong c = 0;
  for (ulong i = 0; i < n; i++) c += x[i] == y[i] ? 3 : x[i] ? 5 : 1;
  return c;
}
static ulong box_nulls(ref managed *x) { ulong c = 0; for (int i = 0; i < 16; i++) c += !x[i]; return c; }
static void box_copy(ref managed *x, ref managed *y, ulong n) { for (ulong i = 0; i < n; i++) x[i] = y[i]; }
static void box_back(ref managed *x, ref managed *y, ulong n) { for (ulong i = n; i-- > 0;) x[i] = y[n - 1 - i]; }
static void box_fill(ref managed *x, ref p, ulong n) { for (ulong i = 0; i < n; i++) x[i] = p; }
static void box_or(ref managed *x, ref p) { for (int i = 0; i < 16; i++) x[i] = x[i] ? x[i] : p; }
static void rotate(ref p) { ref t = p->array[0]; p->array[0] = p->array[1]; p->array[1] = p->array[2]; p->array[2] = t; }
static void exchange(ref *a, ref *b) { ref t = *a; *a = *b; *b = t; }
static struct duo twist(struct duo d) { return (struct duo){d.b, d.a}; }
static ref remember(ref p)
{
  static ref ring[4];
  static ulong turn;
  ref old = ring[turn & 3];
  ring[turn++ & 3] = p;
  return old;
}
/* Fill both halves of the heap: a word that an allocation does not clear is not zero by chance. */
static void dirty(void)
{
  static struct dirt { ulong words[500]; } dirt;

  memset(&dirt, 0xa5, sizeof dirt);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 64; i++) {
      unsigned char managed *p = cairn_new_array_uninit(unsigned char, 4000);
      *(struct dirt managed *)p = dirt; /* no loop, which would have polls at -O0 */
      sum += p[(sum + i) %% 4000];
    }
    cairn_collect();
  }
}
static int by_key(const void *a, const void *b)
{
  ulong x = *(const ulong *)a, y = *(const ulong *)b;
  struct node managed *p = make(x ^ y, global_ref);
  mix(p->value);
  ulong kx = x * 31 + value_of(global_array[x & 3]), ky = y * 31 + value_of(global_array[y & 3]);
  return kx < ky ? -1 : kx > ky;
}
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.out = []
        self.functions = []
        self.counter = 0

    # ---- small helpers

    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        return self.random.choice(items)

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def line(self, depth, text):
        self.out.append("  " * depth + text)

    # ---- expressions: ints (ulong) and refs (struct node managed *), from the names in scope

    def number(self, s, depth=0):
        kinds = ["const", "var"]
        if depth < 3:
            kinds += ["op", "value", "value", "field", "compare", "interior", "diff", "call"]
        kind = self.pick(kinds)
        if kind == "var" and s["n"]:
            return self.pick(s["n"])
        if kind == "op":
            op = self.pick(["+", "-", "*", "^", "&", "|"])
            return f"({self.number(s, depth + 1)} {op} {self.number(s, depth + 1)})"
        if kind == "value":
            return f"value_of({self.ref(s, depth + 1)})"
        if kind == "field" and s["r"]:
            r = self.pick(s["r"])
            f = self.pick(["value", "pair.weight", f"numbers[{self.number(s, depth + 1)} & 3]",
                           "bytes[2]"])
            return f"({r} ? (ulong){r}->{f} : 5)"
        if kind == "compare":
            a, b = self.ref(s, 3), self.ref(s, 3)
            return f"(ulong)({a} {self.pick(['==', '!='])} {b})"
        if kind == "interior" and s["i"]:
            i = self.pick(s["i"])
            return f"({i} ? *{i} : 9)"
        if kind == "diff" and s["d"]:
            a, b = self.pick(s["d"])
            return f"({a} ? (ulong)({a} - {b}) : 3)"
        if kind == "call":
            return self.call(s, "ulong") or str(self.random.randrange(100))
        return f"{self.random.randrange(1 << self.random.randrange(1, 20))}ul"

    def ref(self, s, depth=0):
        kinds = ["var", "var", "var", "null"]
        if depth < 3:
            kinds += ["field", "field", "field", "choice", "make", "global", "call", "local_array"]
        kind = self.pick(kinds)
        if kind == "field" and s["r"]:
            r = self.pick(s["r"])
            f = self.pick(["left", "pair.first", "pair.second", "one.only",
                           f"array[{self.number(s, 3)} % 3]"])
            return f"({r} ? {r}->{f} : {self.ref(s, depth + 1)})"
        if kind == "choice":
            return f"({self.number(s, depth + 1)} & 1 ? {self.ref(s, depth + 1)} : {self.ref(s, depth + 1)})"
        if kind == "make":
            return f"make({self.number(s, depth + 1)}, {self.ref(s, depth + 1)})"
        if kind == "global":
            return self.pick(["global_ref", f"global_array[{self.number(s, 3)} & 3]",
                              "global_nest.pairs[1].first", "global_nest.pairs[0].second",
                              f"(global_table ? global_table->slots[{self.number(s, 3)} % 4] : global_ref)"])
        if kind == "local_array" and s["a"]:
            return f"{self.pick(s['a'])}[{self.number(s, 3)} & 3]"
        if kind == "call":
            found = self.call(s, "ref")
            if found:
                return found
        if kind == "var" and s["r"]:
            return self.pick(s["r"])
        return self.pick(s["r"]) if s["r"] and self.chance(0.7) else "NIL"

    # Functions with an out-parameter are called in statements of their own only: what they change
    # must not be read in the same expression.
    def call(self, s, returns, out=False):
        found = [f for f in self.functions if f["returns"] == returns and ("o" in f["params"]) == out]
        if not found:
            return None
        f = self.pick(found)
        args = []
        for kind in f["params"]:
            if kind == "n":
                args.append(self.number(s, 3))
            elif kind == "r":
                args.append(self.ref(s, 3))
            elif kind == "p":
                args.append(f"(struct duo){{{self.ref(s, 3)}, {self.ref(s, 3)}}}")
            elif kind == "w":
                args.append(f"(struct row){{{self.ref(s, 3)}, {self.number(s, 3)}, {{{self.ref(s, 3)}, NIL}}}}")
            elif kind == "i":
                args.append(self.pick(s["i"]) if s["i"] else "NULL")
            elif kind == "o":
                args.append("&" + self.pick(s["r"]) if s["r"] else "&global_ref")
        name = f["name"]
        if self.chance(0.2):
            name = f"(*volatile_{name})"
        return f"{name}({', '.join(args)})"

    # ---- statements

    def statements(self, s, depth, budget):
        s = {k: list(v) for k, v in s.items()}
        for _ in range(self.random.randrange(2, 6)):
            budget -= 1
            self.statement(s, depth, budget)
        return s

    def statement(self, s, depth, budget):
        kinds = ["number", "ref", "assign", "assign", "store", "store", "mix", "interior", "pair",
                 "array", "copy", "out", "numeric", "fp", "duo", "rows", "rows", "boxes", "boxes", "exchange",
                 "structs", "static", "long_double", "comma", "nest", "fresh", "fresh", "fresh"]
        if depth < 4 and budget > 0:
            kinds += ["if", "if", "for", "while", "switch", "walk", "block", "do", "goto", "taken"]
        if depth < 3:
            kinds += ["sort"] if self.chance(0.2) else []
        getattr(self, "s_" + self.pick(kinds))(s, depth, budget)

    def s_number(self, s, depth, budget):
        name = self.fresh("n")
        self.line(depth, f"ulong {name} = {self.number(s)};")
        s["n"].append(name)

    def s_numeric(self, s, depth, budget):
        if s["n"]:
            self.line(depth, f"{self.pick(s['n'])} += {self.number(s)};")

    def s_fp(self, s, depth, budget):
        name = self.fresh("f")
        self.line(depth, f"double {name} = (double)({self.number(s)} & 1023) * 0.5;")
        self.line(depth, f"mix(value_of({self.ref(s)}));")
        self.line(depth, f"mix((ulong)({name} * 4.0));")

    def s_ref(self, s, depth, budget):
        name = self.fresh("r")
        self.line(depth, f"struct node managed *{name} = {self.ref(s)};")
        s["r"].append(name)

    def s_assign(self, s, depth, budget):
        if s["r"] and self.chance(0.6):
            self.line(depth, f"{self.pick(s['r'])} = {self.ref(s)};")
        else:
            target = self.pick(["global_ref", f"global_array[{self.number(s, 3)} & 3]",
                                "global_nest.pairs[1].first", "global_nest.pairs[0].second"])
            self.line(depth, f"{target} = {self.ref(s)};")

    def s_store(self, s, depth, budget):
        if not s["r"]:
            return
        r = self.pick(s["r"])
        f = self.pick(["left", "pair.first", "pair.second", "one.only", "array[1]", "value"])
        value = self.number(s) if f == "value" else self.ref(s)
        name = self.fresh("t")
        kind = "ulong " if f == "value" else "struct node managed *"
        self.line(depth, f"{kind}{name} = {value};")
        self.line(depth, f"if ({r}) {r}->{f} = {name};")

    def s_mix(self, s, depth, budget):
        self.line(depth, f"mix({self.number(s)});")

    def s_interior(self, s, depth, budget):
        if not s["r"]:
            return
        r, name = self.fresh("r"), self.fresh("i")
        self.line(depth, f"struct node managed *{r} = {self.pick(s['r'])};")
        self.line(depth, f"ulong managed *{name} = {r} ? &{r}->numbers[{self.number(s)} & 3] : NULL;")
        base = self.fresh("i")
        self.line(depth, f"ulong managed *{base} = {r} ? &{r}->numbers[0] : NULL;")
        if self.chance(0.5):
            self.line(depth, f"mix(value_of({self.ref(s)}));")
            self.line(depth, f"if ({name}) *{name} = {self.number(s)};")
        s["i"] += [name, base]
        s["d"].append((name, base))

    def s_pair(self, s, depth, budget):
        name = self.fresh("p")
        self.line(depth, f"struct pair {name} = {{{self.ref(s)}, {self.number(s)}, {self.ref(s)}}};")
        s["p"].append(name)
        if self.chance(0.5):
            r = self.fresh("r")
            self.line(depth, f"struct node managed *{r} = {name}.{self.pick(['first', 'second'])};")
            s["r"].append(r)

    def s_array(self, s, depth, budget):
        name = self.fresh("a")
        self.line(depth, f"struct node managed *{name}[4] = {{{self.ref(s)}, NULL, {self.ref(s)}, NULL}};")
        index = self.number(s, 2)
        self.line(depth, f"{name}[{index} & 3] = {self.ref(s)};")
        s["a"].append(name)

    def s_copy(self, s, depth, budget):
        if len(s["r"]) < 2:
            return
        a, b = self.random.sample(s["r"], 2)
        what = self.pick(["pair", "one", "self"])
        if what == "self":
            self.line(depth, f"if ({a} && {b}) *{a} = *{b};")
        else:
            self.line(depth, f"if ({a} && {b}) {a}->{what} = {b}->{what};")
        if s["p"]:
            p = self.pick(s["p"])
            self.line(depth, f"if ({a}) {a}->pair = {p};")
            self.line(depth, f"if ({b}) {p} = {b}->pair;")

    def s_out(self, s, depth, budget):
        call = self.call(s, self.pick(["ulong", "ref", "pair"]), out=True) if s["r"] else None
        if call:
            self.line(depth, f"(void){call};")

    def s_if(self, s, depth, budget):
        self.line(depth, f"if ({self.number(s)} & {self.pick([1, 2, 3])}) {{")
        self.statements(s, depth + 1, budget - 2)
        if self.chance(0.5):
            self.line(depth, "} else {")
            self.statements(s, depth + 1, budget - 2)
        self.line(depth, "}")

    def s_block(self, s, depth, budget):
        self.line(depth, "{")
        self.statements(s, depth + 1, budget - 2)
        self.line(depth, "}")

    def s_for(self, s, depth, budget):
        i = self.fresh("k")
        bound = self.pick([2, 3, 5, f"({self.number(s, 2)} & 7)"])
        self.line(depth, f"for (ulong {i} = 0; {i} < {bound} && fuel-- > 0; {i}++) {{")
        inner = {k: list(v) for k, v in s.items()}
        self.statements(inner, depth + 1, budget - 3)
        self.line(depth + 1, f"mix({i});")
        if self.chance(0.3):
            self.line(depth + 1, f"if ({self.number(s)} % 7 == 3) {self.pick(['break', 'continue'])};")
        self.line(depth, "}")

    def s_while(self, s, depth, budget):
        if not s["r"]:
            return
        walk = self.fresh("w")
        self.line(depth, f"struct node managed *{walk} = {self.ref(s)};")
        self.line(depth, f"while ({walk} && fuel-- > 0) {{")
        inner = {k: list(v) for k, v in s.items()}
        inner["r"].append(walk)
        self.statements(inner, depth + 1, budget - 3)
        self.line(depth + 1, f"{walk} = {walk} ? {walk}->left : NULL;")
        self.line(depth, "}")

    def s_walk(self, s, depth, budget):
        if not s["r"]:
            return
        r, p, e = self.pick(s["r"]), self.fresh("i"), self.fresh("i")
        self.line(depth, f"if ({r}) {{")
        self.line(depth + 1, f"ulong managed *{p} = {r}->numbers;")
        self.line(depth + 1, f"ulong managed *{e} = {p} + 4;")
        self.line(depth + 1, f"for (; {p} < {e}; {p}++) {{")
        self.line(depth + 2, f"mix(*{p} + (ulong)({e} - {p}));")
        if self.chance(0.6):
            self.line(depth + 2, f"*{p} += {self.number(s, 2)};")
        self.line(depth + 1, "}")
        self.line(depth, "}")

    def s_switch(self, s, depth, budget):
        self.line(depth, f"switch ({self.number(s)} % 4) {{")
        for case in range(self.random.randrange(1, 4)):
            self.line(depth, f"case {case}: {{")
            self.statements(s, depth + 1, budget - 3)
            self.line(depth, "}" if self.chance(0.3) else "} break;")
        self.line(depth, "default: mix(3);")
        self.line(depth, "}")

    def s_sort(self, s, depth, budget):
        name = self.fresh("keys")
        self.line(depth, f"ulong {name}[5] = {{{', '.join(self.number(s, 2) for _ in range(5))}}};")
        self.line(depth, f"qsort({name}, 5, sizeof {name}[0], by_key);")
        self.line(depth, f"mix({name}[0] + 3 * {name}[4]);")

    def s_duo(self, s, depth, budget):
        name = self.fresh("q")
        kind = self.pick(["new", "new", "twist", "choice", "rows", "memcpy"])
        other = self.pick(s["q"]) if s["q"] else "(struct duo){global_ref, NIL}"
        made = f"(struct duo){{{self.ref(s)}, {self.ref(s)}}}"
        value = {"new": made, "twist": f"twist({other})", "memcpy": made,
                 "choice": f"{self.number(s)} & 1 ? {other} : twist({made})",
                 "rows": f"global_rows->row[{self.number(s, 3)} % 6].two"}[kind]
        self.line(depth, f"struct duo {name} = {value};")
        if kind == "memcpy" and s["q"]:
            self.line(depth, f"memcpy(&{name}, &{other}, sizeof {name});")
        s["q"].append(name)
        s["r"] += [f"{name}.a", f"{name}.b"]

    def s_rows(self, s, depth, budget):
        row = f"global_rows->row[{self.number(s, 2)} % 6]"
        kind = self.pick(["who", "two", "whole", "loop", "shift"])
        if kind == "who":
            value = self.fresh("t")
            self.line(depth, f"ref {value} = {self.ref(s)};")
            self.line(depth, f"{row}.who = {value};")
        elif kind == "two" and s["q"]:
            self.line(depth, f"{row}.two = {self.pick(s['q'])};")
        elif kind == "whole":
            self.line(depth, f"{row} = (struct row){{{self.ref(s)}, {self.number(s)}, {{{self.ref(s)}, global_ref}}}};")
        elif kind == "loop":
            k = self.fresh("k")
            self.line(depth, f"for (int {k} = 0; {k} < 6; {k}++) "
                             f"mix(value_of(global_rows->row[{k}].two.a) + (global_rows->row[{k}].who == {self.ref(s, 3)}));")
        else:
            k = self.fresh("k")
            self.line(depth, f"for (int {k} = 5; {k} > 0; {k}--) global_rows->row[{k}] = global_rows->row[{k} - 1];")

    def s_boxes(self, s, depth, budget):
        name, other = self.fresh("b"), self.pick(s["b"]) if s["b"] else "global_boxes"
        how = self.pick(["new", "new", "old", "inner"])
        n = self.pick(["16", "7", f"({self.number(s, 2)} & 15)"])
        if how == "inner":
            self.line(depth, f"ref managed *{name} = {other} + 3;")
            n = self.pick(["13", "4", f"({self.number(s, 2)} & 7)"])
        else:
            self.line(depth, f"ref managed *{name} = {'cairn_new_array(ref, 16)' if how == 'new' else other};")
        calls = [f"box_fill({name}, {self.ref(s)}, {n});", f"mix(box_same({name}, global_boxes, {n}));",
                 f"box_fill({name}, NIL, {n});"]
        if how == "new":
            calls += [f"box_copy({name}, {other}, {n});", f"box_back({name}, {other}, {n});"]
        if how != "inner":
            calls += [f"box_or({name}, {self.ref(s)});", f"mix(box_nulls({name}));", f"global_boxes = {name};"]
            s["b"].append(name)
        for call in self.random.sample(calls, 3):
            self.line(depth, call)
        r = self.fresh("r")
        self.line(depth, f"ref {r} = {name}[{self.number(s, 2)} & 7];")
        s["r"].append(r)

    def s_exchange(self, s, depth, budget):
        if len(s["r"]) < 2:
            return
        a, b = self.random.sample(s["r"], 2)
        self.line(depth, self.pick([f"exchange(&{a}, &{b});", f"exchange(&{a}, &global_array[2]);",
                                    f"if ({a}) rotate({a});"]))

    def s_structs(self, s, depth, budget):
        name, k = self.fresh("v"), self.fresh("k")
        self.line(depth, f"struct pair {name}[3] = {{{{{self.ref(s)}, 1, NIL}}, {{NIL, {self.number(s)}, {self.ref(s)}}}}};")
        self.line(depth, f"{name}[{self.number(s, 2)} % 3].{self.pick(['first', 'second'])} = {self.ref(s)};")
        self.line(depth, self.pick([f"{name}[2] = {name}[{self.number(s, 2)} % 3];",
                                    f"memmove({name} + 1, {name}, 2 * sizeof {name}[0]);",
                                    f"memcpy(&{name}[0], &{name}[2], sizeof {name}[0]);",
                                    f"memset({name}, 0, sizeof {name}[0]);"]))
        self.line(depth, f"for (int {k} = 0; {k} < 3; {k}++) mix(value_of({name}[{k}].first) + 3 * value_of({name}[{k}].second) + "
                         f"{name}[{k}].weight);")
        s["p"].append(f"{name}[1]")
        s["r"] += [f"{name}[0].first", f"{name}[2].second"]

    def s_static(self, s, depth, budget):
        name = self.fresh("r")
        if self.chance(0.5):
            self.line(depth, f"ref {name} = remember({self.ref(s)});")
            s["r"].append(name)
        else:
            self.line(depth, f"static ref {name}[2];")
            self.line(depth, f"{name}[{self.number(s, 2)} & 1] = {self.ref(s)};")
            s["r"] += [f"{name}[0]", f"{name}[1]"]

    def s_long_double(self, s, depth, budget):
        x, z = self.fresh("f"), self.fresh("f")
        self.line(depth, f"long double {x} = (long double)({self.number(s)} & 4095) * 0.25L;")
        self.line(depth, f"__int128 {z} = (__int128){self.number(s)} << 40;")
        self.line(depth, f"mix(value_of({self.ref(s)}));")
        self.line(depth, f"mix((ulong)({x} * 4.0L) + (ulong)({z} >> 30));")

    def s_comma(self, s, depth, budget):
        if s["r"]:
            r, name = self.pick(s["r"]), self.fresh("r")
            self.line(depth, f"ref {name} = (mix({self.number(s)}), {r} = {self.ref(s)}, {r} ? {r}->left : {r});")
            s["r"].append(name)

    def s_nest(self, s, depth, budget):
        name = self.fresh("e")
        self.line(depth, f"struct nest {name} = {{{{{self.ref(s)}}}, {{{self.number(s)} & 7, {self.number(s)} & 0xffff}}}};")
        self.line(depth, f"{name}.bits.low += {self.number(s)};")
        self.line(depth, f"mix({name}.bits.low + value_of({name}.one.only) + {name}.bits.high);")
        s["r"].append(f"{name}.one.only")

    # New objects and what fills them, in one block: they may share a check, and words that are filled are not cleared.
    def s_fresh(self, s, depth, budget):
        trios, arrays, nodes = [], [], []
        self.line(depth, "{")
        for _ in range(self.random.randrange(3, 16)):
            kind = self.pick(["new", "new", "field", "field", "field", "field", "link", "link", "read", "rare", "array", "node"])
            if kind == "new" or not trios:
                trios.append(self.fresh("t"))
                self.line(depth + 1, f"struct trio managed *{trios[-1]} = cairn_new(struct trio);")
            elif kind == "array":
                self.fresh_array(s, depth, arrays)
            elif kind == "node":
                nodes.append(self.fresh("r"))
                self.line(depth + 1, f"ref {nodes[-1]} = cairn_new(struct node);")
                self.line(depth + 1, f"{nodes[-1]}->{self.pick(['left', 'pair.second', 'array[2]'])} = {self.some_ref(s, nodes)};")
                self.line(depth + 1, f"{nodes[-1]}->{self.pick(['value', 'numbers[3]', 'bytes[4]'])} = (unsigned char){self.number(s, 3)};")
            else:
                self.fresh_use(s, depth, kind, self.pick(trios), trios, nodes)
        for t in trios:
            self.line(depth + 1, f"mix_trio({t});")
        for a, n in arrays:
            self.line(depth + 1, f"for (int i = 0; i < {n}; i++) mix({a}[i]);")
        for r in nodes:
            self.line(depth + 1, f"mix({r}->value + {r}->numbers[3] + {r}->numbers[0] + {r}->bytes[4] + value_of({r}->pair.second) + "
                                 f"value_of({r}->array[2]) + value_of({r}->one.only));")
        if self.chance(0.5):
            self.line(depth + 1, f"global_trio = {self.pick(trios)};")
        self.line(depth, "}")

    def some_ref(self, s, nodes):
        return self.pick(s["r"] + nodes) if s["r"] + nodes and self.chance(0.8) else "global_ref"

    def fresh_array(self, s, depth, arrays):
        a, n = self.fresh("b"), self.pick([1, 3, 5, 9])
        kind = self.pick(["ulong", "unsigned char", "unsigned short"])
        uninit = self.chance(0.3)
        self.line(depth + 1, f"{kind} managed *{a} = cairn_new_array{'_uninit' if uninit else ''}({kind}, {n});")
        for i in range(n):
            if uninit or self.chance(0.5):
                self.line(depth + 1, f"{a}[{i}] = ({kind}){self.number(s, 3)};")
        arrays.append((a, n))

    def fresh_use(self, s, depth, kind, t, trios, nodes):
        if kind == "field":
            f = self.pick(["who", "n", "n", "bytes[1]", "half", "word", "more[0]", "more[1]", "whole bytes"])
            if f == "who":
                self.line(depth + 1, f"{t}->who = {self.some_ref(s, nodes)};")
            elif f == "whole bytes":
                self.line(depth + 1, f"for (int i = 0; i < 3; i++) {t}->bytes[i] = (unsigned char)(i + {self.number(s, 3)});")
            else:
                self.line(depth + 1, f"{t}->{f} = (__typeof__({t}->{f})){self.number(s, 3)};")
        elif kind == "link":
            self.line(depth + 1, f"{t}->{self.pick(['next', 'back'])} = {self.pick(trios + ['global_trio'])};")
        elif kind == "read":
            self.line(depth + 1, self.pick([f"mix({t}->n + {t}->half);", f"{t}->more[0] = {t}->n + {t}->word;",
                                            f"{t}->who = {t}->who ? {t}->who : global_ref;"]))
        else:
            other = self.pick(trios)
            self.line(depth + 1, self.pick([f"global_trio = {t};", f"mix_trio({t});", f"{t}->who = make({self.number(s, 3)}, NIL);",
                                            f"*{t} = *{other};", f"if ({self.number(s, 2)} & 1) {t}->n = 5;",
                                            f"{t}->more[{self.number(s, 2)} & 1] = 9;", "cairn_collect();",
                                            f"global_trio->n++;", f"global_array[1] = {t}->who;"]))

    def s_do(self, s, depth, budget):
        name = self.fresh("r")
        self.line(depth, f"ref {name} = {self.ref(s)};")
        self.line(depth, "do {")
        inner = {k: list(v) for k, v in s.items()}
        inner["r"].append(name)
        self.statements(inner, depth + 1, budget - 3)
        if self.chance(0.4):
            self.line(depth + 1, f"if ({self.number(s, 2)} % 5 == 2) {self.pick(['break', 'continue'])};")
        self.line(depth + 1, f"{name} = {self.ref(s)};")
        self.line(depth, f"}} while (fuel-- > 0 && {name} && {self.number(s)} % 3);")
        s["r"].append(name)

    # Two labels, a jump into the middle: an irreducible loop.
    def s_goto(self, s, depth, budget):
        top, middle = self.fresh("label"), self.fresh("label")
        a, b, n = self.fresh("r"), self.fresh("r"), self.fresh("n")
        self.line(depth, f"ref {a} = {self.ref(s)};")
        self.line(depth, f"ref {b} = {self.ref(s)};")
        self.line(depth, f"ulong {n} = {self.number(s)};")
        s["r"] += [a, b]
        s["n"].append(n)
        self.line(depth, f"if ({n} & 1) goto {middle};")
        self.line(depth, f"{top}: ;")
        self.line(depth, "{")
        self.statements(s, depth + 1, budget - 4)
        self.line(depth + 1, f"{a} = {b};")
        self.line(depth, "}")
        self.line(depth, f"{middle}: ;")
        self.line(depth, "{")
        self.statements(s, depth + 1, budget - 4)
        self.line(depth + 1, f"{b} = {a} ? {a}->left : {self.ref(s)};")
        self.line(depth + 1, f"{n} = {n} * 5 + 1;")
        self.line(depth, "}")
        self.line(depth, f"if (fuel-- > 0 && {n} % 5 > 1) goto {self.pick([top, middle])};")
        self.line(depth, f"if (fuel-- > 0 && {n} % 3 == 1) goto {top};")

    # A local whose address is taken, within a loop.
    def s_taken(self, s, depth, budget):
        k, name, where = self.fresh("k"), self.fresh("r"), self.fresh("o")
        self.line(depth, f"for (ulong {k} = 0; {k} < 3 && fuel-- > 0; {k}++) {{")
        self.line(depth + 1, f"ref {name} = {self.ref(s)}, *{where} = {k} & 1 ? &{name} : &global_ref;")
        inner = {k: list(v) for k, v in s.items()}
        inner["r"].append(name)
        self.statements(inner, depth + 1, budget - 3)
        self.line(depth + 1, f"*{where} = {self.ref(inner)};")
        self.line(depth + 1, f"mix(value_of({name}));")
        self.line(depth, "}")

    # ---- functions

    TYPES = {"n": "ulong ", "r": "struct node managed *", "p": "struct duo ", "w": "struct row ",
             "i": "ulong managed *", "o": "struct node managed **"}

    def function(self, index):
        returns = self.pick(["ulong", "ref", "ref", "pair"])
        params = [self.pick("nrrrpwio") for i in range(self.random.randrange(0, 7))]
        name = f"function{index}"
        scope = {k: [] for k in "nrpiadqb"}
        names = []
        for kind in params:
            v = self.fresh("x")
            names.append(f"{self.TYPES[kind]}{v}")
            if kind == "p":
                scope["r"] += [f"{v}.a", f"{v}.b"]
            elif kind == "w":
                scope["r"] += [f"{v}.who", f"{v}.two.a", f"{v}.two.b"]
                scope["n"].append(f"{v}.key")
            elif kind != "o":
                scope[kind].append(v)
        c_type = {"ulong": "ulong ", "ref": "struct node managed *", "pair": "struct pair "}[returns]
        storage = self.pick(["static ", "", "static __attribute__((noinline)) "])
        self.line(0, f"{storage}{c_type}{name}({', '.join(names) or 'void'});")
        self.line(0, f"static {c_type}(*volatile volatile_{name})({', '.join(names) or 'void'}) = {name};")
        self.line(0, f"{storage}{c_type}{name}({', '.join(names) or 'void'})")
        self.line(0, "{")
        default = {"ulong": "7", "ref": "global_ref", "pair": "global_nest.pairs[0]"}[returns]
        self.line(1, f"if (fuel-- <= 0) return {default};")
        for kind, text in zip(params, names):
            if kind == "o":
                v = text.split("*")[-1]
                self.line(1, f"*{v} = {self.ref(scope)};")
                local = self.fresh("r")
                self.line(1, f"struct node managed *{local} = *{v};")
                scope["r"].append(local)
        # Recursion, through a pointer too; the fuel ends it.
        self.functions.append({"name": name, "returns": returns, "params": params})
        end = self.statements(scope, 1, 7)
        end = self.statements(end, 1, 7)
        for kind, text in zip(params, names):
            if kind == "o":
                v = text.split("*")[-1]
                self.line(1, f"mix(value_of(*{v}));")
        if returns == "pair":
            self.line(1, f"struct pair result = {{{self.ref(end)}, {self.number(end)}, {self.ref(end)}}};")
            self.line(1, "return result;")
        else:
            self.line(1, f"return {self.number(end) if returns == 'ulong' else self.ref(end)};")
        self.line(0, "}")

    # What a thread has before it runs: every global that holds references leads somewhere.
    def begin(self):
        self.line(1, "global_table = cairn_new_flex(struct table, 4);")
        self.line(1, "global_table->count = 4;")
        self.line(1, "for (int i = 0; i < 4; i++) { global_array[i] = make((ulong)i, global_ref); global_ref = global_array[i]; "
                     "global_table->slots[i] = global_ref; }")
        self.line(1, "global_trio = cairn_new(struct trio);")
        self.line(1, "global_rows = cairn_new_flex(struct rows, 6);")
        self.line(1, "global_boxes = cairn_new_array(ref, 16);")

    # Statements, then a call of each function.
    def round(self, names, depth, fuel):
        scope = {k: [] for k in "nrpiadqb"}
        scope["r"] = names
        self.line(depth, f"fuel = {fuel};")
        inner = self.statements(scope, depth, 8)
        for f in self.functions:
            call = None
            if f["returns"] != "pair":
                saved, self.functions = self.functions, [f]
                call = self.call(inner, f["returns"], out="o" in f["params"])
                self.functions = saved
            if call:
                self.line(depth, f"mix({call if f['returns'] == 'ulong' else f'value_of({call})'});")

    # Everything that is reachable goes into the checksum.
    def end(self):
        self.line(1, "for (int i = 0; i < 6; i++) mix(value_of(global_rows->row[i].who) + value_of(global_rows->row[i].two.b));")
        self.line(1, "for (int i = 0; i < 16; i++) mix(value_of(global_boxes[i]));")
        self.line(1, "mix_trio(global_trio);")
        self.line(1, "int steps = 0;")
        self.line(1, "for (struct node managed *p = global_ref; p && steps < 50; p = p->left, steps++)")
        self.line(2, "mix(p->value + p->numbers[1] + p->bytes[3] + value_of(p->pair.second) + value_of(p->array[1]));")
        self.line(1, "for (int i = 0; i < 4; i++) mix(value_of(global_array[i]) + value_of(global_table->slots[i]));")

    def text(self):
        fuel = self.pick([40, 100, 300])
        count = self.random.randrange(3, 9)
        for i in range(count):
            self.function(i)
        self.line(0, "int main(void)")
        self.line(0, "{")
        self.line(1, "dirty();")
        self.begin()
        self.line(1, "struct node managed *top = global_ref;")
        self.line(1, "for (int round = 0; round < 3; round++) {")
        self.round(["top"], 2, fuel)
        self.line(1, "}")
        self.end()
        self.line(1, 'printf("checksum %lx\\n", sum);')
        self.line(1, "return 0;")
        self.line(0, "}")
        return PRELUDE % {"fuel": fuel} + "\n".join(self.out) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    print(Program(int(sys.argv[1])).text(), end="")

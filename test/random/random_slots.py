#!/usr/bin/env python3
"""Print a random managed-C program that stores references through pointers to callers' locals, from a seed.

Each operation has a local, hands its address down by a random route (calls, recursions, frames of variable size,
callbacks of native code, a variadic call, memory), has a reference stored there in a random form, collects, and reads it
back. Locals that hold references are looked into by the collector. Bytes, numbers, the rest of a struct and
variable-length arrays are not, and operations on those are done only on request: `program N` does number N of them
after all others, and must print what plain C does, or end with the message of rule unmanaged-store.

usage: random_slots.py SEED > program.c
"""
import random
import sys

PRELUDE = """\
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node { struct node managed *next; long value; };
typedef struct node managed *ref;
struct holder { long count; ref node; double weight; };
struct large { struct holder first; long rest[6]; struct holder more[3]; char name[32]; };
struct context { long depth; void *to; };
#define SEPARATE __attribute__((noinline)) static
static void *volatile somewhere;
static ref volatile carried;

SEPARATE ref make(long value)
{
  ref n = cairn_new(struct node);
  n->value = value;
  n->next = cairn_new(struct node);
  n->next->value = value + 1;
  return n;
}
SEPARATE void litter(void)
{
  for (int i = 0; i < 20; i++) make(-1000 - i);
  cairn_collect();
}
SEPARATE long look(void *at)
{
  struct holder copy = *(struct holder *)at;
  return copy.node->value * 3 + copy.node->next->value;
}
SEPARATE struct holder result(ref n)
{
  struct holder h = {2, n, 0.25};
  return h;
}
SEPARATE int first_of(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
"""

FORMS = {
    "member": "((struct holder *)to)->node = n;",
    "slot": "*(ref *)((char *)to + 8) = n;",
    "atomic": "__c11_atomic_store((_Atomic(ref) *)((char *)to + 8), n, __ATOMIC_SEQ_CST);",
    "assign": "struct holder managed *h = cairn_new(struct holder); h->node = n; *(struct holder *)to = *h;",
    "out": "struct holder managed *h = cairn_new(struct holder); h->node = n; cairn_copy_out(to, h, sizeof *h);",
    "native": "struct holder h = {1, n, 0.5}; *(struct holder *)to = h;",
    "memcpy": "struct holder h = {1, n, 0.5}; memcpy(to, &h, sizeof h);",
    "memmove": "struct holder h = {1, n, 0.5}; memmove(to, &h, sizeof h);",
    "result": "*(struct holder *)to = result(n);",
    "loop": "for (int i = 0; i < 3; i++) ((struct holder *)to)->node = i == 2 ? n : n->next;",
    "either": "struct holder h = {0}; struct holder *p = n->value % 2 ? &h : (struct holder *)to; p->node = n; "
              "if (p == &h) ((struct holder *)to)->node = h.node;",
}

LOCALS = {  # declaration, address of a holder in it
    "holder": ("struct holder l = {0};", "&l"),
    "holders": ("struct holder l[4] = {{0}};", "&l[%(i)d %% 4]"),
    "member": ("struct large l = {0};", "&l.more[%(i)d %% 3]"),
    "first": ("struct large l = {0};", "&l"),
    "refs": ("ref l[5] = {0};", "(char *)&l[1 + %(i)d %% 3] - 8"),
    "nested": ("struct { char c; struct { long a; struct holder h[2]; } in; } l = {0};", "&l.in.h[%(i)d %% 2]"),
}
LOST = {
    "bytes": ("_Alignas(8) char l[24] = {0};", "l"),
    "numbers": ("long l[8] = {0};", "l + %(i)d %% 5"),
    "rest": ("struct large l = {0};", "&l.rest[%(i)d %% 4]"),
    "name": ("struct large l = {0};", "l.name"),
    "plain": ("struct { long a; double b; char c[16]; } l = {0};", "&l"),
    "variable": ("long l[length + %(i)d %% 3]; memset(l, 0, sizeof l);", "l"),
    "parts": ("struct { ref r; char c[24]; } l = {0};", "l.c"),
}


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.out = []
        self.count = 0
        self.apart = False  # what the compiler sees of a reference in a variable-length array is refused there

    def pick(self, items):
        return self.random.choice(list(items))

    def emit(self, text):
        self.out.append(text)

    def separate(self):
        return self.pick(["SEPARATE", "SEPARATE", "static", "static inline"] if not self.apart else ["SEPARATE"])

    def storer(self, number):
        form = FORMS[self.pick(FORMS)]
        before = self.pick(["", "", "litter(); "]) if "%" not in form else ""
        self.emit(f"{self.separate()} void store{number}(void *to, ref n)\n{{\n  {before}{form}\n}}")
        return f"store{number}"

    def route(self, callee):
        """A function of the same signature that calls `callee`."""
        self.count += 1
        name = f"way{self.count}"
        kind = self.pick(["call", "call", "deep", "variable", "sort", "native", "variadic", "memory", "context", "local", "twice"])
        head = f"{self.separate()} void {name}(void *to, ref n)\n{{\n"
        if kind == "call":
            self.emit(f"{head}  volatile long pad[{self.random.randrange(1, 9)}] = {{0}};\n  {callee}(to, n);\n  pad[0] = 1;\n}}")
        elif kind == "deep":
            self.emit(f"SEPARATE void {name}d(void *to, ref n, volatile int d)\n{{\n  if (d > 0) {name}d(to, n, d - 1); else {callee}(to, n);\n"
                      f"  if (d == 2) {callee}(to, n);\n}}")
            self.emit(f"{head}  {name}d(to, n, {self.random.randrange(2, 40)});\n}}")
        elif kind == "variable":
            self.emit(f"{head}  volatile char room[n->value % 50 + 1];\n  room[0] = 1;\n  {callee}(to, n);\n  room[n->value % 50] = 2;\n}}")
        elif kind == "sort":
            self.emit(f"static int {name}c(const void *a, const void *b)\n{{\n  {callee}(somewhere, carried);\n  return first_of(a, b);\n}}")
            self.emit(f"{head}  int v[] = {{2, 1}};\n  somewhere = to;\n  carried = n;\n  qsort(v, 2, sizeof *v, {name}c);\n  carried = NULL;\n}}")
        elif kind == "native":
            self.emit(f"static void {name}c(void *to) {{ {callee}(to, carried); }}")
            self.emit(f"__attribute__((noinline)) cairn_unmanaged static void {name}u(void *to, void (*f)(void *))\n{{\n"
                      f"  volatile char pad[{self.random.randrange(1, 99)}];\n  pad[0] = 1;\n  f(to);\n  pad[0] = 2;\n}}")
            self.emit(f"{head}  carried = n;\n  {name}u(to, {name}c);\n  carried = NULL;\n}}")
        elif kind == "variadic":
            self.emit(f"SEPARATE void {name}v(ref n, ...)\n{{\n  va_list l;\n  va_start(l, n);\n  void *to = va_arg(l, void *);\n  va_end(l);\n"
                      f"  {callee}(to, n);\n}}")
            self.emit(f"{head}  {name}v(n, to);\n}}")
        elif kind == "memory":
            self.emit(f"{head}  somewhere = to;\n  litter();\n  {callee}(somewhere, n);\n}}")
        elif kind == "context":
            self.emit(f"SEPARATE void {name}x(struct context *c, ref n) {{ if (c->depth) {callee}(c->to, n); }}")
            self.emit(f"{head}  struct context c = {{1, to}};\n  {name}x(&c, n);\n}}")
        elif kind == "local":
            self.emit(f"{head}  struct holder h = {{0}};\n  {callee}(&h, n);\n  *(struct holder *)to = h;\n}}")
        else:
            self.emit(f"{head}  {callee}(to, n->next);\n  {callee}(to, n);\n}}")
        return name

    def operation(self, number, locals_):
        local = self.pick(locals_)
        self.apart = local == "variable"
        way = self.storer(number)
        for _ in range(self.random.randrange(4)):
            way = self.route(way)
        declaration, address = locals_[local]
        i = self.random.randrange(12)
        declaration = declaration % {"i": i} if "%(" in declaration else declaration
        address = address % {"i": i} if "%(" in address else address
        back = self.pick(["look(at)", "((struct holder *)at)->node->value",
                          "(cairn_copy_in(o, at, sizeof *o), o->node->value + o->node->next->value)"])
        if self.apart:
            back = "look(at)"
        times = self.pick([1, 2, 5])
        self.emit(f"""SEPARATE long operation{number}(long value, volatile int length)
{{
  long sum = 0;
  struct holder managed *o = cairn_new(struct holder);
  {declaration}
  void *at = {address};
  somewhere = at;
  for (int k = 0; k < {times}; k++) {{
    {way}(at, make(value + k));
    litter();
    sum = sum * 7 + {back};
    __asm__ volatile("" : : "r"(at) : "memory");
  }}
  return sum;
}}""")

    def run(self):
        self.emit(PRELUDE)
        for n in range(8):
            self.operation(n, LOCALS)
        for n in range(8, 16):
            self.operation(n, LOST)
        self.emit("int main(int argc, char **argv)\n{\n  long sum = 1;")
        for n in range(8):
            self.emit(f"  sum = sum * 31 + operation{n}(sum & 1023, 5);")
        self.emit('  printf("%lx\\n", sum);\n  fflush(stdout);\n  switch (argc > 1 ? atoi(argv[1]) : -1) {')
        for n in range(8, 16):
            self.emit(f"  case {n - 8}: sum += operation{n}(3, 5); break;")
        self.emit('  }\n  printf("%lx\\n", sum);\n  return 0;\n}')
        print("\n".join(self.out))


Program(int(sys.argv[1])).run()

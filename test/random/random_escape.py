#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a random managed-C program whose objects mostly do not escape, from a seed.

Objects live in variables, in each other and in arrays; some escape: into globals and functions that
change them, on all paths or on a rare one, from loops and out of them. Variables are one object or
the other, or none, and get new ones on each pass of a loop. The checksum depends on contents, on
identities and on nulls. Compiled with -DCAIRN_PLAIN by any C compiler the program is its own oracle.

usage: random_escape.py SEED > program.c
"""
import random
import sys

PRELUDE = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

typedef unsigned long ulong;
struct cell { struct cell managed *next; ulong a, b; unsigned c; unsigned short d; unsigned char e[3]; };
struct wide { ulong n[4]; struct cell managed *cells[3]; struct { struct cell managed *first; ulong key; } pair; };
struct flex { ulong count; struct cell managed *of[]; };
typedef struct cell managed *cell;
typedef struct wide managed *wide;

static cell kept[4];
static wide kept_wide;
static long fuel = 4000;
static ulong sum = 1;

static void mix(ulong x) { sum = (sum ^ x) * 0x9e3779b97f4a7c15ul; sum ^= sum >> 29; }
static cell make(ulong a, cell next)
{
  cell p = cairn_new(struct cell);
  p->a = a;
  p->next = next;
  return p;
}
static cell chain(ulong depth, ulong x)
{
  cell p = cairn_new(struct cell);
  p->next = depth ? chain(depth - 1, x * 3) : kept[x & 3];
  p->a = x ^ depth;
  return p;
}
static cell added(cell p, cell q) { return make(p->a + q->b, p->next); }
static cell either(ulong x, cell p, cell q) { return x & 1 ? p : q; }
static ulong value(cell p) { return p ? p->a + 3 * p->b + 5 * p->c + 7ul * p->d + p->e[1] : 99; }
static void swap(cell p, cell q) { ulong t = p->a; p->a = q->b; q->b = t; }
__attribute__((noinline)) static void keep(cell p, ulong x)
{
  kept[x & 3] = p;
  p->b += x;
  if (p->next) p->next->a ^= x;
}
__attribute__((noinline)) static cell pass(cell p) { if (p) p->c++; return p; }
__attribute__((noinline)) static void keep_wide(wide w) { kept_wide = w; w->n[1]++; }
__attribute__((noinline)) static void disturb(void)
{
  for (int i = 0; i < 4; i++)
    if (kept[i]) kept[i]->a += 17, mix(value(kept[i]));
  if (kept_wide) kept_wide->n[0]++, mix(kept_wide->n[1] + value(kept_wide->cells[0]));
}
"""


class Function:
    """The body of one function: x and y are its numbers, p0.. its cells, w0, w1 wide objects, v0, v1 arrays."""

    CELLS, WIDES, ARRAYS = 4, 2, 2

    def __init__(self, rnd, number, earlier):
        self.r, self.number, self.earlier = rnd, number, earlier
        self.out, self.depth, self.loops = [], 1, 0

    def say(self, text):
        self.out.append('  ' * self.depth + text)

    def cell(self):
        return f'p{self.r.randrange(self.CELLS)}'

    def number_of(self):
        r = self.r
        return r.choice(['x', 'y', f'{r.randrange(90)}ul', f'value({self.cell()})', 'x * 3 + y', 'x >> 3'])

    def rare(self):
        return self.r.choice(['x % 61 == 7', 'y % 53 == 5', '(x ^ y) % 47 == 1', '__builtin_expect(x % 31 == 3, 0)'])

    def often(self):
        return self.r.choice(['x & 1', 'y & 2', 'x < y', 'x % 3', 'p0 == p1', '!p2', 'p3'])

    # ---- statements

    def new(self):
        p, q = self.cell(), self.cell()
        self.say(self.r.choice([
            f'{p} = make({self.number_of()}, {q});', f'{p} = cairn_new(struct cell);',
            f'{p} = cairn_new(struct cell); {p}->b = {self.number_of()};', f'if ({p} && {q}) {p} = added({p}, {q});',
            f'{p} = make(x, NULL); {p}->e[1] = (unsigned char)y; {p}->d = (unsigned short)x;']))

    def alias(self):
        p, q, t = self.cell(), self.cell(), self.cell()
        self.say(self.r.choice([f'{p} = {q};', f'{p} = NULL;', f'if ({self.often()}) {p} = {q};',
                                f'{p} = either({self.number_of()}, {q}, {t});', f'if ({q}) {p} = {q}->next;']))

    def write(self):
        p, q = self.cell(), self.cell()
        self.say(self.r.choice([
            f'if ({p}) {p}->a += {self.number_of()};', f'if ({p}) {p}->next = {q};', f'if ({p} && {q}) swap({p}, {q});',
            f'if ({p}) {p}->e[x % 3]++;', f'if ({p} && {q} && {p} != {q}) *{p} = *{q};', f'if ({p}) {p}->c ^= (unsigned)y;']))

    def read(self):
        p, q = self.cell(), self.cell()
        self.say(self.r.choice([
            f'mix(value({p}));', f'x += {p} == {q};', f'if ({p}) y ^= {p}->a;', f'y += {p} ? 3 : 4;',
            f'if ({p} && {p}->next) x += {p}->next->b;', f'if ({p}) mix({p}->next == {q});', f'mix(x);']))

    def wide(self):
        w, p, k = f'w{self.r.randrange(self.WIDES)}', self.cell(), self.r.randrange(3)
        self.say(self.r.choice([
            f'{w} = cairn_new(struct wide); {w}->cells[{k}] = {p};', f'if ({w}) {w}->cells[{k}] = {p};',
            f'if ({w}) {p} = {w}->cells[{k}];', f'if ({w}) {w}->n[{k}] += x; else y++;', f'if ({w}) mix({w}->n[y & 3]);',
            f'if ({w}) {w}->pair.first = {p}, {w}->pair.key ^= y;', f'if ({w}) {p} = {w}->pair.first, x += {w}->pair.key;',
            f'if ({w}) {w}->cells[x % 3] = {p};', f'if ({w} && {self.rare()}) keep_wide({w});']))

    def array(self):
        v, k = f'v{self.r.randrange(self.ARRAYS)}', self.r.randrange(8)
        self.say(self.r.choice([
            f'{v} = cairn_new_array(ulong, 8);', f'{v}[{k}] += x;', f'y ^= {v}[{k}];', f'{v}[x & 7] ^= y;',
            f'for (ulong managed *e = {v}; e != {v} + 8; e++) x += *e, mix((ulong)(e - {v}));',
            f'for (int i = 0; i < 8; i++) {v}[i] = x * (ulong)i;', f'x += {v}[y & 7];', f'cairn_copy(v0, v1, 24);',
            f'{{ struct flex managed *f = cairn_new_flex(struct flex, 3, of); f->of[{k % 3}] = p0; f->count = x; '
            f'if (f->of[{self.r.randrange(3)}]) y += f->count; mix(value(f->of[1])); }}']))

    def escape(self):
        p = self.cell()
        text = self.r.choice([f'keep({p}, x);', f'kept[y & 3] = {p};', f'keep({p}, y); disturb();',
                              f'keep({p}, x); return value({p});', f'{p} = pass({p});', f'mix(value(pass({p}))); return x;'])
        self.say(f'if ({p} && {self.rare() if self.r.random() < 0.8 else self.often()}) {{ {text} }}')

    def other(self):
        self.say(self.r.choice(['disturb();', 'cairn_collect();', 'x = x * 5 + 1;', 'y = y * 3 + x;', 'mix(y);'] + [
            f'x += f{n}(x, y, {self.cell()});' for n in self.earlier]))

    def built(self):
        """A cell that is made before what it leads to, and escapes after that."""
        n, p, q = f'n{self.depth}', self.cell(), self.cell()
        self.block(f'for (cell {n} = cairn_new(struct cell), once = {n}; once; once = NULL)', 3, [
            f'{n}->a = {self.number_of()};', f'{n}->c = (unsigned)x;', f'{n}->next = {q};', f'{n}->next = chain(x & 3, y);',
            f'if ({self.often()}) {n}->next = pass({q}); else {n}->b = 5;', f'{n}->next = make(y, {n}->next);',
            f'if ({self.rare()}) keep({n}, x);', f'if ({self.rare()}) {{ {p} = {n}; continue; }}'], [
            f'{p} = {n};', f'{p} = pass({n});', f'kept[x & 3] = {n};', f'keep({n}, y); mix(value({n}));', f'mix(value({n}));',
            f'{p} = {n}; {n}->d++; disturb();'])

    def block(self, head, statements, first=(), last=()):
        self.say(head + ' {')
        self.depth += 1
        for _ in range(self.r.randrange(1, statements)):
            for text in self.r.sample(first, min(len(first), self.r.randrange(3))):
                self.say(text)
            self.statement()
        if last:
            self.say(self.r.choice(last))
        if self.loops and self.r.random() < 0.15:
            self.say(f'if ({self.rare()}) {self.r.choice(["break", "continue"])};')
        self.depth -= 1
        self.say('}')

    def loop(self):
        i = f'i{self.loops}{self.depth}'
        self.loops += 1
        self.block(f'for (ulong {i} = 0; {i} < {self.r.randrange(2, 9)} && fuel-- > 0; {i}++)', 6)
        self.loops -= 1

    def branch(self):
        self.block(f'if ({self.rare() if self.r.random() < 0.3 else self.often()})', 4)
        if self.r.random() < 0.5:
            self.block('else', 4)

    def statement(self):
        kinds = [self.new, self.new, self.alias, self.write, self.write, self.read, self.read, self.wide, self.array,
                 self.escape, self.other]
        if self.depth < 5:
            kinds += [self.loop, self.branch, self.branch, self.built, self.built]
        self.r.choice(kinds)()

    def text(self):
        self.say('cell p0 = in, p1 = make(y, NULL), p2 = NULL, p3 = cairn_new(struct cell);')
        self.say('wide w0 = cairn_new(struct wide), w1 = NULL;')
        self.say('ulong managed *v0 = cairn_new_array(ulong, 8), *v1 = cairn_new_array(ulong, 8);')
        self.say('if (fuel-- < 0) return x;')
        for _ in range(self.r.randrange(4, 16)):
            self.statement()
        for p in range(self.CELLS):
            self.say(f'mix(value(p{p}));')
        self.say('mix(w0 ? w0->n[0] + value(w0->cells[1]) : 5); mix(w1 ? w1->n[1] + w1->pair.key : 6);')
        self.say('mix(v0[0] + v0[5] * 3 + v1[x & 7]);')
        self.say('return x ^ y;')
        return f'static ulong f{self.number}(ulong x, ulong y, cell in)\n{{\n' + '\n'.join(self.out) + '\n}\n'


def main():
    rnd = random.Random(int(sys.argv[1]))
    count = rnd.randrange(2, 6)
    print(PRELUDE)
    for n in range(count):
        print(Function(rnd, n, rnd.sample(range(n), min(n, 1))).text())
    print('int main(void)\n{')
    for n in range(count):
        print(f'  for (ulong i = 0; i < 12; i++) fuel = 400, mix(f{n}(i * 7, i * i, i & 1 ? make(i, NULL) : NULL));')
    print('  disturb();\n  printf("%lx\\n", sum);\n}')


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a random managed-C program of arrays most of which die where they were made, from a seed.

Arrays of no words to thousands, and some above the limit of large objects, are made in nested blocks, loops, switches and
branches. There they are filled, read, copied, given another length, and passed to functions that forget them; some are
kept, in globals, fields, other variables, arrays and by functions. A loop is left early, a function returns from anywhere:
so they die on many edges. Two threads do that beside each other. Whoever is given memory of an array that is still used
sees other contents: the checksum depends on all of them. With -DCAIRN_PLAIN the program is its own oracle.

usage: random_arrays.py SEED > program.c; ./program [ROUNDS [FUEL]]
"""
import random
import sys

PRELUDE = """\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

typedef unsigned long ulong;
typedef ulong managed *array; /* its first element is its length */
struct box {
  array first;
  struct box managed *next;
  array second;
};
struct text {
  ulong length;
  unsigned char bytes[];
};
static _Thread_local array kept[4];
static _Thread_local struct box managed *boxes;
static _Thread_local long fuel;
static _Thread_local ulong sum;
static long rounds = 12, most = 300;

static void mix(ulong x)
{
  sum = (sum ^ x) * 0x9e3779b97f4a7c15ul;
  sum ^= sum >> 29;
}
static ulong length(void)
{
  mix(sum >> 40);
  return sum % 64 == 0 ? 9000 + sum % 9000 : sum % 16 == 0 ? 1024 + sum % 2000 : 2 + sum % (2ul << sum % 9);
}
static void fill(array a, ulong from, ulong with)
{
  for (ulong i = 1 + from % 2; i < a[0]; i += 1 + a[0] / 64)
    a[i] = with + i;
}
static array make(void)
{
  ulong n = length();
  array a = cairn_new_array(ulong, n);
  mix(a[n - 1] + a[n / 2]);
  a[0] = n;
  return a;
}
static array make_uninit(void)
{
  ulong n = length();
  array a = cairn_new_array_uninit(ulong, n);
  a[0] = n;
  for (ulong i = 1; i < n; i++)
    a[i] = sum + i;
  return a;
}
static array make_again(void)
{
  ulong n = length(), m = length();
  array a = cairn_new_array(ulong, n);
  a[0] = n;
  fill(a, 0, sum);
  a = cairn_resize_array(a, m);
  mix(a[m - 1]);
  a[0] = m;
  return a;
}
static void make_none(void)
{
  array none = cairn_new_array(ulong, sum % 3 / 2);
  mix(none != NULL);
}
static void make_text(void)
{
  ulong n = length();
  struct text managed *text = cairn_new_flex_uninit(struct text, n);
  text->length = n;
  for (ulong i = 0; i < n; i++)
    text->bytes[i] = (unsigned char)(sum >> i % 32);
  for (ulong i = 0; i < text->length; i += 7)
    mix(text->bytes[i]);
}
__attribute__((noinline)) static ulong forget(array a)
{
  ulong total = a[0];
  for (ulong i = 1; i < a[0]; i++)
    total = total * 31 + a[i];
  return total;
}
__attribute__((noinline)) static ulong inside(const ulong managed *p, ulong n)
{
  ulong total = 0;
  for (ulong i = 0; i < n; i++)
    total ^= p[i] << i % 8;
  return total;
}
static inline ulong add(array a) /* a counted loop, which is cut if it is long, and whose exit has other ways to it */
{
  ulong total = 0, n = a[0];
  for (ulong i = 0; i < n; i++)
    total += a[i] ^ i;
  return total;
}
static inline void scale(array a, ulong by)
{
  for (ulong i = 1, n = a[0]; i < n; i++)
    a[i] = a[i - 1] * by ^ a[i];
}
__attribute__((noinline)) static array pass_on(array a) { return a; }
__attribute__((noinline)) static void keep(array a, ulong at) { kept[at % 4] = a; }
static void put(array a, array b)
{
  struct box managed *box = cairn_new(struct box);
  box->first = a;
  box->second = b;
  box->next = sum % 8 == 0 ? NULL : boxes;
  boxes = box;
}
static void copy(array to, array from)
{
  for (ulong i = 1; i < to[0] && i < from[0]; i++)
    to[i] += from[i];
}
"""

MAIN = """\
static void *work(void *seed)
{
  sum = (ulong)seed;
  for (long i = 0; i < rounds; i++) {
    fuel = most;
CALLS
    for (int k = 0; k < 4; k++)
      if (kept[k])
        mix(forget(kept[k]));
    for (struct box managed *box = boxes; box; box = box->next)
      mix(forget(box->first) + forget(box->second));
  }
  boxes = NULL;
  for (int k = 0; k < 4; k++)
    kept[k] = NULL;
  return (void *)sum;
}
int main(int argc, char **argv)
{
  pthread_t thread;
  void *other;

  rounds = argc > 1 ? atol(argv[1]) : rounds;
  most = argc > 2 ? atol(argv[2]) : most;
  if (pthread_create(&thread, NULL, work, (void *)2) != 0)
    return 1;
  void *mine = work((void *)1);
  pthread_join(thread, &other);
  printf("%lu %lu\\n", (ulong)mine, (ulong)other);
  return 0;
}
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(f'arrays {seed}')
        self.lines, self.names, self.limit = [], 0, 0

    def pick(self, *of):
        return self.random.choice(of)

    def line(self, depth, text):
        self.lines.append('  ' * depth + text)

    def use(self, depth, arrays):
        a, b = self.random.choice(arrays), self.random.choice(arrays)
        often = self.random.randrange(2, 9)
        self.line(depth, self.pick(
            f'mix(forget({a}));', f'mix({a}[{a}[0] / 2]);', f'fill({a}, sum, {self.random.randrange(99)});', f'copy({a}, {b});',
            f'mix({a}[{b}[0] % {a}[0]]);', f'mix(add({a}));', f'scale({b}, {a}[1]);', f'mix(inside({a} + {a}[0] / 2, {a}[0] / 2));', f'mix(inside({a}, 1) + forget({b}));',
            f'if (sum % {often} == 0) keep({a}, sum);', f'if (sum % {often} == 0) kept[1] = {b};',
            f'if (sum % {often} == 0) put({a}, {b});', f'if (sum % {often} == 0) {a} = {b};', f'if (kept[2]) copy({a}, kept[2]);',
            f'if (sum % {often} == 0) {a} = pass_on({b});', f'if (boxes) copy({a}, boxes->second);',
            f'mix(forget(sum % {often} == 0 ? {a} : {b}));', f'if ({a} != {b} && sum % {often} == 0) fill({b}, 1, {a}[1]);',
            f'{{ ulong managed *p = &{a}[{a}[0] - 1]; make_text(); mix(*p); }}',
            f'{{ array t[2] = {{{a}, {b}}}; mix(forget(t[sum % 2])); }}'))

    def declare(self, depth, arrays, loop):
        self.names += 1
        name = f'a{self.names}'
        self.line(depth, f'{{ array {name} = {self.pick("make", "make_uninit", "make", "make_uninit", "make_again")}();')
        self.block(depth + 1, [*arrays, name], loop)
        if self.random.random() < 0.6:
            self.line(depth + 1, self.pick(f'mix(add({name}));', f'scale({name}, sum);', f'if (sum % 3) mix(add({name}));'))
        self.line(depth, '}')

    def loop(self, depth, arrays):
        i, times = f'i{self.names}_{depth}', self.random.randrange(2, 5)
        if self.random.random() < 0.7:
            self.line(depth, f'for (int {i} = 0; {i} < {times} && fuel-- > 0; {i}++) {{')
            self.block(depth + 1, arrays, 'loop')
            self.line(depth, '}')
        else:
            self.line(depth, 'do {')
            self.block(depth + 1, arrays, 'loop')
            self.line(depth, f'}} while (fuel-- > 0 && sum % {times} != 0);')

    def search(self, depth, arrays):
        """A loop without calls, which needs polls of its own, and after which an array may be dead on some edges."""
        a, b = self.random.choice(arrays), self.random.choice(arrays)
        odd = self.random.choice((5, 7, 11, 13))
        self.line(depth, self.pick(
            f'while (sum % {odd} != 0 && fuel-- > 0) mix({a}[sum % {a}[0]]);',
            f'do mix({a}[sum % {a}[0]] + {b}[0]); while (sum % {odd} != 0 && fuel-- > 0);',
            f'for (ulong i = 0; i < {a}[0]; i++) {{ mix({a}[i]); if (sum % {odd} == 0) break; if (sum % 3 == 0) {b}[{b}[0] - 1]++; }}',
            f'for (ulong i = 1; i < {a}[0]; i++) {{ if ({a}[i] % {odd} == 0) {self.pick("break", "return", "continue")}; '
            f'{a}[i] += {b}[i % {b}[0]]; mix({a}[i]); }}',
            f'for (;;) {{ mix({a}[1 % {a}[0]]); if (sum % {odd} == 0) {{ mix({b}[0]); break; }} if (sum % 4 == 0) break; }}'))

    def branch(self, depth, arrays, loop):
        self.line(depth, f'if (sum % {self.random.randrange(2, 5)} == 0) {{')
        self.block(depth + 1, arrays, loop)
        if self.random.random() < 0.5:
            self.line(depth, '} else {')
            self.block(depth + 1, arrays, loop)
        self.line(depth, '}')

    def switch(self, depth, arrays, loop):
        count = self.random.randrange(2, 6)
        self.line(depth, f'switch (sum % {count + 1}) {{')
        for case in range(count):
            self.line(depth, f'case {case}:')
            if self.random.random() < 0.75:
                self.block(depth + 1, arrays, 'loop' if loop == 'loop' else 'switch')
            if self.random.random() < 0.6:
                self.line(depth + 1, 'break;')
        self.line(depth, '}')

    def leave(self, depth, loop):
        how = {'loop': ('break', 'continue', 'return'), 'switch': ('break', 'return'), None: ('return',)}[loop]
        self.line(depth, f'if (sum % {self.random.randrange(5, 9)} == 0) {self.pick(*how)};')

    def statement(self, depth, arrays, loop):
        kind = self.random.randrange(18) if depth < 5 and len(self.lines) < self.limit else 17
        if kind < 5:
            self.declare(depth, arrays, loop)
        elif kind < 7:
            self.loop(depth, arrays)
        elif kind < 9:
            self.branch(depth, arrays, loop)
        elif kind < 10:
            self.switch(depth, arrays, loop)
        elif kind < 11:
            self.leave(depth, loop)
        elif kind < 13 and arrays:
            self.search(depth, arrays)
        elif kind < 14:
            self.line(depth, self.pick('make_text();', 'make_none();'))
        elif arrays:
            self.use(depth, arrays)
        else:
            self.line(depth, 'mix((ulong)fuel);')

    def block(self, depth, arrays, loop):
        for _ in range(self.random.randrange(2, 5)):
            self.statement(depth, arrays, loop)

    def text(self):
        functions = self.random.randrange(3, 6)
        for f in range(functions):
            self.line(0, f'__attribute__((noinline)) static void f{f}(void)\n{{')
            self.limit = len(self.lines) + 60
            self.block(1, [], None)
            self.line(0, '}')
        calls = '\n'.join(f'    f{f}();' for f in range(functions))
        return PRELUDE + '\n'.join(self.lines) + '\n' + MAIN.replace('CALLS', calls)


print(Program(int(sys.argv[1])).text(), end='')

# SPDX-License-Identifier: Apache-2.0
"""A random program of constructs: its prelude, the words of its templates, and its functions.

A template is C with `$words`. Each occurrence of a word becomes a new random text:
  $u      a literal below 100
  $v      a number; the code has the reference `a`, which is not null, and the number `k`
  $r      a reference that is not null
  $move   statements between which the construct holds its references: motion, garbage, calls of other constructs
  $quiet  motion or garbage, without such a call
  $inl    nothing, `inline` or `__attribute__((noinline))`
  $_name  a name of this function alone
and further words are arguments of Program.fill().
"""
import random
import re

PRELUDE = """\
#define _GNU_SOURCE
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <cairn/array.h>
#include <cairn/handle.h>
#include <cairn/map.h>
#include <cairn/weak.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
struct node {
%(members)s
};
typedef struct node managed *ref;

/* Objects without types: plain mode tells them by their first member; and its weak references stay. */
#ifdef CAIRN_PLAIN
#define IS(object, T, tag) (*(ulong *)(object) == (tag))
#define AS(T, tag, object) ((T *)((object) && IS(object, T, tag) ? (object) : NULL))
#define IS_DEAD(reference) 1
#else
#define IS(object, T, tag) cairn_is(object, T)
#define AS(T, tag, object) cairn_as(T, object)
#define IS_DEAD(reference) (!(reference))
#endif

static ulong sum = 1;
static long fuel;

static void mix(ulong x)
{
  sum = (sum ^ x) * 0x9e3779b97f4a7c15ul;
  sum ^= sum >> 29;
}
static __attribute__((noinline)) ref make(ulong value)
{
  ref node = cairn_new(struct node);
  node->value = value;
  return node;
}
static __attribute__((noinline)) ref chain(ulong value, ulong n)
{
  ref list = make(value);
  while (n-- > 0) {
    ref first = make(value + n);
    first->next = list;
    list = first;
  }
  return list;
}
static ulong value_of(ref list)
{
  ulong value = 7;
  for (int i = 0; list && i < 5; i++, list = list->next)
    value = value * 31 + list->value;
  return value;
}
static __attribute__((noinline)) void churn(ulong n)
{
  static _Thread_local ref last;
  static _Thread_local uchar managed *bytes;
  for (ulong i = 0; i < n; i++) {
    last = make(i);
    bytes = cairn_new_array(uchar, 40 * i);
  }
}
static __attribute__((noinline)) void move(void)
{
  churn(2);
  cairn_collect();
}
static void run(const char *name, void (*code)(ref, ulong), ulong round)
{
  sum = 1;
  fuel = 5;
  code(chain(round + 3, 2), round);
  printf("%%s %%lu %%lx\\n", name, round, sum);
}
#define RUN(function) run(#function, function, round)

"""

MAIN = """\
int main(int count, char **words)
{
  ulong rounds = count > 1 ? strtoul(words[1], NULL, 10) : 3;
  for (ulong round = 0; round < rounds; round++) {
%s
  }
  return 0;
}
"""
SCALARS = ('ulong', 'uint', 'ushort', 'uchar', 'double', 'ulong')


def number(kind):
    return '(double)(uint)($v)' if kind == 'double' else f'({kind})($v)'


class Record:
    """A struct of random members; each is (name, type), and an array has 2 elements."""

    def __init__(self, program, name, members):
        self.name, self.members, self.program = name, members, program

    def values(self, *, some=False):
        """A list of designated initialisers, without those that stay 0 if `some`."""
        made = []
        for name, kind in self.members:
            if some and self.program.chance(0.3):
                continue
            if kind == 'refs':
                made.append(f'.{name} = {{$r, $r}}')
            elif kind == 'ref':
                made.append(f'.{name} = $r')
            else:
                made.append(f'.{name} = {number(kind)}')
        if self.program.chance(0.3):
            self.program.random.shuffle(made)
        return self.program.fill(', '.join(made) or f'.{self.members[0][0]} = 0')

    def change(self, place):
        """Statements that change one or two members of the struct at `place`."""
        made = []
        for name, kind in self.program.random.sample(self.members, min(len(self.members), self.program.number(1, 2))):
            if kind == 'refs':
                made.append(f'{place}.{name}[$v & 1] = $r;')
            else:
                made.append(f'{place}.{name} = {"$r" if kind == "ref" else number(kind)};')
        return self.program.fill(' '.join(made))

    def sum(self, place):
        """An expression: a number of all members of the struct at `place`."""
        made = []
        for i, (name, kind) in enumerate(self.members):
            if kind == 'refs':
                made.append(f'{i + 3} * value_of({place}.{name}[0]) + {i + 5} * value_of({place}.{name}[1])')
            elif kind == 'ref':
                made.append(f'{i + 3} * value_of({place}.{name})')
            else:
                made.append(f'{i + 3} * (ulong){place}.{name}')
        return f'({" + ".join(made)})'

    def references(self):
        return [name for name, kind in self.members if kind == 'ref']


class Program:
    def __init__(self, seed):
        self.random = random.Random(f'constructs {seed}')
        self.functions = []  # names
        self.out = []        # of the current function: what precedes it
        self.parts = []
        self.current = ''
        members = [('ulong', 'value'), ('struct node managed *', 'next')]
        members += [('uchar', 'bytes[5]'), ('double', 'real'), ('struct node managed *', 'more[2]')][:self.number(0, 3)]
        self.random.shuffle(members)
        self.members = ''.join(f'  {kind} {name};\n' for kind, name in members).rstrip()

    # ---- choices

    def chance(self, p):
        return self.random.random() < p

    def pick(self, *of):
        return self.random.choice(of)

    def number(self, least, most):
        return self.random.randint(least, most)

    # ---- words

    def fill(self, text, **words):
        """`text` with its words replaced; the texts that replace them have no words any more, or words of their own."""
        def replace(match):
            word = match[1]
            if word[0] == '_':
                return self.current + word
            if word in words:
                return self.fill(str(words[word]), **words)
            return self.fill(getattr(self, f'word_{word}')(), **words)
        return re.sub(r'\$(\w+)', replace, text)

    def word_u(self):
        return str(self.number(0, 99))

    def word_v(self):
        return self.pick('$u', '$u', 'k', 'k + $u', 'k * 5', 'a->value', '(a->value ^ k)', '(k & 7)', 'value_of(a)')

    def word_r(self):
        return self.pick('make($v)', 'make($u)', 'make(k + $u)', 'chain($v, $s)', 'a', '(k & 1 ? a : make($u))',
                         '(a->next ? a->next : a)', 'cairn_new_init(struct node, .value = $u, .next = a)')

    def word_s(self):
        return str(self.number(1, 5))

    def word_inl(self):
        return self.pick('', 'inline', '__attribute__((noinline))', '__attribute__((noinline))')

    def word_quiet(self):
        return self.pick('move();', 'move();', 'churn($s);', 'churn(k & 7);', 'churn(1); move();',
                         'for (int i = 0; i < 3; i++) churn($s);', 'if (k & 1) move(); else churn($s);')

    def word_move(self):
        if self.functions and self.chance(0.35):
            arguments = f'{self.pick("a", "a", "make($v)", "chain($v, 2)")}, {self.pick("k", "k + 1", "$u")}'
            call = f'{self.pick(*self.functions)}({arguments});'
            return self.pick(f'if (fuel > 0) {{ fuel--; {call} }}', f'if (fuel-- > 0) {call}',
                             f'for (int i = 0; i < 2 && fuel > 0; i++, fuel--) {call}')
        return '$quiet'

    # ---- parts of a program

    def declare(self, text, **words):
        """Declarations and functions before the current function."""
        self.out.append(self.fill(text, **words).strip('\n') + '\n')

    def record(self, name, members=None, *, least=1, most=6):
        """Declares a struct with a reference and other random members, `$_name` and the Record."""
        if members is None:
            kinds = ['ref'] + [self.pick('ref', 'ref', 'refs', *SCALARS) for _ in range(self.number(least, most) - 1)]
            self.random.shuffle(kinds)
            members = [(f'm{i}', kind) for i, kind in enumerate(kinds)]
        fields = ''.join(f'  ref {member}[2];\n' if kind == 'refs' else f'  {kind} {member};\n'
                         for member, kind in members)
        self.declare(f'struct $_{name} {{\n{fields}}};')
        return Record(self, f'struct {self.current}_{name}', members)

    def wrapped(self, body):
        """The statements, perhaps within a loop or a branch."""
        form = self.number(0, 9)
        i = f'{self.current}_i'
        if form == 0:
            return f'for (ulong {i} = 0; {i} < {self.number(1, 3)}; {i}++) {{\n{body}\n}}'
        if form == 1:
            return self.fill(f'if (k % 3 != $w) {{\n{body}\n}} else {{ $move }}', w=self.number(0, 2))
        if form == 2:
            return f'do {{\n{body}\n}} while (0);'
        if form == 3:
            return self.fill(f'switch (k & 3) {{ case $w: $move break; default: {{\n{body}\n}} }}', w=self.number(0, 3))
        if form == 4:
            return self.fill(f'ref {i} = $r;\n{{\n{body}\n}}\nmix(value_of({i}));')
        return body

    def add(self, row, template):
        """A function that uses the construct `row`; main() and later functions call it."""
        self.out, self.current = [], f'{row}_{len(self.functions)}'
        body = self.wrapped(self.fill(template(self)).strip('\n'))
        function = self.fill(f'static $inl void {self.current}(ref a, ulong k)\n{{\n{body}\n}}\n')
        self.parts.append('\n'.join(self.out) + function)
        self.functions.append(self.current)

    def text(self):
        calls = '\n'.join(f'  RUN({name});' for name in self.functions)
        return PRELUDE % {'members': self.members} + '\n'.join(self.parts) + MAIN % calls

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a random C program of locals that hold references: python3 random_locals.py SEED

Each function has an array of references, or of structs with references, in its frame, and goes over it in loops: up,
down, in steps, in loops within loops, at places that are computed, with calls, collections and exchanges between. The
addresses of one loop are so alike that the code generator computes them from each other, and where the array begins
from them. main() prints what each function computed.
"""
import random
import sys

chance = random.Random(int(sys.argv[1]))
pick = chance.choice

HEAD = '''#include <stdio.h>
#include <cairn/cairn.h>
struct node {
  struct node managed *next;
  long value;
};
typedef struct node managed *ref;
struct pair {
  ref a;
  long n;
  ref b;
};
__attribute__((noinline)) static ref make(long value)
{
  ref n = cairn_new(struct node);

  n->value = value;
  return n;
}
__attribute__((noinline)) static void collect(void)
{
  cairn_collect();
}'''


class Function:
    def __init__(self, number):
        self.count = pick([3, 4, 8, 16, 33])
        self.pairs = chance.random() < .4
        self.lines = [f'__attribute__((noinline)) static long f{number}(long n, ref x)', '{',
                      f'  {"struct pair" if self.pairs else "ref"} l[{self.count}];', '  long s = 0;', '']

    def element(self, place):
        return f'l[{place}].{pick("ab")}' if self.pairs else f'l[{place}]'

    def fill(self):
        self.lines.append(f'  for (long i = 0; i < {self.count}; i++) ' +
                          ('{ l[i].a = make(i); l[i].b = make(2 * i); l[i].n = i; }' if self.pairs
                           else 'l[i] = make(i);'))

    def statement(self, place):
        here, after = self.element(place), self.element(f'(i + 1) % {self.count}')
        return pick([f'{here} = make(s + i);', f's += {here}->value;', 'collect();',
                     f'{{ ref t = {here}; {here} = {after}; {after} = t; }}',
                     f'{here}->next = x; x = {self.element(0)};',
                     f'if (s & 1) {here} = {self.element(f"n % {self.count}")};',
                     f'l[i] = l[(i + 1) % {self.count}];'])

    def loop(self):
        down = chance.random() < .3
        head = (f'for (long i = {self.count - 1}; i >= 0; i--)' if down else
                f'for (long i = {pick(["0", "1", "n & 1"])}; i < {self.count}; {pick(["i++", "i += 2", "i += 3"])})')
        place = pick(['i', 'i' if down else f'(i * n) % {self.count}', f'{self.count - 1} - i'])
        if chance.random() < .3:
            head = 'for (int j = 0; j < 3; j++) ' + head
        self.lines.append(f'  {head} {{ {" ".join(self.statement(place) for _ in range(chance.randint(1, 3)))} }}')

    def text(self):
        self.fill()
        for _ in range(chance.randint(1, 4)):
            self.loop()
        value = 'l[i].a->value + l[i].b->value' if self.pairs else 'l[i]->value'
        self.lines += [f'  for (long i = 0; i < {self.count}; i++) s = s * 3 + {value};',
                       '  return s + (x ? x->value : 0);', '}']
        return '\n'.join(self.lines)


print(HEAD)
for number in range(4):
    print(Function(number).text())
print('''int main(void)
{
  for (long n = 0; n < 9; n++)
    printf("%ld %ld %ld %ld\\n", f0(n, make(n)), f1(n, make(1)), f2(n, make(7)), f3(n, make(n)));
  return 0;
}''')

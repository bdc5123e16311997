# SPDX-License-Identifier: Apache-2.0
"""Generated programs for the benches of compile time: managed structs, about 38 lines of C a function."""
import os
import random
import tools

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEAD = '''#include <cairn/cairn.h>
struct node { struct node managed *a, *b, *c; long v, w; double d; };
extern long other(long);
'''
SIGNATURE = 'long {}(struct node managed *p, long x, int k)'
# What a body consists of: five of these each, chosen at random; fN stands for a function's name.
PARTS = [
    '  for (int i = 0; i < k; i++) {\n    s += q->v * 3;\n    if (q->a)\n      q = q->a;\n  }\n',
    '  if (s & 8) {\n    q = cairn_new(struct node);\n    q->a = p;\n    q->v = s;\n  }\n',
    '  if (k > 0)\n    s += fN(q, s + 7, k - 1);\n',
    '  switch (s % 5) {\n  case 0: s += 3; break;\n  case 1: s = other(s); break;\n'
    '  case 2: q = p->b; break;\n  default: s ^= 99;\n  }\n',
    '  while (q->w > s && q->c) {\n    q = q->c;\n    s++;\n  }\n',
    '  if (p->d > 0.25)\n    p->d = p->d * 0.5 + (double)s;\n  else\n    p->b = q;\n',
    '  for (struct node managed *t = p; t; t = t->b)\n    for (int m = 0; m < 5; m++)\n'
    '      t->w += m * s;\n']


def function(chance, name, callee):
    """C of one function, whose calls go to the functions that callee() names."""
    text = [f'\n{SIGNATURE.format(name)}\n{{\n  struct node managed *q = p;\n  long s = x;\n\n']
    for _ in range(5):
        part = chance.choice(PARTS).replace('fN', callee())
        text.append(part + '  if (!q)\n    q = p;\n')
    text.append('  return s;\n}\n')
    return ''.join(text)


def program(count):
    """C of so many functions; the same for the same number."""
    chance, text = random.Random(count), [HEAD]
    text += [SIGNATURE.format(f'f{i}') + ';\n' for i in range(count)]
    text += [function(chance, f'f{i}', lambda: f'f{chance.randrange(count)}') for i in range(count)]
    return ''.join(text)


def unit(number, count, lines):
    """C of at least so many lines: the unit of this number among `count` units of a program. Half of the calls go to
    other units."""
    chance, own, body, left = random.Random(number), [], [], lines
    others = [f'f{chance.randrange(count)}_0' for _ in range(8)]

    def callee():
        return chance.choice(own if chance.random() < 0.5 else others)
    while left > 0:
        own.append(f'f{number}_{len(own)}')
        body.append(function(chance, own[-1], callee))
        left -= body[-1].count('\n') + 1
    return HEAD + ''.join(SIGNATURE.format(name) + ';\n' for name in sorted({*own, *others})) + ''.join(body)


def write(path, text):
    with open(path, 'w') as file:
        file.write(text)
    return path


def front_end(source):
    """IR of a C file that nobody has optimised, without a collector's name."""
    return tools.output(tools.llvm('clang'), '-O2', '-w', '-Xclang', '-disable-llvm-passes', '-S', '-emit-llvm',
                        f'-I{ROOT}/include', source, '-o', '-')


def managed(text):
    """The IR, with the collector's name."""
    lines = [f'{line[:-2]} gc "statepoint-example" {{' if line.startswith('define ') else line
             for line in text.splitlines()]
    return '\n'.join(lines).replace('"\ntarget triple', '-ni:1"\ntarget triple') + '\n'


def module(folder, count):
    """(for cairn-cc, for opt): IR that nobody has optimised, ours with the collector's name."""
    text = front_end(write(f'{folder}/module.c', program(count)))
    ours = managed(text)
    return write(f'{folder}/ours.ll', ours), write(f'{folder}/plain.ll', text)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a random managed-C program of copies and fills, from a seed.

Each function makes one copy or fill between arrays of references, of structs with references, of tagged words or of
data. The forms vary: the function or the loop that does it, the type of the size, the bounds that the compiler knows of
it, the distance from the object's start, overlap, new objects, locals, members, paths that the optimiser joins. The
program prints a checksum per function and input. Compiled with -DCAIRN_PLAIN it is its own oracle.

usage: random_copies.py SEED [FUNCTIONS] > program.c; ./program
"""
import random
import sys

PRELUDE = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/value.h>

#ifdef CAIRN_PLAIN
#define __builtin_assume(x) ((void)0)
#endif
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
struct node { ulong value; };
typedef struct node managed *ref;
struct pair { ref first, second; };
struct item { ulong number; ref node; uint more; };
typedef struct pair pair;
typedef struct item item;
enum { LENGTH = 64, MOST = 16 };
struct lengths { uint few : 5; int some : 6; uchar byte; short number; };
static volatile long input;
static volatile struct lengths lengths;
static ulong sum, names;
static ref last;
static uchar managed *waste;

static void mix(ulong x)
{
  sum = (sum ^ x) * 0x9e3779b97f4a7c15ul;
  sum ^= sum >> 29;
}
__attribute__((noinline)) static ref make(void)
{
  ref node = cairn_new(struct node);
  node->value = ++names;
  return node;
}
__attribute__((noinline)) static void disturb(void)
{
  for (int i = 0; i < 4; i++)
    last = make();
  waste = cairn_new_array(uchar, 32 << 10);
  waste[names % 1000] = (uchar)names;
  mix(waste[names % 999]);
}
static ulong show_ref(ref node) { return node ? node->value : 7; }
static ref make_ref(void)
{
  if (++names % 7)
    return make();
  return NULL;
}
"""

DATA = ('uchar', 'ushort', 'uint', 'ulong')
WORDS = """\
#define show_value(v) (cairn_value_is_integer(v) ? (ulong)cairn_value_integer(v) : show_ref(cairn_value_object(struct node, v)))
static cairn_value make_value(void) { return names % 2 ? cairn_value_from((long)++names) : cairn_value_of(make()); }
"""
PER_TYPE = """\
struct box_%(n)s { uint count; %(t)s in[LENGTH]; };
typedef struct box_%(n)s managed *box_%(n)s;
static %(t)s managed *%(n)s_a, *%(n)s_b;
static box_%(n)s %(n)s_box;
__attribute__((noinline)) static void renew_%(n)s(%(t)s managed *a)
{
  for (int i = 0; i < LENGTH; i++)
    %(renew)s
}
__attribute__((noinline)) static void mix_%(n)s(const %(t)s managed *a)
{
  for (int i = 0; i < LENGTH; i++)
    %(mix)s
}
__attribute__((noinline)) static void check_%(n)s(void)
{
  disturb();
  mix_%(n)s(%(n)s_a);
  mix_%(n)s(%(n)s_b);
  mix_%(n)s(%(n)s_box->in);
}
"""
TYPES = { # C type: name, how to renew and to mix element i of a, one new value
    'ref': ('ref', 'a[i] = make_ref();', 'mix(show_ref(a[i]));', 'make()'),
    'pair': ('pair', '{ a[i].first = make_ref(); a[i].second = make_ref(); }',
             'mix(show_ref(a[i].first) + 3 * show_ref(a[i].second));', '(pair){make(), NULL}'),
    'item': ('item', '{ a[i].node = make_ref(); a[i].number = names; a[i].more = (uint)i; }',
             'mix(show_ref(a[i].node) + 3 * a[i].number + 5 * a[i].more);', '(item){5, make(), 6}'),
    'cairn_value': ('value', 'a[i] = make_value();', 'mix(show_value(a[i]));', 'make_value()'),
    **{t: (t, f'a[i] = ({t})++names;', 'mix(a[i]);', f'({t})names++') for t in DATA},
}
INTEGERS = ('signed char', 'uchar', 'short', 'ushort', 'int', 'uint', 'long', 'ulong')


class Program:
    def __init__(self, seed, functions):
        self.random = random.Random(f'copies {seed}')
        self.words = seed % 2 == 0
        types = ['ref', 'uchar', self.pick('pair', 'item'), self.pick(*DATA[1:])] + (['cairn_value'] if self.words else [])
        self.out = [PRELUDE, WORDS if self.words else '']
        for t in types:
            name, renew, mix, _ = TYPES[t]
            self.out.append(PER_TYPE % {'t': t, 'n': name, 'renew': renew, 'mix': mix})
        self.calls = [self.function(f'f{i}', self.pick(*types, 'ref', 'uchar')) for i in range(functions)]
        self.types = [TYPES[t][0] for t in types]

    def pick(self, *of):
        return self.random.choice(of)

    def some(self, n):
        return self.random.randrange(n)

    def size(self, name, integer):
        """A condition and an expression of a count of 0 to MOST elements, from any `name` of the integer type."""
        n, signed = name, integer in ('signed char', 'short', 'int', 'long')
        positive = self.pick(f'{n} > 0', f'{n} >= 0', f'!({n} < 0)', f'{n} > 1', f'{n} != 0 && {n} > 0')
        least = f'({n} < 0 ? 0 : {n})' if signed else n
        small = f'{n} <= MOST'
        return self.pick(
            (f'{positive} && {small}', n), (f'{positive} && {small}', f'(size_t){n}'), (f'{n} > 0 && {small}', f'{n} - 1'),
            (f'{positive} && {n} < MOST', f'{n} + 1'), (f'{positive} && {small}', f'(uint){n} >> 1'),
            (f'{positive} && {n} < 8', f'{n} << 1'), (f'{positive} && {n} < 6', f'3 * {n}'), (small, f'(uchar){least}'),
            ('1', f'({n} & 7)'), ('1', f'((uint){n} & 15u)'), ('1', f'((ushort){n} % 13u)'), ('1', f'(uchar)((uchar){n} % 9)'),
            ('1', f'({least} > MOST ? MOST : {least})'), ('1', f'(size_t)({least} < 5 ? {least} : 5)'), (small, least),
            (f'{positive} && {small}', f'({n} / 2)'), (f'{positive} && {small}', f'({n} == 3 ? 4 : {n})'),
            ('1', '(lengths.few & 15)'), ('lengths.some > 0 && lengths.some <= MOST', 'lengths.some'), ('1', '(lengths.byte % 16)'),
            ('lengths.number >= 0 && lengths.number <= MOST', 'lengths.number'), ('input >= 0 && input <= MOST', '(int)input'),
            ('1', f'__builtin_popcount((uint){n}) / 2'), (f'{positive} && {small}', f'(&from[{n}] - from)'),
            (f'{n} > 0 && {small}', f'(__builtin_assume({n} > 0), {n})') if signed else ('1', str(self.some(16))),
            ('1', str(self.some(16))), ('1', f'(k & 1 ? 3 : (uint){n} & 7)'))

    def place(self, which, name):
        """A place of at least MOST + 1 elements."""
        return self.pick(which, which, f'{which} + {self.some(40)}', f'{which} + k', f'&{which}[k]', f'{which} + 2 * k',
                         f'{which} + (uchar)k', f'{name}_box->in + {self.some(9)}', f'&{name}_box->in[k]', f'{name}_box->in')

    def bytes(self, t, count):
        if t in DATA and self.some(3) == 0:
            return f'({count})'
        return self.pick(f'({count}) * sizeof({t})', f'sizeof({t}) * (size_t)({count})', f'sizeof({t}) * ({count})')

    def copy(self, t, name, count):
        to, other = self.place('to', name), self.place('from', name)
        size, integer = self.bytes(t, count), self.pick(*INTEGERS[1:])
        move = self.pick('memmove', '__builtin_memmove')
        forms = [
            f'{self.pick("memcpy", "cairn_copy", "__builtin_memcpy", move)}(to{self.pick("", " + k", " + 3")}, {self.pick("from", "from + k", "from + 1")}, {size});',
            f'{move}({to}, {other}, {size});', f'{move}(to + 1, to, {size});', f'{move}(to, to + k, {size});',
            f'for ({integer} i = 0; i < {count}; i++) to[i] = from[i];',
            f'for ({integer} i = 0; i < {count}; i++) to[k + i] = from[i];',
            f'{{ ulong c = (ulong)({count}); for (ulong i = 0; i < c; ++i) to[i + 2] = from[i + k]; }}',
            f'for ({integer} i = {count}; i > 0; i--) to[i - 1] = from[i];',
            f'{{ {t} managed *p = to + k, *q = from, *end = from + ({count}); while (q < end) *p++ = *q++; }}',
            f'{{ {t} managed *p = to, *q = from + k; for (int c = (int)({count}); c > 0; c--) *p++ = *q++; }}',
            f'for (int r = 0; r < 3; r++) for ({integer} i = 0; i < {count}; i++) to[r * 17 + i] = from[i + r];',
            f'for (int r = 0; r < 3; r++) {move}(to + r * 17, from + k, {size});',
            f'for (int r = 0; r < 3; r++) {{ disturb(); {move}(to + r, from, {size}); }}',
            f'for ({integer} i = 0; i < {count}; i += 2) to[i] = from[i];',
            f'{{ {t} t[MOST + 1] = {{0}}; memcpy(t, from + k, {size}); memcpy(to, t, {size}); }}',
            f'{{ {t} managed *t = cairn_new_array({t}, MOST + 1); memcpy(t, from, {size}); disturb(); memcpy(to, t, {size}); }}',
            f'{{ {t} managed *t = cairn_new_array({t}, (size_t)({count}) + 1); memcpy(t, from + k, {size}); {name}_a = to; memcpy(to + 1, t, {size}); }}',
            f'if (k & 1) memcpy(to, from, {size}); else memcpy(to + 1, from, {self.bytes(t, self.pick("3", count))});',
            f'if (k > 2) {move}(to, from, {size}); else {move}(to, from + 2, {size});',
            f'to[k] = from[0]; memcpy(to + k, from + 1, {size}); to[1] = from[k];',
            f'memcpy(to, from, {size}); memcpy(to, from + k, {size});', f'memcpy(to, from, {size}); disturb(); memcpy(to, from + 1, {size});',
            f'switch (k) {{ case 1: memcpy(to, from, {size}); break; case 2: memcpy(to + 2, from, {size}); break; default: memcpy(to + k, from + 1, {size}); }}',
        ]
        if t in DATA:
            forms += [
                f'{{ {t} t[MOST + 1] = {{0}}; cairn_copy_out(t, from + k, {size}); cairn_copy_in(to + 1, t, {size}); }}',
                f'{{ {t} t[MOST + 1] = {{3, 4}}; cairn_copy_in(to + k, t, {size}); }}',
                f'{{ static {t} t[MOST + 1]; cairn_copy_out(t, from, {size}); for (int i = 0; i < {count}; i++) to[i + k] = t[i]; }}',
            ]
        return self.pick(*forms)

    def fill(self, t, name, count):
        size, integer, to = self.bytes(t, count), self.pick(*INTEGERS[1:]), self.place('to', name)
        empty = '0' if t in DATA else f'({t}){{0}}' if t in ('pair', 'item') else 'NULL'
        value = self.pick(empty, 'from[0]', 'v', 'v')
        new = f'{t} v = {TYPES[t][3]};'
        return self.pick(
            f'memset({to}, 0, {size});', f'memset(to + k, {"k" if t in DATA else "0"}, {size});',
            f'{{ {new} for ({integer} i = 0; i < {count}; i++) to[i] = {value}; }}',
            f'{{ {new} for ({integer} i = 0; i < {count}; i++) to[i + k] = {value}; }}',
            f'{{ {new} for ({t} managed *p = to + k, *end = p + ({count}); p < end; p++) *p = {value}; }}',
            f'{{ {new} for ({integer} i = {count}; i > 0; i--) to[i] = {value}; }}',
            f'{{ {new} for ({integer} i = 0; i < {count}; i++) {name}_box->in[i + 1] = {value}; }}',
            f'{{ {new} for (int r = 0; r < 2; r++) {{ disturb(); for ({integer} i = 0; i < {count}; i++) to[i + r] = {value}; }} }}',
            f'{{ {t} managed *t = cairn_new_array({t}, MOST + 1); memset(t, 0, {size}); {new} t[1] = v; memcpy(to, t, {size}); }}',
            f'{{ {new} to[0] = v; memset(to + 1, 0, {size}); to[3] = v; }}')

    def function(self, f, t):
        name, integer = TYPES[t][0], self.pick(*INTEGERS)
        condition, count = self.size('n', integer)
        body = self.pick(self.copy, self.copy, self.fill)(t, name, count)
        restrict = self.pick('', '', ' restrict')
        guarded = f'if ({condition}) {{ {body} }}' if condition != '1' or self.some(2) else body
        self.out.append(f'__attribute__((noinline)) static void {f}({t} managed *{restrict} to, {t} managed *{restrict} from, '
                        f'{integer} n, long k)\n{{\n  {guarded}\n}}\n')
        return f'{f}({name}_a, {name}_b, ({integer})n, k);', name

    def text(self):
        self.out.append('static void one(long n, long k)\n{\n  input = n % 20;\n  lengths.few = n & 15;\n'
                        '  lengths.some = n % 17;\n  lengths.byte = (uchar)n;\n  lengths.number = (short)n;\n')
        for i, (call, name) in enumerate(self.calls):
            self.out.append(f'  sum = 0;\n  {call}\n  check_{name}();\n  printf("f{i} %ld %ld %lx\\n", n, k, sum);\n')
        self.out.append('}\nint main(void)\n{\n  static const long inputs[] = {0, 1, 3, 5, 16, 7, 2, 12, 200, -1, -300};\n')
        for name in self.types:
            t = next(t for t in TYPES if TYPES[t][0] == name)
            self.out.append(f'  {name}_a = cairn_new_array({t}, LENGTH);\n  {name}_b = cairn_new_array({t}, LENGTH);\n'
                            f'  {name}_box = cairn_new(struct box_{name});\n')
        self.out.append('  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {\n')
        for name in self.types:
            self.out.append(f'    renew_{name}({name}_a);\n    renew_{name}({name}_b);\n    renew_{name}({name}_box->in);\n')
        self.out.append('    one(inputs[i], (long)(i * 3 % 8));\n  }\n  return 0;\n}\n')
        return ''.join(self.out)


if __name__ == '__main__':
    sys.stdout.write(Program(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40).text())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a random C program of loops: python3 random_loops.py SEED

Each function is a loop, or loops in each other, over managed arrays, lists and strings: counters of
every width and sign, any step, bounds in memory, tests that wrap, several ways out, two counters,
walks. Variables lag behind others, swap and rotate (integers, floating-point numbers, vectors, references), and are used after the loop.
main() runs each for many bounds (with an argument, for a few) and prints what it computed. Polls must not change how often
a loop runs.
"""
import random
import re
import sys

chance = random.Random(int(sys.argv[1]))
pick = chance.choice
TYPES = {'signed char': (8, True), 'unsigned char': (8, False), 'short': (16, True),
         'unsigned short': (16, False), 'int': (32, True), 'unsigned': (32, False),
         'long': (64, True), 'unsigned long': (64, False)}


def work(i):
    """A statement or two of a body with counter `i`."""
    return pick([
        f's = s * 3 + a[{i} & 15];',
        f's += a[{i} & 15] ^ (long){i};',
        f'a[{i} & 15] += s + 1; s ^= (long){i};',
        f's += (long){i};',
        f'v[{i} & 1023] += (unsigned)s; s += v[({i} + 7) & 1023];',
        f's = s * 5 + a[({i} * k) & 15];',
        f's += c[({i} ^ s) & 255];',
        f'if (a[{i} & 15] & 1) s += 3; else s ^= {i};',
        f'if (v[{i} & 1023] > s) s++;',
        f'switch (a[{i} & 15] & 3) {{ case 0: s += 5; break; case 1: s ^= 9; break; default: s--; }}',
    ])


# Three of each kind: what is set, what lags or rotates, what they add to the sum when all is done.
KINDS = {
    'x': ('unsigned long', '{0} = s + (unsigned long){i};', '{0}'),
    'y': ('unsigned', '{0} = v[{i} & 1023] + {0};', '{0}'),
    'z': ('double', '{0} = (double)(v[{i} & 1023] & 255) - 0.5 * {0};', '(unsigned long)(long)({0} * 8)'),
    'w': ('vec', '{0} = {0} + (vec){{(int)(s & 1023), 3, (int)(v[{i} & 1023] & 7), 1}};',
          '(unsigned long)(unsigned)({0}[0] ^ {0}[2]) * 5 + (unsigned)({0}[1] + {0}[3])'),
    'q': ('const char managed *', '{0} = t + ({i} & 511);', '(unsigned long)({0} - t)'),
    'r': ('struct node managed *', 'if ({0} && {0}->next) {0} = {0}->next;', '(unsigned long)({0} ? {0}->value : -1)'),
}


def lag(i):
    """Some variables become what others are, or were."""
    kind = pick(list(KINDS))
    a, b, c = (f'{kind}{n}' for n in chance.sample(range(3), 3))
    name, change, _ = KINDS[kind]
    change = change.format(a, i=i)
    return pick([
        f'{b} = {a}; {change}',
        f'{c} = {b}; {b} = {a}; {change}',
        f'{{ {name} o = {a}; {a} = {b}; {b} = o; }}',
        f'{{ {name} o = {a}; {a} = {b}; {b} = {c}; {c} = o; }} {change}',
        f'{c} = {a}; {a} = {b};',
    ])


def leave():
    return pick(['', '', '', 'if ((s & 1023) == 77) break;', 'if (s % 311 == 5) { s++; break; }',
                 'if ((s & 7) == 3) continue;', 'if ((s & 2047) == 99) return s;'])


def step_of(width):
    return pick(['1', '1', '1', '2', '3', '5', '7', '16', '100' if width > 8 else '9'])


def counted(depth):
    """A counted loop; it never runs for more than some thousand trips."""
    name, level = pick(list(TYPES)), 'ijm'[depth]
    width, signed = TYPES[name]
    up, by = chance.random() < 0.6, step_of(width)
    low, high = ('0', 'n') if depth == 0 else ('0', pick(['(n & 15)', 'k', '5', '(n & 63)']))
    if width == 8:
        high = f'({high}) & 63'
    body = work(level) + ' ' + work(level) * (chance.random() < 0.4)
    if chance.random() < 0.6:
        body += ' ' + ' '.join(lag(level) for _ in range(pick([1, 1, 2, 3])))
    if depth < 2 and chance.random() < 0.35:
        body += ' ' + counted(depth + 1)
    if depth == 0:
        body += ' ' + leave()
    form = chance.randrange(7)
    if form == 0 and by == '1':
        return f'for ({name} {level} = {low}; {level} != ({name})({high}); {level}++) {{ {body} }}'
    if form == 1 and not signed:
        # May wrap, or never meet its end.
        return (f'{{ int g{level} = 0; for ({name} {level} = ({name})(n * 3); {level} != ({name})({high}); '
                f'{level} = ({name})({level} {"+" if up else "-"} {by})) {{ if (++g{level} > 700) break; '
                f'{body} }} }}')
    if form == 2:
        return f'{{ {name} {level} = {low}; do {{ {body} {level} = ({name})({level} + {by}); }} ' \
               f'while ({level} < ({name})({high}) && {level} < 100); }}'.replace('continue;', 's++;')
    if form == 3:
        return f'for ({name} {level} = {low}; {level} < {high}; ' \
               f'{level} = ({name})({level} + k1)) {{ {body} }}' if width > 8 else work('n')
    if not up and signed:
        test = pick([f'{level} > 0', f'{level} >= {by}', f'{level} > -20'])
        return f'for ({name} {level} = ({name})({high}); {test}; {level} = ({name})({level} - {by})) ' \
               f'{{ {body} }}'
    if form == 4:
        return f'for ({name} {level} = {low}; {level} < m_[0]; {level} = ({name})({level} + {by})) ' \
               f'{{ {body} if ({level} > 90) break; }}'
    test = pick(['<', '<='])
    limit = f'(unsigned long)({high})' if not signed and width == 64 else f'({high})'
    return f'for ({name} {level} = {low}; {level} {test} {limit}; {level} = ({name})({level} + {by})) ' \
           f'{{ {body} }}'


def walk():
    return pick([
        'for (const char managed *p = t + n % 300; *p; p++) { if (*p == (char)k1) break; LAG }',
        '{ long i = n & 255; unsigned long last = 0, now = s; while (++i < 1000) { last = now; now = v[i & 1023]; LAG '
        'if ((now & 31) == 7) break; } s = s * 3 + last * 5 + now + (unsigned long)i; }',
        '{ const char managed *p = t + (n & 255), *e = t + 900, *old = p; while (++p < e && *p != (char)(97 + k)) '
        '{ old = p - 1; LAG } s = s * 7 + (unsigned long)(p - old) + (unsigned long)(old - t); }',
        '{ struct node managed *p = list, *prev = 0, *before = 0; while (p && p->value != n) '
        '{ before = prev; prev = p; p = p->next; LAG } '
        's += (unsigned long)((prev ? prev->value : 3) * 5 + (before ? before->value : 7)); }',
        '{ long fuel = n * 2; if (k & 1) goto odd; even: if (fuel-- <= 0) goto out; LAG if (v[fuel & 1023] & 1) goto even; '
        'odd: if (fuel-- <= 0) goto out; LAG s += 3; if (c[fuel & 1023] & 3) goto even; goto odd; out:; }',
        'for (const char managed *p = t + n % 300; *p; p++) { s = s * 3 + *p; LEAVE }',
        '{ const char managed *p = t + n % 700; while (*p) p++; s += (unsigned long)(p - t); }',
        '{ long i = n % 900; while (c[i & 1023] != (char)(k * 3)) { i++; if (i > 3000) break; s++; } s += i; }',
        'for (struct node managed *p = list; p; p = p->next) { s = s * 3 + (unsigned long)p->value; LEAVE }',
        '{ struct node managed *p = list; long hops = n; while (hops-- > 0 && p) { s += p->value; p = p->next; }'
        ' s += p ? p->value : -1; }',
        '{ long lo = 0, hi = n; while (lo < hi) { long mid = (lo + hi) / 2; if (mid * mid < n) lo = mid + 1;'
        ' else hi = mid; } s += lo; }',
        '{ long i = 0, j = n & 1023; for (; i < j; i++, j--) { unsigned x = v[i]; v[i] = v[j]; v[j] = x + 1;'
        ' s += x; } }',
        '{ unsigned long x = (unsigned long)n * 2654435761u + 1; while (x != 1) { x = x & 1 ? x / 3 | 1 : x >> 1;'
        ' s++; if (s > 9000) break; if (x == 0) break; } }',
        '{ const unsigned managed *p = v, *e = v + n % 1024; for (; p != e; p++) { s += *p; LEAVE } }',
        '{ const unsigned managed *p = v, *e = v + n % 1020; for (; p < e; p += 3) s = s * 3 + *p; }',
        '{ const unsigned managed *p = v + n % 1024; while (p-- != v) { s = s * 7 + *p; LEAVE } }',
        '{ long pc = n & 255, sp = 0, fuel = n * 3; while (fuel-- > 0) switch (c[pc++ & 1023] & 7) { case 0:'
        ' s += pc; break; case 1: sp++; break; case 2: s ^= sp; break; case 3: pc += k; break; case 4: '
        'if (sp > 40) goto done; break; case 5: s *= 3; break; default: a[sp & 15] += s; } done:; }',
    ])


def filled(text):
    counter = 'i' if 'long i' in text else 'fuel' if 'fuel' in text else 'n'
    while 'LAG' in text:
        text = text.replace('LAG', lag(counter) if chance.random() < 0.7 else '', 1)
    return text.replace('LEAVE', leave())


def numbered(body, label):
    """Every tangle's own labels: its definition ends what jumps there."""
    parts = re.split(rf'(?={{ long fuel = n \* 2; if)', body)
    return ''.join(re.sub(rf'\b{label}\b', f'{label}{k}', part) if k else part
                   for k, part in enumerate(parts))


def function(number):
    body = ' '.join(counted(0) if chance.random() < 0.5 else filled(walk()) for _ in range(pick([1, 1, 2])))
    for label in ('even', 'odd', 'out'):  # labels are the function's
        body = numbered(body, label)
    if body.count('done:;') > 1:
        first, rest = body.split('done:;', 1)
        body = first + 'done:;' + rest.replace('done:;', '').replace('goto done;', 'fuel = 0;')
    if chance.random() < 0.2:
        body += ' { struct node managed *fresh = cairn_new(struct node); fresh->value = (long)s; s += fresh->value & 3; }'
    names = [f'{kind}{n}' for kind in KINDS for n in range(3)]
    starts = {'q': 't', 'r': 'list', 'w': '{0}'}
    made = ' '.join(f'{KINDS[name[0]][0]} {name} = {starts.get(name[0], name[1])};' for name in names)
    used = ' '.join(f's = s * 31 + {KINDS[name[0]][2].format(name)};' for name in names
                    if body.count(name) > 0)
    made = ' '.join(part + ';' for part in made.split(';') if any(
        f' {name} =' in part and name in body for name in names))
    return f'''NOINLINE static unsigned long f{number}(unsigned long managed *a, unsigned managed *v, char managed *c,
                const char managed *t, struct node managed *list, long managed *m_, long n, long k,
                int k1)
{{
  unsigned long s = {number};
  (void)v, (void)c, (void)t, (void)list, (void)m_, (void)k, (void)k1;
  {made}
  {body}
  {used}
  return s;
}}
'''


COUNT = 12
print(f'''// Seed {sys.argv[1]}.
#include <stdio.h>
#include <cairn/cairn.h>
#define NOINLINE __attribute__((noinline))
struct node {{ struct node managed *next; long value; }};
typedef int vec __attribute__((vector_size(16)));
''')
for f in range(COUNT):
    print(function(f))
print(f'''typedef unsigned long function(unsigned long managed *, unsigned managed *, char managed *, const char managed *,
                      struct node managed *, long managed *, long, long, int);
int main(int argc, char **argv)
{{
  static function *const functions[] = {{{', '.join(f'f{f}' for f in range(COUNT))}}};
  static const long counts[] = {{0, 1, 2, 3, 7, 16, 17, 31, 63, 64, 100, 127, 250, 255, 257, 511, 1000}};
  (void)argv;
  for (int f = 0; f < {COUNT}; f++) {{
    unsigned long managed *a = cairn_new_array(unsigned long, 16);
    long managed *m = cairn_new_array(long, 1);
    unsigned managed *v = cairn_new_array(unsigned, 1024);
    char managed *c = cairn_new_array(char, 1024);
    char managed *t = cairn_new_array(char, 1001);
    struct node managed *list = 0;
    unsigned long sum = 0;
    for (int i = 0; i < 1000; i++)
      t[i] = (char)('a' + i * 7 % 23);
    for (int i = 0; i < 1024; i++)
      v[i] = (unsigned)(i * 31 % 101 - 50), c[i] = (char)(i * 37 >> 3);
    for (int i = 0; i < 16; i++)
      a[i] = (unsigned long)(i * i - 3);
    for (int i = 0; i < 300; i++) {{
      struct node managed *fresh = cairn_new(struct node);
      fresh->next = list, fresh->value = i, list = fresh;
    }}
    for (int n = 0; n < 17; n += argc > 1 ? 5 : 1) {{
      m[0] = counts[n] & 63;
      sum = sum * 31 + (unsigned long)functions[f](a, v, c, t, list, m, counts[n], counts[n] % 9, 1 + n % 5);
    }}
    for (int i = 0; i < 16; i++)
      sum = sum * 3 + (unsigned long)a[i];
    for (int i = 0; i < 1024; i++)
      sum = sum * 3 + (unsigned long)v[i];
    printf("%d %lx\\n", f, sum);
  }}
  return 0;
}}''')

# SPDX-License-Identifier: Apache-2.0
"""Units for bench/growth: each shape is a function from a count to the text of a unit in which that
much of one thing stands. C is for cairn-cc and for clang, IR of a managed function (`gc`) for both.
"""

C_HEAD = '''#ifdef __CAIRN__
#include <cairn/cairn.h>
#else
#include <stdlib.h>
#define managed
#define cairn_new(type) ((type *)calloc(1, sizeof(type)))
#endif
struct node { struct node managed *next; long value; };
typedef struct node managed *ref;
void take(ref *at);
ref give(ref from);
'''
REF = 'ptr addrspace(1)'
IR_HEAD = f'''target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare i1 @test(i64)
declare void @take({REF})
declare {REF} @give(i64)
'''


def lines(form, count):
    """The form, once for each number below count: `#` becomes the number, `@` its predecessor."""
    return ''.join(form.replace('#', str(i)).replace('@@', str(i - 1)) for i in range(count))


def function(body, parameters=f'{REF} %r, i64 %n, i1 %c'):
    return f'{IR_HEAD}define {REF} @f({parameters}) GC {{\n{body}}}\n'


# ---- C ----

def c_functions(n):
    return C_HEAD + lines('ref f#(ref a) { ref b = give(a); b->value += a->value; return b; }\n', n)


def c_calls(n):
    return C_HEAD + 'ref f(ref a) {\n' + lines('  a->next = give(a);\n', n) + '  return a;\n}\n'


def c_allocations(n):
    return (C_HEAD + 'ref f(ref a) {\n  ref b;\n' +
            lines('  b = cairn_new(struct node); b->next = a; b->value = #; a = b;\n', n) +
            '  return a;\n}\n')


def c_kept(n):
    """Allocations all of whose objects live to the end."""
    return (C_HEAD + 'void f(ref a) {\n' +
            lines('  ref r# = cairn_new(struct node); r#->value = #;\n', n) +
            lines('  a->next = r#; a = r#;\n', n) + '}\n')


def c_globals(n):
    return (C_HEAD + lines('ref g#;\n', n) + 'void f(ref a) {\n  g0 = a;\n}\n')


def c_used_globals(n):
    return (C_HEAD + lines('static ref g#;\n', n) +
            lines('void set#(ref a) { g# = a; }\nref get#(void) { return g#; }\n', n))


def c_locals(n):
    """Locals whose address is taken, each for a call of its own."""
    return (C_HEAD + 'void f(ref a) {\n' + lines('  ref l# = a;\n  take(&l#);\n', n) +
            lines('  give(l#);\n', n) + '}\n')


def c_scopes(n):
    """The same, each in a block of its own."""
    return C_HEAD + 'void f(ref a) {\n' + lines('  { ref l = a; take(&l); a = l; }\n', n) + '}\n'


def c_layouts(n):
    return (C_HEAD + lines('struct s# { ref first; long values[# % 7 + 1]; ref last; };\n'
                           'void managed *f#(void) { return cairn_new(struct s#); }\n', n))


def c_fields(n):
    """One structure with many members, half of them references."""
    return (C_HEAD + 'struct wide {\n' + lines('  ref r#; long v#;\n', n) + '};\n'
            'struct wide managed *f(ref a) {\n'
            '  struct wide managed *w = cairn_new(struct wide);\n' +
            lines('  w->r# = a; w->v# = #;\n', n) + '  return w;\n}\n')


def c_loops(n):
    return (C_HEAD + 'long f(ref a, long n) {\n  long sum = 0;\n' +
            lines('  for (ref p = a; p; p = p->next) sum += p->value ^ #;\n', n) +
            '  return sum;\n}\n')


def c_leaves(n):
    """One loop that returns at many places."""
    return (C_HEAD + 'long f(ref a, long n, long *at) {\n  long sum = 0;\n'
            '  for (long i = 0; i < n; i++) {\n' +
            lines('    if (at[#] == i) return sum + #;\n    sum += at[#];\n', n) +
            '  }\n  give(a);\n  return sum;\n}\n')


def c_strings(n):
    return (C_HEAD + 'int text(const char *);\nint f(ref a) {\n  int sum = 0;\n' +
            lines('  sum += text("string #"); give(a);\n', n) + '  return sum;\n}\n')


def c_nested(n):
    """If in if, with a variable that every level changes."""
    return (C_HEAD + 'int test(long);\nref f(ref a, ref b) {\n' +
            lines('  if (test(#)) { b = a;\n', n) + lines('  take(&b); }\n', n) + '  return b;\n}\n')


# ---- IR ----

def instructions(n):
    body = 'entry:\n  %x0 = load i64, ptr addrspace(1) %r\n'
    for i in range(n):
        body += (f'  %y{i} = mul i64 %x{i}, {2 * i + 3}\n  %x{i + 1} = xor i64 %y{i}, %n\n')
    return function(body + f'  store i64 %x{n}, {REF} %r\n'
                    f'  %q = call {REF} @give(i64 %x{n})\n  ret {REF} %q\n')


def ifs(n):
    """If in if."""
    body = 'entry:\n  br label %b0\n'
    for i in range(n):
        body += (f'b{i}:\n  %c{i} = call i1 @test(i64 {i})\n  br i1 %c{i}, label %b{i + 1}, label %e{i}\n')
    body += f'b{n}:\n  call void @take({REF} %r)\n  br label %e{n - 1}\n'
    for i in reversed(range(n)):
        body += (f'e{i}:\n  call void @take({REF} %r)\n  ' +
                 (f'br label %e{i - 1}\n' if i else f'ret {REF} %r\n'))
    return function(body)


def row(n):
    """If after if."""
    body = 'entry:\n  br label %b0\n'
    for i in range(n):
        body += (f'b{i}:\n  %c{i} = call i1 @test(i64 {i})\n  br i1 %c{i}, label %t{i}, label %b{i + 1}\n'
                 f't{i}:\n  call void @take({REF} %r)\n  br label %b{i + 1}\n')
    return function(body + f'b{n}:\n  ret {REF} %r\n')


def selects(n):
    body = 'entry:\n'
    for i in range(n):
        last = f'%s{i - 1}' if i else '%r'
        body += (f'  %c{i} = call i1 @test(i64 {i})\n  %l{i} = call {REF} @give(i64 {i})\n'
                 f'  %s{i} = select i1 %c{i}, {REF} {last}, {REF} %l{i}\n')
    return function(body + f'  ret {REF} %s{n - 1}\n')


def nest(n):
    """Loop in loop."""
    body = 'entry:\n  br label %h0\n'
    for i in range(n):
        before = f'h{i - 1}' if i else 'entry'
        body += (f'h{i}:\n  %i{i} = phi i64 [ 0, %{before} ], [ %j{i}, %l{i} ]\n'
                 f'  br label %{f"h{i + 1}" if i + 1 < n else f"l{i}"}\n')
    for i in reversed(range(n)):
        body += (f'l{i}:\n  %j{i} = add i64 %i{i}, 1\n  %c{i} = call i1 @test(i64 %j{i})\n'
                 f'  br i1 %c{i}, label %h{i}, label %{f"l{i - 1}" if i else "done"}\n')
    return function(body + f'done:\n  ret {REF} %r\n')


def loops(n):
    """Counted loop after counted loop, with memory."""
    body = 'entry:\n  br label %h0\n'
    for i in range(n):
        before = f'h{i - 1}' if i else 'entry'
        body += (f'h{i}:\n  %i{i} = phi i64 [ 0, %{before} ], [ %j{i}, %h{i} ]\n'
                 f'  %p{i} = getelementptr i64, {REF} %r, i64 %i{i}\n'
                 f'  %v{i} = load volatile i64, {REF} %p{i}\n  %j{i} = add i64 %i{i}, 1\n'
                 f'  %c{i} = icmp slt i64 %j{i}, %n\n'
                 f'  br i1 %c{i}, label %h{i}, label %{f"h{i + 1}" if i + 1 < n else "done"}\n')
    return function(body + f'done:\n  ret {REF} %r\n')


def own_calls(n):
    """A chain of blocks, then a choice of loops, each with a call of the function itself."""
    body = ('entry:\n' + lines('  br i1 %c, label %b#, label %done\nb#:\n', n) +
            '  switch i64 %n, label %done [' + lines(' i64 #, label %h#', n) + ' ]\n')
    body += lines(f'h#:\n  %q# = call {REF} @f({REF} %r, i64 #, i1 %c)\n  %v# = load volatile i1, {REF} %q#\n'
                  '  br i1 %v#, label %h#, label %done\n', n)
    return function(body + f'done:\n  ret {REF} %r\n')


def counted_nests(n, deep=10):
    """Counted loops, each with memory, so many in each other, nest after nest."""
    body = 'entry:\n  br label %h0\n'
    for i in range(n):
        first, last = i % deep == 0, i % deep == deep - 1 or i == n - 1
        before = 'entry' if i == 0 else f'l{i - deep}' if first else f'h{i - 1}'
        out = (f'h{i + deep}' if i + deep < n else 'done') if first else f'l{i - 1}'
        body += (f'h{i}:\n  %i{i} = phi i64 [ 0, %{before} ], [ %j{i}, %l{i} ]\n'
                 f'  %p{i} = getelementptr i64, {REF} %r, i64 %i{i}\n  store i64 {i}, {REF} %p{i}\n'
                 f'  br label %{f"l{i}" if last else f"h{i + 1}"}\n'
                 f'l{i}:\n  %j{i} = add i64 %i{i}, 1\n  %c{i} = icmp slt i64 %j{i}, %n\n'
                 f'  br i1 %c{i}, label %h{i}, label %{out}\n')
    return function(body + f'done:\n  ret {REF} %r\n')


def counted_nest(n):
    """All in each other."""
    return counted_nests(n, n)


def exits(n):
    """One loop with many exits."""
    body = ('entry:\n  br label %h\nh:\n'
            '  %i = phi i64 [ 0, %entry ], [ %j, %latch ]\n  %j = add i64 %i, 1\n  br label %b0\n')
    for k in range(n):
        body += (f'b{k}:\n  %p{k} = getelementptr i64, {REF} %r, i64 {k}\n'
                 f'  %v{k} = load volatile i64, {REF} %p{k}\n  %c{k} = icmp eq i64 %v{k}, %i\n'
                 f'  br i1 %c{k}, label %done, label %{f"b{k + 1}" if k + 1 < n else "latch"}\n')
    phi = ', '.join(f'[ %v{k}, %b{k} ]' for k in range(n))
    return function(body + f'latch:\n  br label %h\ndone:\n  %x = phi i64 {phi}\n'
                    f'  %q = call {REF} @give(i64 %x)\n  ret {REF} %q\n')


def phis(n):
    """One loop with many phis of references, with a call in it."""
    body = 'entry:\n' + lines(f'  %r# = call {REF} @give(i64 #)\n', n) + '  br label %h\nh:\n'
    for i in range(n):
        body += f'  %p{i} = phi {REF} [ %r{i}, %entry ], [ %p{(i + 1) % n}, %h ]\n'
    body += f'  %c0 = call i1 @test(i64 0)\n  br i1 %c0, label %h, label %done\ndone:\n'
    return function(body + lines(f'  call void @take({REF} %p#)\n', n) + f'  ret {REF} %r\n')


def merges(n):
    """Diamonds in a row, each with a phi of references."""
    body = 'entry:\n  br label %b0\n'
    for i in range(n):
        last = f'%p{i - 1}' if i else '%r'
        body += (f'b{i}:\n  %c{i} = call i1 @test(i64 {i})\n  br i1 %c{i}, label %t{i}, label %m{i}\n'
                 f't{i}:\n  %a{i} = call {REF} @give(i64 {i})\n  br label %m{i}\n'
                 f'm{i}:\n  %p{i} = phi {REF} [ {last}, %b{i} ], [ %a{i}, %t{i} ]\n'
                 f'  br label %b{i + 1}\n')
    return function(body + f'b{n}:\n  ret {REF} %p{n - 1}\n')


def switch(n):
    body = 'entry:\n  switch i64 %n, label %done [\n' + lines('    i64 #, label %c#\n', n) + '  ]\n'
    body += lines(f'c#:\n  call void @take({REF} %r)\n  br label %done\n', n)
    return function(body + f'done:\n  ret {REF} %r\n')


def interpreter(n):
    """A loop round a switch."""
    body = ('entry:\n  br label %h\nh:\n'
            f'  %v = load volatile i64, {REF} %r\n  switch i64 %v, label %done [\n' +
            lines('    i64 #, label %c#\n', n) + '  ]\n' +
            lines(f'c#:\n  %p# = getelementptr i64, {REF} %r, i64 #\n'
                  f'  store volatile i64 %n, {REF} %p#\n  br label %h\n', n))
    return function(body + f'done:\n  ret {REF} %r\n')


def derived(n):
    """Pointers into objects that live over a call, all of one object."""
    body = 'entry:\n' + lines(f'  %p# = getelementptr i8, {REF} %r, i64 %n\n'
                              f'  %q# = getelementptr i8, {REF} %p#, i64 #\n'
                              f'  call void @take({REF} %q#)\n', n)
    return function(body + lines(f'  call void @take({REF} %q#)\n', min(n, 8)) + f'  ret {REF} %r\n')


def many(n):
    """Functions with two calls each, for a section each."""
    return IR_HEAD + lines(f'define {REF} @f#({REF} %r) GC {{\n  %a = call {REF} @give(i64 #)\n'
                           f'  %b = call {REF} @give(i64 1)\n  ret {REF} %r\n}}\n', n)


# For a program of many(n): it collects once, which is when the runtime looks at the frame maps.
C_MAIN = C_HEAD.replace('ref give(ref from);', '') + '''ref give(long number) { return 0; }
int main(void) { cairn_collect(); return 0; }
'''

# Name, shape, its smallest count, the language, what grows.
SHAPES = [
    ('functions', c_functions, 2000, 'c'),
    ('calls', c_calls, 4000, 'c'),
    ('allocations', c_allocations, 2000, 'c'),
    ('kept', c_kept, 250, 'c'),
    ('globals', c_globals, 10000, 'c'),
    ('used-globals', c_used_globals, 1000, 'c'),
    ('locals', c_locals, 250, 'c'),
    ('scopes', c_scopes, 1000, 'c'),
    ('layouts', c_layouts, 1000, 'c'),
    ('fields', c_fields, 1000, 'c'),
    ('walks', c_loops, 500, 'c'),
    ('leaves', c_leaves, 125, 'c'),
    ('nested', c_nested, 500, 'c'),
    ('strings', c_strings, 2000, 'c'),
    ('instructions', instructions, 10000, 'll'),
    ('ifs', ifs, 2000, 'll'),
    ('row', row, 4000, 'll'),
    ('selects', selects, 2000, 'll'),
    ('nest', nest, 250, 'll'),
    ('loops', loops, 500, 'll'),
    ('exits', exits, 1000, 'll'),
    ('phis', phis, 200, 'll'),
    ('merges', merges, 2000, 'll'),
    ('switch', switch, 4000, 'll'),
    ('interpreter', interpreter, 1000, 'll'),
    ('derived', derived, 2000, 'll'),
]

# SPDX-License-Identifier: Apache-2.0
#
# tail_random.py SEED [CONVENTION]: a program of functions of random signatures that end in tail calls of each other.
# Each adds its arguments to a sum, which the program prints: an argument in a wrong register shows. With CONVENTION
# (tailcc, swifttailcc) the functions have it and are local; some share prototypes, and call only each other.
import random
import sys

rng = random.Random(int(sys.argv[1]))
CONVENTION = sys.argv[2] + ' ' if len(sys.argv) > 2 else ''
LINKAGE = 'internal ' if CONVENTION else ''
FUNCTIONS = 60
GROUP = 6  # functions that share a prototype
TYPES = ['i1', 'i8', 'i16', 'i32', 'i64', 'ptr', 'ptr addrspace(1)', 'float', 'double']
RETURNS = ['void', 'i64', 'i64', 'i32', 'i8', 'double', 'ptr addrspace(1)']
WIDTH = {'i1': 1, 'i8': 8, 'i16': 16, 'i32': 32, 'i64': 64, 'float': 32, 'double': 64}


def attribute(kind):
    return rng.choice(['', 'signext ', 'zeroext ']) if kind in ('i1', 'i8', 'i16', 'i32') else ''


class Function:
    def __init__(self, number):
        self.name = f'@f{number}'
        kinds = rng.choice([TYPES, TYPES[4:7], TYPES[:5], TYPES[7:]])
        self.params = [(k, attribute(k)) for k in rng.choices(kinds, k=rng.randrange(9))]
        self.result = rng.choice(RETURNS)
        self.extension = attribute(self.result)
        self.group = None

    def join(self, first, number):
        self.params, self.result, self.extension = first.params, first.result, first.extension
        self.group = first.group = number


def constant(kind):
    if kind in ('float', 'double'):
        return f'{rng.randrange(1000)}.0'
    if kind.startswith('ptr'):
        return f'inttoptr (i64 {rng.randrange(1, 10 ** 6)} to {kind})' if kind == 'ptr' else 'null'
    return rng.choice(['true', 'false']) if kind == 'i1' else str(rng.randrange(1 << WIDTH[kind] - 1))


def add_to_sum(function, out):
    out.append('  %s0 = load i64, ptr @sum')
    for i, (kind, _) in enumerate(function.params):
        if kind.startswith('ptr'):
            out.append(f'  %i{i} = ptrtoint {kind} %p{i} to i64')
        elif kind == 'double':
            out.append(f'  %i{i} = bitcast double %p{i} to i64')
        elif kind == 'float':
            out.append(f'  %b{i} = bitcast float %p{i} to i32')
            out.append(f'  %i{i} = zext i32 %b{i} to i64')
        elif kind == 'i64':
            out.append(f'  %i{i} = add i64 %p{i}, 0')
        else:
            out.append(f'  %i{i} = zext {kind} %p{i} to i64')
        out.append(f'  %m{i} = mul i64 %s{i}, 31')
        out.append(f'  %s{i + 1} = add i64 %m{i}, %i{i}')
    out.append(f'  store i64 %s{len(function.params)}, ptr @sum')


def call(caller, callee, name, tail):
    arguments = []
    for kind, attributes in callee.params:
        own = [f'%p{i}' for i, (k, _) in enumerate(caller.params) if k == kind] if caller else []
        value = rng.choice(own) if own and rng.random() < 0.7 else constant(kind)
        arguments.append(f'{kind} {attributes}{value}')
    result = '' if callee.result == 'void' else f'%{name} = '
    return (f'  {result}{tail} call {CONVENTION}{callee.extension}{callee.result} {callee.name}'
            f'({", ".join(arguments)})')


def ret(function, value):
    return '  ret void' if function.result == 'void' else f'  ret {function.result} {value}'


def default(function):
    return {'double': '1.0', 'ptr addrspace(1)': 'null'}.get(function.result, '1')


def body(function, functions, out):
    parameters = ', '.join(f'{k} {a}%p{i}' for i, (k, a) in enumerate(function.params))
    out.append(f'define {LINKAGE}{CONVENTION}{function.extension}{function.result} {function.name}({parameters}) '
               'gc "statepoint-example" {')
    add_to_sum(function, out)
    out.append('  %left = load i64, ptr @left\n  %less = sub i64 %left, 1\n'
               '  store i64 %less, ptr @left\n  %done = icmp eq i64 %less, 0\n'
               '  br i1 %done, label %end, label %go\ngo:\n'
               f'  %key = lshr i64 %s{len(function.params)}, 3\n  %which = urem i64 %key, 3\n'
               '  switch i64 %which, label %a [ i64 1, label %b\n i64 2, label %c ]')
    shared = rng.random() < 0.4
    incoming = []
    for block in 'abc':
        callees = [f for f in functions if f.group == function.group and function.result in ('void', f.result)]
        callee = rng.choice(callees)
        out.append(f'{block}:\n' + call(function, callee, f'r{block}', 'tail'))
        incoming.append(f'[ %r{block}, %{block} ]')
        out.append('  br label %join' if shared else ret(function, f'%r{block}'))
    if shared:
        out.append('join:')
        if function.result != 'void':
            out.append(f'  %r = phi {function.result} ' + ', '.join(incoming))
        out.append(ret(function, '%r'))
    out.append('end:\n' + ret(function, default(function)) + '\n}')


def main():
    functions = [Function(n) for n in range(FUNCTIONS)]
    for n in range(FUNCTIONS if CONVENTION else 0):
        if n % GROUP and n < FUNCTIONS * 2 // 3:
            functions[n].join(functions[n - n % GROUP], n // GROUP)
    out = ['target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"',
           'target triple = "x86_64-unknown-linux-gnu"',
           '@sum = global i64 1\n@left = global i64 0\n@text = constant [6 x i8] c"%llx\\0A\\00"',
           'declare i32 @printf(ptr, ...)',
           'define void @print(i64 %n) {\n  %r = call i32 (ptr, ...) @printf(ptr @text, i64 %n)\n  ret void\n}']
    for function in functions:
        body(function, functions, out)
    out.append('define i32 @main() ' + ('gc "statepoint-example" {' if CONVENTION else '{'))
    for n, function in enumerate(functions):
        out.append(f'  store i64 {rng.randrange(10, 200)}, ptr @left')
        out.append(call(None, function, f'r{n}', ''))
        out.append(f'  %s{n} = load i64, ptr @sum')
        out.append(f'  call void @print(i64 %s{n})')
    out.append('  ret i32 0\n}')
    print('\n'.join(out))


main()

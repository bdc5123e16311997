# SPDX-License-Identifier: Apache-2.0
"""Modules for bench/rewrite: one function, or many, of a given shape, as IR text.

Every function is managed, every call is a parse point. `live` references come from memory at the
start and are stored again at the end, so that all of them live over every call between.
"""

HEAD = '''target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @callee()
declare ptr addrspace(1) @make(i64)
declare void @take(ptr addrspace(1), i64)
'''
REF = 'ptr addrspace(1)'


def define(name, parameters, body):
    return f'define void @{name}({parameters}) gc "statepoint-example" {{\n{body}}}\n'


def loads(live):
    return ''.join(f'  %at{i} = getelementptr {REF}, ptr %from, i64 {i}\n'
                   f'  %r{i} = load {REF}, ptr %at{i}\n' for i in range(live))


def stores(live):
    return ''.join(f'  %to{i} = getelementptr {REF}, ptr %into, i64 {i}\n'
                   f'  store {REF} %r{i}, ptr %to{i}\n' for i in range(live))


FRAME = 'ptr %from, ptr %into, i1 %c'


def small(functions, calls):
    """Many small functions: a reference in, a few calls that take and return references."""
    text = []
    for f in range(functions):
        body = f'entry:\n  %r0 = call {REF} @make(i64 {f})\n'
        for c in range(1, calls):
            body += (f'  %p{c} = getelementptr i8, {REF} %r{c // 2}, i64 %n\n'
                     f'  call void @take({REF} %p{c}, i64 {c})\n' if c % 2 else
                     f'  %r{c // 2} = load {REF}, {REF} %r{c // 2 - 1}\n  call void @callee()\n')
        body += f'  store {REF} %a, {REF} %r{(calls - 1) // 2}\n  ret void\n'
        text.append(define(f'f{f}', f'{REF} %a, i64 %n', body))
    return HEAD + ''.join(text)


def straight(calls, live):
    """All calls in one block."""
    body = 'entry:\n' + loads(live) + '  call void @callee()\n' * calls + stores(live)
    return HEAD + define('f', FRAME, body + '  ret void\n')


def chain(calls, live):
    """Each call after a branch of its own, with a merge after it."""
    body = 'entry:\n' + loads(live) + '  br label %b0\n'
    for c in range(calls):
        body += (f'b{c}:\n  br i1 %c, label %call{c}, label %b{c + 1}\n'
                 f'call{c}:\n  call void @callee()\n  br label %b{c + 1}\n')
    return HEAD + define('f', FRAME, body + f'b{calls}:\n' + stores(live) + '  ret void\n')


def nest(depth, live):
    """Loops in loops, each with a call and a pointer that walks."""
    body = 'entry:\n' + loads(live) + '  br label %h0\n'
    for d in range(depth):
        outer = f'%w{d - 1}' if d else '%r0'
        entry = f'h{d - 1}' if d else 'entry'
        body += (f'h{d}:\n  %w{d} = phi {REF} [ {outer}, %{entry} ], [ %n{d}, %l{d} ]\n'
                 f'  call void @take({REF} %w{d}, i64 {d})\n  br label %{f"h{d + 1}" if d + 1 < depth else f"l{d}"}\n')
    for d in reversed(range(depth)):
        after = f'l{d - 1}' if d else 'done'
        body += (f'l{d}:\n  %n{d} = getelementptr i8, {REF} %w{d}, i64 8\n  call void @callee()\n'
                 f'  br i1 %c, label %h{d}, label %{after}\n')
    return HEAD + define('f', FRAME, body + 'done:\n' + stores(live) + '  ret void\n')


def diamonds(count, live):
    """A row of diamonds, each of which chooses between an object and a place in another one."""
    body = 'entry:\n' + loads(live) + '  br label %d0\n'
    last = '%r0'
    for d in range(count):
        other = f'%r{d % live}'
        body += (f'd{d}:\n  br i1 %c, label %x{d}, label %y{d}\n'
                 f'x{d}:\n  %p{d} = getelementptr i8, {REF} {other}, i64 16\n  br label %j{d}\n'
                 f'y{d}:\n  call void @callee()\n  br label %j{d}\n'
                 f'j{d}:\n  %q{d} = phi {REF} [ %p{d}, %x{d} ], [ {last}, %y{d} ]\n'
                 f'  call void @take({REF} %q{d}, i64 {d})\n  br label %d{d + 1}\n')
        last = f'%q{d}'
    return HEAD + define('f', FRAME, body + f'd{count}:\n  store {REF} {last}, ptr %into\n' +
                         stores(live) + '  ret void\n')


def switch(cases, live):
    """A switch each of whose cases calls something."""
    table = ''.join(f'    i64 {c}, label %c{c}\n' for c in range(cases))
    body = f'entry:\n{loads(live)}  switch i64 %n, label %done [\n{table}  ]\n'
    for c in range(cases):
        body += f'c{c}:\n  call void @take({REF} %r{c % live}, i64 {c})\n  br label %done\n'
    return HEAD + define('f', FRAME + ', i64 %n',
                         body + 'done:\n' + stores(live) + '  ret void\n')


def webs(loops, live):
    """Loops in a row whose phis swap references and walk through them."""
    body = 'entry:\n' + loads(live) + '  br label %h0\n'
    current = [f'%r{i}' for i in range(live)]
    for k in range(loops):
        before = f'h{k - 1}' if k else 'entry'
        body += f'h{k}:\n'
        for i in range(live):
            rotated = f'%p{k}.{(i + 1) % live}' if i else f'%g{k}'
            body += f'  %p{k}.{i} = phi {REF} [ {current[i]}, %{before} ], [ {rotated}, %h{k} ]\n'
        body += (f'  call void @callee()\n  %g{k} = getelementptr i8, {REF} %p{k}.{live - 1}, i64 %n\n'
                 f'  br i1 %c, label %h{k}, label %{f"h{k + 1}" if k + 1 < loops else "done"}\n')
        current = [f'%p{k}.{i}' for i in range(live)]
    body += 'done:\n' + ''.join(f'  call void @take({REF} {r}, i64 0)\n' for r in current)
    return HEAD + define('f', FRAME + ', i64 %n', body + '  ret void\n')


SHAPES = {'small': small, 'straight': straight, 'chain': chain, 'nest': nest,
          'diamonds': diamonds, 'switch': switch, 'webs': webs}

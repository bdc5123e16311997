#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a random program in tiny, deterministic by its seed.

  test/random/random_tiny.py SEED [ROUNDS]

The program calls its functions in ROUNDS rounds, with values whose types change from round to round, so that compiled
code meets other types than it was compiled for. Functions call earlier ones and themselves; a global count of calls,
and loops of constant length, bound the run. Each round prints a line in the beginning, and all rounds enter a checksum.
Errors of types and ranges are part of the program: each round catches them, and prints message, line and column.
"""
import random
import sys

FUEL = 6000  # calls of functions in all


class Scope:
    """Variables of a function: (name, type, may it be assigned)."""

    def __init__(self, outer=None, method_of=None, function=None):
        self.variables = list(outer.variables) if outer else []
        self.method_of, self.function = method_of, function
        self.in_loop = self.in_final = False


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.indent, self.names = [], 0, 0
        self.functions = []  # (name, types of parameters, type of the result)
        self.classes = []  # (name, types of init's parameters, fields, methods)
        self.globals = []
        self.is_small = self.chance(90)  # compilations take the time of a run

    # -- output --

    def put(self, text):
        self.lines.append('  ' * self.indent + text)

    def open(self, text):
        self.put(text + ' {')
        self.indent += 1

    def close(self, text=''):
        self.indent -= 1
        self.put('}' + text)

    def name(self, prefix):
        self.names += 1
        return f'{prefix}{self.names}'

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, *values):
        return self.random.choice(values)

    # -- expressions --

    def variable(self, scope, kinds, assigned=False):
        found = [v for v in scope.variables + self.globals if v[1] in kinds and (v[2] or not assigned)]
        return self.random.choice(found)[0] if found else None

    def integer(self):
        r = self.random
        return str(self.pick(r.randint(-9, 9), r.randint(0, 100), r.randint(-10**6, 10**6), 2**30, 2**31, -2**31, 2**53,
                             2**59, 2**60 - 1, -2**60, r.randint(-2**60, 2**60)) if self.chance(30) else r.randint(-5, 12))

    def literal(self, kind):
        r = self.random
        if kind == 'i':
            return self.integer()
        if kind == 'f':
            return self.pick('0.0', '-0.0', '1.5', '0.1', '1e300', '1e-300', '3.25', '1e18', repr(round(r.uniform(-50, 50), 3)))
        if kind == 's':
            return self.pick('""', '"a"', '"tiny"', '"é"', '"12"', '"x\\ny"', f'"k{r.randint(0, 5)}"')
        if kind == 'b':
            return self.pick('true', 'false')
        return 'nil'

    def expression(self, scope, kind, depth):
        """An expression that is mostly of the kind: i, f, s, b, a (array), m (map), o (object), c (closure), v (any)."""
        if kind == 'v' or self.chance(2):
            kind = self.pick('i', 'i', 'f', 's', 'b', 'a', 'o', 'm', 'n') if kind != 'i' else self.pick('f', 's', 'b', 'n')
        shared = [name for name, of, _ in self.globals if of == kind]
        if shared and self.chance(12):
            return self.random.choice(shared)
        known = self.variable(scope, (kind, 'v') if self.chance(10) else (kind,))
        if known and (depth <= 0 or self.chance(35)):
            return known
        if depth <= 0:
            return self.simple(scope, kind)
        if self.chance(15):
            call = self.call(scope, kind, depth - 1)
            if call:
                return call
        make = getattr(self, 'make_' + kind, None)
        return make(scope, depth - 1) if make else 'nil'

    def simple(self, scope, kind):
        if kind == 'a':
            return f'[{self.literal("i")}, {self.literal("i")}, {self.literal("f")}]'
        if kind == 'm':
            return 'map()'
        if kind == 'o':
            return f'{{p: {self.literal("i")}, q: {self.literal("f")}}}'
        if kind == 'c':
            return f'fn(x) {{ return x + {self.literal("i")} }}'
        return self.literal(kind)

    def make_i(self, scope, depth):
        a, b = (self.expression(scope, 'i', depth) for _ in 'ab')
        return self.pick(
            f'({a} + {b})', f'({a} - {b})', f'({a} * {b})', f'({a} + {b})', f'({a} % {self.pick("7", "-3", b)})',
            f'({a} \\ {self.pick("3", "-2", b)})', f'({a} & {b})', f'({a} | {b})', f'({a} ^ {b})', f'(~{a})', f'(-{a})',
            f'({a} << {self.pick("1", "3", "40")})', f'({a} >> {self.pick("1", "5", "60")})', f'abs({a})', f'min({a}, {b})',
            f'({self.expression(scope, "a", depth)}).length', f'{self.text(scope, depth)}.length',
            f'({self.expression(scope, "a", depth)})[{self.index(scope, depth)}]', f'floor({self.expression(scope, "f", depth)})',
            self.field(scope, 'i', depth), f'({self.expression(scope, "m", depth)}).length',
            f'({self.expression(scope, "a", depth)}).reduce(fn(x, y) {{ return x + y }}, {a})')

    def make_f(self, scope, depth):
        a, b = self.expression(scope, 'f', depth), self.expression(scope, self.pick('f', 'f', 'i'), depth)
        return self.pick(f'({a} + {b})', f'({a} - {b})', f'({a} * {b})', f'({a} / {b})', f'(-{a})', f'({b} * {a})', f'sqrt(abs({a}))',
                         f'float({self.expression(scope, "i", depth)})', f'({a} % {b})', self.field(scope, 'f', depth),
                         f'max({a}, {b})')

    def make_n(self, scope, depth):
        return 'nil'

    def make_b(self, scope, depth):
        kind = self.pick('i', 'f', 'i', 's')
        a, b = self.expression(scope, kind, depth), self.expression(scope, kind if self.chance(80) else 'v', depth)
        p, q = (self.expression(scope, 'b', depth) for _ in 'ab')
        return self.pick(f'({a} < {b})', f'({a} <= {b})', f'({a} > {b})', f'({a} >= {b})', f'({a} == {b})', f'({a} != {b})',
                         f'({p} and {q})', f'({p} or {q})', f'(!{p})', f'(type({self.expression(scope, "v", depth)}) == "integer")')

    def text(self, scope, depth):
        return f'({self.expression(scope, "s", depth)})'

    def make_s(self, scope, depth):
        a, v = self.expression(scope, 's', depth), self.expression(scope, 'v', depth)
        return self.pick(f'({a} + {self.expression(scope, "s", depth)})', f'str({v})', f'"<${{{v}}}>"', f'({a}).upper()',
                         f'({a}).slice({self.expression(scope, "i", 0)}, 4)', f'({a})[{self.index(scope, depth)}]',
                         f'({a}).replace("a", "bb")', f'({self.expression(scope, "a", depth)}).join(",")', f'type({v})')

    def make_a(self, scope, depth):
        a = self.expression(scope, 'a', depth)
        kind = self.pick('i', 'i', 'f', 'v')
        elements = ', '.join(self.expression(scope, kind, depth - 1) for _ in range(self.random.randint(0, 4)))
        inner = Scope(scope)
        inner.variables.append(('x', 'i', True))
        return self.pick(f'[{elements}]', f'[{elements}]', f'({a}).slice(0, 3)', f'({a}).map(fn(x) {{ return {self.expression(inner, "i", depth - 1)} }})',
                         f'({a}).filter(fn(x) {{ return {self.expression(inner, "b", depth - 1)} }})',
                         f'({a}).slice(0, 6).concat([{self.expression(scope, "i", depth)}])', f'({self.expression(scope, "m", depth)}).keys()',
                         f'array(3, {self.expression(scope, "i", depth)})')

    def make_m(self, scope, depth):
        return self.variable(scope, ('m',)) or 'map()'

    def make_o(self, scope, depth):
        if self.classes and self.chance(70):
            name, parameters, _, _ = self.random.choice(self.classes)
            return f'{name}({", ".join(self.expression(scope, kind, depth - 1) for kind in parameters)})'
        return f'{{p: {self.expression(scope, "i", depth - 1)}, q: {self.expression(scope, self.pick("f", "i", "s"), depth - 1)}}}'

    def make_c(self, scope, depth):
        inner = Scope(scope)
        inner.variables.append(('x', self.pick('i', 'v'), True))
        return f'fn(x) {{ return {self.expression(inner, "i", depth)} }}'

    def index(self, scope, depth):
        return self.pick('0', '1', '2', self.expression(scope, 'i', min(depth, 1)))

    def field(self, scope, kind, depth):
        if scope.method_of and self.chance(60):
            fields = [name for name, of in scope.method_of[2] if of == kind]
            if fields:
                return f'this.{self.random.choice(fields)}'
        target = self.expression(scope, 'o', depth)
        if self.chance(40) and self.classes:
            method = self.method_call(scope, target, kind, depth)
            if method:
                return method
        return f'({target}).{self.pick("p", "p", "q")}' if kind == 'i' else f'({target}).q'

    def method_call(self, scope, target, kind, depth):
        found = [(name, of) for c in self.classes for name, of, result in c[3] if result == kind]
        if not found:
            return None
        name, parameters = self.random.choice(found)
        return f'({target}).{name}({", ".join(self.expression(scope, of, depth - 1) for of in parameters)})'

    def call(self, scope, kind, depth):
        closure = self.variable(scope, ('c',))
        if closure and kind == 'i' and self.chance(40):
            return f'{closure}({self.expression(scope, "i", depth - 1)})'
        found = [f for f in self.functions if f[2] == kind]
        if not found:
            return None
        name, parameters, _ = self.random.choice(found)
        return f'{name}({", ".join(self.expression(scope, of if self.chance(92) else "v", depth - 1) for of in parameters)})'

    # -- statements --

    def block(self, scope, count, depth):
        inner = Scope(scope, scope.method_of, scope.function)
        inner.in_loop, inner.in_final = scope.in_loop, scope.in_final
        for _ in range(count):
            self.statement(inner, depth)

    def statement(self, scope, depth):
        kinds = ['let', 'let', 'assign', 'assign', 'assign', 'element', 'element', 'member', 'call'] + ['arithmetic'] * 3
        if self.classes:
            kinds += ['construct', 'construct']
        if depth > 0:
            kinds += ['if', 'if', 'for', 'for', 'while', 'each', 'try', 'closure', 'switch']
        if scope.in_loop and not scope.in_final:
            kinds += ['leave']
        if scope.function and self.chance(10) and not scope.in_final:
            kinds = ['return', 'throw']
        getattr(self, 'do_' + self.random.choice(kinds))(scope, depth)

    def do_let(self, scope, depth):
        kind = self.pick('i', 'i', 'i', 'f', 'f', 's', 'b', 'a', 'a', 'm', 'o', 'c')
        name = self.name('v')
        self.put(f'let {name} = {self.expression(scope, kind, 2)}')
        scope.variables.append((name, kind, kind not in 'c'))

    def do_assign(self, scope, depth):
        kind = self.pick('i', 'i', 'f', 's', 'b', 'v')
        name = self.variable(scope, (kind,), True)
        if not name:
            return self.do_let(scope, depth)
        if kind in 'if' and self.chance(50):
            return self.put(f'{name} {self.pick("+", "-", "*", "+")}= {self.expression(scope, kind, 1)}')
        return self.put(f'{name} = {self.bounded(scope, kind)}')

    def bounded(self, scope, kind):
        """An expression whose text stays short, over any number of iterations."""
        made = self.expression(scope, kind, 2)
        return f'({made}).slice(0, 50)' if kind == 's' else f'str({made}).slice(0, 50)' if kind == 'v' and self.chance(30) else made

    def leaf(self, scope, kind):
        """A variable or a literal, mostly of the kind."""
        kind = kind if self.chance(96) else self.pick('i', 'f', 'b', 's', 'n')
        return self.chance(75) and self.variable(scope, (kind,)) or self.literal(kind)

    def arithmetic(self, scope, kind, depth):
        """Operators alone, of all kinds; divisors are seldom 0."""
        if depth == 0 or self.chance(15):
            return self.leaf(scope, kind)
        a, b = self.arithmetic(scope, kind, depth - 1), self.arithmetic(scope, kind if self.chance(80) else 'i', depth - 1)
        if kind == 'f':
            return f'({a} {self.pick("+", "-", "*", "/")} {b})'
        divisor = self.pick('7', '-3', '8', f'({self.leaf(scope, "i")} | 1)', b)
        return self.pick(f'({a} + {b})', f'({a} - {b})', f'({a} * {b})', f'({a} % {divisor})', f'({a} \\ {divisor})',
                         f'({a} & {b})', f'({a} | {b})', f'({a} ^ {b})', f'({a} << {self.pick("1", "7", "59")})',
                         f'({a} >> {self.pick("1", "9", "1", "9", "64", self.leaf(scope, "i"))})', f'(-{a})', f'(~{a})',
                         f'({a} % 1009)', f'({a} + {self.random.randint(-4, 4)})')

    def do_arithmetic(self, scope, depth):
        for _ in range(self.random.randint(1, 3)):
            kind = self.pick('i', 'i', 'f')
            name = self.variable(scope, (kind,), True)
            made = self.arithmetic(scope, kind, 3)
            if name:
                self.put(f'{name} = {made}')
            else:
                name = self.name('v')
                self.put(f'let {name} = {made}')
                scope.variables.append((name, kind, True))
            if self.chance(40):
                self.put(f'mix(str({name}))')
            if self.chance(30):
                compared = f'{name} {self.pick("<", "<=", ">", ">=", "==", "!=")} {self.arithmetic(scope, kind, 1)}'
                self.put(f'if {compared} {{ mix({self.literal("s")}) }}')

    def do_construct(self, scope, depth):
        name, (class_, parameters, fields, _) = self.name('v'), self.random.choice(self.classes)
        self.put(f'let {name} = {class_}({", ".join(self.arithmetic(scope, kind, 1) for kind in parameters)})')
        self.put(f'mix(str({name}.{self.random.choice(fields)[0]}))')
        scope.variables.append((name, 'o', True))

    def do_element(self, scope, depth):
        array, table = self.variable(scope, ('a',)), self.variable(scope, ('m',))
        if table and self.chance(50):
            self.put(f'{table}[{self.bounded(scope, self.pick("s", "i", "i", "f"))}] = {self.bounded(scope, self.pick("i", "f", "s"))}')
        elif array:
            self.put(self.pick(f'{array}[{self.index(scope, 1)}] = {self.expression(scope, self.pick("i", "i", "f"), 1)}',
                               f'if {array}.length < 40 {{ {array}.push({self.expression(scope, "i", 1)}) }}'))
        else:
            self.do_let(scope, depth)

    def do_member(self, scope, depth):
        if scope.method_of and self.chance(70):
            name, kind = self.random.choice(scope.method_of[2])
            return self.put(f'this.{name} = {self.bounded(scope, kind)}')
        target = self.variable(scope, ('o',))
        if not target:
            return self.do_let(scope, depth)
        return self.put(f'{target}.{self.pick("p", "p", "q", "r")} {self.pick("=", "=", "+=")} {self.expression(scope, "i", 1)}')

    def do_call(self, scope, depth):
        call = self.call(scope, self.pick('i', 'f', 's', 'v', 'a'), 1)
        if call:
            self.put(call)
        else:
            self.do_assign(scope, depth)

    def do_if(self, scope, depth):
        self.open(f'if {self.expression(scope, "b", 2)}')
        self.block(scope, self.random.randint(1, 2), depth - 1)
        if self.chance(50):
            self.indent -= 1
            self.open('} else')
            self.block(scope, self.random.randint(1, 2), depth - 1)
        self.close()

    def do_switch(self, scope, depth):
        subject = self.variable(scope, ('i', 'v')) or self.integer()
        for turn in range(3):
            self.lines.append('  ' * self.indent + ('} else ' if turn else '') + f'if {subject} == {self.random.randint(-1, 6)} {{')
            self.indent += 1
            self.block(scope, 1, depth - 1)
            self.indent -= 1
        self.put('}')

    def loop_body(self, scope, depth, name, kind):
        inner = Scope(scope, scope.method_of, scope.function)
        inner.in_loop, inner.in_final = True, scope.in_final
        if name:
            inner.variables.append((name, kind, False))
        self.block(inner, self.random.randint(1, 3), depth - 1)

    def do_for(self, scope, depth):
        name = self.name('i')
        low = self.pick('0', '0', '1', '-2')
        self.open(f'for {name} in {low}..{self.random.randint(2, 7)}')
        self.loop_body(scope, depth, name, 'i')
        self.close()

    def do_while(self, scope, depth):
        name = self.name('w')
        self.put(f'let {name} = 0')
        self.open(f'while {name} < {self.random.randint(2, 6)}')
        self.put(f'{name} += 1')
        scope.variables.append((name, 'i', False))
        self.loop_body(scope, depth, None, None)
        self.close()

    def do_each(self, scope, depth):
        name = self.name('e')
        if self.chance(60):
            self.open(f'for {name} in ({self.expression(scope, "a", 1)}).slice(0, 5)')
            self.loop_body(scope, depth, name, 'i')
        else:
            key, count, table = self.name('k'), self.name('n'), self.variable(scope, ('m',))
            self.put(f'let {count} = 0')
            self.open(f'for {key}, {name} in {table or "[1, 2.5, 3]"}')
            self.put(f'{count} += 1')
            self.put(f'if {count} > 6 {{ break }}')
            scope.variables.append((count, 'i', False))
            self.loop_body(scope, 0, name, 'v')
        self.close()

    def do_leave(self, scope, depth):
        self.put(f'if {self.expression(scope, "b", 1)} {{ {self.pick("break", "continue")} }}')

    def do_try(self, scope, depth):
        self.open('try')
        self.block(scope, self.random.randint(1, 3), depth - 1)
        has_catch = self.chance(75)
        if has_catch:
            name = self.name('x')
            self.indent -= 1
            self.open(f'}} catch {name}')
            self.put(f'note({name})')
            self.block(scope, self.random.randint(0, 2), depth - 1)
        if not has_catch or self.chance(40):
            self.indent -= 1
            self.open('} finally')
            inner = Scope(scope, scope.method_of, scope.function)
            inner.in_final = True
            self.block(inner, 1, depth - 1)
        self.close()

    def do_closure(self, scope, depth):
        name, parameter = self.name('c'), self.name('p')
        self.open(f'let {name} = fn({parameter})')
        inner = Scope(scope, scope.method_of, ('', 'i'))
        inner.in_loop = False
        inner.variables.append((parameter, 'i', True))
        self.put('fuel -= 1')
        self.put('if fuel < 0 { return 0 }')
        self.block(inner, self.random.randint(1, 2), depth - 1)
        self.put(f'return {self.expression(inner, "i", 2)}')
        self.close()
        scope.variables.append((name, 'c', False))

    def do_return(self, scope, depth):
        self.put(f'if {self.expression(scope, "b", 1)} {{ return {self.expression(scope, scope.function[1], 2)} }}')

    def do_throw(self, scope, depth):
        self.put(f'if {self.expression(scope, "b", 1)} {{ throw {self.pick("Error(" + self.literal("s") + ")", self.expression(scope, "v", 1))} }}')

    # -- definitions --

    def body(self, scope, result, name=None):
        self.put('fuel -= 1')
        self.put(f'if fuel < 0 {{ return {self.simple(scope, result)} }}')
        for _ in range(self.random.randint(1, 3) if self.is_small else self.random.randint(2, 5)):
            self.statement(scope, 2)
        self.put(f'return {self.expression(scope, result, 2 if self.is_small else 3)}')

    def function(self):
        name, result = self.name('f'), self.pick('i', 'i', 'i', 'f', 'f', 's', 'a', 'v', 'b')
        kinds = [self.pick('i', 'i', 'f', 's', 'a', 'o', 'v') for _ in range(self.random.randint(0, 4))]
        scope = Scope(function=(name, result))
        scope.variables = [(f'p{i}', kind, True) for i, kind in enumerate(kinds)]
        is_recursive = self.chance(30)
        parameters = ['depth'] * is_recursive + [v[0] for v in scope.variables]
        self.open(f'fn {name}({", ".join(parameters)})')
        if is_recursive:
            self.open('if depth > 0 and depth < 9 and fuel > 0')
            arguments = ['depth - 1'] + [self.bounded(scope, kind) for kind in kinds]
            self.put(f'let deeper = {name}({", ".join(arguments)})')
            if result in 'if':
                self.put(f'if depth > 3 {{ return deeper {self.pick("+", "-", "*")} {self.expression(scope, result, 1)} }}')
            self.close()
        self.body(scope, result)
        self.close()
        self.functions.append((name, ['i'] * is_recursive + kinds, result))

    def class_(self):
        name, base = self.name('C'), self.random.choice(self.classes) if self.classes and self.chance(60) else None
        fields = (list(base[2]) if base else [('p', 'i'), ('q', 'f')]) + [(self.name('m'), self.pick('i', 'f', 's', 'a'))]
        kinds = ['i', self.pick('f', 'i')]
        made = [name, kinds, fields, list(base[3]) if base else []]
        self.open(f'class {name}' + (f' : {base[0]}' if base else ''))
        self.open('init(a, b)')
        scope = Scope()
        scope.variables = [('a', 'i', True), ('b', 'f', True)]
        self.put('super.init(a, b)' if base else 'this.p = a')
        if not base:
            self.put('this.q = b')
        if self.chance(60):
            self.put(f'this.p = {self.arithmetic(scope, "i", 2)}')
        self.put(f'this.{fields[-1][0]} = {self.expression(scope, fields[-1][1], 1)}')
        self.close()
        methods = []
        for _ in range(self.random.randint(1, 3)):
            inherited = self.random.choice(base[3]) if base and base[3] and self.chance(50) else None
            result = inherited[2] if inherited else self.pick('i', 'i', 'f', 's')
            method = inherited[0] if inherited else self.name('g')
            of = inherited[1] if inherited else [self.pick('i', 'f', 'o') for _ in range(self.random.randint(0, 2))]
            if method in [m[0] for m in methods]:
                continue
            scope = Scope(method_of=made, function=(method, result))
            scope.variables = [(f'p{i}', kind, True) for i, kind in enumerate(of)]
            self.open(f'{method}({", ".join(v[0] for v in scope.variables)})')
            if inherited and self.chance(60):
                self.put(f'let above = super.{method}({", ".join(v[0] for v in scope.variables)})')
                scope.variables.append(('above', result, True))
            self.body(scope, result)
            self.close()
            methods.append((method, of, result))
        self.close()
        made[3] = [m for m in made[3] if m[0] not in [n[0] for n in methods]] + methods
        self.classes.append(made)

    def rounds(self, rounds):
        self.open(f'for round in 0..{rounds}')
        self.put(f'fuel = {FUEL} \\ 4')
        scope = Scope(function=None)
        scope.variables = [('round', 'i', False), ('odd', 'v', False)]
        self.put('let odd = round')
        self.put('if round % 7 == 3 { odd = round / 2 }')
        self.put('if round % 11 == 5 { odd = "r${round}" }')
        for name, kinds, result in self.functions:
            arguments = [self.pick('odd', 'round', self.expression(scope, kind, 1), self.expression(scope, kind, 1)) for kind in kinds]
            self.open('try')
            self.put(f'show(round, {name}({", ".join(arguments)}))')
            self.indent -= 1
            self.open('} catch e')
            self.put('note(e)')
            self.close()
        self.changes(rounds)
        self.close()

    def changes(self, rounds):
        """Globals that compiled code takes for constant get other values."""
        for name, kind, _ in self.globals:
            if self.chance(50):
                self.put(f'if round == {self.random.randint(1, rounds)} {{ {name} = {self.simple(Scope(), kind)} }}')
        for name, kinds, result in self.functions:
            if self.chance(25):
                parameters = ', '.join(f'p{i}' for i in range(len(kinds)))
                self.put(f'if round == {self.random.randint(1, rounds)} {{ {name} = fn({parameters}) '
                         f'{{ return {self.literal(result)} }} }}')

    def make(self, rounds):
        self.put('let fuel = 0')
        self.put('let hash = 7')
        self.put('let notes = 0')
        self.open('fn mix(text)')
        self.put('for i in 0..min(text.length, 60) { hash = (hash * 31 + text.byte(i)) % 1000003 }')
        self.close()
        self.open('fn show(round, v)')
        self.put('let text = str(v)')
        self.put('mix(text)')
        self.put('if round < 3 { print(round, text.slice(0, 200)) }')
        self.close()
        self.open('fn note(e)')
        self.put('let text = str(e)')
        self.put('if type(e) == "object" {')
        self.put('  try { text = "${e.message} ${e.line}:${e.column}" } catch other { text = "object" }')
        self.put('}')
        self.put('mix(text)')
        self.put('notes += 1')
        self.put('if notes < 20 { print("caught", text.slice(0, 200)) }')
        self.close()
        for kind in ('i', 'i', 'f', 'b', 's', 'a', 'm', 'o'):
            name = self.name('g')
            self.put(f'let {name} = {self.simple(Scope(), kind)}')
            self.globals.append((name, kind, kind in 'ifs' and self.chance(50)))
        for _ in range(self.random.randint(1, 3) if self.is_small else self.random.randint(4, 9)):
            self.class_() if self.chance(35) and not (self.is_small and self.classes) else self.function()
        self.rounds(rounds)
        self.put('print("hash", hash, notes)')
        return '\n'.join(self.lines) + '\n'


if __name__ == '__main__':
    sys.stdout.write(Program(int(sys.argv[1])).make(int(sys.argv[2]) if len(sys.argv) > 2 else 60))

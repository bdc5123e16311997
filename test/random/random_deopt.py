#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a random module of LLVM IR with bundles "deopt", from a seed.

Calls name values of all types, references into objects, objects, and undefined values, either plainly or in frame
records with objects of their own. Before each call the module passes the same values, field by field, to the native
functions of deopt/observer.c, which reads the operands of all activations by <cairn/deopt.h> after the objects have
moved, and compares. Objects hold a number, by which they are known; the observer keeps their contents, too. In modules
of goes_on(), a function has a second version, which begins at a call with the variables of a state.

usage: random_deopt.py SEED > module.ll     the module of run_deopt; its function is module_SEED()
"""
import os
import random
import sys

LANGUAGE, LAYOUT = 3, 5
ARGUMENTS = ['%a', '%i', '%x', '%y', '%z']  # those that functions read after their start
FRAME = 0x4346524d << 32
INTEGER, FLOAT, POINTER, REFERENCE, UNDEFINED, LOCAL, VECTOR = range(7)
# type: class, bits, integer type of the same bits
TYPES = {
    'i1': (INTEGER, 1, 'i1'), 'i8': (INTEGER, 8, 'i8'), 'i16': (INTEGER, 16, 'i16'), 'i32': (INTEGER, 32, 'i32'),
    'i33': (INTEGER, 33, 'i33'), 'i64': (INTEGER, 64, 'i64'), 'i100': (INTEGER, 100, 'i100'),
    'i128': (INTEGER, 128, 'i128'), 'half': (FLOAT, 16, 'i16'), 
    'float': (FLOAT, 32, 'i32'), 'double': (FLOAT, 64, 'i64'), 'x86_fp80': (FLOAT, 80, 'i80'),
    '<4 x i32>': (VECTOR, 128, 'i128'), '<2 x i8>': (VECTOR, 16, 'i16'), '<3 x i16>': (VECTOR, 48, 'i48'),
    '<2 x double>': (VECTOR, 128, 'i128'), '<2 x float>': (VECTOR, 64, 'i64'), '<2 x i24>': (VECTOR, 48, 'i48'),
    'ptr': (POINTER, 64, 'i64'),
}

# The machine of the environment's RANDOM_MACHINE, as for random_module; types that it has not are left out.
if os.environ.get('RANDOM_MACHINE') == 'aarch64':
    DATA_LAYOUT = 'e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32'
    TRIPLE = 'aarch64-unknown-linux-gnu'
    del TYPES['x86_fp80'], TYPES['<3 x i16>']
else:
    DATA_LAYOUT = 'e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128'
    TRIPLE = 'x86_64-unknown-linux-gnu'

HEAD = f"""\
target datalayout = "{DATA_LAYOUT}-ni:1"
target triple = "{TRIPLE}"
%node = type {{ i64, i64, double, ptr addrspace(1) }}
@node = internal global %node zeroinitializer
@root = internal global ptr addrspace(1) null
@seed = internal global i64 88172645463325252
!cairn.deopt.layouts = !{{!0}}
!0 = !{{ptr @node, i32 3, i32 5}}
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @expect(i32, i32, i64, i64) "gc-leaf-function"
declare void @expect_reference(i64, i64) "gc-leaf-function"
declare void @expect_undefined() "gc-leaf-function"
declare void @expect_object(i64, i64) "gc-leaf-function"
declare void @push_frame() "gc-leaf-function"
declare void @pop_frame() "gc-leaf-function"
declare i64 @fresh_number() "gc-leaf-function"
declare void @note_field(i64, i64, i64) "gc-leaf-function"
declare void @remember(ptr addrspace(1)) "gc-leaf-function"
declare void @look()
declare i1 @leaves_now() "gc-leaf-function"
declare void @cairn_deoptimize(i64)
"""


MAIN_HEAD = """\
declare void @begin(i64, i1 zeroext, i1 zeroext) "gc-leaf-function"
declare void @keep_trace() "gc-leaf-function"
declare void @finish() "gc-leaf-function"
declare void @move()
declare void @compare_state(ptr addrspace(1)) "gc-leaf-function"
define void @go_on(ptr addrspace(1) %state) gc "statepoint-example" {
  call void @move()
  call void @compare_state(ptr addrspace(1) %state)
  %at = getelementptr i8, ptr addrspace(1) %state, i64 8
  %frames = load i32, ptr addrspace(1) %at
  %all = zext i32 %frames to i64
  br label %head
head:
  %left = phi i64 [ %all, %0 ], [ %frame, %next ]
  %over = icmp eq i64 %left, 0
  br i1 %over, label %end, label %body
body:
  %frame = sub i64 %left, 1
  %offset = mul i64 %frame, 64
  %item = getelementptr i8, ptr addrspace(1) %state, i64 %offset
  %function_at = getelementptr i8, ptr addrspace(1) %item, i64 56
  %index_at = getelementptr i8, ptr addrspace(1) %item, i64 64
  %function = load i64, ptr addrspace(1) %function_at
  %index = load i64, ptr addrspace(1) %index_at
  switch i64 %function, label %next [ CASES ]
CALLS
next:
  br label %head
end:
  ret void
}
"""
MOST_FUNCTIONS = 4


class Function:
    def __init__(self, rng, name, seed, callees, noinline):
        self.rng, self.name, self.callees = rng, name, callees
        self.records, self.is_left, self.goes_on = has_records(seed), is_left(seed), goes_on(seed)
        self.identity = number_of(seed, int(name[1:]))
        self.sites, self.counters = [], []  # the active counters at each call with a bundle
        self.lines, self.number, self.allocas = [], 0, []
        self.noinline = noinline
        self.depth = 0
        self.looks = 0

    def put(self, line):
        self.lines.append('  ' + line)

    def value(self, text):
        self.number += 1
        name = '%%v%d' % self.number
        self.put('%s = %s' % (name, text))
        return name

    def label(self):
        self.number += 1
        return 'b%d' % self.number

    def start(self, label):
        self.lines.append('%s:' % label)

    def variable(self, type_):
        name = '%%a%d' % len(self.allocas)
        self.allocas.append('  %s = alloca %s' % (name, type_))
        return name

    # ---- values ----

    def word(self):
        """An i64 that LLVM knows, or not."""
        choice = self.rng.randrange(5)
        if choice == 0:
            return str(self.rng.choice([0, 1, -1, 7, 1 << 40, -(1 << 63), 0xfefefefe, self.rng.randrange(1 << 63)]))
        if choice == 1:
            return self.rng.choice(['%a', '%i', '%x', '%y', '%z'])
        if choice == 2:
            return self.value('load volatile i64, ptr @seed')
        old = self.value('load i64, ptr %s' % self.rng.choice(self.words))
        if choice == 3:
            return old
        return self.value('%s i64 %s, %s' % (self.rng.choice(['add', 'mul', 'xor', 'sub']), old,
                                             self.rng.choice(['%a', '3', '-7'])))

    def wide(self, bits):
        low = self.value('zext i64 %s to i128' % self.word())
        high = self.value('shl i128 %s, 64' % self.value('zext i64 %s to i128' % self.word()))
        both = self.value('or i128 %s, %s' % (low, high))
        return both if bits == 128 else self.value('trunc i128 %s to i%d' % (both, bits))

    def scalar(self, type_):
        _, bits, integer = TYPES[type_]
        if type_ == 'x86_fp80':
            return self.value('sitofp i64 %s to x86_fp80' % self.word())
        if type_ == 'ptr':
            return self.value('inttoptr i64 %s to ptr' % self.word())
        if bits > 64:
            value = self.wide(bits)
        elif bits == 64:
            value = self.value('add i64 %s, 0' % self.word())
        else:
            value = self.value('trunc i64 %s to i%d' % (self.word(), bits))
        return value if type_ == integer else self.value('bitcast %s %s to %s' % (integer, value, type_))

    def expect_scalar(self, type_, value):
        class_, bits, integer = TYPES[type_]
        if type_ == 'ptr':
            value = self.value('ptrtoint ptr %s to i64' % value)
        elif type_ != integer:
            value = self.value('bitcast %s %s to %s' % (type_, value, integer))
        low, high = value, '0'
        if bits < 64:
            low = self.value('zext %s %s to i64' % (integer, value))
        elif bits > 64:
            low = self.value('trunc %s %s to i64' % (integer, value))
            high = self.value('trunc %s %s to i64' % (integer, self.value('lshr %s %s, 64' % (integer, value))))
        self.put('call void @expect(i32 %d, i32 %d, i64 %s, i64 %s)' % (class_, bits, low, high))

    def reference(self):
        at = self.rng.choice(self.references)
        return (self.value('load ptr addrspace(1), ptr %s' % at[0]), self.value('load i64, ptr %s' % at[1]))

    def operand(self, objects, field=False):
        """A typed operand, and a function that emits its expectation."""
        choice = self.rng.randrange(20)
        if choice < 8:
            type_ = self.rng.choice(self.types)
            at = self.rng.choice(self.variables[type_])
            value = self.value('load %s, ptr %s' % (type_, at))
            return '%s %s' % (type_, value), lambda: self.expect_scalar(type_, value)
        if choice < 13:
            reference, number = self.reference()
            return ('ptr addrspace(1) %s' % reference,
                    lambda: self.put('call void @expect_reference(i64 %s, i64 0)' % number))
        if choice == 13 and not field:
            reference, number = self.reference()
            offset = self.rng.choice(['8', '17', self.value('and i64 %s, 31' % self.word())])
            place = self.value('getelementptr i8, ptr addrspace(1) %s, i64 %s' % (reference, offset))
            return ('ptr addrspace(1) %s' % place,
                    lambda: self.put('call void @expect_reference(i64 %s, i64 %s)' % (number, offset)))
        if choice == 14:
            return 'ptr addrspace(1) null', lambda: self.put('call void @expect_reference(i64 0, i64 0)')
        if choice == 15:
            type_ = self.rng.choice(self.types)
            if type_ == 'x86_fp80':
                type_ = 'i64'
            return '%s %s' % (type_, self.rng.choice(['undef', 'poison'])), \
                lambda: self.put('call void @expect_undefined()')
        if choice == 16 and objects:
            number = self.rng.randrange(len(objects))
            return 'i24 %d' % number, lambda: self.put('call void @expect_object(i64 %d, i64 %d)' %
                                                       (number, objects[number]))
        if choice == 17 and not self.records:
            value = self.value('ptrtoint ptr %s to i64' % self.fixed)
            return ('ptr %s' % self.fixed,
                    lambda: self.put('call void @expect(i32 %d, i32 64, i64 %s, i64 0)' % (LOCAL, value)))
        constant = self.rng.choice([0, 5, -1, 1 << 62])
        return 'i64 %d' % constant, \
            lambda: self.put('call void @expect(i32 %d, i32 64, i64 %d, i64 0)' % (INTEGER, constant))

    def constant(self, word):
        word &= (1 << 64) - 1
        signed = word - (1 << 64) if word >> 63 else word
        return 'i64 %d' % signed, lambda: self.put('call void @expect(i32 %d, i32 64, i64 %d, i64 0)' %
                                                   (INTEGER, signed))

    def fitting_field(self, offset, objects):
        """The value of a field of %node."""
        if offset == 24:
            if self.rng.randrange(2):
                number = self.rng.randrange(len(objects))
                return 'i24 %d' % number, lambda: self.put('call void @expect_object(i64 %d, i64 %d)' %
                                                           (number, objects[number]))
            reference, number = self.reference() if self.rng.randrange(4) else ('null', '0')
            return ('ptr addrspace(1) %s' % reference,
                    lambda: self.put('call void @expect_reference(i64 %s, i64 0)' % number))
        word = self.value('add i64 %s, 0' % self.word())
        type_, value = ('double', self.value('bitcast i64 %s to double' % word)) if offset == 16 else ('i64', word)
        return '%s %s' % (type_, value), lambda: self.expect_scalar(type_, value)

    # ---- bundles ----

    def all_values(self):
        """Operands of all that the rest of the function may read."""
        operands = []
        for type_, at in self.variables_with_types():
            value = self.value('load %s, ptr %s' % (type_, at))
            operands.append(('%s %s' % (type_, value), lambda t=type_, v=value: self.expect_scalar(t, v)))
        for at in self.references:
            reference = self.value('load ptr addrspace(1), ptr %s' % at[0])
            number = self.value('load i64, ptr %s' % at[1])
            operands.append(('ptr addrspace(1) %s' % reference,
                             lambda n=number: self.put('call void @expect_reference(i64 %s, i64 0)' % n)))
        for name in ARGUMENTS:
            operands.append(('i64 ' + name, lambda n=name: self.expect_scalar('i64', n)))
        for at in self.counters:
            value = self.value('load i64, ptr %s' % at)
            operands.append(('i64 ' + value, lambda v=value: self.expect_scalar('i64', v)))
        return operands

    def variables_with_types(self):
        return [(type_, at) for type_ in self.types for at in self.variables[type_]] + \
            [('i64', at) for at in self.words + [at[1] for at in self.references]]

    def full_record(self, site):
        """A record from which the function can go on at the label after the call."""
        values = self.all_values()
        stack = self.rng.randrange(3)
        return [self.constant(FRAME | 6 + len(values)), self.constant(LANGUAGE | self.rng.randrange(3) << 16),
                self.constant(self.identity), self.constant(site), self.constant(len(values) - stack | stack << 32),
                self.constant(0)] + values

    def record(self, site=0):
        """The operands of a frame record, with its own objects, which may name one another."""
        if self.goes_on:
            return self.full_record(site)
        fields = [self.rng.randrange(4) for _ in range(self.rng.choice([0, 0, 0, 1, 2, 3]))]
        locals_, stack = self.rng.randrange(6), self.rng.randrange(3)
        at, firsts = 6 + locals_ + stack, []
        for count in fields:
            firsts.append(at + 2)
            at += 2 + 2 * count
        operands = [self.constant(FRAME | at), self.constant(LANGUAGE | self.rng.randrange(3 if self.is_left else 4) << 16),
                    self.constant(self.rng.randrange(1 << 40)), self.constant(self.rng.randrange(1 << 20)),
                    self.constant(locals_ | stack << 32), self.constant(len(fields))]
        operands += [self.operand(firsts) for _ in range(locals_ + stack)]
        for count in fields:
            if self.is_left:
                operands += [self.constant(LAYOUT | count << 32), self.constant(0)]
                for offset in sorted(self.rng.sample([0, 8, 16, 24], count)):
                    operands += [self.constant(offset), self.fitting_field(offset, firsts)]
                continue
            operands += [self.constant(900 | count << 32), self.constant(self.rng.choice([0, 3]))]
            for i in range(count):
                operands += [self.constant(16 * i), self.operand(firsts, True)]
        return operands

    def call_with_bundle(self, call):
        self.sites.append(list(self.counters))
        operands = self.record(len(self.sites)) if self.records else \
            [self.operand(None) for _ in range(self.rng.randrange(1, 7))]
        for _, expectation in operands:
            expectation()
        self.put('call void @push_frame()')
        live_in = not self.records and self.rng.randrange(8) == 0
        self.put('%s%s [ "deopt"(%s) ]' % (call, ' "deopt-lowering"="live-in"' if live_in else '',
                                          ', '.join(text for text, _ in operands)))
        if self.goes_on:
            self.put('br label %%after_%d' % len(self.sites))
            self.start('after_%d' % len(self.sites))
        self.put('call void @pop_frame()')

    def leave(self):
        """Leave the activation by chance."""
        self.sites.append(list(self.counters))
        site, operands = len(self.sites), self.full_record(len(self.sites))
        for _, expectation in operands:
            expectation()
        self.put('call void @push_frame()')
        self.put('br i1 %s, label %%leave_%d, label %%after_%d' % (self.value('call i1 @leaves_now()'), site, site))
        self.start('leave_%d' % site)
        self.put('call void @cairn_deoptimize(i64 %d) [ "deopt"(%s) ]' %
                 (self.identity // MOST_FUNCTIONS, ', '.join(text for text, _ in operands)))
        self.put('unreachable')
        self.start('after_%d' % site)
        self.put('call void @pop_frame()')

    # ---- the version that goes on in the place of an activation ----

    def item(self, first, number, offset, type_):
        at = self.value('add i64 %s, %d' % (first, 16 + 32 * number + offset))
        place = self.value('getelementptr i8, ptr addrspace(1) %%state, i64 %s' % at)
        return self.value('load %s, ptr addrspace(1) %s' % (type_, place))

    def typed_item(self, first, number, type_):
        _, bits, integer = TYPES[type_]
        word = self.item(first, number, 8, 'i64')
        if type_ == 'ptr':
            return self.value('inttoptr i64 %s to ptr' % word)
        if bits < 64:
            word = self.value('trunc i64 %s to %s' % (word, integer))
        elif bits > 64:
            low = self.value('zext i64 %s to i128' % word)
            high = self.value('zext i64 %s to i128' % self.item(first, number, 16, 'i64'))
            high = self.value('shl i128 %s, 64' % high)
            word = self.value('or i128 %s, %s' % (low, high))
            word = word if bits == 128 else self.value('trunc i128 %s to %s' % (word, integer))
        return word if type_ == integer else self.value('bitcast %s %s to %s' % (integer, word, type_))

    def resumed(self, body):
        """The version that reads its variables from a state, and goes on after a call."""
        self.lines = []
        head = self.value('mul i64 %frame, 64')
        first = self.item(head, 1, 28, 'i32')
        first = self.value('mul i64 %s, 32' % self.value('zext i32 %s to i64' % first))
        number = 0
        for type_, at in self.variables_with_types():
            self.put('store %s %s, ptr %s' % (type_, self.typed_item(first, number, type_), at))
            number += 1
        for at in self.references:
            self.put('store ptr addrspace(1) %s, ptr %s' % (self.item(first, number, 0, 'ptr addrspace(1)'), at[0]))
            number += 1
        for name in ARGUMENTS:
            self.put('%s = add i64 %s, 0' % (name, self.typed_item(first, number, 'i64')))
            number += 1
        self.put('%w = zext i64 0 to i128')
        self.put('%r = getelementptr i8, ptr addrspace(1) null, i64 0')
        self.put('switch i64 %%site, label %%start [ %s ]' %
                 ' '.join('i64 %d, label %%restore_%d' % (i + 1, i + 1) for i in range(len(self.sites))))
        for i, counters in enumerate(self.sites):
            self.start('restore_%d' % (i + 1))
            for k, at in enumerate(counters):
                self.put('store i64 %s, ptr %s' % (self.typed_item(first, number + k, 'i64'), at))
            self.put('br label %%after_%d' % (i + 1))
        self.start('start')
        return '\n'.join(['define void @resume_%d(i64 %%site, ptr addrspace(1) %%state, i64 %%frame) noinline '
                          'gc "statepoint-example" {' % self.identity] + self.allocas + self.lines + body +
                         ['  ret void', '}', ''])

    # ---- statements ----

    def set_field(self, reference, number, offset, type_, value, bits):
        place = self.value('getelementptr i8, ptr addrspace(1) %s, i64 %d' % (reference, offset))
        self.put('store %s %s, ptr addrspace(1) %s' % (type_, value, place))
        self.put('call void @note_field(i64 %s, i64 %d, i64 %s)' % (number, offset, bits))

    def new_object(self):
        at = self.rng.choice(self.references)
        next_ = self.reference() if self.rng.randrange(2) else ('null', '0')
        word = self.word()
        bundle = ''
        if self.records and self.rng.randrange(5) == 0:
            bundle = ' [ "deopt"(%s) ]' % ', '.join(text for text, _ in self.record())
        made = self.value('call ptr addrspace(1) @cairn_alloc(ptr @node, i64 32)' + bundle)
        number = self.value('call i64 @fresh_number()')
        self.set_field(made, number, 0, 'i64', number, number)
        self.set_field(made, number, 8, 'i64', word, word)
        if next_[0] != 'null' or self.rng.randrange(2):
            self.set_field(made, number, 24, 'ptr addrspace(1)', next_[0], next_[1])
        self.put('store ptr addrspace(1) %s, ptr %s' % (made, at[0]))
        self.put('store i64 %s, ptr %s' % (number, at[1]))

    def change_object(self):
        reference, number = self.reference()
        choice = self.rng.randrange(4)
        if choice == 0:
            word = self.word()
            self.set_field(reference, number, 8, 'i64', word, word)
        elif choice == 1:
            word = self.word()
            double = self.value('bitcast i64 %s to double' % word)
            self.set_field(reference, number, 16, 'double', double, word)
        else:
            other = self.reference()
            self.set_field(reference, number, 24, 'ptr addrspace(1)', other[0], other[1])

    def follow_next(self):
        reference, number = self.reference()
        at = self.rng.choice(self.references)
        place = self.value('getelementptr i8, ptr addrspace(1) %s, i64 24' % reference)
        found = self.value('load ptr addrspace(1), ptr addrspace(1) %s' % place)
        null = self.value('icmp eq ptr addrspace(1) %s, null' % found)
        chosen = self.value('select i1 %s, ptr addrspace(1) %s, ptr addrspace(1) %s' % (null, reference, found))
        self.put('store ptr addrspace(1) %s, ptr %s' % (chosen, at[0]))
        self.put('store i64 %s, ptr %s' % (self.value('load i64, ptr addrspace(1) %s' % chosen), at[1]))

    def statement(self):
        choice = self.rng.randrange(22)
        if choice < 6:
            type_ = self.rng.choice(self.types)
            self.put('store %s %s, ptr %s' % (type_, self.scalar(type_), self.rng.choice(self.variables[type_])))
        elif choice < 9:
            self.new_object()
        elif choice < 11:
            self.change_object()
        elif choice == 11:
            self.follow_next()
        elif choice == 12:
            source, at = self.reference(), self.rng.choice(self.references)
            self.put('store ptr addrspace(1) %s, ptr %s' % (source[0], at[0]))
            self.put('store i64 %s, ptr %s' % (source[1], at[1]))
        elif choice == 13:
            self.put('store ptr addrspace(1) %s, ptr @root' % self.reference()[0])
        elif choice == 14 and self.depth < 3:
            self.branch()
        elif choice == 15 and self.depth < 2:
            self.loop()
        elif choice == 21 and self.goes_on:
            self.leave()
        elif choice < 18 and self.callees and self.looks < 4:
            self.looks += 1
            reference, number = self.reference()
            call = 'call void @%s(i64 %s, i64 %s, ptr addrspace(1) %s, i64 1, i64 2, i64 %s, i128 %s)' % (
                self.rng.choice(self.callees), self.word(), number, reference, self.word(), self.wide(128))
            self.call_with_bundle(call) # if inlined, a call without a bundle would lack the caller's operands, too
        elif self.looks < 4:
            self.looks += 1
            self.call_with_bundle('call void @look()')

    def block(self, count):
        for _ in range(count):
            self.statement()

    def branch(self):
        yes, no, end = self.label(), self.label(), self.label()
        self.put('br i1 %s, label %%%s, label %%%s' % (self.value('trunc i64 %s to i1' % self.word()), yes, no))
        self.depth += 1
        for at in (yes, no):
            self.start(at)
            self.block(self.rng.randrange(1, 5))
            self.put('br label %%%s' % end)
        self.depth -= 1
        self.start(end)

    def loop(self):
        counter, head, body, end = self.variable('i64'), self.label(), self.label(), self.label()
        self.put('store i64 %d, ptr %s' % (self.rng.randrange(1, 4), counter))
        self.put('br label %%%s' % head)
        self.start(head)
        left = self.value('load i64, ptr %s' % counter)
        self.put('br i1 %s, label %%%s, label %%%s' % (self.value('icmp eq i64 %s, 0' % left), end, body))
        self.start(body)
        self.put('store i64 %s, ptr %s' % (self.value('sub i64 %s, 1' % left), counter))
        self.depth += 1
        self.counters.append(counter)
        self.block(self.rng.randrange(2, 6))
        self.counters.pop()
        self.depth -= 1
        self.put('br label %%%s' % head)
        self.start(end)

    def make(self):
        # A long double must not be in a bundle of live-in values, also by inlining.
        self.types = ['i64', 'i128'] + [t for t in self.rng.sample(list(TYPES), 6)
                                        if self.records or t != 'x86_fp80']
        self.variables, self.references = {}, []
        self.words = [self.variable('i64') for _ in range(2)]
        self.fixed = self.variable('i64')
        for word in self.words:
            self.put('store i64 %a, ptr ' + word)
        self.put('store volatile i64 1, ptr ' + self.fixed)
        for type_ in self.types:
            self.variables[type_] = [self.variable(type_) for _ in range(2)]
            for at in self.variables[type_]:
                self.put('store %s %s, ptr %s' % (type_, '%w' if type_ == 'i128' else self.scalar(type_), at))
        for _ in range(3):
            at = (self.variable('ptr addrspace(1)'), self.variable('i64'))
            self.references.append(at)
            self.put('store ptr addrspace(1) %%r, ptr %s' % at[0])
            self.put('store i64 %%i, ptr %s' % at[1])
        self.new_object()
        self.block(self.rng.randrange(10, 30))
        self.call_with_bundle('call void @look()')
        attributes = ' noinline' if self.noinline else ''
        body = self.lines
        resumed = self.resumed(body) if self.goes_on else ''
        return resumed + '\n'.join(['define internal void @%s(i64 %%a, i64 %%i, ptr addrspace(1) %%r, i64 %%x, i64 %%y, i64 %%z, i128 %%w)%s '
                          'gc "statepoint-example" {' % (self.name, attributes)] + self.allocas + body + ['  ret void', '}', ''])


def has_records(seed):
    """The operands of the module's bundles are frame records."""
    return seed % 3 != 0


def is_left(seed):
    """Activations of the module are taken over: objects fit the layout, and no call's result is a reference."""
    return seed % 3 == 1


def goes_on(seed):
    """Another version of each function goes on in the place of its activations."""
    return seed % 6 == 1


def number_of(seed, function):
    return seed * MOST_FUNCTIONS + function


def functions_of(seed):
    return random.Random(seed).randrange(2, MOST_FUNCTIONS + 1)


def module(seed):
    """A module that defines module_SEED()."""
    rng = random.Random(seed)
    names = ['f%d' % i for i in range(rng.randrange(2, MOST_FUNCTIONS + 1))]
    made = [HEAD]
    for i, name in enumerate(names):
        made.append(Function(rng, name, seed, names[i + 1:], rng.randrange(3) == 0).make())
    made.append("""define void @module_%d() gc "statepoint-example" {
  %%made = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 32)
  %%number = call i64 @fresh_number()
  store i64 %%number, ptr addrspace(1) %%made
  call void @note_field(i64 %%number, i64 0, i64 %%number)
  call void @remember(ptr addrspace(1) %%made)
  call void @f0(i64 1, i64 %%number, ptr addrspace(1) %%made, i64 3, i64 4, i64 %%number, i128 -5)
  ret void
}
""" % seed)
    return '\n'.join(made)


def main_of(seeds):
    """The module with main(), which runs the other modules."""
    first_run = '  call void @begin(i64 %d, i1 0, i1 1)\n  call void @module_%d()\n  call void @keep_trace()\n'
    calls = ''.join((first_run % (seed, seed) if goes_on(seed) else '') +
                    '  call void @begin(i64 %d, i1 %d, i1 %d)\n  call void @module_%d()\n  call void @finish()\n' %
                    (seed, is_left(seed), goes_on(seed), seed)
                    for seed in seeds)
    resumed = [number_of(seed, i) for seed in seeds if goes_on(seed) for i in range(functions_of(seed))]
    cases = ' '.join('i64 %d, label %%case_%d' % (n, n) for n in resumed)
    bodies = '\n'.join(f'case_{n}:\n  call void @resume_{n}(i64 %index, ptr addrspace(1) %state, i64 %frame)\n'
                       '  br label %next' for n in resumed)
    return (''.join(line + '\n' for line in HEAD.splitlines() if line.startswith('target'))
            + MAIN_HEAD.replace('CASES', cases).replace('CALLS', bodies)
            + ''.join('declare void @resume_%d(i64, ptr addrspace(1), i64)\n' % n for n in resumed)
            + ''.join('declare void @module_%d()\n' % seed for seed in seeds)
            + 'define i32 @main() gc "statepoint-example" {\n' + calls + '  ret i32 0\n}\n')


if __name__ == '__main__':
    print(module(int(sys.argv[1])), end='')

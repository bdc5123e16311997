"""Make modules whose calls have deopt operands of all types.

  operands.py KIND MACHINE > FILE.ll

`recorded`: for each row, function run() makes a call of look(row, class and width, words) with the value between two
numbers, and the callee reads the record (operands_native.c). The value is a constant, loaded, an argument in a
register, or an argument on the stack. `plain` is for records without classes; `live-in` for values that are needed only
at the start of the call; `given` has statepoints that a front end wrote. `refused`: a function for each operand that
LLVM 22 records in part, or fails over.
"""
import struct
import sys

INTEGER, FLOAT, POINTER, REFERENCE, UNDEFINED, LOCAL, VECTOR = range(7)
WIDTHS = 1, 7, 8, 16, 24, 32, 33, 63, 64, 65, 96, 127, 128
PATTERN = 0xfedcba98765432100123456789abcdef
REFUSED = ('i129', 'i256', '{ i64 }', '{ i64, i64 }', '[2 x i64]', '[1 x ptr addrspace(1)]', '<2 x half>',
           '<4 x bfloat>', '<8 x i32>', '<3 x i64>', '<4 x i1>', '<8 x i4>', '<1 x i128>', '<2 x i65>',
           '<vscale x 2 x i64>', '<2 x ptr addrspace(1)>', 'fp128', 'ppc_fp128')


def float_words(text, kind):
    value = float(text)
    if kind == 'double':
        return struct.unpack('<Q', struct.pack('<d', value))[0]
    single = struct.unpack('<I', struct.pack('<f', value))[0]
    return {'float': single, 'bfloat': single >> 16, 'half': struct.unpack('<H', struct.pack('<e', value))[0]}[kind]


def floats():
    """(type, constant, bits) of numbers that each type has exactly."""
    for kind in 'half', 'bfloat', 'float', 'double':
        for text in '1.5', '-0.0', '-2.0':
            number = float_words(text, 'double' if kind == 'double' else 'float')
            if kind in ('half', 'bfloat'):
                constant = f"0x{'H' if kind == 'half' else 'R'}{float_words(text, kind):04X}"
            else:
                constant = f'0x{struct.unpack("<Q", struct.pack("<d", float(text)))[0]:016X}'
            yield kind, constant, float_words(text, kind) if kind != 'double' else number
    yield 'x86_fp80', '0xK3FFFC000000000000000', 0x3fffc000000000000000
    yield 'x86_fp80', '0xKC000ABCDEF0123456789', 0xc000abcdef0123456789


def is_refused(lanes):
    return sys.argv[2] == 'aarch64' and lanes & lanes - 1 != 0


def vectors():
    for lanes, bits in (2, 8), (5, 8), (16, 8), (1, 16), (3, 16), (2, 32), (3, 32), (4, 32), (1, 64), (2, 64), (2, 12), (4, 24), (2, 33):
        if is_refused(lanes):
            continue
        values = [PATTERN >> 7 * i & (1 << bits) - 1 for i in range(lanes)]
        constant = '<' + ', '.join(f'i{bits} {v}' for v in values) + '>'
        yield f'<{lanes} x i{bits}>', constant, sum(v << bits * i for i, v in enumerate(values)), lanes * bits
    for lanes, kind, bits in (2, 'float', 32), (3, 'float', 32), (4, 'float', 32), (2, 'double', 64):
        if is_refused(lanes):
            continue
        constant = '<' + ', '.join(f'{kind} 1.5' for _ in range(lanes)) + '>'
        number = float_words('1.5', kind)
        yield f'<{lanes} x {kind}>', constant, sum(number << bits * i for i in range(lanes)), lanes * bits
    yield '<2 x i64>', 'zeroinitializer', 0, 128
    yield '<2 x ptr>', 'zeroinitializer', 0, 128


def has_x87_operands(kind):
    return sys.argv[2] == 'x86_64' and kind != 'live-in'


def rows(kind):
    """(type, constant, class, width, number)"""
    for width in WIDTHS:
        for number in 0, 1, -1, 1 << width - 1, PATTERN:
            number &= (1 << width) - 1
            yield f'i{width}', 'true' if width == 1 and number else 'false' if width == 1 else number, INTEGER, width, number
    for name, constant, number in floats():
        width = {'half': 16, 'bfloat': 16, 'float': 32, 'double': 64, 'x86_fp80': 80}[name]
        if name != 'x86_fp80' or has_x87_operands(kind):
            yield name, constant, INTEGER if name == 'bfloat' else FLOAT, width, number
    for name, constant, number, width in vectors():
        yield name, constant, VECTOR, width, number
    yield 'ptr', 'null', POINTER, 64, 0
    yield 'ptr', 'inttoptr (i64 -5 to ptr)', POINTER, 64, (1 << 64) - 5


def undefined_rows(kind):
    for name in ('i1', 'i8', 'i32', 'i64', 'i65', 'i128', 'half', 'float', 'double', 'ptr', '<2 x i8>', '<4 x i32>',
                 '<2 x double>', '<2 x ptr>') + (('x86_fp80',) if has_x87_operands(kind) else ()):
        width = {'ptr': 64, 'half': 16, 'float': 32, 'double': 64, 'x86_fp80': 80, '<2 x i8>': 16}.get(name, 128)
        width = int(name[1:]) if name[0] == 'i' else width
        for value in 'undef', 'poison':
            yield name, value, UNDEFINED, width, 0
    yield 'ptr addrspace(1)', 'undef', REFERENCE, 64, 0
    yield 'ptr addrspace(1)', 'poison', REFERENCE, 64, 0
    yield 'ptr addrspace(1)', 'null', REFERENCE, 64, 0


class Module:
    def __init__(self, kind):
        self.kind, self.functions, self.globals, self.calls = kind, [], [], []

    def call(self, row, value_class, width, words, name, value):
        text = f'i32 {row}, i32 {value_class << 8 | width}, i64 {words[0]}, i64 {words[1]}'
        bundle = f'[ "deopt"(i64 7, {name} {value}, i32 9) ]'
        if self.kind == 'given':
            return (f'  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, '
                    f'i32 0, ptr elementtype(void (i32, i32, i64, i64)) @look, i32 4, i32 0, {text}, i32 0, i32 0) '
                    f'{bundle}')
        how = '"deopt-lowering"="live-in" ' if self.kind == 'live-in' else ''
        return f'  call void @look({text}) {how}{bundle}'

    def add(self, name, constant, value_class, width, words, how, value=None, before=()):
        row = len(self.calls)
        stack = ''.join(f'i64 %x{i}, <4 x float> %y{i}, ' for i in range(8)) if how == 'stack' else ''
        given = ''.join(f'i64 {i}, <4 x float> zeroinitializer, ' for i in range(8)) if how == 'stack' else ''
        parameters = stack + f'{name} %v' if how in ('argument', 'stack') else ''
        arguments = given + f'{name} {constant}' if parameters else ''
        lines = list(before)
        if how == 'loaded':
            self.globals.append(f'@in{row} = global {name} {constant}')
            lines.append(f'  %v = load volatile {name}, ptr @in{row}')
        value = value or (constant if how == 'constant' else '%v')
        lines.append(self.call(row, value_class, width, words, name, value))
        self.functions.append(f'define void @row{row}({parameters}) noinline gc "statepoint-example" {{\n'
                              + '\n'.join(lines) + '\n  ret void\n}')
        self.calls.append(f'  call void @row{row}({arguments})')

    def add_all(self):
        for name, constant, value_class, width, number in rows(self.kind):
            words = number & (1 << 64) - 1, number >> 64
            # libgcc 12 has no conversion to bfloat, which code generation needs for a variable one.
            for how in ('constant', 'loaded', 'argument', 'stack')[:1 if name == 'bfloat' else 4]:
                self.add(name, constant, value_class, width, words, how)
        for name, constant, value_class, width, number in undefined_rows(self.kind):
            self.add(name, constant, value_class, width, (0, 0), 'constant')
        alloca, address = '  %l = alloca [4 x i64]', '  %n = ptrtoint ptr %l to i64'
        self.add('ptr', '', LOCAL, 64, ('%n', 0), 'address', '%l', (alloca, '  store volatile i64 1, ptr %l', address))
        self.add('ptr', '', POINTER, 64, ('%n', 0), 'address', '%m',
                 (alloca, '  %m = getelementptr i64, ptr %l, i64 2', '  store volatile i64 1, ptr %m',
                  '  %n = ptrtoint ptr %m to i64'))
        self.add('ptr', '', POINTER, 64, ('ptrtoint (ptr @sum to i64)', 0), 'address', '@sum')
        self.add('i64', '', INTEGER, 64, ('ptrtoint (ptr @sum to i64)', 0), 'address', 'ptrtoint (ptr @sum to i64)')

    def write(self):
        print('declare void @look(i32, i32, i64, i64)')
        print('declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)')
        print('@sum = global i64 0', *self.globals, *self.functions, sep='\n')
        print('define void @run() gc "statepoint-example" {', *self.calls, '  ret void\n}', sep='\n')


def write_refused():
    print('declare void @look()')
    for i, name in enumerate(REFUSED):
        print(f'define void @refused{i}({name} %v) gc "statepoint-example" {{\n'
              f'  call void @look() [ "deopt"(i64 1, {name} %v) ]\n  ret void\n}}')


def main():
    if sys.argv[1] == 'refused':
        write_refused()
        return
    module = Module(sys.argv[1])
    module.add_all()
    module.write()


main()

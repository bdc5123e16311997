"""Read `llvm-readobj --stackmap` and `cairn stackmap` of one object; fail where they differ."""
import re
import sys

names = ('rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip').split()


def register(name):
    return names.index(name) if name in names else int(re.sub(r'\D', '', name)) + 17 * name.startswith('xmm')


def number(text):
    value = int(text, 0)
    return value - (1 << 64) if value >= 1 << 63 else value


def readobj(text):
    for line in text.splitlines():
        if m := re.match(r'  Function address: \d+, stack size: (\d+), callsite record count: (\d+)', line):
            yield ('function', int(m[1]), int(m[2]))
        elif m := re.match(r'  Record ID: (\d+), instruction offset: (\d+)', line):
            yield ('record', int(m[1]), int(m[2]))
        elif m := re.match(r'      #\d+: Constant (-?\d+), size: (\d+)', line):
            value = number(m[1])  # 32 bits, printed without their sign
            yield ('constant', value - (1 << 32) if value >= 1 << 31 else value, int(m[2]))
        elif m := re.match(r'      #\d+: ConstantIndex #\d+ \((-?\d+)\), size: (\d+)', line):
            yield ('constant', number(m[1]), int(m[2]))
        elif m := re.match(r'      #\d+: Register R#(\d+), size: (\d+)', line):
            yield ('register', int(m[1]), 0, int(m[2]))
        elif m := re.match(r'      #\d+: (Direct|Indirect) \[?R#(\d+) \+ (-?\d+)\]?, size: (\d+)', line):
            yield (m[1].lower(), int(m[2]), int(m[3]), int(m[4]))
        elif re.match(r'      #\d+', line):
            sys.exit('not understood: ' + line)


def place(text):
    m = re.match(r'(.*?)(?: \((\d+) bytes\))?$', text)
    size = int(m[2] or 8)
    if k := re.match(r'constant (\S+)', m[1]):
        return ('constant', number(k[1]), size)
    if k := re.match(r'\[(\w+) ([+-]) (\d+)\]', m[1]):
        return ('indirect', register(k[1]), int(k[2] + k[3]), size)
    if k := re.match(r'(\w+) ([+-]) (\d+)', m[1]):
        return ('direct', register(k[1]), int(k[2] + k[3]), size)
    return ('register', register(m[1]), 0, size)


def cairn(text):
    """Functions come before their records here and all together there, so they are kept apart by the caller."""
    for line in text.splitlines():
        if m := re.match(r'function .*: stack size (\w+), records (\d+)', line):
            yield ('function', 2**64 - 1 if m[1] == 'unknown' else int(m[1]), int(m[2]))
        elif m := re.match(r'  \+0x(\w+): id (\d+)(?:, statepoint, calling convention (\d+), flags (\d+))?', line):
            yield ('record', int(m[2]), int(m[1], 16))
            if m[3]:
                yield ('constant', int(m[3]), 8)
                yield ('constant', int(m[4]), 8)
                yield ('deopts', 0, 8)
        elif m := re.match(r'    (deopt|alloca|location) (.*)', line):
            yield place(m[2])
        elif m := re.match(r'    base (.*), derived (.*)', line):
            yield place(m[1])
            yield place(m[2])


def split(items):
    items = list(items)
    return [i for i in items if i[0] == 'function'], [i for i in items if i[0] != 'function']


theirs_functions, theirs = split(readobj(open(sys.argv[1]).read()))
ours_functions, ours = split(cairn(open(sys.argv[2]).read()))
if theirs_functions != ours_functions or len(theirs) != len(ours):
    sys.exit(f'{len(theirs_functions)} functions with {len(theirs)} items, or {len(ours_functions)} with {len(ours)}')
for a, b in zip(theirs, ours):
    if a != b and b[0] != 'deopts':  # the number of deopt locations is not printed, but they are
        sys.exit(f'llvm-readobj: {a}\ncairn:        {b}')
print(len(theirs_functions), 'functions,', sum(i[0] == 'record' for i in ours), 'records agree')

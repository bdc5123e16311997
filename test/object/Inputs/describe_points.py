"""Writes the descriptions of points (abi.def, "Points") into IR on standard input, as Cairn's pass would:
   {{patchpoint 16 convention=13 result target arguments=2: i64 i64 ref}}
becomes the operands of a patchpoint with a region of 16 bytes, whose values have these classes. The classes are iN,
fN, ptr, ref, undefN and local.
   describe_points.py [MACHINE]
A number like <15> is a region's size, which AArch64 has in multiples of 4. There a fence follows each shadow."""
import re
import sys

MARK = 0x4341524E504F494E
KINDS = {'shadow': 0, 'patchpoint': 1, 'statepoint': 2, 'fence': 3}
FLAGS = {'result': 1, 'target': 2}
ADDRESSES = {'ptr': 2, 'ref': 3, 'local': 5}


def class_of(word):
    if word in ADDRESSES:
        return ADDRESSES[word] | 64 << 8
    name, bits = re.fullmatch(r'(i|f|undef)(\d+)', word).groups()
    return {'i': 0, 'f': 1, 'undef': 4}[name] | int(bits) << 8


def describe(match):
    head, _, classes = match.group(1).partition(':')
    kind, length, *rest = head.split()
    word, arguments = KINDS[kind], 0
    for item in rest:
        name, _, value = item.partition('=')
        if name == 'convention':
            word |= int(value) << 8
        elif name == 'arguments':
            arguments = int(value)
        else:
            word |= FLAGS[name] << 32
    operands = [MARK, word, int(length), arguments] + [class_of(c) for c in classes.split()]
    return ', '.join(f'i64 {n}' for n in operands + [len(operands)])


FENCE = '\n  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 0, i32 0, {{fence 0:}})'
aarch64 = sys.argv[1:] == ['aarch64']
unit = 4 if aarch64 else 1
text = re.sub(r'<(\d+)>', lambda size: str(-(-int(size[1]) // unit) * unit), sys.stdin.read())
if aarch64:
    text = re.sub(r'^ .*stackmap\(i64 \d+, i32 [1-9].*', lambda shadow: shadow[0] + FENCE, text, flags=re.M)
sys.stdout.write(re.sub(r'\{\{(.*?)\}\}', describe, text))

"""Compares `cairn frames --points --json REWRITTEN` with `llvm-readobj --stackmap OBJECT`, the object before: the place
of each point, its id, values and live-outs.
   points_readobj.py CAIRN OBJECT REWRITTEN [--break FIELD]"""
import json
import re
import subprocess
import sys

MARK = 0x4341524E504F494E
X86_64 = 'rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip'.split()
NAMES = {'x86_64': dict(enumerate(X86_64 + [f'xmm{i}' for i in range(16)])),
         'aarch64': {i: f'x{i}' for i in range(31)} | {31: 'sp'} | {64 + i: f'v{i}' for i in range(32)}}
CLASSES = 'integer float pointer reference undefined local'.split()
KINDS = 'shadow patchpoint statepoint fence'.split()


def fail(what, *values):
    sys.exit(f'{what}: ' + ' '.join(str(v) for v in values))


def location_of(text, names):
    """(kind, register or None, offset or value) of a line of llvm-readobj."""
    kind, rest = text.split(' ', 1)
    if kind == 'Constant':
        value = int(re.match(r'(\d+)', rest)[1])
        return 'constant', None, value - 2**32 if value >> 31 == 1 else value  # 32 bits, sign-extended
    if kind == 'ConstantIndex':
        return 'constant', None, int(re.search(r'\((\d+)\)', rest)[1])
    reg, offset = re.match(r'\[?R#(\d+)(?: \+ (-?\d+))?', rest).groups()
    return {'Register': 'register', 'Direct': 'address', 'Indirect': 'memory'}[kind], names[int(reg)], int(offset or 0)


def records_of(path):
    """The records of llvm-readobj by function: id, offset, locations, live-outs."""
    out = subprocess.run(['llvm-readobj', '--stackmap', path], check=True, capture_output=True, text=True).stdout
    names = NAMES[re.search(r'^Arch: (\w+)', out, re.M)[1]]
    counts = [int(n) for n in re.findall(r'callsite record count: (\d+)', out)]
    records = []
    for text in out.split('Record ID: ')[1:]:
        record_id, offset = re.match(r'(\d+), instruction offset: (\d+)', text).groups()
        locations = [location_of(l, names) for l in re.findall(r'#\d+: (\w+ .*?), size', text)]
        live_outs = [(names[int(r)], int(n)) for r, n in re.findall(r'R#(\d+) \((\d+)-bytes?\)', text)]
        records.append((int(record_id), int(offset), locations, live_outs))
    return [[records.pop(0) for _ in range(count)] for count in counts]


def expected_point(record):
    """The point of a record, or None for a statepoint without a description, and for the fence of a shadow."""
    record_id, offset, locations, live_outs = record
    marks = [i for i, l in enumerate(locations) if l[2] == MARK and l[0] == 'constant']
    if not marks:
        return None
    at = marks[0]
    word, length, arguments = (l[2] for l in locations[at + 1:at + 4])
    kind = KINDS[word & 0xff]
    if kind == 'fence':
        return None
    first = 3 if kind == 'statepoint' else 0
    values = []
    for place, cls in zip(locations[first:at], locations[at + 4:]):
        bits = cls[2] >> 8
        name = CLASSES[cls[2] & 0xff]
        value = place[2] & ((1 << bits) - 1) if place[0] == 'constant' else place[2]
        values.append((name, bits) + (('constant', None, 0) if name == 'undefined' else (place[0], place[1], value)))
    roles = ['result'] * (word >> 32 & 1) + ['argument'] * arguments
    roles += ['value'] * (len(values) - len(roles))
    return {'start': offset - (length if kind == 'statepoint' else 0), 'length': length, 'kind': kind, 'id': record_id,
            'calling_convention': word >> 8 & 0xffffff, 'has_target': bool(word >> 33 & 1),
            'values': [(r,) + v for r, v in zip(roles, values)],
            'live_outs': live_outs}


def printed_point(point):
    point = dict(point)
    point['values'] = [(v['role'], v['class'], v['bits'], v['kind'],
                        v.get('place', {}).get('register') or v.get('place', {}).get('base'),
                        v['value'] if 'value' in v else v['place'].get('offset', 0)) for v in point['values']]
    point['live_outs'] = [(l['register'], l['size']) for l in point['live_outs']]
    return point


def main():
    cairn, old, new = sys.argv[1:4]
    broken = sys.argv[5] if len(sys.argv) > 4 else None
    out = subprocess.run([cairn, 'frames', '--points', '--json', new], check=True, capture_output=True, text=True)
    functions = json.loads(out.stdout)['objects'][0]['functions']
    wanted = [[p for p in map(expected_point, records) if p] for records in records_of(old)]
    wanted = [sorted(points, key=lambda p: (p['start'], p['length'])) for points in wanted if points]
    if len(wanted) != len(functions):
        fail('functions', len(wanted), len(functions))
    count = 0
    for points, function in zip(wanted, functions):
        if len(points) != len(function['points']):
            fail('points', function['name'], len(points), len(function['points']))
        for want, point in zip(points, map(printed_point, function['points'])):
            count += 1
            for field, value in want.items():
                if point[field] != value or field == broken:
                    fail(field, function['name'], value, point[field])
    print(f'{count} points of {len(functions)} functions agree')


main()

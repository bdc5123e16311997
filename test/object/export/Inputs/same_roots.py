# SPDX-License-Identifier: Apache-2.0
"""same_roots.py FRAMES STACKMAP: the texts of `cairn frames` and `cairn stackmap` have the same roots."""
import re
import sys


def roots_of_frames(path):
    roots, at, name = {}, None, None
    for line in open(path):
        function = re.match(r'function (\S+):', line)
        safepoint = re.match(r'  \+(0x[0-9a-f]+):', line)
        root = re.match(r'    root (.*)', line)
        derived = re.match(r'    derived (.*) from (.*)', line)
        area = re.match(r'    area \[(\w+) ([+-]) (\d+)\], count (\d+), stride (\d+)', line)
        if function:
            name = function[1]
        elif safepoint:
            at = roots.setdefault((name, safepoint[1]), set())
        elif root:
            at.add((root[1], root[1]))
        elif derived:
            at.add((derived[2], derived[1]))
        elif area:
            start = int(area[2] + area[3])
            for i in range(int(area[4])):
                offset = start + i * int(area[5])
                place = f'[{area[1]} {"-" if offset < 0 else "+"} {abs(offset)}]'
                at.add((place, place))
    return roots


def roots_of_stackmap(path):
    roots, at, name = {}, None, None
    for line in open(path):
        function = re.match(r'function (\S+?):', line)
        record = re.match(r'  \+(0x[0-9a-f]+): id \d+, statepoint', line)
        pair = re.match(r'    base (.*), derived (.*)', line)
        if function:
            name = function[1]
        elif record:
            at = roots.setdefault((name, record[1]), set())
        elif pair:
            at.add((pair[1], pair[2]))
    return roots


frames, stackmap = roots_of_frames(sys.argv[1]), roots_of_stackmap(sys.argv[2])
assert frames and any(frames.values()), 'no roots'
if frames != stackmap:
    sys.exit(f'frames: {frames}\nstack map: {stackmap}')
print(len(frames), 'safepoints')

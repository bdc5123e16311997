#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stack map of version 3 as an earlier LLVM would have written it: older_stackmap.py VERSION IN OUT

Only the first map of IN; sizes of locations that take more than a byte are cut.
"""
import struct
import sys

version, source, target = int(sys.argv[1]), sys.argv[2], sys.argv[3]
old = open(source, 'rb').read()
functions, constants, records = struct.unpack_from('<III', old, 4)
new = bytearray(struct.pack('<BBHIII', version, 0, 0, functions, constants, records))
at = 16
for _ in range(functions):
    new += old[at:at + (16 if version == 1 else 24)]
    at += 24
new += old[at:at + 8 * constants]
at += 8 * constants
for _ in range(records):
    locations, = struct.unpack_from('<H', old, at + 14)
    new += old[at:at + 16]
    at += 16
    for _ in range(locations):
        kind, size, register, offset = struct.unpack_from('<BxHHxxi', old, at)
        new += struct.pack('<BBHi', kind, size & 255, register, offset)
        at += 12
    at = (at + 7) & ~7
    live_outs, = struct.unpack_from('<H', old, at + 2)
    new += old[at:at + 4 + 4 * live_outs]
    new += bytes(-len(new) % 8)
    at = (at + 4 + 4 * live_outs + 7) & ~7
open(target, 'wb').write(new)

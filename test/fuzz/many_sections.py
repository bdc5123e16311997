#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An object as if it had more sections than 16 bits count: many_sections.py IN OUT

The number of sections and the index of their names' table stand in the first section header, and
symbols have their sections' indices in a section SHT_SYMTAB_SHNDX, which is added.
"""
import struct
import sys

XINDEX, SYMTAB, SHNDX = 0xffff, 2, 18
data = bytearray(open(sys.argv[1], 'rb').read())
offset, = struct.unpack_from('<Q', data, 40)
count, names = struct.unpack_from('<HH', data, 60)
headers = [bytearray(data[offset + 64 * i:offset + 64 * (i + 1)]) for i in range(count)]
table = next(i for i, h in enumerate(headers) if struct.unpack_from('<I', h, 4)[0] == SYMTAB)
start, size = struct.unpack_from('<QQ', headers[table], 24)
indices = bytearray()
for at in range(start, start + size, 24):
    section, = struct.unpack_from('<H', data, at + 6)
    plain = section and section < 0xff00
    indices += struct.pack('<I', section if plain else 0)
    if plain:
        struct.pack_into('<H', data, at + 6, XINDEX)
headers.append(struct.pack('<IIQQQQIIQQ', struct.unpack_from('<I', headers[table])[0], SHNDX, 0, 0, len(data), len(indices),
                           table, 0, 4, 4))
struct.pack_into('<Q', headers[0], 32, len(headers))
struct.pack_into('<I', headers[0], 40, names)
data += indices + bytes(-len(indices) % 8)
struct.pack_into('<Q', data, 40, len(data))
struct.pack_into('<HH', data, 60, 0, XINDEX)
open(sys.argv[2], 'wb').write(data + b''.join(headers))

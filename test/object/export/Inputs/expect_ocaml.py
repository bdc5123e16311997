# SPDX-License-Identifier: Apache-2.0
"""expect_ocaml.py MAPS: the lines that read_ocaml.c prints, from the text of `cairn frames`."""
import re
import sys

name, line = None, None
lines = []
for text in open(sys.argv[1]):
    function = re.match(r'function (\w+):', text)
    safepoint = re.match(r'  \+(0x[0-9a-f]+): cfa rsp \+ (\d+)', text)
    root = re.match(r'    root \[rsp \+ (\d+)\]', text)
    area = re.match(r'    area \[rsp \+ (\d+)\], count (\d+), stride (\d+)', text)
    if function:
        name = function[1]
    elif safepoint:
        lines.append(f'{name}+{safepoint[1]} frame {safepoint[2]} live')
    elif root:
        lines[-1] += f' {root[1]}'
    elif area:
        lines[-1] += ''.join(f' {int(area[1]) + i * int(area[3])}' for i in range(int(area[2])))
    else:
        assert not text.strip() or 'area' not in text and 'root' not in text, text
print('\n'.join(lines))

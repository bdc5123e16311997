# SPDX-License-Identifier: Apache-2.0
"""Deoptimisation, for bench/jit: the IR of the program bench/programs/jit/deopt.c, and its table."""
import os
import statistics
import subprocess
import tools

SITES, VALUES = 1000, 12
FRAME, HEAD = 0x4346524d << 32, 6


def record(index, values):
    """The operands of a frame of language 1 with these values."""
    head = f'i64 {FRAME + HEAD + len(values)}, i64 1, i64 12, i64 {index}, i64 {len(values)}, i64 0'
    return f'{head}, {", ".join(values)}'


def ir():
    """Function `calls` calls @look at 1,000 places, with 4 references, 4 integers and 4 floats."""
    lines = ['declare void @look(i64)',
             'define void @calls(i64 %n, double %x, ptr addrspace(1) %p) noinline gc "statepoint-example" {']
    values = [f'{kind} %{name}' for kind, name in
              (('ptr addrspace(1)', 'p'), ('i64', 'n'), ('double', 'x')) for _ in range(VALUES // 3)]
    for site in range(SITES):
        lines += [f'  call void @look(i64 {site}) [ "deopt"({record(site, values)}) ]']
    return '\n'.join(lines + ['  ret void', '}']) + '\n'


def measure(root, build, rounds):
    """Build the program, run it, and print its rows."""
    folder = f'{build}/bench/programs/deopt'
    os.makedirs(folder, exist_ok=True)
    with open(f'{folder}/sites.ll', 'w') as file:
        file.write(ir())
    subprocess.run([f'{build}/bin/cairn-cc', '-O2', f'-I{root}/include', f'{root}/bench/programs/jit/deopt.c',
                    f'{folder}/sites.ll', '-o', f'{folder}/deopt'], check=True)
    print(f'\n{"deoptimisation":24} {"median ns":>10}')
    for line in tools.output(f'{folder}/deopt', str(rounds)).splitlines():
        name, *times = line.split()
        print(f'{name:24} {statistics.median(map(float, times)):10.1f}')

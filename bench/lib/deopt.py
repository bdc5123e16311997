# SPDX-License-Identifier: Apache-2.0
"""Deoptimisation, for bench/jit: the IR of the program bench/programs/jit/deopt.c, and its table."""
import os
import statistics
import subprocess
import tools

SITES, VALUES, OBJECTS = 1000, 12, 4
FRAME, HEAD = 0x4346524d << 32, 6


def record(index, values, objects=0):
    """The operands of a frame of language 1 with these values, the last of which stand for objects of layout 0, whose
    two fields are reference %p and integer %n."""
    values = values[:len(values) - objects] + [f'i24 {number}' for number in range(objects)]
    fields = [f'i64 {2 << 32}', 'i64 0', 'i64 0', 'ptr addrspace(1) %p', 'i64 8', 'i64 %n'] * objects
    count = HEAD + len(values) + len(fields)
    head = f'i64 {FRAME + count}, i64 1, i64 12, i64 {index}, i64 {len(values)}, i64 {objects}'
    return ', '.join([head] + values + fields)


def ir():
    """Function `calls` calls @look at 1,000 places, with 4 references, 4 integers and 4 floats; functions `leaves_0` and
    `leaves_4` leave with these values, or with objects in the place of the floats."""
    lines = ['declare void @look(i64)', 'declare void @cairn_deoptimize(i64)',
             'define void @calls(i64 %n, double %x, ptr addrspace(1) %p) noinline gc "statepoint-example" {']
    values = [f'{kind} %{name}' for kind, name in
              (('ptr addrspace(1)', 'p'), ('i64', 'n'), ('double', 'x')) for _ in range(VALUES // 3)]
    for site in range(SITES):
        lines += [f'  call void @look(i64 {site}) [ "deopt"({record(site, values)}) ]']
    lines += ['  ret void', '}']
    for objects in 0, OBJECTS:
        lines += [f'define i64 @leaves_{objects}(i64 %n, double %x, ptr addrspace(1) %p) noinline '
                  'gc "statepoint-example" {',
                  f'  call void @cairn_deoptimize(i64 0) [ "deopt"({record(objects, values, objects)}) ]',
                  '  unreachable', '}']
    return '\n'.join(lines) + '\n'


def measure(root, build, rounds):
    """Build the program, run it, and print its rows."""
    folder = f'{build}/bench/programs/deopt'
    os.makedirs(folder, exist_ok=True)
    with open(f'{folder}/sites.ll', 'w') as file:
        file.write(ir())
    programs = f'{root}/bench/programs/jit'
    subprocess.run([tools.llvm('clang'), '-O2', f'-I{root}/include', '-c', f'{programs}/deopt_layouts.c', '-o',
                    f'{folder}/layouts.o'], check=True)
    subprocess.run([f'{build}/bin/cairn-cc', '-O2', f'-I{root}/include', f'{programs}/deopt.c', f'{folder}/sites.ll',
                    f'{folder}/layouts.o', '-o', f'{folder}/deopt'], check=True)
    print(f'\n{"deoptimisation":24} {"median ns":>10}')
    for line in tools.output(f'{folder}/deopt', str(rounds)).splitlines():
        name, *times = line.split()
        print(f'{name:24} {statistics.median(map(float, times)):10.1f}')

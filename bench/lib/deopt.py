# SPDX-License-Identifier: Apache-2.0
"""Deoptimisation, for bench/jit: the IR of the programs bench/programs/jit/{deopt,take_over}.c, and their table."""
import os
import statistics
import subprocess
import tools

SITES, VALUES, OBJECTS = 1000, 12, 4
FRAME, HEAD = 0x4346524d << 32, 6
INTEGER_RESULT = 1 << 16
KINDS = ('ptr addrspace(1)', 'p'), ('i64', 'n'), ('double', 'x')


def record(index, values, objects=0):
    """The operands of a frame of language 1 with these values, the last of which stand for objects of layout 0, whose
    two fields are reference %p and integer %n."""
    values = values[:len(values) - objects] + [f'i24 {number}' for number in range(objects)]
    fields = [f'i64 {2 << 32}', 'i64 0', 'i64 0', 'ptr addrspace(1) %p', 'i64 8', 'i64 %n'] * objects
    count = HEAD + len(values) + len(fields)
    head = f'i64 {FRAME + count}, i64 1, i64 12, i64 {index}, i64 {len(values)}, i64 {objects}'
    return ', '.join([head] + values + fields)


def ir():
    """Function `calls` calls @look at 1,000 places with 4 references, 4 integers and 4 floats; functions `leaves_0` and
    `leaves_4` leave with these values, or with objects in the place of the floats. Function `loops` begins at the head
    of a loop with these values."""
    lines = ['declare void @look(i64)', 'declare void @cairn_deoptimize(i64)',
             'define void @calls(i64 %n, double %x, ptr addrspace(1) %p) noinline gc "statepoint-example" {']
    values = [f'{kind} %{name}' for kind, name in KINDS for _ in range(VALUES // 3)]
    for site in range(SITES):
        lines += [f'  call void @look(i64 {site}) [ "deopt"({record(site, values)}) ]']
    lines += ['  ret void', '}']
    for objects in 0, OBJECTS:
        lines += [f'define i64 @leaves_{objects}(i64 %n, double %x, ptr addrspace(1) %p) noinline '
                  'gc "statepoint-example" {',
                  f'  call void @cairn_deoptimize(i64 0) [ "deopt"({record(objects, values, objects)}) ]',
                  '  unreachable', '}']
    return '\n'.join(lines) + '\n' + LOOPS


TWELVE = [f'{kind} %{name}{i}' for kind, name in KINDS for i in range(VALUES // 3)]
# Counts %n0 down to 0 at a call with a record.
LOOPS = f"""declare void @runs_body() noinline "cairn-managed"
define i64 @loops({', '.join(TWELVE)}) noinline
    gc "statepoint-example" {{
entry:
  br label %head
head:
  %n = phi i64 [ %n0, %entry ], [ %next, %body ]
  %over = icmp eq i64 %n, 0
  br i1 %over, label %end, label %body
body:
  call void @runs_body() [ "deopt"({record(2, TWELVE)}) ]
  %next = sub i64 %n, 1
  br label %head
end:
  %sum = add i64 %n1, %n2
  ret i64 %sum
}}
"""


def take_over_ir():
    """Function `recurses` calls itself n times, and then @at_bottom."""
    values = [f'{kind} %{name}' for kind, name in KINDS for _ in range(VALUES // 3)]
    with_result = record(0, values).replace('i64 1,', f'i64 {INTEGER_RESULT + 1},', 1)
    return f"""declare i64 @at_bottom() "cairn-managed"
define i64 @recurses(i64 %n, double %x, ptr addrspace(1) %p) noinline gc "statepoint-example" {{
  %last = icmp eq i64 %n, 0
  br i1 %last, label %bottom, label %deeper
bottom:
  %zero = call i64 @at_bottom()
  ret i64 %zero
deeper:
  %next = sub i64 %n, 1
  %r = call i64 @recurses(i64 %next, double %x, ptr addrspace(1) %p) [ "deopt"({with_result}) ]
  %sum = add i64 %r, %n
  ret i64 %sum
}}
"""


def run(root, build, program, code, objects, rounds):
    """Build the program with the IR and objects, run it, and print its rows."""
    folder = f'{build}/bench/programs/deopt'
    os.makedirs(folder, exist_ok=True)
    with open(f'{folder}/{program}.ll', 'w') as file:
        file.write(code)
    for name in objects:
        subprocess.run([tools.llvm('clang'), '-O2', f'-I{root}/include', '-c', f'{root}/bench/programs/jit/{name}.c',
                        '-o', f'{folder}/{name}.o'], check=True)
    subprocess.run([f'{build}/bin/cairn-cc', '-O2', f'-I{root}/include', f'{root}/bench/programs/jit/{program}.c',
                    f'{folder}/{program}.ll', *(f'{folder}/{name}.o' for name in objects), '-o',
                    f'{folder}/{program}'], check=True)
    for line in tools.output(f'{folder}/{program}', str(rounds)).splitlines():
        name, *times = line.split()
        print(f'{name:24} {statistics.median(map(float, times)):10.1f}')


def measure(root, build, rounds):
    """Print the table."""
    print(f'\n{"deoptimisation":24} {"median ns":>10}')
    run(root, build, 'deopt', ir(), ['deopt_layouts'], rounds)
    run(root, build, 'take_over', take_over_ir(), [], rounds)

# SPDX-License-Identifier: Apache-2.0
"""How many instructions one run of each kernel takes, by callgrind: a table without noise, which
knows nothing of what instructions cost (bench/safepoints --instructions). Programs for another
machine run in qemu, and a plugin counts (count_plugin.c)."""
import os
import re
import shutil
import timing
import tools


def emulator():
    """The command before a program for another machine, or nothing."""
    if not tools.TARGET:
        return []
    triple = tools.TARGET[0].partition('=')[2]
    return [f'qemu-{triple.partition("-")[0]}', '-L', f'/usr/{triple}']


def counter():
    """The program that counts."""
    return (emulator() or ['valgrind'])[0]


def available():
    return shutil.which(counter()) is not None


def read_profile(path):
    """Kernel -> instructions in it and in what it calls. In a record of a function, each line of
    costs counts: those of its own lines, and those after `calls=`, which are the callee's."""
    counts, names, kernel = {}, {}, None
    with open(path) as file:
        for line in file:
            function = re.match(r'fn=\((\d+)\)(?: (\S+))?', line)
            if function:
                number, name = function.groups()
                names.setdefault(number, name)
                kernel = re.match(r'kernel_(\w+)$', names[number] or '')
            called = re.match(r'cfn=\((\d+)\) (\S+)', line)
            if called:
                names.setdefault(*called.groups())
            cost = re.match(r'[+*-]?\d*(?: \d+)* (\d+)$', line)
            if kernel and cost:
                counts[kernel[1]] = counts.get(kernel[1], 0) + int(cost[1])
    return counts


def count_emulated(program, folder):
    plugin, log, qemu = f'{folder}/count_plugin.so', f'{folder}/count.log', emulator()
    if not os.path.exists(plugin):
        tools.run(tools.llvm('clang'), '-O2', '-shared', '-fPIC', '-Wl,-z,undefs',
                  f'{os.path.dirname(os.path.abspath(__file__))}/count_plugin.c', '-o', plugin)
    # qemu has memory for each page that a program reserves.
    tools.output('prlimit', '--as=8589934592', qemu[0], '-plugin', plugin, '-d', 'plugin', '-D', log, *qemu[1:],
                 program, '0')
    with open(log) as file:
        return {name: int(number) for name, number in map(str.split, file)}


def count(program, folder):
    """Kernel -> instructions of one run."""
    if tools.TARGET:
        return count_emulated(program, folder)
    out = f'{folder}/callgrind'
    tools.output('valgrind', '-q', '--tool=callgrind', '--collect-atstart=no',
                 '--toggle-collect=kernel_*', f'--callgrind-out-file={out}', program, '0')
    return read_profile(out)


def print_table(programs, names, variants, folder):
    """Of programs[variant]."""
    counts = {}
    for variant in variants:
        tools.progress_line(f'counting {variant}')
        counts[variant] = count(programs[variant], folder)
    tools.progress_line('')
    others = [v for v in variants if v != 'plain']
    print(f'{"instructions":12} {"plain":>10}' + ''.join(f' {v + "/plain":>16}' for v in others))
    for name in names:
        plain = counts['plain'][name]
        print(f'{name:12} {plain:10}' + ''.join(f' {counts[v][name] / plain:16.4f}' for v in others))
    means = [timing.geometric_mean(counts[v][n] / counts['plain'][n] for n in names) for v in others]
    print(f'{"geometric mean":23}' + ''.join(f' {mean:16.4f}' for mean in means))

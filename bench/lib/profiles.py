# SPDX-License-Identifier: Apache-2.0
"""What is a profile worth to polls (bench/safepoints --profile)? Each program is compiled with and
without a profile of one run of it as plain C, and each of these with and without polls: their
difference is what the polls cost, in instructions. What else the optimiser makes of a profile is in
both."""
import counting
import tools
import variants as ways

OWN = ['rare_calls']


def source_of(name):
    return f'{ways.PROGRAMS if name in OWN else ways.HERE + "/kernels"}/{name}.c'


def make_profile(name, folder):
    path = f'{folder}/profile-{name}'
    tools.run(tools.llvm('clang'), '-O2', '-w', f'-DKERNELS=X({name})', '-DCAIRN_PLAIN', '-DBENCH_NATIVE_MEMORY',
              f'-I{ways.ROOT}/include', f'-fprofile-instr-generate={path}.raw', f'{ways.PROGRAMS}/harness.c',
              source_of(name), '-lm', '-o', path)
    tools.output(path, '0')
    tools.run(tools.llvm('llvm-profdata'), 'merge', f'{path}.raw', '-o', f'{path}.data')
    return f'{path}.data'


def count(build, name, flags, folder):
    """Instructions of one run."""
    path = f'{folder}/profiled-{name}'
    tools.run(tools.llvm('clang'), '-O2', f'-DKERNELS=X({name})', '-c', f'{ways.PROGRAMS}/harness.c', '-o',
              f'{path}-harness.o')
    tools.run(f'{build}/bin/cairn-cc', ways.MANAGE, ways.COLLECTOR, '-O3', f'-I{ways.ROOT}/include', '-c',
              source_of(name), '-o', f'{path}.o', *flags)
    tools.run(f'{build}/bin/cairn-cc', ways.COLLECTOR, '-fuse-ld=lld', f'{path}-harness.o', f'{path}.o', '-lm', '-o',
              path)
    return counting.count(path, folder)[name]


def print_table(build, folder, names):
    if not counting.available():
        print('valgrind is not installed: no instructions are counted')
        return
    print('Instructions of one run, by callgrind, without polls and of the polls, with no profile and with one:')
    print(f'{"program":18} {"no polls":>10} {"polls":>10} {"%":>6}  {"profiled":>10} {"polls":>10} {"%":>6}')
    for name in OWN + names:
        tools.progress_line(f'counting {name}')
        row = f'{name:18}'
        for profile in [], [f'-fprofile-instr-use={make_profile(name, folder)}']:
            none = count(build, name, ['-fcairn-polls=none', *profile], folder)
            polls = count(build, name, profile, folder) - none
            row += f' {none:10} {polls:10} {polls / none * 100:6.2f} '
        tools.progress_line('')
        print(row.rstrip(), flush=True)

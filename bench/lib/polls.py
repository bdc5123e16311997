# SPDX-License-Identifier: Apache-2.0
"""How many bytes of code polls take, ours and those of LLVM's place-safepoints (bench/safepoints
--size). Both compilers make each program twice, with polls and without, with statepoints at calls in
both cases; the difference is what polls cost, with all that comes of them: chunked loops, copies of
loops, registers that are kept elsewhere. Cold is what no thread runs that is not asked to stop: the
blocks that call the slow path."""
import glob
import os
import re
import size
import tools
import variants

# Name -> what the call of the slow path is named in an object.
SLOW = {'ours': 'cairn.slow.cairn_poll_slow', 'LLVM': 'bench_poll_slow'}
AFTER = variants.AFTERWARDS


class Function:
    def __init__(self):
        self.bytes = self.polls = self.cold = 0


def compile_ours(build, source, level, target, *flags):
    tools.run(f'{build}/bin/cairn-cc', variants.MANAGE, variants.COLLECTOR, level, '-fPIE', f'-I{variants.ROOT}/include',
              '-c', source, '-o', target, *flags)


def compile_llvm(source, level, target, place):
    """Late placement, by the recipe of variants.py."""
    if source.endswith('.c'):
        text = variants.managed_ir(source, level)
    else:
        with open(source, errors='replace') as file:
            text = file.read()
    passes = f'default<{level[1:]}>,{place}{tools.LLVM_PASS},{AFTER}'
    variants.generate(text + variants.POLL if place else text, passes, target)


def read_functions(path, slow):
    """Name -> Function, from an object's symbols and disassembly."""
    symbols = tools.output(tools.llvm('llvm-nm'), '--print-size', '--defined-only', path)
    ends = {name: int(start, 16) + int(length, 16)
            for start, length, _, name in (line.split() for line in symbols.splitlines()
                                           if len(line.split()) == 4)}
    text = tools.output(tools.llvm('llvm-objdump'), '-dr', '--no-show-raw-insn', path)
    functions = {}
    for part in re.split(r'^(?=[0-9a-f]+ <.*>:$)', text, flags=re.M)[1:]:
        name = re.match(r'[0-9a-f]+ <(.*)>:', part).group(1)
        # Thunks and the poll itself, before it is inserted, are no function of the program.
        if name in ends and not name.startswith('cairn.') and name != 'gc.safepoint_poll':
            functions[name] = read_function(part, ends[name], slow)
    return functions


def instructions(part, end):
    """[(address, bytes, text, what it refers to)]; after the end are marks and padding."""
    found = []
    for line in part.splitlines()[1:]:
        code = re.match(r'\s+([0-9a-f]+):\s+([<a-z].*)', line)
        reference = re.match(r'\s+[0-9a-f]+:\s+R_\w+\s+(\S+)', line)
        if code and int(code.group(1), 16) < end:
            found.append([int(code.group(1), 16), code.group(2), ''])
        elif reference and found:
            found[-1][2] = reference.group(1)
    ends = [at for at, *_ in found[1:]] + [end]
    return [(at, after - at, text, reference) for (at, text, reference), after in zip(found, ends)]


def read_function(part, end, slow):
    """Padding before loops does not count."""
    found, block, cold = Function(), 0, False
    targets = {int(target, 16) for target in re.findall(r'\tj\w+\s+0x([0-9a-f]+)', part)}
    for at, length, text, reference in instructions(part, end):
        if at in targets:
            found.cold += block if cold else 0
            block, cold = 0, False
        if re.match(r'(data16 |cs\s|nop)', text):
            continue
        found.bytes += length
        block += length
        if re.match(re.escape(slow) + r'[-+]', reference):
            found.polls += 1
            cold = True
        if re.match(r'(j|ret|ud2)', text):
            found.cold += block if cold else 0
            block, cold = 0, False
    found.cold += block if cold else 0
    return found


class Row:
    """Sums of one compiler: with polls, without."""
    def __init__(self):
        self.functions = self.polls = self.bytes = self.without = self.cold = 0

    def add(self, with_polls, without):
        self.functions += 1
        self.polls += with_polls.polls
        self.bytes += with_polls.bytes
        self.without += without.bytes
        self.cold += with_polls.cold

    def text(self):
        extra = self.bytes - self.without
        per_poll = extra / self.polls if self.polls else 0
        return (f'{self.polls:6} {extra:7} {self.cold:6} {per_poll:6.1f} '
                f'{extra / max(1, self.functions):6.1f} {100 * extra / max(1, self.without):6.1f}')


HEADING = f'{"polls":>6} {"bytes":>7} {"cold":>6} {"/poll":>6} {"/func.":>6} {"%":>6}'


def weigh(build, folder, source, level):
    """Function -> {compiler: (with polls, without)}, or which compiler refuses it."""
    paths = {(side, polls): f'{folder}/size-{side}-{polls}.o'
             for side in SLOW for polls in (True, False)}
    try:
        compile_ours(build, source, level, paths['ours', True])
        compile_ours(build, source, level, paths['ours', False], '-fcairn-polls=none')
    except tools.Failed:
        return 'cairn-cc'
    try:
        compile_llvm(source, level, paths['LLVM', True], 'function(place-safepoints),')
        compile_llvm(source, level, paths['LLVM', False], '')
    except tools.Failed:
        return "LLVM's passes"
    read = {key: read_functions(path, SLOW[key[0]]) for key, path in paths.items()}
    # A compiler may have removed one that the other keeps.
    names = [name for name in read['ours', True] if all(name in functions for functions in read.values())]
    return {name: {side: (read[side, True][name], read[side, False][name]) for side in SLOW}
            for name in names}


def collect(build, folder, options):
    """[(group, source, level)]"""
    root = variants.ROOT
    groups = [('kernels, -O3', glob.glob(f'{root}/bench/kernels/*.c'), '-O3'),
              ('examples, -O2', tools.examples(root), '-O2'),
              ('test programs, -O2', glob.glob(f'{root}/test/run/*/*.c'), '-O2'),
              ("the rewriter's tests, -O2", glob.glob(f'{root}/test/compile/rewrite/**/*.ll', recursive=True), '-O2')]
    programs = [(name, path, level) for name, paths, level in groups
                for path in sorted(paths)[:1 if options.quick else None]]
    return programs + [('random modules, -O2', path, '-O2')
                       for path in size.random_modules(build, folder, options)]


def print_tables(build, folder, options):
    options.tiny, options.random = options.quick, 60
    groups, left_out, functions = {}, {}, []
    for group, source, level in collect(build, folder, options):
        tools.progress_line(f'size: {os.path.basename(source)}')
        weights = weigh(build, folder, source, level)
        if isinstance(weights, str):
            left_out.setdefault(weights, []).append(source)
            continue
        for name, sides in weights.items():
            functions.append((f'{os.path.basename(source)} {name}', sides))
            for title in (group, 'all'):
                rows = groups.setdefault(title, {side: Row() for side in SLOW})
                for side, (with_polls, without) in sides.items():
                    rows[side].add(with_polls, without)
    tools.progress_line('')
    print_groups(groups)
    for compiler, sources in left_out.items():
        print(f'left out, refused by {compiler}: {len(sources)} files')
    if options.functions:
        print_functions(functions)


def print_groups(groups):
    print('Bytes of code of polls: what functions are larger with polls than without, and how much of '
          'it is cold;\nper poll, per function, and in per cent of the code without polls:\n')
    print(f'{"":26} {"":5} {"ours":>10} {"LLVM, late":>45}')
    print(f'{"":22} {"functions":>9}  {HEADING}   {HEADING}')
    total = groups.pop('all')
    for title, rows in [*groups.items(), ('all', total)]:
        print(f'{title:25} {rows["ours"].functions:6}  {rows["ours"].text()}   {rows["LLVM"].text()}')


def print_functions(functions):
    print(f'\n{"":46}  {"ours":<34}  LLVM, late')
    print(f'{"function":46}' + f'  {"polls":>6} {"with":>8} {"without":>8} {"cold":>8}' * 2)
    for name, sides in functions:
        cells = [f'  {a.polls:6} {a.bytes:8} {b.bytes:8} {a.cold:8}' for a, b in sides.values()]
        print(f'{name:46}' + ''.join(cells))

# SPDX-License-Identifier: Apache-2.0
"""What rewriting makes of a corpus, by both passes: relocations, instructions and bytes of .text
(bench/rewrite)."""
import glob
import os
import re
import shutil
import tools

COUNTS = ('relocations', 'instructions', '.text', '.text, registers')
REGISTERS = ('-max-registers-for-gc-values=256', '-fixup-allow-gcptr-in-csr=true')
# What cairn-cc does before it rewrites.
PIPELINE = ('rules,prepare,default<O{}>,restore-references,layouts,allocate,route-calls,'
            'check-stores,place-safepoints')


class Module:
    def __init__(self, name, path):
        self.name, self.path = name, path


def compile_c(build, root, source, level, target):
    text = target + '.c.ll'
    tools.run(tools.llvm('clang'), '-O2', '-Xclang', '-disable-llvm-passes', '-fPIE',
              f'-I{root}/include', f'-I{tools.LLVM}/../include', '-DBENCH_NATIVE_MEMORY', '-S',
              '-emit-llvm', source, '-o', text)
    tools.run(f'{build}/bin/cairn', 'opt', '-S', '--manage-all', '-p', PIPELINE.format(level), text,
              '-o', text + '.ll')
    leaf_assembly(text + '.ll', target)


def leaf_assembly(source, target):
    """LLVM's pass wraps inline assembly, and leaves a broken module; both passes know the
    attribute."""
    with open(source, errors='replace') as file, open(target, 'w') as out:
        for line in file:
            if re.match(r'  (%\S+ = )?((tail|notail) )?call [^@]* asm ', line):
                line = re.sub(r'((, !.*)?)\n$', r' "gc-leaf-function"\1\n', line)
            out.write(line)
    return target


def build_corpus(build, folder, root, options):
    """The C kernels and examples, the forms of the tests, by hand, and random modules."""
    modules = []
    sources = sorted(glob.glob(f'{root}/bench/kernels/*.c')) + tools.examples(root)
    for source in sources[:2] if options.tiny else sources:
        for level in (0, 2):
            name = f'{os.path.basename(source)} -O{level}'
            # A kernel and an example may have one name.
            place = os.path.basename(os.path.dirname(source))
            target = f'{folder}/{place}-{os.path.basename(source)}-{level}.ll'
            tools.progress(name)
            compile_c(build, root, source, level, target)
            modules.append(Module(name, target))
    tests = sorted(glob.glob(f'{root}/test/compile/rewrite/**/*.ll', recursive=True))
    for test in (tests[:3] if options.tiny else tests) + random_modules(build, folder, options):
        random = '' if test in tests else 'random '
        target = f'{folder}/{"random-" if random else ""}{os.path.basename(test)}'
        modules.append(Module(random + os.path.basename(test), leaf_assembly(test, target)))
    return modules


def random_modules(build, folder, options):
    """Their paths."""
    maker, batch = f'{build}/test/tools/random_module', f'{folder}/random'
    count = 3 if options.tiny else options.random
    if not os.path.exists(maker) or not count:
        return []
    shutil.rmtree(batch, ignore_errors=True)
    os.makedirs(batch)
    tools.run(maker, '--plain', f'--batch={batch}', '1', str(count))
    return sorted(path for path in glob.glob(f'{batch}/*.ll') if not path.endswith('/main.ll'))


def count_text(path):
    """(relocations, instructions) of a module in text."""
    relocations = instructions = 0
    inside = False
    with open(path, errors='replace') as file:
        for line in file:
            if line.startswith('define '):
                inside = True
            elif line.startswith('}'):
                inside = False
            elif inside and re.match(r'  (%|[a-z])', line):
                instructions += 1
                relocations += bool(re.search(r'@llvm\.experimental\.gc\.relocate\.', line))
    return relocations, instructions


def text_bytes(module, target, options):
    tools.run(tools.llvm('llc'), '-O2', '-relocation-model=pic', '-filetype=obj', *options, module,
              '-o', target)
    with open(target, 'rb') as file:
        return sum(size for name, size in sections(file.read()) if name.startswith(b'.text'))


def sections(elf):
    """(name, size) of the sections of an object for x86-64."""
    def number(at, size):
        return int.from_bytes(elf[at:at + size], 'little')
    table, entry, count, names = number(40, 8), number(58, 2), number(60, 2), number(62, 2)
    strings = number(table + names * entry + 24, 8)
    for i in range(count):
        at = table + i * entry
        name = strings + number(at, 4)
        yield elf[name:elf.index(b'\0', name)], number(at + 32, 8)


def measure(text, folder):
    relocations, instructions = count_text(text)
    return [relocations, instructions, text_bytes(text, f'{folder}/size.o', ()),
            text_bytes(text, f'{folder}/size.o', REGISTERS)]


def rewrite_ours(build, folder, module, *options):
    target = f'{folder}/ours.ll'
    tools.run(f'{build}/bin/cairn', 'opt', '-S', '-p', tools.OUR_PASS, *options, module.path, '-o',
              target, timeout=60)
    return target


def rewrite_llvm(folder, module):
    target = f'{folder}/llvm.ll'
    said, _ = tools.run(tools.llvm('opt'), '-S', '-passes=' + tools.LLVM_PASS, module.path, '-o',
                        target, timeout=60)
    if isinstance(said, float):
        raise tools.Failed('over time')
    return target


def attempt(action, *arguments):
    """What the action returns, or None if a tool gave up."""
    try:
        return action(*arguments)
    except tools.Failed:
        return None


def judge(build, folder, module):
    """(counts of ours, of LLVM's), or why the two cannot be compared."""
    ours = attempt(rewrite_ours, build, folder, module)
    if not ours:
        return 'refused by cairn'
    theirs = attempt(rewrite_llvm, folder, module)
    if not theirs:
        return "LLVM's pass fails"
    # What loses a root is smaller by that.
    if not attempt(tools.run, f'{build}/bin/cairn', 'verify', theirs):
        return "cairn verify finds LLVM's output wrong"
    counts = [attempt(measure, text, folder) for text in (ours, theirs)]
    return counts if all(counts) else 'llc fails'


def compare(build, folder, corpus):
    """Print the table; returns what is worse than LLVM's, as lines."""
    rows, left_out, lines = [], {}, []
    for module in corpus:
        tools.progress(module.name)
        counts = judge(build, folder, module)
        if isinstance(counts, str):
            left_out.setdefault(counts, []).append(module)
            continue
        rows.append((module, *counts))
        lines += [f'{module.name}: {a} {what}, LLVM {b}'
                  for what, a, b in zip(COUNTS, *counts) if a > b]
    tools.progress('')
    print_sizes(rows, left_out)
    return lines


def print_sizes(rows, left_out):
    print(f'\n{"":42}' + ''.join(f'{what:>22}' for what in COUNTS))
    groups = {}
    for module, ours, theirs in rows:
        random = module.name.startswith('random')
        name = 'random modules' if random else 'tests' if module.name.endswith('.ll') else module.name
        groups.setdefault(name, []).append((ours, theirs))
        groups.setdefault('all', []).append((ours, theirs))
    groups['all'] = groups.pop('all', [])
    for name, pairs in groups.items():
        sums = [[sum(pair[side][i] for pair in pairs) for side in (0, 1)] for i in range(4)]
        cells = [f'{a}/{b} {a / b if b else 1:5.3f}' for a, b in sums]
        title = name if len(pairs) == 1 else f'{name} ({len(pairs)})'
        print(f'{title:42}' + ''.join(f'{cell:>22}' for cell in cells))
    for why, modules in left_out.items():
        print(f'left out, {why}: {len(modules)}')


def switches(build, folder, corpus):
    """What each optimisation is worth: the corpus without it, against the corpus with all."""
    said, _ = tools.run('/bin/sh', '-c', f'"{build}/bin/cairn" opt --help >&2')
    names = re.findall(r'^  (\S+)', said.split('\noptimisations:\n')[1].split('\n\n')[0], re.M)
    variants = [()] + [('--without=' + name,) for name in names]
    variants += [('--without=' + ','.join(names),), ('--slots=never',), ('--slots=always',)]
    totals = {variant: [0] * len(COUNTS) for variant in variants}
    for module in corpus:
        tools.progress(module.name)
        results = {}
        for variant in variants:
            text = attempt(rewrite_ours, build, folder, module, *variant)
            results[variant] = attempt(measure, text, folder) if text else None
        for variant in variants if all(results.values()) else []:
            totals[variant] = [a + b for a, b in zip(totals[variant], results[variant])]
    tools.progress('')
    print(f'\n{"":42}' + ''.join(f'{what:>22}' for what in COUNTS))
    for variant, counts in totals.items():
        cells = [f'{a} {a / b if b else 1:6.3f}' for a, b in zip(counts, totals[()])]
        name = ' '.join(variant) or 'all optimisations'
        name = 'without any of them' if ',' in name else name
        print(f'{name:42}' + ''.join(f'{cell:>22}' for cell in cells))

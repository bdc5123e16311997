# SPDX-License-Identifier: Apache-2.0
"""What each reason to leave a barrier out is worth: how many stores of references there are, how many barriers remain,
and how many each reason took away, as `-fcairn-report` tells; and the instructions that run, as callgrind counts."""
import collections
import glob
import os
import re
import subprocess
import counting
import tools

KINDS = ['cards', 'snapshot']
# What cairn-cc runs from the optimiser to insert-barriers (src/compile/pipeline.c); -flto leaves it to the link.
PASSES = ('default<O2>,escape,restore-references,layouts,allocate,route-calls,check-stores,place-safepoints,'
          'insert-barriers')
INSTRUCTIONS = ['reverse', 'shuffle', 'join', 'fill', 'build', 'walk']


def groups(root, quick):
    """The sources of each group."""
    first = {'barriers.c': [f'{root}/bench/programs/barriers.c']}
    return first if quick else {**first, 'kernels': sorted(glob.glob(f'{root}/bench/kernels/*.c')),
                                'examples': tools.examples(root)}


def compile_unit(build, root, source, kind, target):
    """(barriers, reasons): how many calls of barriers stand in the code, and how many each reason left out."""
    unit, module = f'{target}-{kind}.bc', f'{target}-{kind}.ll'
    compiler = [f'{build}/bin/cairn-cc', '-O2', f'-I{root}/include', f'-I{tools.LLVM}/../include',
                f'-fcairn-barriers={kind}', '-c', source]
    tools.run(*compiler, '-flto', '-o', unit)
    said, _ = tools.run(f'{build}/bin/cairn', 'opt', '-p', PASSES, f'--barriers={kind}', '--report', '-S', unit,
                        '-o', module)
    reasons = reasons_of(said)
    if reasons != reasons_of(tools.run(*compiler, '-fcairn-report', '-o', f'{target}-{kind}.o')[0]):
        raise tools.Failed(f'{source}: {PASSES} leaves other barriers out than cairn-cc')
    with open(module) as file:
        barriers = sum(bool(re.search(r'\bcall\b.*@cairn\.barrier\.', line)) for line in file)
    return barriers, reasons


def reasons_of(said):
    return collections.Counter(re.findall(r'no barrier: (.*) \[barrier-elided\]', said))


def count(build, root, folder, quick):
    """By group, kind and source: what compile_unit() says."""
    found = {}
    for group, sources in groups(root, quick).items():
        for source in sources:
            name = os.path.basename(source)[:-len('.c')]
            tools.progress_line(f'{group}: {name}')
            for kind in KINDS:
                target = f'{folder}/elided-{group}-{name}'
                found[group, kind, name] = compile_unit(build, root, source, kind, target)
    return found


def totals(found, group, kind):
    """(stores, barriers, reasons) of a group, or of all if it is None. With `snapshot` each store has its own
    barrier or is left out, so these tell how many stores there are."""
    barriers, reasons = collections.Counter(), {each: collections.Counter() for each in KINDS}
    for (of, each, _), (stand, why) in found.items():
        if group in (None, of):
            barriers[each] += stand
            reasons[each] += why
    return barriers['snapshot'] + sum(reasons['snapshot'].values()), barriers[kind], reasons[kind]


def check(found):
    """`cards`, too, has a barrier for each store that is not left out."""
    stores, barriers, why = totals(found, None, 'cards')
    if stores != barriers + sum(why.values()):
        raise tools.Failed(f'{stores} stores of references, but {barriers} barriers and {sum(why.values())} left out')


def print_reasons(found):
    columns = [('barriers.c', 'cards'), ('kernels', 'cards'), ('examples', 'cards')] + [(None, kind) for kind in KINDS]
    all_of = [totals(found, *column) for column in columns]
    reasons = sum((why for _, _, why in all_of), collections.Counter())
    titles = [f'{group or "all"}, {kind}' for group, kind in columns]
    print('| | ' + ' | '.join(titles) + ' |\n|' + ' --- |' * (len(titles) + 1))
    rows = [('stores of references', [stores for stores, _, _ in all_of])]
    rows += [(reason, [why[reason] for _, _, why in all_of]) for reason, _ in reasons.most_common()]
    rows += [('barriers that remain', [barriers for _, barriers, _ in all_of])]
    for title, numbers in rows:
        print(f'| {title} | ' + ' | '.join(map(str, numbers)) + ' |')


def instructions(program, folder, repeats):
    """By kernel: instructions per round, with all that the kernel calls."""
    out = f'{folder}/callgrind.out'
    env = dict(os.environ, CAIRN_HEAP_MAX='1g')
    subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', program, str(repeats)], check=True,
                   env=env, capture_output=True)
    said = tools.output('callgrind_annotate', '--inclusive=yes', '--threshold=100', out)
    found = {}
    for kernel in INSTRUCTIONS:
        line = re.search(rf'^ *([\d,]+) .*:{kernel}\b', said, re.M)
        if not line:
            raise tools.Failed(f'callgrind saw no {kernel}')
        found[kernel] = int(line[1].replace(',', '')) / repeats
    return found


def print_instructions(programs, folder, nodes, repeats=20):
    counts = {kind: instructions(program, folder, repeats) for kind, program in programs.items()}
    print('\n| instructions per node | none | cards |\n| --- | --- | --- |')
    for kernel in INSTRUCTIONS:
        print(f'| `{kernel}` | ' + ' | '.join(f'{counts[kind][kernel] / nodes:.2f}' for kind in programs) + ' |')


def report(build, root, folder, programs, nodes, quick):
    found = count(build, root, folder, quick)
    check(found)
    print(f'{tools.processor()}; -O2')
    print_reasons(found)
    if quick:
        return
    if counting.available():
        print_instructions(programs, folder, nodes)
    else:
        print('valgrind is not installed: no instructions are counted')

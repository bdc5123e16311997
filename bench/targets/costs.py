# SPDX-License-Identifier: Apache-2.0
"""Instructions of single costs: a poll, an allocation, a barrier, a call of native code, a frame of a walk. Kernels of
costs.c are counted, and their differences taken."""
import os
import counting
import tools
import variants

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = ['poll', 'call', 'native', 'pass', 'make', 'store', 'walk_first', 'walk_short_once', 'walk_short',
           'walk_long_once', 'walk_long']
ROUNDS, WALK_ROUNDS = 1000, 2000  # of costs.c
# Each loop polls in each iteration.
FLAGS = ['-O2', variants.MANAGE, '-fcairn-without=unroll,peel,chunks']
PLAIN = 'plain'
WAYS = {PLAIN: [variants.COLLECTOR],
        'unpolled': [variants.COLLECTOR, '-fcairn-polls=none'],
        'cards': ['-fcairn-barriers=cards']}


def build(cairn_cc, way, folder):
    """The program of a way."""
    target = f'{folder}/costs-{way}'
    compiler, include = [*tools.TARGET, '-O2', '-D_GNU_SOURCE'], f'-I{variants.ROOT}/include'
    kernels = ' '.join(f'X({name})' for name in KERNELS)
    for source in f'{variants.PROGRAMS}/harness.c', f'{HERE}/costs_native.c':
        tools.run(tools.llvm('clang'), *compiler, include, f'-DKERNELS={kernels}', '-c', source, '-o',
                  f'{folder}/{os.path.basename(source)[:-2]}.o')
    tools.run(cairn_cc, *tools.TARGET, *FLAGS, *WAYS[way], include, '-c', f'{HERE}/costs.c', '-o', f'{target}.o')
    tools.run(cairn_cc, *tools.TARGET, *WAYS[way], '-fuse-ld=lld', f'{folder}/harness.o', f'{folder}/costs_native.o',
              f'{target}.o', '-o', target)
    return target


def count(build_folder, folder):
    """Name of a cost -> instructions."""
    os.makedirs(folder, exist_ok=True)
    counts = {way: counting.count(build(f'{build_folder}/bin/cairn-cc', way, folder), folder) for way in WAYS}
    plain = counts[PLAIN]

    def each(kernel, other, other_way=PLAIN, way=PLAIN):
        return (counts[way][kernel] - counts[other_way][other]) / ROUNDS

    walks = plain['walk_long'] - plain['walk_long_once'] - (plain['walk_short'] - plain['walk_short_once'])
    return {'poll': each('poll', 'poll', 'unpolled'),
            'allocation': each('make', 'pass'),
            'barrier': each('store', 'store', way='cards'),
            'native': each('native', 'call'),
            'frame': walks / WALK_ROUNDS}

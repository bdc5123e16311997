# SPDX-License-Identifier: Apache-2.0
"""How long the kernels take in each variant, against plain C (bench/safepoints).

What disturbs single runs, and what is done about it. Other work on the machine, and its moods: all
runs are on one CPU, each in several processes, the variants in turns; of all of them the shortest
counts. Where the stack and the pages lie: the kernel's address randomisation is on, and each
process has its own luck. Where code lies: a loop of a few instructions can take half as long again
if it crosses a boundary of 64 bytes, which each compiler's output does in some layouts and not in
others. So each variant has many layouts, and the figure is the median of the ratios of every layout
of the variant to every layout of plain C (the estimator of Hodges and Lehmann): that a long and a
short loop meet in one layout or another does not matter then."""
import math
import os
import statistics
import tools

GOAL_MEAN, GOAL_WORST = 1.005, 1.02
# Kernels that look at each callee whether it is managed, and short searches with an early exit: a goal for each.
SEARCHES = ['binary_search', 'byte_search', 'chain_lookup', 'linear_search', 'list_search', 'table_probe',
            'text_length', 'tree_search']
GOAL_OF = {'closures': 1.25, **{name: 1.05 for name in SEARCHES}}


class Wrong(Exception):
    """A variant computes something else than the others."""


def pin(cpu):
    """Children inherit it. The last CPU by default: interrupts prefer the first."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) if cpu is None else cpu})


def measure(program, repeats):
    """Kernel -> (nanoseconds, checksum)."""
    lines = [line.split() for line in tools.output(program, str(repeats)).splitlines()]
    return {line[0]: (int(line[1]), line[2]) for line in lines}


def collect(programs, rounds, repeats):
    """Of programs[layout][variant]: (variant, kernel, layout) -> times, one of each round."""
    times, sums = {}, {}
    for turn in range(rounds):
        for layout, variants in enumerate(programs):
            tools.progress_line(f'round {turn + 1} of {rounds}, layout {layout + 1} of {len(programs)}')
            order = list(variants)
            for variant in order[::-1] if (turn + layout) % 2 else order:
                for kernel, (ns, checksum) in measure(variants[variant], repeats).items():
                    times.setdefault((variant, kernel, layout), []).append(ns)
                    if sums.setdefault(kernel, checksum) != checksum:
                        raise Wrong(f'{kernel} by {variant} computes something else')
    tools.progress_line('')
    return times


def rank_of_interval(n):
    """Of n*n sorted ratios, the place of the lower end of the 95 % confidence interval of their median
    (from the distribution of the rank sum of Mann and Whitney)."""
    return max(0, math.floor(n * n / 2 - 1.96 * math.sqrt(n * n * (2 * n + 1) / 12)))


def ratio(times, variant, kernel, layouts):
    """(median, bounds of its confidence interval) of variant over plain."""
    ours, plain = ([min(times[v, kernel, layout]) for layout in range(layouts)]
                   for v in (variant, 'plain'))
    ratios = sorted(a / b for a in ours for b in plain)
    rank = rank_of_interval(layouts)
    return statistics.median(ratios), ratios[rank], ratios[-1 - rank]


def geometric_mean(ratios):
    return math.exp(statistics.mean(math.log(r) for r in ratios))


def print_table(times, names, variants, layouts):
    """Returns variant -> {kernel: ratio}."""
    others = [v for v in variants if v != 'plain']
    figures = {v: {} for v in others}
    print(f'{"kernel":12} {"plain ms":>9}' + ''.join(f' {v + "/plain":>20}' for v in others))
    for name in names:
        plain = [min(times['plain', name, layout]) for layout in range(layouts)]
        row = f'{name:12} {statistics.median(plain) / 1e6:9.3f}'
        for v in others:
            middle, low, high = ratio(times, v, name, layouts)
            figures[v][name] = middle
            row += f' {middle:6.3f} ({low:5.3f}-{high:6.3f})'
        print(row)
    means = [geometric_mean(figures[v].values()) for v in others]
    print(f'{"geometric mean":22}' + ''.join(f' {m:6.3f}{"":14}' for m in means).rstrip())
    return figures


def judge(figures):
    """Print whether the goals are reached; returns whether they are."""
    own = {name: figures[name] for name in figures if name in GOAL_OF}
    figures = {name: figures[name] for name in figures if name not in GOAL_OF}
    mean = geometric_mean(figures.values())
    worst = max(figures, key=figures.get)
    reached = mean <= GOAL_MEAN and figures[worst] <= GOAL_WORST
    print(f'goal {"reached" if mean <= GOAL_MEAN else "MISSED"}: geometric mean of ours/plain '
          f'{mean:.3f}, at most {GOAL_MEAN}')
    print(f'goal {"reached" if figures[worst] <= GOAL_WORST else "MISSED"}: worst kernel {worst} '
          f'{figures[worst]:.3f}, at most {GOAL_WORST}')
    for name, figure in own.items():
        print(f'goal {"reached" if figure <= GOAL_OF[name] else "MISSED"}: {name} {figure:.3f}, '
              f'at most {GOAL_OF[name]}')
        reached = reached and figure <= GOAL_OF[name]
    return reached

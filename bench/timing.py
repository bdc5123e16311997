# SPDX-License-Identifier: Apache-2.0
"""How long the kernels take in each variant, against plain C (bench/safepoints).

What disturbs single runs, and what is done about it: other work on the machine (each time is the
least of several runs in a process, on one CPU, and the figure is a median); its moods (a ratio is
taken between neighbours in time, whose order alternates); where code lies, which moves single
kernels by up to 10 % (many layouts, in each of which a kernel begins at the same place of a page in
every variant, and the figure is their median); where the stack and the pages lie (the kernel's
address randomisation is on, and each round is another process)."""
import math
import os
import statistics
import tools

GOAL_MEAN, GOAL_WORST = 1.005, 1.02


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
    """The largest r such that the median lies between the r-th least and the r-th greatest of n
    values with a probability of at least 0.95; 1 if there is none."""
    outside, r = 2 * 0.5 ** n, 1
    while outside + 2 * math.comb(n, r) * 0.5 ** n <= 0.05:
        outside += 2 * math.comb(n, r) * 0.5 ** n
        r += 1
    return r


def ratio(times, variant, kernel, layouts):
    """(median over the layouts, bounds of its confidence interval) of variant over plain; of a layout,
    it is the median over the rounds."""
    of_layouts = sorted(
        statistics.median(t / p for t, p in zip(times[variant, kernel, layout],
                                                times['plain', kernel, layout]))
        for layout in range(layouts))
    rank = rank_of_interval(layouts)
    return statistics.median(of_layouts), of_layouts[rank - 1], of_layouts[-rank]


def geometric_mean(ratios):
    return math.exp(statistics.mean(math.log(r) for r in ratios))


def print_table(times, names, variants, layouts):
    """Returns variant -> {kernel: ratio}."""
    others = [v for v in variants if v != 'plain']
    figures = {v: {} for v in others}
    print(f'{"kernel":12} {"plain ms":>9}' + ''.join(f' {v + "/plain":>20}' for v in others))
    for name in names:
        plain = [t for layout in range(layouts) for t in times['plain', name, layout]]
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
    mean = geometric_mean(figures.values())
    worst = max(figures, key=figures.get)
    reached = mean <= GOAL_MEAN and figures[worst] <= GOAL_WORST
    print(f'goal {"reached" if mean <= GOAL_MEAN else "MISSED"}: geometric mean of ours/plain '
          f'{mean:.3f}, at most {GOAL_MEAN}')
    print(f'goal {"reached" if figures[worst] <= GOAL_WORST else "MISSED"}: worst kernel {worst} '
          f'{figures[worst]:.3f}, at most {GOAL_WORST}')
    return reached

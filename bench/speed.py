# SPDX-License-Identifier: Apache-2.0
"""Time and memory of rewriting, against LLVM's pass on the same modules (bench/rewrite)."""
import os
import statistics
import shapes
import tools

# Row, shape, its parameters. The rows of a family grow, so that "linear" can be seen.
POINTS = [('small functions', 'small', [(2000, 5), (20000, 5)])]
for calls_live in (10, 100, 1000):
    POINTS += [(f'one block, {calls_live} live', 'straight',
                [(n, calls_live) for n in (1000, 4000, 16000, 64000)]),
               (f'branches, {calls_live} live', 'chain',
                [(n, calls_live) for n in (1000, 4000, 16000, 64000)])]
POINTS += [('nested loops', 'nest', [(100, 10), (400, 10)]),
           ('diamonds', 'diamonds', [(1000, 10), (4000, 10)]),
           ('switch', 'switch', [(2000, 10), (20000, 10)]),
           ('phi webs', 'webs', [(200, 10), (1000, 30)])]
TINY = [('small functions', 'small', [(20, 5)]), ('one block, 10 live', 'straight', [(20, 10)]),
        ('branches, 10 live', 'chain', [(20, 10)]), ('nested loops', 'nest', [(5, 3)]),
        ('diamonds', 'diamonds', [(5, 3)]), ('switch', 'switch', [(20, 3)]),
        ('phi webs', 'webs', [(5, 3)])]

FASTER, SMALLER, LINEAR = 3.0, 0.5, 3.0


class Point:
    """One module, measured: seconds of the pass (None: over time) and MiB above the idle tool."""

    def __init__(self, row, size, ours, theirs, memory, idle, work):
        self.row, self.size, self.ours, self.theirs = row, size, ours, theirs
        self.memory, self.idle, self.work = memory, idle, work

    def ratio(self, limit):
        return (self.theirs or limit) / self.ours

    def net(self, which):
        return max(self.memory[which] - self.idle[which], 0.0)


def output_size(build, module, folder):
    """Bytes of bitcode that our pass makes of it: the measure of its work."""
    target = f'{folder}/out.bc'
    tools.run(f'{build}/bin/cairn', 'opt', '-p', tools.OUR_PASS, module, '-o', target)
    return os.path.getsize(target)


def rounds_for(seconds, rounds):
    return 1 if seconds is None or seconds > 5 else min(rounds, 3) if seconds > 1 else rounds


def measure(build, row, size, module, folder, options, give_up):
    """Ours and LLVM's in turn, so that what disturbs one disturbs the other."""
    times, peaks = [], []
    turns = options.rounds
    while len(times) < turns:
        ours, our_peak = tools.run_ours(build, module, options.timeout)
        if ours is None:
            raise tools.Failed(f'{row} {size}: more than {options.timeout} s')
        theirs, their_peak = ((None, 0.0) if give_up else tools.run_llvm(module, options.timeout))
        times.append((ours, theirs))
        peaks.append((our_peak, their_peak))
        turns = rounds_for(theirs, options.rounds)
    return Point(row, size, statistics.median(t[0] for t in times),
                 None if times[0][1] is None else statistics.median(t[1] for t in times),
                 [statistics.median(p[i] for p in peaks) for i in (0, 1)],
                 tools.idle_memory(build, module), output_size(build, module, folder))


def measure_shapes(build, folder, options):
    points = []
    for row, shape, sizes in TINY if options.tiny else POINTS:
        give_up = False # LLVM was over time on a smaller module of this row
        for size in sizes:
            if options.rows and not any(word in row for word in options.rows.split(',')):
                continue
            tools.progress(f'{row} {size}')
            module = tools.assemble(shapes.SHAPES[shape](*size), f'{folder}/{shape}.bc')
            point = measure(build, row, size, module, folder, options, give_up)
            give_up = point.theirs is None
            points.append(point)
    return points


def measure_programs(build, corpus, options):
    """The C programs of the corpus together: the sum of the passes' times; memory of the largest."""
    programs = [module for module in corpus if '.c ' in module.name]
    if not programs or (options.rows and 'C programs' not in options.rows):
        return []
    times, peaks = [], []
    for _ in range(options.rounds):
        ours = [tools.run_ours(build, module.path, options.timeout) for module in programs]
        theirs = [tools.run_llvm(module.path, options.timeout) for module in programs]
        times.append([sum(seconds for seconds, _ in side) for side in (ours, theirs)])
        peaks.append([max(peak for _, peak in side) for side in (ours, theirs)])
    idle = [max(pair) for pair in zip(*(tools.idle_memory(build, m.path) for m in programs))]
    work = sum(output_size(build, module.path, os.path.dirname(module.path)) for module in programs)
    return [Point('C programs', (len(programs),), *(statistics.median(side) for side in zip(*times)),
                  [statistics.median(side) for side in zip(*peaks)], idle, work)]


def print_points(points, limit):
    print(f'{"":22} {"size":>12} {"ours ms":>9} {"LLVM ms":>10} {"faster":>8} {"us/KB":>6}'
          f' {"ours MiB":>14} {"LLVM MiB":>14} {"net":>6}')
    for p in points:
        over = p.theirs is None
        theirs = f'> {limit * 1000:.0f}' if over else f'{p.theirs * 1000:.1f}'
        memory = [f'{p.net(i):.0f} ({p.memory[i]:.0f})' for i in (0, 1)]
        net = '' if over or p.net(1) == 0 else f'{p.net(0) / p.net(1):.2f}'
        print(f'{p.row:22} {"x".join(map(str, p.size)):>12} {p.ours * 1000:9.1f} {theirs:>10}'
              f' {">" if over else ""}{p.ratio(limit):.1f}'.ljust(66) +
              f' {p.ours * 1e6 / (p.work / 1024):6.1f} {memory[0]:>14}'
              f' {"" if over else memory[1]:>14} {net:>6}')


def missed(points, limit):
    """What was promised and is not so, as lines."""
    lines = []
    for p in points:
        name = f'{p.row} {"x".join(map(str, p.size))}'
        if p.ratio(limit) < FASTER:
            lines.append(f'{name}: {p.ratio(limit):.2f} times as fast as LLVM, not {FASTER}')
        if p.theirs is not None and p.net(1) > 8 and p.net(0) > SMALLER * p.net(1):
            lines.append(f'{name}: {p.net(0) / p.net(1):.2f} of LLVM\'s memory, not {SMALLER}')
    for row in dict.fromkeys(p.row for p in points):
        rates = [p.ours / p.work for p in points if p.row == row and p.ours > 0.002]
        if rates and max(rates) > LINEAR * min(rates):
            lines.append(f'{row}: time per output grows {max(rates) / min(rates):.1f} times')
    return lines

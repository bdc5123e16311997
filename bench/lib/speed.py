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
    """One module, measured: seconds of the pass and MiB above the idle tool. If LLVM was over time,
    `over`, it would have taken longer than its seconds say."""

    def __init__(self, row, size, times, over, memory, idle, output):
        self.row, self.size, self.memory, self.idle = row, size, memory, idle
        self.ours, self.theirs = times
        self.over = over
        self.work, self.grown = output # bytes of bitcode, and MiB that the module has grown by

    def ratio(self):
        return self.theirs / self.ours

    def net(self, which):
        return max(self.memory[which] - self.idle[which], 0.0)


def output_of(build, module, folder, idle):
    """The measure of the work: bytes of bitcode that our pass makes of the module; and what holding
    it takes more than holding the module itself."""
    target = f'{folder}/out.bc'
    tools.run(f'{build}/bin/cairn', 'opt', '-p', tools.OUR_PASS, module, '-o', target)
    return os.path.getsize(target), max(tools.idle_memory(build, target)[0] - idle[0], 0.0)


def measure(build, row, size, module, folder, options, bound):
    """Ours and LLVM's in turn, so that what disturbs one disturbs the other. LLVM is not run if it
    was over time, at `bound` seconds, on a smaller module."""
    ours, theirs, rounds = [], [], options.rounds
    while len(ours) < rounds:
        ours.append(tools.run_ours(build, module, options.timeout))
        theirs.append((bound, 0.0, True) if bound else tools.run_llvm(module, options.timeout))
        if theirs[-1][0] > 1:
            rounds = min(rounds, 3 if theirs[-1][0] < 5 else 1)
    idle = tools.idle_memory(build, module)
    middle = [[statistics.median(run[i] for run in runs) for i in (0, 1)]
              for runs in (ours, theirs)]
    return Point(row, size, [m[0] for m in middle], theirs[-1][2], [m[1] for m in middle], idle,
                 output_of(build, module, folder, idle))


def measure_shapes(build, folder, options):
    points = []
    for row, shape, sizes in TINY if options.tiny else POINTS:
        bound = None
        for size in sizes:
            if options.rows and not any(word in row for word in options.rows.split(',')):
                continue
            tools.progress(f'{row} {size}')
            module = tools.assemble(shapes.SHAPES[shape](*size), f'{folder}/{shape}.bc')
            point = measure(build, row, size, module, folder, options, bound)
            bound = point.theirs if point.over else None
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
        times.append([sum(run[0] for run in side) for side in (ours, theirs)])
        peaks.append([max(run[1] for run in side) for side in (ours, theirs)])
    idle = [max(pair) for pair in zip(*(tools.idle_memory(build, m.path) for m in programs))]
    folder = os.path.dirname(programs[0].path)
    work = sum(output_of(build, module.path, folder, idle)[0] for module in programs)
    return [Point('C programs', (len(programs),), [statistics.median(side) for side in zip(*times)],
                  False, [statistics.median(side) for side in zip(*peaks)], idle, (work, 0.0))]


def print_points(points):
    print(f'{"":22} {"size":>12} {"ours ms":>9} {"LLVM ms":>10} {"faster":>8} {"us/KB":>6}'
          f' {"ours MiB":>14} {"LLVM MiB":>14} {"net":>6} {"module":>7}')
    for p in points:
        more = '>' if p.over else ''
        memory = [f'{p.net(i):.0f} ({p.memory[i]:.0f})' for i in (0, 1)]
        if p.over:
            memory[1] = ''
        net = '' if p.over or p.net(1) == 0 else f'{p.net(0) / p.net(1):.2f}'
        print(f'{p.row:22} {"x".join(map(str, p.size)):>12} {p.ours * 1000:9.1f}'
              f' {more + format(p.theirs * 1000, ".1f"):>10} {more + format(p.ratio(), ".1f"):>8}'
              f' {p.ours * 1e6 / (p.work / 1024):6.1f} {memory[0]:>14} {memory[1]:>14} {net:>6}'
              f' {p.grown:7.0f}')


def missed(points):
    """What was promised and is not so, as lines."""
    lines = []
    for p in points:
        name = f'{p.row} {"x".join(map(str, p.size))}'
        if p.ratio() < FASTER:
            lines.append(f'{name}: {p.ratio():.2f} times as fast as LLVM, not {FASTER}')
        # Nothing can take less than the module that comes out.
        least = max(SMALLER * p.net(1), 1.1 * p.grown)
        if not p.over and p.net(1) > 8 and p.net(0) > least:
            lines.append(f'{name}: {p.net(0) / p.net(1):.2f} of LLVM\'s memory, not {SMALLER}')
    for row in dict.fromkeys(p.row for p in points):
        rates = [p.ours / p.work for p in points if p.row == row and p.ours > 0.002]
        if rates and max(rates) > LINEAR * min(rates):
            lines.append(f'{row}: time per output grows {max(rates) / min(rates):.1f} times')
    return lines

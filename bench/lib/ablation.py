# SPDX-License-Identifier: Apache-2.0
"""What each optimisation of placement is worth (bench/safepoints --ablate): all units without one
after the other. Instructions and times are those of the kernels over plain C's; bytes of text and
bounds of the time to a safepoint are of the kernels, the examples, the programs that allocate, and
the sources in the folders given. Bounds are those of `cairn verify --time-to-safepoint`; what a
second thread measures is bench/ttsp's."""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import counting
import timing
import tools
import variants as ways

LONG = 80000  # half nanoseconds: twice the budget of polls
ALL = 'all'


def names_of(build, options):
    """The optimisations to leave out, and all at once."""
    if options.forms:
        return options.forms.split(',')
    said = tools.output(f'{build}/bin/cairn', 'opt', '--help')
    part = said.split('optimisations of place-safepoints:')[1].split('\n\n')[0]
    names = re.findall(r'^  (\S+)', part, re.M)
    return names + [','.join(names)]


def title_of(name):
    return 'without any' if ',' in name else name if name == ALL else 'without ' + name


def flags_of(name):
    return [] if name == ALL else ['-fcairn-without=' + name]


# ---- bytes and bounds ----

def collect(options):
    """[(group, source, flags)]"""
    root = ways.ROOT
    units = [('kernels', path, ['-O3']) for path in sorted(glob.glob(f'{root}/bench/kernels/*.c'))]
    units += [('examples', path, ['-O2']) for path in tools.examples(root)]
    units += [('examples', path, ['-O2']) for path in sorted(glob.glob(f'{root}/bench/gc-programs/*.c'))]
    for folder in options.programs.split(',') if options.programs else []:
        group = os.path.basename(folder.rstrip('/'))
        units += [(group, path, ['-O2', f'-I{folder}', f'-I{folder}/src'])
                  for path in sorted(glob.glob(f'{folder}/*.c') + glob.glob(f'{folder}/src/*.c'))]
    return units[::len(units) // 3] if options.quick else units


def text_of(path):
    said = tools.output(tools.llvm('llvm-size'), '-A', path)
    return sum(int(size) for size in re.findall(r'^\.text\S* +(\d+)', said, re.M))


def bounds_of(build, path):
    """Functions with no bound, with a longer one than twice the budget, and recursive ones."""
    result = subprocess.run([f'{build}/bin/cairn', 'verify', '--time-to-safepoint', '--json', path],
                            capture_output=True, text=True)
    found = [0, 0, 0]
    for line in result.stdout.splitlines():
        function = json.loads(line)
        times = [function[key] for key in ('enter', 'between', 'leave', 'through') if key in function]
        found[0] += None in times
        found[1] += any(time and time > LONG for time in times)
        found[2] += function['recursive']
    return found


def compile_unit(build, folder, name, number, unit):
    """The path of its object; None: the compiler refuses it."""
    _, source, flags = unit
    target = f'{folder}/ablation-{number}'
    compiler = [f'{build}/bin/cairn-cc', ways.MANAGE, ways.COLLECTOR, f'-I{ways.ROOT}/include', '-w',
                *flags, *flags_of(name), source]
    try:
        tools.run(*compiler, '-c', '-o', target + '.o')
        tools.run(*compiler, '-S', '-emit-llvm', '-o', target + '.ll')
    except tools.Failed:
        return None
    return target


def weigh(build, folder, name, number, unit):
    """(bytes, functions by bound) of a unit, or None."""
    target = compile_unit(build, folder, name, number, unit)
    return target and (text_of(target + '.o'), bounds_of(build, target + '.ll'))


def weigh_all(build, folder, name, units):
    """By unit."""
    tools.progress(f'compiling {title_of(name)}')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda n: weigh(build, folder, name, n, units[n]), range(len(units))))


# ---- the table ----

def compile_variants(build, folder, options, names, kernels):
    for name in names:
        ways.VARIANTS[name] = ('cairn-cc -O3 ' + ' '.join(flags_of(name)), flags_of(name))
    ways.compile_kernels(build, ['plain', *names], kernels, folder)


def count(folder, names, kernels, build):
    """Variant -> {kernel: instructions over plain C's}; empty without callgrind."""
    if not counting.available():
        return {name: {} for name in names}
    programs = ways.link_layout(build, ['plain', *names], kernels, 0, folder)
    plain = counting.count(programs['plain'], folder)
    counts = {}
    for name in names:
        tools.progress(f'counting {title_of(name)}')
        counts[name] = {k: n / plain[k] for k, n in counting.count(programs[name], folder).items()}
    return counts


def time(build, folder, options, names, kernels):
    """Variant -> {kernel: time over plain C's}."""
    programs = [ways.link_layout(build, ['plain', *names], kernels, layout, folder)
                for layout in range(options.layouts)]
    timing.pin(options.cpu)
    times = timing.collect(programs, options.rounds, options.repeats)
    return {name: {k: timing.ratio(times, name, k, options.layouts)[0] for k in kernels}
            for name in names}


def cell(ratios):
    """Geometric mean, and the worst with its kernel."""
    if not ratios:
        return f'{"":32}'
    worst = max(ratios, key=ratios.get)
    return f'{timing.geometric_mean(ratios.values()):7.4f} {ratios[worst]:7.4f} {worst:16}'


def print_bytes(units, weights):
    groups = list(dict.fromkeys(group for group, *_ in units))
    common = [n for n in range(len(units)) if all(rows[n] for rows in weights.values())]
    print('\nBytes of text, and over those with all; functions with no bound, with one of more than 40 us, and\n'
          f'recursive ones\n{"":23}' + ''.join(f'{group:>16}' for group in [*groups, 'all']) +
          f'{"none":>6}{"long":>6}{"rec.":>6}')
    for name, rows in weights.items():
        text = f'{title_of(name):23}'
        for group in [*groups, None]:
            chosen = [n for n in common if group in (None, units[n][0])]
            mine, full = (sum(weights[v][n][0] for n in chosen) for v in (name, ALL))
            text += f'{mine:9}{mine / full if full else 1:7.4f}'
        print(text + ''.join(f'{sum(rows[n][1][k] for n in common):6}' for k in range(3)))
    print(f'{len(common)} units; refused by the compiler: {len(units) - len(common)}')


def print_changes(counts, kernels):
    """Which kernels have other instructions without an optimisation."""
    print('\nKernels whose instructions are others, over those with all:')
    for name in counts:
        changed = {k: counts[name][k] / counts[ALL][k] for k in kernels
                   if counts[name] and abs(counts[name][k] / counts[ALL][k] - 1) >= 0.0005}
        if name != ALL:
            print(f'{title_of(name):24} ' + (', '.join(f'{k} {r:.3f}' for k, r in changed.items()) or 'none'))


def print_tables(build, folder, options, kernels):
    names = [ALL] + names_of(build, options)
    compile_variants(build, folder, options, names, kernels)
    counts = count(folder, names, kernels, build)
    units = collect(options)
    weights = {name: weigh_all(build, folder, name, units) for name in names}
    times = time(build, folder, options, names, kernels)
    print(f'{tools.processor()}: kernels over plain C, geometric mean and worst\n'
          f'{"":24} {"instructions":32} {f"time, {options.layouts} layouts x {options.rounds}":32}')
    for name in names:
        print(f'{title_of(name):24} {cell(counts[name])} {cell(times[name])}'.rstrip())
    print_changes(counts, kernels)
    print_bytes(units, weights)

# SPDX-License-Identifier: Apache-2.0
"""The rows of bench/gc and bench/retained/run: a program of one language with settings for its collector. To add a
collector of Cairn's, add a line to CAIRN."""
import os
import re
import shutil
import subprocess
import sys
import tools

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = f'{ROOT}/bench/gc-programs'
# Name -> (flags of cairn-cc, the part of an equal heap that CAIRN_HEAP_MAX may have: semispace has another space as large while
# it collects).
CAIRN = {
    'cairn generational': (['-fcairn-collector=generational'], 1),
    'cairn semispace': (['-fcairn-collector=semispace'], 0.5),
}
JAVA = 'Serial', 'Parallel', 'G1', 'Z', 'Shenandoah'
BASE = 'malloc'


class Row:
    """`command` is a function from a workload to the words before its arguments, `environment` one from the MiB of an equal
    heap to variables. `log` has the words and variables that have the collector say what it did, and a function from what
    it said to (collections, milliseconds in all, the longest)."""

    def __init__(self, name, command, environment=lambda heap: {}, options=lambda heap: [], log=None, single=False):
        self.name, self.command, self.environment, self.options = name, command, environment, options
        self.log, self.single = log, single

    def words(self, workload, more=()):
        first, *rest = self.command(workload.name)
        return [first, *self.options(workload.heap), *more, *rest, *map(str, workload.arguments)]

    def variables(self, workload, more={}):
        return {**os.environ, **self.environment(workload.heap), **more}


class Run:
    """One run: what it printed, seconds and MiB. `folder` has the program `measure`."""

    def __init__(self, row, workload, folder):
        words = row.words(workload)
        done = subprocess.run([f'{folder}/measure', f'{folder}/measured', *words], capture_output=True, text=True,
                              errors='replace', env=row.variables(workload))
        if done.returncode:
            raise tools.Failed(f'{row.name}: {" ".join(words)}: {done.stdout[-500:]}{done.stderr[-1000:]}')
        self.printed = done.stdout
        with open(f'{folder}/measured') as file:
            self.wall, self.user, self.system, kib = map(float, file.read().split())
        self.cpu, self.memory = self.user + self.system, kib / 1024


# ---- what collectors say ----

def cairn_said(text):
    figures = dict(line.split(': ', 1) for line in text.splitlines() if ': ' in line)
    return (figures['collections'], float(figures['pause total (us)']) / 1000, float(figures['pause maximum (us)']) / 1000)


def cairn_phases(text):
    """Where the pauses went, in a line."""
    figures = dict(line.split(': ', 1) for line in text.splitlines() if ': ' in line)
    total, count = float(figures['pause total (us)']), int(figures['collections'])
    phases = {name[len('pause total in '):-len(' (us)')]: 100 * float(value) / max(total, 0.1)
              for name, value in figures.items() if name.startswith('pause total in ')}
    visited, useful = (int(figures.get(name, 0)) for name in ('cards visited', 'cards with references to young objects'))
    shares = ', '.join(f'{name} {share:.0f}' for name, share in sorted(phases.items(), key=lambda pair: -pair[1])
                       if share >= 1)
    return (f'pauses: {float(figures["pause total on a processor (us)"]) / 1000:.1f} ms on a processor, at most '
            f'{float(figures["pause maximum on a processor (us)"]) / 1000:.2f}; percent: {shares}; per collection '
            f'{visited / max(count, 1):.0f} cards, {useful / max(count, 1):.0f} with young; '
            f'{figures.get("concurrent markings begun", 0)} markings, '
            f'{figures.get("pauses that failed to end a marking", 0)} failed ends')


def java_said(text):
    pauses = [float(ms) for ms in re.findall(r'\[gc\b.*Pause .* ([\d.]+)ms$', text, re.M)]
    return str(len(pauses)), sum(pauses), max(pauses, default=0)


def boehm_said(text):
    pauses = [int(ms) + int(ns) / 1e6 for ms, ns in re.findall(r'^Complete collection took (\d+) ms (\d+) ns', text, re.M)]
    return str(len(pauses)), sum(pauses), max(pauses, default=0)


def go_said(text):
    """Each collection stops the program at its begin and at its end."""
    pauses = [float(ms) for pair in re.findall(r'^gc \d+ .*: ([\d.]+)\+[\d.]+\+([\d.]+) ms clock', text, re.M) for ms in pair]
    return str(len(pauses) // 2), sum(pauses), max(pauses, default=0)


def ocaml_said(text):
    count = dict(re.findall(r'^(minor|major)_collections: (\d+)', text, re.M))
    return f'{count["minor"]}+{count["major"]}', None, None


# ---- programs ----

class Programs:
    """The C of each workload, compiled when it is first asked for."""

    def __init__(self, folder, prefix, command):
        self.folder, self.prefix, self.command, self.made = folder, prefix, command, set()

    def __call__(self, workload):
        target = f'{self.folder}/{self.prefix}-{workload}'
        if workload not in self.made:
            tools.run(*self.command, f'{SOURCES}/{workload}.c', '-o', target, *self.libraries())
            self.made.add(workload)
        return [target]

    def libraries(self):
        return {'mimalloc': ['-Wl,--no-as-needed', '-lmimalloc'], 'boehm': ['-lgc']}.get(self.prefix, [])


class Program:
    """One that has all workloads, made when it is first asked for."""

    def __init__(self, words, *command, **options):
        self.words, self.command, self.options = words, command, options

    def __call__(self, workload):
        if self.command:
            subprocess.run(self.command, check=True, stderr=subprocess.DEVNULL, **self.options)
        self.command = ()
        return [*self.words, workload]


def has_header(name):
    return subprocess.run([tools.llvm('clang'), '-E', '-x', 'c', '-'], input=f'#include <{name}>\n', capture_output=True,
                          text=True).returncode == 0


def left_out(what, why):
    print(f'left out: {what}: {why}', file=sys.stderr)
    return []


def cairn_rows(build, folder, pauses=()):
    """`pauses`: values of CAIRN_PAUSE, each for another row of the generational collector."""
    rows = []
    for name, (flags, part) in CAIRN.items():
        command = [f'{build}/bin/cairn-cc', '-O2', *flags, f'-I{ROOT}/include']
        programs, log = Programs(folder, name.replace(' ', '-'), command), ([], {'CAIRN_STATS': '1'}, cairn_said)
        rows += [Row(name, programs, log=log),
                 Row(f'{name}, equal heap', programs, lambda heap, p=part: {'CAIRN_HEAP_MAX': f'{int(heap * p)}m'}, log=log)]
    words, variables, said = rows[0].log
    return rows + [Row(f'{rows[0].name}, {pause}', rows[0].command, lambda heap, p=pause: {'CAIRN_PAUSE': p},
                       log=(words, variables, said)) for pause in pauses if pause]


def c_rows(folder):
    clang = [tools.llvm('clang'), '-O2', '-pthread']
    rows = [Row(BASE, Programs(folder, 'malloc', clang))]
    if has_header('mimalloc.h'):
        rows.append(Row('mimalloc', Programs(folder, 'mimalloc', clang)))
    else:
        rows += left_out('mimalloc', 'libmimalloc-dev is not installed')
    if not has_header('gc.h'):
        return rows + left_out('Boehm', 'libgc-dev is not installed')
    programs, log = Programs(folder, 'boehm', [*clang, '-DBOEHM']), ([], {'GC_PRINT_STATS': '1'}, boehm_said)
    return rows + [Row('Boehm', programs, lambda heap: {'GC_MARKERS': '1'}, log=log),
                   Row('Boehm, 2 markers', programs, lambda heap: {'GC_MARKERS': '2'}, log=log)]


def ocaml_rows(folder):
    if not shutil.which('ocamlopt'):
        return left_out('OCaml', 'ocaml-nox is not installed')
    shutil.copy(f'{SOURCES}/workloads.ml', folder)
    program = Program([f'{folder}/ocaml'], 'ocamlopt', '-O3', '-unsafe', '-inline', '100', 'workloads.ml', '-o', 'ocaml',
                      cwd=folder)
    name = f'OCaml {tools.output("ocamlopt", "-version").strip()}'

    def row(name, setting):
        log = [], {'OCAMLRUNPARAM': f'{setting}v=0x400'}, ocaml_said
        return Row(name, program, lambda heap: {'OCAMLRUNPARAM': setting}, log=log, single=True)
    return [row(name, ''), row(f'{name}, s=1M', 's=1M,')]


def go_rows(folder):
    if not shutil.which('go'):
        return left_out('Go', 'golang-go is not installed')
    program = Program([f'{folder}/go'], 'go', 'build', '-o', f'{folder}/go', f'{SOURCES}/workloads.go',
                      env={**os.environ, 'GO111MODULE': 'off', 'GOCACHE': f'{folder}/go-cache'})
    log = [], {'GODEBUG': 'gctrace=1'}, go_said
    return [Row('Go', program, log=log),
            Row('Go, equal heap', program, lambda heap: {'GOGC': 'off', 'GOMEMLIMIT': f'{heap}MiB'}, log=log)]


def java_rows(folder):
    if not (shutil.which('java') and shutil.which('javac')):
        return left_out('Java', 'openjdk-17-jdk-headless is not installed')
    program = Program(['java', '-cp', folder, 'Workloads'], 'javac', '-d', folder, f'{SOURCES}/Workloads.java')
    log, rows = (['-Xlog:gc:stderr'], {}, java_said), []
    for collector in JAVA:
        use = f'-XX:+Use{collector}GC'
        rows += [Row(f'Java {collector}', program, options=lambda heap, u=use: [u], log=log),
                 Row(f'Java {collector}, equal heap', program,
                     options=lambda heap, u=use: [u, f'-Xms{heap}m', f'-Xmx{heap}m'], log=log)]
    return rows


def node_rows():
    """Of the programs in workloads.js."""
    if not shutil.which('node'):
        return left_out('node', 'nodejs is not installed')
    program = Program(['node', f'{SOURCES}/workloads.js'])
    return [Row(f'node {tools.output("node", "--version").strip()[1:]}', program, single=True)]


def all_rows(build, folder, pauses=()):
    """Of each language that is there."""
    return [*cairn_rows(build, folder, pauses), *c_rows(folder), *ocaml_rows(folder), *go_rows(folder), *java_rows(folder)]

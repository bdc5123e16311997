# SPDX-License-Identifier: Apache-2.0
"""Running the tools that the benchmarks compare: how long the pass took by the tool's own timer, in
time of the processor, which other work on the machine disturbs less than the clock; and how much
memory the process had at most."""
import glob
import os
import re
import resource
import subprocess
import sys
import tempfile

LLVM = '/usr/lib/llvm-22/bin'
LLVM_PASS = 'rewrite-statepoints-for-gc'
OUR_PASS = 'rewrite-statepoints'
TIMED_OUT = 128 + 9  # status of timeout -s KILL
# Of the steps that -fcairn-times shows, those that are LLVM's work.
LLVMS = re.compile(r'front end|read|verify|default<.*|generate code|link')


class Failed(Exception):
    """A tool gave up; the text is what it said."""


def llvm(name):
    for path in (f'{LLVM}/{name}', f'/usr/bin/{name}-22'):
        if os.path.exists(path):
            return path
    sys.exit(f'bench: {name} of LLVM 22 is not installed')


TARGET = []  # the compilers' option of choose_target()


def choose_target(triple):
    """Compilers make code for this machine; None: for their own."""
    TARGET[:] = [f'--target={triple}'] if triple else []


def port_include():
    """The option for the headers of this machine's port of the runtime."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return f'-I{root}/src/runtime/arch/{os.uname().machine}'


def examples(root, kind='c'):
    """The paths of examples, but for C programs whose headers this machine lacks: a line on stderr
    names each of these. library.ll is a part of the programs of fun.c, and no module."""
    paths = []
    for path in sorted(glob.glob(f'{root}/examples/*.{kind}')):
        if path.endswith('/library.ll'):
            continue
        said = '' if kind != 'c' else subprocess.run(
            [llvm('clang'), *TARGET, '-E', f'-I{root}/include', f'-I{LLVM}/../include', path, '-o', os.devnull],
            stderr=subprocess.PIPE, text=True).stderr
        missing = re.search(r"'(.*)' file not found", said)
        if missing:
            print(f'left out: examples/{os.path.basename(path)}: there is no <{missing[1]}>; '
                  'scripts/setup installs it', file=sys.stderr)
        else:
            paths.append(path)
    return paths


def measured(*command, **options):
    """(the finished process, seconds in user and in system mode, peak MiB) of subprocess.run(). The kernel counts for a
    process what its parent had at the start: a small parent, time, is in between."""
    with tempfile.NamedTemporaryFile('r') as file:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(['/usr/bin/time', '-o', file.name, '-f', '%M', *command], **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        kilobytes = int(file.read().split()[-1])
    return done, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, kilobytes / 1024


def run(*command, timeout=None):
    """(what it said on stderr, peak MiB); if the time was over, the seconds that it had of the
    processor in place of what it said."""
    limit = ['timeout', '--foreground', '-s', 'KILL', str(timeout or 3600)]
    done, user, system, peak = measured(*limit, *command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, errors='replace')
    if done.returncode == TIMED_OUT:
        return user + system, peak
    if done.returncode:
        raise Failed(f'{" ".join(command)}\n{done.stderr[-2000:]}')
    return done.stderr, peak


def output(*command):
    """What it said on stdout."""
    result = subprocess.run(command, capture_output=True, text=True, errors='replace')
    if result.returncode:
        raise Failed(f'{" ".join(command)}\n{result.stdout[-2000:]}{result.stderr[-2000:]}')
    return result.stdout


class Run:
    """One compilation: seconds and MiB in all, and seconds by step, of ours or of clang's. None: it
    took longer than it may, by the processor's time."""

    def __init__(self, command, timeout=3600):
        self.seconds = self.memory = None
        self.steps = {}
        try:
            said, _ = run('/usr/bin/time', '-f', 'used %U %S %M', 'prlimit',
                          f'--cpu={timeout}', *command)
        except Failed as failed:
            if re.search(r'signal (9|24)$', str(failed), re.M):
                return
            raise
        used = re.search(r'^used ([\d.]+) ([\d.]+) (\d+)$', said, re.M)
        self.seconds = float(used[1]) + float(used[2])
        self.memory = int(used[3]) / 1024
        for user, system, name in re.findall(
                r'^ *[\d.]+ +([\d.]+) +([\d.]+) +\d+  (.*)$', said, re.M):
            self.steps[name] = float(user) + float(system)

    def ours(self):
        return sum(s for name, s in self.steps.items()
                   if not LLVMS.fullmatch(name) and name != 'total')


def llvm_seconds(said):
    """The processor's time (user and system) of the pass and of the analyses that it asked for, from
    opt's tables."""
    total, counts, headings = 0.0, False, []
    for line in said.splitlines():
        if re.match(r'\s+[A-Z].* (timing report|Parsing)$', line):
            counts = 'execution timing report' in line
        headings = re.findall(r'-+([A-Z][^-]*)-+', line) or headings
        columns = re.findall(r'([\d.]+) \(', line)
        if counts and columns and not line.endswith(' Total') and 'User+System' in headings:
            total += float(columns[headings.index('User+System')])
    return total


def run_llvm(module, timeout):
    """(seconds of the pass, peak MiB, was the time over); if it was, the seconds are too few."""
    said, peak = run(llvm('opt'), '-disable-output', '-disable-verify', '-time-passes',
                     '-passes=' + LLVM_PASS, module, timeout=timeout)
    over = isinstance(said, float)
    return said if over else llvm_seconds(said), peak, over


def run_ours(build, module, timeout):
    """(seconds of the pass, peak MiB)."""
    said, peak = run(f'{build}/bin/cairn', 'opt', '--disable-output', '--time-passes', '-p',
                     OUR_PASS, module, timeout=timeout)
    if isinstance(said, float):
        raise Failed(f'{module}: more than {timeout} s')
    times = re.search(r'^ *[\d.]+ +([\d.]+) +([\d.]+) .* ' + OUR_PASS + '$', said, re.M)
    return float(times.group(1)) + float(times.group(2)), peak


def idle_memory(build, module):
    """Peak MiB of each tool that reads the module and does nothing: (ours, LLVM's)."""
    ours = run(f'{build}/bin/cairn', 'opt', '--disable-output', module)[1]
    return ours, run(llvm('opt'), '-disable-output', '-disable-verify', '-passes=', module)[1]


def assemble(text, target):
    with open(target + '.ll', 'w') as file:
        file.write(text)
    run(llvm('llvm-as'), target + '.ll', '-o', target)
    os.remove(target + '.ll')
    return target


def progress(text):
    if sys.stderr.isatty():
        print(f'\r\033[K{text}', end='', file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


def progress_line(text):
    """The same, for what changes too often to be written into a file."""
    if sys.stderr.isatty():
        progress(text)


def processor():
    """The machine's, for the heading of a table."""
    with open('/proc/cpuinfo') as file:
        models = re.findall(r'^model name\s*: (.*)$', file.read(), re.M)
    return f'{models[0] if models else "an unknown processor"}, {os.cpu_count()} processors'

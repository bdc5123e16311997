# SPDX-License-Identifier: Apache-2.0
"""What the machine did while a program ran, by a process beside it (bench/programs/witness.c): for any stretch of
time, how much of it the machine took from the program. Three things count.

Late: a sampler of real-time priority woke up too late on a processor: the host took the processor, a real-time thread
had it, or everything was stopped. Without that priority, only the part of all processors that the program did not use
counts.
Slow: a loop of registers took more than twice its least time; the part of the time that is missing counts.
Waited: a thread of the program waited for a processor; the part of all processors that the program did not use
meanwhile counts, because other programs had it. If a collector's threads have the processor, the program waits for
itself.

In doubt the time is the program's: that of waits of less than a millisecond, and of what the samples cannot tell
apart, half a millisecond of lateness and two of waits."""
import bisect
import glob
import os
import subprocess
from array import array

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LATE, SLOW, WAITED = 200_000, 2, 1_000_000  # nanoseconds; times the least; nanoseconds


def build(folder):
    """The path of the program."""
    path = f'{folder}/witness'
    subprocess.run(['cc', '-O2', '-pthread', f'{ROOT}/bench/programs/witness.c', '-o', path], check=True)
    return path


def on_processors(processors):
    """For `preexec_fn`: the process has these processors, and its sleeps end when they should instead of up to 50 us
    later: a thread inherits its timer slack."""
    import ctypes
    prctl = ctypes.CDLL(None).prctl

    def prepare():
        os.sched_setaffinity(0, processors)
        prctl(29, 1)  # PR_SET_TIMERSLACK
    return prepare


class Witness:
    """Watches a process, in its process group, until read()."""

    def __init__(self, program, process, processors, file):
        for old in glob.glob(f'{glob.escape(file)}.*'):
            os.remove(old)
        self.file, self.processors = file, len(processors)
        self.process = subprocess.Popen([program, str(process.pid), file], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, process_group=os.getpgid(process.pid),
                                        preexec_fn=on_processors(processors))

    def read(self):
        said, _ = self.process.communicate()
        if self.process.returncode:
            raise RuntimeError('the witness failed')
        read = {kind: numbers(f'{self.file}.{kind}') for kind in ('samples', 'usage', 'waits')}
        return Readings(said.strip() == 'real-time', self.processors, **read)


def numbers(path):
    values = array('q')
    with open(path, 'rb') as file:
        values.frombytes(file.read())
    return values


class Readings:
    def __init__(self, is_first, processors, samples, usage, waits):
        self.is_first, self.processors = is_first, processors
        self.moments, self.used = usage[::2], usage[1::2]
        slowed = [*self.late_stretches(samples), *self.slow_stretches(samples)]
        self.slow_parts, self.all_parts = Parts(slowed), Parts([*slowed, *self.waits(waits)])

    def taken(self, begin, end):
        """Nanoseconds between two moments that the machine took."""
        return self.all_parts.until(end) - self.all_parts.until(begin)

    def slowed(self, begin, end):
        """Those that may be in the processor time of the program, too: waits are not."""
        return self.slow_parts.until(end) - self.slow_parts.until(begin)

    def used_until(self, moment):
        """The program's processor time, between two readings in proportion."""
        at = bisect.bisect_right(self.moments, moment) - 1
        if at < 0 or at + 1 >= len(self.moments):
            return self.used[max(at, 0)] if self.used else 0
        part = (moment - self.moments[at]) / (self.moments[at + 1] - self.moments[at])
        return self.used[at] + part * (self.used[at + 1] - self.used[at])

    def left_over(self, begin, end, seen_from):
        """The part of all processors that the program did not use in a stretch. The use since `seen_from` counts as use
        in the stretch."""
        whole = self.processors * (end - begin)
        return max(whole - (self.used_until(end) - self.used_until(seen_from)), 0) / whole

    def late_stretches(self, samples):
        for moment, late in zip(samples[1::4], samples[2::4]):
            if late >= LATE:
                begin = moment - late
                yield begin, moment, 1 if self.is_first else self.left_over(begin, moment, begin)

    def slow_stretches(self, samples):
        """From a sample to the next of the same processor; at most so long as samples are apart."""
        last = {}
        least = min(samples[3::4], default=0)
        for processor, moment, late, loop in zip(samples[::4], samples[1::4], samples[2::4], samples[3::4]):
            if processor in last:
                yield last[processor][0], moment - late, last[processor][1]
                del last[processor]
            if loop > SLOW * least:
                last[processor] = moment, 1 - least / loop

    def waits(self, waits):
        for moment, before, waited in zip(waits[::3], waits[1::3], waits[2::3]):
            if waited >= WAITED:
                yield moment - waited, moment, self.left_over(moment - waited, moment, before - waited)


class Parts:
    """Parts of stretches of time: (begin, end, part), which may overlap; the largest part counts."""

    def __init__(self, stretches):
        changes = sorted(change for begin, end, part in stretches if end > begin and part > 0
                         for change in ((begin, 1, part), (end, -1, part)))
        self.edges, self.totals, open_parts = [], [], []
        for moment, sign, part in changes:
            passed = (moment - self.edges[-1]) * max(open_parts, default=0) if self.edges else 0
            self.totals.append(passed + (self.totals[-1] if self.totals else 0))
            self.edges.append(moment)
            open_parts.append(part) if sign > 0 else open_parts.remove(part)

    def until(self, moment):
        """The sum of the parts, in nanoseconds, until the moment."""
        at = bisect.bisect_right(self.edges, moment) - 1
        if at < 0:
            return 0
        if at + 1 == len(self.edges):
            return self.totals[at]
        part = (moment - self.edges[at]) / (self.edges[at + 1] - self.edges[at])
        return self.totals[at] + part * (self.totals[at + 1] - self.totals[at])

# SPDX-License-Identifier: Apache-2.0
"""Latencies of requests from the moments at which they were due, and what they would be without the machine's part.

A server takes its requests one after another. So the time of a request runs from the moment it is due, or from the end
of the one before it if that is later, to its end; its latency, which the user sees, from the moment it is due. If the
machine takes 50 ms, it delays each request that is due meanwhile, and those after them until the queue is empty again.
The own latencies are those of the same requests with the same times, less the machine's part of each (witness.py), in
the same queue."""
import witness

PERCENTILES = 50, 90, 99, 99.9, 99.99


def read(path):
    """(moments at which requests were due, moments at which they ended)."""
    values = witness.numbers(path)
    half = len(values) // 2
    return values[:half], values[half:]


def latencies(due, ended, taken):
    """(latencies, own latencies) in nanoseconds; `taken` is a function from two moments to the machine's part."""
    all_of, own = [], []
    free = own_free = 0
    for begin, end in zip(due, ended):
        started = max(begin, free)
        own_free = max(begin, own_free) + max(end - started - taken(started, end), 0)
        all_of.append(end - begin)
        own.append(own_free - begin)
        free = end
    return all_of, own


def percentile(ordered, part):
    """None if so few requests have no such percentile. Hundredths of a per cent are whole numbers."""
    above = len(ordered) * (10000 - round(100 * part)) // 10000
    return ordered[-1 - above] if above else None


class Load:
    """The latencies of one row under one load, of all servers and rounds."""

    def __init__(self):
        self.all, self.own, self.longest, self.span, self.taken = [], [], (0, 0), 0, 0

    def add(self, files, taken):
        spans = []
        for path in files:
            due, ended = read(path)
            latency, own = latencies(due, ended, taken)
            self.all += latency
            self.own += own
            self.longest = max(self.longest, *zip(latency, own))
            spans.append((due[0], ended[-1]))
        begin, end = min(span[0] for span in spans), max(span[1] for span in spans)
        self.span += end - begin
        self.taken += taken(begin, end)

    def sort(self):
        self.all.sort()
        self.own.sort()

    def rate(self):
        return len(self.all) / (self.span / 1e9)

    def cause(self):
        """Whose the longest latency is: the machine's if less than half of it would be left without it."""
        return 'machine' if 2 * self.longest[1] < self.longest[0] else 'program'

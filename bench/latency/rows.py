# SPDX-License-Identifier: Apache-2.0
"""The rows of bench/latency/run: one server in C, Go and Java (bench/programs/latency), with the settings of its
collector."""
import os
import shutil
import subprocess
import gc_rows
import tools

ROOT = gc_rows.ROOT
SOURCES = f'{ROOT}/bench/programs/latency'
# Name -> CAIRN_PAUSE.
CAIRN = {'cairn': None, 'cairn stopping': '0', 'cairn 10ms': '10ms', 'cairn 3ms': '3ms', 'cairn 1ms': '1ms'}
STOPPING = 'cairn stopping'  # stops the program for each full collection: the throughput to compare with
JAVA = 'Z', 'Shenandoah', 'G1'
RECORD, REPLACED = 992, 4  # of the servers: bytes of a record, records that a request replaces
HEAP = 3  # times the MiB alive, for Java: the other collectors size their heaps themselves
REST = 64  # MiB more


class Row:
    """`words` is a function from MiB alive to the words before the arguments; `make` are the commands that build it."""

    def __init__(self, name, words, variables={}, make=()):
        self.name, self.words, self.make = name, words, make
        self.environment = {**os.environ, **variables}


def c_rows(build, folder):
    meter = ['cc', '-O2', '-c', f'{SOURCES}/meter.c', '-o', f'{folder}/meter.o']
    inputs = [f'{SOURCES}/server.c', f'{folder}/meter.o', '-lm', '-o']
    cairn = [f'{build}/bin/cairn-cc', '-O2', f'-I{ROOT}/include', *inputs, f'{folder}/cairn']
    malloc = [tools.llvm('clang'), '-O2', '-pthread', *inputs, f'{folder}/malloc']
    rows = [Row(name, lambda mib: [f'{folder}/cairn'], {'CAIRN_PAUSE': pause} if pause else {}, (meter, cairn))
            for name, pause in CAIRN.items()]
    return [*rows, Row('malloc', lambda mib: [f'{folder}/malloc'], make=(meter, malloc))]


def go_rows(folder):
    if not shutil.which('go'):
        return gc_rows.left_out('Go', 'golang-go is not installed')
    build = ['env', 'GO111MODULE=off', f'GOCACHE={folder}/go-cache', 'go', 'build', '-o', f'{folder}/go',
             f'{SOURCES}/server.go']
    return [Row('Go', lambda mib: [f'{folder}/go'], make=(build,))]


def java_rows(folder):
    if not (shutil.which('java') and shutil.which('javac')):
        return gc_rows.left_out('Java', 'openjdk-17-jdk-headless is not installed')
    rows, build = [], ['javac', '-d', folder, f'{SOURCES}/Server.java']
    for collector in JAVA:
        use = f'-XX:+Use{collector}GC'
        if subprocess.run(['java', use, '-version'], capture_output=True).returncode:
            gc_rows.left_out(f'Java {collector}', 'this Java lacks the collector')
            continue

        def words(mib, use=use):
            heap = f'{HEAP * mib + REST}m'
            return ['java', use, f'-Xms{heap}', f'-Xmx{heap}', '-cp', folder, 'Server']
        rows.append(Row(f'Java {collector}', words, make=(build,)))
    return rows


def all_rows(build, folder):
    """Of each language that is there."""
    return [*c_rows(build, folder), *go_rows(folder), *java_rows(folder)]


def turnover(mib):
    """Requests that replace as many records as there are: as much of the heap is garbage then as is alive."""
    return (mib << 20) // RECORD // REPLACED


def make(rows):
    """Builds them, each program once."""
    for command in {tuple(command): None for row in rows for command in row.make}:
        tools.progress(f'building {os.path.basename(command[-1])}')
        tools.run(*command)
    tools.progress('')

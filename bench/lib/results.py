# SPDX-License-Identifier: Apache-2.0
"""Option --save of all benches: appends the printed tables to bench/results/DATE-PROCESSOR.txt, under a head with
command, processor, date and commit. A bench that ends by an exception saves nothing."""
import atexit
import io
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Copy(io.StringIO):
    """Standard output; keeps the text as well."""

    def write(self, text):
        sys.__stdout__.write(text)
        return super().write(text)

    def flush(self):
        sys.__stdout__.flush()


def processor():
    """Name and model number, as in /proc/cpuinfo; hosts of virtual machines often shorten the name."""
    with open('/proc/cpuinfo') as file:
        text = file.read()
    name, model = (re.search(rf'^{key}\s*: (.*)$', text, re.M) for key in ('model name', 'model'))
    return f'{name[1] if name else "unknown"}, model {model[1] if model else "unknown"}'


def append(printed, folder):
    date, machine = time.strftime('%Y-%m-%d'), processor()
    commit = subprocess.run(['git', '-C', ROOT, 'describe', '--always', '--dirty'], capture_output=True, text=True).stdout
    head = (f'$ {os.path.relpath(os.path.abspath(sys.argv[0]), ROOT)} {" ".join(sys.argv[1:])}\n'
            f'{machine}, {os.cpu_count()} processors; {date}; commit {commit.strip() or "unknown"}\n\n')
    os.makedirs(folder, exist_ok=True)
    words = re.findall(r'\w+', re.sub(r'\((R|TM)\)|Processor|CPU|@.*?(?=,)', '', machine.replace('model ', '')))
    path = os.path.join(folder, f'{date}-{"-".join(words)}.txt')
    with open(path, 'a', encoding='utf-8') as file:
        file.write(('\n' if file.tell() else '') + head + printed.rstrip('\n') + '\n')
    print(f'saved in {os.path.relpath(path)}', file=sys.stderr)


def parse(arguments):
    """The options of a bench. With --save all that it prints from here on is saved at its end."""
    arguments.add_argument('--save', action='store_true', help='append the tables to RESULTS/DATE-PROCESSOR.txt')
    arguments.add_argument('--results', default=f'{ROOT}/bench/results', help='default: bench/results')
    options = arguments.parse_args()
    if options.save:
        sys.stdout = Copy()
        # An exception that ends the program is known as sys.last_value when this runs.
        atexit.register(lambda: hasattr(sys, 'last_value') or append(sys.stdout.getvalue(), options.results))
    return options

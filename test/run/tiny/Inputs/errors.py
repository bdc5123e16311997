#!/usr/bin/env python3
"""errors.py TINY CASES [OPTION...]: runs each program of a file of cases, "=== EXPECTED" lines before their programs.
EXPECTED is the first line on standard error without the file's name; a second line "=== EXCERPT" wants the caret under
that text. Prints what differs, and the number of cases."""
import os
import re
import subprocess
import sys
import tempfile

tiny, cases, *options = sys.argv[1:]
count = 0
with open(cases, encoding='utf-8') as file, tempfile.TemporaryDirectory() as folder:
    for case in re.split(r'^(?==== \d)', file.read(), flags=re.M)[1:]:
        lines = case.split('\n')
        heads = [line[4:] for line in lines if line.startswith('=== ')]
        path = os.path.join(folder, 'p.tiny')
        with open(path, 'w', encoding='utf-8') as program:
            program.write('\n'.join(line for line in lines if not line.startswith('=== ')).rstrip('\n') + '\n')
        done = subprocess.run([tiny, *options, path], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        said = done.stderr.replace(path + ':', '').split('\n')
        count += 1
        if said[0] != heads[0] or done.returncode != 1 or done.stdout:
            print(f'case {count}: {said[0]!r} (status {done.returncode}) for {heads[0]!r}')
        elif heads[1:] and not said[1].startswith(heads[1], len(said[2]) - 1):
            print(f'case {count}: the caret of\n' + '\n'.join(said[1:3]) + f'\nis not under {heads[1]!r}')
print('cases', count)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a random managed-C program of C's constructs, from a seed.

Each row of docs/constructs.md that works has a template of the row's name in this folder. A template writes a function
that uses the construct with random types, sizes, values and depths. Between its steps objects move, garbage is made,
and functions of other constructs are called. The programs of the seeds 1 to 5 use all templates, and so do those of
each further five. The program prints a checksum per function and round. Compiled with -DCAIRN_PLAIN it is its own oracle.

usage: random_constructs.py SEED > program.c; ./program [ROUNDS]
       random_constructs.py --rows       the constructs that the programs of the seeds 1 to 5 use
"""
import random
import re
import sys
sys.dont_write_bytecode = True
import declarations
import library
import program
import references
import statements

ROUND = 5
EXTRA = 4
ROWS = {**declarations.ROWS, **references.ROWS, **statements.ROWS, **library.ROWS}


def rows_of(seed):
    """The names of the seed's constructs: its part of all, and some others."""
    names = sorted(ROWS)
    turn, part = divmod(seed - 1, ROUND)
    random.Random(f'constructs of round {turn}').shuffle(names)
    others = random.Random(f'more constructs of {seed}')
    chosen = names[part::ROUND] + others.choices(names, k=EXTRA)
    others.shuffle(chosen)
    return chosen


def text_of(seed):
    made = program.Program(seed)
    for name in rows_of(seed):
        made.add(name, ROWS[name])
    return made.text()


def used_rows():
    """The constructs whose functions the programs of a round call, by the text of the programs."""
    return {name for seed in range(1, ROUND + 1) for name in re.findall(r'^  RUN\((\w+?)_\d+\);$', text_of(seed), re.M)}


if __name__ == '__main__':
    if sys.argv[1:] == ['--rows']:
        print('\n'.join(sorted(used_rows())))
    elif len(sys.argv) == 2 and sys.argv[1].isdecimal():
        sys.stdout.write(text_of(int(sys.argv[1])))
    else:
        sys.exit(__doc__)

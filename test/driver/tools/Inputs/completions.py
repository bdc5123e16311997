#!/usr/bin/env python3
"""Completes command lines in bash, and compares the result with the commands' help.

  completions.py COMPLETION_FILE BIN            compare all options with --help
  completions.py COMPLETION_FILE BIN LINE...    print the completions of each line
"""
import os
import re
import subprocess
import sys

SCRIPT = r'''
source "$1"; COMP_LINE=$2; COMP_POINT=${#2}
complete -p "${2%% *}" >/dev/null || exit 1
_cairn "$3/${2%% *}"; [ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
'''
file, bin = sys.argv[1], os.path.abspath(sys.argv[2])


def complete(line):
    """The words that replace the last word of the line, as readline replaces the part after "=" or ":"."""
    out = subprocess.run(['bash', '--norc', '-c', SCRIPT, '-', file, line, bin], text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    kept = re.match(r'.*[=:]|', line.split(' ')[-1])[0]
    return [kept + word for word in out.split()]


def help_of(*command):
    return subprocess.run([os.path.join(bin, command[0]), *command[1:], '--help'], text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def listed(text):
    """The options of a help text. An option with a value ends in "=", or in the value if it is a literal word."""
    found = set()
    for line in text.splitlines():
        if not re.match('  -', line):
            continue
        first, *more = line.split()
        for word in [first.rstrip(',')] + [w for w in more[:1] if w[0] == '-' and first.endswith(',')]:
            name, equals, value = word.partition('=')
            if name.endswith('['):
                found |= {name[:-1], name[:-1] + '='}
            elif '<' in name:
                found.add(name[:name.index('<')])
            else:
                found.add(word if equals and re.match('[a-z]', value) else name + equals)
    return found


def compare(command, text):
    expected, got = listed(text), complete(f'{command} -')
    if len(expected) < 2 or expected != set(got) or len(got) != len(set(got)):
        print(f'{command}: without completion: {sorted(expected - set(got))}, not in the help: '
              f'{sorted(set(got) - expected)}')
        return 1
    return 0


def main():
    if len(sys.argv) > 3:
        for line in sys.argv[3:]:
            print(line + ':', *complete(line))
        return 0
    subcommands = re.search(r'^subcommands:\n((?:  .*\n)+)', help_of('cairn'), re.M)[1]
    subcommands = [line.split()[0] for line in subcommands.splitlines()]
    status = set(complete('cairn ')) != {*subcommands, 'help'}
    if status:
        print('subcommands:', complete('cairn '))
    for command in ['cairn', 'cairn-cc', 'tiny']:
        status |= compare(command, help_of(command))
    for subcommand in subcommands:
        status |= compare('cairn ' + subcommand, help_of('cairn', subcommand))
    return status


sys.exit(main())

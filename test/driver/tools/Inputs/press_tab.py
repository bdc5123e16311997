#!/usr/bin/env python3
"""Runs an interactive bash with the given standard input on a terminal, and prints its output: press_tab.py INPUT."""
import os
import pty
import sys

child, terminal = pty.fork()
if child == 0:
    os.environ['TERM'] = 'dumb'
    os.execvp('bash', ['bash', '--norc', '--noprofile', '-i'])
os.write(terminal, sys.argv[1].encode().decode('unicode_escape').encode())
try:
    while output := os.read(terminal, 4096):
        sys.stdout.buffer.write(output.replace(b'\r', b''))
except OSError:  # the terminal is closed
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

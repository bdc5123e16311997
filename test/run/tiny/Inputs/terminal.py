#!/usr/bin/env python3
"""terminal.py TINY: a session of the shell on a pseudo-terminal. Each step sends keys once the prompt is there, and waits
for its answer; prints the answers."""
import os
import pty
import re
import select
import sys

PATIENCE_SECONDS = 120
STEPS = [
    ('let counter = 41\n', r'\n> $'),
    ('counter + 1\n', r'\n42\r\n> $'),
    ('\x1b[A\n', r'\n42\r\n> $'),  # the last line again, by the history
    ('cou\t + 2\n', r'\n43\r\n> $'),  # completion of the name
    ('fn f(x) {\n', r'\n\. $'),  # the input goes on
    ('return x * 2\n', r'\n\. $'),
    ('}\n', r'\n> $'),
    ('f(4)\n', r'\n8\r\n> $'),
    ('f(nil)\n', r"cannot be applied[^>]*in main[^>]*\n> $"),  # an error ends only its input
    ('f(5)\n', r'\n10\r\n> $'),
    ('1 +\n', r'expected an expression, found end of file[^>]*\n> $'),
    ('"abc\n', r'the string has no end[^>]*\n> $'),
    ('let s = "${f(\n', r'\n\. $'),
    ('3)}"\n', r'\n> $'),
    ('s + "!"\n', r'\n6!\r\n> $'),
    ('let counter = 5\n', r'\n> $'),
    ('counter\n', r'\n5\r\n> $'),
    ('class A { init() { this.z = 3 } }\n', r'\n> $'),
    ('A().z\n', r'\n3\r\n> $'),
    ('/* a\n', r'\n\. $'),
    ('comment */ 7\n', r'\n7\r\n> $'),
    ('"é€".codes()\n', r'\n\[233, 8364\]\r\n> $'),
    ('let counter = 9\x03\n', r'\n> $'),  # Ctrl-C ends the line and the input, at the newline at the latest
    ('fn g() {\n', r'\n\. $'),
    ('\x03\n', r'\n> $'),
    ('counter\n', r'\n5\r\n> $'),
]


def read_until(terminal, pattern):
    """The text up to a match of the pattern, without escape sequences, which may come in pieces."""
    data = b''
    while True:
        text = re.sub(r'\x1b\[[0-9;?]*[a-zA-Z]', '', data.decode(errors='replace'))
        if re.search(pattern, text):
            return text
        if not select.select([terminal], [], [], PATIENCE_SECONDS)[0]:
            sys.exit(f'no answer: {pattern!r} is not at the end of {text!r}')
        try:
            data += os.read(terminal, 4096)
        except OSError:  # the other side is closed
            return text


def end(terminal):
    """End the shell by its function: an end of file may come while the editor does not read, and is lost then."""
    os.write(terminal, b'exit(0)\n')
    read_until(terminal, r'(?!)')  # up to the end


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.environ['TERM'] = 'vt100'
        os.execv(sys.argv[1], sys.argv[1:])
    read_until(terminal, r'> $')
    for keys, answer in STEPS:
        os.write(terminal, keys.encode())
        text = read_until(terminal, answer)
        print('found' if re.search(answer, text) else f'missing: {answer!r} in {text!r}', repr(keys), flush=True)
    end(terminal)
    _, status = os.waitpid(child, 0)
    print('status', os.waitstatus_to_exitcode(status))


main()

#!/usr/bin/env python3
"""hostile.py TINY: texts that no one writes. Each must end with status 0 or 1, and not by a signal, within the time of
a test. Prints those that do not, and their number."""
import random
import subprocess
import sys
import tempfile

VALID = '''let a = [1, 2.5, "x${1 + 1}y"]
class P { init(x) { this.x = x } get() { return this.x } }
class Q : P { get() { return super.get() + 1 } }
fn f(n) { if n < 2 { return n } else { return f(n - 1) + f(n - 2) } }
for i, v in a { try { print(f(i), Q(v).get(), v - 1) } catch e { print(e.message) } finally { a[0] = i } }
while a.length > 0 { a.pop() }
let m = map()
m["k"] = fn(x) { return x * 2 }
print(m["k"](4), {p: 1, q: [nil]}, 1 << 3 ^ 5 & ~2, not true or false and 1 <= 2)
'''


def texts():
    yield from (b'', b'\0', b'\xff\xfe', b'\n' * 100000, b'"' * 1000, b'#!', b'#!/bin/tiny\nprint(1)', b'/*', b'${', b'"${"${"${')
    for part in ('(', '[', '{', '-', '!', 'not ', 'x.', 'f(', 'a[', 'if 1 {', 'fn() {', 'class A {', '"${', '1+', '{a:', 'try {',
                 'for i in 0..1 {', 'while false {', 'else ', '1**', 'let a = ', 'a.b.c = '):
        yield (part * 20000).encode()
        yield ('let x = ' + part * 150).encode()
    yield b'let x = ' + b'1' * 100000
    yield b'let ' + b'n' * 100000 + b' = 1'
    yield b'let s = "' + b's' * 3000000 + b'"\nprint(s.length)'
    yield b'\n'.join(b'let v%d = %d' % (i, i) for i in range(70000))
    yield b'fn f() {\n' + b'\n'.join(b'let v%d = %d' % (i, i) for i in range(300)) + b'\n}'
    yield b'fn f(' + b', '.join(b'p%d' % i for i in range(300)) + b') { }'
    yield b'print(' + b', '.join(b'%d' % i for i in range(300)) + b')'
    yield b'let a = [' + b', '.join(b'%d' % i for i in range(100000)) + b']\nprint(a.length)'
    yield b'let o = {' + b', '.join(b'p%d: %d' % (i, i) for i in range(5000)) + b'}\nprint(o.p4999)'
    yield b'let s = ' + b' + '.join(b'"a"' for i in range(5000))
    yield b'class A {' + b'\n'.join(b'm%d() { return %d }' % (i, i) for i in range(5000)) + b'}\nprint(A().m4999())'
    yield b'if true {\n' + b'\n'.join(b'print(%d)' % i for i in range(50000)) + b'\n}'
    yield b'let s = "' + b'${1}' * 5000 + b'"'
    yield b'print("a".repeat(1 << 40))'
    yield b'print(array(1 << 58).length)'
    yield b'let a = array(5, 1)\nfor v in a { if a.length < 100000 { a.push(v) } }\nprint(a.length)'
    yield b'let m = map()\nm[1] = 1\nfor k, v in m { if m.length < 50000 { m[k + 1] = v } }\nprint(m.length)'
    yield b'let a = [3, 2, 1]\na.sort_by(fn(x, y) { a.pop()\nreturn x < y })'
    yield b'class A { }\nclass B : A { init() { this.x = A } }\nprint(B().x.x)'
    yield b'fn f() { f = nil\nreturn f() }\nf()'
    yield b'let i = 0\nwhile i < 300 { let o = {}\no.a = i\nif i % 2 == 0 { o.b = 1 }\no.c = 2\ni += o.c - 1 }'
    for seed in range(150):
        chance, text = random.Random(seed), bytearray(VALID.encode())
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(text))
            kind = chance.randrange(4)
            if kind == 0:
                text[at] = chance.randrange(256)
            elif kind == 1:
                del text[at:at + chance.randint(1, 9)]
            elif kind == 2:
                text[at:at] = chance.choice([b'(', b')', b'{', b'}', b'"', b'${', b'fn', b' return ', b'1', b'.', b'=', b'\n'])
            else:
                start = chance.randrange(len(text))
                text[at:at] = text[start:start + chance.randint(1, 30)]
        yield bytes(text)


def main():
    count = 0
    with tempfile.NamedTemporaryFile(suffix='.tiny') as file:
        for text in texts():
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()
            count += 1
            for options in ['--check'], ['--interpret']:
                done = subprocess.run([sys.argv[1], *options, file.name], capture_output=True, check=False,
                                      stdin=subprocess.DEVNULL)
                if done.returncode not in (0, 1) or len(done.stderr) > 100000:
                    print(f'input {count} {options[0]}: status {done.returncode}: {text[:60]!r} {done.stderr[:300]!r}')
    print('inputs', count)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a program in tiny that applies each operator to each pair of values, in functions of its own.

  operators.py WARM       WARM: the kinds of operands that each function meets first, as in "if" (an integer and a float)

Operands are variables, or one of them is a literal. Each result, or the message of the error, is a line.
"""
import itertools
import sys

INTEGERS = ['0', '1', '-1', '2', '-7', '-3', '3', '60', '61', '64', '2**30', '2**53 + 1', '-(2**59)', '2**60 - 1', '-(2**60)']
FLOATS = ['0.0', '-0.0', '0.5', '-2.5', '7.0', '1e18', '2.0**53', '2.0**60', '-1e300', '1.0 / 0', '0.0 / 0']
OTHERS = ['true', 'nil', '"a"']
BINARY = ['+', '-', '*', '/', '\\', '%', '**', '&', '|', '^', '<<', '>>', '==', '!=', '<', '<=', '>', '>=']
UNARY = ['-', '~', '!']
LITERALS = ['0', '1', '3', '-1', '60', '64', '100', '2.0', '-0.0']
WARM = {'i': '5', 'f': '2.5', 's': '"b"', 'b': 'false'}
TIMES = 12  # calls before a function is compiled, at least


def parenthesised(literal):
    return f'({literal})'


def functions():
    for operator in BINARY:
        yield f'a {operator} b', 2
        for literal in LITERALS:
            yield f'a {operator} {parenthesised(literal)}', 1
            yield f'{parenthesised(literal)} {operator} a', 1
    for operator in UNARY:
        yield f'{operator}a', 1


DRIVERS = """
fn tell(r) { if type(r) == "float" and r == 0.0 { return str(1 / r) }; return str(r) }
fn try1(number, f, a) { try { print(number, tell(a), tell(f(a))) } catch e { print(number, tell(a), e.message) } }
fn try2(number, f, a, b) {
  try { print(number, tell(a), tell(b), tell(f(a, b))) } catch e { print(number, tell(a), tell(b), e.message) }
}
fn all1(number, f, x) {
  for i in 0..TIMES { try { f(x) } catch e { } }
  for a in values { try1(number, f, a) }
}
fn all2(number, f, x, y) {
  for i in 0..TIMES { try { f(x, y) } catch e { } }
  for a in values { for b in values { try2(number, f, a, b) } }
}
"""


def main():
    warm = [WARM[kind] for kind in sys.argv[1]]
    print(f'let values = [{", ".join(INTEGERS + FLOATS + OTHERS)}]')
    print(DRIVERS.replace('TIMES', str(TIMES)))
    for expression, count in functions():
        names, first = ', '.join('ab'[:count]), ', '.join(itertools.islice(itertools.cycle(warm), count))
        title = expression.replace('\\', '\\\\')
        print(f'all{count}("{title}", fn({names}) {{ return {expression} }}, {first})')


main()

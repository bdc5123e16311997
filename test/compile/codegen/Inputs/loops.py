# SPDX-License-Identifier: Apache-2.0
"""Compare the loops of two assembly files of LLVM, of the same source with polls and without.

  loops.py OURS PLAIN       two files, or folders: of each .s of PLAIN, after "== NAME", with its namesake in OURS

For each innermost loop of PLAIN that is vector code: "FUNCTION: vector MNEMONICS" if OURS has it,
too, with the same packed instructions, no poll, no call and nothing on the stack; otherwise
"FUNCTION: LOST MNEMONICS". For each idiom of PLAIN, "FUNCTION: memset" or "FUNCTION: LOST memset".
For each poll of OURS that saves a register, "FUNCTION: SPILLED INSTRUCTION". The status is 1 if
something is lost or spilled. Last, how many polls there are, and in innermost loops.
"""
import os
import re
import sys

PACKED = re.compile(r'v?(mov[aud]|add|sub|mul|div|max|min|cmp\w*|and|andn|or|xor|unpck|shuf|cvt)\w*p[sd]$|'
                    r'v?p\w+$|v?movdq[ua]$')
# What makes a loop vector code; scalar code has packed moves and xors, too.
ARITHMETIC = re.compile(r'v?(add|sub|mul|div|max|min)p[sd]$|v?p(add|sub|mul|max|min|cmp|sad)\w+$')
LABEL = re.compile(r'(\.LBB\w+):')
# The counter of a vector loop. Other loops (over a list, say) have packed arithmetic of one trip and poll on each.
COUNTING = re.compile(r'(add|sub|inc|dec)q\s+(\$-?\d+, )?%r\w+$')
JUMP = re.compile(r'j\w+\s+(\.LBB\w+)')


class Line:
    def __init__(self, text):
        code, _, comment = text.partition('#')
        self.code, self.comment = code.strip(), comment
        self.mnemonic = self.code.split()[0] if self.code else ''
        self.packed = '%xmm' in code and PACKED.match(self.mnemonic) is not None


def functions(path):
    """Name -> its lines."""
    found, lines, name = {}, [], None
    with open(path) as file:
        for text in file:
            start = re.match(r'(\w[\w.]*):\s+# @', text)
            if start:
                name, lines = start.group(1), []
                found[name] = lines
            elif re.match(r'\.Lfunc_end', text):
                name = None
            elif name and (text.startswith('.LBB') or text.startswith('\t') and text[1] not in '.#'):
                lines.append(Line(text))
    return found


def innermost_loops(lines):
    """The lines of each, between a label and the last jump back to it: code of an innermost loop lies
    together, but for its cold blocks."""
    labels = {m.group(1): i for i, m in ((i, LABEL.match(l.code)) for i, l in enumerate(lines)) if m}
    ends = {}
    for i, line in enumerate(lines):
        jump = JUMP.match(line.code)
        if jump and labels.get(jump.group(1), i) < i:
            ends[labels[jump.group(1)]] = i
    for start, end in sorted(ends.items()):
        if not any(start < s and e <= end for s, e in ends.items()):
            yield lines[start:end + 1]


def vector_loops(lines):
    """[(packed mnemonics, what else it has that it should not)]"""
    result = []
    for loop in innermost_loops(lines):
        packed = tuple(sorted(line.mnemonic for line in loop if line.packed))
        faults = [what for what, text in (('poll', '%fs:'), ('call', 'call'), ('stack', '(%rsp'))
                  if any(text in line.code for line in loop)]
        if any(ARITHMETIC.match(mnemonic) for mnemonic in packed) and \
           any(COUNTING.match(line.code) for line in loop):
            result.append((packed, faults))
    return result


def polls(lines):
    return [i for i, line in enumerate(lines) if '%fs:' in line.code and line.mnemonic == 'cmpq']


def spilled(lines):
    """What saves a register before the call of a slow path, in its block."""
    for i, line in enumerate(lines):
        if line.mnemonic != 'callq' or 'cairn.slow.cairn_poll' not in line.code:
            continue
        while i and not LABEL.match(lines[i - 1].code) and not lines[i - 1].mnemonic.startswith('j'):
            i -= 1
            saves = re.match(r'v?mov\w+\s+%\w+, -?\d*\(%r[sb]p\)|push\w*\s+%(?!rax)', lines[i].code)
            if saves:
                yield lines[i].code


def compare(name, ours, plain):
    """Print its lines; returns whether all is well."""
    good, have = True, vector_loops(ours)
    for packed, _ in vector_loops(plain):
        text = ' '.join(sorted(set(packed)))
        same = [loop for loop in have if loop[0] == packed]
        clean = [loop for loop in same if not loop[1]]
        if clean:
            have.remove(clean[0])
            print(f'{name}: vector {text}')
        else:
            good = False
            print(f'{name}: LOST {text}; there are {same or have}')
    for what in ('memset', 'memcpy', 'memmove', 'strlen'):
        calls = [any(re.match(rf'(callq|jmp)\s+(cairn\.call\.)?{what}\b', line.code) for line in lines)
                 for lines in (ours, plain)]
        if calls[1]:
            good &= calls[0]
            print(f'{name}: {what if calls[0] else "LOST " + what}')
    for text in spilled(ours):
        good = False
        print(f'{name}: SPILLED {text}')
    return good


def compare_files(ours, plain):
    good, count, inner = True, 0, 0
    with_polls, without = functions(ours), functions(plain)
    for name, lines in without.items():
        good &= compare(name, with_polls[name], lines)
    for lines in with_polls.values():
        count += len(polls(lines))
        inner += sum(len(polls(loop)) for loop in innermost_loops(lines))
    print(f'polls: {count}, in innermost loops: {inner}')
    return good


def main(ours, plain):
    if not os.path.isdir(plain):
        return 0 if compare_files(ours, plain) else 1
    good = True
    for name in sorted(n for n in os.listdir(plain) if n.endswith('.s')):
        print(f'== {name[:-2]}')
        good &= compare_files(f'{ours}/{name}', f'{plain}/{name}')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

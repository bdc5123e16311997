#!/usr/bin/env python3
"""No machine instruction may use a register whose object a safepoint before it may have moved.

  stale_registers.py MODULE ... [--tests FOLDER EVERY] [--c FOLDER EVERY] [--random COMMAND FIRST COUNT]

Takes modules that hold statepoints (--tests: those below FOLDER, rewritten; --c: what cairn-cc makes of C programs; every
nth; --random: rewritten random modules), and looks at llc's machine code before phis are eliminated and after registers are
allocated. References are the registers and spill slots that a STATEPOINT lists, those by which address space 1 is accessed,
and what is copied or computed of them. After a STATEPOINT all of them are stale but those it lists: they hold the new
addresses. Reported: a stale one in a memory operand, or listed by another STATEPOINT.
Compared it may be (both addresses are of one time); what else becomes of it, verify-safepoints has looked at.
"""
import collections
import glob
import re
import subprocess
import sys

CSR = ['-max-registers-for-gc-values=256', '-fixup-allow-gcptr-in-csr=true']
SETTINGS = [['-O2', *CSR], ['-O2'], ['-O3', '-relocation-model=pic', *CSR]]
STOPS = ['-stop-before=phi-node-elimination', '-stop-before=virtregrewriter']
REGISTER = re.compile(r'%\d+\b|%stack\.\d+(?![.\w])')
# Of one operand the result has the address, or one near it.
SAME = re.compile(r'(COPY|PHI|LEA64_?\d*r|ADD64(ri\d*|rr)(_DB)?|SUB64ri\d*|CMOV64rr|INC64r|DEC64r|AND64ri\d*|OR64ri\d*)$')
FLAGS = {'frame-setup', 'frame-destroy', 'nuw', 'nsw', 'exact', 'nomerge', 'unpredictable', 'disjoint', 'renamable',
         'inbounds', 'nusw', 'noconvergent'}
COUNTED = ('modules', 'functions', 'statepoints', 'too large after allocation', 'with what never moves', 'refused',
           'refused by llc')
LARGE = 800  # instructions
seen = collections.Counter()


def registers(text):
    return REGISTER.findall(text)


class Instruction:
    """One line of a block. Registers are named by strings; spill slots count as some."""

    def __init__(self, line):
        self.line = line
        text = re.split(r' :: |, debug-location|; ', line)[0]
        left, found, right = text.partition(' = ')
        left, right = (left, right) if found else ('', text)
        words = right.split(' ')
        while words[0] in FLAGS:
            words.pop(0)
        self.opcode, self.operands = words[0], [o.strip() for o in split(' '.join(words[1:]))]
        self.defs = registers(left)
        self.defs += [r for o in self.operands if re.match(r'(early-clobber |dead )*(implicit-)?def ', o) for r in registers(o)]
        self.uses = [r for o in self.operands for r in registers(o) if r not in self.defs or 'tied-def' in o or found]
        self.address = [r for i in self.memory_operands()
                        for r in registers(self.operands[i]) + registers(self.operands[i + 2])]
        # Without a scale, base and index are alike, so that the base of an access may be a number.
        self.base = [r for i in self.memory_operands() for r in registers(self.operands[i])
                     if self.opcode.startswith('LEA') or self.operands[i + 1] != '1' or
                     not registers(self.operands[i + 2])]
        self.listed = self.list_of_statepoint() if self.opcode == 'STATEPOINT' else []
        self.take_spill_slots()
        self.address, self.base = ([r for r in rs if r[1] != 's'] for rs in (self.address, self.base))

    def memory_operands(self):
        """Where base, scale, index, displacement and segment begin."""
        for i in range(len(self.operands) - 4):
            if self.operands[i + 1] in ('1', '2', '4', '8') and re.match(r'\$(noreg|[fg]s)$', self.operands[i + 4]):
                yield i

    def take_spill_slots(self):
        """Spilling and reloading are copies; a local of the program is memory."""
        slot = self.address[0] if self.address and re.search(r'(into|from) %stack\.', self.line) else None
        if slot and self.opcode in ('MOV64mr', 'MOV64rm'):
            self.defs, self.uses = ([slot], registers(self.operands[5])) if self.opcode == 'MOV64mr' else (self.defs, [slot])
            self.opcode, self.address, self.base = 'COPY', [], []

    def list_of_statepoint(self):
        """Registers and spill slots of the references that it lists, which it writes."""
        at = 4 + int(self.operands[2]) + 4
        for section in ('deopt', 'references'):
            count, found = int(self.operands[at + 1]), []
            at += 2
            for _ in range(count):
                size = {'0': 3, '1': 4, '2': 2}.get(self.operands[at], 1)
                found += registers(' '.join(self.operands[at:at + size])) if size in (1, 4) else []
                at += size
        self.defs = list({*self.defs, *(r for r in found if r.startswith('%stack'))})
        return found

    def passes_on(self):
        """The registers whose address, or one near it, the result has."""
        if not SAME.match(self.opcode):
            return []
        return self.base if self.opcode.startswith('LEA') else self.uses


def split(text):
    """At commas outside of brackets."""
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c in '([<') - (c in ')]>')
        if c == ',' and depth == 0:
            yield text[start:i]
            start = i + 1
    if text[start:].strip():
        yield text[start:]


def functions(mir):
    for document in mir.split('\n---\n'):
        name = re.search(r"^name: +'?([^'\n]+)'?$", document, re.M)
        body = document.partition('\nbody: ')[2]
        if name and 'STATEPOINT' in body:
            function = blocks(body)
            if not re.search(r'^isSSA: +true', document, re.M):
                if sum(len(i) for _, i in function.values()) > LARGE:
                    seen['too large after allocation'] += 1
                    continue
                Webs(function)
            yield name[1], function


def blocks(body):
    """{number: (successors, instructions)}, in order."""
    found, current = {}, None
    for line in body.splitlines():
        if x := re.match(r'  bb\.(\d+)', line):
            current = found.setdefault(int(x[1]), ([], []))
        elif x := re.match(r'    successors: (.*)', line):
            current[0].extend(int(n) for n in re.findall(r'%bb\.(\d+)', x[1]))
        elif current and line.startswith('    ') and not re.match(r'    (liveins:|;|$|\})', line):
            current[1].append(Instruction(line.strip()))
    return found


def references(function):
    """Registers that hold references, and what is made of them: null is none."""
    made, refs, constants = collections.defaultdict(set), set(), set()
    for _, instructions in function.values():
        for i in instructions:
            refs.update(i.listed)
            refs.update(i.base if 'addrspace 1' in i.line and not i.opcode.startswith('LEA') else ())
            for r in i.passes_on():
                made[r].update(i.defs)
                if i.opcode == 'COPY' and i.defs and i.defs[0].startswith('%stack'):
                    made[i.defs[0]].add(r)
            constants.update(i.defs if re.match(r'MOV\d+(r0|ri)|SUBREG_TO_REG', i.opcode) else ())
    refs -= constants
    todo = list(refs)
    while todo:
        new = made[todo.pop()] - refs - constants
        refs |= new
        todo += new
    return refs


def bad_uses(i, stale):
    return set() if i.opcode.startswith(('DBG_', 'LEA')) else {*i.listed, *i.address} & stale


class Webs:
    """Gives each definition, with all that reach a use together, a name of its own: after registers are merged, one is
    used for several values."""

    def __init__(self, function):
        self.function, self.parent, self.out = function, {}, {}
        self.predecessors = predecessors_of(function)
        while any([self.through(number) for number in function]):
            pass
        for number in function:
            self.through(number, self.unite)
        for number in function:
            self.through(number, self.rename)

    def root(self, definition):
        while self.parent.get(definition, definition) != definition:
            definition = self.parent[definition]
        return definition

    def through(self, number, visit=lambda i, reaching, new: None):
        """Has what reaches the block's end changed?"""
        reaching = {}
        for p in self.predecessors[number]:
            for register, definitions in self.out.get(p, {}).items():
                reaching[register] = reaching.get(register, frozenset()) | definitions
        for at, i in enumerate(self.function[number][1]):
            new = {d: (d, number, at) for d in i.defs}
            visit(i, reaching, new)
            reaching.update((d[0], frozenset([d])) for d in new.values())
        changed = self.out.get(number) != reaching
        self.out[number] = reaching
        return changed

    def unite(self, i, reaching, _):
        for r in {*i.uses, *i.listed} & reaching.keys():
            first, *others = reaching[r]
            for other in others:
                self.parent[self.root(other)] = self.root(first)

    def rename(self, i, reaching, new):
        def name(r):
            return '/'.join(map(str, self.root(next(iter(reaching[r]))))) if r in reaching else r
        i.uses, i.listed, i.address, i.base = (
            [name(r) for r in rs] for rs in (i.uses, i.listed, i.address, i.base))
        i.defs = ['/'.join(map(str, self.root(d))) for d in new.values()]


def predecessors_of(function):
    found = collections.defaultdict(list)
    for number, (successors, _) in function.items():
        for s in successors:
            found[s].append(number)
    return found


def step(i, stale, refs, report):
    """Change the set of stale registers as the instruction does."""
    bad = bad_uses(i, stale)
    if bad and report:
        report(i, bad)
    inherits = any(r in stale for r in i.passes_on())
    if i.opcode == 'STATEPOINT':
        stale |= refs
        seen['statepoints'] += report is not None
    for d in i.defs:
        (stale.add if inherits else stale.discard)(d)


def phis(instructions, out, stale):
    """What a block's phis make of what its predecessors leave."""
    for i in instructions:
        if i.opcode != 'PHI':
            return
        old = any(registers(value)[0] in out.get(int(re.search(r'\d+', block)[0]), ())
                  for value, block in zip(i.operands[0::2], i.operands[1::2]))
        (stale.add if old else stale.discard)(i.defs[0])


def through(function, number, predecessors, out, refs, report=None):
    """The registers that are stale at the end of a block."""
    stale = set().union(*(out.get(p, ()) for p in predecessors[number]))
    phis(function[number][1], out, stale)
    for i in function[number][1]:
        if i.opcode != 'PHI':
            step(i, stale, refs, report)
    return stale


def check(function, complain):
    refs, predecessors = references(function), predecessors_of(function)
    out, changed = {}, True
    while changed:
        changed = False
        for number in function:
            after = through(function, number, predecessors, out, refs)
            changed |= after != out.get(number)
            out[number] = after
    for number in function:
        through(function, number, predecessors, out, refs, complain)
    seen['functions'] += 1


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, **how)


def audit(label, ir):
    found = set()
    for settings in SETTINGS:
        for stop in STOPS:
            done = run('llc', '-mtriple=x86_64-linux-gnu', *settings, stop, '-o', '-', input=ir)
            seen['refused by llc'] += done.returncode != 0
            for name, function in functions(done.stdout):
                check(function, lambda i, bad: found.add(
                    f'{label}: {name}: {stop[13:]}: stale {", ".join(sorted(bad))} in: {i.line}'))
    seen['modules'] += 1
    return sorted(found)


def rewritten(text):
    passes = 'rewrite-statepoints,lower-differences,verify-safepoints'
    done = run('cairn', 'opt', '-p', passes, '-S', '-', '-o', '-', input=text)
    return done.stdout if done.returncode == 0 else None


def take(arguments, option, count):
    """The values that follow an option, or None."""
    if option not in arguments:
        return None
    at = arguments.index(option)
    values = arguments[at + 1:at + 1 + count]
    del arguments[at:at + 1 + count]
    return values


def modules(arguments):
    """Pairs of a label and IR, or None."""
    tests, programs, random = take(arguments, '--tests', 2), take(arguments, '--c', 2), take(arguments, '--random', 3)
    for path in arguments:
        yield path, open(path, encoding='utf-8').read()
    for path in sorted(glob.glob(f'{tests[0]}/**/*.ll', recursive=True))[::int(tests[1])] if tests else ():
        yield path, rewritten(open(path, encoding='utf-8').read())
    for path in sorted(glob.glob(f'{programs[0]}/**/*.c', recursive=True))[::int(programs[1])] if programs else ():
        done = run('cairn-cc', '-O2', '-w', '-S', '-emit-llvm', path, '-o', '-')
        yield path, done.stdout if done.returncode == 0 else None
    for seed in range(int(random[1]), int(random[1]) + int(random[2])) if random else ():
        yield f'seed {seed}', rewritten(run(random[0], str(seed)).stdout)


def main():
    found = []
    for label, ir in modules(sys.argv[1:]):
        if ir is None:
            seen['refused'] += 1
        elif re.search(r'cairn[-.]immovable', ir):
            seen['with what never moves'] += 1
        elif 'gc.statepoint' in ir:
            found += audit(label, ir)
    for line in found:
        print(line)
    print('stale_registers:', ', '.join(f'{seen[k]} {k}' for k in COUNTED))
    return bool(found)


sys.exit(main())

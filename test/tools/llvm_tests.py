#!/usr/bin/env python3
"""Classify LLVM's own tests of safepoint passes: llvm_tests.py FOLDER, which is llvm/test of some version.

Each file is rewritten by us and by LLVM 22 (its own statepoints are verified as they are), and looked at by both verifiers. Status 1 if
one of ours crashes, if ours leaves what LLVM's verifier of modules refuses, or if a rewritten module has a finding.
"""
import collections
import glob
import os
import re
import subprocess
import sys

FOLDERS = {
    'Transforms/RewriteStatepointsForGC': ['rewrite-statepoints'],
    'Transforms/PlaceSafepoints': ['place-safepoints', 'rewrite-statepoints'],
    'SafepointIRVerifier': [],
    'CodeGen/X86/statepoint*': [],
}


def run(*command, text=None):
    return subprocess.run(command, capture_output=True, text=True, input=text, timeout=120)


def crashed(done):
    return done.returncode < 0 or done.returncode >= 128


def rules(done):
    return sorted(set(re.findall(r'error: .*\[([a-z-]+)\]$', done.stderr, re.M)))


def ours(text, passes):
    """What our passes and our verifier make of a module."""
    done = run('cairn', 'opt', *(p for name in [*passes, 'verify-safepoints'] for p in ('-p', name)), '-S', '-', '-o', '-', text=text)
    if crashed(done):
        return 'CRASHED'
    if done.returncode == 0:
        valid = run('opt', '-passes=verify', '-disable-output', '-', text=done.stdout).returncode == 0
        return ('rewritten' if passes else 'sound') if valid else 'BROKEN'
    return 'refused: ' + ', '.join(rules(done) or [done.stderr.splitlines()[0][:100]])


def theirs(text):
    """What LLVM's rewriter makes of it, and ours and LLVM's verifier say of that."""
    done = run('opt', '-passes=rewrite-statepoints-for-gc', '-S', '-', '-o', '-', text=text)
    if done.returncode:
        return 'LLVM ' + ('crashes' if crashed(done) else 'fails')
    found = ours(done.stdout, [])
    return 'LLVM rewrites it' + ('' if found == 'sound' else f', and loses something ({found[9:]})')


def expectation(text):
    """What a test of LLVM's verifier expects: does it find an illegal use?"""
    if re.search(r'CHECK[-A-Z]*: *Illegal use', text):
        return True
    return False if re.search(r'CHECK[-A-Z]*: *No illegal uses', text) else None


def classify(folder, path, text):
    """(class, remark)"""
    if '; REQUIRES: asserts' in text:
        text = text.replace('; REQUIRES: asserts', '')
    bitcode = run('opt', '-passes=verify', '-S', '-', '-o', '-', text=text)
    if bitcode.returncode:
        return 'not valid IR for LLVM 22', bitcode.stderr.splitlines()[0][:110]
    found = ours(text, FOLDERS[folder])
    if not FOLDERS[folder]:
        expected = expectation(text)
        if expected is None:
            return found.split(':')[0], found
        same = expected == found.startswith('refused')
        return ('agrees with LLVM\'s verifier' if same else 'differs from LLVM\'s verifier'), \
            f'LLVM finds {"an illegal use" if expected else "nothing"}, ours: {found}'
    return found.split(':')[0], f'{found}; {theirs(text)}'


def main():
    top, bad = sys.argv[1], False
    for folder in FOLDERS:
        paths = sorted(glob.glob(f'{top}/{folder}/**/*.ll' if '*' not in folder else f'{top}/{folder}.ll', recursive=True))
        counts, lines = collections.Counter(), []
        for n, path in enumerate(paths):
            if n % 20 == 0:
                print(f'llvm-tests: {folder}: {n} of {len(paths)}', file=sys.stderr, flush=True)
            kind, remark = classify(folder, path, open(path, encoding='utf-8').read())
            counts[kind] += 1
            bad |= kind in ('CRASHED', 'BROKEN')
            if kind in ('refused', 'CRASHED', 'BROKEN', 'not valid IR for LLVM 22') or 'differs' in kind or 'loses' in remark:
                lines.append(f'  {os.path.basename(path)}: {remark}')
        print(f'{folder}: {len(paths)} files: ' + ', '.join(f'{n} {kind}' for kind, n in counts.most_common()))
        print('\n'.join(lines))
    return bad


sys.exit(main())

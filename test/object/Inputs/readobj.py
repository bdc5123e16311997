"""Compile a corpus for one machine with stock opt, llc and clang; what `cairn stackmap --json` reads out of each
object must be what `llvm-readobj --stackmap` prints, field by field. llvm-readobj applies no relocations
and names no functions; the names, the functions' places, and what else is relocated are compared with
`llvm-readelf -r`.

  readobj.py MACHINE FOLDER MODULE ... [--tests FOLDER EVERY] [--c FOLDER EVERY] [--random COMMAND FIRST COUNT] [--break FIELDS]

--tests: of the .ll files below FOLDER that have safepoints, every nth. --c: of the .c files that cairn-cc makes IR of, every nth.
--break: each of the fields, with commas between them, is wrong in the first object: the difference is found and printed.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

CSR = '-max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true'
SETTINGS = ['-O0', 'clang -O2 -fPIC -ffunction-sections -g', '-O2 -relocation-model=pic -function-sections ' + CSR, '-O2 -relocation-model=static',
            '-O3 -relocation-model=pic -frame-pointer=all ' + CSR]
MORE = {'riscv64': ['-O2 -mattr=+relax,+c,+d -relocation-model=pic', '-O0 -mattr=+d', '-O2 -mattr=+relax,+d', '-O1 -mattr=+c,+d',
                    '-O3 -mattr=+relax,+c,+d,+v'],
        'x86_64': ['-O2 -code-model=large', '-O2 -mattr=+avx512f,+avx512vl', '-O1', '-O3'],
        'aarch64': ['-O2 -mattr=+sve', '-O2 -code-model=large -relocation-model=static', '-O1 -global-isel=0', '-O3 ' + CSR]}
# Forms of random modules that LLVM's own passes survive.
FORMS = ['none of them', 'locals whose address is taken', 'invokes, token pads', 'deopt bundles',
         'ids and patch bytes', 'calling conventions', 'constants, undef, poison, null', 'odd phis',
         'allocas of variable size', 'ptrmask, launder, strip', 'tail calls', 'indirectbr', 'vectors']

OURS = 'rewrite-statepoints'
seen = collections.Counter()


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, **how)


def readobj(path):
    """The first map of the file as llvm-readobj prints it: nothing is left over that is not understood."""
    done = run('llvm-readobj', '--stackmap', path, check=True)
    m = {'functions': [], 'constants': [], 'records': []}
    for line in done.stdout.splitlines():
        if x := re.fullmatch(r'LLVM StackMap Version: (\d+)', line):
            m['version'] = int(x[1])
        elif x := re.fullmatch(r'Num (Functions|Constants|Records): (\d+)', line):
            m['number of ' + x[1].lower()] = int(x[2])
        elif x := re.fullmatch(r'  Function address: (\d+), stack size: (\d+), callsite record count: (\d+)', line):
            m['functions'].append([int(x[i]) for i in (1, 2, 3)])
        elif x := re.fullmatch(r'  #\d+: (\d+)', line):
            m['constants'].append(int(x[1]))
        elif x := re.fullmatch(r'  Record ID: (\d+), instruction offset: (\d+)', line):
            record = {'id': int(x[1]), 'offset': int(x[2]), 'locations': []}
            m['records'].append(record)
        elif x := re.fullmatch(r'    (\d+) locations:', line):
            record['count'] = int(x[1])
        elif x := re.fullmatch(r'      #\d+: (.*), size: (\d+)', line):
            record['locations'].append((x[1], int(x[2])))
        elif x := re.fullmatch(r'    (\d+) live-outs: \[ ((?:R#\d+ \(\d+-bytes\) )*)\]', line):
            record['live-outs'] = [(int(r), int(s)) for r, s in re.findall(r'R#(\d+) \((\d+)-bytes\)', x[2])]
            assert int(x[1]) == len(record['live-outs'])
        elif line and not re.match(r'(File|Format|Arch|AddressSize|LoadName): ', line):
            sys.exit(f'not understood: {line!r}')
    return m


def as_readobj(location):
    """One of our locations in llvm-readobj's words: small constants are 32 bits without sign there."""
    reg, offset = f'R#{location.get("register")}', location.get('offset')
    kind = location['kind']
    if kind == 'constant' and 'pool_index' in location:
        return f'ConstantIndex #{location["pool_index"]} ({location["value"] % 2**64})'
    return {'constant': lambda: f'Constant {location["value"] % 2**32}', 'register': lambda: f'Register {reg}',
            'direct': lambda: f'Direct {reg} + {offset}', 'indirect': lambda: f'Indirect [{reg} + {offset}]'}[kind]()


def compile_to(obj, bitcode, machine, flags):
    command, *rest = flags.split() if flags.startswith('clang') else ['llc', *flags.split()]
    if command == 'clang':
        rest += [f'--target={machine}-linux-gnu', '-Wno-override-module', '-c']
    else:
        rest += [f'-mtriple={machine}-linux-gnu', '-filetype=obj']
    return run(command, *rest, bitcode, '-o', obj).returncode == 0


def relocations(path):
    """Of each relocated offset of .llvm_stackmaps: [(type, value of the symbol, its name, addend)]. None: no such section."""
    found, inside = collections.defaultdict(list), False
    text = run('llvm-readelf', '-SrW', path, check=True).stdout
    if '.llvm_stackmaps' not in text:
        return None
    for line in text.splitlines():
        if line.startswith('Relocation section'):
            inside = "'.rela.llvm_stackmaps'" in line
        elif inside and (x := re.match(r'([0-9a-f]{16})  [0-9a-f]{16} (\w+) +([0-9a-f]{16}) (.*) ([+-]) ([0-9a-f]+)$', line)):
            found[int(x[1], 16)].append((x[2], int(x[3], 16), x[4].strip(), int(x[5] + x[6], 16)))
    return found


def relocated(relocation_list):
    value = 0
    for kind, symbol, _, addend in relocation_list:
        assert re.fullmatch(r'R_RISCV_(ADD|SUB)32', kind), kind
        value += (symbol + addend) * (-1 if 'SUB' in kind else 1)
    return value


def compare(path, label, table, broken=None):
    theirs, done = readobj(path), run('cairn', 'stackmap', '--json', path)
    if done.returncode:
        sys.exit(f'{label}: {done.stderr}')
    document = json.loads(done.stdout)
    maps = document['objects'][0]['maps']
    if len(maps) != 1:
        sys.exit(f'{label}: {len(maps)} maps in an object')
    ours = maps[0]
    known = {'record': 0}

    def same(what, a, b):
        if what == broken:
            a = (a, 'broken on purpose')
        if a != b:
            sys.exit(f'{label}: {what}: llvm-readobj {a}, cairn {b}')
        seen['fields'] += 1

    same('version', theirs['version'], ours['version'])
    same('constants', theirs['constants'], ours['constants'])
    for what in ('functions', 'constants', 'records'):
        same('number of ' + what, theirs['number of ' + what], len(ours[what]))
    at = 16
    for (address, size, count), f in zip(theirs['functions'], ours['functions'], strict=True):
        same('stack size', size, 2**64 - 1 if f['stack_size'] is None else f['stack_size'])
        same('record count', count, f['record_count'])
        same('address', address, 0)  # in an object, relocations apart
        (_, value, name, addend), = table[at]
        same('place of the function', value + addend, f['section_offset'])
        if name != f['section']:
            same('name of the function', name, f['name'])
        seen['dynamic frames'] += f['stack_size'] is None
        at += 24
    at += 8 * len(ours['constants'])
    for a, b in zip(theirs['records'], ours['records'], strict=True):
        offset = a['offset']
        if at + 8 in table:
            same('unrelocated offset', offset, 0)
            offset = relocated(table[at + 8])
            seen['relocated offsets'] += 1
        same('id', a['id'], b['id'])
        same('instruction offset', offset, b['instruction_offset'])
        same('number of locations', a['count'], len(b['locations']))
        for x, y in zip(a['locations'], b['locations'], strict=True):
            same('location', x, (as_readobj(y), y['size']))
            seen[y['kind'] + (' from the pool' if 'pool_index' in y else '')] += 1
            if 'register' in y and not y['name']:
                sys.exit(f'{label}: register {y["register"]} has no name')
        same('live-outs', a['live-outs'], [(x['register'], x['size']) for x in b['live_outs']])
        seen['live-outs'] += len(b['live_outs'])
        if any(not x['name'] for x in b['live_outs']):
            sys.exit(f'{label}: a live-out has no name')
        if s := b['statepoint']:
            seen['statepoints'] += 1
            for what in ('deopt_count', 'pairs', 'allocas'):
                seen[what] += s[what]
            same('parts of a statepoint', 3 + s['deopt_count'] + 2 * s['pairs'] + s['allocas'], len(b['locations']))
        at += -(-(16 + 12 * len(b['locations'])) // 8) * 8
        at += -(-(4 + 4 * len(b['live_outs'])) // 8) * 8
    same('length', at, ours['length'])
    seen['objects'] += 1
    seen['functions'] += len(ours['functions'])
    seen['records'] += len(ours['records'])
    seen['locations'] += sum(len(r['locations']) for r in ours['records'])


def show_differences(path, label, table, fields):
    for field in fields:
        try:
            compare(path, label, table, field)
        except SystemExit as difference:
            print(difference)
        else:
            sys.exit(f'{label}: {field} is broken, and nothing is found')


def bare(text):
    """The module without its target, and for passes that know one strategy alone."""
    text = re.sub(r'^(target |; *RUN|source_filename).*$', '', text, flags=re.M)
    return text.replace('gc "cairn"', 'gc "statepoint-example"')


def option(arguments, name, count):
    """Take `name` and what belongs to it out of the arguments."""
    if name not in arguments:
        return None
    at = arguments.index(name)
    values = arguments[at + 1:at + 1 + count]
    del arguments[at:at + 1 + count]
    return values


def corpus(arguments):
    """(name, text, already rewritten?)"""
    generator = option(arguments, '--random', 3)
    tests = option(arguments, '--tests', 2)
    programs = option(arguments, '--c', 2)
    paths = list(arguments)
    for path in sorted(glob.glob(tests[0] + '/**/*.ll', recursive=True)) if tests else []:
        text = open(path, encoding='utf-8').read()
        # llc unrolls an inline memset of a megabyte into a store for each word.
        if '#--- ' not in text and re.search(r'^define .* gc "|@llvm.experimental.(stackmap|patchpoint)', text, re.M) \
                and not re.search(r'call .*llvm\.mem\w+\.inline.* i64 \d{6,}', text):
            paths.append(path)
    fixed = len(arguments)
    paths = paths[:fixed] + paths[fixed::int(tests[1]) if tests else 1]
    for path in paths:
        yield path, open(path, encoding='utf-8').read()
    for path in sorted(glob.glob(programs[0] + '/**/*.c', recursive=True))[::int(programs[1])] if programs else []:
        done = run('cairn-cc', '-O2', '-w', '-S', '-emit-llvm', path, '-o', '-')
        if done.returncode:
            seen['programs that cairn-cc did not take'] += 1
        elif '@llvm.experimental.gc.statepoint' in done.stdout:
            yield path, re.sub('^module asm.*$|"(target|tune)-[a-z]*"="[^"]*"', '', done.stdout, flags=re.M)  # those are for x86-64
    for i in range(int(generator[1]), int(generator[1]) + int(generator[2])) if generator else []:
        form = FORMS[i % len(FORMS)]
        yield f'random {form} {i}', run(generator[0], f'--form={form}', str(i), check=True).stdout


def main():
    machine, folder, *arguments = sys.argv[1:]
    broken = option(arguments, '--break', 1)
    settings = SETTINGS + MORE[machine]
    for i, (name, text) in enumerate(corpus(arguments)):
        ir, bitcode, obj = (f'{folder}/{machine}.{x}' for x in ('ll', 'bc', 'o'))
        with open(ir, 'w', encoding='utf-8') as f:
            f.write(bare(text))
        passes = 'verify' if '@llvm.experimental.gc.statepoint' in text else 'rewrite-statepoints-for-gc'
        # Where LLVM's own pass gives up, ours makes the statepoints.
        if run('opt', f'-passes={passes}', ir, '-o', bitcode).returncode and (
                not os.path.isfile(name) or run('cairn', 'opt', '-p', OURS, name, '-o', bitcode).returncode):
            seen['modules that opt did not take'] += 1
            continue
        seen['modules'] += 1
        # What is written by hand is compiled in all ways, the rest in two each.
        for flags in settings if name.endswith('kinds.ll') else [settings[(i + k) % len(settings)] for k in (0, 3)]:
            if not compile_to(obj, bitcode, machine, flags):
                seen['objects that could not be made'] += 1
            elif (table := relocations(obj)) is not None:
                if broken:
                    return show_differences(obj, f'{name}, {machine} {flags}', table, broken[0].split(','))
                compare(obj, f'{name}, {machine} {flags}', table)
    print(', '.join(f'{n} {what}' for what, n in sorted(seen.items())))
    wanted = ['register', 'direct', 'indirect', 'constant', 'live-outs', 'statepoints', 'deopt_count', 'pairs',
              'allocas', 'dynamic frames', 'constant from the pool']
    if machine == 'riscv64':
        wanted.append('relocated offsets')
    if lacking := [w for w in wanted if not seen[w]]:
        sys.exit(f'the corpus has none of {lacking}')
    if seen['objects'] < 30 or seen['records'] < 300 or seen['locations'] < 2000:
        sys.exit('the corpus is too small')
    print(machine, 'agrees')


main()

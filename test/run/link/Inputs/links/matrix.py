"""Link one program in all ways there are, run each under CAIRN_STRESS=1, and print a table.

    matrix.py CAIRN_CC CAIRN FOLDER [-flto] [--sample] [--without-mold]

Each unit is compiled once for each level and kind of code. A cell of the table is what went wrong, or
`ok`: the output is the one expected, collections happened, the frames that the stack has were walked,
objects moved; nothing that was linked has stack maps, text relocations or relocations in frame maps;
garbage collection of sections took unused functions with their maps, and left the others theirs. With --sample every second
cell is left out, but none of those of bfd and lld at -O2 without -flto. With -flto, all is compiled so
but for native code; which functions and activations there are is the inliner's business then."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CC, CAIRN, OUT = sys.argv[1:4]
FLAGS = [word for word in sys.argv[4:] if word == '-flto']
LTO, SAMPLE, HAS_MOLD = bool(FLAGS), '--sample' in sys.argv[4:], '--without-mold' not in sys.argv[4:]
LEVELS = ['-O2'] if LTO else ['-O0', '-O2']
KINDS = {'pie': '-fPIE', 'no-pie': '-fno-pie', 'pic': '-fPIC'}
FORMS = ['pie', 'no-pie', 'static', 'static-pie', 'shared', 'dlopen']
USED = ['list_make', 'list_each', 'list_down', 'pool_reverse', 'comdat_one', 'comdat_two', 'comdat_cons']
UNUSED = ['list_unused', 'comdat_unused_one', 'comdat_unused_two']


class Wrong(Exception):
    pass


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise Wrong(f'{os.path.basename(words[0])}: status {done.returncode}: '
                    f'{done.stderr.strip()[:2000]}\n  {" ".join(words)}')
    return done


def path(*parts):
    return os.path.join(OUT, '.'.join(parts))


def compile_all():
    """Objects and an archive by level and kind."""
    for level in LEVELS:
        for kind, option in KINDS.items():
            flags = [CC, level, option, '-ffunction-sections', '-fdata-sections', '-c', *FLAGS]
            units = {name: os.path.join(HERE, name + '.c') for name in
                     ('main', 'list', 'pool', 'spare', 'part')}
            for unit in 'one', 'two':
                units[unit] = path(unit, 'll')
                with open(os.path.join(HERE, 'comdat.ll')) as source, open(units[unit], 'w') as to:
                    to.write(source.read().replace('UNIT', unit))
            for name, source in units.items():
                run(*flags, source, '-o', path(name + level, kind, 'o'))
            run(*flags, '-DLOADED', units['main'], '-o', path('loader' + level, kind, 'o'))
            run('clang', level, option, '-I' + os.path.join(HERE, '../../../../../include'), '-c',
                os.path.join(HERE, 'native.c'), '-o', path('native' + level, kind, 'o'))
            run('ar', 'rcs', path('pool' + level, kind, 'a'),
                *[path(name + level, kind, 'o') for name in ('spare', 'pool')])


def objects(level, kind, *names):
    return [path(name + level, kind, 'o') for name in names]


def link(linker, level, form, collected, name):
    """The images of one cell: the program first."""
    flags = [CC, '-fuse-ld=' + linker, '-Wl,-z,text', '-Wl,--fatal-warnings', *FLAGS]
    if collected:
        flags += ['-Wl,--gc-sections'] + (['-Wl,-z,start-stop-gc'] if linker == 'bfd' else [])
    library = ['list', 'part', 'one', 'two']
    if form in ('pie', 'no-pie', 'static', 'static-pie'):
        kind = 'pie' if form in ('pie', 'static-pie') else 'no-pie'
        run(*flags, '-' + form, *objects(level, kind, 'main', 'native', *library),
            path('pool' + level, kind, 'a'), '-o', name)
        return [name]
    made = [name + '.so'] if form == 'shared' else [name + '.1.so', name + '.2.so']
    for one in made:
        run(*flags, '-shared', *objects(level, 'pic', *library), path('pool' + level, 'pic', 'a'),
            '-o', one)
    main = objects(level, 'pie', 'main' if form == 'shared' else 'loader', 'native')
    run(*flags, '-pie', *main, *(made if form == 'shared' else ['-ldl']), '-o', name)
    return [name] + made


def check_image(image, parts, collected):
    """What stands in it. `parts`: it is the image that has the units but for main.c."""
    tables = run('llvm-readelf', '-SdrsW', image).stdout
    if 'llvm_stackmaps' in tables:
        raise Wrong(f'{image}: .llvm_stackmaps')
    if 'TEXTREL' in tables:
        raise Wrong(f'{image}: text relocations')
    found = re.search(r'\] cairn_frames +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)', tables)
    if not found:
        raise Wrong(f'{image}: no frame maps')
    start, size = int(found[1], 16), int(found[2], 16)
    for line in tables.splitlines():
        place = re.match(r'([0-9a-f]{16}) ', line)
        if place and start <= int(place[1], 16) < start + size:
            raise Wrong(f'{image}: a relocation in cairn_frames: {line}')
    functions = set(re.findall(r'^ *\d+: [0-9a-f]+ +\d+ FUNC +\w+ +\w+ +\d+ (\S+)', tables, re.M))
    maps = re.findall(r'^function (\S+) at', run(CAIRN, 'frames', image).stdout, re.M)
    if '?' in maps:
        raise Wrong(f'{image}: a map of no function')
    for name in USED if parts and not LTO else []:
        if maps.count(name) != 1:
            raise Wrong(f'{image}: {maps.count(name)} maps of {name}')
    for name in UNUSED if parts else []:
        gone = collected or LTO
        if (name in functions) == gone or (name in maps) == gone:
            raise Wrong(f'{image}: {name}: {"there" if collected else "gone"}')
    if 'spare' in functions or 'spare' in maps:
        raise Wrong(f'{image}: an archive member that nobody needs')


def without_activations(text):
    return re.sub(r'\b(each|down) \d+', r'\1', text) if LTO else text


def check_run(images, expected):
    words = images if len(images) == 3 else images[:1]
    env = {name: value for name, value in os.environ.items() if not name.startswith('CAIRN_')}
    env.update(CAIRN_STRESS='1', CAIRN_STATS='1')
    done = run(*words, env=env)
    if without_activations(done.stdout) != without_activations(expected):
        raise Wrong(f'{images[0]}: it prints\n{done.stdout}')
    counts = {name: int(n) for name, n in re.findall(r'^([a-z ]+): (\d+)$', done.stderr, re.M)}
    least = {'collections': 500, 'frames walked': 2500 if LTO else 5000, 'roots found': 2000, 'objects moved': 20000}
    for name, n in least.items():
        if counts.get(name, 0) < n:
            raise Wrong(f'{images[0]}: {name}: {counts.get(name)}')
    return counts


def cell(linker, level, form, collected, expected, keeps_all):
    name = path(linker + level, form, 'gc' if collected else 'all')
    images = link(linker, level, form, collected, name)
    for number, image in enumerate(images):
        check_image(image, number > 0 or len(images) == 1, collected and not keeps_all)
    return check_run(images, expected)


def main():
    os.makedirs(OUT, exist_ok=True)
    compile_all()
    with open(os.path.join(HERE, 'expected')) as file:
        expected = file.read()
    rows = [(linker, level, collected, FORMS, False) for linker in ('bfd', 'lld')
            for level in LEVELS for collected in (False, True)]
    # gold and mold keep what is named like a C identifier, and so every function that has a map.
    forms = ['pie', 'static', 'shared', 'dlopen']
    rows += [(linker, '-O2', collected, forms if linker == 'gold' or HAS_MOLD else [], True)
             for linker in ('gold', 'mold') for collected in (False, True) if not LTO]
    wrong, done, moved = [], 0, 0
    print(f'{"":22}' + ''.join(f'{form:>11}' for form in FORMS))
    for row, (linker, level, collected, forms, keeps_all) in enumerate(rows):
        line = f'{linker:5}{level:4} {"gc-sections" if collected else "":13}'
        for form in FORMS:
            if form not in forms:
                line += f'{"-":>11}'
                continue
            sampled = SAMPLE and (LTO or level == '-O0' or keeps_all)
            if sampled and (row + (row >> 1) + forms.index(form)) % 2:
                line += f'{".":>11}'
                continue
            try:
                counts = cell(linker, level, form, collected, expected, keeps_all)
                moved += counts['objects moved']
                done += 1
                line += f'{"ok":>11}'
            except Wrong as why:
                wrong.append(f'{linker} {level} {form} gc-sections={collected}: {why}')
                line += f'{"WRONG":>11}'
        print(line)
    print(f'{done} cells, {len(wrong)} wrong, {moved} objects moved')
    for why in wrong:
        print(why)
    return 1 if wrong else 0


sys.exit(main())

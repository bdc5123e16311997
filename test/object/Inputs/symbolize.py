# Are the sources that `cairn frames` has of each safepoint of a linked image those that
# llvm-symbolizer finds in its debug information?
#   symbolize.py FRAMES.json IMAGE [LEAST]: at least LEAST safepoints with an inlined function
import json
import subprocess
import sys


def asked(image, addresses):
    """Per address the chain of (function, file, line, column), innermost first."""
    answer = subprocess.run(['llvm-symbolizer', '--output-style=JSON', '--inlines', '--no-demangle',
                             '--functions=short', f'--obj={image}'],
                            input='\n'.join(f'0x{a:x}' for a in addresses) + '\n', text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    return [[(s['FunctionName'], s['FileName'], s['Line'], s['Column'])
             for s in json.loads(line)['Symbol']] for line in answer.splitlines()]


with open(sys.argv[1]) as file:
    functions = json.load(file)['objects'][0]['functions']
points = [(f, s) for f in functions for s in f['safepoints']]
chains = asked(sys.argv[2], [f['address'] + s['return_offset'] - 1 for f, s in points])
inlined = bad = 0
for (f, s), chain in zip(points, chains):
    mine = [(x['function'], x['file'] or '', x['line'], x['column']) for x in s['sources']]
    inlined += len(mine) > 1
    if not mine and chain == [('', '', 0, 0)]:
        continue
    same = len(mine) == len(chain) and all(
        (m[0] == c[0] or not c[0]) and c[1].endswith(m[1]) and m[2:] == c[2:] for m, c in zip(mine, chain))
    if not same:
        bad += 1
        print(f"{f['name']}+0x{s['return_offset']:x}: {mine}, llvm-symbolizer says {chain}")
print(f'{len(points)} safepoints, {inlined} in inlined functions')
sys.exit(bad != 0 or inlined < int(sys.argv[3]))

# Deoptimisation state of each function: the first value is the number of references that follow.
# Each must be null, or lie where a root lies, so that it is moved with its object.
#   deopt.py FRAMES.json
import json
import sys

checked = 0
for f in json.load(open(sys.argv[1]))['objects'][0]['functions']:
    for s in f['safepoints']:
        if not s['deopt']:
            continue
        roots = [r['place'] for r in s['roots']]
        count = s['deopt'][0]['value']
        for value in s['deopt'][1:1 + count]:
            null = value['kind'] == 'constant' and value['value'] == 0
            if not null and (value['kind'] != 'value' or value['place'] not in roots):
                sys.exit(f"{f['name']}+0x{s['return_offset']:x}: {value} is no root of {roots}")
            checked += 1
print(checked)

# Is the file a trace of the collector's events? Prints what was in it; `cut`: the program was killed.
#   nesting.py FILE [cut]
import json
import sys

with open(sys.argv[1]) as file:
    text = file.read()
cut = sys.argv[2:] == ['cut']
assert not cut or not text.rstrip().endswith(']'), 'an end was written'
events = json.loads(text + (']' if cut else ''))
stacks, last, seen = {}, {}, {}
heap = 0
for event in events:
    kind, tid, name = event['ph'], event['tid'], event['name']
    seen[name] = seen.get(name, 0) + (kind in 'BX')
    if kind == 'M':
        assert event['args']['name'], event
        seen[f'{name} {event["args"]["name"]}'] = 1
        continue
    if kind == 'X':  # within what is open: it began before, and is over
        assert event['dur'] >= 0, event
        continue
    assert event['ts'] >= last.get(tid, 0), event
    last[tid] = event['ts']
    stack = stacks.setdefault(tid, [])
    if kind == 'B':
        if name == 'collection':
            assert stack == ['stopped'], (event, stack)
            assert event['args']['number'] == seen[name], event
        stack.append(name)
    elif kind == 'E':
        assert stack and stack.pop() == name, event
    else:
        assert kind == 'C' and name == 'heap' and event['args']['bytes'] >= 0, event
        heap += 1
assert cut or not any(stacks.values()), stacks
assert heap % 2 == 0 or cut
print('threads:', len(stacks), 'heap:', 'there' if heap else 'none',
      *sorted(f'{n}' for n, c in seen.items() if c))

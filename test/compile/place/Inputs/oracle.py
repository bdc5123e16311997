# Which cycles of blocks have no call of @oracle_safepoint on them, and what LLVM's scalar evolution knows
# of how often they run. Reads IR as text; shares nothing with Cairn.
#   oracle.py MODULE TRIPS     TRIPS: what opt -passes='print<scalar-evolution>' says of MODULE
import re
import sys

MOST = 40000  # units of work in the default budget, so passes too


def functions(text):
    for m in re.finditer(r'^define .*?@"?([\w.$-]+)"?\(.*?^}', text, re.M | re.S):
        blocks, name = {}, None
        for line in m[0].split('\n')[1:-1]:
            label = re.match(r'([\w.$-]+):', line)
            if label or name is None:
                name = label[1] if label else '(entry)'
                blocks[name] = []
            if not label:
                blocks[name].append(line)
        yield m[1], blocks


def edges(blocks):
    """Of each block that does not poll; a back edge that is marked as bounded is none."""
    order = {name: i for i, name in enumerate(blocks)}
    for name, lines in blocks.items():
        body = '\n'.join(lines)
        to = [t for t in re.findall(r'label %([\w.$-]+)', body) if t in order]
        if '!cairn.bounded' in body:
            to = [t for t in to if order[t] > order[name]]
        yield name, [] if '@oracle_safepoint' in body else to


def cyclic(graph):
    """What is left when blocks without successors are taken away, and again."""
    graph = {n: set(to) for n, to in graph.items()}
    while True:
        dead = [n for n, to in graph.items() if not to]
        if not dead:
            return graph
        for n in dead:
            del graph[n]
        for to in graph.values():
            to -= set(dead)


def reachable(graph, start):
    seen, todo = set(), [start]
    while todo:
        n = todo.pop()
        if n not in seen:
            seen.add(n)
            todo += graph[n]
    return seen


text, trips = open(sys.argv[1]).read(), open(sys.argv[2]).read()
most = {}  # function, header -> most passes
for part in trips.split('Printing analysis')[1:]:
    function = re.search(r"function '(.*?)'", part)[1]
    for m in re.finditer(r'^Loop %([\w.$-]+): constant max backedge-taken count is i\d+ (-?\d+)', part, re.M):
        most[function, m[1]] = int(m[2])
free, unknown = 0, 0
for function, blocks in functions(text):
    entry = next(iter(blocks))
    every = {n: [t for t in re.findall(r'label %([\w.$-]+)', '\n'.join(b)) if t in blocks]
             for n, b in blocks.items()}
    live = reachable(every, entry)
    for _ in blocks:  # as long as there is a cycle whose header LLVM cannot count
        left = cyclic({n: live & set(to) for n, to in edges(blocks) if n in live})
        if not left:
            break
        free += 1
        counted = [n for n in left if 0 <= most.get((function, n), -1) <= MOST]
        if not counted:
            unknown += 1
            print(f'in {function}: {" ".join(left)}')
            break
        live.discard(counted[0])
print(f'cycles without a poll: {free}, which LLVM cannot count: {unknown}')

"""Nested loops of control-flow graphs, reducible and irreducible ones (Havlak's algorithm)."""
import harness

NON_HEADER = 0
REDUCIBLE = 1
SELF = 2
IRREDUCIBLE = 3


class Block:
    def __init__(self, name):
        self.name = name
        self.sources = []
        self.targets = []


class Graph:
    def __init__(self):
        self.blocks = []

    def node(self, name):
        while len(self.blocks) <= name:
            self.blocks.append(Block(len(self.blocks)))
        return self.blocks[name]

    def edge(self, a, b):
        source = self.node(a)
        target = self.node(b)
        source.targets.append(target)
        target.sources.append(source)

    def diamond(self, start):
        self.edge(start, start + 1)
        self.edge(start, start + 2)
        self.edge(start + 1, start + 3)
        self.edge(start + 2, start + 3)
        return start + 3

    def straight(self, start, count):
        for i in range(count):
            self.edge(start + i, start + i + 1)
        return start + count

    def base_loop(self, start):
        header = self.straight(start, 1)
        first = self.diamond(header)
        middle = self.straight(first, 1)
        second = self.diamond(middle)
        footer = self.straight(second, 1)
        self.edge(second, middle)
        self.edge(first, header)
        self.edge(footer, start)
        return self.straight(footer, 1)


class Loop:
    def __init__(self, is_reducible):
        self.is_reducible = is_reducible
        self.parent = None
        self.blocks = []

    def depth(self):
        if self.parent is None:
            return 1
        return 1 + self.parent.depth()


class Node:
    """A block in the order of the search, and the set of blocks that it belongs to."""

    def __init__(self, block, number):
        self.block = block
        self.number = number
        self.parent = None
        self.loop = None

    def find(self):
        root = self
        while root.parent is not None:
            root = root.parent
        node = self
        while node != root:
            next = node.parent
            node.parent = root
            node = next
        return root


class Finder:
    def __init__(self, graph):
        count = len(graph.blocks)
        self.graph = graph
        self.loops = []
        self.nodes = []
        self.number = [-1] * count
        self.last = [0] * count
        self.types = [NON_HEADER] * count
        self.back = []
        self.others = []
        for i in range(count):
            self.back.append([])
            self.others.append([])

    def search(self, block):
        number = len(self.nodes)
        self.number[block.name] = number
        self.nodes.append(Node(block, number))
        for target in block.targets:
            if self.number[target.name] == -1:
                self.search(target)
        self.last[number] = len(self.nodes) - 1

    def is_ancestor(self, w, v):
        return w <= v and v <= self.last[w]

    def classify(self):
        for w in range(len(self.nodes)):
            for source in self.nodes[w].block.sources:
                v = self.number[source.name]
                if v != -1:
                    if self.is_ancestor(w, v):
                        self.back[w].append(v)
                    else:
                        self.others[w].append(v)

    def pool_of(self, w):
        """The nodes from which w is reached by a back edge, and the nodes between."""
        pool = []
        for v in self.back[w]:
            if v == w:
                self.types[w] = SELF
            else:
                pool.append(self.nodes[v].find())
        if pool:
            self.types[w] = REDUCIBLE
        at = 0
        while at < len(pool):
            x = pool[at]
            at += 1
            for v in self.others[x.number]:
                y = self.nodes[v].find()
                if not self.is_ancestor(w, y.number):
                    self.types[w] = IRREDUCIBLE
                    if not has(self.others[w], y.number):
                        self.others[w].append(y.number)
                elif y.number != w and not has(pool, y):
                    pool.append(y)
        return pool

    def find(self):
        self.search(self.graph.blocks[0])
        self.classify()
        w = len(self.nodes) - 1
        while w >= 0:
            pool = self.pool_of(w)
            if pool or self.types[w] == SELF:
                loop = Loop(self.types[w] != IRREDUCIBLE)
                self.loops.append(loop)
                self.nodes[w].loop = loop
                loop.blocks.append(self.nodes[w].block)
                for node in pool:
                    node.parent = self.nodes[w]
                    if node.loop is not None:
                        node.loop.parent = loop
                    else:
                        loop.blocks.append(node.block)
            w -= 1
        return self.loops


def has(values, value):
    for v in values:
        if v == value:
            return True
    return False


def make_graph():
    graph = Graph()
    graph.base_loop(0)
    graph.edge(0, 2)
    n = len(graph.blocks) - 1
    for i in range(4):
        graph.edge(2, n + 1)
        n += 1
        for j in range(10):
            top = n
            n = graph.straight(n, 1)
            for k in range(5):
                n = graph.base_loop(n)
            bottom = graph.straight(n, 1)
            graph.edge(n, top)
            n = bottom
        graph.edge(n, 1)
    return graph


def havlak(runs):
    graph = make_graph()
    loops = 0
    blocks = 0
    depths = 0
    irreducible = 0
    for i in range(runs):
        for loop in Finder(graph).find():
            loops += 1
            blocks += len(loop.blocks)
            depths += loop.depth()
            if not loop.is_reducible:
                irreducible += 1
    return f'{len(graph.blocks)} {loops} {blocks} {depths} {irreducible}'


harness.run(150, havlak)

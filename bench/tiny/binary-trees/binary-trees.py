"""Many short-lived trees beside one that stays (the Benchmarks Game's)."""
import harness


class Tree:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def count(self):
        if self.left is None:
            return 1
        return 1 + self.left.count() + self.right.count()


def make(depth):
    if depth == 0:
        return Tree(None, None)
    return Tree(make(depth - 1), make(depth - 1))


def binary_trees(deepest):
    result = f'{make(deepest + 1).count()}'
    kept = make(deepest)
    for depth in range(4, deepest + 1, 4):
        total = 0
        for _ in range(1 << (deepest - depth + 4)):
            total += make(depth).count()
        result += f' {total}'
    return result + f' {kept.count()}'


harness.run(15, binary_trees)

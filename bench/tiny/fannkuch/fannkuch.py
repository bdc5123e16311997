"""Permutations of 0..n-1 in an order of the Benchmarks Game; reversals of prefixes until 0 is first."""
import harness


def flips_of(p, q, n):
    first = p[0]
    for i in range(1, n):
        q[i] = p[i]
    flips = 1
    while True:
        following = q[first]
        if following == 0:
            return flips
        q[first] = first
        i, j = 1, first - 1
        while i < j:
            q[i], q[j] = q[j], q[i]
            i += 1
            j -= 1
        first = following
        flips += 1


def advance(p, left, n):
    """The next permutation after an even one; false after the last."""
    p[1], p[2] = p[2], p[1]
    for i in range(2, n):
        if left[i] != 1:
            left[i] -= 1
            return True
        if i == n - 1:
            return False
        left[i] = i + 1
        t = p[0]
        for j in range(i + 1):
            p[j] = p[j + 1]
        p[i + 1] = t


def fannkuch(n):
    p, q, left = list(range(n)), [0] * n, list(range(1, n + 1))
    sign, checksum, most = 1, 0, 0
    while True:
        if p[0] != 0:
            flips = flips_of(p, q, n)
            checksum += sign * flips
            if flips > most:
                most = flips
        if sign == 1:
            p[0], p[1] = p[1], p[0]
        elif not advance(p, left, n):
            return f'{checksum} {most}'
        sign = -sign


harness.run(10, fannkuch)

"""The spectral norm of an infinite matrix, by power iterations (the Benchmarks Game's)."""
import math
import harness


def element(i, j):
    total = i + j
    return 1.0 / (total * (total + 1) // 2 + i + 1)


def multiply(v, result, n):
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += element(i, j) * v[j]
        result[i] = total


def multiply_transposed(v, result, n):
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += element(j, i) * v[j]
        result[i] = total


def spectral_norm(n):
    u, v, t = [1.0] * n, [0.0] * n, [0.0] * n
    for _ in range(10):
        multiply(u, t, n)
        multiply_transposed(t, v, n)
        multiply(v, t, n)
        multiply_transposed(t, u, n)
    dot = square = 0.0
    for i in range(n):
        dot += u[i] * v[i]
        square += v[i] * v[i]
    return f'{math.sqrt(dot / square):.9f}'


harness.run(400, spectral_norm)

"""Runs the work of a program argv[1] times on size argv[2]. Prints milliseconds of each, and the result."""
import sys
import time

sys.setrecursionlimit(20000)


def run(size, work):
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    size = int(sys.argv[2]) if len(sys.argv) > 2 else size
    result = None
    for _ in range(iterations):
        start = time.perf_counter()
        result = work(size)
        print('ms', (time.perf_counter() - start) * 1000)
    print('result', result)

"""Compare the variables that gdb has lost with those of clang alone, for the same functions with pointers of C.

  compare_lost.py LEVEL CAIRN.out CLANG.out    the outputs of compare_references.py

Prints one line. Fails if Cairn loses many more: a dead reference has no place after a safepoint, a dead pointer may.
"""
import sys

MAX_MORE = {'lost': 6, 'outer lost': 24}


def counts(path):
    with open(path, encoding='utf-8') as file:
        last = file.read().splitlines()[-1]
    return {name: int(number) for name, number in (part.rsplit(' ', 1) for part in last.split(', '))}


level, cairn, clang = sys.argv[1], counts(sys.argv[2]), counts(sys.argv[3])
print(f"{level}: lost {cairn['lost']} of {cairn['compared']}, in outer frames {cairn['outer lost']} of {cairn['outer']}; "
      f"clang alone {clang['lost']} and {clang['outer lost']}")
sys.exit(any(cairn[name] > clang[name] + more for name, more in MAX_MORE.items()))

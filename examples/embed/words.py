# SPDX-License-Identifier: Apache-2.0
"""The table of words.h in Python, by ctypes: words.py LIBRARY THREADS ADDITIONS"""
import ctypes
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
library.words_new.restype = ctypes.c_void_p
library.words_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
library.words_distinct.argtypes = library.words_free.argtypes = [ctypes.c_void_p]
results = {}


def count(name):
    table = library.words_new()
    for i in range(int(sys.argv[3])):
        library.words_add(table, b'word%d' % (i * 7 % 100))
    results[name] = (library.words_distinct(table), library.words_add(table, b'word7'))
    library.words_free(table)


threads = [threading.Thread(target=count, args=(i,)) for i in range(int(sys.argv[2]))]
for thread in threads:
    thread.start()
count('main')
for thread in threads:
    thread.join()
print(len(results), 'tables:', *sorted(set(results.values())))

"""The library is loaded by a thread, and used by the main thread, which is attached later."""
import ctypes
import sys
import threading

loaded = []


def load():
    library = ctypes.CDLL(sys.argv[1])
    library.words_new.restype = ctypes.c_void_p
    library.words_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    table = library.words_new()
    loaded.extend([library, table, library.words_add(table, b'x')])


thread = threading.Thread(target=load)
thread.start()
thread.join()
library, table, first = loaded
print(first, library.words_add(table, b'x'), library.words_add(table, b'x'))

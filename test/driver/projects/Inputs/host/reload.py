"""The library is loaded and unloaded again and again; the runtime stays loaded."""
import _ctypes
import ctypes
import sys

found = []
for _ in range(5):
    library = ctypes.CDLL(sys.argv[1])
    library.words_new.restype = ctypes.c_void_p
    library.words_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.words_free.argtypes = [ctypes.c_void_p]
    table = library.words_new()
    found.append(library.words_add(table, b'x'))
    library.words_free(table)
    _ctypes.dlclose(library._handle)
print(found)

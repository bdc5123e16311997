# SPDX-License-Identifier: Apache-2.0
"""Shows managed objects of Cairn's programs in gdb, in live processes and in cores (docs/debugging.md).

Pretty printers for references, and the commands cairn-type, cairn-roots and cairn-path. The script reads the memory of
the program, never changes it and never calls its functions. cairn_objects.py reads the objects.
"""
import functools
import os
import sys

import gdb
import gdb.printing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'python'))
writes_no_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the package owns each file of its folder
import cairn_objects  # noqa: E402

sys.dont_write_bytecode = writes_no_bytecode


class GdbProgram(cairn_objects.Program):
    def has_memory(self):
        return gdb.selected_thread() is not None

    def read_page(self, address, size):
        """Reads each section by itself: gdb takes bytes that a core lacks from the program's file, but after a gap between
        two of its sections only zeros."""
        inferior, end = gdb.selected_inferior(), address + size
        places = [address, *(bound for bound in self.bounds if address < bound < end), end]
        sizes = [after - before for before, after in zip(places, places[1:])]
        try:
            return b''.join(bytes(inferior.read_memory(*part)) for part in zip(places, sizes))
        except (gdb.MemoryError, OverflowError):
            return b''

    @functools.cached_property
    def bounds(self):
        """The bounds of the files' sections, for a core."""
        connection = gdb.selected_inferior().connection
        if connection is None or connection.type != 'core':
            return []
        return sorted({bound for _, *bounds in self.all_sections() for bound in bounds})

    def symbol_address(self, name):
        try:
            return int(gdb.parse_and_eval(f'(unsigned long)&{name}'))
        except gdb.error:
            return None

    def symbol_at(self, address):
        name = gdb.execute(f'info symbol {address}', to_string=True).split(' ')[0]
        return None if name == 'No' else name

    @staticmethod
    def all_sections():
        for line in gdb.execute('info files', to_string=True).splitlines():
            words = line.split()
            if len(words) >= 5 and words[1] == '-' and words[3] == 'is':
                yield words[4], int(words[0], 16), int(words[2], 16)

    def sections(self, name):
        return ((start, end) for found, start, end in self.all_sections() if found == name)

    def machine(self):
        name = gdb.selected_inferior().architecture().name()
        return cairn_objects.MACHINES['aarch64' if name == 'aarch64' else 'x86-64']

    def stacks(self):
        before = gdb.selected_thread()
        chosen = gdb.selected_frame() if before else None
        try:
            for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
                thread.switch()
                yield thread.num, self.frames()
        finally:
            if before:
                before.switch()
                chosen.select()

    @staticmethod
    def frames():
        frame, newer = gdb.newest_frame(), None
        while frame is not None and frame.is_valid():
            called = newer is not None and newer.type() != gdb.SIGTRAMP_FRAME
            try:
                older, error = frame.older(), None
            except gdb.error as failure:
                older, error = None, failure
            end = read_register(older, 'sp') if older is not None else None
            yield cairn_objects.Frame(frame.level(), frame.name(), frame.pc(), called,
                                      lambda name, frame=frame: read_register(frame, name), end)
            if error:
                raise cairn_objects.Fault(error)
            newer, frame = frame, older

    def evaluate(self, expression):
        return int(gdb.parse_and_eval(expression).cast(gdb.lookup_type('unsigned long')))

    def payload_text(self, found):
        value = payload_value(found)
        return value.format_string(max_elements=cairn_objects.MAX_SHOWN) if value is not None else None


def read_register(frame, name):
    try:
        return int(frame.read_register(name).cast(gdb.lookup_type('unsigned long')))
    except (gdb.error, ValueError):
        return None


def payload_value(found):
    """The payload by the debug information of its type, or None."""
    try:
        name = found.layout.type_name().replace(' managed', '')
        kind = gdb.parse_and_eval(f'({name} *) 0').type.target()
        if found.layout.is_plain_array():
            kind = kind.array(max(min(found.count, 200), 1) - 1)
        return gdb.Value(found.address).cast(kind.pointer()).dereference()
    except gdb.error:
        return None


# ---- commands ----


def print_lines(lines):
    try:
        for line in lines:
            print(line)
    except cairn_objects.Fault as fault:
        raise gdb.GdbError(str(fault)) from None


def require_address(argument):
    if not argument:
        raise gdb.GdbError('expected an address')
    return argument


class TypeCommand(gdb.Command):
    """Print the managed object at an address: its type, its size and its fields.
Usage: cairn-type ADDRESS
The address may be any expression, and may lie inside the object."""

    def __init__(self):
        super().__init__('cairn-type', gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        print_lines(cairn_objects.type_lines(GdbProgram(), require_address(argument)))


class RootsCommand(gdb.Command):
    """Print the roots of managed objects: of all stacks by their frame maps, of globals and of handles.
Usage: cairn-roots
The last lines name the roots that gdb cannot find."""

    def __init__(self):
        super().__init__('cairn-roots', gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        print_lines(cairn_objects.root_lines(GdbProgram()))


class PathCommand(gdb.Command):
    """Print a shortest path of references from a root to the managed object at an address.
Usage: cairn-path ADDRESS
Weak references are no part of a path. A path from a guess may be of an object that is garbage."""

    def __init__(self):
        super().__init__('cairn-path', gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        print_lines(cairn_objects.path_lines(GdbProgram(), require_address(argument)))


# ---- pretty printers ----


class ReferencePrinter:
    """Prints a pointer to the start of an object with the object's type; of an array, also its first elements. Prints a
    word that is an immediate."""

    def __init__(self, text, found):
        self.text, self.found = text, found

    def to_string(self):
        if not self.found or not self.found.layout.is_plain_array() or not self.found.count:
            return self.text
        elements = payload_value(self.found)
        if elements is None:
            return self.text
        return f'{self.text} {elements.format_string(max_elements=cairn_objects.MAX_SHOWN, raw=True)}'


class ReferencePrinters(gdb.printing.PrettyPrinter):
    """A reference is a pointer like any other in debug information, so the object's header tells."""

    def __init__(self):
        super().__init__('cairn')

    def __call__(self, value):
        kind = value.type.strip_typedefs()
        if kind.code != gdb.TYPE_CODE_PTR or kind.target().strip_typedefs().code == gdb.TYPE_CODE_FUNC:
            return None
        if value.is_optimized_out or not gdb.selected_inferior().pid:
            return None
        try:
            heap = cairn_objects.Heap(GdbProgram())
            text, found = cairn_objects.reference_text(heap, int(value), value.type.name == 'cairn_value')
        except (gdb.error, cairn_objects.Fault):
            return None
        return ReferencePrinter(text, found) if text else None


TypeCommand()
RootsCommand()
PathCommand()
gdb.printing.register_pretty_printer(None, ReferencePrinters(), replace=True)
# Stepping passes the stubs between managed and native code, and the runtime's slow paths.
gdb.execute('skip -rfu ^cairn_(call|enter|poll|alloc|new|resize|barrier)', to_string=True)

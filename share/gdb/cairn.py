# SPDX-License-Identifier: Apache-2.0
"""Shows managed objects of Cairn's programs in gdb, in live processes and in cores (docs/debugging.md).

Pretty printers for references, and the commands cairn-type, cairn-roots and cairn-path. The script reads the memory of
the program, never changes it and never calls its functions. include/cairn/abi.def and src/framemap/framemap_format.h
describe the formats.
"""
import struct
from collections import deque

import gdb
import gdb.printing

LAYOUT_MAGIC = 0x324E5243
HEADER_LAYOUT = 0x0000FFFFFFFFFFF8
HEADER_OTHER_BITS = 0xF400000000000007  # the state, and the unused bits
HEADER_STATE, HEADER_FORWARDED = 7, 1
LAYOUT_FLAGS, NO_REFERENCES = 31, 1
FLAG_NAMES = {2: 'weak fields', 4: 'finalisable', 8: 'never moves', 16: 'ephemeron'}
WEAK_OFFSET = 1
ROOT_THREAD_LOCAL = 1
HANDLE_SEAL = 0x68616E646C65
HANDLE_CELLS, HANDLE_BYTES = 127, 32
REGISTERS = 'rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15'.split()  # by DWARF's numbers
BASES = 'rsp', 'rbp', 'rbx'
MAX_SHOWN = 10  # elements of an array
MAX_INTERIOR_BYTES = 1 << 16
PAGE = 1 << 12


class Unreadable(Exception):
    """Memory of the program that cannot be read."""


class Memory:
    """Reads memory by pages, and keeps the pages; made anew for each command, because the program may run on."""

    def __init__(self):
        self.pages = {}

    def page(self, number):
        page = self.pages.get(number)
        if page is None:
            try:
                page = bytes(gdb.selected_inferior().read_memory(number * PAGE, PAGE))
            except (gdb.MemoryError, OverflowError):
                page = b''
            self.pages[number] = page
        return page

    def read(self, address, size):
        if address < PAGE or address + size > 1 << 64:
            raise Unreadable(f'cannot read {size} bytes at {address:#x}')
        parts, at, end = [], address, address + size
        while at < end:
            page = self.page(at // PAGE)
            part = page[at % PAGE:min(PAGE, at % PAGE + end - at)]
            if not part:
                raise Unreadable(f'cannot read {size} bytes at {address:#x}')
            parts.append(part)
            at += len(part)
        return b''.join(parts)

    def word(self, address):
        page, offset = self.pages.get(address // PAGE), address % PAGE
        if page and offset <= PAGE - 8:
            return int.from_bytes(page[offset:offset + 8], 'little')
        return int.from_bytes(self.read(address, 8), 'little')

    def text(self, address, limit=1 << 16):
        parts = []
        while limit > 0:
            part = self.page(address // PAGE)[address % PAGE:]
            if not part:
                raise Unreadable(f'cannot read a text at {address:#x}')
            end = part.find(b'\0')
            if end >= 0:
                return (b''.join(parts) + part[:end]).decode(errors='replace')
            parts.append(part)
            address, limit = address + len(part), limit - len(part)
        raise Unreadable('a text has no end')


def symbol_address(name):
    """The address of a symbol of the runtime, or None."""
    try:
        return int(gdb.parse_and_eval(f'(unsigned long)&{name}'))
    except gdb.error:
        return None


class Layout:
    """A struct cairn_layout."""

    def __init__(self, memory, address):
        head = memory.read(address, 48)
        (magic, self.base_refs, self.base_size, self.elem_size, self.elem_offset, self.flags, self.elem_refs,
         names) = struct.unpack('<IIQQIIIi', head[:40])
        if magic != LAYOUT_MAGIC or self.flags & ~LAYOUT_FLAGS:
            raise Unreadable(f'no layout at {address:#x}')
        self.address = address
        self.names = memory.text(address + names).split('\n') if names else []
        count = 0 if self.flags & NO_REFERENCES else self.base_refs + self.elem_refs
        offsets = struct.unpack(f'<{count}I', memory.read(address + 40, 4 * count)) if count else ()
        self.offsets, self.elem_offsets = offsets[:self.base_refs], offsets[self.base_refs:]

    def is_plain_array(self):
        return self.elem_size != 0 and self.base_size == 0 and self.elem_offset == 0

    def type_name(self):
        return self.names[0] if self.names else f'layout {self.address:#x}'

    def name(self):
        return self.type_name() + ('[]' if self.is_plain_array() else '')

    def field_name(self, offset):
        """The name of the field at an offset of the payload or, in a plain array, of an element; or None."""
        for line in self.names[1:]:
            place, _, name = line.partition(' ')
            first, *arrays = place.split('*')
            rest, indices = offset - int(first), []
            for array in arrays:
                count, stride = map(int, array.split('/'))
                if rest < 0 or (count and rest // stride >= count):
                    rest = -1
                    break
                indices.append(rest // stride)
                rest %= stride
            if rest == 0:
                for index in indices:
                    name = name.replace('[]', f'[{index}]', 1)
                return name
        return None

    def place_name(self, offset):
        """The name of the place at an offset of the payload, within the type."""
        index, within = '', offset
        if self.is_plain_array():
            index, within = f'[{offset // self.elem_size}]', offset % self.elem_size
        field = self.field_name(within)
        if field is not None:
            return f'{index}.{field}' if index and field[0] != '[' else index + field
        return index if index and within == 0 else f'{index} at offset {within}'.lstrip()


class Object:
    """An object: its address, layout and number of elements."""

    def __init__(self, address, layout, count):
        self.address, self.layout, self.count = address, layout, count
        self.size = layout.elem_offset + count * layout.elem_size if layout.elem_size else layout.base_size
        self.size = max(self.size, layout.base_size)

    def describe(self):
        layout = self.layout
        if layout.is_plain_array():
            return f'{layout.name()} of {self.count}'
        if layout.elem_size:
            return f'{layout.name()}, {self.size} bytes, {self.count} elements'
        return f'{layout.name()}, {self.size} bytes'

    def fields(self):
        """The offset of each reference, and whether it is weak."""
        for offset in self.layout.offsets:
            yield offset & ~WEAK_OFFSET, bool(offset & WEAK_OFFSET)
        for index in range(self.count if self.layout.elem_offsets else 0):
            start = self.layout.elem_offset + index * self.layout.elem_size
            for offset in self.layout.elem_offsets:
                yield start + (offset & ~WEAK_OFFSET), bool(offset & WEAK_OFFSET)


class Heap:
    """The objects of the program as it stands now."""

    def __init__(self):
        self.memory = Memory()
        self.layouts = {}
        words = symbol_address('cairn_words')
        self.mask, self.tag = struct.unpack('<QQ', self.memory.read(words, 16)) if words else (0, 0)

    def layout(self, address):
        if address not in self.layouts:
            try:
                self.layouts[address] = Layout(self.memory, address) if address else None
            except (Unreadable, ValueError):
                self.layouts[address] = None
        return self.layouts[address]

    def object(self, address):
        """The object whose payload begins at the address, or None. The object may be garbage."""
        if address % 8 or address < PAGE:
            return None
        try:
            header = self.memory.word(address - 8)
            layout = None if header & HEADER_OTHER_BITS else self.layout(header & HEADER_LAYOUT)
            if layout is None:
                return None
            count = self.memory.word(address - 16) if layout.elem_size else 1
        except Unreadable:
            return None
        return Object(address, layout, count >> 1) if count & 1 else None

    def around(self, address):
        """The object that has the address inside or at its end, or None."""
        at = address & ~7
        while address - at < MAX_INTERIOR_BYTES:
            found = self.object(at)
            if found:
                return found if address <= at + found.size else None
            at -= 8
        return None

    def target(self, word):
        """The address that a word refers to, or 0 for null and immediates."""
        address = (word - self.tag) & 0xFFFFFFFFFFFFFFFF
        return 0 if self.mask and address & self.mask or word == 0 else address

    def moved_to(self, address):
        """The new address of an object that a collection has moved, if the old place still has its header."""
        try:
            header = self.memory.word(address - 8) if address % 8 == 0 else 0
        except Unreadable:
            return None
        return header & HEADER_LAYOUT if header & HEADER_STATE == HEADER_FORWARDED else None


# ---- roots ----


def sections(name):
    """The loaded sections of this name, of the program and its libraries."""
    for line in gdb.execute('info files', to_string=True).splitlines():
        words = line.split()
        if len(words) >= 5 and words[1] == '-' and words[3] == 'is' and words[4] == name:
            yield int(words[0], 16), int(words[2], 16)


class Cursor:
    """Reads numbers of a frame map."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def uleb(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value


def zigzag(value):
    return -(value >> 1) - 1 if value & 1 else value >> 1


class Frames:
    """The frame maps of all loaded files, by return address."""

    def __init__(self, memory):
        self.safepoints, self.functions = {}, []
        for start, end in sections('cairn_frames'):
            self.add_section(start, memory.read(start, end - start))
        self.functions.sort()

    def add_section(self, start, data):
        at = 0
        while at + 16 <= len(data):
            length, distance, code_size, packed = struct.unpack_from('<IiII', data, at)
            if length == 0:
                at += 4
                continue
            if length < 16 or length % 4 or at + length > len(data):
                raise gdb.GdbError(f'malformed frame map at {start + at:#x}')
            entry = start + at + 4 + distance
            self.functions.append((entry, entry + code_size))
            count, a, b = packed & ((1 << 27) - 1), 1 << (packed >> 28 & 3), 1 << (packed >> 30)
            offsets, descriptors = at + 16 + count * a, at + 16 + count * (a + b)
            for i in range(count):
                back = int.from_bytes(data[at + 16 + i * a:at + 16 + (i + 1) * a], 'little')
                place = int.from_bytes(data[offsets + i * b:offsets + (i + 1) * b], 'little')
                self.safepoints[entry + back] = data, descriptors + place
            at += length

    def has_code(self, pc):
        return any(start <= pc < end for start, end in self.functions)

    @staticmethod
    def place(value):
        """A register's name and None, or a base and an offset."""
        if not value & 1:
            return 'rsp', 8 * (value >> 1)
        if not value >> 5 & 1:
            return REGISTERS[value >> 1 & 15], None
        return BASES[1 + (value >> 1 & 1)], 8 * zigzag(value >> 6)

    def roots(self, pc):
        """The places of base references at a return address, and the described areas: base, offset, count, stride,
        tag."""
        cursor = Cursor(*self.safepoints[pc])
        head = cursor.byte()
        count = head >> 5
        if count == 7:
            count += cursor.uleb()
        cursor.uleb()
        saved = cursor.byte()
        if not saved & 0x80:
            for _ in range(bin(saved).count('1')):
                cursor.uleb()
        if head >> 3 & 3 == 3:
            cursor.at += 8
        places, areas = [], []
        for _ in range(count):
            value = cursor.uleb()
            places.append(self.place(value >> 1))
            if value & 1:
                cursor.uleb()
        for _ in range(cursor.uleb() + 1 if head & 4 else 0):
            value, tag = cursor.uleb(), 0
            offset = zigzag(value >> 2)
            if value & 3 == 3:
                value = cursor.uleb()
                tag = value >> 2
                cursor.uleb()
            areas.append((BASES[value & 3], offset, cursor.uleb(), cursor.uleb(), tag))
        return places, areas


class Roots:
    """Finds the roots: pairs of a place and a word. `missing` has a line for each root that cannot be found."""

    def __init__(self, heap):
        self.heap, self.missing = heap, []
        self.frames = Frames(heap.memory)

    def all(self):
        yield from self.stack_roots()
        yield from self.global_roots()
        yield from self.handle_roots()
        self.missing.append('coroutines that do not run, thread-locals, and code made while the program runs')

    def read_word(self, address, place):
        try:
            return self.heap.memory.word(address)
        except Unreadable:
            self.missing.append(f'{place}: no memory at {address:#x}')
            return 0

    # ---- stacks ----

    def stack_roots(self):
        before = gdb.selected_thread()
        chosen = gdb.selected_frame() if before else None
        try:
            for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
                thread.switch()
                yield from self.thread_roots(thread)
        finally:
            if before:
                before.switch()
                chosen.select()

    def thread_roots(self, thread):
        frame, newer = gdb.newest_frame(), None
        while frame is not None and frame.is_valid():
            place = f'thread {thread.num}, frame {frame.level()} {frame.name() or "?"}'
            pc = frame.pc()
            called = newer is not None and newer.type() != gdb.SIGTRAMP_FRAME
            if called and pc in self.frames.safepoints:
                yield from self.mapped_roots(frame, place)
            elif self.frames.has_code(pc):
                yield from self.guessed_roots(frame, place)
            try:
                newer, frame = frame, frame.older()
            except gdb.error as error:
                self.missing.append(f'{place}: the stack ends here: {error}')
                return

    def register(self, frame, name, place):
        try:
            return int(frame.read_register(name).cast(gdb.lookup_type('unsigned long')))
        except (gdb.error, ValueError):
            self.missing.append(f'{place}: register {name} is unknown')
            return None

    def mapped_roots(self, frame, place):
        places, areas = self.frames.roots(frame.pc())
        for register, offset in places:
            value = self.register(frame, register, place)
            if value is None:
                continue
            if offset is None:
                yield f'{place}, {register}', value
            else:
                yield f'{place}, {register}{offset:+}', self.read_word(value + offset, place)
        for register, offset, count, stride, tag in areas:
            value = self.register(frame, register, place)
            if tag:
                self.missing.append(f'{place}: a root of the language, with tag {tag}')
                continue
            for i in range(count if value is not None else 0):
                at = offset + i * stride
                yield f'{place}, {register}{at:+}', self.read_word(value + at, place)

    def guessed_roots(self, frame, place):
        """An interrupted frame has no map: takes every word that refers to the start of an object."""
        guesses = [(name, self.register(frame, name, place)) for name in REGISTERS if name != 'rsp']
        sp = self.register(frame, 'rsp', place)
        older = frame.older()
        end = self.register(older, 'rsp', place) if older is not None else None
        for at in range(sp, min(end, sp + (1 << 20)), 8) if sp and end else ():
            try:
                guesses.append((f'rsp{at - sp:+}', self.heap.memory.word(at)))
            except Unreadable:
                break
        for name, word in guesses:
            if word and self.heap.object(self.heap.target(word)):
                yield f'{place}, {name} (a guess: the frame is between safepoints)', word

    # ---- tables ----

    def global_roots(self):
        for start, end in sections('cairn_roots'):
            for at in range(start, end - 15, 16):
                address, layout = struct.unpack('<QQ', self.heap.memory.read(at, 16))
                if not address or address & ROOT_THREAD_LOCAL:
                    continue
                layout = self.heap.layout(layout)
                name = gdb.execute(f'info symbol {address}', to_string=True).split(' ')[0]
                name = 'global ' + (name if name != 'No' else f'{address:#x}')
                for offset, weak in Object(address, layout, 0).fields() if layout else ():
                    if not weak:
                        field = f'.{layout.place_name(offset)}' if offset or layout.base_size > 8 else ''
                        yield name + field, self.read_word(address + offset, name)

    def handle_roots(self):
        chunk = symbol_address('handle_chunks')
        if chunk is None:
            self.missing.append('handles: the program has no symbol handle_chunks')
            return
        chunk = self.read_word(chunk, 'handles')
        while chunk:
            for cell in range(chunk + 8, chunk + 8 + HANDLE_CELLS * HANDLE_BYTES, HANDLE_BYTES):
                if self.read_word(cell + 8, 'handles') == cell ^ HANDLE_SEAL:
                    yield f'handle {cell:#x}', self.read_word(cell, 'handles')
            chunk = self.read_word(chunk, 'handles')


# ---- commands ----


def address_of(argument, heap):
    """The address that an expression of the user names."""
    if not argument:
        raise gdb.GdbError('expected an address')
    value = gdb.parse_and_eval(argument)
    word = int(value.cast(gdb.lookup_type('unsigned long')))
    return heap.target(word) or word


def find_object(argument, heap):
    address = address_of(argument, heap)
    found = heap.around(address)
    if found is None:
        moved = heap.moved_to(address)
        raise gdb.GdbError(f'no object at {address:#x}' + (f': it was moved to {moved:#x}' if moved else ''))
    return address, found


def format_reference(heap, word):
    target = heap.target(word)
    if word == 0:
        return 'null'
    if target == 0:
        return f'{word:#x} (immediate)'
    found = heap.object(target)
    return f'{target:#x} <{found.describe()}>' if found else f'{target:#x} (no object)'


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


class TypeCommand(gdb.Command):
    """Print the managed object at an address: its type, its size and its fields.
Usage: cairn-type ADDRESS
The address may be any expression, and may lie inside the object."""

    def __init__(self):
        super().__init__('cairn-type', gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        heap = Heap()
        address, found = find_object(argument, heap)
        flags = ''.join(f', {name}' for bit, name in FLAG_NAMES.items() if found.layout.flags & bit)
        print(f'{found.address:#x} {found.describe()}{flags}' +
              (f' ({address:#x} is {address - found.address} bytes inside)' if address != found.address else ''))
        for index, (offset, weak) in enumerate(found.fields()):
            if index == 200:
                print('  ...')
                break
            word = heap.memory.word(found.address + offset)
            print(f'  {found.layout.place_name(offset)}{" (weak)" if weak else ""} = {format_reference(heap, word)}')
        value = payload_value(found) if found.size else None
        if value is not None:
            print('  by debug information: ' + value.format_string(max_elements=MAX_SHOWN))


class RootsCommand(gdb.Command):
    """Print the roots of managed objects: of all stacks by their frame maps, of globals and of handles.
Usage: cairn-roots
The last lines name the roots that gdb cannot find."""

    def __init__(self):
        super().__init__('cairn-roots', gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        heap = Heap()
        roots = Roots(heap)
        for place, word in roots.all():
            if heap.target(word):
                target = heap.around(heap.target(word))
                print(f'{place}: {format_reference(heap, word) if target is None else describe(heap, word, target)}')
        for line in roots.missing:
            print(f'missing: {line}')


def describe(heap, word, found):
    inside = heap.target(word) - found.address
    return f'{found.address:#x} <{found.describe()}>' + (f' {inside:+}' if inside else '')


class PathCommand(gdb.Command):
    """Print a shortest path of references from a root to the managed object at an address.
Usage: cairn-path ADDRESS
Weak references are no part of a path. A path from a guess may be of an object that is garbage."""

    def __init__(self):
        super().__init__('cairn-path', gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        heap = Heap()
        _, wanted = find_object(argument, heap)
        roots = Roots(heap)
        steps = self.search(heap, roots, wanted.address)
        if steps is None:
            print(f'no path to {wanted.address:#x} <{wanted.describe()}>: it is garbage, or its root is missing')
            for line in roots.missing:
                print(f'missing: {line}')
            return
        for place, found in steps:
            print(f'{place} -> {found.address:#x} <{found.describe()}>')

    @staticmethod
    def search(heap, roots, wanted):
        """Breadth first, over the objects that the roots reach. The steps, or None."""
        from_where, queue = {}, deque()

        def reach(word, origin, place):
            target = heap.target(word)
            if not target or target in from_where:
                return
            found = heap.object(target) or (heap.around(target) if origin is None else None)
            if found and found.address not in from_where:
                from_where[found.address] = origin, place
                queue.append(found)

        for place, word in roots.all():
            reach(word, None, place)
        while queue and wanted not in from_where:
            found = queue.popleft()
            for offset, weak in found.fields():
                if not weak:
                    reach(heap.memory.word(found.address + offset), found, offset)
        return PathCommand.steps(heap, from_where, wanted) if wanted in from_where else None

    @staticmethod
    def steps(heap, from_where, wanted):
        steps, at = [], wanted
        while at is not None:
            origin, place = from_where[at]
            name = place if origin is None else f'{origin.layout.type_name()} {origin.layout.place_name(place)}'
            steps.append((name, heap.object(at)))
            at = origin.address if origin else None
        return reversed(steps)


# ---- pretty printers ----


class ReferencePrinter:
    """Prints a pointer to the start of an object with the object's type; of an array, also its first elements."""

    def __init__(self, value, found):
        self.value, self.found = value, found

    def to_string(self):
        text = f'{self.found.address:#x} <{self.found.describe()}>'
        if not self.found.layout.is_plain_array() or not self.found.count:
            return text
        elements = payload_value(self.found)
        shown = elements.format_string(max_elements=MAX_SHOWN, raw=True) if elements is not None else None
        return f'{text} {shown}' if shown else text


class WordPrinter:
    """Prints a word that is an immediate."""

    def __init__(self, value, word):
        self.value, self.word = value, word

    def to_string(self):
        return f'{self.word:#x} <immediate>'


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
            heap, word = Heap(), int(value)
        except (gdb.error, Unreadable):
            return None
        if word and not heap.target(word) and value.type.name == 'cairn_value':
            return WordPrinter(value, word)
        found = heap.object(heap.target(word))
        return ReferencePrinter(value, found) if found else None


TypeCommand()
RootsCommand()
PathCommand()
gdb.printing.register_pretty_printer(None, ReferencePrinters(), replace=True)
# Stepping passes the stubs between managed and native code, and the runtime's slow paths.
gdb.execute('skip -rfu ^cairn_(call|enter|poll|alloc|new|resize|barrier)', to_string=True)

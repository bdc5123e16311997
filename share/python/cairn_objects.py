# SPDX-License-Identifier: Apache-2.0
"""Reads managed objects, roots and frame maps of Cairn's programs from a debugger: the part of the scripts for gdb and
lldb that both share (docs/debugging.md).

A script gives a Program, which reads the memory, registers and symbols of the stopped program. Nothing here changes the
program or calls its functions. include/cairn/abi.def and src/framemap/framemap_format.h describe the formats.
"""
import struct
from collections import deque, namedtuple

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
MAX_SHOWN = 10  # elements of an array
MAX_INTERIOR_BYTES = 1 << 16
PAGE = 1 << 12
SAVED_AS_SHAPE, SAVED_HAS_LANDING, SAVED_MASK = 0x80, 0x40, 0x3F

# The registers of a machine: their names by DWARF's numbers, the bases of addresses (the stack pointer first), the bits
# by which numbers in frame maps differ, and whether calls leave the return address in a register.
Machine = namedtuple('Machine', 'registers bases flip has_link')
MACHINES = {
    'x86-64': Machine('rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15'.split(), ('rsp', 'rbp', 'rbx'),
                      0, False),
    'aarch64': Machine([f'x{n}' for n in range(31)], ('sp', 'x29', 'x19'), 16, True),
}


class Fault(Exception):
    """A command cannot do its work. The text has the reason."""


class Unreadable(Fault):
    """Memory of the program cannot be read."""


class Program:
    """The stopped program, as a debugger shows it. Each script has a class with these methods."""

    def has_memory(self):
        """True for a process or a core; False for a program that has not been started."""
        raise NotImplementedError

    def read_page(self, address, size):
        """The bytes at the address, or b'' if they cannot be read."""
        raise NotImplementedError

    def symbol_address(self, name):
        """The address of a symbol, or None."""
        raise NotImplementedError

    def symbol_at(self, address):
        """The name of the symbol at the address, or None."""
        raise NotImplementedError

    def sections(self, name):
        """Pairs of start and end: the loaded sections of this name, of the program and its libraries."""
        raise NotImplementedError

    def machine(self):
        """One of MACHINES."""
        raise NotImplementedError

    def stacks(self):
        """For each thread, its number and an iterator of its frames, the youngest first."""
        raise NotImplementedError

    def evaluate(self, expression):
        """The value of an expression of the user as a word of 64 bits. Fault: it has none."""
        raise NotImplementedError

    def payload_text(self, found):
        """The fields of an object in one line, by the debug information of its type, or None."""
        raise NotImplementedError


class Frame:
    """A frame of a stack: `called` is true if the frame waits for a call, `end` its caller's stack pointer or None.
    `register` gives the value of a register by its name, or None."""

    def __init__(self, level, name, pc, called, register, end):
        self.level, self.name, self.pc, self.called = level, name, pc, called
        self.register, self.end = register, end


class Memory:
    """Reads memory by pages, and keeps the pages; made anew for each command, because the program may run on."""

    def __init__(self, program):
        self.program, self.pages = program, {}

    def page(self, number):
        page = self.pages.get(number)
        if page is None:
            page = self.pages[number] = self.program.read_page(number * PAGE, PAGE)
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

    def __init__(self, program):
        if not program.has_memory():
            raise Fault('the program is not running, and there is no core')
        self.program, self.memory, self.layouts = program, Memory(program), {}
        words = program.symbol_address('cairn_words')
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

    def __init__(self, program, memory):
        self.safepoints, self.functions, self.machine = {}, [], program.machine()
        for start, end in program.sections('cairn_frames'):
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
                raise Fault(f'malformed frame map at {start + at:#x}')
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

    def place(self, value):
        """A register's name and None, or a base and an offset."""
        if not value & 1:
            return self.machine.bases[0], 8 * (value >> 1)
        if not value >> 5 & 1:
            return self.machine.registers[(value >> 1 & 15 | value >> 2 & 16) ^ self.machine.flip], None
        return self.machine.bases[1 + (value >> 1 & 1)], 8 * zigzag(value >> 6)

    def skip_saved(self, cursor, has_statepoint_id):
        """Passes the saved registers, the statepoint's id and the landing of a descriptor."""
        saved = cursor.byte()
        if not saved & SAVED_AS_SHAPE:
            registers = saved & SAVED_MASK
            if self.machine.has_link:
                registers = cursor.uleb()
                cursor.uleb()
            for _ in range(bin(registers).count('1')):
                cursor.uleb()
        if has_statepoint_id:
            cursor.at += 8
        if saved & SAVED_HAS_LANDING and cursor.uleb() and cursor.uleb() & 1:
            cursor.uleb()

    def roots(self, pc):
        """The places of base references at a return address, and the described areas: base, offset, count, stride,
        tag."""
        cursor = Cursor(*self.safepoints[pc])
        head = cursor.byte()
        count = head >> 5
        if count == 7:
            count += cursor.uleb()
        cursor.uleb()
        self.skip_saved(cursor, head >> 3 & 3 == 3)
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
            areas.append((self.machine.bases[value & 3], offset, cursor.uleb(), cursor.uleb(), tag))
        return places, areas


class Roots:
    """Finds the roots: pairs of a place and a word. `missing` has a line for each root that cannot be found."""

    def __init__(self, heap):
        self.heap, self.missing = heap, []
        self.frames = Frames(heap.program, heap.memory)

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
        for number, frames in self.heap.program.stacks():
            place = f'thread {number}'
            try:
                for frame in frames:
                    place = f'thread {number}, frame {frame.level} {frame.name or "?"}'
                    if frame.called and frame.pc in self.frames.safepoints:
                        yield from self.mapped_roots(frame, place)
                    elif self.frames.has_code(frame.pc):
                        yield from self.guessed_roots(frame, place)
            except Fault as fault:
                self.missing.append(f'{place}: the stack ends here: {fault}')

    def register(self, frame, name, place):
        value = frame.register(name)
        if value is None:
            self.missing.append(f'{place}: register {name} is unknown')
        return value

    def mapped_roots(self, frame, place):
        places, areas = self.frames.roots(frame.pc)
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
        machine = self.frames.machine
        names, base = [name for name in machine.registers if name != machine.bases[0]], machine.bases[0]
        guesses = [(name, self.register(frame, name, place)) for name in names]
        sp, end = self.register(frame, base, place), frame.end
        for at in range(sp, min(end, sp + (1 << 20)), 8) if sp and end else ():
            try:
                guesses.append((f'{base}{at - sp:+}', self.heap.memory.word(at)))
            except Unreadable:
                break
        for name, word in guesses:
            if word and self.heap.object(self.heap.target(word)):
                yield f'{place}, {name} (a guess: the frame is between safepoints)', word

    # ---- tables ----

    def global_roots(self):
        for start, end in self.heap.program.sections('cairn_roots'):
            for at in range(start, end - 15, 16):
                address, layout = struct.unpack('<QQ', self.heap.memory.read(at, 16))
                if not address or address & ROOT_THREAD_LOCAL:
                    continue
                layout = self.heap.layout(layout)
                name = f'global {self.heap.program.symbol_at(address) or hex(address)}'
                for offset, weak in Object(address, layout, 0).fields() if layout else ():
                    if not weak:
                        field = f'.{layout.place_name(offset)}' if offset or layout.base_size > 8 else ''
                        yield name + field, self.read_word(address + offset, name)

    def handle_roots(self):
        chunk = self.heap.program.symbol_address('handle_chunks')
        if chunk is None:
            self.missing.append('handles: the program has no symbol handle_chunks')
            return
        chunk = self.read_word(chunk, 'handles')
        while chunk:
            for cell in range(chunk + 8, chunk + 8 + HANDLE_CELLS * HANDLE_BYTES, HANDLE_BYTES):
                if self.read_word(cell + 8, 'handles') == cell ^ HANDLE_SEAL:
                    yield f'handle {cell:#x}', self.read_word(cell, 'handles')
            chunk = self.read_word(chunk, 'handles')


# ---- commands: each gives lines of text ----


def find_object(program, heap, expression):
    """The address that an expression of the user names, and the object there."""
    word = program.evaluate(expression)
    address = heap.target(word) or word
    found = heap.around(address)
    if found is None:
        moved = heap.moved_to(address)
        raise Fault(f'no object at {address:#x}' + (f': it was moved to {moved:#x}' if moved else ''))
    return address, found


def format_reference(heap, word):
    target = heap.target(word)
    if word == 0:
        return 'null'
    if target == 0:
        return f'{word:#x} (immediate)'
    found = heap.object(target)
    return f'{target:#x} <{found.describe()}>' if found else f'{target:#x} (no object)'


def describe(heap, word, found):
    inside = heap.target(word) - found.address
    return f'{found.address:#x} <{found.describe()}>' + (f' {inside:+}' if inside else '')


def type_lines(program, expression):
    """The object at an address: its type, its size and its fields."""
    heap = Heap(program)
    address, found = find_object(program, heap, expression)
    flags = ''.join(f', {name}' for bit, name in FLAG_NAMES.items() if found.layout.flags & bit)
    yield (f'{found.address:#x} {found.describe()}{flags}' +
           (f' ({address:#x} is {address - found.address} bytes inside)' if address != found.address else ''))
    for index, (offset, weak) in enumerate(found.fields()):
        if index == 200:
            yield '  ...'
            break
        word = heap.memory.word(found.address + offset)
        yield f'  {found.layout.place_name(offset)}{" (weak)" if weak else ""} = {format_reference(heap, word)}'
    text = program.payload_text(found) if found.size else None
    if text is not None:
        yield '  by debug information: ' + text


def root_lines(program):
    """The roots, and the roots that are missing."""
    heap = Heap(program)
    roots = Roots(heap)
    for place, word in roots.all():
        if heap.target(word):
            target = heap.around(heap.target(word))
            yield f'{place}: {format_reference(heap, word) if target is None else describe(heap, word, target)}'
    for line in roots.missing:
        yield f'missing: {line}'


def path_lines(program, expression):
    """A shortest path of references from a root to an object."""
    heap = Heap(program)
    _, wanted = find_object(program, heap, expression)
    roots = Roots(heap)
    steps = search_path(heap, roots, wanted.address)
    if steps is None:
        yield f'no path to {wanted.address:#x} <{wanted.describe()}>: it is garbage, or its root is missing'
        for line in roots.missing:
            yield f'missing: {line}'
        return
    for place, found in steps:
        yield f'{place} -> {found.address:#x} <{found.describe()}>'


def search_path(heap, roots, wanted):
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
    return path_steps(heap, from_where, wanted) if wanted in from_where else None


def path_steps(heap, from_where, wanted):
    steps, at = [], wanted
    while at is not None:
        origin, place = from_where[at]
        name = place if origin is None else f'{origin.layout.type_name()} {origin.layout.place_name(place)}'
        steps.append((name, heap.object(at)))
        at = origin.address if origin else None
    return reversed(steps)


# ---- references as values ----


def reference_text(heap, word, is_word):
    """The text for a pointer with the value `word`: None if it points to no object. `is_word`: its type is
    cairn_value, so that it may be an immediate. The second result is the object, or None."""
    target = heap.target(word)
    if word and not target and is_word:
        return f'{word:#x} <immediate>', None
    found = heap.object(target)
    return (f'{target:#x} <{found.describe()}>', found) if found else (None, None)

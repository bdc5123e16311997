# SPDX-License-Identifier: Apache-2.0
"""Shows managed objects of Cairn's programs in lldb, in live processes and in cores (docs/debugging.md).

Summaries of references, and the commands cairn-type, cairn-roots and cairn-path: `command script import` loads them.
The script reads the memory of the program, never changes it and never calls its functions. cairn_objects.py reads the
objects.
"""
import os
import sys

import lldb

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'python'))
writes_no_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the package owns each file of its folder
import cairn_objects  # noqa: E402

sys.dont_write_bytecode = writes_no_bytecode

MAX_PADDING = 64  # bytes between two sections
TRAMPOLINES = '__restore_rt', '__restore'  # the frames that call signal handlers


class LldbProgram(cairn_objects.Program):
    def __init__(self, target):
        self.target, self.process = target, target.GetProcess()

    def has_memory(self):
        return self.process.IsValid() and self.process.GetNumThreads() != 0

    def read_page(self, address, size):
        error = lldb.SBError()
        data = self.process.ReadMemory(address, size, error)
        return data if error.Success() and data else self.read_files(address, size)

    def read_files(self, address, size):
        """The bytes from the program's files: a core leaves out pages of files. lldb reads up to the end of a section, and
        bytes between sections are 0."""
        error, data, end = lldb.SBError(), b'', 0
        while len(data) < size:
            part = self.target.ReadMemory(self.target.ResolveLoadAddress(address + len(data)), size - len(data), error)
            data += part or b'\0'
            end = len(data) if part else end
            if len(data) - end > MAX_PADDING:
                break
        return data[:end]

    def symbol_address(self, name):
        for context in self.target.FindSymbols(name):
            address = context.GetSymbol().GetStartAddress().GetLoadAddress(self.target)
            if address != lldb.LLDB_INVALID_ADDRESS:
                return address
        return None

    def symbol_at(self, address):
        return self.target.ResolveLoadAddress(address).GetSymbol().GetName()

    def sections(self, name):
        for module in self.target.module_iter():
            section = module.FindSection(name)
            start = section.GetLoadAddress(self.target) if section.IsValid() else lldb.LLDB_INVALID_ADDRESS
            if start != lldb.LLDB_INVALID_ADDRESS:
                yield start, start + section.GetByteSize()

    def machine(self):
        return cairn_objects.MACHINES['aarch64' if self.target.GetTriple().startswith('aarch64') else 'x86-64']

    def stacks(self):
        for thread in self.process:
            yield thread.GetIndexID(), self.frames(thread)

    @staticmethod
    def frames(thread):
        newer = None
        for frame in thread:
            if frame.IsInlined():
                continue
            called = newer is not None and newer.GetFunctionName() not in TRAMPOLINES
            older = thread.GetFrameAtIndex(frame.GetFrameID() + 1)
            end = older.GetSP() if older.IsValid() else None
            yield cairn_objects.Frame(frame.GetFrameID(), frame.GetFunctionName(), frame.GetPC(), called,
                                      lambda name, frame=frame: read_register(frame, name), end)
            newer = frame

    def evaluate(self, expression):
        frame = self.process.GetSelectedThread().GetSelectedFrame()
        value = frame.EvaluateExpression(expression) if frame.IsValid() else self.target.EvaluateExpression(expression)
        if not value.IsValid() or value.GetError().Fail():
            raise cairn_objects.Fault(f"'{expression}' has no value: {value.GetError().GetCString()}")
        return value.GetValueAsUnsigned()

    def payload_text(self, found):
        value = payload_value(self.target, found)
        return format_value(value) if value is not None else None


def read_register(frame, name):
    value = frame.FindRegister(name)
    return value.GetValueAsUnsigned() if value.IsValid() and value.GetError().Success() and value.GetValue() else None


def find_type(target, name):
    """The type of this name in debug information, or None. Structures have no word `struct` there."""
    words = name.replace(' managed', '').split()
    pointers = sum(word.count('*') for word in words)
    plain = ' '.join(word for word in words if word not in ('struct', 'union', 'enum')).replace('*', '').strip()
    kind = target.FindFirstType(plain)
    if not kind.IsValid():
        kind = target.GetBasicType(target.FindFirstType(plain).GetBasicType())
    for _ in range(pointers):
        kind = kind.GetPointerType()
    return kind if kind.IsValid() and kind.GetByteSize() else None


def payload_value(target, found):
    """The payload by the debug information of its type, or None."""
    kind = find_type(target, found.layout.type_name())
    if kind is None:
        return None
    if found.layout.is_plain_array():
        kind = kind.GetArrayType(max(min(found.count, cairn_objects.MAX_SHOWN), 1))
    value = target.CreateValueFromAddress('payload', lldb.SBAddress(found.address, target), kind)
    return value if value.IsValid() and value.GetError().Success() else None


def format_value(value):
    """The value in one line."""
    count = value.GetNumChildren()
    if value.GetType().GetCanonicalType().IsPointerType():
        return f"{value.GetValueAsUnsigned():#x} {value.GetSummary() or ''}".rstrip()
    if not count:
        return value.GetSummary() or value.GetValue() or '?'
    if value.GetType().IsArrayType() and value.GetSummary():
        return value.GetSummary()
    parts = []
    for index in range(min(count, 200)):
        child = value.GetChildAtIndex(index)
        name = child.GetName()
        parts.append(format_value(child) if not name or name[0] == '[' else f'{name} = {format_value(child)}')
    return '{' + ', '.join(parts) + '}'


# ---- commands ----


class Command:
    """A command of lldb that prints the lines of `make_lines`."""

    help, takes_address, make_lines = '', True, None

    def __init__(self, debugger, internal_dict):
        pass

    def __call__(self, debugger, argument, context, result):
        target = context.GetTarget() or debugger.GetSelectedTarget()
        if self.takes_address and not argument.strip():
            result.SetError('expected an address')
            return
        arguments = (argument,) if self.takes_address else ()
        try:
            for line in type(self).make_lines(LldbProgram(target), *arguments):
                result.AppendMessage(line)
        except cairn_objects.Fault as fault:
            result.SetError(str(fault))

    def get_short_help(self):
        return self.help


class TypeCommand(Command):
    help = 'Print the managed object at an address: its type, its size and its fields.'
    make_lines = cairn_objects.type_lines


class RootsCommand(Command):
    help = 'Print the roots of managed objects: of all stacks by their frame maps, of globals and of handles.'
    takes_address, make_lines = False, cairn_objects.root_lines


class PathCommand(Command):
    help = 'Print a shortest path of references from a root to the managed object at an address.'
    make_lines = cairn_objects.path_lines


# ---- summaries ----


def summarise_pointer(value, internal_dict):
    """The summary of a pointer: the object's type if it points to the start of an object; of an array, also its first
    elements. The object's header tells, because a reference is a pointer like any other in debug information."""
    target = value.GetTarget()
    if not value.GetProcess().IsValid() or value.GetError().Fail():
        return ''
    try:
        heap = cairn_objects.Heap(LldbProgram(target))
        is_word = value.GetType().GetName() == 'cairn_value'
        text, found = cairn_objects.reference_text(heap, value.GetValueAsUnsigned(), is_word)
    except cairn_objects.Fault:
        return ''
    if text is None:
        return summarise_native(value, heap)
    text = text.split(' ', 1)[1]  # lldb has printed the word
    has_elements = found and found.layout.is_plain_array() and found.count
    elements = payload_value(target, found) if has_elements else None
    return f'{text} {format_value(elements)}' if elements is not None else text


def summarise_native(value, heap):
    """The text of a native `char *`, as lldb shows it without this script."""
    kind = value.GetType().GetCanonicalType().GetPointeeType()
    if kind.GetUnqualifiedType().GetBasicType() not in (lldb.eBasicTypeChar, lldb.eBasicTypeSignedChar):
        return ''
    try:
        text = heap.memory.text(value.GetValueAsUnsigned(), 4096)
    except cairn_objects.Fault:
        return ''
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


def __lldb_init_module(debugger, internal_dict):
    for name, command in ('type', TypeCommand), ('roots', RootsCommand), ('path', PathCommand):
        debugger.HandleCommand(f'command script add -o -c {__name__}.{command.__name__} cairn-{name}')
    debugger.HandleCommand(f'type summary add -w cairn -e -F {__name__}.summarise_pointer -x "^[^(]*[*]( const)?$"')
    debugger.HandleCommand(f'type summary add -w cairn -F {__name__}.summarise_pointer cairn_value')
    debugger.HandleCommand('type category enable cairn')

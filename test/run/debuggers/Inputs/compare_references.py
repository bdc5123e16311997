# For gdb: at show() and show_number(), compares a variable of the caller with the value that the program gives. At
# here(), reads through all references of all frames: the memory that the objects left is unmapped. Prints what differs,
# and how many variables were compared and how many gdb has lost.
import gdb

MAGIC = 0x5ca1ab1e
gdb.execute('set pagination off')
gdb.execute('set breakpoint pending on')
gdb.execute('set environment CAIRN_STRESS 1')
for stop in 'show', 'show_number', 'here':
    gdb.Breakpoint(stop)
count = {'compared': 0, 'lost': 0, 'wrong': 0, 'outer': 0, 'outer lost': 0}


def is_cell(kind):
    kind = kind.strip_typedefs()
    return kind.code == gdb.TYPE_CODE_PTR and kind.target().strip_typedefs().name == 'cell'


def compare(frame):
    name = frame.read_register('rdi').cast(gdb.lookup_type('char').pointer()).string()
    value = int(frame.read_register('rsi'))
    caller = frame.older()
    caller.select()
    count['compared'] += 1
    try:
        seen = gdb.parse_and_eval(name)
        lost = seen.is_optimized_out
    except gdb.error:
        lost = True
    if lost:
        count['lost'] += 1
        print('lost:', caller.name(), caller.find_sal().line, name)
    elif int(seen) != value:
        count['wrong'] += 1
        print(f'{caller.name()}:{caller.find_sal().line}: {name} is {value:#x}, gdb says {int(seen):#x}')


def symbols_of(frame):
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block and not block.is_global and not block.is_static:
        yield from (s for s in block if s.is_variable or s.is_argument)
        if block.function:
            return
        block = block.superblock


def look(frame):
    frame = frame.older()
    while frame:
        frame.select()
        for symbol in symbols_of(frame):
            if symbol.symtab.filename.endswith('references.c') and symbol.needs_frame and is_cell(symbol.type):
                count['outer'] += 1
                value = symbol.value(frame)
                if value.is_optimized_out:
                    count['outer lost'] += 1
                elif int(value):
                    try:
                        good = int(value['magic']) == MAGIC
                    except gdb.MemoryError:
                        good = False
                    if not good:
                        count['wrong'] += 1
                        print(f'{frame.name()}:{frame.find_sal().line}: {symbol.name} is stale: {int(value):#x}')
        frame = frame.older()


gdb.execute('run', to_string=True)
while gdb.selected_inferior().pid:
    frame = gdb.newest_frame()
    look(frame) if frame.name() == 'here' else compare(frame)
    gdb.execute('continue', to_string=True)
print(', '.join(f'{name} {number}' for name, number in count.items()))

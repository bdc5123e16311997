# For gdb: stops at each show(), and compares the caller's variable with the value that the program gives. Prints what
# differs, how many variables were compared, and how many of them gdb has lost. COMPARED limits the stops.
import os

import gdb

gdb.execute('set pagination off')
gdb.execute('set breakpoint pending on')
gdb.Breakpoint('show')
compared = lost = wrong = 0
most = int(os.environ.get('COMPARED', 1000))
# A remote program has begun.
gdb.execute('continue' if gdb.selected_inferior().pid else 'run', to_string=True)
while gdb.selected_inferior().pid and compared < most:
    frame = gdb.newest_frame()
    if frame.name() != 'show':
        print('stopped in', frame.name())
        break
    name, value = frame.read_var('name').string(), int(frame.read_var('value'))
    caller = frame.older()
    compared += 1
    try:
        seen = caller.read_var(name)
    except ValueError: # without a place anywhere, it is not in the debug information
        lost += 1
        gdb.execute('continue', to_string=True)
        continue
    if seen.is_optimized_out:
        lost += 1
    elif int(seen) != value:
        wrong += 1
        print(f'{caller.name()}:{caller.find_sal().line}: {name} is {value}, gdb says {int(seen)}')
    gdb.execute('continue', to_string=True)
print(f'compared {compared}, wrong {wrong}, lost {lost}')

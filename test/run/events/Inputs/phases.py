# Do the phases of CAIRN_STATS add up to the pauses, and are these phases among them?
#   phases.py FILE PHASE...
import re
import sys

with open(sys.argv[1]) as file:
    figures = {name: value for name, value in (line.rstrip().split(': ', 1) for line in file if ': ' in line)}
total = {name: float(value) for name, value in figures.items() if name.startswith('pause total in ')}
longest = {name: float(value) for name, value in figures.items() if name.startswith('longest pause in ')}
allowed = 0.1 * len(total) + 0.1
assert abs(sum(total.values()) - float(figures['pause total (us)'])) <= allowed, figures
assert abs(sum(longest.values()) - float(figures['pause maximum (us)'])) <= allowed, figures
for phase in sys.argv[2:]:
    assert total[f'pause total in {phase} (us)'] > 0, phase
assert float(figures['pause total on a processor (us)']) > 0
visited, useful, objects = (int(figures[name]) for name in (
    'cards visited', 'cards with references to young objects', 'objects reached from cards'))
assert useful <= visited and useful <= objects <= int(figures['objects moved']), figures
assert 'trace' in sys.argv[2:] or useful > 0, figures

# SPDX-License-Identifier: Apache-2.0
"""The picture of bench/latency/run: curves of percentiles, from the tables that --save has appended to a file of
bench/results."""
import html
import math
import re
import sys

PERCENTILES = 50, 90, 99, 99.9, 99.99
WIDTH, HEIGHT, LEFT, TOP, GAP = 270, 210, 60, 60, 34
COLOURS = {'cairn': '#0b6e4f', 'cairn stopping': '#0b7285', 'cairn 10ms': '#2f9e44', 'cairn 3ms': '#74b816',
           'cairn 1ms': '#c0ca33',
           'malloc': '#868e96', 'Go': '#1c7ed6', 'Java Z': '#e8590c', 'Java Shenandoah': '#c2255c',
           'Java G1': '#862e9c'}


def read(path):
    """(head, rows of the last table of bench/latency/run in a file of results); a row is a list of words."""
    with open(path, encoding='utf-8') as file:
        parts = re.split(r'^(?=\$ )', file.read(), flags=re.M)
    tables = [part for part in parts if part.startswith('$ bench/latency/run')]
    if not tables:
        sys.exit(f'bench/latency/run: {path} has no table of it')
    rows = [[word.strip() for word in line.strip('| \n').split('|')]
            for line in tables[-1].splitlines() if re.match(r'\| +\d', line)]
    return tables[-1].splitlines()[1], rows


class Scale:
    """Places of milliseconds, by their logarithm, and of percentiles, by that of the part above them."""

    def __init__(self, values):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)

    def y(self, milliseconds):
        return HEIGHT * (self.high - math.log10(milliseconds)) / (self.high - self.low)

    def x(self, percentile):
        first, last = (-math.log10(1 - part / 100) for part in (PERCENTILES[0], PERCENTILES[-1]))
        return WIDTH * (-math.log10(1 - percentile / 100) - first) / (last - first)


def text(x, y, words, more=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{html.escape(words)}</text>'


def draw_axes(scale, title):
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#495057"/>',
             text(WIDTH / 2, -8, title, 'text-anchor="middle"')]
    for power in range(scale.low, scale.high + 1):
        y = scale.y(10.0 ** power)
        parts += [f'<path d="M0 {y:.1f}H{WIDTH}" stroke="#dee2e6"/>',
                  text(-6, y + 4, f'{10.0 ** power:g} ms', 'text-anchor="end"')]
    for percentile in PERCENTILES:
        x = scale.x(percentile)
        parts += [f'<path d="M{x:.1f} {HEIGHT}v4" stroke="#495057"/>',
                  text(x, HEIGHT + 17, f'{percentile:g}%', 'text-anchor="middle"')]
    return parts


def draw_panel(scale, title, rows):
    """A row is (name, latency of each percentile, or None)."""
    parts = draw_axes(scale, title)
    for name, values in rows:
        points = ' '.join(f'{scale.x(p):.1f},{scale.y(v):.1f}' for p, v in zip(PERCENTILES, values) if v)
        colour = COLOURS.get(name, '#000000')
        width = 2.6 if name.startswith('cairn') else 1.5
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}">'
                     f'<title>{html.escape(name)}</title></polyline>')
    return parts


def latencies_of(row):
    return [None if word == '-' else float(word) for word in row[6:6 + len(PERCENTILES)]]


def draw(path):
    """SVG: a panel for each size and number of processors, under the highest load."""
    head, rows = read(path)
    load = max(int(row[3]) for row in rows)
    rows = [row for row in rows if int(row[3]) == load]
    sizes, processors, names = (list(dict.fromkeys(row[column] for row in rows)) for column in (0, 1, 2))
    scale = Scale([value for row in rows for value in latencies_of(row) if value])
    width = LEFT + len(sizes) * (WIDTH + GAP + LEFT) + 120
    height = TOP + len(processors) * (HEIGHT + GAP + TOP)
    title = f'Latency from the moment when a request is due, at {load} % of the capacity'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
             text(LEFT, 20, title, 'font-size="15"'), text(LEFT, 36, head)]
    for down, number in enumerate(processors):
        for across, size in enumerate(sizes):
            panel = [(row[2], latencies_of(row)) for row in rows if row[:2] == [size, number]]
            parts.append(f'<g transform="translate({LEFT + across * (WIDTH + GAP + LEFT)} '
                         f'{TOP + GAP / 2 + down * (HEIGHT + GAP + TOP)})">')
            parts += draw_panel(scale, f'{size} MiB, {number} processor{"s" if number != "1" else ""}', panel)
            parts.append('</g>')
    for at, name in enumerate(names):
        y = TOP + GAP + 18 * at
        parts += [f'<path d="M{width - 150} {y}h24" stroke="{COLOURS.get(name, "#000000")}" stroke-width="3"/>',
                  text(width - 120, y + 4, name)]
    return '\n'.join([*parts, '</svg>', ''])

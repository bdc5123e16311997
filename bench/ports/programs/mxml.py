# SPDX-License-Identifier: Apache-2.0
"""Mini-XML: a parser and printer of XML. Nodes and indexes are managed; names, attributes and texts stay in malloc()'s
memory, and mxmlDelete() frees them. mxml.c, beside this file, parses, indexes, changes and prints."""
import random
import re

PACKAGE, VERSION = 'mxml', '3.3.1-1+deb13u1~deb12u1'
TITLE = 'Mini-XML'
WHAT = 'XML: nodes with malloc()\'s texts'
SOURCES = [f'mxml-{name}.c' for name in ('attr', 'entity', 'file', 'get', 'index', 'node', 'private', 'search', 'set',
                                         'string')]
FILES = ['mxml.h', 'mxml-private.h', *SOURCES]
DRIVER = 'mxml.c'
FLAGS = ['-w', '-D_GNU_SOURCE']

# The library's settings are only in pthread_setspecific()'s memory, which this collector does not see.
LEFT_OUT = ['Boehm']


def prepare(tree):
    """What its configure script would write."""
    text = tree.read('config.h.in').replace('#define inline', '')
    tree.write('config.h', re.sub(r'^#undef (HAVE_(?!STRLC)\w+)', r'#define \1 1', text, flags=re.M))


def port(tree):
    tree.edit('mxml.h', (r'^typedef struct _mxml_(node|index)_s mxml_', r'typedef struct _mxml_\1_s managed mxml_', 2),
              (r'^(#  include <errno.h>)$', r'\1\n#  include <cairn/cairn.h>'))
    tree.edit('mxml-private.h', (r'struct _mxml_node_s\t(\*\w+;)', r'mxml_node_t\t\t\1', 5),
              (r'mxml_node_t\t\t\*\*nodes;', 'mxml_node_t\t\t*managed *nodes;'))
    tree.edit('mxml-node.c', (r'calloc\(1, sizeof\(mxml_node_t\)\)', 'cairn_new(mxml_node_t)'), (r'^  free\(node\);\n', ''))
    tree.edit('mxml-index.c', (r'calloc\(1, sizeof\(mxml_index_t\)\)', 'cairn_new(mxml_index_t)'),
              (r'^ +free\(ind(->nodes)?\);\n', '', 3), (r'\*\*temp;', '*managed *temp;'),
              (r'malloc\(64 \* sizeof\(mxml_node_t \*\)\)', 'cairn_new_array(mxml_node_t *, 64)'),
              (r'realloc\(ind->nodes, \((.*)\) \* sizeof\(mxml_node_t \*\)\)', r'cairn_resize_array(ind->nodes, \1)'))


def workload(folder, quick):
    draw = random.Random(6)

    def word(most):
        return ''.join(chr(97 + draw.randrange(26)) for _ in range(draw.randrange(1, most)))
    with open(f'{folder}/text.xml', 'w') as file:
        file.write('<?xml version="1.0"?>\n<list>\n')
        for number in range(20 if quick else 20000):
            file.write(f'<item id="{number}" kind="{word(6)}"><name>{word(20)}</name><price>{draw.randrange(1000) / 8}</price>'
                       f'<words>{" ".join(word(9) for _ in range(draw.randrange(12)))}</words></item>\n')
        file.write('</list>\n')
    return [f'{folder}/text.xml', '1' if quick else '6'], None

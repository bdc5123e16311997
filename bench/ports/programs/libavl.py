# SPDX-License-Identifier: Apache-2.0
"""libavl: balanced trees with parents and a list through all nodes, and avlsort, which sorts lines by them. Trees and
nodes are managed; the lines stay in the file's buffer."""
import random

PACKAGE, VERSION = 'libavl', '0.3.5-4'
TITLE = 'avlsort'
WHAT = 'balanced trees'
FILES = ['avl.h', 'avl.c', 'avlsort.c']
SOURCES = ['avl.c', 'avlsort.c']
FLAGS = ['-w']


def port(tree):
    for name in ('avl_node_t', 'avl_tree_t'):
        tree.edit('avl.h', (rf'^typedef struct {name} {{', f'typedef struct {name} managed {name};\nstruct {name} {{'),
                  (rf'^}} {name};', '};'))
    tree.edit('avl.h', (r'^#define _AVL_H$', r'\g<0>\n#include <cairn/cairn.h>'),
              (r'struct avl_node_t \*', 'avl_node_t *', 5))
    tree.edit('avl.c', (r'avl_node_t \*\*superparent', 'avl_node_t *managed *superparent', 2),
              (r'malloc\(sizeof\((avl_\w+_t)\)\)', r'cairn_new(\1)', 2),
              (r'^#include "avl.h"$', r'\g<0>\n#define free(object) ((void)0)'))
    tree.edit('avlsort.c', (r'malloc\(sizeof\((avl_\w+_t)\)\)', r'cairn_new(\1)'))


def workload(folder, quick):
    draw = random.Random(1)
    with open(f'{folder}/lines', 'w') as file:
        for _ in range(150 if quick else 400000):
            file.write(f'{draw.getrandbits(64):016x} {draw.getrandbits(20)}\n')
    return [], f'{folder}/lines'

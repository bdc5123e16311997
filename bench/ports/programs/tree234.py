# SPDX-License-Identifier: Apache-2.0
"""tree234 of Halibut: counted 2-3-4 trees, with positions, splits and joins. Trees and nodes are managed; the elements are
the program's. tree234.c, beside this file, inserts, finds, deletes, splits and copies."""

PACKAGE, VERSION = 'halibut', '1.3-2'
TITLE = 'tree234 of Halibut'
WHAT = '2-3-4 trees'
FILES = ['tree234.h', 'tree234.c']
SOURCES = ['tree234.c']
DRIVER = 'tree234.c'
FLAGS = ['-w']


def port(tree):
    tree.edit('tree234.h', (r'^typedef struct tree234_Tag tree234;', '#include <cairn/cairn.h>\n'
                            'typedef struct tree234_Tag managed tree234;'))
    tree.edit('tree234.c', (r'^typedef struct node234_Tag node234;', 'typedef struct node234_Tag managed node234;'),
              (r'^#define sfree free', '#define sfree(object) ((void)0)'),
              (r'^#define snew\(typ\) .*$', '#define snew(typ) cairn_new(typ)'),
              (r'^    freenode234\(t->root\);\n', ''), (r'^( +)(add234_insert\(NULL, e, NULL, )&t->root(, n, ki\);)',
               r'\1node234 *root = t->root;\n\1\2&root\3\n\1t->root = root;'))


def workload(folder, quick):
    return ['1', '40'] if quick else ['12', '60000'], None

# SPDX-License-Identifier: Apache-2.0
"""GNU libmatheval: evaluates and differentiates expressions. The nodes of expressions, tagged unions, are managed, and
node_destroy() does nothing; symbols and evaluators stay in malloc()'s memory, and an evaluator keeps its expression by a
handle. A function with a variable number of arguments becomes overloaded functions. libmatheval.c, beside this file,
differentiates, evaluates and prints."""

PACKAGE, VERSION = 'libmatheval', '1.1.11+dfsg-5'
TITLE = 'libmatheval'
WHAT = 'derivatives: tagged unions'
SOURCES = [f'lib/{name}.c' for name in ('error', 'matheval', 'node', 'parser', 'scanner', 'symbol_table', 'xmalloc',
                                        'xmath')]
FILES = [f'lib/{name}' for name in ('common.h', 'error.h', 'error.c', 'matheval.h', 'matheval.c', 'node.h', 'node.c',
                                    'parser.y', 'scanner.l', 'symbol_table.h', 'symbol_table.c', 'xmalloc.h', 'xmalloc.c',
                                    'xmath.h', 'xmath.c')]
# Of the generated files only the changes count.
GENERATED = ['lib/parser.h', 'lib/parser.c']
DRIVER = 'libmatheval.c'
FLAGS = ['-w', '-DSTDC_HEADERS=1', '-DHAVE_MEMSET=1', '-DHAVE_MATH_H=1']
LIBRARIES = ['-lm']

# For the calls with a variable number of arguments.
OVERLOADED = '''Node *node_make(char type, double number, Record *record, char operation, Node *left, Node *right);
#define CREATE static inline __attribute__((overloadable)) Node *node_create
CREATE(char type, double number) { return node_make(type, number, 0, 0, 0, 0); }
CREATE(char type, Record *record) { return node_make(type, 0, record, 0, 0, 0); }
CREATE(char type, Record *record, Node *child) { return node_make(type, 0, record, 0, child, 0); }
CREATE(char type, char operation, Node *child) { return node_make(type, 0, 0, operation, child, 0); }
CREATE(char type, char operation, Node *left, Node *right) { return node_make(type, 0, 0, operation, left, right); }
'''
# In the place of a stack that grows in malloc()'s memory.
OVERFLOW = '''#define YYINITDEPTH 2000
#define yyoverflow(message, ...) YYABORT
'''


def port(tree):
    tree.edit('lib/node.h', (r'^#include "symbol_table.h"$', r'\g<0>\n#include <cairn/cairn.h>'),
              (r'^typedef struct _Node \{', 'typedef struct _Node managed Node;\nstruct _Node {'),
              (r'struct _Node( +\*(?:child|left))', r'Node\1', 3), (r'^\} Node;', '};'),
              (r'^Node +\*node_create\(.*\n', OVERLOADED))
    tree.edit('lib/node.c', (r'(node_destroy\(Node \* node\)\n\{\n)(?:[^}\n].*\n|\n)+', r'\1'),
              (r'^#include <stdarg.h>\n', ''),
              (r'^node_create\(char type, \.\.\.\)',
               'node_make(char type, double number, Record *record, char operation, Node *left, Node *right)'),
              (r'^.*va_(list|start|end)\b.*\n', '', 3), (r'XMALLOC\(Node, 1\)', 'cairn_new(Node)'),
              (r'va_arg\(ap, double\)', 'number'), (r'va_arg\(ap, Record \*\)', 'record', 3),
              (r'\(char\) va_arg\(ap, int\)', 'operation', 2),
              (r'(\.(?:child|left) = )va_arg\(ap, Node \*\)', r'\1left', 3), (r'va_arg\(ap, Node \*\)', 'right'))
    tree.edit('lib/matheval.c', (r'^typedef struct \{\n\tNode +\*root;', 'typedef struct {\n\tstruct cairn_handle *root;'),
              (r'^#include "node.h"$', r'\g<0>\n#include <cairn/handle.h>'),
              (r'evaluator->root = root;', 'evaluator->root = cairn_handle_new(root);'),
              (r'node_destroy\((\(\(Evaluator \*\) evaluator\)->root)\)', r'cairn_handle_free(\1)'),
              (r'(node_\w+)(\s*)\((\(\(Evaluator \*\) evaluator\)->root)', r'\1\2(cairn_handle_get(\3)', 5),
              (r'derivative->root =\n(\s+)(node_simplify.*\n.*\n.*\));', r'derivative->root =\n\1cairn_handle_new(\2);'))
    for name in ('lib/parser.c', 'lib/parser.h'):
        tree.edit(name, (r'^typedef union YYSTYPE', 'typedef struct YYSTYPE'))
    tree.edit('lib/parser.c', (r'^#include "node.h"$', r'\g<0>\n' + OVERFLOW))


def workload(folder, quick):
    return ['1', '1'] if quick else ['60', '4'], None

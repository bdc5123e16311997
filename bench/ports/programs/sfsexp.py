# SPDX-License-Identifier: Apache-2.0
"""sfsexp: a parser and printer of s-expressions. Elements, texts, stacks and the parser's state are managed, and the
functions that free them do nothing; the port leaves out the library's own lists of free elements, which the library can
do. An atom is read into one buffer, and copied. sfsexp.c, beside this file, reads, copies, searches and prints."""
import random

PACKAGE, VERSION = 'sfsexp', '1.3.1+18~git20210718-1'
TITLE = 'sfsexp'
WHAT = 's-expressions: lists'
SOURCES = [f'src/{name}.c' for name in ('cstring', 'event_temp', 'faststack', 'parser', 'sexp', 'sexp_memory', 'sexp_ops')]
FILES = [*SOURCES, *(f'src/{name}.h' for name in ('cstring', 'faststack', 'sexp', 'sexp_errors', 'sexp_memory',
                                                  'sexp_ops'))]
DRIVER = 'sfsexp.c'
FLAGS = ['-w']

# A new buffer for the next atom.
NEW_BUFFER = (r'^#ifdef __cplusplus\n +val = .*\n#else\n +val = .*\n#endif\n\n +if \(val == NULL\) \{\n(?:.*\n){3} +\}\n\n'
              r' +val_allocated = sexp_val_start_size;\n')


def allocation(place, type):
    """The edit of an allocation that is there for C and for C++."""
    return (rf'^#ifdef __cplusplus\n(?:.*\n){{1,2}}#else\n( +){place} = sexp_malloc ?\(sizeof ?\({type}\)\);\n#endif\n',
            rf'\1{place} = cairn_new({type});\n'.replace('\\ ', ' ').replace('\\>', '>').replace('\\-', '-'))


def emptied(name):
    """The edit of a function that only frees."""
    return rf'^({name} ?\([^()]*\)(?: \{{|\n\{{)\n)(?:[^}}\n].*\n|\n)+', r'\1'


def port(tree):
    tree.edit('src/faststack.h', (r'^(#define __FASTSTACK_H__)$', r'\1\n#include <cairn/string.h>'),
              (r'^typedef struct stack_level \{', 'typedef struct stack_level managed stack_lvl_t;\nstruct stack_level {'),
              (r'^\} stack_lvl_t;', '};'), (r'struct stack_level \*(above|below)', r'stack_lvl_t *\1', 2),
              (r'^  void \*data;', '  void managed *data;'), (r'(push\(.*), void \*data', r'\1, void managed *data'),
              (r'^typedef struct stack_wrapper \{', 'typedef struct stack_wrapper managed faststack_t;\nstruct stack_wrapper {'),
              (r'^\} faststack_t;', '};'))
    tree.edit('src/faststack.c', allocation('s', 'faststack_t'), emptied('destroy_stack'),
              (r'^(push \(.*), void \*data', r'\1, void managed *data'),
              (r'^#ifdef __cplusplus\n(?:.*\n){1,2}#else\n( +tmp = .*)sexp_malloc \(sizeof \(stack_lvl_t\)\);\n#endif\n',
               r'\1cairn_new(stack_lvl_t);\n', 2))
    tree.edit('src/sexp.h', (r'^#define __SEXP_H__$', r'\g<0>\n#define _NO_MEMORY_MANAGEMENT_'),
              (r'^typedef struct (elt|pcont) \{', r'struct \1 {', 2), (r'^\} (sexp_t|pcont_t);', '};', 2),
              (r'^#include "sexp_errors.h"$',
               r'\g<0>\ntypedef struct elt managed sexp_t;\ntypedef struct pcont managed pcont_t;'),
              (r'^  char  \*val;', '  char managed *val;'), (r'struct elt \*(list|next)', r'sexp_t *\1', 2),
              (r'^(  char )(\*bindata;\n\n.*\n.*\n.*\n  size_t binlength)', r'\1managed \2'))
    tree.edit('src/parser.c',
              (r'^typedef struct parse_stack_data$', 'typedef struct parse_stack_data managed parse_data_t;\n'
               'struct parse_stack_data'), (r'^\}\n  parse_data_t;', '};'),
              (r'sexp_calloc\(1, sizeof\(sexp_t\)\)', 'cairn_new(sexp_t)'),
              (r'^(sexp_t_deallocate\(sexp_t \*s\) \{\n)  if \(s->ty.*\n.*\n  \}\n\n  sexp_free.*\n', r'\1'),
              (r'^  p = sexp_malloc\(sizeof\(parse_data_t\)\);\n  return', '  p = cairn_new(parse_data_t);\n  return'),
              (r'^  sexp_free\(p, sizeof\(parse_data_t\)\);\n', ''), allocation('cc', 'pcont_t'),
              (r'^ +sexp_free ?\((?:cc|pc), ?sizeof\(pcont_t\)\);\n', '', 3), (NEW_BUFFER, '', 3),
              (r'sx->val = val;', 'sx->val = cairn_text(val);', 3), (r'characters\(sx->val,', 'characters(val,', 3),
              (r'sx->bindata = bindata;', 'sx->bindata = cairn_text_in(bindata, binread);'),
              (r'binary\(sx->bindata, sx->binlength\);\n', r'binary(bindata, binread);\n\n            free(bindata);\n'))
    tree.edit('src/event_temp.c', allocation('cc', 'pcont_t'))
    tree.edit('src/sexp.c', emptied('destroy_sexp'), (r'^ +sexp_t tmp;\n', '', 2), (r'^ +tmp\.next = .*\n', '', 2),
              (r'^( +)tmp = \*sx;\n\n +fakehead = copy_sexp\(&tmp\);', r'\1fakehead = cairn_new(sexp_t);\n\1*fakehead = *sx;', 2),
              (r'char \*b = buf, \*tc;', 'char *b = buf;\n  char managed *tc;'), (r'^    char \*tc;', '    char managed *tc;'),
              (r'sx->bindata = data;', 'sx->bindata = cairn_text_in(data, binlength);\n    free(data);'),
              (r'^#ifdef __cplusplus\n.*\n#else\n    sx->val = sexp_malloc\(.*\n#endif\n', '    sx->val = cairn_text(buf);\n'),
              (r'^    strcpy\(sx->val,buf\);\n', ''))
    tree.edit('src/sexp_ops.c',
              (r'^#ifdef __cplusplus\n.*\n#else\n( +s_new->bindata = ).*\n#endif\n',
               r'\1cairn_text_uninit(s->binlength);\n'),
              (r'^#ifdef __cplusplus\n.*\n#else\n( +s_new->val = ).*\n#endif\n', r'\1cairn_new_array(char, s->val_allocated);\n'))


def workload(folder, quick):
    draw = random.Random(5)

    def value(depth):
        kind = draw.randrange(3 if depth == 0 else 7)
        if kind == 0:
            return str(draw.randrange(1 << 20))
        if kind == 1:
            return '"' + ''.join(chr(97 + draw.randrange(26)) for _ in range(draw.randrange(1, 30))) + '"'
        if kind == 2:
            return ''.join(chr(97 + draw.randrange(26)) for _ in range(draw.randrange(1, 8)))
        return f'({" ".join(value(depth - 1) for _ in range(draw.randrange(1, 6)))})'
    with open(f'{folder}/lines', 'w') as file:
        for _ in range(10 if quick else 3000):
            file.write(f'(entry {value(4)} {value(4)} {value(4)})\n')
    return [f'{folder}/lines', '1' if quick else '10'], None

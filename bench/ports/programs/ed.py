# SPDX-License-Identifier: Apache-2.0
"""GNU ed: a text editor. The nodes of lines, the undo stack and the list of matching lines are managed; the text stays in
the editor's scratch file."""

PACKAGE, VERSION = 'ed', '1.19-1'
TITLE = 'GNU ed'
WHAT = 'a text editor: circular lists'
SOURCES = ['buffer.c', 'carg_parser.c', 'global.c', 'io.c', 'main.c', 'main_loop.c', 'regex.c', 'signal.c']
FILES = ['carg_parser.h', 'ed.h', *SOURCES]
FLAGS = ['-w', '-DPROGVERSION="1.19"', '-D_GNU_SOURCE']


def port(tree):
    tree.edit('ed.h', (r'^typedef struct line\b', 'typedef struct line managed line_t;\nstruct line'),
              (r'^  struct line \* ', '  line_t * ', 2), (r'^  \}\nline_t;', '  };'),
              (r'^typedef struct\n', 'typedef struct undo managed undo_t;\nstruct undo\n'), (r'^  \}\nundo_t;', '  };'),
              (r'^#ifndef __cplusplus', r'#include <cairn/cairn.h>\n\n\g<0>'))
    tree.edit('buffer.c', (r'^static line_t (\w*buffer_head);', r'static line_t * \1_;\n#define \1 (*\1_)', 2),
              (r'\(line_t \*\) malloc\( sizeof \(line_t\) \)', 'cairn_new( line_t )'), (r'^ +free\( .p \);\n', '', 2),
              (r'^(  link_nodes\( &buffer_head, &buffer_head \);)',
               r'  buffer_head_ = cairn_new( line_t ); yank_buffer_head_ = cairn_new( line_t );\n\1'),
              (r'static line_t \* lp = &buffer_head;', 'static line_t * lp = 0;'),
              (r'^(  static int o_addr = 0;\n)', r'\1  if( !lp ) lp = &buffer_head;\n'),
              (r'^    free\( ustack \);\n', ''), (r'void \* new_buf', 'undo_t * new_buf'),
              (r'if\( ustack \) new_buf = realloc\( ustack, new_size \);\n.*\n',
               'new_buf = cairn_resize_array( ustack, new_size / sizeof (undo_t) );\n'),
              (r'^    undo_t tmp', '    struct undo tmp'))
    tree.edit('global.c', (r'const line_t \*\*active_list', 'const line_t * managed *active_list'),
              (r'^  if\( active_list \) free\( active_list \);\n', ''), (r'void \* new_buf', 'const line_t * managed * new_buf'),
              (r'if\( active_list \) new_buf = realloc\( active_list, new_size \);\n.*\n',
               'new_buf = cairn_resize_array( active_list, new_size / sizeof (line_t *) );\n'),
              (r'\(const line_t \*\*\)new_buf', 'new_buf'))


def workload(folder, quick):
    lines = 50 if quick else 20000
    with open(f'{folder}/text', 'w') as file:
        file.writelines(f'line {i * 7919 % lines} of the text {i % 97}\n' for i in range(lines))
    with open(f'{folder}/commands', 'w') as file:
        file.write(f'r {folder}/text\n')
        for turn in range(2 if quick else 12):
            file.write(f'1,{lines}t$\n{lines + 1},$d\n1,{lines}t0\nu\ng/ {turn + 10}$/m0\ng/ {turn + 40}$/t$\n')
        file.write('g/1/s//one/\n=\n1,20p\n$-20,$p\nQ\n')
    return ['-s'], f'{folder}/commands'

# SPDX-License-Identifier: Apache-2.0
"""pixz: compresses in threads. The items of its pipeline and of its queues are managed; the blocks of bytes, and the
list of files, stay in malloc()'s memory. A queue has a mutex, which must not move: the queues become static."""
import random

PACKAGE, VERSION = 'pixz', '1.0.7-2'
TITLE = 'pixz'
WHAT = 'a compressor in threads: queues'
HEADERS = ['archive.h', 'lzma.h']
SOURCES = [f'src/{name}.c' for name in ('common', 'cpu', 'endian', 'list', 'pixz', 'read', 'write')]
FILES = ['src/pixz.h', *SOURCES]
FLAGS = ['-w', '-D_GNU_SOURCE', '-DPACKAGE_VERSION="1.0.7"', '-DHAVE_DECL_HTOLE64=1', '-DHAVE_DECL_LE64TOH=1',
         '-include', 'stdint.h']
LIBRARIES = ['-larchive', '-llzma', '-lm']


def prepare(tree):
    tree.write('src/config.h', '')


def port(tree):
    tree.edit('src/pixz.h', (r'^#include <pthread.h>', r'\g<0>\n#include <cairn/cairn.h>'),
              (r'^typedef struct (queue_item_t|pipeline_item_t) ', r'typedef struct \1 managed ', 2),
              (r'^    void \*data;\n    queue_item_t', '    void managed *data;\n    queue_item_t'),
              (r'(queue_free_t\)\(int type, )void \*', r'\1void managed *'),
              (r'(queue_push\(queue_t \*q, int type, )void \*', r'\1void managed *'),
              (r'(queue_pop\(queue_t \*q, )void \*\*', r'\1void managed **'))
    tree.edit('src/common.c', (r'queue_t \*q = malloc\(sizeof\(queue_t\)\);',
                               'static queue_t queues[3];\n    static int used;\n    queue_t *q = &queues[used++];'),
              (r'^ +free\((i|q|item)\);\n', '', 4), (r'malloc\(sizeof\((queue_item_t|pipeline_item_t)\)\)', r'cairn_new(\1)', 2),
              (r'(queue_push\(queue_t \*q, int type, )void \*', r'\1void managed *'),
              (r'(queue_pop\(queue_t \*q, )void \*\*', r'\1void managed **'),
              (r'(pipeline_qfree\(int type, )void \*', r'\1void managed *', 2), (r'\(void\*\*\)&', '(void managed **)&'),
              (r'pipeline_item_t \*\*prev = &gPLMergedItems;', 'pipeline_item_t *prev = NULL, *after = gPLMergedItems;'),
              (r'while \(\*prev && \(\*prev\)->seq < item->seq\)', 'while (after && after->seq < item->seq)'),
              (r'prev = &\(\*prev\)->next;', 'prev = after, after = after->next;'),
              (r'item->next = \*prev;', 'item->next = after;'),
              (r'\*prev = item;',
               'if (prev)\n            prev->next = item;\n        else\n            gPLMergedItems = item;'))
    tree.edit('src/read.c', (r'\(void\*\*\)&', '(void managed **)&', 4))
    tree.edit('src/write.c', (r'\(void\*\*\)&', '(void managed **)&', 2))


def workload(folder, quick):
    draw = random.Random(4)
    words = [''.join(chr(97 + draw.randrange(26)) for _ in range(draw.randrange(2, 9))) for _ in range(3000)]
    with open(f'{folder}/text', 'w') as file:
        for _ in range(20000 if quick else 1000000):
            file.write(f'{draw.choice(words)} {draw.choice(words)} {draw.randrange(1000)}\n')
    return ['-t', '-1', '-p', '3'], f'{folder}/text'

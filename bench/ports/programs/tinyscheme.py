# SPDX-License-Identifier: Apache-2.0
"""TinyScheme: an interpreter of Scheme. A cell is a tagged union, with cairn_union() for numbers and references; the
bytes of strings are managed, too. #if leaves out the interpreter's own collector. Its registers stay in a struct, which
becomes static."""

PACKAGE, VERSION = 'tinyscheme', '1.42.svn.2020.06.04-2'
TITLE = 'TinyScheme'
WHAT = 'an interpreter with tagged unions'
FILES = ['scheme.h', 'scheme-private.h', 'opdefines.h', 'scheme.c']
SOURCES = ['scheme.c']
# As shipped, the heap of the own collector ends at 50,000 cells.
FLAGS = ['-w', '-DUSE_DL=0', '-DCELL_SEGSIZE=100000', '-DCELL_NSEGMENT=400']
LIBRARIES = ['-lm']
# The start loads the interpreter's own library, so stress at each safepoint takes minutes.
STRESS = '211'

CELL = r'''  char _is_fixnum;
  cairn_union(
    pointer _car;
    long _ivalue;
    double _rvalue;
    port *_port;
    foreign_func _ff;
  ) _object;
  pointer _cdr;
};
'''

# In the place of the own collector. plain(): a managed string in ordinary memory, until the next call.
CELLS = r'''#define get_cell_x(sc, a, b) cairn_new(struct cell)
#define get_consecutive_cells(sc, n) cairn_new_array(struct cell, n)
#define alloc_cellseg(sc, n) (n)
#define push_recent_alloc(sc, recent, extra)
#define gc(sc, a, b) cairn_collect()

static char *plain(const char managed *text)
{
  static char *copy;
  static long room;
  long bytes = cairn_length(text);

  if (bytes > room)
    copy = realloc(copy, room = 2 * bytes);
  cairn_copy_out(copy, text, bytes);
  return copy;
}

'''


def port(tree):
    tree.edit('scheme.h', (r'^#include <stdio.h>$', r'\g<0>\n#include <cairn/string.h>\n#include <cairn/pin.h>'),
              (r'^typedef struct cell \*pointer;', 'typedef struct cell managed *pointer;'))
    tree.remove('scheme-private.h', r'^  union \{$', r'^\};', CELL, after=r'unsigned int _flag;')
    tree.edit('scheme-private.h', (r'^struct cell _\w+;\n', '', 5), (r'^pointer cell_seg\[.*\n', ''),
              (r'^char \*(string_value|symname|syntaxname)\(', r'char managed *\1(', 3))
    c = 'scheme.c'
    tree.edit(c, (r'_object\._number\.(is_fixnum)', r'_\1', 4),
              (r'INLINE num nvalue\(pointer p\) +\{ .*$',
               'INLINE num nvalue(pointer p)       { num n; n.is_fixnum = p->_is_fixnum; if (n.is_fixnum) '
               'n.value.ivalue = p->_object._ivalue; else n.value.rvalue = p->_object._rvalue; return n; }'),
              (r'_object\._number\.value\.(.)value', r'_object._\1value', 6),
              (r'_object\._cons\._car', '_object._car'), (r'_object\._cons\.', ''),
              (r'^#define strvalue\(p\).*$', '#define strvalue(p)      ((char managed *)(p)->_object._car)'),
              (r'^#define strlength\(p\).*$', '#define strlength(p)        ((int)cairn_length(strvalue(p)) - 1)'),
              (r'^( +)strvalue\(x\) = (store_string.*);\n.*\n', r'\1car(x) = (pointer)\2;\n', 2),
              (r'INLINE char \*(string_value|symname|syntaxname)\(', r'INLINE char managed *\1(', 3),
              (r'static char \*store_string\(', r'static char managed *store_string(', 2),
              (r'static int hash_fn\(const char \*key', 'static int hash_fn(const char managed *key', 2),
              (r'^  const char \*c;$', '  const char managed *c;'),
              (r'hash_fn\(name, ', 'hash_fn(cairn_text(name), ', 2),
              (r'(?<!off_t size;\n)^( +)char( +)\*(s|str|pos);$', r'\1char managed\2*\3;', 6),
              (r'const char \*s=strvalue', 'const char managed *s=strvalue'),
              (r'^     char \*q;\n\n     q=\(char\*\)sc->malloc\(len_str\+1\);\n(.*\n){4}',
               '     char managed *q = cairn_new_array_uninit(char, len_str + 1);\n'),
              (r'^ +snprintf\(q, len_str\+1, .*\);$', '          cairn_copy_in(q, str, len_str);\n          q[len_str]=0;'),
              (r'\(\(unsigned char\*\)str\)', '((unsigned char managed *)str)'),
              (r'= store_string\(sc, strlen\((\w+)\), \1, 0\)', r'= strdup(\1)', 3),
              (r'= ?&sc->_(sink|NIL|HASHT|HASHF|EOF_OBJ);$', r'= cairn_new(struct cell);', 6),
              # Text for the C library, and text that a port reads or writes in its place.
              (r'(putstr\(sc, |mk_symbol\(sc,|char \*s=|p = |file_push\(sc,|"Loading %s\\n", |printslashstring\(sc, |'
               r'port_from_filename\(sc,)strvalue\((car\(sc->args\)|l)\)', r'\1plain(strvalue(\2))', 8),
              (r'(p = |mk_string\(sc,)symname\((l|car\(sc->args\))\)', r'\1plain(symname(\2))', 2),
              (r'port_from_string\(sc, strvalue\((.*)\),$', r'port_from_string(sc, cairn_pin(strvalue(\1)),', 2),
              (r'^( +)strvalue\((car\(sc->args\))\)\+', r'\1(char *)cairn_pin(strvalue(\2))+', 2),
              # A global, for quick stores into it.
              (r'^  scheme sc;$', '  static scheme sc;'),
              # The own collector, and two functions that make an interpreter by malloc().
              (r'^/\* allocate new cell segment \*/$', CELLS.replace('\\', r'\\') + r'#if 0\n\g<0>'),
              (r'^(static pointer get_cell\(scheme \*sc, pointer a, pointer b\)\n)', r'#endif\n\1'),
              (r'^(static void mark\(pointer a\) \{)$', r'#if 0\n\1'),
              (r'^(/\* =+ Routines for Reading)', r'#endif\n\1'),
              (r'^(scheme \*scheme_init_new\(\) \{)$', r'#if 0\n\1'), (r'^(int scheme_init\(scheme \*sc\) \{)$', r'#endif\n\1'))


def workload(folder, quick):
    with open(f'{folder}/work.scm', 'w') as file:
        file.write(PROGRAM.replace('TURNS', '1' if quick else '5').replace('DEPTH', '3' if quick else '14')
                   .replace('NEST', '3' if quick else '12').replace('QUEENS', '3' if quick else '7'))
    return [f'{folder}/work.scm'], None


PROGRAM = '''; Derivatives, queens, trees, strings and sorted lists, with a large tree that lives on.
(define (simple-sum a b) (cond ((and (number? a) (number? b)) (+ a b)) ((equal? a 0) b) ((equal? b 0) a)
                               (else (list '+ a b))))
(define (simple-product a b) (cond ((and (number? a) (number? b)) (* a b)) ((or (equal? a 0) (equal? b 0)) 0)
                                   ((equal? a 1) b) ((equal? b 1) a) (else (list '* a b))))
(define (derive e) (cond ((number? e) 0) ((symbol? e) 1)
  ((eq? (car e) '+) (simple-sum (derive (cadr e)) (derive (caddr e))))
  (else (simple-sum (simple-product (cadr e) (derive (caddr e))) (simple-product (derive (cadr e)) (caddr e))))))
(define (nest n) (if (= n 0) 'x (list (if (odd? n) '+ '*) (list '* n (nest (- n 1))) (list '+ 'x n))))
(define (size e) (if (pair? e) (+ (size (car e)) (size (cdr e))) 1))
(define (safe? row distance placed)
  (or (null? placed)
      (and (not (= (car placed) row)) (not (= (abs (- (car placed) row)) distance))
           (safe? row (+ distance 1) (cdr placed)))))
(define (queens n)
  (define (place column placed)
    (if (= column 0) 1
        (let loop ((row 1) (count 0))
          (if (> row n) count
              (loop (+ row 1) (if (safe? row 1 placed) (+ count (place (- column 1) (cons row placed))) count))))))
  (place n '()))
(define (tree depth) (if (= depth 0) (list 1 2.5 "leaf") (cons (tree (- depth 1)) (tree (- depth 1)))))
(define (leaves t) (if (number? (car t)) (car t) (+ (leaves (car t)) (leaves (cdr t)))))
(define (words n) (let loop ((i 0) (text "")) (if (= i n) (string-length text)
  (loop (+ i 1) (string-append (number->string i) "," (if (> (string-length text) 200) "" text))))))
(define (insert x l) (cond ((null? l) (list x)) ((< x (car l)) (cons x l)) (else (cons (car l) (insert x (cdr l))))))
(define (sort l) (let loop ((l l) (sorted '())) (if (null? l) sorted (loop (cdr l) (insert (car l) sorted)))))
(define (numbers n x) (if (= n 0) '() (cons (modulo (* x 7919) 10007) (numbers (- n 1) (modulo (* x 7919) 10007)))))
(define kept (tree DEPTH))
(do ((turn 0 (+ turn 1))) ((= turn TURNS))
  (display (list turn (size (derive (derive (nest NEST)))) (queens QUEENS) (leaves (tree (- DEPTH 2))) (words (* 20 DEPTH))
                 (car (sort (numbers (* 10 DEPTH) 5))) (leaves kept)))
  (newline))
'''

/* SPDX-License-Identifier: Apache-2.0
 *
 * A small Lisp: reader, evaluator with closures, printer. A value is an integer or a reference in
 * one word (<cairn/value.h>). Pairs, symbols, environments and frames of the interpreted program
 * are managed objects; the interpreter itself holds them in plain C locals.
 *
 *   lisp [n]                 runs the programs below with n
 *
 * With -DLISP_PART the interpreter is part of another program, which calls lisp_begin(), lisp_define() and lisp_run().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/value.h>

typedef cairn_value value;

/* Defines the symbols and the library; first of all. */
void lisp_begin(void);

/* Defines a function in C, which gets the list of its arguments. */
void lisp_define(const char *name, value (*run)(value arguments));

/* The value of the last expression of the text. */
value lisp_run(const char *text);

/* Every object begins with what it is. */
enum tag { SYMBOL, PAIR, BUILTIN, CLOSURE };

struct object {
  enum tag tag;
};

struct symbol {
  enum tag tag;
  char name[16];
};

struct pair {
  enum tag tag;
  value first, rest;
};

struct builtin {
  enum tag tag;
  value (*run)(value arguments);
};

struct closure {
  enum tag tag;
  value parameters, body, environment;
};

static value symbols, globals, symbol_quote, symbol_if, symbol_lambda, symbol_define, symbol_t;
static const char *at; /* the reader's place */

static int is(value v, enum tag tag)
{
  return v && !cairn_value_is_integer(v) && cairn_value_object(struct object, v)->tag == tag;
}

static struct pair managed *pair(value v)
{
  return cairn_value_object(struct pair, v);
}

static value first(value v)
{
  return pair(v)->first;
}

static value rest(value v)
{
  return pair(v)->rest;
}

static value cons(value first, value rest)
{
  struct pair managed *made = cairn_new(struct pair);

  made->tag = PAIR;
  made->first = first;
  made->rest = rest;
  return cairn_value_of(made);
}

static long number(value v)
{
  if (!cairn_value_is_integer(v)) {
    printf("not a number\n");
    exit(1);
  }
  return cairn_value_integer(v);
}

static int named(value symbol, const char *name)
{
  struct symbol managed *s = cairn_value_object(struct symbol, symbol);

  for (int i = 0; i < 16; i++) {
    if (s->name[i] != name[i])
      return 0;
    if (!name[i])
      return 1;
  }
  return 0;
}

static value intern(const char *name)
{
  for (value s = symbols; s; s = rest(s))
    if (named(first(s), name))
      return first(s);
  struct symbol managed *symbol = cairn_new(struct symbol);
  symbol->tag = SYMBOL;
  for (size_t i = 0; name[i]; i++)
    symbol->name[i] = name[i];
  symbols = cons(cairn_value_of(symbol), symbols);
  return cairn_value_of(symbol);
}

static value read(void);

static value read_list(void)
{
  while (*at == ' ' || *at == '\n')
    at++;
  if (*at == ')') {
    at++;
    return NULL;
  }
  value head = read();
  return cons(head, read_list());
}

static value read(void)
{
  char name[16];
  int length = 0;

  while (*at == ' ' || *at == '\n')
    at++;
  if (*at == '(') {
    at++;
    return read_list();
  }
  if (*at == '\'') {
    at++;
    return cons(symbol_quote, cons(read(), NULL));
  }
  if ((*at >= '0' && *at <= '9') || (*at == '-' && at[1] >= '0' && at[1] <= '9'))
    return cairn_value_from(strtol(at, (char **)&at, 10));
  while (*at && !strchr(" \n()'", *at) && length < 15)
    name[length++] = *at++;
  name[length] = 0;
  return intern(name);
}

static void print(value v)
{
  char name[16];

  if (!v) {
    printf("()");
  } else if (cairn_value_is_integer(v)) {
    printf("%ld", cairn_value_integer(v));
  } else if (is(v, SYMBOL)) {
    cairn_copy_out(name, cairn_value_object(struct symbol, v)->name, sizeof name);
    printf("%s", name);
  } else if (is(v, PAIR)) {
    const char *before = "(";
    for (; v; v = rest(v), before = " ") {
      printf("%s", before);
      print(first(v));
    }
    printf(")");
  } else {
    printf("<function>");
  }
}

/* An environment is a list of (symbol . value) pairs. */
static value lookup(value symbol, value environment)
{
  for (value e = environment; e; e = rest(e))
    if (first(first(e)) == symbol)
      return rest(first(e));
  for (value e = globals; e; e = rest(e))
    if (first(first(e)) == symbol)
      return rest(first(e));
  printf("unbound: ");
  print(symbol);
  printf("\n");
  exit(1);
}

static value eval(value v, value environment);

static value eval_list(value list, value environment)
{
  if (!list)
    return NULL;
  value head = eval(first(list), environment);
  return cons(head, eval_list(rest(list), environment));
}

static value bind(value parameters, value arguments, value environment)
{
  for (; parameters; parameters = rest(parameters), arguments = rest(arguments))
    environment = cons(cons(first(parameters), first(arguments)), environment);
  return environment;
}

static value lambda(value operands, value environment)
{
  struct closure managed *closure = cairn_new(struct closure);

  closure->tag = CLOSURE;
  closure->parameters = first(operands);
  closure->body = first(rest(operands));
  closure->environment = environment;
  return cairn_value_of(closure);
}

static value define(value operands, value environment)
{
  value defined = eval(first(rest(operands)), environment);

  globals = cons(cons(first(operands), defined), globals);
  return first(operands);
}

static value eval(value v, value environment)
{
  for (;;) {
    if (!is(v, PAIR))
      return is(v, SYMBOL) ? lookup(v, environment) : v;
    value head = first(v), operands = rest(v);
    if (head == symbol_quote)
      return first(operands);
    if (head == symbol_if) {
      value branch = eval(first(operands), environment) ? rest(operands) : rest(rest(operands));
      v = first(branch);
      continue;
    }
    if (head == symbol_lambda)
      return lambda(operands, environment);
    if (head == symbol_define)
      return define(operands, environment);
    value function = eval(head, environment);
    value arguments = eval_list(operands, environment);
    if (is(function, BUILTIN))
      return cairn_value_object(struct builtin, function)->run(arguments);
    struct closure managed *closure = cairn_value_object(struct closure, function);
    environment = bind(closure->parameters, arguments, closure->environment);
    v = closure->body;
  }
}

static value add(value a)
{
  long sum = 0;

  for (; a; a = rest(a))
    sum += number(first(a));
  return cairn_value_from(sum);
}

static value subtract(value a)
{
  return cairn_value_from(number(first(a)) - number(first(rest(a))));
}

static value multiply(value a)
{
  return cairn_value_from(number(first(a)) * number(first(rest(a))) % 1000003);
}

static value less(value a)
{
  return number(first(a)) < number(first(rest(a))) ? symbol_t : NULL;
}

static value car(value a)
{
  return first(first(a));
}

static value cdr(value a)
{
  return rest(first(a));
}

static value make_pair(value a)
{
  return cons(first(a), first(rest(a)));
}

static value is_null(value a)
{
  return first(a) ? NULL : symbol_t;
}

void lisp_define(const char *name, value (*run)(value))
{
  struct builtin managed *function = cairn_new(struct builtin);

  function->tag = BUILTIN;
  function->run = run;
  globals = cons(cons(intern(name), cairn_value_of(function)), globals);
}

static const char library[] =
    "(define not (lambda (x) (if x '() 't)))"
    "(define map (lambda (f l) (if (null? l) '() (cons (f (car l)) (map f (cdr l))))))"
    "(define filter (lambda (p l) (if (null? l) '()"
    "  (if (p (car l)) (cons (car l) (filter p (cdr l))) (filter p (cdr l))))))"
    "(define append (lambda (a b) (if (null? a) b (cons (car a) (append (cdr a) b)))))"
    "(define fold (lambda (f s l) (if (null? l) s (fold f (f s (car l)) (cdr l)))))"
    "(define range (lambda (n l) (if (< n 1) l (range (- n 1) (cons n l)))))"
    "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))"
    "(define sort (lambda (l) (if (null? l) '()"
    "  ((lambda (p) (append (sort (filter (lambda (x) (< x p)) (cdr l)))"
    "     (cons p (sort (filter (lambda (x) (not (< x p))) (cdr l)))))) (car l)))))"
    "(define noise (lambda (n s l) (if (< n 1) l"
    "  (noise (- n 1) (+ (* s 7919) 13) (cons s l)))))"
    "(define compose (lambda (f g) (lambda (x) (f (g x)))))"
    "(define add (lambda (n) (lambda (x) (+ x n))))";

void lisp_begin(void)
{
  symbol_quote = intern("quote");
  symbol_if = intern("if");
  symbol_lambda = intern("lambda");
  symbol_define = intern("define");
  symbol_t = intern("t");
  lisp_define("+", add);
  lisp_define("-", subtract);
  lisp_define("*", multiply);
  lisp_define("<", less);
  lisp_define("car", car);
  lisp_define("cdr", cdr);
  lisp_define("cons", make_pair);
  lisp_define("null?", is_null);
  lisp_run(library);
}

value lisp_run(const char *text)
{
  const char *outer = at;
  value result = NULL;

  for (at = text; *at;)
    result = eval(read(), NULL);
  at = outer;
  return result;
}

#ifndef LISP_PART

static const char *const programs[] = {
    "(fib n)",
    "(fold (lambda (a x) (+ (* a 31) x)) 0 (sort (noise (* n 8) 17 '())))",
    "((compose (add 3) (compose (add n) (lambda (x) (* x x)))) 5)",
    "(map (lambda (x) (cons x (cons (* x x) '()))) (range 5 '()))",
    "(fold + 0 (map (lambda (f) (f 10)) (map add (range (* n 10) '()))))",
};

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: lisp [n]    runs some programs with n") < 0;

  long n = argc > 1 ? atol(argv[1]) : 18;

  lisp_begin();
  globals = cons(cons(intern("n"), cairn_value_from(n)), globals);
  for (unsigned p = 0; p < sizeof programs / sizeof *programs; p++) {
    print(lisp_run(programs[p]));
    printf("\n");
  }
  return 0;
}

#endif

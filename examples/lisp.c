/* SPDX-License-Identifier: Apache-2.0
 *
 * A small Lisp: reader, evaluator with closures, printer. Every value, environment and frame of the
 * interpreted program is a managed object; the interpreter itself holds them in plain C locals.
 *
 *   lisp [n]                 runs the programs below with n
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

enum tag { NUMBER, SYMBOL, PAIR, BUILTIN, CLOSURE };

struct object;
typedef struct object managed *value;

struct object {
  enum tag tag;
  long number;       /* of a number */
  value first, rest; /* of a pair; of a closure: parameters and body */
  value environment;
  value (*run)(value arguments);
  char name[16]; /* of a symbol */
};

static value symbols, globals, symbol_quote, symbol_if, symbol_lambda, symbol_define, symbol_t;
static const char *at; /* the reader's place */

static value make(enum tag tag, value first, value rest)
{
  value object = cairn_new(struct object);

  object->tag = tag;
  object->first = first;
  object->rest = rest;
  return object;
}

static value cons(value first, value rest)
{
  return make(PAIR, first, rest);
}

static value number(long n)
{
  value object = make(NUMBER, NULL, NULL);

  object->number = n;
  return object;
}

static int named(value symbol, const char *name)
{
  for (int i = 0; i < 16; i++) {
    if (symbol->name[i] != name[i])
      return 0;
    if (!name[i])
      return 1;
  }
  return 0;
}

static value intern(const char *name)
{
  for (value s = symbols; s; s = s->rest)
    if (named(s->first, name))
      return s->first;
  value symbol = make(SYMBOL, NULL, NULL);
  cairn_copy_in(symbol->name, name, strlen(name) + 1);
  symbols = cons(symbol, symbols);
  return symbol;
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
  value first = read();
  return cons(first, read_list());
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
    return number(strtol(at, (char **)&at, 10));
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
  } else if (v->tag == NUMBER) {
    printf("%ld", v->number);
  } else if (v->tag == SYMBOL) {
    cairn_copy_out(name, v->name, sizeof name);
    printf("%s", name);
  } else if (v->tag == PAIR) {
    const char *before = "(";
    for (; v; v = v->rest, before = " ") {
      printf("%s", before);
      print(v->first);
    }
    printf(")");
  } else {
    printf("<function>");
  }
}

/* An environment is a list of (symbol . value) pairs. */
static value lookup(value symbol, value environment)
{
  for (value e = environment; e; e = e->rest)
    if (e->first->first == symbol)
      return e->first->rest;
  for (value e = globals; e; e = e->rest)
    if (e->first->first == symbol)
      return e->first->rest;
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
  value first = eval(list->first, environment);
  return cons(first, eval_list(list->rest, environment));
}

static value bind(value parameters, value arguments, value environment)
{
  for (; parameters; parameters = parameters->rest, arguments = arguments->rest)
    environment = cons(cons(parameters->first, arguments->first), environment);
  return environment;
}

static value eval(value v, value environment)
{
  for (;;) {
    if (!v || v->tag != PAIR)
      return v && v->tag == SYMBOL ? lookup(v, environment) : v;
    value head = v->first, operands = v->rest;
    if (head == symbol_quote)
      return operands->first;
    if (head == symbol_if) {
      value branch = eval(operands->first, environment) ? operands->rest : operands->rest->rest;
      v = branch->first;
      continue;
    }
    if (head == symbol_lambda) {
      value closure = make(CLOSURE, operands->first, operands->rest->first);
      closure->environment = environment;
      return closure;
    }
    if (head == symbol_define) {
      value defined = eval(operands->rest->first, environment);
      globals = cons(cons(operands->first, defined), globals);
      return operands->first;
    }
    value function = eval(head, environment);
    value arguments = eval_list(operands, environment);
    if (function->tag == BUILTIN)
      return function->run(arguments);
    environment = bind(function->first, arguments, function->environment);
    v = function->rest;
  }
}

static value add(value a)
{
  long sum = 0;

  for (; a; a = a->rest)
    sum += a->first->number;
  return number(sum);
}

static value subtract(value a)
{
  return number(a->first->number - a->rest->first->number);
}

static value multiply(value a)
{
  return number(a->first->number * a->rest->first->number % 1000003);
}

static value less(value a)
{
  return a->first->number < a->rest->first->number ? symbol_t : NULL;
}

static value first(value a)
{
  return a->first->first;
}

static value rest(value a)
{
  return a->first->rest;
}

static value pair(value a)
{
  return cons(a->first, a->rest->first);
}

static value is_null(value a)
{
  return a->first ? NULL : symbol_t;
}

static void builtin(const char *name, value (*run)(value))
{
  value function = make(BUILTIN, NULL, NULL);

  function->run = run;
  globals = cons(cons(intern(name), function), globals);
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

static const char *const programs[] = {
    "(fib n)",
    "(fold (lambda (a x) (+ (* a 31) x)) 0 (sort (noise (* n 8) 17 '())))",
    "((compose (add 3) (compose (add n) (lambda (x) (* x x)))) 5)",
    "(map (lambda (x) (cons x (cons (* x x) '()))) (range 5 '()))",
    "(fold + 0 (map (lambda (f) (f 10)) (map add (range (* n 10) '()))))",
};

static void set_up(void)
{
  symbol_quote = intern("quote");
  symbol_if = intern("if");
  symbol_lambda = intern("lambda");
  symbol_define = intern("define");
  symbol_t = intern("t");
  builtin("+", add);
  builtin("-", subtract);
  builtin("*", multiply);
  builtin("<", less);
  builtin("car", first);
  builtin("cdr", rest);
  builtin("cons", pair);
  builtin("null?", is_null);
  for (at = library; *at;)
    eval(read(), NULL);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: lisp [n]    runs some programs with n") < 0;

  long n = argc > 1 ? atol(argv[1]) : 18;

  set_up();
  globals = cons(cons(intern("n"), number(n)), globals);
  for (unsigned p = 0; p < sizeof programs / sizeof *programs; p++) {
    at = programs[p];
    print(eval(read(), NULL));
    printf("\n");
  }
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A compiler of Fun, a small functional language with inferred types, with the syntax of Lisp in the spirit of ML. The
 * result is LLVM IR for Cairn (docs/frontends.md).
 *
 *   fun library.fun IN.fun > OUT.ll       then cairn-cc -O2 OUT.ll -o PROGRAM makes the program
 *
 *   items         (define B E ...)   (data TYPE C (C TYPE ...) ...)   E       a later `data` may add constructors
 *   expressions   (let (B E ...) E)   (fun (x ...) E)   (if E E E)   (and E E)   (or E E)   (match E (P E) ...)
 *                 (try E (P E) ...)   (E E ...)   (C E ...)   x   C   7   "text"   true   false   ()
 *   binders B     x   (f x ...) for a function, which sees all functions of its group; values see earlier values, too
 *   patterns P    x   7   true   false   ()   C   (C P ...)                    constructors C begin with a capital
 *
 * Values. A *word* is a reference or an immediate of kind 0:1 (docs/words.md); the fields of objects are words. In the
 * code of a function, an int n is the i64 2n, so sums wrap at 63 bits; false, true and () are 0, 2 and 0. A constructor
 * without fields is null or an immediate; with fields it is an object, which begins with a number if its type has
 * several such constructors.
 *
 * Functions. A function of Fun becomes a function of IR. Its parameters are the captured variables and its own
 * parameters, so a full call by name is a direct call without a closure. Other calls go through a closure, an object
 * whose first word is code that takes the closure and one argument. With n > 1 parameters this code is @curry.n, and
 * the second word is code that takes n arguments. So a call with one argument calls the first word, and a call with n
 * arguments calls the second word if the first one is @curry.n. Code of closures takes and returns words.
 *
 * The text of IR has short forms: `$` is the type of words, `ptr addrspace(1)`, and `#` the attributes of a function.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 6, MAX_ARGUMENTS = 4, MAX_VALUES = 64 }; /* of functions, of unknown calls, in one place */

static const char *path;

static _Noreturn void fail(int line, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  fprintf(stderr, "%s:%d: error: ", path, line);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  exit(1);
}

static void *checked(void *memory) { return memory ? memory : (fail(0, "out of memory"), NULL); }

/* Memory lives until the end of the compiler. */
#define NEW(type, ...) memcpy(checked(malloc(sizeof(type))), &(type){__VA_ARGS__}, sizeof(type))

static const char *text(const char *format, ...)
{
  char *result = NULL;
  va_list list;
  va_start(list, format);
  result = vasprintf(&result, format, list) < 0 ? NULL : result;
  va_end(list);
  return checked(result);
}

/* ---- syntax ---- */

enum syntax { SYMBOL, NUMBER, STRING, LIST };

/* The meanings of expressions and patterns. Numbers, false, true and () are constants. */
enum meaning { CONSTANT, LITERAL, VARIABLE, FUNCTION, CONSTRUCT, CALL, DEFINE, LET, IF, MATCH, TRY };

struct node {
  enum syntax syntax;
  int line;
  const char *text;          /* of a symbol; the bytes of a string */
  long number;               /* of a constant; the length of a string */
  struct node *first, *next; /* the first node of this list, and the next node of the list around this one */
  enum meaning meaning;      /* the inference sets this member and the following ones */
  struct type *type;
  struct variable *variable;
  struct constructor *constructor;
  struct function *function;
};

static const char *at; /* the rest of the source */
static int line;

/* A string between quotation marks or, for IR, between braces, which nest. It has no escape sequences. */
static void read_string(struct node *n)
{
  const char *start = at;
  int depth = 1;
  while (depth > 0 && *++at != '\0') {
    depth += *start == '{' ? (*at == '{') - (*at == '}') : -(*at == '"');
    line += *at == '\n';
  }
  if (depth > 0)
    fail(n->line, "a string has no end");
  n->syntax = STRING;
  n->number = at++ - start - 1;
  n->text = text("%.*s", (int)n->number, start + 1);
}

/* The nodes up to the end of the list or of the source. */
static struct node *read_nodes(bool in_list)
{
  struct node *first = NULL, **last = &first;
  for (;;) {
    for (; isspace((unsigned char)*at) || *at == ';'; at += *at == ';' ? strcspn(at, "\n") : 1)
      line += *at == '\n';
    if (*at == '\0' || *at == ')')
      break;
    struct node *n = *last = NEW(struct node, SYMBOL, line);
    last = &n->next;
    if (*at == '(') {
      at++;
      n->syntax = LIST;
      n->first = read_nodes(true);
    } else if (*at == '"' || *at == '{') {
      read_string(n);
    } else {
      char *end;
      n->text = text("%.*s", (int)strcspn(at, " \t\r\n();\"{"), at);
      n->number = strtol(n->text, &end, 10);
      n->syntax = *end == '\0' ? NUMBER : SYMBOL;
      at += strlen(n->text);
    }
  }
  if (in_list != (*at == ')'))
    fail(line, in_list ? "')' is missing" : "')' without '('");
  at += in_list;
  return first;
}

static bool is(const struct node *n, const char *s) { return n && n->syntax == SYMBOL && strcmp(n->text, s) == 0; }

/* The first node of a list, or the node itself. */
static struct node *head_of(struct node *n) { return n->syntax == LIST && n->first ? n->first : n; }

static struct node *tail_of(const struct node *n) { return n->syntax == LIST && n->first ? n->first->next : NULL; }

/* The node, which the expression `of` needs. */
static struct node *need(const struct node *of, struct node *n)
{
  return n ? n : (fail(of->line, "an operand is missing"), NULL);
}

static unsigned length_of(const struct node *list) { return list ? 1 + length_of(list->next) : 0; }

/* ---- types ---- */

enum { GENERIC = INT_MAX };

/* A variable, if it has no name; else a constructor of types, such as "int", "list", "->", with up to two arguments. */
struct type {
  const char *name;
  struct type *a, *b;        /* arguments, or null */
  int level;                 /* of a variable: the depth of the group that may generalise it; later GENERIC */
  struct type *value, *copy; /* of a variable: its value, or null; its copy of this age */
  unsigned age;
};

static int level;
static unsigned age;            /* of the copies of a scheme's variables */
static struct type *quoted[26]; /* the variables 'a, 'b, ... of the item in work */

static struct type *fresh(int of_level) { return NEW(struct type, .level = of_level); }

static struct type *type_of(const char *name, struct type *a, struct type *b) { return NEW(struct type, name, a, b); }

static struct type *prune(struct type *t) { return t && t->value ? prune(t->value) : t; }

static const char *show(struct type *t)
{
  return !(t = prune(t)) ? "" : !t->name ? "'a" : !t->a ? t->name : text("(%s %s %s)", t->name, show(t->a), show(t->b));
}

static bool is_type(struct type *t, const char *name) { return prune(t)->name && strcmp(prune(t)->name, name) == 0; }

/* Lowers the levels of the type's variables to at most `limit`; false if `part` is one of the variables. */
static bool lower_levels(struct type *t, const struct type *part, int limit)
{
  if (!(t = prune(t)))
    return true;
  t->level = t->level < limit ? t->level : limit;
  return t != part && lower_levels(t->a, part, limit) && lower_levels(t->b, part, limit);
}

static bool unite(struct type *a, struct type *b)
{
  a = prune(a);
  b = prune(b);
  if (a == b || !a || !b)
    return a == b;
  if (!a->name)
    return lower_levels(b, a, a->level) && (a->value = b);
  return b->name ? strcmp(a->name, b->name) == 0 && unite(a->a, b->a) && unite(a->b, b->b) : unite(b, a);
}

static void unify(const struct node *n, struct type *found, struct type *wanted)
{
  if (!unite(found, wanted))
    fail(n->line, "this has type %s, and type %s is expected", show(found), show(wanted));
}

static void generalise(struct type *t)
{
  if (!(t = prune(t)))
    return;
  t->level = t->level > level ? GENERIC : t->level;
  generalise(t->a);
  generalise(t->b);
}

/* The copy of a scheme with fresh variables; the caller begins a new age. The type `never` is any type. */
static struct type *copy(struct type *t)
{
  if (!(t = prune(t)) || (!t->name && t->level != GENERIC))
    return t;
  if (t->name)
    return is_type(t, "never") ? fresh(level) : type_of(t->name, copy(t->a), copy(t->b));
  if (t->age != age)
    t->copy = fresh(level), t->age = age;
  return t->copy;
}

static struct type *read_type(struct node *n);

/* The type of a function from the first nodes of a list to the last one. */
static struct type *read_arrow(struct node *n)
{
  struct type *from = read_type(n);
  return n->next ? type_of("->", from, read_arrow(n->next)) : from;
}

static struct type *read_type(struct node *n)
{
  struct node *head = head_of(n), *a = tail_of(n);
  if (head->syntax != SYMBOL || (*head->text == '\'' && !islower((unsigned char)head->text[1])))
    fail(n->line, "a type is expected");
  if (is(head, "->"))
    return read_arrow(need(n, a));
  if (*head->text != '\'')
    return type_of(head->text, a ? read_type(a) : NULL, a && a->next ? read_type(a->next) : NULL);
  struct type **variable = &quoted[head->text[1] - 'a'];
  return *variable = *variable ? *variable : fresh(GENERIC);
}

/* ---- inference ---- */

/* The forms of values in IR, and the types of the forms. CODE is an address of code. */
enum form { WORD, INT, CODE };
static const char *const ir_types[] = {"$", "i64", "ptr"};

struct value {
  enum form form;
  const char *text;
};

struct variable {
  const char *name;
  struct type *type;
  struct function *owner;    /* binds the variable */
  struct function *function; /* the value, if the variable is the name of a function; else null */
  struct variable *next;     /* the next one outwards */
  struct value value;        /* in the function in work */
};

/* A captured variable of a function, or a use of a variable in a function. */
struct use {
  struct function *user;
  struct variable *variable;
  struct use *next;
};

struct function {
  const char *name;
  struct node *parameters, *body; /* a list; an expression, or null if the library has the IR */
  unsigned count;                 /* of parameters */
  struct type *type;              /* of the result */
  struct function *next, *parent; /* of all functions; the function around this one */
  enum form takes[MAX_PARAMETERS], gives;
  struct use *captured;
  bool never_returns, has_closure;
};

struct constructor {
  const char *name, *of;   /* its own and its type's */
  struct type *type;       /* of a function from the fields to the result */
  unsigned *counts;        /* of the type's constructors without fields, and with fields */
  unsigned number, fields; /* the number among the constructors of its kind; the number of fields */
  struct constructor *next;
};

static struct variable *scope;
static struct constructor *constructors;
static struct function program = {"program"}, *functions = &program, *current = &program;
static struct use *uses;
static unsigned numbers; /* of made names */
static FILE *ir, *data;  /* functions, and constants, of the module */

static struct type *check(struct node *n);

static struct variable *bind(struct node *n, struct type *type)
{
  if (n->syntax != SYMBOL)
    fail(n->line, "a variable is expected");
  n->meaning = VARIABLE;
  return scope = n->variable = NEW(struct variable, n->text, type, current, .next = scope);
}

static struct type *check_variable(struct node *n)
{
  struct variable *v = scope;
  while (v && strcmp(v->name, n->text) != 0)
    v = v->next;
  if (!v)
    fail(n->line, "'%s' is unknown", n->text);
  n->meaning = VARIABLE;
  n->variable = v;
  uses = NEW(struct use, current, v, uses);
  age++;
  return copy(v->type);
}

/* A constant, or a constructed value whose parts are expressions or patterns; null if the node is neither. */
static struct type *check_constructed(struct node *n, struct type *check_part(struct node *))
{
  struct node *head = head_of(n), *part = tail_of(n);
  struct constructor *c = constructors;
  if (n->syntax == NUMBER || head->syntax == LIST || is(n, "true") || is(n, "false")) {
    n->number = n->syntax == NUMBER ? n->number : is(n, "true");
    const char *type = n->syntax == NUMBER ? "int" : n->syntax == SYMBOL ? "bool" : "unit";
    return n->syntax == LIST && n->first ? NULL : type_of(type, NULL, NULL);
  }
  if (head->syntax != SYMBOL || !isupper((unsigned char)*head->text))
    return NULL;
  while (c && strcmp(c->name, head->text) != 0)
    c = c->next;
  if (!c || length_of(part) != c->fields)
    fail(n->line, "'%s' is not a constructor with %u fields", head->text, length_of(part));
  n->meaning = CONSTRUCT;
  n->constructor = c;
  age++;
  struct type *t = copy(c->type);
  for (; part; part = part->next, t = t->b)
    unify(part, check_part(part), t->a);
  return t;
}

static struct type *check_pattern(struct node *n)
{
  struct type *t = check_constructed(n, check_pattern);
  return t ? t : bind(n, fresh(level))->type;
}

static struct type *check_rules(struct node *rule, struct type *matched)
{
  struct type *result = fresh(level);
  for (; rule; rule = rule->next) {
    struct variable *outer = scope;
    unify(rule, check_pattern(need(rule, rule->first)), matched);
    unify(rule, check(need(rule, rule->first->next)), result);
    scope = outer;
  }
  return result;
}

static struct function *make_function(struct node *n, const char *name, struct node *parameters, struct node *body)
{
  unsigned count = length_of(parameters);
  if (count == 0 || count > MAX_PARAMETERS)
    fail(n->line, "a function has 1 to %d parameters", MAX_PARAMETERS);
  functions = NEW(struct function, text("%s.%u", name, ++numbers), parameters, body, count, NULL, functions);
  return n->function = functions;
}

static struct type *check_function(struct function *f)
{
  struct variable *outer = scope;
  struct type *t = NULL, **end = &t;
  f->parent = current;
  current = f;
  for (struct node *p = f->parameters; p; p = p->next, end = &(*end)->b)
    *end = type_of("->", bind(p, fresh(level))->type, NULL);
  *end = f->type = check(f->body);
  current = f->parent;
  scope = outer;
  return t;
}

/* Binders and expressions in turn. Functions come first. */
static void check_bindings(struct node *first)
{
  level++;
  for (struct node *b = first; b; b = b->next->next)
    if (need(b, b->next) && b->syntax == LIST) {
      struct node *name = need(b, b->first);
      bind(name, fresh(level))->function = make_function(b, name->text, name->next, b->next);
    }
  for (struct node *b = first; b; b = b->next->next)
    if (b->syntax == LIST)
      unify(b, check_function(b->function), b->first->variable->type);
  level--;
  for (struct node *b = first; b; b = b->next->next)
    if (b->syntax == LIST)
      generalise(b->first->variable->type);
    else
      bind(b, check(b->next));
}

static struct type *check_call(struct node *n)
{
  struct type *t = check(n->first);
  n->meaning = CALL;
  for (struct node *argument = n->first->next; argument; argument = argument->next) {
    struct type *from = check(argument), *to = fresh(level);
    unify(argument, type_of("->", from, to), t);
    t = to;
  }
  return t;
}

/* (and A B) becomes (if A B false), and (or A B) becomes (if A true B). */
static struct type *check_if(struct node *n)
{
  struct node *a = need(n, tail_of(n)), *b = need(n, a->next);
  if (is(n->first, "and"))
    b->next = NEW(struct node, SYMBOL, n->line, "false");
  if (is(n->first, "or"))
    a->next = NEW(struct node, SYMBOL, n->line, "true", .next = b);
  n->meaning = IF;
  unify(a, check(a), type_of("bool", NULL, NULL));
  struct type *t = check(a->next);
  unify(n, check(need(n, a->next->next)), t);
  return t;
}

/* A list that begins with a keyword; null for other lists. */
static struct type *check_keyword(struct node *n)
{
  struct node *head = n->first, *second = head->next;
  struct variable *outer = scope;
  struct type *t = NULL;
  if (is(head, "let")) {
    n->meaning = LET;
    check_bindings(need(n, second)->first);
    t = check(need(n, second->next));
    scope = outer;
  } else if (is(head, "fun")) {
    n->meaning = FUNCTION;
    t = check_function(make_function(n, "fun", need(n, second)->first, need(n, second->next)));
  } else if (is(head, "if") || is(head, "and") || is(head, "or")) {
    t = check_if(n);
  } else if (is(head, "match")) {
    n->meaning = MATCH;
    t = check(need(n, second));
    t = check_rules(second->next, t);
  } else if (is(head, "try")) {
    n->meaning = TRY;
    t = check(need(n, second));
    unify(n, check_rules(second->next, type_of("exn", NULL, NULL)), t);
  }
  return t;
}

static struct type *check(struct node *n)
{
  if ((n->type = check_constructed(n, check)))
    return n->type;
  if (n->syntax == STRING)
    n->type = type_of("string", NULL, NULL), n->meaning = LITERAL;
  else if (n->syntax == SYMBOL)
    n->type = check_variable(n);
  else if (!(n->type = check_keyword(n)))
    n->type = check_call(n);
  return n->type;
}

/* ---- items ---- */

static enum form form_of(struct type *t)
{
  return is_type(t, "int") || is_type(t, "bool") || is_type(t, "unit") ? INT : WORD;
}

/* (data TYPE C ...) */
static void check_data(struct node *type)
{
  const char *of = head_of(type)->text;
  for (struct node *n = type->next; n; n = n->next) {
    struct node *fields = tail_of(n), **end = &fields;
    struct constructor *c = constructors;
    unsigned count = length_of(fields);
    while (*end)
      end = &(*end)->next;
    *end = NEW(struct node, type->syntax, n->line, type->text, .first = type->first);
    while (c && strcmp(c->of, of) != 0)
      c = c->next;
    unsigned *counts = c ? c->counts : checked(calloc(2, sizeof *counts));
    c = NEW(struct constructor, head_of(n)->text, of, read_arrow(fields), counts, counts[count > 0]++, count);
    c->next = constructors;
    constructors = c;
  }
}

/* (primitive NAME TYPE IR) */
static void check_primitive(struct node *name)
{
  struct type *t = read_type(need(name, name->next));
  struct function *f = NEW(struct function, name->text, .next = functions, .parent = &program);
  bind(name, t)->function = functions = f;
  for (; is_type(t, "->") && f->count < MAX_PARAMETERS; t = t->b)
    f->takes[f->count++] = form_of(t->a);
  f->gives = form_of(t);
  f->never_returns = is_type(t, "never");
  fputs(need(name, name->next->next)->text, ir);
}

static void check_item(struct node *n)
{
  struct node *head = head_of(n), *second = tail_of(n);
  memset(quoted, 0, sizeof quoted);
  if (is(head, "define"))
    n->meaning = DEFINE, check_bindings(need(n, second));
  else if (is(head, "data"))
    check_data(need(n, second));
  else if (is(head, "primitive"))
    check_primitive(need(n, second));
  else if (is(head, "ir"))
    fputs(need(n, second)->text, ir);
  else
    check(n);
}

/* ---- captured variables, and forms of results ---- */

/* True if the variable is new to the function or to a function around it. */
static bool capture(struct function *f, struct variable *v)
{
  if (f == v->owner)
    return false;
  struct use *c = f->captured;
  while (c && c->variable != v)
    c = c->next;
  if (!c)
    f->captured = NEW(struct use, f, v, f->captured);
  return capture(f->parent, v) || !c;
}

/* A function captures the variables that it uses, and the variables that the functions that it uses have captured. */
static void capture_variables(void)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (struct use *u = uses; u; u = u->next)
      if (!u->variable->function)
        changed |= capture(u->user, u->variable);
      else
        for (struct use *c = u->variable->function->captured; c; c = c->next)
          changed |= capture(u->user, c->variable);
  }
}

/* The function that a call calls directly, or null. */
static struct function *callee_of(const struct node *call)
{
  struct function *f = call->first->meaning == VARIABLE ? call->first->variable->function : NULL;
  return f && length_of(call->first->next) >= f->count ? f : NULL;
}

/* True if each call in tail position returns this form, or never. */
static bool tail_calls_give(enum form form, struct node *n)
{
  struct node *last = tail_of(n);
  if (n->meaning == CALL) {
    struct function *f = callee_of(n);
    return f && ((f->gives == form && f->count == length_of(last)) || f->never_returns);
  }
  if (n->meaning == LET)
    return tail_calls_give(form, last->next);
  if (n->meaning == IF)
    return tail_calls_give(form, last->next) && tail_calls_give(form, last->next->next);
  for (struct node *rule = n->meaning == MATCH || n->meaning == TRY ? last->next : NULL; rule; rule = rule->next)
    if (!tail_calls_give(form, rule->first->next))
      return false;
  return true;
}

/* A function gives an int as a word if it ends in a call that gives a word: no conversion may follow a tail call. */
static void choose_forms(void)
{
  for (struct function *f = functions; f != &program; f = f->next) {
    unsigned count = 0;
    for (struct node *p = f->parameters; p; p = p->next)
      f->takes[count++] = form_of(p->variable->type);
    f->gives = f->body ? form_of(f->type) : f->gives;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (struct function *f = functions; f != &program; f = f->next)
      if (f->body && f->gives == INT && !tail_calls_give(INT, f->body))
        f->gives = WORD, changed = true;
  }
}

/* ---- code of expressions ---- */

static const char *label, *unwind; /* the block in work; the landing pad of calls, or null */

/* Values, such as arguments, fields and captured variables. */
struct values {
  unsigned count;
  struct value at[MAX_VALUES];
};

static struct value set(enum form form, const char *format, ...)
{
  struct value v = {form, text("%%v%u", ++numbers)};
  va_list list;
  va_start(list, format);
  fprintf(ir, "  %s = ", v.text);
  vfprintf(ir, format, list);
  fputc('\n', ir);
  va_end(list);
  return v;
}

static void begin(const char *block)
{
  fprintf(ir, "%s:\n", block);
  label = block;
}

/* Branches to `other` unless the condition of type i1 holds. */
static void branch(struct value condition, const char *other)
{
  const char *next = text("then.%u", ++numbers);
  fprintf(ir, "  br i1 %s, label %%%s, label %%%s\n", condition.text, next, other);
  begin(next);
}

static struct value as(enum form form, struct value v)
{
  if (v.form == form)
    return v;
  return form == INT ? set(INT, "call i64 @int_of_word($ %s)", v.text)
                     : set(WORD, "call $ @word_of_int(i64 %s)", v.text);
}

static void add(struct values *values, enum form form, const char *value)
{
  if (values->count == MAX_VALUES)
    fail(0, "more than %d values in one place", MAX_VALUES);
  values->at[values->count++] = (struct value){form, value};
}

static const char *list_of(const struct values *values, bool types_only)
{
  const char *list = "";
  for (unsigned i = 0; i < values->count; i++)
    list = text("%s%s%s %s", list, i ? ", " : "", ir_types[values->at[i].form], types_only ? "" : values->at[i].text);
  return list;
}

static struct value emit_call(enum form form, bool last, const char *callee, const struct values *arguments)
{
  const char *call = text("%s @\"%s\"(%s)", ir_types[form], callee, list_of(arguments, false));
  if (!unwind)
    return set(form, "%scall %s", last ? "tail " : "", call);
  const char *next = text("next.%u", ++numbers);
  struct value v = set(form, "invoke %s to label %%%s unwind label %%%s", call, next, unwind);
  begin(next);
  return v;
}

static struct value emit_field(enum form form, struct value object, unsigned field)
{
  struct value place = set(WORD, "getelementptr i8, $ %s, i64 %u", object.text, 8 * field);
  return set(form, "load %s, $ %s", ir_types[form], place.text);
}

static struct value emit_object(const char *name, const struct values *fields)
{
  unsigned layout = ++numbers;
  fprintf(data, "@layout.%u = internal constant { %s } zeroinitializer, !cairn.type !{!\"%s\"}\n", layout,
          list_of(fields, true), name);
  struct value o = set(WORD, "call $ @cairn_alloc(ptr @layout.%u, i64 %u)", layout, 8 * fields->count);
  for (unsigned i = 0; i < fields->count; i++) {
    struct value place = set(WORD, "getelementptr i8, $ %s, i64 %u", o.text, 8 * i);
    fprintf(ir, "  store %s %s, $ %s\n", ir_types[fields->at[i].form], fields->at[i].text, place.text);
  }
  return o;
}

/* The code addresses at the start of a closure. Behind a function's entry for native code lies the address for calls
 * that promise a managed callee. */
static void add_codes(struct values *values, const struct function *f)
{
  if (f->count > 1)
    add(values, CODE, text("getelementptr (i8, ptr @curry.%u, i64 24)", f->count));
  add(values, CODE, text("getelementptr (i8, ptr @\"%s.code\", i64 24)", f->name));
}

static void add_captured(struct values *values, const struct function *f)
{
  for (struct use *c = f->captured; c; c = c->next)
    add(values, c->variable->value.form, c->variable->value.text);
}

static struct value emit_closure(struct function *f)
{
  struct values fields = {0};
  f->has_closure = true;
  if (f->count > MAX_ARGUMENTS)
    fail(0, "%s: a function with more than %d parameters is no value", f->name, MAX_ARGUMENTS);
  add_codes(&fields, f);
  add_captured(&fields, f);
  return f->captured ? emit_object(f->name, &fields) : (struct value){WORD, text("@\"%s.closure\"", f->name)};
}

static struct value emit(struct node *n);

/* Adds the values of expressions, which are computed from right to left: `count` of the forms, and then words. */
static void add_expressions(struct values *values, struct node *first, const enum form *forms, unsigned count)
{
  if (!first)
    return;
  unsigned place = values->count;
  add(values, WORD, NULL);
  add_expressions(values, first->next, forms + (count > 0), count - (count > 0));
  values->at[place] = as(count > 0 ? *forms : WORD, emit(first));
}

/* The place of a value: a block with a phi, or the result of the function, if `block` is null. */
struct place {
  const char *block;
  enum form form;
  const char *values; /* of the phi */
};

static struct place tail;

/* Ends the block in work with the value. */
static void finish(struct value v, struct place *to)
{
  v = as(to->block ? to->form : current->gives, v);
  if (!to->block) {
    fprintf(ir, "  ret %s %s\n", ir_types[v.form], v.text);
    return;
  }
  to->values = text("%s%s [ %s, %%%s ]", to->values, *to->values ? "," : "", v.text, label);
  fprintf(ir, "  br label %%%s\n", to->block);
}

static struct value emit_call_of(struct node *n, bool last)
{
  struct function *f = callee_of(n);
  struct values arguments = {0}, known = {0}, words = {1};
  add_expressions(&arguments, n->first->next, f ? f->takes : NULL, f ? f->count : 0);
  unsigned count = f ? f->count : 0;
  bool whole = f && count == arguments.count;
  if (f) {
    add_captured(&known, f);
    for (unsigned i = 0; i < count; i++)
      add(&known, arguments.at[i].form, arguments.at[i].text);
    words.at[0] = emit_call(f->gives, last && whole && f->gives == current->gives, f->name, &known);
  } else {
    words.at[0] = emit(n->first);
  }
  for (unsigned i = count; i < arguments.count; i++)
    add(&words, WORD, arguments.at[i].text);
  if (words.count > MAX_ARGUMENTS + 1)
    fail(n->line, "a call through a closure has more than %d arguments", MAX_ARGUMENTS);
  const char *apply = text("apply.%u", words.count - 1);
  return whole ? words.at[0] : emit_call(WORD, last && current->gives == WORD, apply, &words);
}

/* An object or, without fields, null or the constructor's number as an immediate. */
static struct value emit_constructed(struct node *n)
{
  struct constructor *c = n->constructor;
  struct values fields = {0};
  if (c->fields == 0)
    return c->number ? set(WORD, "call $ @cairn.tag.from(i64 %u)", c->number) : (struct value){WORD, "null"};
  if (c->counts[1] > 1)
    add(&fields, INT, text("%u", c->number));
  add_expressions(&fields, tail_of(n), NULL, 0);
  return emit_object(c->name, &fields);
}

/* Branches to `other` unless the value matches; sets the pattern's variables. */
static void emit_pattern(struct node *p, struct value v, const char *other)
{
  struct constructor *c = p->constructor;
  if (p->meaning == VARIABLE) {
    p->variable->value = as(form_of(p->variable->type), v);
  } else if (p->meaning == CONSTANT) {
    branch(set(INT, "icmp eq i64 %s, %ld", as(INT, v).text, 2 * p->number), other);
  } else if (c->fields == 0) {
    branch(set(INT, "icmp eq $ %s, %s", v.text, emit_constructed(p).text), other);
  } else {
    unsigned place = c->counts[1] > 1;
    if (c->counts[0] > 0)
      branch(set(INT, "icmp ne $ %s, null", v.text), other);
    if (c->counts[0] > 1)
      branch(set(INT, "call i1 @is_reference($ %s)", v.text), other);
    if (c->counts[1] > 1)
      branch(set(INT, "icmp eq i64 %s, %u", emit_field(INT, v, 0).text, c->number), other);
    for (struct node *field = tail_of(p); field; field = field->next)
      emit_pattern(field, emit_field(WORD, v, place++), other);
  }
}

static void emit_to(struct node *n, struct place *to);

static void emit_if(struct node *condition, struct place *to)
{
  const char *other = text("else.%u", ++numbers);
  branch(set(INT, "icmp ne i64 %s, 0", as(INT, emit(condition)).text), other);
  emit_to(condition->next, to);
  begin(other);
  emit_to(condition->next->next, to);
}

/* The rules for a value. If they all fail, `failure` is raised or, if it is null, Match_failure. */
static void emit_rules(struct node *rule, struct value v, const char *failure, struct place *to)
{
  struct values raised = {failure != NULL, {{WORD, failure}}};
  for (; rule; rule = rule->next) {
    const char *other = text("other.%u", ++numbers);
    emit_pattern(rule->first, v, other);
    emit_to(rule->first->next, to);
    begin(other);
  }
  emit_call(WORD, false, failure ? "raise" : "match_failure", &raised);
  fputs("  unreachable\n", ir);
}

/* The calls of a `try` are invokes in a span of key 1 (docs/frontends.md, "Exceptions"). */
static void emit_try(struct node *body, struct place *to)
{
  const char *outer = unwind, *pad = text("pad.%u", ++numbers);
  fputs("  call void @cairn.span.begin(i64 1, ptr null)\n", ir);
  unwind = pad;
  struct value v = emit(body);
  unwind = outer;
  fputs("  call void @cairn.span.end(i64 1)\n", ir);
  finish(v, to);
  begin(pad);
  fprintf(ir, "  %%l%u = landingpad { ptr, i32 } catch ptr null\n", ++numbers);
  v = set(WORD, "call $ @cairn_thrown()");
  fputs("  call void @cairn.span.end(i64 1)\n", ir);
  emit_rules(body->next, v, v.text, to);
}

static void emit_bindings(struct node *b)
{
  for (; b; b = b->next->next)
    if (b->syntax != LIST)
      b->variable->value = as(form_of(b->variable->type), emit(b->next));
}

static struct value emit_literal(const struct node *n)
{
  const char *name = text("@string.%u", ++numbers);
  fprintf(data, "%s = internal addrspace(1) constant { i64, [%ld x i8] } { i64 %ld, [%ld x i8] c\"", name, n->number,
          2 * n->number, n->number);
  for (long i = 0; i < n->number; i++)
    fprintf(data, "\\%02X", (unsigned char)n->text[i]);
  fputs("\" }, align 8\n", data);
  return (struct value){WORD, name};
}

/* Computes an expression in its place. */
static void emit_to(struct node *n, struct place *to)
{
  struct node *second = tail_of(n);
  if (n->meaning == LET)
    emit_bindings(second->first), emit_to(second->next, to);
  else if (n->meaning == IF)
    emit_if(second, to);
  else if (n->meaning == MATCH)
    emit_rules(second->next, emit(second), NULL, to);
  else if (n->meaning == TRY)
    emit_try(second, to);
  else
    finish(n->meaning == CALL ? emit_call_of(n, to == &tail) : emit(n), to);
}

static struct value emit(struct node *n)
{
  struct place to = {text("end.%u", ++numbers), n->type ? form_of(n->type) : INT, ""};
  switch (n->meaning) {
  case CONSTANT:
    return (struct value){INT, text("%ld", 2 * n->number)};
  case LITERAL:
    return emit_literal(n);
  case VARIABLE:
    return n->variable->function ? emit_closure(n->variable->function) : n->variable->value;
  case FUNCTION:
    return emit_closure(n->function);
  case CONSTRUCT:
    return emit_constructed(n);
  case CALL:
    return emit_call_of(n, false);
  default:
    emit_to(n, &to);
    begin(to.block);
    return set(to.form, "phi %s%s", ir_types[to.form], to.values);
  }
}

/* ---- functions ---- */

static void emit_head(const char *name, enum form gives, const struct values *parameters)
{
  fprintf(ir, "define internal %s @\"%s\"(%s) # personality ptr @__gcc_personality_v0 {\n", ir_types[gives], name,
          list_of(parameters, false));
  begin("entry");
}

static void emit_function(struct function *f)
{
  struct values parameters = {0};
  for (struct use *c = f->captured; c; c = c->next) {
    add(&parameters, form_of(c->variable->type), text("%%p%u", ++numbers));
    c->variable->value = parameters.at[parameters.count - 1];
  }
  for (struct node *p = f->parameters; p; p = p->next) {
    add(&parameters, form_of(p->variable->type), text("%%p%u", ++numbers));
    p->variable->value = parameters.at[parameters.count - 1];
  }
  emit_head(f->name, f->gives, &parameters);
  current = f;
  emit_to(f->body, &tail);
  fputs("}\n", ir);
}

/* The code of the function's closures. A closure without captured variables is a constant. */
static void emit_closure_code(struct function *f)
{
  struct values parameters = {1, {{WORD, "%self"}}}, arguments = {0}, codes = {0};
  for (unsigned i = 0; i < f->count; i++)
    add(&parameters, WORD, text("%%p%u", i));
  emit_head(text("%s.code", f->name), WORD, &parameters);
  add_codes(&codes, f);
  unsigned place = codes.count;
  for (struct use *c = f->captured; c; c = c->next) {
    struct value v = emit_field(form_of(c->variable->type), parameters.at[0], place++);
    add(&arguments, v.form, v.text);
  }
  for (unsigned i = 0; i < f->count; i++)
    add(&arguments, f->takes[i], as(f->takes[i], parameters.at[i + 1]).text);
  struct value result = as(WORD, emit_call(f->gives, f->gives == WORD, f->name, &arguments));
  fprintf(ir, "  ret $ %s\n}\n", result.text);
  if (!f->captured)
    fprintf(data, "@\"%s.closure\" = internal addrspace(1) constant { %s } { %s }, align 8\n", f->name,
            list_of(&codes, true), list_of(&codes, false));
}

static void emit_program(struct node *items)
{
  for (struct function *f = functions; f != &program; f = f->next)
    if (f->body)
      emit_function(f);
  current = &program;
  emit_head("main.program", INT, &(struct values){0});
  for (; items; items = items->next)
    items->meaning == DEFINE ? emit_bindings(tail_of(items)) : (void)emit(items);
  fputs("  ret i64 0\n}\n", ir);
  for (struct function *f = functions; f != &program; f = f->next)
    if (f->has_closure)
      emit_closure_code(f);
}

/* ---- files ---- */

/* Reads and checks the items of a file. */
static struct node **add_file(const char *name, struct node **last)
{
  FILE *file = fopen(path = name, "r");
  char *source = NULL;
  size_t size = 0;
  if (!file || getdelim(&source, &size, '\0', file) < 0)
    fail(0, "cannot be read");
  fclose(file);
  at = source;
  line = 1;
  for (*last = read_nodes(false); *last; last = &(*last)->next)
    check_item(*last);
  return last;
}

/* Prints IR, without short forms. */
static void print(FILE *stream, char *const *part)
{
  fclose(stream);
  for (const char *c = *part; *c; c++)
    fputs(*c == '$' ? "ptr addrspace(1)" : *c == '#' ? "gc \"statepoint-example\"" : (char[]){*c, '\0'}, stdout);
}

int main(int argc, char **argv)
{
  char *code = NULL, *constants = NULL;
  size_t size;
  struct node *items = NULL;
  if (argc != 3)
    return puts("usage: fun library.fun IN.fun > OUT.ll    compiles to LLVM IR for cairn-cc") < 0 || argc != 2;
  ir = checked(open_memstream(&code, &size));
  data = checked(open_memstream(&constants, &size));
  add_file(argv[2], add_file(argv[1], &items));
  capture_variables();
  choose_forms();
  emit_program(items);
  print(data, &constants);
  print(ir, &code);
  return fclose(stdout) != 0;
}

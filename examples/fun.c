/* SPDX-License-Identifier: Apache-2.0
 *
 * A compiler of Fun, a small functional language with inferred types, with the syntax of Lisp in the spirit of ML. The
 * result is LLVM IR for Cairn in the forms that docs/frontends.md describes ("A functional language").
 *
 *   fun library.ll library.fun IN.fun > OUT.ll       then cairn-cc -O2 OUT.ll -o PROGRAM makes the program
 *
 *   items         (define B E ...)   (data TYPE C (C TYPE ...) ...)   E       a later `data` may add constructors
 *                 (macro (NAME x ...) E)   operands replace each x in E; the last x stands for all remaining operands
 *   expressions   (let (B E ...) E)   (fun (x ...) E)   (match E (P E) ...)   (E E ...)   (C E ...)   x   C
 *                 7   "text"   true   false   ()
 *                 (if E E E)   (and E E)   (or E E)   (try E (P E) ...)         by macros of library.fun
 *   binders B     x   (f x ...) for a function, which sees all functions of its group; values see earlier values, too
 *   patterns P    x   7   true   false   ()   C   (C P ...)                    constructors C begin with a capital
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
#define fail(line, ...) (fprintf(stderr, "%s:%d: error: %s\n", path, line, text(__VA_ARGS__)), exit(1))

static void *checked(void *memory) { return memory ? memory : (perror("fun"), exit(1), NULL); }

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

/* The meanings of expressions and patterns. Numbers, false, true and () are constants; (fun ...) is a variable. */
enum meaning { CONSTANT, LITERAL, VARIABLE, CONSTRUCT, CALL, DEFINE, LET, MATCH };

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
};

static const char *at; /* the rest of the source */
static int line;
static struct node *macros; /* a list of lists (PATTERN E) */

/* The nodes up to the end of the list or of the source. A string has no escape sequences. */
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
    } else if (*at == '"') {
      n->syntax = STRING;
      n->number = (long)strcspn(++at, "\"");
      n->text = text("%.*s", (int)n->number, at);
      for (long i = 0; i < n->number; i++)
        line += *at++ == '\n';
      if (*at++ != '"')
        fail(n->line, "a string has no end");
    } else {
      char *end;
      n->text = text("%.*s", (int)strcspn(at, " \t\r\n();\""), at);
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

static bool is(const struct node *n, const char *s) { return n && s && n->syntax == SYMBOL && strcmp(n->text, s) == 0; }

static struct node *head_of(struct node *n) { return n->syntax == LIST && n->first ? n->first : n; }
static struct node *tail_of(const struct node *n) { return n->syntax == LIST && n->first ? n->first->next : NULL; }

/* The node, which the expression `of` needs. */
static struct node *need(const struct node *of, struct node *n)
{
  return n ? n : (fail(of->line, "an operand is missing"), NULL);
}

static unsigned length_of(const struct node *list) { return list ? 1 + length_of(list->next) : 0; }

/* The copy of a macro's nodes for its use. Operands of the use replace the names. */
static struct node *substitute(const struct node *n, const struct node *name, const struct node *use)
{
  const struct node *names = name;
  struct node *operand = use->first->next;
  if (!n)
    return NULL;
  for (; name && !is(n, name->text); name = name->next)
    operand = need(use, operand)->next;
  struct node *copied = NEW(struct node, n->syntax, use->line, n->text, n->number, substitute(n->first, names, use));
  if (name)
    *copied = *need(use, operand);
  if (!name || name->next)
    copied->next = substitute(n->next, names, use);
  return copied;
}

static void expand_macros(struct node *n)
{
  for (struct node *m = n->syntax == LIST ? macros : NULL; m; m = m->next)
    if (is(n->first, m->first->first->text))
      n->first = substitute(m->first->next, m->first->first->next, n)->first;
}

/* ---- types ---- */

/* A variable, if it has no name; else a constructor of types, such as "int", "list", "->", with up to two arguments. */
struct type {
  const char *name;
  struct type *a, *b;        /* arguments, or null */
  int level;                 /* of a variable: the depth of the group that may generalise it */
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
  a = prune(a), b = prune(b);
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

/* The copy of a scheme, with new variables for those above a level, and for `never`. The caller begins a new age. */
static struct type *copy(struct type *t, int above)
{
  if (!(t = prune(t)) || (!t->name && t->level <= above))
    return t;
  if (t->name)
    return is_type(t, "never") ? fresh(level) : type_of(t->name, copy(t->a, above), copy(t->b, above));
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
  return *variable = *variable ? *variable : fresh(INT_MAX);
}

/* ---- inference ---- */

/* The forms of values in IR, and the types of the forms. CODE is an address of code. */
#define REF "ptr addrspace(1)"
enum form { WORD, INT, CODE };
static const char *const ir_types[] = {REF, "i64", "ptr"};

struct value {
  enum form form;
  const char *text;
};

struct variable {
  const char *name;
  struct type *type;
  int level;                 /* the type is a scheme: its variables above this level are generic */
  struct function *owner;    /* binds the variable */
  struct function *function; /* the value, if the variable is the name of a function; else null */
  struct variable *next;     /* the next one outwards */
  struct value value;        /* in the function in work */
};

/* A captured variable or a parameter of a function, or a use of a variable in a function. */
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
  struct use *variables;          /* the captured ones, and then the parameters */
  bool gives_words;               /* the result is an int that is returned as a word */
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
static FILE *ir, *data;  /* functions and constants of the module */

static struct type *check(struct node *n);
/* Checks an expression outside of tail position. A `let` or `match` there becomes the body of a local function. */
static struct type *check_operand(struct node *n)
{
  expand_macros(n);
  if (is(n->first, "let") || is(n->first, "match")) {
    struct node *body = NEW(struct node, n->syntax, n->line, .first = n->first);
    n->first = NEW(struct node, SYMBOL, n->line, "%operand", .next = body);
  }
  return check(n);
}

static struct variable *bind(struct node *n, struct type *type)
{
  if (n->syntax != SYMBOL)
    fail(n->line, "a variable is expected");
  n->meaning = VARIABLE;
  return scope = n->variable = NEW(struct variable, n->text, type, level, current, .next = scope);
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
  return copy(v->type, v->level);
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
  struct type *t = copy(c->type, 0);
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
  return functions = NEW(struct function, text("%s.%u", name, ++numbers), parameters, need(n, body), count,
                         .next = functions);
}

static struct type *check_function(struct function *f)
{
  struct variable *outer = scope;
  struct type *t = NULL, **end = &t;
  struct use **last = &f->variables;
  f->parent = current;
  current = f;
  for (struct node *p = f->parameters; p; p = p->next, end = &(*end)->b, last = &(*last)->next) {
    *last = NEW(struct use, f, bind(p, fresh(level)));
    *end = type_of("->", p->variable->type, NULL);
  }
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
      unify(b, check_function(b->first->variable->function), b->first->variable->type);
  level--;
  for (struct node *b = first; b; b = b->next->next)
    if (b->syntax == LIST)
      b->first->variable->level = level;
    else
      bind(b, check_operand(b->next));
}

/* The function that a call names, or null. */
static struct function *named_function(const struct node *call)
{
  return call->first->meaning == VARIABLE ? call->first->variable->function : NULL;
}

/* A call with too many arguments becomes a call of the result of a call. */
static void split_call(struct node *n)
{
  struct function *f = named_function(n);
  for (unsigned most = f ? f->count : MAX_ARGUMENTS; length_of(tail_of(n)) > most; most = MAX_ARGUMENTS) {
    struct node *last = n->first;
    for (unsigned i = 0; i < most; i++)
      last = last->next;
    n->first = NEW(struct node, LIST, n->line, .first = n->first, .next = last->next, .meaning = CALL);
    last->next = NULL;
  }
}

static struct type *check_call(struct node *n)
{
  struct type *t = check_operand(n->first);
  n->meaning = CALL;
  for (struct node *argument = n->first->next; argument; argument = argument->next) {
    struct type *from = check_operand(argument), *to = fresh(level);
    unify(argument, type_of("->", from, to), t);
    t = to;
  }
  split_call(n);
  return t;
}

static struct type *check_list(struct node *n)
{
  struct variable *outer = scope;
  expand_macros(n);
  struct node *head = n->first, *second = head->next;
  if (is(head, "let")) {
    n->meaning = LET;
    check_bindings(need(n, second)->first);
    struct type *t = check(need(n, second->next));
    scope = outer;
    return t;
  }
  if (is(head, "fun")) {
    n->meaning = VARIABLE;
    struct node *body = need(n, second)->next;
    n->variable = NEW(struct variable, .function = make_function(n, "fun", second->first, body));
    return check_function(n->variable->function);
  }
  if (is(head, "match")) {
    n->meaning = MATCH;
    struct type *t = check_operand(need(n, second));
    return check_rules(second->next, t);
  }
  return check_call(n);
}

static struct type *check(struct node *n)
{
  struct type *t = check_constructed(n, check_operand);
  if (!t && n->syntax == STRING)
    n->meaning = LITERAL, t = type_of("string", NULL, NULL);
  return n->type = t ? t : n->syntax == SYMBOL ? check_variable(n) : check_list(n);
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

/* (primitive NAME TYPE): a function of the library in IR. */
static void check_primitive(struct node *name)
{
  struct type *t = read_type(need(name, name->next));
  struct function *f = functions = NEW(struct function, name->text, .next = functions, .parent = &program);
  struct use **last = &f->variables;
  for (bind(name, t)->function = f; is_type(t, "->"); t = t->b, last = &(*last)->next, f->count++)
    *last = NEW(struct use, f, NEW(struct variable, .type = t->a, .owner = f));
  f->type = t;
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
  else if (is(head, "macro") && need(n, need(n, second)->first) && need(n, second->next))
    macros = NEW(struct node, LIST, .first = second, .next = macros);
  else
    check_operand(n);
}

static enum form form_of(struct type *t)
{
  return is_type(t, "int") || is_type(t, "bool") || is_type(t, "unit") ? INT : WORD;
}

/* True if the variable is new to the function or to a function around it. */
static bool capture(struct function *f, struct variable *v)
{
  if (f == v->owner)
    return false;
  struct use *u = f->variables;
  while (u && u->variable != v)
    u = u->next;
  if (!u)
    f->variables = NEW(struct use, f, v, f->variables);
  return capture(f->parent, v) || !u;
}

static enum form result_form(const struct function *f) { return f->gives_words ? WORD : form_of(f->type); }

/* True if a call in tail position returns a word. */
static bool tail_call_gives_word(struct node *n)
{
  struct node *second = tail_of(n);
  struct function *f = n->meaning == CALL ? named_function(n) : NULL;
  if (n->meaning == CALL)
    return !f || length_of(second) != f->count || (result_form(f) == WORD && !is_type(f->type, "never"));
  if (n->meaning == LET)
    return tail_call_gives_word(second->next);
  for (struct node *rule = n->meaning == MATCH ? second->next : NULL; rule; rule = rule->next)
    if (tail_call_gives_word(rule->first->next))
      return true;
  return false;
}

/* A function captures the variables that it uses, and those that the functions have captured that it uses. It gives an
 * int as a word if it ends in a call that gives a word: no conversion may follow a tail call. */
static void analyse_functions(void)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (struct use *u = uses; u; u = u->next) {
      struct function *f = u->variable->function;
      if (!f)
        changed |= capture(u->user, u->variable);
      for (struct use *c = f ? f->variables : NULL; c && c->variable->owner != f; c = c->next)
        changed |= capture(u->user, c->variable);
    }
    for (struct function *f = functions; f != &program; f = f->next)
      if (f->body && result_form(f) == INT && tail_call_gives_word(f->body))
        f->gives_words = changed = true;
  }
}

/* ---- code ---- */

static enum form tail_form; /* of the result of the function in work */

/* Values, such as arguments, fields and captured variables. */
struct values {
  unsigned count;
  struct value at[MAX_VALUES];
};

static struct value emit_line(enum form form, const char *instruction)
{
  struct value v = {form, text("%%v%u", ++numbers)};
  fprintf(ir, "  %s = %s\n", v.text, instruction);
  return v;
}
#define set(form, ...) emit_line(form, text(__VA_ARGS__))

/* Branches to `other` unless the condition of type i1 holds. */
static void branch(struct value condition, const char *other)
{
  unsigned next = ++numbers;
  fprintf(ir, "  br i1 %s, label %%then.%u, label %%%s\nthen.%u:\n", condition.text, next, other, next);
}

static struct value as(enum form form, struct value v)
{
  if (v.form == form)
    return v;
  return form == INT ? set(INT, "call i64 @int_of_word(" REF " %s)", v.text)
                     : set(WORD, "call " REF " @word_of_int(i64 %s)", v.text);
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
  return set(form, "%scall %s @\"%s\"(%s)", last ? "tail " : "", ir_types[form], callee, list_of(arguments, false));
}

static struct value emit_field(enum form form, struct value object, unsigned field)
{
  struct value place = set(WORD, "getelementptr i8, " REF " %s, i64 %u", object.text, 8 * field);
  return set(form, "load %s, " REF " %s", ir_types[form], place.text);
}

static struct value emit_object(const char *name, const struct values *fields)
{
  unsigned layout = ++numbers;
  fprintf(data, "@layout.%u = internal constant { %s } zeroinitializer, !cairn.type !{!\"%s\"}\n", layout,
          list_of(fields, true), name);
  struct value o = set(WORD, "call " REF " @cairn_alloc(ptr @layout.%u, i64 %u)", layout, 8 * fields->count);
  for (unsigned i = 0; i < fields->count; i++) {
    struct value place = set(WORD, "getelementptr i8, " REF " %s, i64 %u", o.text, 8 * i);
    fprintf(ir, "  store %s %s, " REF " %s\n", ir_types[fields->at[i].form], fields->at[i].text, place.text);
  }
  return o;
}

/* The code addresses at the start of a closure of the function and its first arguments. Behind a function's entry for
 * native code lies the address for calls that promise a managed callee. */
static void add_codes(struct values *values, const struct function *f, unsigned given)
{
  if (f->count - given > 1)
    add(values, CODE, text("getelementptr (i8, ptr @curry.%u, i64 24)", f->count - given));
  add(values, CODE, text("getelementptr (i8, ptr @\"%s.code.%u\", i64 24)", f->name, given));
}

/* Adds the captured variables of the function, and returns its parameters. */
static struct use *add_captured(struct values *values, const struct function *f)
{
  struct use *u = f->variables;
  for (; u && u->variable->owner != f; u = u->next)
    add(values, u->variable->value.form, u->variable->value.text);
  return u;
}

static struct value emit(struct node *n);

/* Adds the values of expressions, which are computed from right to left, in the forms of the parameters or as words. */
static void add_expressions(struct values *values, struct node *first, const struct use *parameter)
{
  if (!first)
    return;
  unsigned place = values->count;
  add(values, WORD, NULL);
  add_expressions(values, first->next, parameter ? parameter->next : NULL);
  values->at[place] = as(parameter ? form_of(parameter->variable->type) : WORD, emit(first));
}

/* The closure of a function and its first arguments. A closure without variables is a constant. */
static struct value emit_closure(struct function *f, struct node *arguments)
{
  struct values fields = {0};
  unsigned given = length_of(arguments);
  if (f->count - given > MAX_ARGUMENTS)
    fail(0, "%s: a function with more than %d parameters is no value", f->name, MAX_ARGUMENTS);
  add_codes(&fields, f, given);
  unsigned codes = fields.count;
  add_expressions(&fields, arguments, add_captured(&fields, f));
  return fields.count > codes ? emit_object(f->name, &fields)
                              : (struct value){WORD, text("@\"%s.closure\"", f->name)};
}

static struct value emit_call_of(struct node *n, bool last)
{
  struct function *f = named_function(n);
  struct values arguments = {0};
  unsigned count = length_of(tail_of(n));
  if (f && count < f->count)
    return emit_closure(f, tail_of(n));
  if (f && count == f->count) {
    add_expressions(&arguments, tail_of(n), add_captured(&arguments, f));
    return emit_call(result_form(f), last && result_form(f) == tail_form, f->name, &arguments);
  }
  add(&arguments, WORD, NULL);
  add_expressions(&arguments, tail_of(n), NULL);
  arguments.at[0] = emit(n->first);
  return emit_call(WORD, last && tail_form == WORD, text("apply.%u", count), &arguments);
}

/* An object or, without fields, null or the constructor's number as an immediate. */
static struct value emit_constructed(struct node *n)
{
  struct constructor *c = n->constructor;
  struct values fields = {0};
  if (c->fields == 0)
    return c->number ? set(WORD, "call " REF " @cairn.tag.from(i64 %u)", c->number) : (struct value){WORD, "null"};
  if (c->counts[1] > 1)
    add(&fields, INT, text("%u", c->number));
  add_expressions(&fields, tail_of(n), NULL);
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
    branch(set(INT, "icmp eq " REF " %s, %s", v.text, emit_constructed(p).text), other);
  } else {
    unsigned place = c->counts[1] > 1;
    if (c->counts[0] > 0)
      branch(set(INT, "icmp ne " REF " %s, null", v.text), other);
    if (c->counts[0] > 1)
      branch(set(INT, "call i1 @is_reference(" REF " %s)", v.text), other);
    if (c->counts[1] > 1)
      branch(set(INT, "icmp eq i64 %s, %u", emit_field(INT, v, 0).text, c->number), other);
    for (struct node *field = tail_of(p); field; field = field->next)
      emit_pattern(field, emit_field(WORD, v, place++), other);
  }
}

static void emit_tail(struct node *n);

/* The rules for a value. If they all fail, Match_failure is raised or, if the value is an exception, the value. */
static void emit_match(struct node *matched)
{
  struct value v = emit(matched);
  struct values raised = {is_type(matched->type, "exn"), {v}};
  for (struct node *rule = matched->next; rule; rule = rule->next) {
    const char *other = text("other.%u", ++numbers);
    emit_pattern(rule->first, v, other);
    emit_tail(rule->first->next);
    fprintf(ir, "%s:\n", other);
  }
  emit_call(WORD, false, raised.count ? "raise" : "match_failure", &raised);
  fputs("  unreachable\n", ir);
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

/* Computes an expression in tail position, and returns its value. */
static void emit_tail(struct node *n)
{
  for (; n->meaning == LET; n = tail_of(n)->next)
    emit_bindings(tail_of(n)->first);
  if (n->meaning == MATCH) {
    emit_match(tail_of(n));
  } else {
    struct value v = as(tail_form, n->meaning == CALL ? emit_call_of(n, true) : emit(n));
    fprintf(ir, "  ret %s %s\n", ir_types[v.form], v.text);
  }
}

static struct value emit(struct node *n)
{
  switch (n->meaning) {
  case LITERAL:
    return emit_literal(n);
  case VARIABLE:
    return n->variable->function ? emit_closure(n->variable->function, NULL) : n->variable->value;
  case CONSTRUCT:
    return emit_constructed(n);
  case CALL:
    return emit_call_of(n, false);
  default:
    return (struct value){INT, text("%ld", 2 * n->number)};
  }
}

static void emit_head(const char *name, enum form form, const struct values *parameters)
{
  const char *list = list_of(parameters, false);
  fprintf(ir, "define internal %s @\"%s\"(%s) gc \"statepoint-example\" {\n", ir_types[form], name, list);
}

static void emit_function(struct function *f)
{
  struct values parameters = {0};
  for (struct use *u = f->variables; u; u = u->next) {
    u->variable->value = (struct value){form_of(u->variable->type), text("%%p%u", ++numbers)};
    add(&parameters, u->variable->value.form, u->variable->value.text);
  }
  emit_head(f->name, result_form(f), &parameters);
  tail_form = result_form(f);
  emit_tail(f->body);
  fputs("}\n", ir);
}

/* The code of closures of the function and its first arguments, and the constant closure. LLVM drops unused code. */
static void emit_closure_code(const struct function *f, unsigned given)
{
  struct values parameters = {1, {{WORD, "%self"}}}, arguments = {0}, codes = {0};
  for (unsigned i = given; i < f->count; i++)
    add(&parameters, WORD, text("%%p%u", i));
  emit_head(text("%s.code.%u", f->name, given), WORD, &parameters);
  add_codes(&codes, f, given);
  unsigned field = codes.count, parameter = 0;
  for (struct use *u = f->variables; u; u = u->next) {
    enum form form = form_of(u->variable->type);
    bool kept = u->variable->owner != f || parameter++ < given;
    struct value v = kept ? emit_field(form, parameters.at[0], field++) : as(form, parameters.at[parameter - given]);
    add(&arguments, v.form, v.text);
  }
  struct value result = as(WORD, emit_call(result_form(f), result_form(f) == WORD, f->name, &arguments));
  fprintf(ir, "  ret " REF " %s\n}\n", result.text);
  if (field == codes.count)
    fprintf(data, "@\"%s.closure\" = internal addrspace(1) constant { %s } { %s }, align 8\n", f->name,
            list_of(&codes, true), list_of(&codes, false));
}

static void emit_program(struct node *items)
{
  for (struct function *f = functions; f != &program; f = f->next) {
    if (f->body)
      emit_function(f);
    for (unsigned left = 1; left <= f->count && left <= MAX_ARGUMENTS; left++)
      emit_closure_code(f, f->count - left);
  }
  emit_head("main.program", INT, &(struct values){0});
  for (; items; items = items->next)
    items->meaning == DEFINE ? emit_bindings(tail_of(items)) : (void)emit(items);
  fputs("  ret i64 0\n}\n", ir);
}

/* ---- files ---- */

static char *read_file(const char *name)
{
  FILE *file = fopen(path = name, "r");
  char *source = NULL;
  size_t size = 0;
  if (!file || getdelim(&source, &size, '\0', file) < 0)
    fail(0, "cannot be read");
  fclose(file);
  return source;
}

/* Reads and checks the items of a file. */
static struct node **add_file(const char *name, struct node **last)
{
  at = read_file(name);
  line = 1;
  for (*last = read_nodes(false); *last; last = &(*last)->next)
    check_item(*last);
  return last;
}

int main(int argc, char **argv)
{
  char *constants = NULL;
  size_t size;
  struct node *items = NULL;
  if (argc != 4)
    return puts("usage: fun library.ll library.fun IN.fun > OUT.ll    makes LLVM IR for cairn-cc") < 0 || argc != 2;
  const char *library = read_file(argv[1]);
  add_file(argv[3], add_file(argv[2], &items));
  analyse_functions();
  ir = stdout;
  data = checked(open_memstream(&constants, &size));
  fputs(library, ir);
  emit_program(items);
  fclose(data);
  fputs(constants, ir);
  return fclose(ir) != 0;
}

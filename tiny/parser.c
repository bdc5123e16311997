/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses a module by recursive descent, and resolves the names of local variables on the way. Native code; the state is
 * the caller's struct tiny_parser. After an error the lexer returns only TOKEN_END, so all functions return soon.
 */
#include <string.h>

#include "syntax.h"

enum { MAX_COPIES = 4 }; /* nested finally blocks: each is compiled several times */

static struct tiny_node *expression(struct tiny_parser *p);
static struct tiny_node *statement(struct tiny_parser *p);
static struct tiny_node *block(struct tiny_parser *p);

static bool is(const struct tiny_parser *p, enum tiny_token token)
{
  return p->lexer.token == token;
}

static void next(struct tiny_parser *p)
{
  tiny_lexer_next(&p->lexer);
}

static bool accept(struct tiny_parser *p, enum tiny_token token)
{
  bool found = is(p, token);

  if (found)
    next(p);
  return found;
}

static void fail(struct tiny_parser *p, const char *text)
{
  tiny_lexer_fail(&p->lexer, p->lexer.token_line, p->lexer.token_column, "%s", text);
}

static void fail_unexpected(struct tiny_parser *p, const char *expected)
{
  const char *quote = p->lexer.token <= TOKEN_STRING_PART ? "" : "'";
  bool ends_line = is(p, TOKEN_SEMICOLON);

  tiny_lexer_fail(&p->lexer, p->lexer.token_line, p->lexer.token_column, "expected %s, found %s%s%s", expected, quote,
                  tiny_token_texts[p->lexer.token], ends_line ? "' or the end of the line" : quote);
}

static void expect(struct tiny_parser *p, enum tiny_token token)
{
  char quoted[32];

  if (is(p, token)) {
    next(p);
    return;
  }
  quoted[0] = '\'';
  strcpy(quoted + 1, tiny_token_texts[token]);
  strcat(quoted, "'");
  fail_unexpected(p, token <= TOKEN_STRING_PART ? tiny_token_texts[token] : quoted);
}

static uint32_t expect_name(struct tiny_parser *p)
{
  uint32_t symbol = p->lexer.symbol;

  expect(p, TOKEN_NAME);
  return symbol;
}

/* Enters a level of nesting; false, with an error, if there are too many. Each call is paired with leave(). */
static bool enter(struct tiny_parser *p)
{
  if (p->nesting++ < TINY_MAX_NESTING)
    return !p->lexer.error->failed;
  fail(p, "the code is nested too deeply");
  return false;
}

static void leave(struct tiny_parser *p)
{
  p->nesting--;
}

static struct tiny_node *new_node(struct tiny_parser *p, enum tiny_node_kind kind)
{
  struct tiny_node *node = tiny_arena_take(p->arena, sizeof *node);

  node->kind = (uint8_t)kind;
  node->line = p->lexer.token_line;
  node->column = p->lexer.token_column;
  return node;
}

/* Notes the depth of a child, which bounds the recursion of the compiler. */
static struct tiny_node *adopt(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *child)
{
  if (child && child->depth >= node->depth)
    node->depth = (uint16_t)(child->depth + 1);
  if (node->depth > TINY_MAX_DEPTH)
    tiny_lexer_fail(&p->lexer, node->line, node->column, "the expression is too long");
  return child;
}

static struct tiny_node *unary_of(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *a)
{
  node->a = adopt(p, node, a);
  return node;
}

static struct tiny_node *binary_of(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *a,
                                   struct tiny_node *b)
{
  node->a = adopt(p, node, a);
  node->b = adopt(p, node, b);
  return node;
}

/* ---- variables ---- */

/* A new variable of the function; null at the top of a module, where names are globals. */
static struct tiny_variable *declare(struct tiny_parser *p, uint32_t symbol, bool is_ready)
{
  if (!p->function->parent && p->blocks == 0)
    return NULL;
  struct tiny_variable *variable = tiny_arena_take(p->arena, sizeof *variable);
  variable->symbol = symbol;
  variable->function = p->function;
  variable->is_ready = is_ready;
  variable->next = p->function->scope;
  p->function->scope = variable;
  return variable;
}

static void make_ready(struct tiny_variable *variable)
{
  if (variable)
    variable->is_ready = true;
}

static struct tiny_variable *resolve(struct tiny_parser *p, uint32_t symbol)
{
  for (struct tiny_syntax *f = p->function; f; f = f->parent) {
    for (struct tiny_variable *v = f->scope; v; v = v->next) {
      if (v->symbol != symbol)
        continue;
      if (f != p->function) {
        v->is_captured = true;
        v->is_early |= !v->is_ready;
      }
      return v;
    }
  }
  return NULL;
}

static struct tiny_node *name_node(struct tiny_parser *p, uint32_t symbol)
{
  struct tiny_node *node = new_node(p, NODE_NAME);

  node->symbol = symbol;
  node->variable = resolve(p, symbol);
  return node;
}

/* ---- functions ---- */

static uint32_t symbol_of(const char *text)
{
  return tiny_intern(text, strlen(text));
}

static void parameter(struct tiny_parser *p, uint32_t symbol)
{
  struct tiny_syntax *f = p->function;

  for (unsigned i = 0; i < f->parameter_count; i++)
    if (f->parameters[i]->symbol == symbol)
      fail(p, "two parameters have the same name");
  if (f->parameter_count == TINY_MAX_PARAMETERS)
    fail(p, "too many parameters");
  else
    f->parameters[f->parameter_count++] = declare(p, symbol, true);
}

static void parameters(struct tiny_parser *p)
{
  expect(p, TOKEN_OPEN);
  while (!is(p, TOKEN_CLOSE) && !is(p, TOKEN_END)) {
    if (is(p, TOKEN_NAME))
      parameter(p, p->lexer.symbol);
    expect_name(p);
    if (!accept(p, TOKEN_COMMA))
      break;
  }
  expect(p, TOKEN_CLOSE);
}

/* A function from its parameters on. */
static struct tiny_node *function(struct tiny_parser *p, struct tiny_node *node, uint32_t name, bool is_method)
{
  struct tiny_syntax *f = tiny_arena_take(p->arena, sizeof *f);
  unsigned loops = p->loops, blocks = p->blocks, finals = p->finals;

  f->parent = p->function;
  f->name = name;
  f->line = node->line;
  f->column = node->column;
  f->is_method = is_method;
  f->is_init = is_method && name == symbol_of("init");
  node->function = f;
  p->function = f;
  p->loops = p->blocks = p->finals = 0;
  if (enter(p)) {
    if (is_method)
      parameter(p, symbol_of("this"));
    parameters(p);
    f->body = block(p);
    adopt(p, node, f->body);
  }
  leave(p);
  p->loops = loops;
  p->blocks = blocks;
  p->finals = finals;
  p->function = f->parent;
  return node;
}

/* ---- expressions ---- */

static struct tiny_node *arguments(struct tiny_parser *p, struct tiny_node *node, enum tiny_token close)
{
  struct tiny_node **end = &node->list;
  unsigned count = 0;

  while (!is(p, close) && !is(p, TOKEN_END)) {
    *end = adopt(p, node, expression(p));
    if (*end)
      end = &(*end)->next;
    if (++count > TINY_MAX_PARAMETERS && close == TOKEN_CLOSE)
      fail(p, "too many arguments");
    if (!accept(p, TOKEN_COMMA))
      break;
  }
  expect(p, close);
  return node;
}

static void skip_semicolons(struct tiny_parser *p)
{
  while (accept(p, TOKEN_SEMICOLON))
    ;
}

/* {a: 1, b: 2} */
static struct tiny_node *object(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_OBJECT), **end = &node->list;

  next(p);
  skip_semicolons(p);
  while (!is(p, TOKEN_CLOSE_BRACE) && !is(p, TOKEN_END)) {
    struct tiny_node *pair = new_node(p, NODE_PAIR);
    pair->symbol = p->lexer.symbol;
    if (!accept(p, TOKEN_STRING))
      expect(p, TOKEN_NAME);
    for (struct tiny_node *other = node->list; other; other = other->next)
      if (other->symbol == pair->symbol)
        fail(p, "two properties have the same name");
    expect(p, TOKEN_COLON);
    adopt(p, node, unary_of(p, pair, expression(p)));
    *end = pair;
    end = &pair->next;
    skip_semicolons(p);
    if (!accept(p, TOKEN_COMMA))
      break;
    skip_semicolons(p);
  }
  expect(p, TOKEN_CLOSE_BRACE);
  return node;
}

/* "text ${e} text": the parts, alternately strings and expressions. */
static struct tiny_node *template(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_TEMPLATE), **end = &node->list;

  for (;;) {
    struct tiny_node *text = new_node(p, NODE_STRING);
    text->symbol = p->lexer.symbol;
    *end = text;
    end = &text->next;
    if (!is(p, TOKEN_STRING_PART))
      break;
    next(p);
    *end = adopt(p, node, expression(p));
    if (*end)
      end = &(*end)->next;
    if (!is(p, TOKEN_CLOSE_BRACE)) {
      fail_unexpected(p, "'}'");
      return node;
    }
    tiny_lexer_continue_string(&p->lexer);
  }
  next(p);
  return node;
}

/* super.name(...): the call's callee. */
static struct tiny_node *super(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_SUPER);

  if (!p->in_class || !p->has_super)
    fail(p, "'super' stands outside of a class with a superclass");
  next(p);
  expect(p, TOKEN_DOT);
  node->symbol = expect_name(p);
  node->a = adopt(p, node, name_node(p, symbol_of("this")));
  node->b = adopt(p, node, name_node(p, p->class_symbol));
  node->b->variable = p->class_variable;
  if (p->class_variable)
    p->class_variable->is_captured = p->class_variable->is_early = true;
  if (!is(p, TOKEN_OPEN))
    fail_unexpected(p, "'('");
  return node;
}

static struct tiny_node *literal(struct tiny_parser *p, enum tiny_node_kind kind)
{
  struct tiny_node *node = new_node(p, kind);

  if (kind == NODE_INTEGER)
    node->integer = p->lexer.integer;
  else if (kind == NODE_FLOAT)
    node->number = p->lexer.number;
  node->symbol = p->lexer.symbol;
  next(p);
  return node;
}

static struct tiny_node *this(struct tiny_parser *p)
{
  struct tiny_node *node = name_node(p, symbol_of("this"));

  if (!node->variable)
    fail(p, "'this' stands outside of a method");
  next(p);
  return node;
}

static struct tiny_node *parenthesis(struct tiny_parser *p)
{
  next(p);
  struct tiny_node *node = expression(p);
  expect(p, TOKEN_CLOSE);
  return node;
}

static struct tiny_node *primary(struct tiny_parser *p)
{
  struct tiny_node *node;

  switch (p->lexer.token) {
  case TOKEN_INTEGER:
    return literal(p, NODE_INTEGER);
  case TOKEN_FLOAT:
    return literal(p, NODE_FLOAT);
  case TOKEN_STRING:
    return literal(p, NODE_STRING);
  case TOKEN_NIL:
    return literal(p, NODE_NIL);
  case TOKEN_TRUE:
    return literal(p, NODE_TRUE);
  case TOKEN_FALSE:
    return literal(p, NODE_FALSE);
  case TOKEN_STRING_PART:
    return template(p);
  case TOKEN_NAME:
    node = name_node(p, p->lexer.symbol);
    next(p);
    return node;
  case TOKEN_THIS:
    return this(p);
  case TOKEN_SUPER:
    return super(p);
  case TOKEN_OPEN:
    return parenthesis(p);
  case TOKEN_OPEN_BRACKET:
    node = new_node(p, NODE_ARRAY);
    next(p);
    return arguments(p, node, TOKEN_CLOSE_BRACKET);
  case TOKEN_OPEN_BRACE:
    return object(p);
  case TOKEN_FN:
    node = new_node(p, NODE_FUNCTION);
    next(p);
    return function(p, node, symbol_of("fn"), false);
  default:
    fail_unexpected(p, "an expression");
    return NULL;
  }
}

static struct tiny_node *postfix(struct tiny_parser *p)
{
  struct tiny_node *node = primary(p), *outer;

  for (;;) {
    if (is(p, TOKEN_OPEN)) {
      outer = unary_of(p, new_node(p, NODE_CALL), node);
      next(p);
      node = arguments(p, outer, TOKEN_CLOSE);
    } else if (is(p, TOKEN_OPEN_BRACKET)) {
      outer = new_node(p, NODE_INDEX);
      next(p);
      node = binary_of(p, outer, node, expression(p));
      expect(p, TOKEN_CLOSE_BRACKET);
    } else if (is(p, TOKEN_DOT)) {
      next(p);
      outer = unary_of(p, new_node(p, NODE_FIELD), node);
      outer->symbol = expect_name(p);
      node = outer;
    } else {
      return node;
    }
  }
}

static struct tiny_node *unary(struct tiny_parser *p);

/* a ** b binds to the right, and closer than a sign at its left. */
static struct tiny_node *power(struct tiny_parser *p)
{
  struct tiny_node *node = postfix(p);

  if (!is(p, TOKEN_POWER))
    return node;
  struct tiny_node *outer = new_node(p, NODE_BINARY);
  outer->token = TOKEN_POWER;
  next(p);
  return binary_of(p, outer, node, unary(p));
}

static struct tiny_node *unary(struct tiny_parser *p)
{
  bool is_not = is(p, TOKEN_NOT) || is(p, TOKEN_BANG);
  struct tiny_node *node = NULL;

  if (!is_not && !is(p, TOKEN_MINUS) && !is(p, TOKEN_TILDE))
    return power(p);
  if (enter(p)) {
    node = new_node(p, is_not ? NODE_NOT : NODE_UNARY);
    node->token = (uint8_t)p->lexer.token;
    next(p);
    unary_of(p, node, unary(p));
  }
  leave(p);
  return node;
}

/* How closely a binary operator binds; 0 for other tokens. */
static unsigned precedence(enum tiny_token token)
{
  switch (token) {
  case TOKEN_OR:
  case TOKEN_OR_OR:
    return 1;
  case TOKEN_AND:
  case TOKEN_AND_AND:
    return 2;
  case TOKEN_EQUAL:
  case TOKEN_NOT_EQUAL:
  case TOKEN_LESS:
  case TOKEN_LESS_EQUAL:
  case TOKEN_GREATER:
  case TOKEN_GREATER_EQUAL:
    return 3;
  case TOKEN_BAR:
    return 4;
  case TOKEN_CARET:
    return 5;
  case TOKEN_AMPERSAND:
    return 6;
  case TOKEN_SHIFT_LEFT:
  case TOKEN_SHIFT_RIGHT:
    return 7;
  case TOKEN_PLUS:
  case TOKEN_MINUS:
    return 8;
  case TOKEN_STAR:
  case TOKEN_SLASH:
  case TOKEN_BACKSLASH:
  case TOKEN_PERCENT:
    return 9;
  default:
    return 0;
  }
}

static struct tiny_node *binary(struct tiny_parser *p, unsigned least)
{
  struct tiny_node *node = unary(p);

  for (unsigned level; (level = precedence(p->lexer.token)) > least;) {
    struct tiny_node *outer = new_node(p, level == 1 ? NODE_OR : level == 2 ? NODE_AND : NODE_BINARY);
    outer->token = (uint8_t)p->lexer.token;
    next(p);
    node = binary_of(p, outer, node, binary(p, level));
  }
  return node;
}

static struct tiny_node *expression(struct tiny_parser *p)
{
  struct tiny_node *node = enter(p) ? binary(p, 0) : NULL;

  leave(p);
  return node;
}

/* ---- statements ---- */

/* The end of a statement: ; or the end of its line, or a brace. */
static void end_statement(struct tiny_parser *p)
{
  if (!is(p, TOKEN_CLOSE_BRACE) && !is(p, TOKEN_END) && !accept(p, TOKEN_SEMICOLON))
    fail_unexpected(p, "the end of the statement");
}

static void statements(struct tiny_parser *p, struct tiny_node *node, enum tiny_token end_token)
{
  struct tiny_node **end = &node->list;

  skip_semicolons(p);
  while (!is(p, end_token) && !is(p, TOKEN_END)) {
    *end = adopt(p, node, statement(p));
    if (*end)
      end = &(*end)->next;
    skip_semicolons(p);
  }
}

static struct tiny_node *block(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_BLOCK);
  struct tiny_variable *scope = p->function->scope;

  expect(p, TOKEN_OPEN_BRACE);
  p->blocks++;
  statements(p, node, TOKEN_CLOSE_BRACE);
  p->blocks--;
  expect(p, TOKEN_CLOSE_BRACE);
  p->function->scope = scope;
  return node;
}

static struct tiny_node *let(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_LET);

  next(p);
  node->symbol = expect_name(p);
  if (!accept(p, TOKEN_ASSIGN)) {
    node->variable = declare(p, node->symbol, true);
    return node;
  }
  /* Only a function sees its own name. */
  bool is_function = is(p, TOKEN_FN);
  if (is_function)
    node->variable = declare(p, node->symbol, false);
  unary_of(p, node, expression(p));
  if (is_function)
    make_ready(node->variable);
  else
    node->variable = declare(p, node->symbol, true);
  return node;
}

static struct tiny_node *named_function(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_LET), *made = new_node(p, NODE_FUNCTION);

  next(p);
  node->symbol = expect_name(p);
  node->variable = declare(p, node->symbol, false);
  unary_of(p, node, function(p, made, node->symbol, false));
  make_ready(node->variable);
  return node;
}

static void methods(struct tiny_parser *p, struct tiny_node *node)
{
  struct tiny_node **end = &node->list;

  expect(p, TOKEN_OPEN_BRACE);
  skip_semicolons(p);
  while (!is(p, TOKEN_CLOSE_BRACE) && !is(p, TOKEN_END)) {
    struct tiny_node *method = new_node(p, NODE_FUNCTION);
    accept(p, TOKEN_FN);
    method->symbol = expect_name(p);
    for (struct tiny_node *other = node->list; other; other = other->next)
      if (other->symbol == method->symbol)
        fail(p, "two methods have the same name");
    adopt(p, node, function(p, method, method->symbol, true));
    *end = method;
    end = &method->next;
    skip_semicolons(p);
  }
  expect(p, TOKEN_CLOSE_BRACE);
}

static struct tiny_node *class(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_CLASS);
  struct tiny_parser outer = *p;

  next(p);
  node->symbol = expect_name(p);
  node->variable = declare(p, node->symbol, false);
  if (node->variable)
    node->variable->is_constant = true;
  p->has_super = accept(p, TOKEN_COLON);
  if (p->has_super)
    unary_of(p, node, expression(p));
  p->in_class = true;
  p->class_variable = node->variable;
  p->class_symbol = node->symbol;
  p->field_count = 0;
  methods(p, node);
  node->fields = (uint16_t)p->field_count;
  make_ready(node->variable);
  p->in_class = outer.in_class;
  p->has_super = outer.has_super;
  p->class_variable = outer.class_variable;
  p->class_symbol = outer.class_symbol;
  p->field_count = outer.field_count;
  memcpy(p->fields, outer.fields, sizeof p->fields);
  return node;
}

/* An if with its chain of else ifs: the chain counts as one level of nesting. */
static struct tiny_node *if_chain(struct tiny_parser *p)
{
  struct tiny_node *first = NULL, **end = &first;

  while (is(p, TOKEN_IF)) {
    struct tiny_node *node = new_node(p, NODE_IF);
    next(p);
    node->a = adopt(p, node, expression(p));
    node->b = adopt(p, node, block(p));
    *end = node;
    end = &node->c;
    if (!accept(p, TOKEN_ELSE))
      break;
    if (!is(p, TOKEN_IF))
      node->c = adopt(p, first, block(p));
  }
  return first;
}

static struct tiny_node *loop_body(struct tiny_parser *p)
{
  p->loops++;
  struct tiny_node *body = block(p);
  p->loops--;
  return body;
}

static struct tiny_node *while_loop(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_WHILE);

  next(p);
  node->a = adopt(p, node, expression(p));
  node->b = adopt(p, node, loop_body(p));
  return node;
}

static struct tiny_node *for_loop(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_FOR);
  struct tiny_variable *scope = p->function->scope;
  uint32_t first, second = 0;

  next(p);
  first = expect_name(p);
  if (accept(p, TOKEN_COMMA))
    second = expect_name(p);
  expect(p, TOKEN_IN);
  node->a = adopt(p, node, expression(p));
  p->blocks++;
  if (!second && accept(p, TOKEN_DOTS)) {
    node->b = adopt(p, node, expression(p));
    node->variable = declare(p, first, true);
  } else {
    node->kind = NODE_EACH;
    node->variable = second ? declare(p, first, true) : NULL;
    node->second = declare(p, second ? second : first, true);
  }
  node->c = adopt(p, node, loop_body(p));
  p->blocks--;
  p->function->scope = scope;
  return node;
}

static struct tiny_node *try(struct tiny_parser *p)
{
  struct tiny_node *node = new_node(p, NODE_TRY);
  struct tiny_variable *scope = p->function->scope;

  next(p);
  node->a = adopt(p, node, block(p));
  if (accept(p, TOKEN_CATCH)) {
    p->blocks++;
    node->variable = declare(p, expect_name(p), true);
    node->b = adopt(p, node, block(p));
    p->blocks--;
    p->function->scope = scope;
  }
  if (accept(p, TOKEN_FINALLY)) {
    /* The block is compiled several times: jumps out of it would need a rule. */
    unsigned loops = p->loops;
    p->loops = 0;
    p->finals++;
    if (++p->copies > MAX_COPIES)
      fail(p, "'finally' blocks are nested too deeply");
    node->c = adopt(p, node, block(p));
    p->finals--;
    p->copies--;
    p->loops = loops;
  } else if (!node->b) {
    fail_unexpected(p, "'catch' or 'finally'");
  }
  return node;
}

static struct tiny_node *jump(struct tiny_parser *p)
{
  bool is_break = is(p, TOKEN_BREAK);
  struct tiny_node *node = new_node(p, is_break ? NODE_BREAK : NODE_CONTINUE);

  if (!p->loops)
    fail(p, is_break ? "'break' stands outside of a loop" : "'continue' stands outside of a loop");
  next(p);
  return node;
}

static struct tiny_node *return_or_throw(struct tiny_parser *p)
{
  bool is_throw = is(p, TOKEN_THROW);
  struct tiny_node *node = new_node(p, is_throw ? NODE_THROW : NODE_RETURN);

  if (!is_throw && p->finals)
    fail(p, "'return' stands in a 'finally' block");
  next(p);
  if (is_throw || (!is(p, TOKEN_SEMICOLON) && !is(p, TOKEN_CLOSE_BRACE) && !is(p, TOKEN_END))) {
    if (p->function->is_init && !is_throw)
      fail(p, "'init' returns no value");
    unary_of(p, node, expression(p));
  }
  return node;
}

static void import(struct tiny_parser *p)
{
  struct tiny_import *made = tiny_arena_take(p->arena, sizeof *made), **end = &p->imports;

  if (p->function->parent || p->blocks)
    fail(p, "'import' stands within a function or block");
  made->line = p->lexer.token_line;
  made->column = p->lexer.token_column;
  next(p);
  made->path = p->lexer.symbol;
  expect(p, TOKEN_STRING);
  expect(p, TOKEN_AS);
  made->name = expect_name(p);
  while (*end)
    end = &(*end)->next;
  *end = made;
}

static bool is_place(const struct tiny_node *node)
{
  return node && (node->kind == NODE_NAME || node->kind == NODE_FIELD || node->kind == NODE_INDEX);
}

/* Notes a property of `this`. */
static void note_field(struct tiny_parser *p, uint32_t symbol)
{
  for (unsigned i = 0; i < p->field_count; i++)
    if (p->fields[i] == symbol)
      return;
  if (p->field_count < TINY_MAX_FIELDS)
    p->fields[p->field_count++] = symbol;
}

/* An expression, or an assignment to one. */
static struct tiny_node *simple(struct tiny_parser *p)
{
  struct tiny_node *place = expression(p), *node;
  enum tiny_token token = p->lexer.token;
  bool is_assignment = token == TOKEN_ASSIGN || (token >= TOKEN_POWER_ASSIGN && token <= TOKEN_SHIFT_RIGHT_ASSIGN) ||
                       (token >= TOKEN_PLUS_ASSIGN && token <= TOKEN_CARET_ASSIGN);

  node = new_node(p, is_assignment ? NODE_ASSIGN : NODE_EXPRESSION);
  if (!is_assignment)
    return unary_of(p, node, place);
  if (!is_place(place)) {
    fail(p, "this expression cannot be assigned to");
    return node;
  }
  if (place->kind == NODE_NAME && place->variable) {
    if (place->variable->is_constant || place->symbol == symbol_of("this"))
      fail(p, "classes and 'this' cannot be assigned to");
    place->variable->is_assigned = true;
  }
  if (place->kind == NODE_FIELD && place->a && place->a->kind == NODE_NAME && place->a->symbol == symbol_of("this"))
    note_field(p, place->symbol);
  node->token = (uint8_t)token;
  next(p);
  return binary_of(p, node, place, expression(p));
}

static struct tiny_node *any_statement(struct tiny_parser *p)
{
  switch (p->lexer.token) {
  case TOKEN_OPEN_BRACE:
    return block(p);
  case TOKEN_IF:
    return if_chain(p);
  case TOKEN_WHILE:
    return while_loop(p);
  case TOKEN_FOR:
    return for_loop(p);
  case TOKEN_TRY:
    return try(p);
  case TOKEN_CLASS:
    return class(p);
  case TOKEN_FN:
    return named_function(p);
  case TOKEN_LET:
    return let(p);
  case TOKEN_RETURN:
  case TOKEN_THROW:
    return return_or_throw(p);
  case TOKEN_BREAK:
  case TOKEN_CONTINUE:
    return jump(p);
  case TOKEN_IMPORT:
    import(p);
    return NULL;
  default:
    return simple(p);
  }
}

/* True if the statement needs no semicolon, because it ends by a brace. */
static bool ends_in_block(const struct tiny_node *node)
{
  switch (node->kind) {
  case NODE_BLOCK:
  case NODE_IF:
  case NODE_WHILE:
  case NODE_FOR:
  case NODE_EACH:
  case NODE_TRY:
  case NODE_CLASS:
    return true;
  default:
    return false;
  }
}

static struct tiny_node *statement(struct tiny_parser *p)
{
  struct tiny_node *node = NULL;

  if (enter(p)) {
    node = any_statement(p);
    if (!node || !ends_in_block(node))
      end_statement(p);
  }
  leave(p);
  return node;
}

struct tiny_syntax *tiny_parse(struct tiny_parser *parser, const char *text, size_t length, struct tiny_arena *arena,
                               struct tiny_error *error)
{
  struct tiny_syntax *module = tiny_arena_take(arena, sizeof *module);

  memset(parser, 0, sizeof *parser);
  parser->arena = arena;
  parser->function = module;
  tiny_lexer_begin(&parser->lexer, text, length, error);
  module->name = symbol_of("main");
  module->line = module->column = 1;
  module->body = new_node(parser, NODE_BLOCK);
  statements(parser, module->body, TOKEN_END);
  return error->failed ? NULL : module;
}

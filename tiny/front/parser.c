/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses expressions and functions by recursive descent, and resolves the names of local variables on the way. Native
 * code; the state is the caller's struct tiny_parser. After an error the lexer returns only TOKEN_END, so all functions
 * return soon.
 */
#include <string.h>

#include "tiny/front/parser.h"

bool tiny_parser_is(const struct tiny_parser *p, enum tiny_token token)
{
  return p->lexer.token == token;
}

void tiny_parser_next(struct tiny_parser *p)
{
  tiny_lexer_next(&p->lexer);
}

bool tiny_parser_accept(struct tiny_parser *p, enum tiny_token token)
{
  bool found = tiny_parser_is(p, token);

  if (found)
    tiny_parser_next(p);
  return found;
}

void tiny_parser_fail(struct tiny_parser *p, const char *text)
{
  tiny_lexer_fail(&p->lexer, p->lexer.token_line, p->lexer.token_column, "%s", text);
}

void tiny_parser_fail_unexpected(struct tiny_parser *p, const char *expected)
{
  const char *quote = p->lexer.token <= TOKEN_STRING_PART ? "" : "'";
  bool ends_line = tiny_parser_is(p, TOKEN_SEMICOLON);

  tiny_lexer_fail(&p->lexer, p->lexer.token_line, p->lexer.token_column, "expected %s, found %s%s%s", expected, quote,
                  tiny_token_rows[p->lexer.token].text, ends_line ? "' or the end of the line" : quote);
}

void tiny_parser_expect(struct tiny_parser *p, enum tiny_token token)
{
  char quoted[32];

  if (tiny_parser_is(p, token)) {
    tiny_parser_next(p);
    return;
  }
  quoted[0] = '\'';
  strcpy(quoted + 1, tiny_token_rows[token].text);
  strcat(quoted, "'");
  tiny_parser_fail_unexpected(p, token <= TOKEN_STRING_PART ? tiny_token_rows[token].text : quoted);
}

uint32_t tiny_parser_expect_name(struct tiny_parser *p)
{
  uint32_t symbol = p->lexer.symbol;

  tiny_parser_expect(p, TOKEN_NAME);
  return symbol;
}

/* Enters a level of nesting; false, with an error, if there are too many. Each call is paired with tiny_parser_leave().
 */
bool tiny_parser_enter(struct tiny_parser *p)
{
  if (p->nesting++ < TINY_MAX_NESTING)
    return !p->lexer.error->failed;
  tiny_parser_fail(p, "the code is nested too deeply");
  return false;
}

void tiny_parser_leave(struct tiny_parser *p)
{
  p->nesting--;
}

struct tiny_node *tiny_parser_new_node(struct tiny_parser *p, enum tiny_node_kind kind)
{
  struct tiny_node *node = tiny_arena_take(p->arena, sizeof *node);

  node->kind = (uint8_t)kind;
  node->line = p->lexer.token_line;
  node->column = p->lexer.token_column;
  return node;
}

/* Notes the depth of a child, which bounds the recursion of the compiler. */
struct tiny_node *tiny_parser_adopt(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *child)
{
  if (child && child->depth >= node->depth)
    node->depth = (uint16_t)(child->depth + 1);
  if (node->depth > TINY_MAX_DEPTH)
    tiny_lexer_fail(&p->lexer, node->line, node->column, "the expression is too long");
  return child;
}

struct tiny_node *tiny_parser_unary_of(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *a)
{
  node->a = tiny_parser_adopt(p, node, a);
  return node;
}

struct tiny_node *tiny_parser_binary_of(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *a,
                                        struct tiny_node *b)
{
  node->a = tiny_parser_adopt(p, node, a);
  node->b = tiny_parser_adopt(p, node, b);
  return node;
}

/* ---- variables ---- */

/* A new variable of the function; null at the top of a module, where names are globals. */
struct tiny_variable *tiny_parser_declare(struct tiny_parser *p, uint32_t symbol, bool is_ready)
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

void tiny_parser_make_ready(struct tiny_variable *variable)
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
  struct tiny_node *node = tiny_parser_new_node(p, NODE_NAME);

  node->symbol = symbol;
  node->variable = resolve(p, symbol);
  return node;
}

/* ---- functions ---- */

uint32_t tiny_parser_symbol_of(const char *text)
{
  return tiny_intern(text, strlen(text));
}

static void parameter(struct tiny_parser *p, uint32_t symbol)
{
  struct tiny_syntax *f = p->function;

  for (unsigned i = 0; i < f->parameter_count; i++)
    if (f->parameters[i]->symbol == symbol)
      tiny_parser_fail(p, "two parameters have the same name");
  if (f->parameter_count == TINY_MAX_PARAMETERS)
    tiny_parser_fail(p, "too many parameters");
  else
    f->parameters[f->parameter_count++] = tiny_parser_declare(p, symbol, true);
}

static void parameters(struct tiny_parser *p)
{
  tiny_parser_expect(p, TOKEN_OPEN);
  while (!tiny_parser_is(p, TOKEN_CLOSE) && !tiny_parser_is(p, TOKEN_END)) {
    if (tiny_parser_is(p, TOKEN_NAME))
      parameter(p, p->lexer.symbol);
    tiny_parser_expect_name(p);
    if (!tiny_parser_accept(p, TOKEN_COMMA))
      break;
  }
  tiny_parser_expect(p, TOKEN_CLOSE);
}

/* A function from its parameters on. */
struct tiny_node *tiny_parser_function(struct tiny_parser *p, struct tiny_node *node, uint32_t name, bool is_method)
{
  struct tiny_syntax *f = tiny_arena_take(p->arena, sizeof *f);
  unsigned loops = p->loops, blocks = p->blocks, finals = p->finals;

  f->parent = p->function;
  f->name = name;
  f->line = node->line;
  f->column = node->column;
  f->is_method = is_method;
  f->is_init = is_method && name == tiny_parser_symbol_of("init");
  node->function = f;
  p->function = f;
  p->loops = p->blocks = p->finals = 0;
  if (tiny_parser_enter(p)) {
    if (is_method)
      parameter(p, tiny_parser_symbol_of("this"));
    parameters(p);
    f->body = tiny_parser_block(p);
    tiny_parser_adopt(p, node, f->body);
  }
  tiny_parser_leave(p);
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

  while (!tiny_parser_is(p, close) && !tiny_parser_is(p, TOKEN_END)) {
    *end = tiny_parser_adopt(p, node, tiny_parser_expression(p));
    if (*end)
      end = &(*end)->next;
    if (++count > TINY_MAX_PARAMETERS && close == TOKEN_CLOSE)
      tiny_parser_fail(p, "too many arguments");
    if (!tiny_parser_accept(p, TOKEN_COMMA))
      break;
  }
  tiny_parser_expect(p, close);
  return node;
}

void tiny_parser_skip_semicolons(struct tiny_parser *p)
{
  while (tiny_parser_accept(p, TOKEN_SEMICOLON))
    ;
}

/* {a: 1, b: 2} */
static struct tiny_node *object(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_OBJECT), **end = &node->list;

  tiny_parser_next(p);
  tiny_parser_skip_semicolons(p);
  while (!tiny_parser_is(p, TOKEN_CLOSE_BRACE) && !tiny_parser_is(p, TOKEN_END)) {
    struct tiny_node *pair = tiny_parser_new_node(p, NODE_PAIR);
    pair->symbol = p->lexer.symbol;
    if (!tiny_parser_accept(p, TOKEN_STRING))
      tiny_parser_expect(p, TOKEN_NAME);
    for (struct tiny_node *other = node->list; other; other = other->next)
      if (other->symbol == pair->symbol)
        tiny_lexer_fail(&p->lexer, pair->line, pair->column, "two properties have the same name");
    tiny_parser_expect(p, TOKEN_COLON);
    tiny_parser_adopt(p, node, tiny_parser_unary_of(p, pair, tiny_parser_expression(p)));
    *end = pair;
    end = &pair->next;
    tiny_parser_skip_semicolons(p);
    if (!tiny_parser_accept(p, TOKEN_COMMA))
      break;
    tiny_parser_skip_semicolons(p);
  }
  tiny_parser_expect(p, TOKEN_CLOSE_BRACE);
  return node;
}

/* "text ${e} text": the parts, alternately strings and expressions. */
static struct tiny_node *template(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_TEMPLATE), **end = &node->list;

  for (;;) {
    struct tiny_node *text = tiny_parser_new_node(p, NODE_STRING);
    text->symbol = p->lexer.symbol;
    *end = text;
    end = &text->next;
    if (!tiny_parser_is(p, TOKEN_STRING_PART))
      break;
    tiny_parser_next(p);
    *end = tiny_parser_adopt(p, node, tiny_parser_expression(p));
    if (*end)
      end = &(*end)->next;
    if (!tiny_parser_is(p, TOKEN_CLOSE_BRACE)) {
      tiny_parser_fail_unexpected(p, "'}'");
      return node;
    }
    tiny_lexer_continue_string(&p->lexer);
  }
  tiny_parser_next(p);
  return node;
}

/* super.name(...): the call's callee. */
static struct tiny_node *super(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_SUPER);

  if (!p->in_class || !p->has_super)
    tiny_parser_fail(p, "'super' stands outside of a class with a superclass");
  tiny_parser_next(p);
  tiny_parser_expect(p, TOKEN_DOT);
  node->symbol = tiny_parser_expect_name(p);
  node->a = tiny_parser_adopt(p, node, name_node(p, tiny_parser_symbol_of("this")));
  node->b = tiny_parser_adopt(p, node, name_node(p, p->class_symbol));
  node->b->variable = p->class_variable;
  if (p->class_variable)
    p->class_variable->is_captured = p->class_variable->is_early = true;
  if (!tiny_parser_is(p, TOKEN_OPEN))
    tiny_parser_fail_unexpected(p, "'('");
  return node;
}

static struct tiny_node *literal(struct tiny_parser *p)
{
  static const uint8_t kinds[TOKEN_COUNT] = {[TOKEN_INTEGER] = NODE_INTEGER, [TOKEN_FLOAT] = NODE_FLOAT,
                                             [TOKEN_STRING] = NODE_STRING,   [TOKEN_NIL] = NODE_NIL,
                                             [TOKEN_TRUE] = NODE_TRUE,       [TOKEN_FALSE] = NODE_FALSE};
  struct tiny_node *node = tiny_parser_new_node(p, (enum tiny_node_kind)kinds[p->lexer.token]);

  if (node->kind == NODE_INTEGER)
    node->integer = p->lexer.integer;
  else if (node->kind == NODE_FLOAT)
    node->number = p->lexer.number;
  node->symbol = p->lexer.symbol;
  tiny_parser_next(p);
  return node;
}

static struct tiny_node *name(struct tiny_parser *p)
{
  struct tiny_node *node = name_node(p, p->lexer.symbol);

  tiny_parser_next(p);
  return node;
}

static struct tiny_node *array(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_ARRAY);

  tiny_parser_next(p);
  return arguments(p, node, TOKEN_CLOSE_BRACKET);
}

static struct tiny_node *function(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_FUNCTION);

  tiny_parser_next(p);
  return tiny_parser_function(p, node, tiny_parser_symbol_of("fn"), false);
}

static struct tiny_node *this(struct tiny_parser *p)
{
  struct tiny_node *node = name_node(p, tiny_parser_symbol_of("this"));

  if (!node->variable)
    tiny_parser_fail(p, "'this' stands outside of a method");
  tiny_parser_next(p);
  return node;
}

static struct tiny_node *parenthesis(struct tiny_parser *p)
{
  tiny_parser_next(p);
  struct tiny_node *node = tiny_parser_expression(p);
  tiny_parser_expect(p, TOKEN_CLOSE);
  return node;
}

static struct tiny_node *primary(struct tiny_parser *p)
{
  static struct tiny_node *(*const parsers[TOKEN_COUNT])(struct tiny_parser *) = {
      [TOKEN_INTEGER] = literal,   [TOKEN_FLOAT] = literal, [TOKEN_STRING] = literal,   [TOKEN_NIL] = literal,
      [TOKEN_TRUE] = literal,      [TOKEN_FALSE] = literal, [TOKEN_NAME] = name,        [TOKEN_STRING_PART] = template,
      [TOKEN_THIS] = this,         [TOKEN_SUPER] = super,   [TOKEN_OPEN] = parenthesis, [TOKEN_OPEN_BRACKET] = array,
      [TOKEN_OPEN_BRACE] = object, [TOKEN_FN] = function,
  };

  if (parsers[p->lexer.token])
    return parsers[p->lexer.token](p);
  tiny_parser_fail_unexpected(p, "an expression");
  return NULL;
}

static struct tiny_node *postfix(struct tiny_parser *p)
{
  struct tiny_node *node = primary(p), *outer;

  for (;;) {
    if (tiny_parser_is(p, TOKEN_OPEN)) {
      outer = tiny_parser_unary_of(p, tiny_parser_new_node(p, NODE_CALL), node);
      tiny_parser_next(p);
      node = arguments(p, outer, TOKEN_CLOSE);
    } else if (tiny_parser_is(p, TOKEN_OPEN_BRACKET)) {
      outer = tiny_parser_new_node(p, NODE_INDEX);
      tiny_parser_next(p);
      node = tiny_parser_binary_of(p, outer, node, tiny_parser_expression(p));
      tiny_parser_expect(p, TOKEN_CLOSE_BRACKET);
    } else if (tiny_parser_is(p, TOKEN_DOT)) {
      tiny_parser_next(p);
      outer = tiny_parser_unary_of(p, tiny_parser_new_node(p, NODE_FIELD), node);
      outer->symbol = tiny_parser_expect_name(p);
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

  if (!tiny_parser_is(p, TOKEN_POWER))
    return node;
  struct tiny_node *outer = tiny_parser_new_node(p, NODE_BINARY);
  outer->token = TOKEN_POWER;
  tiny_parser_next(p);
  return tiny_parser_binary_of(p, outer, node, unary(p));
}

static struct tiny_node *unary(struct tiny_parser *p)
{
  bool is_not = tiny_parser_is(p, TOKEN_NOT) || tiny_parser_is(p, TOKEN_BANG);
  struct tiny_node *node = NULL;

  if (!is_not && !tiny_parser_is(p, TOKEN_MINUS) && !tiny_parser_is(p, TOKEN_TILDE))
    return power(p);
  if (tiny_parser_enter(p)) {
    node = tiny_parser_new_node(p, is_not ? NODE_NOT : NODE_UNARY);
    node->token = (uint8_t)p->lexer.token;
    tiny_parser_next(p);
    tiny_parser_unary_of(p, node, unary(p));
  }
  tiny_parser_leave(p);
  return node;
}

static struct tiny_node *binary(struct tiny_parser *p, unsigned least)
{
  struct tiny_node *node = unary(p);

  for (unsigned level; (level = tiny_token_rows[p->lexer.token].level) > least;) {
    struct tiny_node *outer = tiny_parser_new_node(p, level == 1 ? NODE_OR : level == 2 ? NODE_AND : NODE_BINARY);
    outer->token = (uint8_t)p->lexer.token;
    tiny_parser_next(p);
    node = tiny_parser_binary_of(p, outer, node, binary(p, level));
  }
  return node;
}

struct tiny_node *tiny_parser_expression(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_enter(p) ? binary(p, 0) : NULL;

  tiny_parser_leave(p);
  return node;
}

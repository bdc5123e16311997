/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses statements and modules; parser.c parses their expressions. Native code; the state is the caller's struct
 * tiny_parser. After an error the lexer returns only TOKEN_END, so all functions return soon.
 */
#include <string.h>

#include "tiny/front/parser.h"

enum { MAX_COPIES = 4 }; /* nested finally blocks: each is compiled several times */

/* The end of a statement: ; or the end of its line, or a brace. */
static void end_statement(struct tiny_parser *p)
{
  if (!tiny_parser_is(p, TOKEN_CLOSE_BRACE) && !tiny_parser_is(p, TOKEN_END) && !tiny_parser_accept(p, TOKEN_SEMICOLON))
    tiny_parser_fail_unexpected(p, "the end of the statement");
}

static void statements(struct tiny_parser *p, struct tiny_node *node, enum tiny_token end_token)
{
  struct tiny_node **end = &node->list;

  tiny_parser_skip_semicolons(p);
  while (!tiny_parser_is(p, end_token) && !tiny_parser_is(p, TOKEN_END)) {
    *end = tiny_parser_adopt(p, node, tiny_parser_statement(p));
    if (*end)
      end = &(*end)->next;
    tiny_parser_skip_semicolons(p);
  }
}

struct tiny_node *tiny_parser_block(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_BLOCK);
  struct tiny_variable *scope = p->function->scope;

  tiny_parser_expect(p, TOKEN_OPEN_BRACE);
  p->blocks++;
  statements(p, node, TOKEN_CLOSE_BRACE);
  p->blocks--;
  tiny_parser_expect(p, TOKEN_CLOSE_BRACE);
  p->function->scope = scope;
  return node;
}

static struct tiny_node *let(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_LET);

  tiny_parser_next(p);
  node->symbol = tiny_parser_expect_name(p);
  if (!tiny_parser_accept(p, TOKEN_ASSIGN)) {
    node->variable = tiny_parser_declare(p, node->symbol, true);
    return node;
  }
  /* Only a function sees its own name. */
  bool is_function = tiny_parser_is(p, TOKEN_FN);
  if (is_function)
    node->variable = tiny_parser_declare(p, node->symbol, false);
  tiny_parser_unary_of(p, node, tiny_parser_expression(p));
  if (is_function)
    tiny_parser_make_ready(node->variable);
  else
    node->variable = tiny_parser_declare(p, node->symbol, true);
  return node;
}

static struct tiny_node *named_function(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_LET), *made = tiny_parser_new_node(p, NODE_FUNCTION);

  tiny_parser_next(p);
  node->symbol = tiny_parser_expect_name(p);
  node->variable = tiny_parser_declare(p, node->symbol, false);
  tiny_parser_unary_of(p, node, tiny_parser_function(p, made, node->symbol, false));
  tiny_parser_make_ready(node->variable);
  return node;
}

static void methods(struct tiny_parser *p, struct tiny_node *node)
{
  struct tiny_node **end = &node->list;

  tiny_parser_expect(p, TOKEN_OPEN_BRACE);
  tiny_parser_skip_semicolons(p);
  while (!tiny_parser_is(p, TOKEN_CLOSE_BRACE) && !tiny_parser_is(p, TOKEN_END)) {
    struct tiny_node *method = tiny_parser_new_node(p, NODE_FUNCTION);
    tiny_parser_accept(p, TOKEN_FN);
    method->symbol = tiny_parser_expect_name(p);
    for (struct tiny_node *other = node->list; other; other = other->next)
      if (other->symbol == method->symbol)
        tiny_parser_fail(p, "two methods have the same name");
    tiny_parser_adopt(p, node, tiny_parser_function(p, method, method->symbol, true));
    *end = method;
    end = &method->next;
    tiny_parser_skip_semicolons(p);
  }
  tiny_parser_expect(p, TOKEN_CLOSE_BRACE);
}

static struct tiny_node *class(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_CLASS);
  struct tiny_parser outer = *p;

  tiny_parser_next(p);
  node->symbol = tiny_parser_expect_name(p);
  node->variable = tiny_parser_declare(p, node->symbol, false);
  if (node->variable)
    node->variable->is_constant = true;
  p->has_super = tiny_parser_accept(p, TOKEN_COLON);
  if (p->has_super)
    tiny_parser_unary_of(p, node, tiny_parser_expression(p));
  p->in_class = true;
  p->class_variable = node->variable;
  p->class_symbol = node->symbol;
  p->field_count = 0;
  methods(p, node);
  node->fields = (uint16_t)p->field_count;
  tiny_parser_make_ready(node->variable);
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

  while (tiny_parser_is(p, TOKEN_IF)) {
    struct tiny_node *node = tiny_parser_new_node(p, NODE_IF);
    tiny_parser_next(p);
    node->a = tiny_parser_adopt(p, node, tiny_parser_expression(p));
    node->b = tiny_parser_adopt(p, node, tiny_parser_block(p));
    *end = node;
    end = &node->c;
    if (!tiny_parser_accept(p, TOKEN_ELSE))
      break;
    if (!tiny_parser_is(p, TOKEN_IF))
      node->c = tiny_parser_adopt(p, first, tiny_parser_block(p));
  }
  return first;
}

static struct tiny_node *loop_body(struct tiny_parser *p)
{
  p->loops++;
  struct tiny_node *body = tiny_parser_block(p);
  p->loops--;
  return body;
}

static struct tiny_node *while_loop(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_WHILE);

  tiny_parser_next(p);
  node->a = tiny_parser_adopt(p, node, tiny_parser_expression(p));
  node->b = tiny_parser_adopt(p, node, loop_body(p));
  return node;
}

static struct tiny_node *for_loop(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_FOR);
  struct tiny_variable *scope = p->function->scope;
  uint32_t first, second = 0;

  tiny_parser_next(p);
  first = tiny_parser_expect_name(p);
  if (tiny_parser_accept(p, TOKEN_COMMA))
    second = tiny_parser_expect_name(p);
  tiny_parser_expect(p, TOKEN_IN);
  node->a = tiny_parser_adopt(p, node, tiny_parser_expression(p));
  p->blocks++;
  if (!second && tiny_parser_accept(p, TOKEN_DOTS)) {
    node->b = tiny_parser_adopt(p, node, tiny_parser_expression(p));
    node->variable = tiny_parser_declare(p, first, true);
  } else {
    node->kind = NODE_EACH;
    node->variable = second ? tiny_parser_declare(p, first, true) : NULL;
    node->second = tiny_parser_declare(p, second ? second : first, true);
  }
  node->c = tiny_parser_adopt(p, node, loop_body(p));
  p->blocks--;
  p->function->scope = scope;
  return node;
}

static struct tiny_node *try(struct tiny_parser *p)
{
  struct tiny_node *node = tiny_parser_new_node(p, NODE_TRY);
  struct tiny_variable *scope = p->function->scope;

  tiny_parser_next(p);
  node->a = tiny_parser_adopt(p, node, tiny_parser_block(p));
  if (tiny_parser_accept(p, TOKEN_CATCH)) {
    p->blocks++;
    node->variable = tiny_parser_declare(p, tiny_parser_expect_name(p), true);
    node->b = tiny_parser_adopt(p, node, tiny_parser_block(p));
    p->blocks--;
    p->function->scope = scope;
  }
  if (tiny_parser_accept(p, TOKEN_FINALLY)) {
    /* The block is compiled several times: jumps out of it would need a rule. */
    unsigned loops = p->loops;
    p->loops = 0;
    p->finals++;
    if (++p->copies > MAX_COPIES)
      tiny_parser_fail(p, "'finally' blocks are nested too deeply");
    node->c = tiny_parser_adopt(p, node, tiny_parser_block(p));
    p->finals--;
    p->copies--;
    p->loops = loops;
  } else if (!node->b) {
    tiny_parser_fail_unexpected(p, "'catch' or 'finally'");
  }
  return node;
}

static struct tiny_node *jump(struct tiny_parser *p)
{
  bool is_break = tiny_parser_is(p, TOKEN_BREAK);
  struct tiny_node *node = tiny_parser_new_node(p, is_break ? NODE_BREAK : NODE_CONTINUE);

  if (!p->loops)
    tiny_parser_fail(p, is_break ? "'break' stands outside of a loop" : "'continue' stands outside of a loop");
  tiny_parser_next(p);
  return node;
}

static struct tiny_node *return_or_throw(struct tiny_parser *p)
{
  bool is_throw = tiny_parser_is(p, TOKEN_THROW);
  struct tiny_node *node = tiny_parser_new_node(p, is_throw ? NODE_THROW : NODE_RETURN);

  if (!is_throw && p->finals)
    tiny_parser_fail(p, "'return' stands in a 'finally' block");
  tiny_parser_next(p);
  if (is_throw ||
      (!tiny_parser_is(p, TOKEN_SEMICOLON) && !tiny_parser_is(p, TOKEN_CLOSE_BRACE) && !tiny_parser_is(p, TOKEN_END))) {
    if (p->function->is_init && !is_throw)
      tiny_parser_fail(p, "'init' returns no value");
    tiny_parser_unary_of(p, node, tiny_parser_expression(p));
  }
  return node;
}

/* Only a note: an import makes no code. */
static struct tiny_node *import(struct tiny_parser *p)
{
  struct tiny_import *made = tiny_arena_take(p->arena, sizeof *made), **end = &p->imports;

  if (p->function->parent || p->blocks)
    tiny_parser_fail(p, "'import' stands within a function or block");
  made->line = p->lexer.token_line;
  made->column = p->lexer.token_column;
  tiny_parser_next(p);
  made->path = p->lexer.symbol;
  tiny_parser_expect(p, TOKEN_STRING);
  tiny_parser_expect(p, TOKEN_AS);
  made->name = tiny_parser_expect_name(p);
  while (*end)
    end = &(*end)->next;
  *end = made;
  return NULL;
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
  struct tiny_node *place = tiny_parser_expression(p), *node;
  enum tiny_token token = p->lexer.token;
  bool is_assignment = tiny_token_rows[token].kind == TOKEN_KIND_ASSIGN;

  node = tiny_parser_new_node(p, is_assignment ? NODE_ASSIGN : NODE_EXPRESSION);
  if (!is_assignment)
    return tiny_parser_unary_of(p, node, place);
  if (!is_place(place)) {
    tiny_parser_fail(p, "this expression cannot be assigned to");
    return node;
  }
  if (place->kind == NODE_NAME && place->variable) {
    if (place->variable->is_constant || place->symbol == tiny_parser_symbol_of("this"))
      tiny_parser_fail(p, "classes and 'this' cannot be assigned to");
    place->variable->is_assigned = true;
  }
  if (place->kind == NODE_FIELD && place->a && place->a->kind == NODE_NAME &&
      place->a->symbol == tiny_parser_symbol_of("this"))
    note_field(p, place->symbol);
  node->token = (uint8_t)token;
  tiny_parser_next(p);
  return tiny_parser_binary_of(p, node, place, tiny_parser_expression(p));
}

/* Statements by their first token; others are simple. */
static struct tiny_node *(*const statements_of[TOKEN_COUNT])(struct tiny_parser *) = {
    [TOKEN_OPEN_BRACE] = tiny_parser_block,
    [TOKEN_IF] = if_chain,
    [TOKEN_WHILE] = while_loop,
    [TOKEN_FOR] = for_loop,
    [TOKEN_TRY] = try,
    [TOKEN_CLASS] = class,
    [TOKEN_FN] = named_function,
    [TOKEN_LET] = let,
    [TOKEN_RETURN] = return_or_throw,
    [TOKEN_THROW] = return_or_throw,
    [TOKEN_BREAK] = jump,
    [TOKEN_CONTINUE] = jump,
    [TOKEN_IMPORT] = import,
};

/* True for statements that need no semicolon, because they end by a brace. */
static const bool ends_in_block[NODE_KINDS] = {
    [NODE_BLOCK] = true, [NODE_IF] = true,  [NODE_WHILE] = true, [NODE_FOR] = true,
    [NODE_EACH] = true,  [NODE_TRY] = true, [NODE_CLASS] = true,
};

struct tiny_node *tiny_parser_statement(struct tiny_parser *p)
{
  struct tiny_node *node = NULL;

  if (tiny_parser_enter(p)) {
    node = (statements_of[p->lexer.token] ? statements_of[p->lexer.token] : simple)(p);
    if (!node || !ends_in_block[node->kind])
      end_statement(p);
  }
  tiny_parser_leave(p);
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
  module->name = tiny_parser_symbol_of("main");
  module->line = module->column = 1;
  module->body = tiny_parser_new_node(parser, NODE_BLOCK);
  statements(parser, module->body, TOKEN_END);
  return error->failed ? NULL : module;
}

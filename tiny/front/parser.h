/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the parser that parser.c and parse_statements.c share. Each reads tokens from the current one on; those
 * that return a node return null, or a part of the tree, after an error.
 */
#ifndef TINY_PARSER_H
#define TINY_PARSER_H

#include "tiny/front/syntax.h"

bool tiny_parser_is(const struct tiny_parser *p, enum tiny_token token);
void tiny_parser_next(struct tiny_parser *p);
bool tiny_parser_accept(struct tiny_parser *p, enum tiny_token token);
void tiny_parser_fail(struct tiny_parser *p, const char *text);
void tiny_parser_fail_unexpected(struct tiny_parser *p, const char *expected);
void tiny_parser_expect(struct tiny_parser *p, enum tiny_token token);
uint32_t tiny_parser_expect_name(struct tiny_parser *p);
bool tiny_parser_enter(struct tiny_parser *p);
void tiny_parser_leave(struct tiny_parser *p);
struct tiny_node *tiny_parser_new_node(struct tiny_parser *p, enum tiny_node_kind kind);
struct tiny_node *tiny_parser_adopt(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *child);
struct tiny_node *tiny_parser_unary_of(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *a);
struct tiny_node *tiny_parser_binary_of(struct tiny_parser *p, struct tiny_node *node, struct tiny_node *a,
                                        struct tiny_node *b);
struct tiny_variable *tiny_parser_declare(struct tiny_parser *p, uint32_t symbol, bool is_ready);
void tiny_parser_make_ready(struct tiny_variable *variable);
uint32_t tiny_parser_symbol_of(const char *text);
struct tiny_node *tiny_parser_function(struct tiny_parser *p, struct tiny_node *node, uint32_t name, bool is_method);
void tiny_parser_skip_semicolons(struct tiny_parser *p);
struct tiny_node *tiny_parser_expression(struct tiny_parser *p);
struct tiny_node *tiny_parser_block(struct tiny_parser *p);
struct tiny_node *tiny_parser_statement(struct tiny_parser *p);

#endif

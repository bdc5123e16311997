/* SPDX-License-Identifier: Apache-2.0
 *
 * Source text to syntax tree: tokens, nodes, scopes. Native code. The tree lives in an arena until the compiler is done
 * with it.
 */
#ifndef TINY_SYNTAX_H
#define TINY_SYNTAX_H

#include "tiny/code/bytecode.h"

enum tiny_token {
#define TOKEN(name, text, kind, level, op) TOKEN_##name,
#include "tiny/front/tokens.def"
#undef TOKEN
  TOKEN_COUNT
};

enum tiny_token_kind { TOKEN_KIND_PLAIN, TOKEN_KIND_LAST, TOKEN_KIND_ASSIGN, TOKEN_KIND_COMPARE };

/* A row of tokens.def. */
struct tiny_token_row {
  const char *text;
  uint8_t kind, level, op; /* op: TINY_OPS for NONE */
};
extern const struct tiny_token_row tiny_token_rows[TOKEN_COUNT];

enum { TINY_MAX_FIELDS = 64 }; /* in line in an instance, without those of superclasses */
enum { TINY_MAX_NESTING = 200, TINY_MAX_DEPTH = 3000, TINY_ERROR_TEXT = 200 };

/* The first error of a source. */
struct tiny_error {
  bool failed;
  const struct tiny_source *source;
  uint32_t line, column;
  char text[TINY_ERROR_TEXT];
};

struct tiny_lexer {
  const char *text;
  size_t length, at, line_start;
  uint32_t line;
  struct tiny_error *error;
  /* The current token. */
  enum tiny_token token;
  uint32_t token_line, token_column;
  uint32_t symbol; /* of a name, a string or a part of one */
  int64_t integer;
  double number;
  bool was_end;                    /* the token before this one may end a statement */
  bool in_block[TINY_MAX_NESTING]; /* the open brackets: true for { */
  unsigned depth;
};

void tiny_lexer_begin(struct tiny_lexer *lexer, const char *text, size_t length, struct tiny_error *error);
void tiny_lexer_next(struct tiny_lexer *lexer);
/* After the } of "${...}": the rest of the string, as TOKEN_STRING or TOKEN_STRING_PART. */
void tiny_lexer_continue_string(struct tiny_lexer *lexer);
/* Notes an error, if it is the first, and lets only TOKEN_END follow. */
void tiny_lexer_fail(struct tiny_lexer *lexer, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes a character as UTF-8; returns the number of bytes, at most 4. */
size_t tiny_put_utf8(char *to, uint32_t code);

/* The bytes of the character of UTF-8 at `at`; 0 if there is another byte. */
size_t tiny_utf8_bytes(const unsigned char *at, size_t left);

/* ---- arena ---- */

struct tiny_arena {
  struct tiny_arena_block *blocks;
  size_t used;
};

void *tiny_arena_take(struct tiny_arena *arena, size_t bytes); /* zeroed */
void tiny_arena_free(struct tiny_arena *arena);

/* ---- tree ---- */

enum tiny_node_kind {
  NODE_NIL,
  NODE_TRUE,
  NODE_FALSE,
  NODE_INTEGER,
  NODE_FLOAT,
  NODE_STRING,
  NODE_NAME,     /* variable or, without one, the symbol of a global */
  NODE_TEMPLATE, /* list: parts */
  NODE_ARRAY,    /* list */
  NODE_OBJECT,   /* list of NODE_PAIR (symbol, a) */
  NODE_PAIR,
  NODE_FUNCTION, /* function */
  NODE_UNARY,
  NODE_BINARY, /* token; a, b */
  NODE_AND,
  NODE_OR,
  NODE_NOT,
  NODE_CALL,  /* a: callee, list: arguments */
  NODE_FIELD, /* a.symbol */
  NODE_INDEX, /* a[b] */
  NODE_SUPER, /* super.symbol, only as callee; variable: the class */
  /* Statements. */
  NODE_EXPRESSION,
  NODE_LET,    /* variable or symbol; a */
  NODE_ASSIGN, /* a = b; token: of the operation, or TOKEN_ASSIGN */
  NODE_BLOCK,  /* list */
  NODE_IF,     /* a: condition, b: then, c: else or null */
  NODE_WHILE,  /* a: condition, b: body */
  NODE_FOR,    /* variable; a, b: range; c: body */
  NODE_EACH,   /* variable: key or null, second: value; a: collection; c: body */
  NODE_RETURN,
  NODE_THROW,
  NODE_BREAK,
  NODE_CONTINUE,
  NODE_TRY,   /* a: body; variable, b: catch; c: finally */
  NODE_CLASS, /* variable or symbol; a: superclass; list: NODE_FUNCTION */
  NODE_KINDS,
};

/* A variable of a function. Variables of modules are globals. */
struct tiny_variable {
  uint32_t symbol;
  struct tiny_syntax *function;
  bool is_assigned, is_captured, is_early, is_constant; /* early: captured before its value is there */
  bool is_ready;
  uint8_t reg;
  struct tiny_variable *next; /* older one of the scope chain */
};

struct tiny_node {
  uint8_t kind, token;
  uint16_t depth;  /* of the tree below */
  uint16_t fields; /* of a class: properties that its methods assign to `this` */
  uint32_t line, column, symbol;
  union {
    int64_t integer;
    double number;
    struct tiny_variable *variable;
    struct tiny_syntax *function;
  };
  struct tiny_variable *second;
  struct tiny_node *a, *b, *c;
  struct tiny_node *list, *next;
};

/* A function of the source. */
struct tiny_syntax {
  struct tiny_syntax *parent;
  uint32_t name, line, column;
  bool is_method, is_init;
  unsigned parameter_count;
  struct tiny_variable *parameters[TINY_MAX_PARAMETERS];
  struct tiny_node *body;      /* NODE_BLOCK, or an expression */
  struct tiny_variable *scope; /* while it is parsed: the innermost variable */
};

/* A name that an import gives to another module. */
struct tiny_import {
  uint32_t name, path; /* symbols */
  uint32_t line, column;
  struct tiny_import *next;
};

struct tiny_parser {
  struct tiny_lexer lexer;
  struct tiny_arena *arena;
  struct tiny_syntax *function;
  struct tiny_import *imports;
  struct tiny_variable *class_variable; /* of the innermost class; null at the top of the module */
  uint32_t class_symbol;
  unsigned nesting, loops, blocks, finals; /* open ones; all except nesting: of this function */
  unsigned copies;                         /* open finally blocks */
  bool in_class, has_super;
  unsigned field_count; /* of the class: the properties that its methods assign */
  uint32_t fields[TINY_MAX_FIELDS];
};

/* Parses a module: the function whose body is the module's statements. Null after an error. */
struct tiny_syntax *tiny_parse(struct tiny_parser *parser, const char *text, size_t length, struct tiny_arena *arena,
                               struct tiny_error *error);

#endif

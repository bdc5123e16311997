/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits source text into tokens, and puts a semicolon at the end of a line whose last token may end a statement,
 * except within ( and [. Native code; the state is the caller's struct tiny_lexer.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny/front/syntax.h"

#define MAX_INTEGER (((int64_t)1 << 60) - 1)

enum { TINY_OP_NONE = TINY_OPS };

const struct tiny_token_row tiny_token_rows[TOKEN_COUNT] = {
#define TOKEN(name, text, kind, level, op) {text, TOKEN_KIND_##kind, level, TINY_OP_##op},
#include "tiny/front/tokens.def"
#undef TOKEN
};

void tiny_lexer_fail(struct tiny_lexer *lexer, uint32_t line, uint32_t column, const char *format, ...)
{
  struct tiny_error *error = lexer->error;

  if (!error->failed) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->failed = true;
    error->line = line;
    error->column = column;
  }
  lexer->at = lexer->length;
  lexer->token = TOKEN_END;
}

static uint32_t column_at(const struct tiny_lexer *lexer, size_t at)
{
  return (uint32_t)(at - lexer->line_start) + 1;
}

static void fail_here(struct tiny_lexer *lexer, const char *text)
{
  tiny_lexer_fail(lexer, lexer->token_line, lexer->token_column, "%s", text);
}

/* The byte `ahead` bytes further, or 0. */
static char peek(const struct tiny_lexer *lexer, size_t ahead)
{
  return ahead < lexer->length - lexer->at ? lexer->text[lexer->at + ahead] : 0;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 beyond ASCII belong to names. */
static bool is_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) || (c & 0x80);
}

static int hex_digit(char c)
{
  if (is_digit(c))
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void skip_block_comment(struct tiny_lexer *lexer)
{
  uint32_t line = lexer->line, column = column_at(lexer, lexer->at);

  for (lexer->at += 2; lexer->at < lexer->length; lexer->at++) {
    if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
      lexer->at += 2;
      return;
    }
    if (peek(lexer, 0) == '\n') {
      lexer->line++;
      lexer->line_start = lexer->at + 1;
    }
  }
  tiny_lexer_fail(lexer, line, column, "the comment has no end");
}

/* Skips blanks and comments. Returns true if a line ended that ends a statement. */
static bool skip_blanks(struct tiny_lexer *lexer)
{
  bool in_expression = lexer->depth && !lexer->in_block[lexer->depth - 1];

  while (lexer->at < lexer->length) {
    char c = peek(lexer, 0);
    if (c == '\n') {
      lexer->at++;
      lexer->line++;
      lexer->line_start = lexer->at;
      if (lexer->was_end && !in_expression)
        return true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      lexer->at++;
    } else if (c == '/' && peek(lexer, 1) == '/') {
      while (lexer->at < lexer->length && peek(lexer, 0) != '\n')
        lexer->at++;
    } else if (c == '/' && peek(lexer, 1) == '*') {
      skip_block_comment(lexer);
    } else {
      break;
    }
  }
  return false;
}

static void lex_hexadecimal(struct tiny_lexer *lexer)
{
  uint64_t integer = 0;
  size_t digits = 0;

  for (lexer->at += 2; hex_digit(peek(lexer, 0)) >= 0; lexer->at++, digits++) {
    if (integer >> 56) {
      fail_here(lexer, "the number is too large");
      return;
    }
    integer = integer << 4 | (uint64_t)hex_digit(peek(lexer, 0));
  }
  if (!digits || is_name(peek(lexer, 0))) {
    fail_here(lexer, "malformed number");
    return;
  }
  lexer->token = TOKEN_INTEGER;
  lexer->integer = (int64_t)integer;
}

static void lex_number(struct tiny_lexer *lexer)
{
  char digits[64];
  size_t start = lexer->at, length;
  bool is_float = false;

  if (peek(lexer, 0) == '0' && (peek(lexer, 1) | 0x20) == 'x') {
    lex_hexadecimal(lexer);
    return;
  }
  while (is_digit(peek(lexer, 0)))
    lexer->at++;
  if (peek(lexer, 0) == '.' && is_digit(peek(lexer, 1))) {
    is_float = true;
    for (lexer->at++; is_digit(peek(lexer, 0));)
      lexer->at++;
  }
  if ((peek(lexer, 0) | 0x20) == 'e') {
    is_float = true;
    lexer->at += peek(lexer, 1) == '+' || peek(lexer, 1) == '-' ? 2 : 1;
    if (!is_digit(peek(lexer, 0)))
      fail_here(lexer, "malformed number");
    while (is_digit(peek(lexer, 0)))
      lexer->at++;
  }
  length = lexer->at - start;
  if (lexer->error->failed)
    return;
  if (is_name(peek(lexer, 0)) || length >= sizeof digits) {
    fail_here(lexer, length >= sizeof digits ? "the number is too long" : "malformed number");
    return;
  }
  memcpy(digits, lexer->text + start, length);
  digits[length] = 0;
  errno = 0;
  lexer->integer = is_float ? 0 : strtoll(digits, NULL, 10);
  lexer->token = is_float || errno || lexer->integer > MAX_INTEGER ? TOKEN_FLOAT : TOKEN_INTEGER;
  lexer->number = strtod(digits, NULL);
}

static void lex_name(struct tiny_lexer *lexer)
{
  size_t start = lexer->at, length;

  while (is_name(peek(lexer, 0)))
    lexer->at++;
  length = lexer->at - start;
  for (enum tiny_token token = TOKEN_LET; token < TOKEN_COUNT; token++) {
    const char *text = tiny_token_rows[token].text;
    if (strlen(text) == length && !memcmp(text, lexer->text + start, length)) {
      lexer->token = token;
      return;
    }
  }
  lexer->token = TOKEN_NAME;
  lexer->symbol = tiny_intern(lexer->text + start, length);
}

size_t tiny_put_utf8(char *to, uint32_t code)
{
  if (code < 0x80) {
    to[0] = (char)code;
    return 1;
  }
  size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = length - 1; i > 0; i--, code >>= 6)
    to[i] = (char)(0x80 | (code & 0x3f));
  to[0] = (char)(0xf00 >> length | code);
  return length;
}

/* "\u{...}", at the brace. */
static size_t lex_code_point(struct tiny_lexer *lexer, char *to)
{
  uint32_t code = 0;
  size_t digits = 0;

  for (lexer->at++; hex_digit(peek(lexer, 0)) >= 0 && digits < 7; lexer->at++, digits++)
    code = code << 4 | (uint32_t)hex_digit(peek(lexer, 0));
  if (peek(lexer, 0) != '}' || !digits || code > 0x10ffff) {
    fail_here(lexer, "malformed \\u{...}");
    return 0;
  }
  lexer->at++;
  return tiny_put_utf8(to, code);
}

/* An escape, behind the backslash; returns the number of bytes. */
static size_t lex_escape(struct tiny_lexer *lexer, char *to)
{
  static const char names[] = "ntr0e\\\"'$", values[] = "\n\t\r\0\033\\\"'$";
  char c = peek(lexer, 0);
  const char *found = c ? strchr(names, c) : NULL;

  lexer->at += lexer->at < lexer->length;
  if (c == 'u' && peek(lexer, 0) == '{')
    return lex_code_point(lexer, to);
  if (c == 'x' && hex_digit(peek(lexer, 0)) >= 0 && hex_digit(peek(lexer, 1)) >= 0) {
    *to = (char)(hex_digit(peek(lexer, 0)) << 4 | hex_digit(peek(lexer, 1)));
    lexer->at += 2;
    return 1;
  }
  if (!found) {
    fail_here(lexer, "unknown escape in a string");
    return 0;
  }
  *to = values[found - names];
  return 1;
}

/* The rest of a string: up to the quote, or to "${". */
static void lex_string(struct tiny_lexer *lexer)
{
  size_t length = 0;
  char *text = malloc(lexer->length - lexer->at + 8);

  if (!text) {
    fail_here(lexer, "out of memory");
    return;
  }
  lexer->token = TOKEN_STRING;
  for (;;) {
    if (lexer->at >= lexer->length || peek(lexer, 0) == '\n') {
      fail_here(lexer, "the string has no end");
      break;
    }
    char c = lexer->text[lexer->at++];
    if (c == '"')
      break;
    if (c == '$' && peek(lexer, 0) == '{') {
      lexer->at++;
      lexer->token = TOKEN_STRING_PART;
      break;
    }
    if (c == '\\')
      length += lex_escape(lexer, text + length);
    else
      text[length++] = c;
    if (lexer->error->failed)
      break;
  }
  lexer->symbol = lexer->error->failed ? 0 : tiny_intern(text, length);
  free(text);
}

/* Ends a token: follows the open brackets; semicolons at ends of lines depend on the innermost. */
static void end_token(struct tiny_lexer *lexer)
{
  lexer->was_end = tiny_token_rows[lexer->token].kind == TOKEN_KIND_LAST;
  switch (lexer->token) {
  case TOKEN_OPEN:
  case TOKEN_OPEN_BRACKET:
  case TOKEN_OPEN_BRACE:
  case TOKEN_STRING_PART:
    if (lexer->depth == TINY_MAX_NESTING)
      fail_here(lexer, "brackets are nested too deeply");
    else
      lexer->in_block[lexer->depth++] = lexer->token == TOKEN_OPEN_BRACE;
    break;
  case TOKEN_CLOSE:
  case TOKEN_CLOSE_BRACKET:
  case TOKEN_CLOSE_BRACE:
    lexer->depth -= lexer->depth > 0;
    break;
  default:
    break;
  }
}

static void lex_operator(struct tiny_lexer *lexer)
{
  for (enum tiny_token token = TOKEN_POWER_ASSIGN; token <= TOKEN_CLOSE_BRACE; token++) {
    size_t length = strlen(tiny_token_rows[token].text);
    if (length <= lexer->length - lexer->at && !memcmp(tiny_token_rows[token].text, lexer->text + lexer->at, length)) {
      lexer->token = token;
      lexer->at += length;
      return;
    }
  }
  tiny_lexer_fail(lexer, lexer->token_line, lexer->token_column, "unexpected character (byte 0x%02x)",
                  (unsigned)(unsigned char)peek(lexer, 0));
}

void tiny_lexer_next(struct tiny_lexer *lexer)
{
  bool line_ends = skip_blanks(lexer);

  lexer->token_line = lexer->line;
  lexer->token_column = column_at(lexer, lexer->at);
  char c = peek(lexer, 0);
  if (lexer->error->failed) {
    lexer->token = TOKEN_END;
  } else if (line_ends) {
    lexer->token = TOKEN_SEMICOLON;
  } else if (lexer->at >= lexer->length) {
    lexer->token = lexer->was_end ? TOKEN_SEMICOLON : TOKEN_END;
  } else if (is_digit(c)) {
    lex_number(lexer);
  } else if (is_name(c)) {
    lex_name(lexer);
  } else if (c == '"') {
    lexer->at++;
    lex_string(lexer);
  } else {
    lex_operator(lexer);
  }
  end_token(lexer);
}

void tiny_lexer_continue_string(struct tiny_lexer *lexer)
{
  lex_string(lexer);
  end_token(lexer);
}

size_t tiny_utf8_bytes(const unsigned char *at, size_t left)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t bytes = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  uint32_t code = at[0] & (0xffu >> (bytes + 1));

  if (bytes == 1)
    return 1;
  if (at[0] < 0xc0 || at[0] >= 0xf8 || bytes > left)
    return 0;
  for (size_t i = 1; i < bytes; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (at[i] & 0x3f);
  }
  return code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : bytes;
}

/* Refuses text that is not UTF-8. */
static void check_text(struct tiny_lexer *lexer)
{
  const unsigned char *text = (const unsigned char *)lexer->text;
  uint32_t line = 1;
  size_t start = 0;

  for (size_t at = 0, bytes; at < lexer->length; at += bytes) {
    bytes = tiny_utf8_bytes(text + at, lexer->length - at);
    if (bytes == 0) {
      tiny_lexer_fail(lexer, line, (uint32_t)(at - start) + 1, "the text is not UTF-8 (byte 0x%02x)", text[at]);
      lexer->length = 0;
      return;
    }
    if (text[at] == '\n') {
      line++;
      start = at + 1;
    }
  }
}

void tiny_lexer_begin(struct tiny_lexer *lexer, const char *text, size_t length, struct tiny_error *error)
{
  memset(lexer, 0, sizeof *lexer);
  lexer->text = text;
  lexer->length = length;
  lexer->line = 1;
  lexer->error = error;
  check_text(lexer);
  if (lexer->length > 1 && text[0] == '#' && text[1] == '!')
    while (lexer->at < lexer->length && text[lexer->at] != '\n')
      lexer->at++;
  tiny_lexer_next(lexer);
}

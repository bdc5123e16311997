/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the text of expressions that may come from macros. A call in the body of a macro can be rewritten where the
 * macro is used, if the use expands to this call alone. Keeps the enclosing expressions in struct cn_walk.
 */
#include "migrate/program.h"

struct cn_position cn_walk_position(struct cn_walk *walk, CXCursor cursor)
{
  struct cn_position position;

  cn_program_locate(walk->program, clang_getRangeStart(clang_getCursorExtent(cursor)), &position);
  return position;
}

/* The extent in the file, where a use of a macro stands for its expansion. */
static bool file_extent(struct cn_program *program, CXCursor cursor, struct cn_position *begin, uint32_t *end)
{
  CXSourceRange range = clang_getCursorExtent(cursor);
  struct cn_position last;

  cn_program_locate(program, clang_getRangeStart(range), begin);
  cn_program_locate(program, clang_getRangeEnd(range), &last);
  *end = last.at;
  return begin->file == last.file && begin->at <= last.at && cn_program_source(program, begin->file);
}

/* True if [begin, end) is the use of one macro: a name, or a name and its arguments. */
static bool is_use_of_macro(const struct cn_source *source, uint32_t begin, uint32_t end)
{
  uint32_t token = cn_source_token_at(source, begin), last = token;

  if (token == CN_NO_TOKEN || source->tokens.at[token].kind != CN_TOKEN_WORD)
    return false;
  if (cn_source_token_is(source, token + 1, "("))
    last = cn_source_match_forwards(source, token + 1);
  return last != CN_NO_TOKEN && source->tokens.at[last].at + source->tokens.at[last].length == end;
}

static bool is_conversion(CXCursor cursor)
{
  enum CXCursorKind kind = clang_getCursorKind(cursor);

  return kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr || kind == CXCursor_CStyleCastExpr;
}

/* True if the code around the expression has other text than [begin, end), so that the macro makes the expression
 * alone. */
static bool is_alone(struct cn_walk *walk, CXCursor outer, CXCursor inner, struct cn_position begin, uint32_t end)
{
  for (size_t i = walk->enclosing.count; i-- > 0;) {
    CXCursor cursor = walk->enclosing.at[i];
    struct cn_position around;
    uint32_t around_end;
    if (clang_equalCursors(cursor, outer) || clang_equalCursors(cursor, inner) || is_conversion(cursor))
      continue;
    return file_extent(walk->program, cursor, &around, &around_end) &&
           (around.file != begin.file || around.at != begin.at || around_end != end);
  }
  return false;
}

bool cn_walk_extent(struct cn_walk *walk, CXCursor outer, CXCursor inner, struct cn_position *begin, uint32_t *end)
{
  struct cn_program *program = walk->program;
  struct cn_position inner_begin, start;
  uint32_t inner_end;

  if (cn_program_extent(program, outer, begin, end))
    return true;
  if (!file_extent(program, outer, begin, end) || !file_extent(program, inner, &inner_begin, &inner_end) ||
      inner_begin.file != begin->file || inner_end != *end)
    return false;
  bool written = cn_program_locate(program, clang_getRangeStart(clang_getCursorExtent(outer)), &start);
  return (written || inner_begin.at == begin->at) &&
         is_use_of_macro(cn_program_source(program, begin->file), inner_begin.at, inner_end) &&
         is_alone(walk, outer, inner, *begin, *end);
}

bool cn_walk_is_within(struct cn_walk *walk, CXCursor cursor, struct cn_position call, uint32_t call_end)
{
  struct cn_position begin;
  uint32_t end;

  return file_extent(walk->program, cursor, &begin, &end) && begin.file == call.file &&
         (begin.at > call.at || end < call_end);
}

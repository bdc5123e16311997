/* SPDX-License-Identifier: Apache-2.0
 *
 * Unions in structs that hold references beside other data. Members of at most 8 bytes become those of cairn_union().
 * A struct in a union without a name leaves the union: the union ends before the struct, and goes on after it. Other
 * unions hold their pointers ordinary. The unions are read with the declarations, before their uses.
 */
#include <string.h>
#include "migrate/program.h"

/* True if cairn_union() takes a member of the type. */
static bool fits(CXCursor field)
{
  CXType type = clang_getCanonicalType(clang_getCursorType(field));
  bool number = (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) || type.kind == CXType_Enum;

  return (number || type.kind == CXType_Pointer) && clang_Type_getSizeOf(type) <= 8 && !clang_Cursor_isBitField(field);
}

/* The declaration of the union that contains the token. Null outside of the union. */
static struct cn_union_part *part_at(struct cn_union *in, uint32_t token)
{
  for (size_t i = 0; i < in->parts.count; i++)
    if (token >= in->parts.at[i].begin && token <= in->parts.at[i].end)
      return &in->parts.at[i];
  return NULL;
}

/* Finds the declarations within the braces. False if the text is not that of a union without a tag in one piece. */
static bool read_text(struct cn_union *in, const struct cn_source *source, uint32_t word)
{
  in->open = word + 1;
  if (!cn_source_token_is(source, word, "union") || !cn_source_token_is(source, in->open, "{"))
    return false;
  in->close = cn_source_match_forwards(source, in->open);
  if (in->close == CN_NO_TOKEN)
    return false;
  in->named = !cn_source_token_is(source, in->close + 1, ";");
  if (in->named && !cn_source_token_is(source, in->close + 2, ";"))
    return false;
  uint32_t begin = source->tokens.at[word].at, end = source->tokens.at[in->close].at;
  for (size_t i = 0; i < source->directives.count; i++)
    if (source->directives.at[i].at > begin && source->directives.at[i].at < end)
      return false;
  struct cn_union_part part = {.begin = in->open + 1};
  for (uint32_t token = in->open + 1; token < in->close; token++) {
    if (cn_source_token_is(source, token, "{"))
      token = cn_source_match_forwards(source, token);
    if (!cn_source_token_is(source, token, ";"))
      continue;
    part.end = token;
    cn_push(&in->parts, part);
    part.begin = token + 1;
  }
  return true;
}

/* Sorts the members: those of cairn_union(), and the structs, which must leave the union. False for other members. */
static bool read_members(struct cn_program *program, struct cn_union *in, CXCursor definition)
{
  struct cn_cursors children = cn_cursor_children(definition);
  const struct cn_source *source = cn_program_source(program, in->position.file);
  bool good = true;

  for (size_t i = 0; good && i < children.count; i++) {
    struct cn_position position;
    if (clang_getCursorKind(children.at[i]) != CXCursor_FieldDecl)
      continue;
    good = cn_program_locate(program, clang_getCursorLocation(children.at[i]), &position) &&
           position.file == in->position.file;
    struct cn_union_part *part = good ? part_at(in, cn_source_token_from(source, position.at)) : NULL;
    CXCursor type = clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(children.at[i])));
    bool leaves = clang_getCursorKind(type) == CXCursor_StructDecl;
    good = part && (fits(children.at[i]) || (leaves && !in->named));
    if (good)
      part->leaves = leaves;
  }
  cn_free(&children);
  return good;
}

struct cn_union *cn_union_of(struct cn_program *program, CXCursor definition)
{
  struct cn_position position;
  bool added, editable = cn_program_locate(program, clang_getRangeStart(clang_getCursorExtent(definition)), &position);
  uint64_t *known = cn_ptrmap_add(&program->union_numbers, cn_position_key(position), &added);

  if (!added)
    return (struct cn_union *)(uintptr_t)*known;
  struct cn_union *in = cn_program_alloc(program, sizeof *in);
  *known = (uintptr_t)in;
  cn_push(&program->unions, in);
  in->position = position;
  CXCursor parent = clang_getCursorSemanticParent(definition);
  const struct cn_source *source = editable ? cn_program_source(program, position.file) : NULL;
  in->fixed = !source || clang_getCursorKind(parent) != CXCursor_StructDecl ||
              !read_text(in, source, cn_source_token_at(source, position.at)) || !read_members(program, in, definition);
  return in;
}

/* The union that the record lies in. Null if there is none, or one within another. */
static struct cn_union *only_union(struct cn_program *program, CXCursor record)
{
  CXCursor found = clang_getNullCursor();

  for (; clang_getCursorKind(record) == CXCursor_UnionDecl || clang_getCursorKind(record) == CXCursor_StructDecl;
       record = clang_getCursorSemanticParent(record)) {
    if (clang_getCursorKind(record) != CXCursor_UnionDecl)
      continue;
    if (!clang_Cursor_isNull(found))
      return NULL;
    found = record;
  }
  return clang_Cursor_isNull(found) ? NULL : cn_union_of(program, found);
}

void cn_union_note_member(struct cn_program *program, struct cn_type *type, CXCursor field, CXCursor record)
{
  struct cn_union *in = only_union(program, record);
  struct cn_union_member member = {.direct = clang_getCursorKind(record) == CXCursor_UnionDecl};

  cn_program_locate(program, clang_getCursorLocation(field), &member.position);
  while (type->kind == CN_TYPE_ARRAY)
    type = type->to;
  if (in && member.direct && type->kind == CN_TYPE_SCALAR)
    in->numbers = true;
  if (type->kind != CN_TYPE_POINTER || program->classes.pointers.at[type->pointer].written)
    return;
  member.pointer = type->pointer;
  member.name = cn_program_keep(program, cn_cursor_name(field));
  if (in)
    cn_push(&in->members, member);
  else
    cn_classes_hold(&program->classes, member.pointer,
                    (struct cn_held){CN_REASON_UNION, member.position, cn_strdup(member.name)});
}

void cn_union_hold(struct cn_program *program, CXCursor field)
{
  CXCursor record = clang_getCursorSemanticParent(field);

  if (clang_getCursorKind(record) == CXCursor_UnionDecl)
    cn_union_of(program, record)->fixed = true;
}

void cn_unions_hold_fixed(struct cn_program *program)
{
  for (size_t i = 0; i < program->unions.count; i++) {
    const struct cn_union *in = program->unions.at[i];
    for (size_t k = 0; in->fixed && k < in->members.count; k++)
      cn_classes_hold(&program->classes, in->members.at[k].pointer,
                      (struct cn_held){CN_REASON_UNION, in->members.at[k].position, cn_strdup(in->members.at[k].name)});
  }
}

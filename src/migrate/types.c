/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the types of declarations and expressions, with a node for each pointer, and makes types equal. A declaration
 * has one type, by its position; the declarations of a name with linkage have equal types. struct cn_program keeps the
 * types.
 */
#include <search.h>
#include <string.h>
#include "migrate/declarator.h"
#include "migrate/program.h"

struct cn_type cn_type_scalar = {.kind = CN_TYPE_SCALAR};

/* The state while one type is built. */
struct builder {
  struct cn_program *program;
  struct cn_source *source; /* null if the type's text may not be edited */
  struct cn_declarator declarator;
  size_t part;           /* the next one of the declarator */
  bool declared;         /* a declaration or a cast, so that each pointer needs a place */
  bool variable;         /* a declaration */
  bool parameter;        /* an outer array is a pointer */
  enum cn_reason reason; /* of pointers without a place */
  struct cn_position position;
  struct cn_cursors parameters; /* of the lists in the declarator, in order */
  size_t parameter_at;
};

static struct cn_type *build(struct builder *builder, CXType type);

static struct cn_type *new_type(struct cn_program *program, enum cn_type_kind kind)
{
  struct cn_type *type = cn_program_alloc(program, sizeof *type);

  type->kind = kind;
  return type;
}

struct cn_type *cn_type_pointer(struct cn_program *program, uint32_t pointer, struct cn_type *to)
{
  struct cn_type *type = new_type(program, CN_TYPE_POINTER);

  type->pointer = pointer ? pointer : cn_classes_add(&program->classes, to->kind == CN_TYPE_VOID ? NULL : to);
  type->to = to;
  return type;
}

struct cn_type *cn_type_pointer_held(struct cn_program *program, struct cn_type *to, struct cn_held what)
{
  struct cn_type *type = cn_type_pointer(program, 0, to);

  cn_classes_hold(&program->classes, type->pointer, what);
  return type;
}

static const struct cn_part *take_part(struct builder *builder, enum cn_part_kind kind)
{
  if (!builder->source || builder->part >= builder->declarator.parts.count)
    return NULL;
  const struct cn_part *part = &builder->declarator.parts.at[builder->part];
  if (part->kind == kind) {
    builder->part++;
    return part;
  }
  if (kind != CN_PART_STAR || part->kind != CN_PART_BRACKETS || !builder->parameter || builder->part != 0)
    builder->source = NULL; /* the text and the type differ, for instance by a macro */
  return NULL;
}

/* Gives a new pointer its place, or holds the pointer if `part` is null. */
static void place_pointer(struct builder *builder, uint32_t pointer, const struct cn_part *part, bool brackets)
{
  struct cn_program *program = builder->program;

  if (!part) {
    cn_classes_hold(&program->classes, pointer,
                    (struct cn_held){.reason = builder->reason, .position = builder->position});
    return;
  }
  struct cn_position place = {builder->position.file, builder->source->tokens.at[part->token].at};
  program->classes.pointers.at[pointer].place = place;
  program->classes.pointers.at[pointer].brackets = brackets;
  bool added;
  uint64_t *known = cn_ptrmap_add(&program->places, cn_position_key(place), &added);
  if (added)
    *known = pointer;
  struct cn_type *one, *other;
  if (!added && cn_classes_join(&program->classes, (uint32_t)*known, pointer, &one, &other) && one && other)
    cn_type_unify(program, one, other);
}

/* `type` is a pointer type, or an array type that a parameter has as a pointer. */
static struct cn_type *build_pointer(struct builder *builder, CXType type, CXType pointee)
{
  struct cn_program *program = builder->program;
  const struct cn_part *star = take_part(builder, CN_PART_STAR);
  bool brackets = builder->parameter && !star && builder->part == 0;
  const struct cn_part *part = brackets ? take_part(builder, CN_PART_BRACKETS) : star;
  bool written = clang_getAddressSpace(clang_getCanonicalType(pointee)) == 1;

  (void)type;
  builder->parameter = false;
  struct cn_type *to = build(builder, pointee), *result = cn_type_pointer(program, 0, to);
  struct cn_pointer *node = &program->classes.pointers.at[result->pointer];
  node->managed = node->written = written;
  if (to->kind == CN_TYPE_FUNCTION)
    cn_classes_hold(&program->classes, result->pointer, (struct cn_held){.reason = CN_REASON_FUNCTION});
  else if (builder->declared && !written)
    place_pointer(builder, result->pointer, part, brackets);
  if (builder->variable && to->character && !program->options.strings && !written)
    cn_classes_hold(&program->classes, result->pointer,
                    (struct cn_held){.reason = CN_REASON_TEXT, .position = builder->position});
  return result;
}

static struct cn_type *build_function(struct builder *builder, CXType type)
{
  struct cn_type *function = new_type(builder->program, CN_TYPE_FUNCTION);
  int count = clang_getNumArgTypes(type);

  take_part(builder, CN_PART_CALL);
  builder->parameter = false;
  function->variadic = clang_isFunctionTypeVariadic(type) != 0;
  function->count = count > 0 ? (size_t)count : 0;
  function->parameters = cn_program_alloc(builder->program, (function->count + 1) * sizeof *function->parameters);
  for (size_t i = 0; i < function->count; i++) {
    if (builder->parameter_at < builder->parameters.count) {
      function->parameters[i] = cn_type_declared(builder->program, builder->parameters.at[builder->parameter_at++]);
      continue;
    }
    struct builder nested = {.program = builder->program,
                             .declared = builder->declared,
                             .reason = builder->reason,
                             .position = builder->position};
    function->parameters[i] = build(&nested, clang_getArgType(type, (unsigned)i));
  }
  function->to = build(builder, clang_getResultType(type));
  return function;
}

/* True if the record is a union, or lies in one. */
static bool lies_in_union(CXCursor record)
{
  for (; clang_getCursorKind(record) == CXCursor_UnionDecl || clang_getCursorKind(record) == CXCursor_StructDecl;
       record = clang_getCursorSemanticParent(record))
    if (clang_getCursorKind(record) == CXCursor_UnionDecl)
      return true;
  return false;
}

static struct cn_record *record_of(struct cn_program *program, CXCursor declaration);

static void build_fields(struct cn_program *program, struct cn_record *record, CXCursor definition)
{
  struct cn_cursors children = cn_cursor_children(definition);
  bool in_union = lies_in_union(definition);

  record->complete = true;
  for (size_t i = 0; i < children.count; i++) {
    if (clang_getCursorKind(children.at[i]) == CXCursor_UnionDecl) {
      record_of(program, children.at[i]);
      cn_push(&record->unions, cn_union_of(program, children.at[i]));
    }
    if (clang_getCursorKind(children.at[i]) != CXCursor_FieldDecl)
      continue;
    struct cn_type *type = cn_type_declared(program, children.at[i]);
    cn_push(&record->fields, type);
    if (in_union)
      cn_union_note_member(program, type, children.at[i], definition);
  }
  cn_free(&children);
}

static struct cn_record *record_of(struct cn_program *program, CXCursor declaration)
{
  CXCursor definition = clang_getCursorDefinition(declaration);
  bool complete = !clang_Cursor_isNull(definition) && clang_getCursorKind(definition) != CXCursor_InvalidFile;
  struct cn_position position;
  bool added;

  cn_program_locate(program, clang_getCursorLocation(complete ? definition : declaration), &position);
  uint64_t *known = cn_ptrmap_add(&program->records, cn_position_key(position), &added);
  if (!added)
    return (struct cn_record *)(uintptr_t)*known;
  struct cn_record *record = cn_program_alloc(program, sizeof *record);
  *known = (uintptr_t)record;
  cn_push(&program->all_records, record);
  if (!clang_Cursor_isAnonymous(declaration)) {
    char *name = cn_cursor_name(declaration);
    bool is_union = clang_getCursorKind(declaration) == CXCursor_UnionDecl;
    if (*name && !strchr(name, ' '))
      record->tag = cn_program_keep(program, cn_format("%s %s", is_union ? "union" : "struct", name));
    free(name);
  }
  if (complete)
    build_fields(program, record, definition);
  return record;
}

static struct cn_type *build_base(struct builder *builder, CXType type)
{
  CXType canonical = clang_getCanonicalType(type);
  struct cn_program *program = builder->program;

  if (canonical.kind == CXType_Record) {
    struct cn_type *record = new_type(program, CN_TYPE_RECORD);
    record->record = record_of(program, clang_getTypeDeclaration(canonical));
    record->name = record->record->tag;
    return record;
  }
  struct cn_type *scalar = new_type(program, canonical.kind == CXType_Void ? CN_TYPE_VOID : CN_TYPE_SCALAR);
  CXString name = clang_getTypeSpelling(cn_unqualified(canonical));
  scalar->name = cn_program_keep(program, cn_strdup(clang_getCString(name)));
  scalar->character = canonical.kind == CXType_Char_S || canonical.kind == CXType_Char_U ||
                      canonical.kind == CXType_SChar || canonical.kind == CXType_UChar;
  clang_disposeString(name);
  return scalar;
}

static struct cn_type *build_named(struct builder *builder, CXType type)
{
  CXCursor declaration = clang_getTypeDeclaration(type);
  struct cn_position position;

  cn_program_locate(builder->program, clang_getCursorLocation(declaration), &position);
  if (!position.file)
    return build(builder, clang_getCanonicalType(type));
  struct cn_type *named = cn_program_alloc(builder->program, sizeof *named);
  *named = *cn_type_declared(builder->program, declaration);
  named->name = cn_program_keep(builder->program, cn_cursor_name(declaration));
  return named;
}

static struct cn_type *build_array(struct builder *builder, CXType type)
{
  if (builder->parameter && builder->part == 0)
    return build_pointer(builder, type, clang_getArrayElementType(type));
  struct cn_type *array = new_type(builder->program, CN_TYPE_ARRAY);
  take_part(builder, CN_PART_BRACKETS);
  array->to = build(builder, clang_getArrayElementType(type));
  return array;
}

static struct cn_type *build(struct builder *builder, CXType type)
{
  CXType canonical = clang_getCanonicalType(type);

  switch (type.kind) {
  case CXType_Attributed:
    return build(builder, clang_Type_getModifiedType(type));
  case CXType_Elaborated:
    return build(builder, clang_Type_getNamedType(type));
  case CXType_Typedef:
    return build_named(builder, type);
  case CXType_Pointer:
    return build_pointer(builder, type, clang_getPointeeType(type));
  case CXType_ConstantArray:
  case CXType_IncompleteArray:
  case CXType_VariableArray:
    return build_array(builder, type);
  case CXType_FunctionProto:
  case CXType_FunctionNoProto:
    return build_function(builder, type);
  case CXType_Unexposed:
    if (canonical.kind == CXType_FunctionProto || canonical.kind == CXType_FunctionNoProto)
      return build_function(builder, type); /* in parentheses */
    if (canonical.kind != CXType_Unexposed) {
      builder->source = NULL; /* typeof and the like */
      return build(builder, canonical);
    }
    return build_base(builder, type);
  default:
    return build_base(builder, type);
  }
}

struct cn_type *cn_type_of_expression(struct cn_program *program, CXType type)
{
  struct builder builder = {.program = program};

  return build(&builder, type);
}

static struct cn_cursors parameters_of(CXCursor cursor)
{
  struct cn_cursors children = cn_cursor_children(cursor);
  size_t kept = 0;

  for (size_t i = 0; i < children.count; i++)
    if (clang_getCursorKind(children.at[i]) == CXCursor_ParmDecl)
      children.at[kept++] = children.at[i];
  children.count = kept;
  return children;
}

struct cn_type *cn_type_written(struct cn_program *program, CXCursor cast)
{
  struct builder builder = {.program = program, .declared = true, .reason = CN_REASON_MACRO};
  CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(cast));

  if (cn_program_locate(program, start, &builder.position)) {
    struct cn_source *source = cn_program_source(program, builder.position.file);
    uint32_t open = cn_source_token_at(source, builder.position.at);
    uint32_t close = open == CN_NO_TOKEN ? open : cn_source_match_forwards(source, open);
    if (close != CN_NO_TOKEN && cn_source_token_is(source, open, "(")) {
      builder.source = source;
      builder.declarator = cn_declarator_without_name(source, open + 1, close);
      builder.reason = CN_REASON_PLACE;
    }
  }
  builder.parameters = parameters_of(cast);
  struct cn_type *type = build(&builder, clang_getCursorType(cast));
  cn_free(&builder.declarator.parts);
  cn_free(&builder.parameters);
  return type;
}

/* Notes a declarator that shares its specifiers with others, and one after the body of a struct. */
static void note_group(struct builder *builder, CXCursor declaration, struct cn_type *type)
{
  struct cn_program *program = builder->program;
  const struct cn_declarator *declarator = &builder->declarator;
  struct cn_position begin;
  bool added;

  if (!cn_program_locate(program, clang_getRangeStart(clang_getCursorExtent(declaration)), &begin))
    return;
  /* clang's extent of a later variable of a statement begins at the variable's name. */
  bool later = declarator->begin && cn_source_token_is(builder->source, declarator->begin - 1, ",");
  if (later && program->statement.file && begin.at >= builder->source->tokens.at[declarator->begin].at)
    begin = program->statement;
  uint64_t *known = cn_ptrmap_add(&program->group_numbers, cn_position_key(begin), &added);
  if (added) {
    *known = program->groups.count + 1;
    struct cn_group group = {.file = begin.file, .begin = cn_source_token_from(builder->source, begin.at)};
    cn_push(&program->groups, group);
  }
  struct cn_group *group = &program->groups.at[*known - 1];
  const struct cn_type *at = type;
  uint32_t pointer = 0;
  for (size_t i = 0; i < declarator->parts.count && at; i++) {
    const struct cn_part *part = &declarator->parts.at[i];
    if (part->kind == CN_PART_STAR && part->token == declarator->begin && at->kind == CN_TYPE_POINTER)
      pointer = at->pointer;
    at = at->to;
  }
  cn_push(&group->entries, (struct cn_declarator_entry){declarator->begin, builder->position.at, pointer});
  bool after_body = declarator->begin && cn_source_token_is(builder->source, declarator->begin - 1, "}");
  if (after_body && pointer && clang_getCursorKind(declaration) != CXCursor_TypedefDecl)
    cn_classes_hold(&program->classes, pointer,
                    (struct cn_held){.reason = CN_REASON_PLACE, .position = builder->position});
}

static int compare_strings(const void *one, const void *other)
{
  return strcmp(one, other);
}

/* Notes the name of a variable, which may hide a typedef. */
static void note_variable(struct cn_program *program, CXCursor declaration)
{
  char *name = cn_cursor_name(declaration);
  char **found = tsearch(name, &program->variable_names, compare_strings);

  CN_CHECK(found);
  if (*found != name)
    free(name);
}

bool cn_type_is_hidden(const struct cn_program *program, const char *name)
{
  return tfind(name, &program->variable_names, compare_strings) != NULL;
}

/* Finds the text of a declaration. */
static void read_declarator(struct builder *builder, CXCursor declaration)
{
  struct cn_program *program = builder->program;
  bool editable = cn_program_locate(program, clang_getCursorLocation(declaration), &builder->position);

  builder->reason = cn_program_is_system(program, declaration) ? CN_REASON_SYSTEM : CN_REASON_MACRO;
  if (!editable)
    return;
  builder->source = cn_program_source(program, builder->position.file);
  builder->reason = CN_REASON_PLACE;
  char *name = cn_cursor_name(declaration);
  uint32_t token = cn_source_token_at(builder->source, builder->position.at);
  struct cn_position begin;
  uint32_t end;
  if (*name && cn_source_token_is(builder->source, token, name)) {
    builder->declarator = cn_declarator_of_name(builder->source, token);
  } else if (!*name && cn_program_extent(program, declaration, &begin, &end)) {
    builder->declarator = cn_declarator_without_name(builder->source, cn_source_token_from(builder->source, begin.at),
                                                     cn_source_token_from(builder->source, end));
  } else {
    builder->source = NULL;
    builder->reason = CN_REASON_MACRO;
  }
  free(name);
}

static bool has_linkage(CXCursor declaration)
{
  enum CXLinkageKind linkage = clang_getCursorLinkage(declaration);

  return linkage == CXLinkage_External || linkage == CXLinkage_Internal;
}

/* Makes a name's declarations equal, and holds functions that no unit defines. */
static void link_declaration(struct cn_program *program, CXCursor declaration, struct cn_type *type,
                             struct cn_position position)
{
  enum CXCursorKind kind = clang_getCursorKind(declaration);

  if ((kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl) || !has_linkage(declaration))
    return;
  struct cn_name *name = cn_program_name(program, declaration);
  char *spelled = cn_cursor_name(declaration);
  if (name->type) {
    cn_type_unify(program, name->type, type);
    cn_flow_link(program, name->type, type);
  } else {
    name->type = type;
  }
  if (kind == CXCursor_FunctionDecl && !name->defined && !cn_program_is_cairn(program, declaration))
    cn_type_hold(program, type, CN_REASON_PASSED, position, spelled);
  if (kind == CXCursor_FunctionDecl && strcmp(spelled, "main") == 0)
    cn_type_hold(program, type, CN_REASON_SYSTEM, position, NULL);
  free(spelled);
}

static CXType type_of_declaration(CXCursor declaration)
{
  if (clang_getCursorKind(declaration) == CXCursor_TypedefDecl)
    return clang_getTypedefDeclUnderlyingType(declaration);
  return clang_getCursorType(declaration);
}

struct cn_type *cn_type_declared(struct cn_program *program, CXCursor declaration)
{
  struct builder builder = {.program = program, .declared = true, .variable = true};
  enum CXCursorKind kind = clang_getCursorKind(declaration);
  bool added;

  read_declarator(&builder, declaration);
  uint64_t *known = cn_ptrmap_add(&program->declared, cn_position_key(builder.position), &added);
  if (!added) {
    cn_free(&builder.declarator.parts);
    return (struct cn_type *)(uintptr_t)*known;
  }
  *known = (uintptr_t)&cn_type_scalar;
  if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl)
    note_variable(program, declaration);
  builder.parameter = kind == CXCursor_ParmDecl;
  builder.parameters = parameters_of(declaration);
  struct cn_source *source = builder.source;
  struct cn_type *type = build(&builder, type_of_declaration(declaration));
  *cn_ptrmap_find(&program->declared, cn_position_key(builder.position)) = (uintptr_t)type;
  builder.source = source;
  if (source && (kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl || kind == CXCursor_TypedefDecl))
    note_group(&builder, declaration, type);
  if (source && kind == CXCursor_TypedefDecl && type->kind == CN_TYPE_RECORD)
    cn_push(&program->typedefs, (struct cn_typedef){.position = builder.position,
                                                    .record = type->record,
                                                    .name = cn_program_keep(program, cn_cursor_name(declaration))});
  link_declaration(program, declaration, type, builder.position);
  cn_free(&builder.declarator.parts);
  cn_free(&builder.parameters);
  return type;
}

static struct cn_type *better_target(struct cn_type *one, struct cn_type *other)
{
  if (!one || !other)
    return one ? one : other;
  return other->kind == CN_TYPE_POINTER || one->kind == CN_TYPE_SCALAR ? other : one;
}

void cn_type_unify(struct cn_program *program, struct cn_type *a, struct cn_type *b)
{
  if (!a || !b || a == b || a->kind != b->kind)
    return;
  if (a->kind == CN_TYPE_POINTER) {
    struct cn_type *one, *other;
    if (cn_classes_join(&program->classes, a->pointer, b->pointer, &one, &other)) {
      uint32_t class = cn_classes_find(&program->classes, a->pointer);
      program->classes.pointers.at[class].target = better_target(one, other);
      cn_type_unify(program, one, other);
    }
  } else if (a->kind == CN_TYPE_FUNCTION) {
    for (size_t i = 0; i < a->count && i < b->count; i++)
      cn_type_unify(program, a->parameters[i], b->parameters[i]);
  }
  if (a->kind == CN_TYPE_POINTER || a->kind == CN_TYPE_FUNCTION || a->kind == CN_TYPE_ARRAY)
    cn_type_unify(program, a->to, b->to);
}

void cn_type_hold(struct cn_program *program, struct cn_type *type, enum cn_reason reason, struct cn_position position,
                  const char *name)
{
  if (type->kind == CN_TYPE_POINTER)
    cn_classes_hold(&program->classes, type->pointer,
                    (struct cn_held){reason, position, name ? cn_strdup(name) : NULL});
  if (type->kind == CN_TYPE_FUNCTION)
    for (size_t i = 0; i < type->count; i++)
      cn_type_hold(program, type->parameters[i], reason, position, name);
  if (type->kind == CN_TYPE_POINTER || type->kind == CN_TYPE_FUNCTION || type->kind == CN_TYPE_ARRAY)
    cn_type_hold(program, type->to, reason, position, name);
}

struct cn_type *cn_type_target(struct cn_program *program, const struct cn_type *type)
{
  CN_CHECK(type->kind == CN_TYPE_POINTER);
  if (type->to->kind != CN_TYPE_VOID)
    return type->to;
  return program->classes.pointers.at[cn_classes_find(&program->classes, type->pointer)].target;
}

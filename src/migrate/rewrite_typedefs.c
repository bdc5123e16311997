/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the qualifier into the typedef of a struct if fewer lines change so: `typedef struct node managed node;` makes
 * each `node *` a reference, and the other uses of the name become `struct node`. Uses are found among the tokens of
 * all files of the program.
 */
#include <ctype.h>
#include <string.h>
#include "migrate/program.h"

/* The lines that a typedef would change. */
struct uses {
  size_t managed_lines, other_lines;
  bool wrong; /* a use of an unknown form */
};

static bool is_word(const struct cn_source *source, uint32_t token, const char *word)
{
  return source->tokens.at[token].kind == CN_TOKEN_WORD && cn_source_token_is(source, token, word);
}

/* True if a directive of the file has the word. */
static bool directives_have(const struct cn_source *source, const char *word)
{
  size_t length = strlen(word);

  for (size_t i = 0; i < source->directives.count; i++) {
    const struct cn_directive *directive = &source->directives.at[i];
    for (const char *at = source->text + directive->at, *end = source->text + directive->end;
         (at = memmem(at, (size_t)(end - at), word, length)) != NULL; at += length)
      if (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && at[-1] != '"' && at[-1] != '/' &&
          !isalnum((unsigned char)at[length]) && at[length] != '_' && at[length] != '.')
        return true;
  }
  return false;
}

/* The star after the name at the token, or CN_NO_TOKEN. */
static uint32_t star_after(const struct cn_source *source, uint32_t token)
{
  token++;
  while (token < source->tokens.count && (is_word(source, token, "const") || is_word(source, token, "volatile")))
    token++;
  return cn_source_token_is(source, token, "*") ? token : (uint32_t)CN_NO_TOKEN;
}

/* True for a token with the name that means the typedef, as far as tokens tell. */
static bool means_typedef(const struct cn_source *source, uint32_t token, const char *name)
{
  if (!is_word(source, token, name))
    return false;
  if (token == 0)
    return true;
  uint32_t before = token - 1;
  return !is_word(source, before, "struct") && !is_word(source, before, "union") && !is_word(source, before, "enum") &&
         !is_word(source, before, "goto") && !cn_source_token_is(source, before, ".") &&
         !(cn_source_token_is(source, before, ">") && before && cn_source_token_is(source, before - 1, "-"));
}

static bool is_measured(const struct cn_source *source, uint32_t token)
{
  return token >= 2 && cn_source_token_is(source, token - 1, "(") && is_word(source, token - 2, "sizeof");
}

enum use { USE_NONE, USE_MANAGED, USE_OTHER };

static enum use use_of(struct cn_program *program, uint32_t file, const struct cn_source *source, uint32_t token)
{
  uint32_t star = star_after(source, token);

  if (star == CN_NO_TOKEN && cn_variable_is_static_object(program, file, token + 1))
    return USE_MANAGED;
  if (star == CN_NO_TOKEN)
    return is_measured(source, token) ? USE_NONE : USE_OTHER;
  struct cn_position place = {file, source->tokens.at[star].at};
  const uint64_t *pointer = cn_ptrmap_find(&program->places, cn_position_key(place));
  if (!pointer)
    return is_measured(source, token) ? USE_NONE : USE_OTHER;
  return cn_solve_is_managed(program, (uint32_t)*pointer) ? USE_MANAGED : USE_OTHER;
}

/* Counts the lines of one file. */
static void count_uses(struct cn_program *program, uint32_t file, const struct cn_typedef *type, struct uses *uses)
{
  const struct cn_source *source = cn_program_source(program, file);
  uint32_t last_managed = 0, last_other = 0;

  uses->wrong |= directives_have(source, type->name);
  for (uint32_t token = 0; token < source->tokens.count; token++) {
    if (!means_typedef(source, token, type->name) ||
        (file == type->position.file && source->tokens.at[token].at == type->position.at))
      continue;
    uint32_t line = cn_source_line_of(source, source->tokens.at[token].at);
    enum use use = use_of(program, file, source, token);
    if (use == USE_MANAGED && line != last_managed) {
      uses->managed_lines++;
      last_managed = line;
    } else if (use == USE_OTHER && line != last_other) {
      uses->other_lines++;
      last_other = line;
    }
  }
}

/* The group of declarators that the typedef's name is in; null if the name stands alone. */
static bool shares_declaration(struct cn_program *program, const struct cn_typedef *type)
{
  const struct cn_source *source = cn_program_source(program, type->position.file);
  uint32_t name = cn_source_token_at(source, type->position.at);

  return name == CN_NO_TOKEN || name == 0 || !cn_source_token_is(source, name + 1, ";") ||
         cn_source_token_is(source, name - 1, ",");
}

/* The token `typedef` before the name, or CN_NO_TOKEN. */
static uint32_t typedef_word(const struct cn_source *source, uint32_t name)
{
  uint32_t token = name;

  while (token-- > 0) {
    if (cn_source_token_is(source, token, "}")) {
      token = cn_source_match_backwards(source, token);
      if (token == CN_NO_TOKEN)
        return CN_NO_TOKEN;
    } else if (is_word(source, token, "typedef")) {
      return token;
    } else if (cn_source_token_is(source, token, ";")) {
      return CN_NO_TOKEN;
    }
  }
  return CN_NO_TOKEN;
}

/* `typedef struct {...} node;` has no tag: the struct gets the name as its tag. */
static const char *tag_of(struct cn_program *program, struct cn_typedef *type)
{
  if (!type->record->tag)
    type->record->tag = cn_program_keep(program, cn_format("struct %s", type->name));
  return type->record->tag;
}

static void edit_typedef(struct cn_program *program, struct cn_typedef *type)
{
  struct cn_source *source = cn_program_source(program, type->position.file);
  uint32_t name = cn_source_token_at(source, type->position.at), word = typedef_word(source, name);
  const struct cn_token *tokens = source->tokens.at;

  if (!cn_source_token_is(source, name - 1, "}")) {
    cn_source_edit(source, tokens[name].at, tokens[name].at, cn_strdup("managed "));
    return;
  }
  uint32_t open = cn_source_match_backwards(source, name - 1);
  const char *tag = tag_of(program, type);
  cn_source_edit(source, tokens[word].at, tokens[open].at,
                 cn_format("typedef %s managed %s;\n%s ", tag, type->name, tag));
  cn_source_edit(source, tokens[name - 1].at + 1, tokens[name].at + tokens[name].length, cn_strdup(""));
}

/* Writes the struct's tag in place of the name at the uses other than references. */
static void edit_uses(struct cn_program *program, uint32_t file, struct cn_typedef *type)
{
  struct cn_source *source = cn_program_source(program, file);

  for (uint32_t token = 0; token < source->tokens.count; token++) {
    const struct cn_token *at = &source->tokens.at[token];
    if (means_typedef(source, token, type->name) && !(file == type->position.file && at->at == type->position.at) &&
        use_of(program, file, source, token) == USE_OTHER)
      cn_source_edit(source, at->at, at->at + at->length, cn_strdup(tag_of(program, type)));
  }
}

static bool same_name_elsewhere(const struct cn_program *program, size_t index)
{
  for (size_t i = 0; i < program->typedefs.count; i++)
    if (i != index && strcmp(program->typedefs.at[i].name, program->typedefs.at[index].name) == 0)
      return true;
  return false;
}

/* True if a declaration that begins with the name has declarators of both kinds. */
static bool is_in_mixed_group(struct cn_program *program, const struct cn_typedef *type)
{
  for (size_t i = 0; i < program->groups.count; i++) {
    const struct cn_group *group = &program->groups.at[i];
    const struct cn_source *source = cn_program_source(program, group->file);
    bool managed = false, other = false, named = false;
    for (uint32_t token = group->begin; token < group->entries.at[0].begin; token++)
      named |= is_word(source, token, type->name);
    for (size_t k = 0; named && k < group->entries.count; k++) {
      uint32_t pointer = group->entries.at[k].pointer;
      bool is = pointer && cn_solve_is_managed(program, pointer);
      managed |= is;
      other |= !is;
    }
    if (managed && other)
      return true;
  }
  return false;
}

void cn_rewrite_typedefs(struct cn_program *program)
{
  for (size_t i = 0; i < program->typedefs.count; i++) {
    struct cn_typedef *type = &program->typedefs.at[i];
    struct cn_source *source = cn_program_source(program, type->position.file);
    uint32_t name = cn_source_token_at(source, type->position.at);
    struct uses uses = {0};
    if (same_name_elsewhere(program, i) || shares_declaration(program, type) || is_in_mixed_group(program, type) ||
        typedef_word(source, name) == CN_NO_TOKEN)
      continue;
    for (uint32_t file = 1; file < program->files.count; file++)
      if (cn_program_source(program, file))
        count_uses(program, file, type, &uses);
    size_t typedef_lines = cn_source_token_is(source, name - 1, "}") ? 3 : 1;
    if (uses.wrong || uses.managed_lines <= typedef_lines + uses.other_lines)
      continue;
    type->managed = true;
    edit_typedef(program, type);
    for (uint32_t file = 1; file < program->files.count; file++)
      if (cn_program_source(program, file))
        edit_uses(program, file, type);
  }
}

bool cn_rewrite_typedef_covers(struct cn_program *program, const struct cn_source *source, uint32_t star)
{
  uint32_t token = star;

  while (token > 0 && (is_word(source, token - 1, "const") || is_word(source, token - 1, "volatile")))
    token--;
  for (size_t i = 0; token > 0 && i < program->typedefs.count; i++)
    if (program->typedefs.at[i].managed && means_typedef(source, token - 1, program->typedefs.at[i].name))
      return true;
  return false;
}

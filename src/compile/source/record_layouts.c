/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads record layouts as clang prints them, and matches them with debug information.
 *
 *   *** Dumping AST Record Layout
 *            0 | union u
 *            0 |   __attribute__((address_space(1))) struct node * p
 *            0 |   char[8] n
 *              | [sizeof=8, align=8]
 *
 * A record is identified by its name, or by its line if it is unnamed, and by its size and the names of its members.
 * Part of pass `rules`. Needs: debug information. Provides: struct cn_record_layouts, the records and their members;
 * the test whether a member is a reference. Breaks: nothing.
 */
#include "compile/source/rules.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/source/debug_types.h"

#define ADDRESS_SPACE_ATTRIBUTE "__attribute__((address_space(1)))"

typedef CN_VECTOR(char *) string_vector;

struct record_layout {
  char *name;          /* null if the record is unnamed or has only the name of a typedef */
  unsigned line;       /* source line of an unnamed record; 0 if unknown */
  uint64_t size;       /* in bytes */
  string_vector names; /* names of the members; "" for unnamed members */
  string_vector refs;  /* the members that are references */
};

struct cn_record_layouts {
  CN_VECTOR(struct record_layout) at;
};

static void free_strings(string_vector *list)
{
  for (size_t i = 0; i < list->count; i++)
    free(list->at[i]);
  cn_free(list);
}

static void free_record_layout(struct record_layout *record)
{
  free(record->name);
  free_strings(&record->names);
  free_strings(&record->refs);
}

void cn_record_layouts_free(struct cn_record_layouts *layouts)
{
  for (size_t i = 0; layouts && i < layouts->at.count; i++)
    free_record_layout(&layouts->at.at[i]);
  if (layouts)
    cn_free(&layouts->at);
  free(layouts);
}

/* ---- clang's text ---- */

static const char *find_last_occurrence(const char *text, const char *word)
{
  const char *last = NULL;

  for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
    last = at;
  return last;
}

/* Read the name of a record: "union u", "struct f()::s", "union s::(unnamed at FILE:LINE:COLUMN)", or the name of a
 * typedef.
 */
static void read_record_name(struct record_layout *record, const char *text)
{
  const char *unnamed = find_last_occurrence(text, "(unnamed at "),
             *anonymous = find_last_occurrence(text, "(anonymous at ");
  const char *at = unnamed ? unnamed : anonymous, *scope = find_last_occurrence(text, "::");
  const char *space = strchr(text, ' ');

  if (at && at > (scope ? scope : text)) {
    const char *column = strrchr(at, ':');
    while (column && column > at && column[-1] != ':')
      column--;
    record->line = column ? (unsigned)strtoul(column, NULL, 10) : 0;
  } else if (space) {
    record->name = cn_strdup(scope ? scope + 2 : space + 1);
    record->name[strcspn(record->name, " ")] = '\0';
  }
}

/* True if the outermost pointer of the type in [type, end) points to address space 1; false for pointers to functions.
 * Types look like "SPACE struct s *[2]", "struct s *SPACE *" or "SPACE int (*)[4]". */
static bool points_to_managed(const char *type, const char *end)
{
  const char *from = type, *star = NULL;

  for (const char *at = type; at < end && !(star && star > type && star[-1] == '('); at++)
    if (*at == '*') {
      from = star ? star + 1 : type;
      star = at;
    }
  const char *close = star ? memchr(star, ')', (size_t)(end - star)) : NULL;
  bool function = star && star > type && star[-1] == '(' && close && close[1] == '(';
  const char *space = star && !function ? strstr(from, ADDRESS_SPACE_ATTRIBUTE) : NULL;
  return space && space < star;
}

/* Read a member's line "TYPE NAME", whose name may be empty. */
static void read_member_line(struct record_layout *record, const char *text, bool bits)
{
  const char *space = strrchr(text, ' '), *name = space ? space + 1 : text;

  if (bits && !*name)
    return;
  cn_push(&record->names, cn_strdup(name));
  if (space && points_to_managed(text, space))
    cn_push(&record->refs, cn_strdup(name));
}

/* True after the last line of the record. */
static bool read_layout_line(struct record_layout *record, const char *line, bool first)
{
  const char *bar = strstr(line, " | "), *size = strstr(line, "| [sizeof=");

  if (!bar || size == bar + 1) {
    record->size = size ? strtoull(size + sizeof "| [sizeof=" - 1, NULL, 10) : 0;
    return true;
  }
  const char *text = bar + 3;
  size_t indent = strspn(text, " ");
  if (first)
    read_record_name(record, text);
  else if (indent == 2)
    read_member_line(record, text + indent, memchr(line, ':', (size_t)(bar - line)) != NULL);
  return false;
}

struct cn_record_layouts *cn_record_layouts_read(const char *text)
{
  static const char start[] = "*** Dumping AST Record Layout";
  struct cn_record_layouts *layouts = cn_alloc(sizeof *layouts);
  struct record_layout record = {0};
  bool inside = false, first = false;

  while (*text) {
    size_t length = strcspn(text, "\n");
    char *line = cn_format("%.*s", (int)length, text);
    text += length + (text[length] == '\n');
    if (strcmp(line, start) == 0) {
      inside = first = true;
    } else if (inside) {
      inside = !read_layout_line(&record, line, first);
      first = false;
      if (!inside && record.refs.count)
        cn_push(&layouts->at, record);
      else if (!inside)
        free_record_layout(&record);
      if (!inside)
        record = (struct record_layout){0};
    }
    free(line);
  }
  free_record_layout(&record);
  return layouts;
}

/* ---- debug information ---- */

static bool has_string(const string_vector *list, const char *name)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->at[i], name) == 0)
      return true;
  return false;
}

/* The name in the debug information of a type or member, or ""; the caller frees it. */
static char *debug_name_of(LLVMMetadataRef type)
{
  size_t length;
  const char *name = LLVMDITypeGetName(type, &length);

  return cn_format("%.*s", (int)length, length ? name : "");
}

static bool has_same_members(struct cn_ctx *ctx, const struct record_layout *record, LLVMMetadataRef type)
{
  LLVMMetadataRef members = cn_debug_operand(ctx, type, CN_DEBUG_ELEMENTS_OPERAND);
  bool same = cn_debug_operand_count(ctx, members) == record->names.count;

  for (unsigned i = 0; same && i < record->names.count; i++) {
    char *name = debug_name_of(cn_debug_operand(ctx, members, i));
    same = strcmp(name, record->names.at[i]) == 0;
    free(name);
  }
  return same;
}

/* True if `record` describes `type`. Unnamed records also must have equal lines, unless the record has the name of a
 * typedef, which hides its line. */
static bool is_record_of_type(struct cn_ctx *ctx, const struct record_layout *record, LLVMMetadataRef type)
{
  char *name = debug_name_of(type);
  bool same = *name ? record->name && strcmp(record->name, name) == 0
                    : !record->name && (record->line == 0 || record->line == LLVMDITypeGetLine(type));

  free(name);
  return same && record->size == LLVMDITypeGetSizeInBits(type) / 8 && has_same_members(ctx, record, type);
}

bool cn_record_layouts_is_reference(struct cn_ctx *ctx, LLVMMetadataRef type, LLVMMetadataRef member)
{
  const struct cn_record_layouts *layouts = ctx->records;
  bool reference = false;

  if (!layouts || layouts->at.count == 0)
    return false;
  char *name = debug_name_of(member);
  for (size_t i = 0; i < layouts->at.count && !reference; i++)
    reference = has_string(&layouts->at.at[i].refs, name) && is_record_of_type(ctx, &layouts->at.at[i], type);
  free(name);
  return reference;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the files, names and memory of a program that is migrated, and turns clang's locations into positions. A file is
 * read when a location in it is first asked for; files of the system are never read.
 */
#include "migrate/program.h"

#include <limits.h>
#include <search.h>
#include <string.h>
#include <unistd.h>

void *cn_program_alloc(struct cn_program *program, size_t bytes)
{
  void *memory = cn_alloc(bytes);

  cn_push(&program->memory, memory);
  return memory;
}

char *cn_program_keep(struct cn_program *program, char *string)
{
  if (string)
    cn_push(&program->memory, string);
  return string;
}

static void free_name(void *name)
{
  free(((struct cn_name *)name)->usr);
  free(name);
}

void cn_program_free(struct cn_program *program)
{
  for (size_t i = 0; i < program->units.count; i++)
    clang_disposeTranslationUnit(program->units.at[i]);
  for (size_t i = 0; i < program->files.count; i++) {
    if (program->files.at[i].source)
      cn_source_free(program->files.at[i].source);
    free(program->files.at[i].path);
    cn_free(&program->files.at[i].includes);
  }
  for (size_t i = 0; i < program->groups.count; i++)
    cn_free(&program->groups.at[i].entries);
  for (size_t i = 0; i < program->all_records.count; i++) {
    cn_free(&program->all_records.at[i]->fields);
    cn_free(&program->all_records.at[i]->unions);
  }
  cn_free(&program->all_records);
  for (size_t i = 0; i < program->unions.count; i++) {
    cn_free(&program->unions.at[i]->parts);
    cn_free(&program->unions.at[i]->members);
  }
  cn_free(&program->unions);
  for (size_t i = 0; i < program->variables.count; i++)
    cn_free(&program->variables.at[i].uses);
  for (size_t i = 0; i < program->memory.count; i++)
    free(program->memory.at[i]);
  struct cn_ptrmap *maps[] = {&program->file_numbers, &program->declared,         &program->records,
                              &program->places,       &program->group_numbers,    &program->suppressed,
                              &program->calls,        &program->variable_numbers, &program->union_numbers};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    cn_ptrmap_free(maps[i]);
  tdestroy(program->names, free_name);
  tdestroy(program->variable_names, free);
  cn_classes_free(&program->classes);
  cn_free(&program->units);
  cn_free(&program->files);
  cn_free(&program->allocations);
  cn_free(&program->frees);
  cn_free(&program->sorts);
  cn_free(&program->notes);
  cn_free(&program->flows);
  cn_free(&program->conditional);
  cn_free(&program->groups);
  cn_free(&program->typedefs);
  cn_free(&program->needs);
  cn_free(&program->variables);
  cn_free(&program->memory);
}

static char *path_of(CXFile file)
{
  CXString real = clang_File_tryGetRealPathName(file), given = clang_getFileName(file);
  const char *text = clang_getCString(real);
  char *path = cn_strdup(text && *text ? text : clang_getCString(given)), folder[PATH_MAX];

  /* Messages and diffs name files below the current folder by their relative paths. */
  size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
  if (length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/')
    memmove(path, path + length + 1, strlen(path + length + 1) + 1);
  clang_disposeString(real);
  clang_disposeString(given);
  return path;
}

/* The number of a file in `files`. */
static uint32_t number_of_file(struct cn_program *program, CXFile file, bool system)
{
  bool added;
  uint64_t *number = cn_ptrmap_add(&program->file_numbers, file, &added);

  if (!added)
    return (uint32_t)*number;
  if (!program->files.count)
    cn_push(&program->files, (struct cn_file){0});
  char *path = path_of(file);
  for (size_t i = 1; i < program->files.count && !*number; i++)
    if (strcmp(program->files.at[i].path, path) == 0)
      *number = i;
  if (*number) {
    free(path);
    return (uint32_t)*number;
  }
  *number = program->files.count;
  cn_push(&program->files, (struct cn_file){.path = path, .system = system});
  if (!system)
    program->files.at[program->files.count - 1].source = cn_source_read(path);
  return (uint32_t)*number;
}

bool cn_program_locate(struct cn_program *program, CXSourceLocation location, struct cn_position *position)
{
  CXFile file, spelled;
  unsigned at, spelled_at;

  clang_getFileLocation(location, &file, NULL, NULL, &at);
  clang_getSpellingLocation(location, &spelled, NULL, NULL, &spelled_at);
  *position = (struct cn_position){0};
  if (!file)
    return false;
  bool system = clang_Location_isInSystemHeader(location) != 0;
  position->file = number_of_file(program, file, system);
  position->at = at;
  return spelled && clang_File_isEqual(file, spelled) && at == spelled_at &&
         program->files.at[position->file].source != NULL;
}

bool cn_program_extent(struct cn_program *program, CXCursor cursor, struct cn_position *begin, uint32_t *end)
{
  CXSourceRange range = clang_getCursorExtent(cursor);
  struct cn_position last;
  bool first_editable = cn_program_locate(program, clang_getRangeStart(range), begin);
  bool last_editable = cn_program_locate(program, clang_getRangeEnd(range), &last);

  *end = last.at;
  return first_editable && last_editable && begin->file == last.file && begin->at <= last.at;
}

char *cn_program_text_of(struct cn_program *program, CXCursor cursor)
{
  CXSourceRange range = clang_getCursorExtent(cursor);
  struct cn_position begin, end;

  cn_program_locate(program, clang_getRangeStart(range), &begin);
  cn_program_locate(program, clang_getRangeEnd(range), &end);
  struct cn_source *source = cn_program_source(program, begin.file);
  return source && begin.file == end.file && begin.at <= end.at ? cn_source_copy(source, begin.at, end.at) : NULL;
}

struct cn_source *cn_program_source(const struct cn_program *program, uint32_t file)
{
  return file < program->files.count ? program->files.at[file].source : NULL;
}

bool cn_program_is_system(struct cn_program *program, CXCursor cursor)
{
  struct cn_position position;

  cn_program_locate(program, clang_getCursorLocation(cursor), &position);
  return position.file == 0 || program->files.at[position.file].system;
}

bool cn_program_is_cairn(struct cn_program *program, CXCursor cursor)
{
  struct cn_position position;
  const char *path;

  cn_program_locate(program, clang_getCursorLocation(cursor), &position);
  path = position.file ? program->files.at[position.file].path : "";
  const char *folder = strstr(path, "/cairn/");
  return program->files.count && position.file && program->files.at[position.file].system && folder &&
         !strchr(folder + 7, '/');
}

static int compare_names(const void *one, const void *other)
{
  return strcmp(((const struct cn_name *)one)->usr, ((const struct cn_name *)other)->usr);
}

struct cn_name *cn_program_name(struct cn_program *program, CXCursor cursor)
{
  CXString usr = clang_getCursorUSR(cursor);
  struct cn_name *name = cn_alloc(sizeof *name);

  name->usr = cn_strdup(clang_getCString(usr));
  clang_disposeString(usr);
  struct cn_name **found = tsearch(name, &program->names, compare_names);
  CN_CHECK(found);
  if (*found != name)
    free_name(name);
  return *found;
}

char *cn_cursor_name(CXCursor cursor)
{
  CXString name = clang_getCursorSpelling(cursor);
  char *copy = cn_strdup(clang_getCString(name) ? clang_getCString(name) : "");

  clang_disposeString(name);
  return copy;
}

bool cn_cursor_is_named(CXCursor cursor, const char *name)
{
  CXString spelled = clang_getCursorSpelling(cursor);
  bool same = clang_getCString(spelled) && strcmp(clang_getCString(spelled), name) == 0;

  clang_disposeString(spelled);
  return same;
}

static enum CXChildVisitResult add_child(CXCursor cursor, CXCursor parent, CXClientData env)
{
  struct cn_cursors *cursors = env;

  (void)parent;
  cn_push(cursors, cursor);
  return CXChildVisit_Continue;
}

struct cn_cursors cn_cursor_children(CXCursor cursor)
{
  struct cn_cursors cursors = {0};

  clang_visitChildren(cursor, add_child, &cursors);
  return cursors;
}

CXType cn_cursor_pointee(CXCursor expression)
{
  CXType type = clang_getCursorType(expression), pointee = clang_getPointeeType(type);

  return pointee.kind == CXType_Invalid ? clang_getPointeeType(clang_getCanonicalType(type)) : pointee;
}

CXType cn_unqualified(CXType type)
{
  return type.kind == CXType_Invalid ? type : clang_getUnqualifiedType(type);
}

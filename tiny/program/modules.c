/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles modules: finds the files of imports, defines the names of modules, and orders modules for their run. Native
 * code, on the program's thread.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny/front/compiler.h"
#include "tiny/lib/library.h"
#include "tiny/program/modules.h"

enum { MAX_IMPORTS = 100, MAX_PATH = 4000, EXCERPT_BYTES = 70 /* before the mark, and behind it */ };

/* The modules that are being compiled, innermost first. */
struct loading {
  const struct loading *outer;
  uint32_t module;
  unsigned depth;
};

char *tiny_read_file(const char *name, size_t *length)
{
  FILE *file = name ? fopen(name, "rb") : stdin;
  size_t room = 1 << 12, used = 0, got;
  char *text = NULL;

  if (!file)
    return NULL;
  do {
    room *= 2;
    text = tiny_allocate(text, room + 1, 1);
    got = fread(text + used, 1, room - used, file);
    used += got;
  } while (used == room);
  int error = ferror(file) ? errno : 0;
  if (name)
    fclose(file);
  text[used] = 0;
  *length = used;
  errno = error;
  if (error) {
    free(text);
    return NULL;
  }
  return text;
}

/* A copy with a NUL behind. */
static char *copy_bytes(const char *bytes, size_t length)
{
  char *copy = tiny_allocate(NULL, length + 1, 1);

  return memcpy(copy, bytes, length);
}

struct tiny_source *tiny_source_new(const char *name, const char *text, size_t length)
{
  struct tiny_source *source = tiny_allocate(NULL, 1, sizeof *source);

  source->name = copy_bytes(name, strlen(name));
  source->text = copy_bytes(text, length);
  source->length = length;
  source->next = tiny_tables->sources;
  tiny_tables->sources = source;
  return source;
}

uint32_t tiny_module(const char *name, bool *is_new)
{
  uint32_t symbol = tiny_intern(name, strlen(name)), found = tiny_hash_find(&tiny_tables->modules, symbol);

  *is_new = !found;
  if (!found) {
    found = ++tiny_tables->module_count;
    tiny_hash_set(&tiny_tables->modules, symbol, found);
  }
  return found;
}

__attribute__((format(printf, 3, 4))) static void fail(struct tiny_error *error, const struct tiny_import *import,
                                                       const char *format, ...)
{
  va_list arguments;

  if (error->failed)
    return;
  error->failed = true;
  error->line = import->line;
  error->column = import->column;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
}

/* The text of an import: of a file beside the importing file, or of the library; the name goes to `path`. Null: errno
 * has the reason for the file. */
static char *find_text(const struct tiny_source *source, const char *name, char path[MAX_PATH], size_t *length)
{
  const char *slash = strrchr(source->name, '/');
  int folder = slash ? (int)(slash - source->name) + 1 : 0;
  bool is_short = snprintf(path, MAX_PATH, "%.*s%s.tiny", folder, source->name, name) < MAX_PATH;
  char *text = is_short ? tiny_read_file(path, length) : NULL;

  if (!is_short)
    errno = ENAMETOOLONG;
  for (const struct tiny_library_source *row = tiny_library_sources; !text && row->name; row++) {
    if (strcmp(row->name, name) != 0)
      continue;
    snprintf(path, MAX_PATH, "%s.tiny of the library", name);
    text = copy_bytes(row->text, row->length);
    *length = row->length;
  }
  return text;
}

static bool compile(struct tiny_source *source, struct loading *loading, struct tiny_program *program,
                    struct tiny_error *error);

static void import(const struct tiny_source *source, const struct tiny_import *import, struct loading *outer,
                   struct tiny_program *program, struct tiny_error *error)
{
  const struct tiny_symbol *symbol = tiny_symbol_at(import->path);
  const char *name = symbol->bytes;
  char path[MAX_PATH];
  size_t length;
  bool is_new;

  if (strlen(name) != symbol->length) {
    fail(error, import, "the module's name contains a NUL byte");
    return;
  }
  char *text = find_text(source, name, path, &length);
  if (!text) {
    fail(error, import, "cannot read the module: %s: %s", strerror(errno), path);
    return;
  }
  struct loading loading = {outer, tiny_module(path, &is_new), outer->depth + 1};
  for (struct loading *l = outer; l; l = (struct loading *)l->outer)
    if (l->module == loading.module)
      fail(error, import, "the module '%s' imports itself by other modules", name);
  if (loading.depth > MAX_IMPORTS)
    fail(error, import, "the import of '%s' is nested too deeply", name);
  if (is_new && !error->failed)
    compile(tiny_source_new(path, text, length), &loading, program, error);
  free(text);
  tiny_hash_set(&tiny_tables->aliases, (uint64_t)outer->module << 32 | import->name, loading.module);
}

/* Defines the globals of a module, so that its functions may refer to later ones. */
static void define_globals(uint32_t module, const struct tiny_syntax *syntax)
{
  for (struct tiny_node *node = syntax->body->list; node; node = node->next)
    if ((node->kind == NODE_LET || node->kind == NODE_CLASS) && !node->variable)
      tiny_global_add(module, node->symbol, node->kind == NODE_CLASS ? TINY_GLOBAL_CONSTANT : 0);
}

static void add_function(struct tiny_program *program, uint32_t function)
{
  if (program->count == program->room) {
    program->room = 2 * program->room + 8;
    program->functions = tiny_allocate(program->functions, program->room, sizeof *program->functions);
  }
  program->functions[program->count++] = function;
}

/* Checks the functions from number `first` on. */
static void check_functions(uint32_t first, struct tiny_error *error)
{
  for (uint32_t i = first, at; i < tiny_tables->functions.count && !error->failed; i++) {
    const struct tiny_function *f = tiny_function_at(tiny_tables, i);
    const char *text = tiny_check(f, tiny_tables, &at);
    if (text) {
      struct tiny_import place = {.line = f->line, .column = f->column};
      fail(error, &place, "the byte code is broken: %s", text);
    }
  }
}

static bool compile(struct tiny_source *source, struct loading *loading, struct tiny_program *program,
                    struct tiny_error *error)
{
  struct tiny_arena arena = {0};
  struct tiny_parser *parser = tiny_arena_take(&arena, sizeof *parser);
  struct tiny_syntax *syntax = tiny_parse(parser, source->text, source->length, &arena, error);

  for (struct tiny_import *i = parser->imports; i && !error->failed; i = i->next)
    import(source, i, loading, program, error);
  if (!error->failed) {
    struct tiny_compiler compiler = {
        .syntax = syntax, .arena = &arena, .error = error, .module = loading->module, .source = source};
    struct tiny_node node = {.line = 1, .column = 1};
    define_globals(loading->module, syntax);
    uint32_t first = tiny_tables->functions.count;
    tiny_compile_body(&compiler, &node);
    if (!error->failed)
      check_functions(first, error);
    if (!error->failed)
      add_function(program, compiler.function->number);
  }
  if (error->failed && !error->source)
    error->source = source;
  tiny_arena_free(&arena);
  return !error->failed;
}

bool tiny_compile(struct tiny_source *source, uint32_t module, struct tiny_program *program, struct tiny_error *error)
{
  struct loading loading = {NULL, module, 0};

  *error = (struct tiny_error){0};
  return compile(source, &loading, program, error);
}

static bool is_continuation(char byte)
{
  return (byte & 0xc0) == 0x80;
}

/* Prints a part of a line; ? stands for control characters, and for bytes that are not UTF-8. */
static void print_line(FILE *file, const char *start, const char *end)
{
  for (size_t bytes; start < end; start += bytes ? bytes : 1) {
    bytes = tiny_utf8_bytes((const unsigned char *)start, (size_t)(end - start));
    unsigned char first = (unsigned char)*start, second = bytes > 1 ? (unsigned char)start[1] : 0;
    if (first == '\t')
      fputc(' ', file);
    else if (bytes == 0 || first < 0x20 || first == 0x7f || (first == 0xc2 && second < 0xa0))
      fputc('?', file);
    else
      fwrite(start, 1, bytes, file);
  }
}

void tiny_print_excerpt(FILE *file, const struct tiny_source *source, uint32_t line, uint32_t column)
{
  const char *start = source->text, *end = source->text + source->length, *stop, *mark;

  for (uint32_t i = 1; i < line && start < end; start++)
    i += *start == '\n';
  stop = memchr(start, '\n', (size_t)(end - start));
  stop = stop ? stop : end;
  mark = (size_t)(stop - start) < column - 1 ? stop : start + column - 1;
  if (start == stop)
    return;
  if (mark - start > EXCERPT_BYTES)
    start = mark - EXCERPT_BYTES;
  if (stop - mark > EXCERPT_BYTES)
    stop = mark + EXCERPT_BYTES;
  while (start < mark && is_continuation(*start))
    start++;
  while (stop > mark && stop < end && is_continuation(*stop))
    stop--;
  fputs("  ", file);
  print_line(file, start, stop);
  fputs("\n  ", file);
  for (; start < mark; start++)
    if (!is_continuation(*start))
      fputc(' ', file);
  fputs("^\n", file);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions: made, on their way, reported. Managed C; thread-local state.
 *
 * While an exception is on its way, each frame that it leaves calls tiny_note_frame(). The first frame gives its
 * position to the exception, if that is an object of class Error without one.
 */
#include <stdarg.h>

#include "tiny/program/modules.h"
#include "tiny/core/object.h"

enum { MOST_FRAMES = 12 };

_Thread_local value tiny_thrown;

static _Thread_local struct {
  unsigned frames; /* that the exception has left */
  struct tiny_position {
    const struct tiny_function *function;
    uint32_t at;
  } frame[MOST_FRAMES];
} trace;

/* The place of an exception by the compiler. */
static _Thread_local struct tiny_syntax_error {
  const struct tiny_source *source; /* null: the exception is another one */
  uint32_t line, column;
} syntax_error;

value tiny_throw_value(value v)
{
  tiny_thrown = v;
  syntax_error.source = NULL;
  trace.frames = 0;
  return TINY_THROWN;
}

/* The class Error of the library, or nil while that is being loaded. */
static value error_class(void)
{
  uint32_t found = tiny_hash_find(&tiny_tables->names, tiny_intern("Error", 5));
  value class = found ? tiny_globals[found - 1] : TINY_NIL;

  return tiny_is(class, TINY_CLASS) ? class : TINY_NIL;
}

static void set(value object, const char *name, value v)
{
  tiny_set_field(object, tiny_intern(name, strlen(name)), v);
}

value tiny_throw(const char *format, ...)
{
  char text[400];
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  value message = tiny_string(text, strlen(text)), class = error_class();
  if (!class)
    return tiny_throw_value(message);
  value error = tiny_instance_new(tiny_class_at(tiny_tables, tiny_class_of(class)->number)->shape);
  set(error, "message", message);
  return tiny_throw_value(error);
}

value tiny_throw_stack_overflow(void)
{
  char *limit = tiny_stack_limit;

  tiny_stack_limit = NULL;
  value thrown = tiny_throw("stack overflow: calls are nested too deeply");
  tiny_stack_limit = limit;
  return thrown;
}

static bool is_error(value v)
{
  value class = error_class();

  if (!class || !tiny_is(v, TINY_INSTANCE))
    return false;
  uint32_t number = tiny_shape_at(tiny_tables, tiny_shape_of(v))->class_number;
  while (number && number != tiny_class_of(class)->number)
    number = tiny_class_at(tiny_tables, number)->super;
  return number != 0;
}

cairn_unmanaged void tiny_note_skipped(const struct tiny_function *function, uint32_t at)
{
  if (trace.frames < MOST_FRAMES)
    trace.frame[trace.frames] = (struct tiny_position){function, at};
  trace.frames++;
}

void tiny_note_frame(const struct tiny_function *function, uint32_t at)
{
  uint32_t place;

  tiny_note_skipped(function, at);
  if (trace.frames > 1 || !is_error(tiny_thrown) ||
      tiny_shape_find(tiny_tables, tiny_shape_of(tiny_thrown), tiny_intern("line", 4), &place))
    return;
  const struct tiny_line *line = tiny_line_of(function, at);
  set(tiny_thrown, "line", tiny_from_small(line->line));
  set(tiny_thrown, "column", tiny_from_small(line->column));
}

value tiny_catch(void)
{
  value caught = tiny_thrown;

  tiny_thrown = TINY_NIL;
  return caught;
}

bool tiny_error_message(value v, value *message)
{
  uint32_t place, symbol = tiny_intern("message", 7);

  if (!is_error(v) || !tiny_shape_find(tiny_tables, tiny_shape_of(v), symbol, &place))
    return false;
  *message = tiny_get_place(v, place, symbol);
  return true;
}

static void print_message(FILE *file, value v)
{
  value message = v;

  tiny_error_message(v, &message);
  tiny_write(file, message);
  fputc('\n', file);
}

value tiny_throw_syntax(const struct tiny_source *source, uint32_t line, uint32_t column, const char *text)
{
  value thrown = tiny_throw("%s", text);

  if (is_error(tiny_thrown)) {
    set(tiny_thrown, "line", tiny_from_small(line));
    set(tiny_thrown, "column", tiny_from_small(column));
  }
  syntax_error = (struct tiny_syntax_error){source, line, column};
  return thrown;
}

void tiny_report(FILE *file)
{
  value thrown = tiny_catch();

  fflush(stdout);
  if (!trace.frames) {
    if (syntax_error.source)
      fprintf(file, "%s:%u:%u: ", syntax_error.source->name, syntax_error.line, syntax_error.column);
    print_message(file, thrown);
    if (syntax_error.source)
      tiny_print_excerpt(file, syntax_error.source, syntax_error.line, syntax_error.column);
    return;
  }
  for (unsigned i = 0; i < trace.frames && i < MOST_FRAMES; i++) {
    const struct tiny_function *f = trace.frame[i].function;
    const struct tiny_line *line = tiny_line_of(f, trace.frame[i].at);
    if (i == 0) {
      fprintf(file, "%s:%u:%u: uncaught exception: ", f->source->name, line->line, line->column);
      print_message(file, thrown);
      tiny_print_excerpt(file, f->source, line->line, line->column);
    }
    fprintf(file, "  in %s (%s:%u)\n", tiny_symbol_at(f->name)->bytes, f->source->name, line->line);
  }
  if (trace.frames > MOST_FRAMES)
    fprintf(file, "  and %u more\n", trace.frames - MOST_FRAMES);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Strings and boxed floats, and the text of values. Managed C; thread-local state.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tiny/core/object.h"

enum {
  MAX_LENGTH = 1 << 30,
  MAX_TEXT_DEPTH = 8,
  DEEP = 3,
  MAX_DEEP_OBJECTS = 1 << 16,
  CHUNK = 4096,
  TEXTS_AT_ONCE = 8
};

_Thread_local value managed *tiny_byte_strings;
/* The strings of symbols, by number. */
static _Thread_local value managed *symbol_strings;
static _Thread_local long symbol_strings_room;

/* The stream of tiny_text() and tiny_print(). */
static _Thread_local struct {
  FILE *file; /* or null */
  char *bytes;
  size_t length;
} text_stream;

void tiny_strings_end(void)
{
  if (text_stream.file) {
    fclose(text_stream.file);
    free(text_stream.bytes);
    text_stream.file = NULL;
  }
  tiny_byte_strings = symbol_strings = NULL;
  symbol_strings_room = 0;
}

value tiny_box_float(double number)
{
  if (number == 0)
    return signbit(number) ? TINY_MINUS_ZERO : TINY_ZERO;
  struct tiny_float managed *box = cairn_new(struct tiny_float);
  box->kind = box->shape = TINY_FLOAT;
  box->number = number;
  return cairn_value_of(box);
}

value tiny_string_uninit(size_t length)
{
  if (length > MAX_LENGTH)
    return tiny_throw("the string is too long");
  struct tiny_string managed *string = cairn_new_flex_uninit(struct tiny_string, length, bytes);
  string->kind = string->shape = TINY_STRING;
  string->hash = 0;
  string->length = (uint32_t)length;
  return cairn_value_of(string);
}

value tiny_string(const char *bytes, size_t length)
{
  value string = tiny_string_uninit(length);

  if (!tiny_is_thrown(string))
    cairn_copy_in(tiny_string_of(string)->bytes, bytes, length);
  return string;
}

static void make_byte_strings(void)
{
  value managed *strings = cairn_new_array(value, 256);

  for (int i = 0; i < 256; i++) {
    char byte = (char)i;
    value made = tiny_string(&byte, 1);
    strings[i] = made;
  }
  tiny_byte_strings = strings;
}

value tiny_byte_string(uint8_t byte)
{
  if (!tiny_byte_strings)
    make_byte_strings();
  return tiny_byte_strings[byte];
}

value tiny_symbol_string(uint32_t symbol)
{
  if (symbol >= symbol_strings_room) {
    long room = 2 * (long)symbol + 256;
    symbol_strings = cairn_resize_array(symbol_strings, room);
    symbol_strings_room = room;
  }
  if (!symbol_strings[symbol]) {
    const struct tiny_symbol *row = tiny_symbol_at(symbol);
    value made = row->length == 1 ? tiny_byte_string((uint8_t)row->bytes[0]) : tiny_string(row->bytes, row->length);
    tiny_string_of(made)->hash = row->hash;
    symbol_strings[symbol] = made;
  }
  return symbol_strings[symbol];
}

uint32_t tiny_string_hash(value v)
{
  struct tiny_string managed *string = tiny_string_of(v);
  uint32_t hash = 2166136261u;

  if (string->hash)
    return string->hash;
  for (uint32_t i = 0; i < string->length; i++)
    hash = (hash ^ (uint8_t)string->bytes[i]) * 16777619u;
  hash ^= hash >> 15;
  string->hash = hash ? hash : 1;
  return string->hash;
}

bool tiny_strings_equal(value a, value b)
{
  struct tiny_string managed *x = tiny_string_of(a);
  struct tiny_string managed *y = tiny_string_of(b);

  if (x == y)
    return true;
  if (x->length != y->length || (x->hash && y->hash && x->hash != y->hash))
    return false;
  for (uint32_t i = 0; i < x->length; i++)
    if (x->bytes[i] != y->bytes[i])
      return false;
  return true;
}

int tiny_strings_compare(value a, value b)
{
  struct tiny_string managed *x = tiny_string_of(a);
  struct tiny_string managed *y = tiny_string_of(b);
  uint32_t length = x->length < y->length ? x->length : y->length;

  for (uint32_t i = 0; i < length; i++)
    if (x->bytes[i] != y->bytes[i])
      return (uint8_t)x->bytes[i] < (uint8_t)y->bytes[i] ? -1 : 1;
  return (x->length > y->length) - (x->length < y->length);
}

value tiny_strings_join(value a, value b)
{
  size_t first = tiny_string_of(a)->length, second = tiny_string_of(b)->length;

  if (first == 0 || second == 0)
    return first == 0 ? b : a;
  value joined = tiny_string_uninit(first + second);
  if (!tiny_is_thrown(joined)) {
    cairn_copy(tiny_string_of(joined)->bytes, tiny_string_of(a)->bytes, first);
    cairn_copy(tiny_string_of(joined)->bytes + first, tiny_string_of(b)->bytes, second);
  }
  return joined;
}

char *tiny_copy_text(value string)
{
  size_t length = tiny_string_of(string)->length;
  char *text = malloc(length + 1);

  if (!text) {
    fprintf(stderr, "tiny: out of memory\n");
    exit(1);
  }
  cairn_copy_out(text, tiny_string_of(string)->bytes, length);
  text[length] = 0;
  return text;
}

/* ---- texts ---- */

const char *tiny_describe(value v)
{
  static const char *const names[TINY_KINDS] = {
      [TINY_STRING] = "a string",   [TINY_FLOAT] = "a float",         [TINY_ARRAY] = "an array",
      [TINY_MAP] = "a map",         [TINY_INSTANCE] = "an object",    [TINY_CLOSURE] = "a function",
      [TINY_NATIVE] = "a function", [TINY_CLASS] = "a class",         [TINY_BOUND] = "a function",
      [TINY_CELL] = "a variable",   [TINY_PROTOTYPE] = "a prototype", [TINY_BUILDER] = "a builder",
  };

  if (v == TINY_NIL)
    return "nil";
  if (tiny_is_reference(v))
    return names[tiny_kind(v)];
  if (v == TINY_TRUE || v == TINY_FALSE)
    return "a boolean";
  return tiny_is_integer(v) ? "an integer" : "a float";
}

/* The shortest digits that read back as the number, with a point or an exponent. */
static void write_float(FILE *file, double number)
{
  char text[40];

  if (!isfinite(number)) {
    fputs(isnan(number) ? "nan" : number < 0 ? "-inf" : "inf", file);
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, number);
    if (strtod(text, NULL) == number)
      break;
  }
  fputs(text, file);
  if (!strpbrk(text, ".e"))
    fputs(".0", file);
}

static void write_bytes(FILE *file, value string)
{
  char chunk[CHUNK];
  size_t length = tiny_string_of(string)->length;

  for (size_t at = 0, part; at < length; at += part) {
    part = length - at < CHUNK ? length - at : CHUNK;
    cairn_copy_out(chunk, tiny_string_of(string)->bytes + at, part);
    fwrite(chunk, 1, part, file);
  }
}

/* A text as it is written. */
struct writer {
  FILE *file;
  unsigned deep_objects; /* in more than DEEP others; a limit keeps texts of objects that refer to each other short */
};

/* The objects that are being written, innermost first. */
struct open_object {
  const struct open_object *outer;
  value object;
  unsigned depth;
};

static void write_value(struct writer *w, value v, const struct open_object *outer);

static void write_array(struct writer *w, const struct open_object *o)
{
  fputc('[', w->file);
  for (long i = 0; i < tiny_array_of(o->object)->length; i++) {
    fputs(i ? ", " : "", w->file);
    write_value(w, tiny_array_of(o->object)->items[i], o);
  }
  fputc(']', w->file);
}

static void write_map(struct writer *w, const struct open_object *o)
{
  long position = 0;
  value key, item;

  fputs("map{", w->file);
  for (const char *comma = ""; tiny_each(o->object, &position, &key, &item); comma = ", ") {
    fputs(comma, w->file);
    write_value(w, key, o);
    fputs(": ", w->file);
    write_value(w, item, o);
  }
  fputc('}', w->file);
}

static void write_properties(struct writer *w, const struct open_object *o, uint32_t number)
{
  const struct tiny_shape *shape = tiny_shape_at(tiny_tables, number);

  if (!shape->slots || shape->slots > 100)
    return;
  if (shape->slots > 1) {
    write_properties(w, o, shape->parent);
    fputs(", ", w->file);
  }
  fprintf(w->file, "%s: ", tiny_symbol_at(shape->symbol)->bytes);
  write_value(w, tiny_get_place(o->object, tiny_shape_place(shape, shape->slots - 1), shape->symbol), o);
}

static void write_name(struct writer *w, const char *what, uint32_t name)
{
  fprintf(w->file, "<%s%s>", what, tiny_symbol_at(name)->bytes);
}

static void write_instance(struct writer *w, const struct open_object *o)
{
  uint32_t class_number = tiny_shape_at(tiny_tables, tiny_shape_of(o->object))->class_number;

  if (class_number) {
    value message = TINY_NIL;
    bool is_error = tiny_error_message(o->object, &message);
    fprintf(w->file, "<%s%s", tiny_symbol_at(tiny_class_at(tiny_tables, class_number)->name)->bytes,
            is_error ? ": " : "");
    if (is_error)
      write_value(w, message, tiny_is(message, TINY_STRING) ? NULL : o);
    fputc('>', w->file);
    return;
  }
  fputc('{', w->file);
  write_properties(w, o, tiny_shape_of(o->object));
  fputc('}', w->file);
}

static void write_object(struct writer *w, const struct open_object *o)
{
  value v = o->object;

  switch (tiny_kind(v)) {
  case TINY_FLOAT:
    write_float(w->file, cairn_value_object(struct tiny_float, v)->number);
    break;
  case TINY_ARRAY:
    write_array(w, o);
    break;
  case TINY_MAP:
    write_map(w, o);
    break;
  case TINY_INSTANCE:
    write_instance(w, o);
    break;
  case TINY_CLOSURE:
    write_name(w, "fn ", tiny_closure_of(v)->function->name);
    break;
  case TINY_NATIVE:
    write_name(w, "fn ", tiny_native_of(v)->row->name);
    break;
  case TINY_CLASS:
    write_name(w, "class ", tiny_class_at(tiny_tables, tiny_class_of(v)->number)->name);
    break;
  default:
    fprintf(w->file, "<%s>", strchr(tiny_describe(v), ' ') + 1);
  }
}

/* "..." stands for an object within itself, and for objects beyond the limits. */
static bool is_left_out(struct writer *w, value v, const struct open_object *outer)
{
  for (const struct open_object *o = outer; o; o = o->outer)
    if (o->object == v)
      return true;
  return outer && outer->depth > DEEP && w->deep_objects++ >= MAX_DEEP_OBJECTS;
}

static void write_value(struct writer *w, value v, const struct open_object *outer)
{
  struct open_object open = {outer, v, outer ? outer->depth + 1 : 1};

  if (open.depth > MAX_TEXT_DEPTH) {
    fputs("...", w->file);
  } else if (v == TINY_NIL) {
    fputs("nil", w->file);
  } else if (v == TINY_TRUE || v == TINY_FALSE) {
    fputs(v == TINY_TRUE ? "true" : "false", w->file);
  } else if (tiny_is_integer(v)) {
    fprintf(w->file, "%ld", tiny_integer(v));
  } else if (tiny_is_immediate(v)) {
    write_float(w->file, tiny_is_flat(v) ? tiny_flat(v) : v == TINY_ZERO ? 0.0 : -0.0);
  } else if (tiny_is(v, TINY_STRING)) {
    fputs(outer ? "\"" : "", w->file);
    write_bytes(w->file, v);
    fputs(outer ? "\"" : "", w->file);
  } else if (is_left_out(w, v, outer)) {
    fputs("...", w->file);
  } else {
    write_object(w, &open);
  }
}

void tiny_write(FILE *file, value v)
{
  struct writer w = {file, 0};

  write_value(&w, v, NULL);
}

/* A stream into memory, which later texts use again. */
static bool begin_text(void)
{
  if (!text_stream.file)
    text_stream.file = open_memstream(&text_stream.bytes, &text_stream.length);
  else
    rewind(text_stream.file);
  return text_stream.file != NULL;
}

static value end_text(void)
{
  fflush(text_stream.file);
  return tiny_string(text_stream.bytes, text_stream.length);
}

value tiny_print(value *parts, unsigned count, const char *between, const char *end)
{
  if (!begin_text())
    return tiny_throw("out of memory");
  for (unsigned i = 0; i < count; i++) {
    fputs(i ? between : "", text_stream.file);
    tiny_write(text_stream.file, parts[i]);
  }
  fputs(end, text_stream.file);
  fflush(text_stream.file);
  if (fwrite(text_stream.bytes, 1, text_stream.length, stdout) != text_stream.length)
    return tiny_throw("cannot write the output: %s", strerror(errno));
  return TINY_NIL;
}

static value text_of_integer(long integer)
{
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%ld", integer);

  return tiny_string(digits, (size_t)length);
}

value tiny_text(value v)
{
  if (tiny_is(v, TINY_STRING))
    return v;
  if (tiny_is_integer(v))
    return text_of_integer(tiny_integer(v));
  if (!begin_text())
    return tiny_throw("out of memory");
  tiny_write(text_stream.file, v);
  return end_text();
}

static value join_texts(const value *texts, unsigned count)
{
  size_t length = 0, at = 0;

  for (unsigned i = 0; i < count; i++)
    length += tiny_string_of(texts[i])->length;
  value joined = tiny_string_uninit(length);
  for (unsigned i = 0; i < count && !tiny_is_thrown(joined); i++) {
    size_t bytes = tiny_string_of(texts[i])->length;
    if (bytes > 0)
      cairn_copy(tiny_string_of(joined)->bytes + at, tiny_string_of(texts[i])->bytes, bytes);
    at += bytes;
  }
  return joined;
}

value tiny_text_of(value *parts, unsigned count)
{
  value texts[TEXTS_AT_ONCE];
  unsigned taken = count < TEXTS_AT_ONCE ? count : TEXTS_AT_ONCE;

  for (unsigned i = 0; i < taken; i++) {
    texts[i] = tiny_text(parts[i]);
    if (tiny_is_thrown(texts[i]))
      return texts[i];
  }
  value joined = join_texts(texts, taken);
  if (taken == count || tiny_is_thrown(joined))
    return joined;
  value others = tiny_text_of(parts + taken, count - taken);
  return tiny_is_thrown(others) ? others : tiny_strings_join(joined, others);
}

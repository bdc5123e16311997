/* SPDX-License-Identifier: Apache-2.0
 *
 * A parser and printer of JSON. A value is a tagged union; arrays and objects are vectors, and an object keeps the
 * order of its members. The document is printed with indentation, or in one line; --sort orders members by name.
 *
 *   json [--line] [--sort] [--times N] [FILE]    reads FILE or standard input, and parses the text N times
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/array.h>
#include <cairn/string.h>

typedef char managed text;
typedef struct array managed array;
typedef struct object managed object;
typedef struct cairn_builder managed builder;

enum kind { NOTHING, BOOLEAN, NUMBER, TEXT, ARRAY, OBJECT };

struct value {
  enum kind kind;
  cairn_union(_Bool boolean; double number; text *text; array *array; object *object;) as;
};

struct member {
  text *name;
  struct value value;
};

CAIRN_VECTOR(array, struct value);
CAIRN_VECTOR(object, struct member);

/* ---- reading ---- */

enum { MAX_DEPTH = 1000, MAX_NUMBER = 63 };

struct reader {
  const text *text;
  size_t at;
  int depth;
};

static _Noreturn void fail(const struct reader *reader, const char *message)
{
  long line = 1, column = 1;

  for (size_t i = 0; i < reader->at; i++) {
    column = reader->text[i] == '\n' ? 1 : column + 1;
    line += reader->text[i] == '\n';
  }
  fprintf(stderr, "json: line %ld, column %ld: %s\n", line, column, message);
  exit(1);
}

/* The next character after spaces, which stays. */
static char peek(struct reader *reader)
{
  reader->at += strspn(reader->text + reader->at, " \t\r\n");
  return reader->text[reader->at];
}

static _Bool skip(struct reader *reader, const char *word)
{
  size_t length = strlen(word);

  if (strncmp(reader->text + reader->at, word, length) != 0)
    return 0;
  reader->at += length;
  return 1;
}

static void skip_digits(struct reader *reader)
{
  size_t digits = strspn(reader->text + reader->at, "0123456789");

  if (digits == 0)
    fail(reader, "a digit is missing");
  reader->at += digits;
}

static double read_number(struct reader *reader)
{
  char digits[MAX_NUMBER + 1] = "";
  size_t from = reader->at;

  skip(reader, "-");
  if (!skip(reader, "0"))
    skip_digits(reader);
  if (skip(reader, "."))
    skip_digits(reader);
  if (skip(reader, "e") || skip(reader, "E")) {
    if (!skip(reader, "-"))
      skip(reader, "+");
    skip_digits(reader);
  }
  if (reader->at - from > MAX_NUMBER)
    fail(reader, "the number is too long");
  cairn_copy_out(digits, reader->text + from, reader->at - from);
  return strtod(digits, NULL);
}

/* Four digits of an escape. */
static unsigned read_unit(struct reader *reader)
{
  char digits[5] = "";

  if (strspn(reader->text + reader->at, "0123456789abcdefABCDEF") < 4)
    fail(reader, "\\u needs four hexadecimal digits");
  cairn_copy_out(digits, reader->text + reader->at, 4);
  reader->at += 4;
  return (unsigned)strtoul(digits, NULL, 16);
}

static void append_code_point(builder *to, unsigned code)
{
  unsigned continuations = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3,
           lead = continuations ? 0xff00 >> (continuations + 1) & 0xff : 0;

  cairn_append_char(to, (char)(lead | code >> 6 * continuations));
  while (continuations-- > 0)
    cairn_append_char(to, (char)(0x80 | (code >> 6 * continuations & 0x3f)));
}

static void read_escape(struct reader *reader, builder *to)
{
  static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  char name = reader->text[reader->at];
  const char *found = name ? strchr(names, name) : NULL;

  if (found) {
    cairn_append_char(to, meanings[found - names]);
    reader->at++;
    return;
  }
  if (!skip(reader, "u"))
    fail(reader, "this escape is unknown");
  unsigned code = read_unit(reader);
  if (code >> 10 == 0xd800 >> 10 && skip(reader, "\\u"))
    code = 0x10000 + ((code & 0x3ff) << 10) + (read_unit(reader) & 0x3ff);
  append_code_point(to, code);
}

static text *read_text(struct reader *reader)
{
  builder *to = cairn_builder_new();

  if (!skip(reader, "\""))
    fail(reader, "a text is missing");
  while (!skip(reader, "\"")) {
    size_t length = 0;
    while ((unsigned char)reader->text[reader->at + length] >= ' ' && reader->text[reader->at + length] != '"' &&
           reader->text[reader->at + length] != '\\')
      length++;
    cairn_append_bytes(to, reader->text + reader->at, length);
    reader->at += length;
    if (skip(reader, "\\"))
      read_escape(reader, to);
    else if (reader->text[reader->at] != '"')
      fail(reader, "the text does not end");
  }
  return cairn_builder_text(to);
}

static struct value read_value(struct reader *reader);

/* True if another item follows. */
static _Bool follows(struct reader *reader, long items, char end)
{
  char next = peek(reader);

  if (next == end || (items > 0 && next == ',')) {
    reader->at++;
    return next == ',';
  }
  if (items > 0)
    fail(reader, end == ']' ? "',' or ']' is missing" : "',' or '}' is missing");
  return 1;
}

static array *read_array(struct reader *reader)
{
  array *items = cairn_new(array);

  while (follows(reader, items->length, ']'))
    cairn_push(items, read_value(reader));
  return items;
}

static object *read_object(struct reader *reader)
{
  object *members = cairn_new(object);

  while (follows(reader, members->length, '}')) {
    struct member member = {.name = NULL};
    peek(reader);
    member.name = read_text(reader);
    if (peek(reader) != ':')
      fail(reader, "':' is missing");
    reader->at++;
    member.value = read_value(reader);
    cairn_push(members, member);
  }
  return members;
}

static struct value read_value(struct reader *reader)
{
  struct value value = {.kind = NOTHING};
  char next = peek(reader);

  if (++reader->depth > MAX_DEPTH)
    fail(reader, "values are nested too deeply");
  if (next == '"') {
    value = (struct value){.kind = TEXT, .as.text = read_text(reader)};
  } else if (skip(reader, "[")) {
    value = (struct value){.kind = ARRAY, .as.array = read_array(reader)};
  } else if (skip(reader, "{")) {
    value = (struct value){.kind = OBJECT, .as.object = read_object(reader)};
  } else if (next == '-' || (next >= '0' && next <= '9')) {
    value = (struct value){.kind = NUMBER, .as.number = read_number(reader)};
  } else if (skip(reader, "true")) {
    value = (struct value){.kind = BOOLEAN, .as.boolean = 1};
  } else if (skip(reader, "false")) {
    value = (struct value){.kind = BOOLEAN, .as.boolean = 0};
  } else if (!skip(reader, "null")) {
    fail(reader, "a value is missing");
  }
  reader->depth--;
  return value;
}

static struct value read_document(const text *from)
{
  struct reader reader = {.text = from};
  struct value document = read_value(&reader);

  if (peek(&reader) != 0 || (long)reader.at != cairn_length(from) - 1)
    fail(&reader, "the document has ended");
  return document;
}

/* ---- printing ---- */

struct printer {
  builder *out;
  _Bool lines, sorted;
  int depth;
};

static void new_line(struct printer *printer)
{
  if (!printer->lines)
    return;
  cairn_append_char(printer->out, '\n');
  for (int i = 0; i < printer->depth; i++)
    cairn_append_in(printer->out, "  ", 2);
}

/* The shortest form that reads as the same number. */
static void print_number(struct printer *printer, double number)
{
  char digits[32] = "null"; /* JSON has no infinities */

  for (int precision = 15; precision <= 17 && number - number == 0; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, number);
    if (strtod(digits, NULL) == number)
      break;
  }
  cairn_append_in(printer->out, digits, strlen(digits));
}

static void print_text(struct printer *printer, const text *from)
{
  builder *out = printer->out;
  long length = cairn_length(from) - 1;

  cairn_append_char(out, '"');
  for (long i = 0; i < length; i++) {
    if (from[i] == '"' || from[i] == '\\')
      cairn_append_char(out, '\\');
    if ((unsigned char)from[i] >= ' ')
      cairn_append_char(out, from[i]);
    else if (from[i] == '\n')
      cairn_append_in(out, "\\n", 2);
    else
      cairn_append_format(out, "\\u%04x", (unsigned)from[i]);
  }
  cairn_append_char(out, '"');
}

static int by_name(const struct member managed *a, const struct member managed *b)
{
  return strcmp(a->name, b->name);
}

static void print_value(struct printer *printer, struct value value);

static void begin_item(struct printer *printer, long index)
{
  if (index > 0)
    cairn_append_char(printer->out, ',');
  new_line(printer);
}

static void print_array(struct printer *printer, array *items)
{
  for (long i = 0; i < items->length; i++) {
    begin_item(printer, i);
    print_value(printer, items->at[i]);
  }
}

static void print_object(struct printer *printer, object *members)
{
  if (printer->sorted && members->length > 0)
    cairn_sort(members->at, members->length, by_name);
  for (long i = 0; i < members->length; i++) {
    begin_item(printer, i);
    print_text(printer, members->at[i].name);
    cairn_append_in(printer->out, ": ", printer->lines ? 2 : 1);
    print_value(printer, members->at[i].value);
  }
}

static void print_items(struct printer *printer, struct value value)
{
  _Bool is_array = value.kind == ARRAY;
  long length = is_array ? value.as.array->length : value.as.object->length;

  cairn_append_char(printer->out, is_array ? '[' : '{');
  printer->depth++;
  if (is_array)
    print_array(printer, value.as.array);
  else
    print_object(printer, value.as.object);
  printer->depth--;
  if (length > 0)
    new_line(printer);
  cairn_append_char(printer->out, is_array ? ']' : '}');
}

static void print_value(struct printer *printer, struct value value)
{
  switch (value.kind) {
  case NOTHING:
    cairn_append_in(printer->out, "null", 4);
    break;
  case BOOLEAN:
    cairn_append_in(printer->out, value.as.boolean ? "true" : "false", value.as.boolean ? 4 : 5);
    break;
  case NUMBER:
    print_number(printer, value.as.number);
    break;
  case TEXT:
    print_text(printer, value.as.text);
    break;
  default:
    print_items(printer, value);
  }
}

/* ---- the command ---- */

static const text *read_file(const char *name)
{
  FILE *file = name ? fopen(name, "r") : stdin;
  const text *all = file ? cairn_read_all(file) : NULL;

  if (all)
    return all;
  perror(name ? name : "standard input");
  exit(1);
}

int main(int argc, char **argv)
{
  struct printer printer = {.lines = 1};
  long times = 1, at = 1;

  for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
    if (strcmp(argv[at], "--line") == 0)
      printer.lines = 0;
    else if (strcmp(argv[at], "--sort") == 0)
      printer.sorted = 1;
    else if (strcmp(argv[at], "--times") == 0 && at + 1 < argc)
      times = atol(argv[++at]);
    else
      return puts("usage: json [--line] [--sort] [--times N] [FILE]") < 0 || strcmp(argv[at], "--help") != 0;
  }
  const text *all = read_file(argv[at]);
  struct value value = {.kind = NOTHING};
  for (long i = 0; i < times; i++)
    value = read_document(all);
  printer.out = cairn_builder_new();
  print_value(&printer, value);
  puts(cairn_builder_text(printer.out));
  return 0;
}

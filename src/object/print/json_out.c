/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one JSON document (RFC 8259) for the printers of src/object and the commands of the tool: brackets, members,
 * numbers and escaped strings, with commas and indents. Prints to the stream of struct cn_json_writer, which holds all
 * state.
 */
#include "object/print/json_out.h"

#include <inttypes.h>
#include <string.h>
#include "base/check.h"
#include "base/utf8.h"

void cn_json_out_write_text(FILE *out, const char *text)
{
  const unsigned char *c = (const unsigned char *)text, *end = c + strlen(text);

  putc('"', out);
  while (c < end) {
    unsigned length = cn_utf8_sequence_length(c, (size_t)(end - c));
    if (!length)
      fputs("\\ufffd", out);
    else if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if (*c < 0x20)
      fprintf(out, "\\u%04x", *c);
    else
      fwrite(c, 1, length, out);
    c += length ? length : 1;
  }
  putc('"', out);
}

static void break_and_indent_line(struct cn_json_writer *json)
{
  putc('\n', json->out);
  for (unsigned i = 0; i < json->depth; i++)
    fputs("  ", json->out);
}

static void write_value_prefix(struct cn_json_writer *json, const char *name)
{
  /* Write the name. A member of an object has a name; an array element has a null name. */
  CN_ASSERT(json->depth && json->closing[json->depth - 1] == '}' ? name != NULL : name == NULL);
  if (json->depth) {
    if (json->is_not_first[json->depth - 1])
      putc(',', json->out);
    if (!json->on_line)
      break_and_indent_line(json);
    else if (json->is_not_first[json->depth - 1])
      putc(' ', json->out);
    json->is_not_first[json->depth - 1] = true;
  }
  if (name) {
    cn_json_out_write_text(json->out, name);
    fputs(": ", json->out);
  }
}

void cn_json_out_open_bracket(struct cn_json_writer *json, const char *name, char bracket)
{
  CN_CHECK(json->depth < CN_JSON_OUT_MAX_DEPTH && (bracket == '{' || bracket == '['));
  write_value_prefix(json, name);
  putc(bracket, json->out);
  json->is_not_first[json->depth] = false;
  json->closing[json->depth++] = bracket == '{' ? '}' : ']';
}

void cn_json_out_open_on_line(struct cn_json_writer *json, const char *name, char bracket)
{
  cn_json_out_open_bracket(json, name, bracket);
  if (!json->on_line)
    json->on_line = json->depth;
}

void cn_json_out_close_bracket(struct cn_json_writer *json)
{
  bool was_on_line = json->on_line != 0;

  CN_CHECK(json->depth > 0 && json->on_line <= json->depth);
  if (json->on_line == json->depth)
    json->on_line = 0;
  json->depth--;
  if (!was_on_line && json->is_not_first[json->depth])
    break_and_indent_line(json);
  putc(json->closing[json->depth], json->out);
  if (!json->depth)
    putc('\n', json->out);
}

void cn_json_out_write_number(struct cn_json_writer *json, const char *name, uint64_t value)
{
  write_value_prefix(json, name);
  fprintf(json->out, "%" PRIu64, value);
}

void cn_json_out_write_signed(struct cn_json_writer *json, const char *name, int64_t value)
{
  write_value_prefix(json, name);
  fprintf(json->out, "%" PRId64, value);
}

void cn_json_out_write_bool(struct cn_json_writer *json, const char *name, bool value)
{
  write_value_prefix(json, name);
  fputs(value ? "true" : "false", json->out);
}

void cn_json_out_write_null(struct cn_json_writer *json, const char *name)
{
  write_value_prefix(json, name);
  fputs("null", json->out);
}

void cn_json_out_write_string(struct cn_json_writer *json, const char *name, const char *text)
{
  if (!text) {
    cn_json_out_write_null(json, name);
    return;
  }
  write_value_prefix(json, name);
  cn_json_out_write_text(json->out, text);
}

static void write_member(struct cn_json_writer *json, const struct cn_json_member *m)
{
  switch (m->kind) {
  case CN_JSON_NUMBER:
    cn_json_out_write_number(json, m->name, m->number);
    break;
  case CN_JSON_SIGNED:
    cn_json_out_write_signed(json, m->name, (int64_t)m->number);
    break;
  case CN_JSON_BOOL:
    cn_json_out_write_bool(json, m->name, m->number != 0);
    break;
  case CN_JSON_STRING:
    cn_json_out_write_string(json, m->name, m->text);
    break;
  case CN_JSON_NULL:
    cn_json_out_write_null(json, m->name);
    break;
  case CN_JSON_OMITTED:
    break;
  }
}

void cn_json_out_write_members(struct cn_json_writer *json, const struct cn_json_member *members, size_t count)
{
  for (size_t i = 0; i < count; i++)
    write_member(json, &members[i]);
}

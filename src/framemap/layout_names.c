/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the names of a layout: the name of its type, its lines, and the name of the field at an offset, with indices.
 * The text is input, so its numbers may have any value. Runs in the runtime and in tools, on any thread, in any phase.
 * Allocates no memory, writes only to the caller's buffer, and holds no state.
 */
#include "framemap/layout_names.h"

#include <stdio.h>
#include <string.h>
#include "base/check.h"

enum { MAX_ARRAY_DEPTH = 8 }; /* maximum nesting of arrays */

struct named_field {
  uint64_t offset, counts[MAX_ARRAY_DEPTH], strides[MAX_ARRAY_DEPTH];
  unsigned depth;
  const char *name;
  size_t length;
};

size_t cn_layout_names_type_length(const char *names)
{
  CN_ASSERT(names != NULL);
  return strcspn(names, "\n");
}

const char *cn_layout_names_next_line(const char *line, size_t *length)
{
  const char *end = line + strcspn(line, "\n");

  if (*end == '\0')
    return NULL;
  *length = strcspn(end + 1, "\n");
  return end + 1;
}

static bool read_decimal(const char **at, uint64_t *number)
{
  const char *digit = *at;

  for (*number = 0; *digit >= '0' && *digit <= '9'; digit++)
    if (__builtin_mul_overflow(*number, 10, number) ||
        __builtin_add_overflow(*number, (uint64_t)(*digit - '0'), number))
      return false;
  bool any = digit != *at;
  *at = digit;
  return any;
}

static bool read_field(const char *line, size_t length, struct named_field *field)
{
  const char *at = line;

  *field = (struct named_field){0};
  if (!read_decimal(&at, &field->offset))
    return false;
  for (; *at == '*'; field->depth++) {
    if (field->depth == MAX_ARRAY_DEPTH)
      return false;
    at++;
    if (!read_decimal(&at, &field->counts[field->depth]) || *at++ != '/' ||
        !read_decimal(&at, &field->strides[field->depth]) || field->strides[field->depth] == 0)
      return false;
  }
  if (*at++ != ' ')
    return false;
  field->name = at;
  field->length = length - (size_t)(at - line);
  return true;
}

/* True if the field is at `offset`. If so, `indices` gets the index in each array. */
static bool is_field_at(const struct named_field *field, uint64_t offset, uint64_t indices[MAX_ARRAY_DEPTH])
{
  if (offset < field->offset)
    return false;
  offset -= field->offset;
  for (unsigned i = 0; i < field->depth; i++) {
    indices[i] = offset / field->strides[i];
    offset %= field->strides[i];
    if (field->counts[i] != 0 && indices[i] >= field->counts[i])
      return false;
  }
  return offset == 0;
}

static void print_field(const struct named_field *field, const uint64_t indices[MAX_ARRAY_DEPTH], char *text,
                        size_t size)
{
  size_t used = 0;
  unsigned next = 0;

  CN_CHECK(size > 0);
  text[0] = '\0';
  for (size_t i = 0; i < field->length && used < size; i++) {
    bool index = field->name[i] == ']' && next < field->depth;
    int n = index ? snprintf(text + used, size - used, "%llu]", (unsigned long long)indices[next++])
                  : snprintf(text + used, size - used, "%c", field->name[i]);
    CN_CHECK(n > 0);
    used += (size_t)n;
  }
}

bool cn_layout_names_find_field(const char *names, uint64_t offset, char *text, size_t size)
{
  uint64_t indices[MAX_ARRAY_DEPTH];
  struct named_field field;
  size_t length;

  for (const char *line = names; (line = cn_layout_names_next_line(line, &length)) != NULL;)
    if (read_field(line, length, &field) && is_field_at(&field, offset, indices)) {
      print_field(&field, indices, text, size);
      return true;
    }
  return false;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes blocks of section `cairn_details`: the source places, deopt values and spans of safepoints, in the encoding of
 * details_format.h. Also frees the structs of the model. Runs in the tools, once the model is complete. Appends to the
 * caller's buffer, leaves the model unchanged, and prints nothing. All state is local.
 */
#include "framemap/details_format.h"

#include <string.h>
#include "framemap/intern.h"

struct details_writer {
  struct cn_intern strings, scopes, records; /* `scopes` and `records` belong to one function */
  struct cn_bytes text;                      /* the strings */
  struct cn_bytes area;                      /* the function's scopes and records */
  CN_VECTOR(uint32_t)
  lines; /* two elements per scope, its place and its base line; `scopes` has the index of the first element */
  bool any_spans;
};

static uint32_t put_string(struct details_writer *w, const char *s)
{
  size_t length = s ? strlen(s) : 0;
  bool is_new;

  if (!length)
    return 0;
  uint32_t at = cn_intern(&w->strings, (const unsigned char *)s, length, (uint32_t)w->text.count, &is_new);
  for (size_t i = 0; is_new && i <= length; i++)
    cn_push(&w->text, (unsigned char)s[i]);
  return at;
}

/* A scope with its place and its base line, which is subtracted from the scope's lines. */
struct inline_scope {
  uint32_t place, line;
};

/* Find or add the scope of `source`, which is inlined into `parent` (if any) at `call`. The scope's base line is the
 * line of the first source that needs the scope. */
static struct inline_scope put_inline_scope(struct details_writer *w, const struct cn_source_place *source,
                                            const struct inline_scope *parent, const struct cn_source_place *call)
{
  struct cn_bytes key = {0};
  uint32_t name = put_string(w, source->function), file = put_string(w, source->file);
  uint32_t place = (uint32_t)w->area.count;
  bool is_new;

  CN_CHECK(!parent || (call && parent->place < place));
  cn_uleb_put(&key, name);
  cn_uleb_put(&key, file);
  cn_uleb_put(&key, parent ? parent->place + UINT64_C(1) : 0);
  if (parent) {
    cn_uleb_put(&key, call->line);
    cn_uleb_put(&key, call->column);
  }
  uint32_t number = cn_intern(&w->scopes, key.at, key.count, (uint32_t)w->lines.count, &is_new);
  CN_ASSERT(is_new == (number == w->lines.count));
  if (is_new) {
    cn_push(&w->lines, place);
    cn_push(&w->lines, source->line);
    cn_uleb_put(&w->area, name);
    cn_uleb_put(&w->area, file);
    cn_uleb_put(&w->area, source->line);
    cn_uleb_put(&w->area, parent ? place - parent->place : 0);
    if (parent) {
      cn_uleb_put(&w->area, cn_zigzag_encode((int64_t)call->line - parent->line));
      cn_uleb_put(&w->area, call->column);
    }
  }
  cn_free(&key);
  return (struct inline_scope){w->lines.at[number], w->lines.at[number + 1]};
}

static void put_sources(struct details_writer *w, const struct cn_safepoint_details *d, struct cn_bytes *record)
{
  struct inline_scope s = {0};
  size_t count = d->sources.count;

  CN_CHECK(count <= CN_MAX_VIRTUAL_FRAMES);
  for (size_t i = count; i-- > 0;)
    s = put_inline_scope(w, &d->sources.at[i], i + 1 < count ? &s : NULL, i + 1 < count ? &d->sources.at[i + 1] : NULL);
  CN_ASSERT(s.place < w->area.count);
  cn_uleb_put(record, s.place);
  cn_uleb_put(record, cn_zigzag_encode((int64_t)d->sources.at[0].line - s.line));
  cn_uleb_put(record, d->sources.at[0].column);
}

/* Append the head of a value, which contains the value's type if cn_value_types[] has it. */
static void put_value_head(struct cn_bytes *out, enum cn_value_kind kind, const struct cn_deopt_value *v)
{
  unsigned code = CN_VALUE_TYPES - 1;

  while (code && (cn_value_types[code].value_class != v->value_class || cn_value_types[code].bits != v->bits ||
                  cn_value_types[code].size != v->size))
    code--;
  cn_push(out, (unsigned char)(kind | code << CN_VALUE_TYPE_SHIFT));
  if (code)
    return;
  cn_push(out, v->value_class);
  cn_push(out, v->bits);
  cn_uleb_put(out, v->size);
}

static void put_deopt_value(struct cn_bytes *out, const struct cn_deopt_value *v)
{
  if (v->kind == CN_DEOPT_CONSTANT) {
    uint64_t zigzag = cn_zigzag_encode(cn_deopt_extend_constant(v->constant, v->bits));
    bool small = zigzag < UINT64_C(1) << 49;
    put_value_head(out, small ? CN_VALUE_SMALL_CONSTANT : CN_VALUE_LARGE_CONSTANT, v);
    if (small)
      cn_uleb_put(out, zigzag);
    else
      cn_put_little_endian(out, v->constant, 8);
    return;
  }
  CN_CHECK(v->kind == CN_DEOPT_VALUE || v->loc.is_register == (v->kind == CN_DEOPT_REGISTER_AT_CALL));
  put_value_head(out,
                 v->kind == CN_DEOPT_ADDRESS            ? CN_VALUE_MEMORY_ADDRESS
                 : v->kind == CN_DEOPT_REGISTER_AT_CALL ? CN_VALUE_REGISTER_AT_CALL
                 : v->loc.is_register                   ? CN_VALUE_IN_REGISTER
                                                        : CN_VALUE_IN_MEMORY,
                 v);
  cn_uleb_put(out, v->loc.reg);
  if (!v->loc.is_register)
    cn_uleb_put(out, cn_zigzag_encode(v->loc.offset));
}

/* True if the safepoint has details to write. */
static bool has_details_to_write(const struct cn_safepoint_details *d)
{
  return d->sources.count || d->deopts.count || d->spans.count;
}

/* Find or add the record of `d`, which equal safepoints share. Returns the record's place. */
static uint32_t put_details_record(struct details_writer *w, const struct cn_safepoint_details *d)
{
  struct cn_bytes record = {0};
  bool is_new;

  cn_push(&record,
          (unsigned char)((d->sources.count ? CN_RECORD_HAS_SOURCES : 0) |
                          (d->deopts.count ? CN_RECORD_HAS_DEOPTS : 0) | (d->spans.count ? CN_RECORD_HAS_SPANS : 0)));
  if (d->sources.count)
    put_sources(w, d, &record);
  if (d->deopts.count)
    cn_uleb_put(&record, d->deopts.count - 1);
  for (size_t i = 0; i < d->deopts.count; i++)
    put_deopt_value(&record, &d->deopts.at[i]);
  if (d->spans.count)
    cn_uleb_put(&record, d->spans.count - 1);
  for (size_t i = 0; i < d->spans.count; i++) {
    cn_uleb_put(&record, d->spans.at[i].index);
    cn_uleb_put(&record, d->spans.at[i].depth);
  }
  w->any_spans |= d->spans.count != 0;
  uint32_t place = cn_intern(&w->records, record.at, record.count, (uint32_t)w->area.count, &is_new);
  for (size_t i = 0; is_new && i < record.count; i++)
    cn_push(&w->area, record.at[i]);
  cn_free(&record);
  return place;
}

struct placed_record {
  uint32_t offset, place;
};

static void put_function_details(struct details_writer *w, const struct cn_function_details *f, struct cn_bytes *out)
{
  CN_VECTOR(struct placed_record) found = {0};

  for (size_t i = 0; i < f->details.count; i++)
    if (has_details_to_write(&f->details.at[i]))
      cn_push(&found, (struct placed_record){f->details.at[i].return_offset, put_details_record(w, &f->details.at[i])});
  CN_CHECK(found.count && found.count <= CN_DETAILS_MAX_SAFEPOINTS);
  unsigned a = cn_log2_width_of(found.at[found.count - 1].offset), b = cn_log2_width_of(w->area.count);
  cn_put_little_endian(out, (uint32_t)found.count | a << 28 | b << 30, 4);
  for (size_t i = 0; i < found.count; i++)
    cn_put_little_endian(out, found.at[i].offset, 1u << a);
  for (size_t i = 0; i < found.count; i++)
    cn_put_little_endian(out, found.at[i].place, 1u << b);
  for (size_t i = 0; i < w->area.count; i++)
    cn_push(out, w->area.at[i]);
  cn_free(&found);
  cn_intern_free(&w->scopes);
  cn_intern_free(&w->records);
  w->area.count = w->lines.count = 0;
}

static uint32_t count_functions_with_details(const struct cn_function_details *functions, size_t count, size_t *first)
{
  uint32_t found = 0;

  for (size_t i = count; i-- > 0;)
    for (size_t k = 0; k < functions[i].details.count; k++)
      if (has_details_to_write(&functions[i].details.at[k])) {
        *first = i;
        found++;
        break;
      }
  return found;
}

static bool has_details(const struct cn_function_details *f)
{
  size_t first;

  return count_functions_with_details(f, 1, &first) != 0;
}

int64_t cn_details_append_block(struct cn_bytes *out, const struct cn_function_details *functions, size_t count,
                                bool *spans)
{
  struct details_writer w = {0};
  size_t begin = out->count, first = 0, entry = begin + CN_DETAILS_BLOCK_HEADER_BYTES;
  uint32_t found = count_functions_with_details(functions, count, &first);

  *spans = false;
  if (!found)
    return -1;
  CN_CHECK(begin % 4 == 0 && first < count);
  cn_push(&w.text, 0);
  for (size_t i = 0; i < CN_DETAILS_BLOCK_HEADER_BYTES + found * (size_t)CN_DETAILS_FUNCTION_BYTES; i++)
    cn_push(out, 0);
  for (size_t i = first; i < count; i++) {
    CN_CHECK(i == first || functions[i - 1].entry <= functions[i].entry);
    if (!has_details(&functions[i]))
      continue;
    CN_ASSERT_VALID(cn_function_details_wrong(&functions[i]));
    cn_set_u32(out, entry + CN_DETAILS_ENTRY_OFFSET, functions[i].entry - functions[first].entry);
    cn_set_u32(out, entry + CN_DETAILS_CODE_SIZE_OFFSET, functions[i].code_size);
    cn_set_u32(out, entry + CN_DETAILS_DATA_OFFSET, (uint32_t)(out->count - begin));
    entry += CN_DETAILS_FUNCTION_BYTES;
    put_function_details(&w, &functions[i], out);
  }
  CN_CHECK(entry - begin == CN_DETAILS_BLOCK_HEADER_BYTES + found * (size_t)CN_DETAILS_FUNCTION_BYTES);
  cn_set_u32(out, begin + CN_DETAILS_BLOCK_COUNT_OFFSET, found);
  cn_set_u32(out, begin + CN_DETAILS_BLOCK_STRINGS_OFFSET, (uint32_t)(out->count - begin));
  for (size_t i = 0; i < w.text.count; i++)
    cn_push(out, w.text.at[i]);
  while ((out->count - begin) % 4)
    cn_push(out, 0);
  CN_CHECK(out->count - begin <= UINT32_MAX);
  cn_set_u32(out, begin + CN_DETAILS_BLOCK_LENGTH_OFFSET, (uint32_t)(out->count - begin));
  *spans = w.any_spans;
  cn_intern_free(&w.strings);
  cn_free(&w.text);
  cn_free(&w.area);
  cn_free(&w.lines);
  return functions[first].entry;
}

void cn_safepoint_details_free(struct cn_safepoint_details *detail)
{
  cn_free(&detail->sources);
  cn_free(&detail->deopts);
  cn_free(&detail->spans);
}

void cn_function_details_free(struct cn_function_details *function)
{
  for (size_t i = 0; i < function->details.count; i++)
    cn_safepoint_details_free(&function->details.at[i]);
  cn_free(&function->details);
}

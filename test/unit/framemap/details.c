/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the writer and the reader of details: random models (equal in each run), shared records, truncated bytes,
 * flipped bits, and blocks with one wrong number.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/collector.h>
#include "framemap/details_format.h"
#include "fuzz/exercise.h"
#include "unit/sample.h"

static uint64_t seed;

/* xorshift64 */
static uint32_t any(uint32_t below)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 11) % below;
}

static uint32_t any_number(void)
{
  return any(3) ? any(200) : any(5) ? any(1 << 20) : UINT32_MAX - any(2);
}

static const char *const names[] = {"main", "walk", "a_rather_long_name_of_a_function", "x"};
static const char *const files[] = {"a.c", "dir/b.c", NULL, "/usr/include/some/header.h"};

static void fill_sources(struct cn_safepoint_details *d)
{
  for (uint32_t i = any(6); i > 0; i--)
    cn_push(&d->sources,
            (struct cn_source_place){
                .function = names[any(4)], .file = files[any(4)], .line = any_number(), .column = any_number()});
}

/* A class and a width; constants have at most 64 bits, addresses 64. */
static void set_type(struct cn_deopt_value *v, bool constant)
{
  static const uint8_t widths[] = {1, 7, 8, 16, 24, 32, 64, 80, 128};
  static const uint16_t sizes[] = {0, 1, 2, 4, 8, 16, 12, 32768, 65535};

  v->value_class = (uint8_t)any(8);
  v->bits = widths[any(constant ? 7 : 9)];
  v->size = any(3) ? 8 : sizes[any(9)];
  if (v->value_class == CAIRN_ABI_POINT_POINTER || v->value_class == CAIRN_ABI_POINT_REFERENCE ||
      v->value_class == CAIRN_ABI_POINT_LOCAL)
    v->bits = 64;
  if (v->value_class == CAIRN_ABI_POINT_UNKNOWN)
    v->bits = 0;
  if (v->value_class == CAIRN_ABI_POINT_UNDEFINED && !constant)
    v->value_class = CAIRN_ABI_POINT_VECTOR;
}

static struct cn_deopt_value any_deopt(void)
{
  struct cn_deopt_value v = {0};
  uint32_t what = any(5);

  set_type(&v, what < 2);
  switch (what) {
  case 0:
    v.constant = cn_deopt_mask_constant(any(2) ? any(100) : (uint64_t)-(int64_t)any(100), v.bits);
    return v;
  case 1:
    v.constant = cn_deopt_mask_constant((uint64_t)any(UINT32_MAX) << 32 | any(UINT32_MAX), v.bits);
    return v;
  case 2:
    v.kind = any(2) ? CN_DEOPT_VALUE : CN_DEOPT_REGISTER_AT_CALL;
    v.loc = (struct cn_frame_place){.is_register = 1, .reg = (uint8_t)any(256)};
    return v;
  default:
    break;
  }
  v.kind = any(2) ? CN_DEOPT_VALUE : CN_DEOPT_ADDRESS;
  v.loc = (struct cn_frame_place){.reg = (uint8_t)any(16),
                                  .offset = any(2) ? (int32_t)any(1000) - 500
                                                   : (int32_t)((uint32_t)any(UINT32_MAX) - INT32_MAX)};
  return v;
}

static struct cn_safepoint_details any_detail(uint32_t offset)
{
  struct cn_safepoint_details d = {.return_offset = offset};
  uint32_t what = any(8);

  if (what & 1)
    fill_sources(&d);
  for (uint32_t i = what & 2 ? any(5) : 0; i > 0; i--)
    cn_push(&d.deopts, any_deopt());
  for (uint32_t i = what & 4 ? any(3) : 0; i > 0; i--)
    cn_push(&d.spans, (struct cn_span_use){any_number(), any(4)});
  return d;
}

static struct cn_function_details any_function(uint32_t entry)
{
  struct cn_function_details f = {.entry = entry};
  uint32_t step = any(2) ? 20 : any(2) ? 2000 : 100000, offset = 0;

  for (uint32_t i = any(30); i > 0; i--) {
    offset += 1 + any(step);
    cn_push(&f.details, any_detail(offset));
  }
  f.code_size = offset + any(10);
  return f;
}

static bool empty(const struct cn_safepoint_details *d)
{
  return !d->sources.count && !d->deopts.count && !d->spans.count;
}

static void assert_same_string(const char *want, const char *got)
{
  if (want)
    assert_string_equal(got, want);
  else
    assert_null(got);
}

static void assert_same_values(const struct cn_safepoint_details *want, struct cn_details *got)
{
  struct cn_deopt_value v;
  struct cn_span_use span;

  for (size_t i = 0; i < want->deopts.count; i++) {
    const struct cn_deopt_value *w = &want->deopts.at[i];
    assert_int_equal(cn_details_next_deopt(got, &v), 0);
    assert_int_equal(v.kind, w->kind);
    assert_int_equal(v.value_class, w->value_class);
    assert_int_equal(v.bits, w->bits);
    assert_int_equal(v.size, w->size);
    assert_true(v.constant == w->constant);
    assert_int_equal(v.loc.is_register, w->loc.is_register);
    assert_int_equal(v.loc.reg, w->loc.reg);
    assert_int_equal(v.loc.offset, w->loc.offset);
  }
  assert_int_equal(cn_details_next_deopt(got, &v), CN_FRAMEMAP_NONE);
  for (size_t i = 0; i < want->spans.count; i++) {
    assert_int_equal(cn_details_next_span_use(got, &span), 0);
    assert_int_equal(span.index, want->spans.at[i].index);
    assert_int_equal(span.depth, want->spans.at[i].depth);
  }
  assert_int_equal(cn_details_next_span_use(got, &span), CN_FRAMEMAP_NONE);
}

static void assert_same_detail(const struct cn_safepoint_details *want, struct cn_details *got)
{
  struct cn_details spans_only = *got;
  struct cn_source_place source;
  struct cn_span_use span;

  assert_int_equal(got->sources, want->sources.count);
  assert_int_equal(got->deopts, want->deopts.count);
  assert_int_equal(got->spans, want->spans.count);
  for (size_t i = 0; i < want->spans.count; i++)
    assert_int_equal(cn_details_next_span_use(&spans_only, &span), 0);
  for (size_t i = 0; i < want->sources.count; i++) {
    assert_int_equal(cn_details_next_source(got, &source), 0);
    assert_same_string(want->sources.at[i].function, source.function);
    assert_same_string(want->sources.at[i].file, source.file);
    assert_int_equal(source.line, want->sources.at[i].line);
    assert_int_equal(source.column, want->sources.at[i].column);
  }
  assert_int_equal(cn_details_next_source(got, &source), CN_FRAMEMAP_NONE);
  assert_same_values(want, got);
}

/* All that is in `want` is found, and nothing else. */
static void assert_same_function(const struct cn_function_details *want, const struct cn_details_function *got)
{
  struct cn_details d;
  uint32_t safepoints = 0, offset;

  assert_int_equal(got->code_size, want->code_size);
  for (size_t i = 0; i < want->details.count; i++) {
    const struct cn_safepoint_details *w = &want->details.at[i];
    int status = cn_details_find(got, w->return_offset, &d);
    if (empty(w)) {
      assert_int_equal(status, CN_FRAMEMAP_NONE);
      continue;
    }
    assert_int_equal(status, 0);
    assert_int_equal(cn_details_read_return_offset(got, safepoints++, &offset), 0);
    assert_int_equal(offset, w->return_offset);
    assert_same_detail(w, &d);
  }
  assert_int_equal(got->safepoints, safepoints);
  assert_int_equal(cn_details_find(got, 0, &d), CN_FRAMEMAP_NONE);
  assert_int_equal(cn_details_find(got, UINT32_MAX, &d), CN_FRAMEMAP_NONE);
}

struct block {
  struct cn_function_details functions[4];
  size_t count;
  size_t field; /* where the distance to the code stands in the bytes; 0: nothing was written */
};

static struct block any_block(struct cn_bytes *bytes)
{
  struct block b = {.count = 1 + any(4)};
  uint32_t entry = any(1000);
  bool spans;

  for (size_t i = 0; i < b.count; i++) {
    b.functions[i] = any_function(entry);
    entry += b.functions[i].code_size + any(50);
  }
  size_t start = bytes->count;
  if (cn_details_append_block(bytes, b.functions, b.count, &spans) >= 0)
    b.field = start + CN_DETAILS_BLOCK_ENTRY_OFFSET;
  else
    assert_int_equal(bytes->count, start);
  return b;
}

static void free_block(struct block *b)
{
  for (size_t i = 0; i < b->count; i++)
    cn_function_details_free(&b->functions[i]);
}

static bool says_something(const struct cn_function_details *f)
{
  for (size_t i = 0; i < f->details.count; i++)
    if (!empty(&f->details.at[i]))
      return true;
  return false;
}

static void assert_same_blocks(const struct cn_bytes *bytes, const struct block *blocks, uint32_t count)
{
  const unsigned char *cursor = bytes->at, *end = bytes->at + bytes->count;
  struct cn_details_function f = {0};

  for (uint32_t i = 0; i < count; i++) {
    const struct cn_function_details *first = NULL;
    for (size_t k = 0; k < blocks[i].count; k++) {
      const struct cn_function_details *want = &blocks[i].functions[k];
      if (!says_something(want))
        continue;
      first = first ? first : want;
      assert_int_equal(cn_details_next_function(&cursor, end, &f), 0);
      assert_true(f.entry == (uintptr_t)bytes->at + blocks[i].field + want->entry - first->entry);
      assert_same_function(want, &f);
    }
  }
  assert_int_equal(cn_details_next_function(&cursor, end, &f), CN_FRAMEMAP_NONE);
}

/* A constant of 64 bits, of any class that is usual for one, and any usual value in memory take no byte for the type.
 */
static void usual_types_take_no_byte(void **state)
{
  struct cn_function_details f = {.code_size = 250};
  struct cn_safepoint_details d = {.return_offset = 5};
  struct cn_bytes none = {0}, many = {0};
  bool spans;

  (void)state;
  cn_push(&d.deopts, (struct cn_deopt_value){.bits = 64, .size = 8});
  cn_push(&f.details, d);
  cn_details_append_block(&none, &f, 1, &spans);
  for (unsigned i = 1; i < CN_VALUE_TYPES; i++) {
    struct cn_deopt_value v = {.kind = CN_DEOPT_VALUE,
                               .value_class = cn_value_types[i].value_class,
                               .bits = cn_value_types[i].bits,
                               .size = cn_value_types[i].size,
                               .loc = {.is_register = 1, .reg = 3}};
    if (v.value_class == CAIRN_ABI_POINT_UNDEFINED)
      v = (struct cn_deopt_value){.value_class = v.value_class, .bits = 64, .size = 8};
    cn_push(&f.details.at[0].deopts, v);
  }
  cn_details_append_block(&many, &f, 1, &spans);
  assert_in_range(many.count, none.count + 2 * (CN_VALUE_TYPES - 1), none.count + 2 * (CN_VALUE_TYPES - 1) + 3);
  cn_function_details_free(&f);
  cn_free(&none);
  cn_free(&many);
}

/* Whatever is written is read back. Zero words in between, as linkers put them, are stepped over.
 */
static void round_trips(void **state)
{
  (void)state;
  seed = 88172645463325252;
  for (int round = 0; round < 600; round++) {
    struct block blocks[3];
    struct cn_bytes bytes = {0};
    uint32_t count = 1 + any(3);
    for (uint32_t i = 0; i < count; i++) {
      for (uint32_t zeros = 4 * any(3); zeros > 0; zeros--)
        cn_push(&bytes, 0);
      blocks[i] = any_block(&bytes);
    }
    if (bytes.count)
      assert_same_blocks(&bytes, blocks, count);
    for (uint32_t i = 0; i < count; i++)
      free_block(&blocks[i]);
    cn_free(&bytes);
  }
}

/* One more safepoint in a chain of inlined functions that is known costs a few bytes. */
static void chains_are_shared(void **state)
{
  struct cn_function_details f = {.code_size = 250};
  struct cn_bytes one = {0}, many = {0};
  bool spans;

  (void)state;
  for (uint32_t i = 1; i <= 100; i++) {
    struct cn_safepoint_details d = {.return_offset = i};
    cn_push(&d.sources, (struct cn_source_place){"inner", "inner.c", 10 + i % 50, i});
    cn_push(&d.sources, (struct cn_source_place){"middle", "inner.c", 200, 3});
    cn_push(&d.sources, (struct cn_source_place){"outer", "outer.c", 3000, 7});
    cn_push(&f.details, d);
    if (i == 1)
      cn_details_append_block(&one, &f, 1, &spans);
  }
  cn_details_append_block(&many, &f, 1, &spans);
  assert_false(spans);
  assert_in_range(many.count, one.count, one.count + 99 * 8);
  cn_function_details_free(&f);
  cn_free(&one);
  cn_free(&many);
}

/* A span's value is what its entry of the table says: a number, or an address. */
static void spans_are_looked_up(void **state)
{
  static const struct cairn_span table[] = {{.key = 7, .integer = 99}, {.key = 8, .distance = 16}};
  static unsigned char mapped[4096];
  struct cn_function_details f = {.code_size = 9};
  struct cn_safepoint_details d = {.return_offset = 5};
  struct cn_bytes bytes = {0};
  struct cn_details_function read = {0};
  struct cn_details details;
  struct cn_span span;
  bool spans;

  (void)state;
  cn_push(&d.spans, (struct cn_span_use){1, 2});
  cn_push(&d.spans, (struct cn_span_use){0, 0});
  cn_push(&f.details, d);
  assert_int_equal(cn_details_append_block(&bytes, &f, 1, &spans), 0);
  assert_true(spans);
  assert_true(bytes.count < sizeof mapped);
  memcpy(mapped, bytes.at, bytes.count);
  const unsigned char *cursor = mapped;
  assert_int_equal(cn_details_next_function(&cursor, mapped + bytes.count, &read), 0);
  assert_int_equal(cn_details_find(&read, 5, &details), 0);
  struct cn_details untied = details;
  assert_int_equal(cn_details_next_span(&untied, &span), CN_FRAMEMAP_BAD); /* there is no table */
  int32_t distance = (int32_t)((intptr_t)table - (intptr_t)(mapped + CN_DETAILS_BLOCK_SPANS_OFFSET));
  memcpy(mapped + CN_DETAILS_BLOCK_SPANS_OFFSET, &distance, 4);
  assert_int_equal(cn_details_next_span(&details, &span), 0);
  assert_true(span.key == 8 && span.depth == 2);
  assert_true(span.value == (uintptr_t)&table[1].distance + 16);
  assert_int_equal(cn_details_next_span(&details, &span), 0);
  assert_true(span.key == 7 && span.depth == 0 && span.value == 99);
  assert_int_equal(cn_details_next_span(&details, &span), CN_FRAMEMAP_NONE);
  cn_function_details_free(&f);
  cn_free(&bytes);
}

static void broken_details_do_not_crash(void **state)
{
  (void)state;
  seed = 42;
  for (int round = 0; round < 3; round++) {
    struct cn_bytes bytes = {0};
    struct block block = any_block(&bytes);
    assert_int_equal(exercise_exactly(exercise_details, bytes.at, bytes.count), 0);
    for (size_t size = 1; size < bytes.count; size++)
      assert_int_not_equal(exercise_exactly(exercise_details, bytes.at, size), 0);
    for (size_t bit = 0; bit < 8 * bytes.count; bit += sample(5)) { /* each bit of a byte, in some bytes */
      bytes.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
      exercise_exactly(exercise_details, bytes.at, bytes.count);
      bytes.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free_block(&block);
    cn_free(&bytes);
  }
}

/* ---- by hand ---- */

/* A block of one function of 20 bytes, with one safepoint at 5 and the strings "" and "f". */
enum { DATA = CN_DETAILS_BLOCK_HEADER_BYTES + CN_DETAILS_FUNCTION_BYTES, AREA = DATA + 6 };
struct made_block {
  _Alignas(8) unsigned char bytes[96];
  uint32_t words[9]; /* the header, the function, its number of safepoints */
  uint32_t length;
  struct cn_details_function f;
};

static void set_area(struct made_block *b, uint32_t record, const unsigned char *area, size_t count)
{
  uint32_t strings = AREA + (uint32_t)count, length = (strings + 3 + 3) & ~3u;
  const uint32_t words[] = {length, 0, 0, 1, strings, 0, 20, DATA, 1};

  *b = (struct made_block){.length = length};
  assert_in_range(length, sizeof words, sizeof b->bytes);
  memcpy(b->words, words, sizeof words);
  b->bytes[DATA + 4] = 5;
  b->bytes[DATA + 5] = (unsigned char)record;
  memcpy(b->bytes + AREA, area, count);
  b->bytes[strings + 1] = 'f';
}

static int read_block(struct made_block *b)
{
  const unsigned char *cursor = b->bytes;

  memcpy(b->bytes, b->words, sizeof b->words);
  b->f = (struct cn_details_function){0};
  return cn_details_next_function(&cursor, b->bytes + b->length, &b->f);
}

struct row {
  const char *what;
  uint32_t record;
  size_t count;
  unsigned char area[20]; /* scope, record */
};

static int read_values(struct cn_details *d)
{
  struct cn_source_place source;
  struct cn_deopt_value value;
  int status;

  while (!(status = cn_details_next_source(d, &source)))
    continue;
  while (status == CN_FRAMEMAP_NONE && !(status = cn_details_next_deopt(d, &value)))
    status = CN_FRAMEMAP_NONE;
  return status;
}

/* The first row is sound; each other has one wrong number, or ends within one. */
static void wrong_numbers_are_refused(void **state)
{
  static const struct row rows[] = {
      {NULL, 4, 8, {1, 0, 3, 0, 1, 0, 0, 7}},
      {"record", 200, 8, {1, 0, 3, 0, 1, 0, 0, 7}},
      {"parts", 4, 8, {1, 0, 3, 0, 9, 0, 0, 7}},
      {"scope of 33 bits", 4, 12, {1, 0, 3, 0, 1, 0x80, 0x80, 0x80, 0x80, 16, 0, 7}},
      {"scope", 4, 8, {1, 0, 3, 0, 1, 100, 0, 7}},
      {"column ends", 4, 8, {1, 0, 3, 0, 1, 0, 0, 0x87}},
      {"line ends", 4, 7, {1, 0, 3, 0, 1, 0, 0x80}},
      {"line below 0", 4, 8, {1, 0, 3, 0, 1, 0, 15, 7}},
      {"line of 33 bits", 4, 12, {1, 0, 3, 0, 1, 0, 0xfe, 255, 255, 255, 31, 7}},
      {"parent", 4, 8, {1, 0, 3, 9, 1, 0, 0, 7}},
      {"name", 4, 8, {9, 0, 3, 0, 1, 0, 0, 7}},
      {"file", 4, 8, {1, 9, 3, 0, 1, 0, 0, 7}},
      {"more deopt values than bytes", 0, 2, {2, 5}},
      {"number of deopt values ends", 0, 2, {2, 0x80}},
      {"deopt value before spans", 0, 5, {6, 0, 7, 0, 0}},
      {"more spans than bytes", 0, 2, {4, 9}},
      {"kind", 0, 4, {2, 0, 7, 0}},
      {"type", 0, 4, {2, 0, CN_VALUE_TYPES << 3, 0}},
      {"type ends", 0, 3, {2, 0, 0}},
      {"class", 0, 7, {2, 0, 0, 8, 1, 1, 0}},
      {"no width", 0, 7, {2, 0, 0, 0, 0, 8, 0}},
      {"width of a value of unknown class", 0, 7, {2, 0, 0, 7, 8, 8, 0}},
      {"width", 0, 7, {2, 0, 2, 0, 129, 20, 7}},
      {"constant of 65 bits", 0, 7, {2, 0, 0, 0, 65, 16, 0}},
      {"undefined value in a place", 0, 4, {2, 0, 16 << 3 | 2, 7}},
      {"pointer of 32 bits", 0, 7, {2, 0, 0, 2, 32, 4, 0}},
      {"size ends", 0, 6, {2, 0, 0, 0, 8, 0x80}},
      {"size of 17 bits", 0, 9, {2, 0, 0, 0, 8, 0x80, 0x80, 4, 0}},
      {"constant ends", 0, 4, {2, 0, 1 << 3, 0x80}},
      {"large constant ends", 0, 8, {2, 0, 1 << 3 | 1, 0, 0, 0, 0, 0}},
      {"register", 0, 5, {2, 0, 1 << 3 | 2, 0x80, 2}},
      {"register ends", 0, 4, {2, 0, 1 << 3 | 2, 0x81}},
      {"offset of 33 bits", 0, 9, {2, 0, 1 << 3 | 3, 7, 0x80, 0x80, 0x80, 0x80, 16}},
      {"offset ends", 0, 5, {2, 0, 1 << 3 | 3, 7, 0x80}},
  };
  struct made_block b;
  struct cn_details d;

  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    set_area(&b, rows[i].record, rows[i].area, rows[i].count);
    assert_int_equal(read_block(&b), CN_FRAMEMAP_OK);
    int status = cn_details_find(&b.f, 5, &d);
    if (!status)
      status = read_values(&d);
    if (status != (rows[i].what ? CN_FRAMEMAP_BAD : CN_FRAMEMAP_NONE))
      fail_msg("status %d: %s", status, rows[i].what ? rows[i].what : "sound");
  }
}

static void wrong_blocks_are_refused(void **state)
{
  static const struct {
    size_t word;
    uint32_t value;
  } rows[] = {{0, 16},   {0, 50},           {0, 100},         {3, 0},         {3, 4},
              {4, 16},   {4, 52},           {7, 28},          {7, AREA + 20}, {7, 43},
              {8, 1000}, {8, 3u << 28 | 1}, {8, 3u << 30 | 1}};
  struct made_block b;

  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    set_area(&b, 4, (const unsigned char[]){1, 0, 3, 0, 1, 0, 0, 7}, 8);
    assert_int_equal(read_block(&b), CN_FRAMEMAP_OK);
    b.words[rows[i].word] = rows[i].value;
    if (read_block(&b) != CN_FRAMEMAP_BAD)
      fail_msg("accepted: word %zu is %u", rows[i].word, rows[i].value);
  }
  set_area(&b, 4, (const unsigned char[]){1, 0, 3, 0, 1, 0, 0, 7}, 8);
  b.bytes[b.words[0] - 1] = 'x'; /* a string that does not end */
  assert_int_equal(read_block(&b), CN_FRAMEMAP_BAD);
  set_area(&b, 4, (const unsigned char[]){1, 0, 3, 0, 1, 0, 0, 7}, 8);
  b.words[6] = 1;
  b.words[7] = DATA - 8; /* the size of the code as data */
  assert_int_equal(read_block(&b), CN_FRAMEMAP_BAD);
}

/* The data of the first of two functions end where the data of the second begin. */
static void wrong_ends_are_refused(void **state)
{
  static const uint32_t ends[] = {52, 2, 47, 57};

  (void)state;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const uint32_t words[16] = {64, 0, 0, 2, 56, 0, 20, 44, 20, 20, ends[i]};
    const unsigned char *cursor = (const unsigned char *)words;
    struct cn_details_function f = {0};
    assert_int_equal(cn_details_next_function(&cursor, cursor + sizeof words, &f), i ? CN_FRAMEMAP_BAD : 0);
  }
}

/* Offsets of 0, beyond the code, and of a safepoint after the last, whose byte would be one. */
static void wrong_offsets_are_refused(void **state)
{
  struct made_block b;
  struct cn_details d;
  uint32_t offset;

  (void)state;
  set_area(&b, 8, (const unsigned char[]){1, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 7}, 12);
  assert_int_equal(read_block(&b), CN_FRAMEMAP_OK);
  assert_int_equal(cn_details_read_return_offset(&b.f, 0, &offset), CN_FRAMEMAP_OK);
  assert_int_equal(cn_details_read_return_offset(&b.f, 1, &offset), CN_FRAMEMAP_BAD);
  b.bytes[DATA + 4] = 0;
  assert_int_equal(cn_details_read_return_offset(&b.f, 0, &offset), CN_FRAMEMAP_BAD);
  b.bytes[DATA + 4] = 21;
  assert_int_equal(cn_details_read_return_offset(&b.f, 0, &offset), CN_FRAMEMAP_BAD);
  assert_int_equal(cn_details_find(&b.f, 21, &d), CN_FRAMEMAP_BAD);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),
      cmocka_unit_test(usual_types_take_no_byte),
      cmocka_unit_test(chains_are_shared),
      cmocka_unit_test(spans_are_looked_up),
      cmocka_unit_test(broken_details_do_not_crash),
      cmocka_unit_test(wrong_numbers_are_refused),
      cmocka_unit_test(wrong_blocks_are_refused),
      cmocka_unit_test(wrong_ends_are_refused),
      cmocka_unit_test(wrong_offsets_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

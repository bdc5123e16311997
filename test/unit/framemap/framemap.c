/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the writer and the reader of frame maps with each port: random models (equal in each run), the limits of each
 * field, truncated bytes, flipped bits, and maps with one wrong number.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include "framemap/framemap_format.h"
#include "fuzz/exercise.h"
#include "unit/sample.h"

static uint64_t seed;
static const struct cn_frame_port *port = &cn_frame_port_x86_64;

/* Begin a test with a port, which is the test's initial state. */
static int choose_port(void **state)
{
  port = *state;
  return 0;
}

/* xorshift64 */
static uint32_t any(uint32_t below)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 11) % below;
}

static uint8_t any_base(const struct cn_safepoint *f)
{
  uint8_t reg;

  do
    reg = port->base[any(CN_PORT_BASE_COUNT)];
  while (!cn_framemap_is_frame_base(port, f, reg));
  return reg;
}

/* The places of a prologue's shape. */
static void fill_regular_places(struct cn_safepoint *s)
{
  struct cn_saved_places places;

  while (!port->fill_shape(any(CN_NO_SHAPE), &places))
    ;
  s->saved = places.saved;
  s->return_address_offset = places.return_address;
  memcpy(s->saved_offset, places.offset, sizeof places.offset);
}

/* Places with gaps of at most `gap` words. */
static void fill_other_places(struct cn_safepoint *s, uint32_t gap)
{
  int32_t next = -8 - port->pushed_bytes;

  s->saved = any(1u << port->saved_count);
  s->return_address_offset = -port->pushed_bytes;
  if (port->has_link_register) {
    s->return_address_offset = next;
    next -= 8 * (int32_t)(1 + any(gap));
  }
  for (unsigned i = 0; i < port->saved_count; i++) {
    unsigned reg = port->saved_count - 1 - i;
    if (!(s->saved >> reg & 1))
      continue;
    s->saved_offset[reg] = next;
    next -= 8 * (int32_t)(1 + any(gap));
  }
}

static void fill_frame(struct cn_safepoint *s)
{
  static const uint64_t ids[] = {CAIRN_ABI_STATEPOINT_ID_DEFAULT, CAIRN_ABI_STATEPOINT_ID_POLL,
                                 CAIRN_ABI_STATEPOINT_ID_ALLOC, 0, UINT64_MAX};

  s->cfa_offset = (int32_t)(8 * (any(2) ? 60 + any(20) : 600 + any(1 << 20)));
  if (any(2))
    fill_regular_places(s);
  else
    fill_other_places(s, s->cfa_offset > 8 * 600 ? 29 : 3);
  s->cfa_reg = any_base(s);
  if (!s->saved && !port->has_link_register && any(2))
    s->cfa_offset = 8;
  s->id = ids[any(5)];
}

/* Do `size` bytes there lie in the frame, clear of its saved registers? */
static bool fits(const struct cn_safepoint *f, unsigned reg, int64_t offset, int64_t size)
{
  int64_t from = offset - f->cfa_offset, to = from + size;

  if (cn_port_is_sp(port, reg) && offset < 0)
    return false;
  if (reg != f->cfa_reg)
    return true;
  if (to > -port->pushed_bytes || (from < f->return_address_offset + 8 && to > f->return_address_offset))
    return false;
  for (unsigned r = 0; r < port->saved_count; r++)
    if ((f->saved >> r & 1) && from < f->saved_offset[r] + 8 && to > f->saved_offset[r])
      return false;
  return true;
}

static struct cn_frame_place any_place(const struct cn_safepoint *f)
{
  static const uint32_t reach[] = {4, 40, 4000, 400000};
  struct cn_frame_place l;

  do {
    l = (struct cn_frame_place){.is_register = any(2) != 0};
    l.reg = l.is_register ? (uint8_t)any(port->last_general + 1u) : any_base(f);
    if (!l.is_register)
      l.offset = (int32_t)(8 * any(reach[any(4)]));
    if (!l.is_register && !cn_port_is_sp(port, l.reg) && any(2))
      l.offset = -l.offset - 8;
  } while (l.is_register ? cn_port_is_lost_over_every_call(port, l.reg) || l.reg == f->cfa_reg
                         : !fits(f, l.reg, l.offset, 8));
  return l;
}

static int by_place(const void *x, const void *y)
{
  const struct cn_root *a = x, *b = y;

  if (a->is_derived != b->is_derived)
    return (int)a->is_derived - (int)b->is_derived;
  return cn_frame_place_compare(a->derived, b->derived);
}

static bool is_listed(const struct cn_map_safepoint *s, struct cn_frame_place place)
{
  for (uint32_t i = 0; i < s->frame.roots; i++)
    if (cn_frame_place_compare(s->roots[i].derived, place) == 0)
      return true;
  return false;
}

/* Bases, then references derived from some of them, no place twice. */
static void fill_roots(struct cn_map_safepoint *s)
{
  uint32_t most = any(any(4) ? 5 : 40), bases = 0;

  s->roots = cn_alloc(most * sizeof *s->roots);
  for (uint32_t i = 0; i < most; i++) {
    struct cn_frame_place place = any_place(&s->frame);
    bool is_derived = bases && any(3) == 0;
    if (is_listed(s, place))
      continue;
    s->roots[s->frame.roots++] = (struct cn_root){place, place, false};
    struct cn_root *last = &s->roots[s->frame.roots - 1];
    last->is_derived = is_derived;
    bases += !is_derived;
    while (last->is_derived && cn_frame_place_compare(last->base, last->derived) == 0) {
      const struct cn_root *base = &s->roots[any(s->frame.roots - 1)];
      last->base = base->is_derived ? last->base : base->derived;
    }
  }
  qsort(s->roots, s->frame.roots, sizeof *s->roots, by_place);
}

static struct cn_described_area any_area(const struct cn_safepoint *f)
{
  struct cn_described_area a;

  do {
    a = (struct cn_described_area){.reg = any_base(f),
                                   .offset = (int32_t)any(1 << 20) - (1 << 19),
                                   .count = any(2) ? 1 : 1 + any(1 << any(18)),
                                   .stride = 8 + any(5000),
                                   .tag = any(4) ? 0 : CAIRN_ABI_ROOT_USER + any(1 << 20)};
    if (a.count == 1 && any(2))
      a.stride = any(8);
  } while (!fits(f, a.reg, a.offset, (int64_t)((a.count - 1) * a.stride + 8)) || (a.count - 1) * a.stride > INT32_MAX);
  if (a.tag)
    a.parameter = (uint64_t)any(UINT32_MAX) << any(33);
  return a;
}

/* None, barred, or with a pad before the return address. */
static struct cn_landing any_landing(uint32_t offset)
{
  struct cn_landing landing = {.barred = any(6) == 0};

  if (any(2) || landing.barred || offset < 2)
    return landing;
  landing.pad = 1 + any(offset - 1);
  landing.selector = any(2) ? any(3) : any(INT32_MAX);
  landing.popped = any(4) ? 0 : 8 * any(1 << 20);
  return landing;
}

static struct cn_map_safepoint any_safepoint(uint32_t offset)
{
  struct cn_map_safepoint s = {.return_offset = offset};

  fill_frame(&s.frame);
  s.frame.landing = any_landing(offset);
  fill_roots(&s);
  bool has_room = !cn_port_is_sp(port, s.frame.cfa_reg) || s.frame.cfa_offset >= 8 * 600;
  s.frame.areas = any(4) || !has_room ? 0 : any(6);
  s.areas = cn_alloc(s.frame.areas * sizeof *s.areas);
  for (uint32_t i = 0; i < s.frame.areas; i++)
    s.areas[i] = any_area(&s.frame);
  return s;
}

static struct cn_map_function any_function(void)
{
  struct cn_map_function f = {.port = port, .name = "f"};
  uint32_t step = any(2) ? 20 : any(2) ? 2000 : 100000, offset = 0;

  for (uint32_t i = any(30); i > 0; i--) {
    offset += 1 + any(step);
    cn_push(&f.safepoints, any_safepoint(offset));
  }
  f.code_size = offset + any(10);
  return f;
}

static void assert_same_place(struct cn_frame_place a, struct cn_frame_place b)
{
  assert_int_equal(a.is_register, b.is_register);
  assert_int_equal(a.reg, b.reg);
  assert_int_equal(a.offset, b.offset);
}

static void assert_same_safepoint(const struct cn_map_safepoint *want, struct cn_safepoint *got)
{
  struct cn_root root;
  struct cn_described_area area;

  assert_int_equal(got->cfa_reg, want->frame.cfa_reg);
  assert_int_equal(got->cfa_offset, want->frame.cfa_offset);
  assert_int_equal(got->saved, want->frame.saved);
  assert_int_equal(got->return_address_offset, want->frame.return_address_offset);
  assert_true(got->id == want->frame.id);
  for (unsigned r = 0; r < port->saved_count; r++)
    if (got->saved >> r & 1)
      assert_int_equal(got->saved_offset[r], want->frame.saved_offset[r]);
  assert_int_equal(got->landing.pad, want->frame.landing.pad);
  assert_int_equal(got->landing.selector, want->frame.landing.selector);
  assert_int_equal(got->landing.popped, want->frame.landing.popped);
  assert_int_equal(got->landing.barred, want->frame.landing.barred);
  assert_int_equal(got->roots, want->frame.roots);
  assert_int_equal(got->areas, want->frame.areas);
  for (uint32_t i = 0; i < want->frame.roots; i++) {
    assert_int_equal(cn_framemap_next_root(got, &root), 0);
    assert_int_equal(root.is_derived, want->roots[i].is_derived);
    assert_same_place(root.base, want->roots[i].base);
    assert_same_place(root.derived, want->roots[i].derived);
  }
  assert_int_equal(cn_framemap_next_root(got, &root), CN_FRAMEMAP_NONE);
  for (uint32_t i = 0; i < want->frame.areas; i++) {
    assert_int_equal(cn_framemap_next_area(got, &area), 0);
    assert_int_equal(area.reg, want->areas[i].reg);
    assert_int_equal(area.offset, want->areas[i].offset);
    assert_true(area.count == want->areas[i].count && area.stride == want->areas[i].stride);
    assert_int_equal(area.ref_offset, 0);
    assert_int_equal(area.tag, want->areas[i].tag);
    assert_true(area.parameter == want->areas[i].parameter);
  }
  assert_int_equal(cn_framemap_next_area(got, &area), CN_FRAMEMAP_NONE);
}

static void assert_same_function(const struct cn_map_function *want, const struct cn_framemap_function *got)
{
  assert_int_equal(got->safepoints, want->safepoints.count);
  assert_int_equal(got->code_size, want->code_size);
  for (uint32_t i = 0; i < got->safepoints; i++) {
    struct cn_safepoint s, areas_only;
    struct cn_described_area area;
    uint32_t offset;
    assert_int_equal(cn_framemap_read_return_offset(got, i, &offset), 0);
    assert_int_equal(offset, want->safepoints.at[i].return_offset);
    assert_int_equal(cn_framemap_read_safepoint(got, i, &s), 0);
    areas_only = s;
    assert_same_safepoint(&want->safepoints.at[i], &s);
    for (uint32_t a = 0; a < want->safepoints.at[i].frame.areas; a++)
      assert_int_equal(cn_framemap_next_area(&areas_only, &area), 0);
  }
}

/* Whatever is written is read back. Zero words in between, as linkers put them, are stepped over.
 */
static void round_trips(void **state)
{
  (void)state;
  seed = 88172645463325252;
  for (int round = 0; round < 400; round++) {
    struct cn_map_function functions[4];
    struct cn_bytes bytes = {0};
    uint32_t count = 1 + any(4);
    size_t fields[4];
    for (uint32_t i = 0; i < count; i++) {
      functions[i] = any_function();
      for (uint32_t zeros = 4 * any(3); zeros > 0; zeros--)
        cn_push(&bytes, 0);
      fields[i] = bytes.count + CN_FRAMEMAP_ENTRY_OFFSET;
      cn_framemap_append_function(&bytes, &functions[i]);
    }
    const unsigned char *cursor = bytes.at;
    struct cn_framemap_function f;
    for (uint32_t i = 0; i < count; i++) {
      assert_int_equal(cn_framemap_next_function(port, &cursor, bytes.at + bytes.count, &f), 0);
      assert_true(f.entry == (uintptr_t)(bytes.at + fields[i])); /* distance 0, as nothing was relocated */
      assert_same_function(&functions[i], &f);
      cn_map_function_free(&functions[i]);
    }
    assert_int_equal(cn_framemap_next_function(port, &cursor, bytes.at + bytes.count, &f), CN_FRAMEMAP_NONE);
    cn_free(&bytes);
  }
}

/* A distance in either direction leads to the entry. */
static void entry_is_relative(void **state)
{
  struct cn_map_function function = {.port = port, .name = "f", .code_size = 1};
  struct cn_bytes bytes = {0};
  struct cn_framemap_function f;

  (void)state;
  cn_framemap_append_function(&bytes, &function);
  for (int32_t distance = -1000; distance <= 1000; distance += 500) {
    const unsigned char *cursor = bytes.at;
    memcpy(bytes.at + CN_FRAMEMAP_ENTRY_OFFSET, &distance, 4);
    assert_int_equal(cn_framemap_next_function(port, &cursor, bytes.at + bytes.count, &f), 0);
    assert_true(f.entry == (uintptr_t)bytes.at + CN_FRAMEMAP_ENTRY_OFFSET + (uintptr_t)(intptr_t)distance);
  }
  cn_free(&bytes);
}

/* Equal safepoints cost their offsets only. */
static void descriptors_are_shared(void **state)
{
  struct cn_map_function function = {.port = port, .name = "f", .code_size = 250};
  struct cn_bytes one = {0}, many = {0};

  (void)state;
  seed = 3;
  struct cn_map_safepoint s = any_safepoint(1);
  cn_push(&function.safepoints, s);
  cn_framemap_append_function(&one, &function);
  for (uint32_t i = 2; i <= 100; i++) {
    s.return_offset = i;
    cn_push(&function.safepoints, s);
  }
  cn_framemap_append_function(&many, &function);
  assert_in_range(many.count, one.count + 99 * 2 - 4, one.count + 99 * 2 + 4);
  function.safepoints.count = 1;
  cn_map_function_free(&function);
  cn_free(&one);
  cn_free(&many);
}

static void broken_maps_do_not_crash(void **state)
{
  (void)state;
  seed = 42;
  for (int round = 0; round < 20; round++) {
    struct cn_map_function function = any_function();
    struct cn_bytes bytes = {0};
    cn_framemap_append_function(&bytes, &function);
    assert_int_equal(exercise_exactly(port == &cn_frame_port_x86_64 ? exercise_framemap : exercise_framemap_aarch64,
                                      bytes.at, bytes.count),
                     0);
    for (size_t size = 1; size < bytes.count; size++)
      assert_int_not_equal(
          exercise_exactly(port == &cn_frame_port_x86_64 ? exercise_framemap : exercise_framemap_aarch64, bytes.at,
                           size),
          0);
    for (size_t bit = 0; bit < 8 * bytes.count; bit += sample(5)) { /* each bit of a byte, in some bytes */
      bytes.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
      exercise_exactly(port == &cn_frame_port_x86_64 ? exercise_framemap : exercise_framemap_aarch64, bytes.at,
                       bytes.count);
      bytes.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    cn_map_function_free(&function);
    cn_free(&bytes);
  }
}

static void return_offsets_ascend(void **state)
{
  struct cn_map_safepoint one = {.return_offset = 5,
                                 .frame = {.cfa_reg = 7, .cfa_offset = 16, .return_address_offset = -8}};
  struct cn_map_function from = {.port = port, .name = "f", .code_size = 20};
  struct cn_framemap_function f;
  struct cn_bytes bytes = {0};
  uint32_t offset;

  (void)state;
  cn_push(&from.safepoints, one);
  one.return_offset = 9;
  cn_push(&from.safepoints, one);
  cn_framemap_append_function(&bytes, &from);
  const unsigned char *cursor = bytes.at;
  assert_int_equal(cn_framemap_next_function(port, &cursor, bytes.at + bytes.count, &f), 0);
  assert_int_equal(cn_framemap_read_return_offset(&f, 1, &offset), CN_FRAMEMAP_OK);
  assert_int_equal(offset, 9);
  for (unsigned char wrong = 0; wrong <= 5; wrong++) {
    bytes.at[CN_FRAMEMAP_HEADER_BYTES + 1] = wrong;
    assert_int_equal(cn_framemap_read_return_offset(&f, 1, &offset), CN_FRAMEMAP_BAD);
  }
  bytes.at[CN_FRAMEMAP_HEADER_BYTES + 1] = 21; /* beyond the code */
  assert_int_equal(cn_framemap_read_return_offset(&f, 1, &offset), CN_FRAMEMAP_BAD);
  cn_map_function_free(&from);
  cn_free(&bytes);
}

/* A function with one safepoint and 20 bytes of code; `rest` follows the header. */
struct made_map {
  _Alignas(8) unsigned char bytes[CN_FRAMEMAP_HEADER_BYTES + 32];
  struct cn_framemap_function f;
};

static int make_map(struct made_map *m, const unsigned char *rest, size_t count)
{
  const uint32_t length = CN_FRAMEMAP_HEADER_BYTES + (uint32_t)count, header[] = {length, 0, 20, 1};
  const unsigned char *cursor = m->bytes;

  *m = (struct made_map){.f = {0}};
  assert_in_range(length, sizeof header, sizeof m->bytes);
  memcpy(m->bytes, header, sizeof header);
  memcpy(m->bytes + sizeof header, rest, count);
  return cn_framemap_next_function(port, &cursor, m->bytes + length, &m->f);
}

struct row {
  const char *what;
  size_t count;
  unsigned char rest[20]; /* return offset, descriptor offset, descriptor */
};

/* A sound map reads as it is; each other row has one wrong number, or ends within one. */
static void wrong_numbers_are_refused(void **state)
{
  static const struct row rows[] = {
      {"CFA offset", 12, {5, 0, 0, 0x80, 0x80, 0x80, 0x80, 1}},
      {"CFA offset below 0", 16, {5, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}},
      {"base of the CFA", 8, {5, 0, 3, 2}},
      {"more roots than bytes", 8, {5, 0, 7 << 5, 100, 2}},
      {"landing pad outside the code", 8, {5, 0, 0, 2, 0x40, 100}},
      {"landing pad ends", 8, {5, 0, 0, 0x82, 0x80, 0, 0x40, 0x83}},
      {"selector", 12, {5, 0, 0, 2, 0x40, 3, 0x80, 0x80, 0x80, 0x80, 0x10}},
      {"popped bytes", 12, {5, 0, 0, 2, 0x40, 3, 1, 0x80, 0x80, 0x80, 0x80, 1}},
      {"register saved above the frame", 8, {5, 0, 0, 2, 1, 1}},
      {"register saved far away", 12, {5, 0, 0, 2, 1, 0x81, 0x80, 0x80, 0x80, 1}},
      {"register saved below 0", 16, {5, 0, 0, 2, 1, 0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 1}},
      {"place of a saved register ends", 8, {5, 0, 0, 0x82, 0x80, 0, 1, 0x82}},
      {"statepoint id ends", 8, {5, 0, 3 << 3, 2, 0, 1, 2, 3}},
      {"number of areas", 12, {5, 0, 4, 2, 0, 255, 255, 255, 255, 15}},
      {"number of areas ends", 8, {5, 0, 4, 0x82, 0x80, 0, 0, 0x81}},
      {"descriptor offset", 8, {5, 6, 0, 2}},
  };
  struct made_map m;
  struct cn_safepoint s;
  uint32_t offset;

  (void)state;
  assert_int_equal(make_map(&m, (const unsigned char[]){5, 0, 0, 2, 0, 0, 0, 0}, 8), CN_FRAMEMAP_OK);
  assert_int_equal(cn_framemap_read_return_offset(&m.f, 0, &offset), CN_FRAMEMAP_OK);
  assert_int_equal(cn_framemap_read_safepoint(&m.f, 0, &s), CN_FRAMEMAP_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(make_map(&m, rows[i].rest, rows[i].count), CN_FRAMEMAP_OK);
    if (cn_framemap_read_safepoint(&m.f, 0, &s) != CN_FRAMEMAP_BAD)
      fail_msg("accepted: %s", rows[i].what);
  }
  assert_int_equal(make_map(&m, (const unsigned char[]){0, 0, 0, 2, 0, 0, 0, 0}, 8), CN_FRAMEMAP_OK);
  assert_int_equal(cn_framemap_read_return_offset(&m.f, 0, &offset), CN_FRAMEMAP_BAD);
}

/* x29 alone has shape 0; 0x400 is the set of x29. */
static void wrong_aarch64_numbers_are_refused(void **state)
{
  static const struct row sound[] = {
      {"shape 0", 8, {5, 0, 0, 2, 0x80}},
      {"shape 10", 8, {5, 0, 0, 12, 0x8a}},
      {"a set of registers", 12, {5, 0, 0, 4, 0, 0x80, 8, 1, 2}},
      {"a vector register", 12, {5, 0, 0, 4, 0, 0x80, 16, 1, 2}},
      {"an empty set", 8, {5, 0, 0, 2, 0, 0, 1}},
  };
  static const struct row rows[] = {
      {"shape", 8, {5, 0, 0, 20, 0x8b}},
      {"the last shape", 8, {5, 0, 0, 20, 0xbf}},
      {"a set beside a set", 12, {5, 0, 0, 4, 1, 0x80, 8, 1, 2}},
      {"set of registers", 12, {5, 0, 0, 4, 0, 0x80, 0x80, 0x20, 1, 2}},
      {"set of registers ends", 8, {5, 0, 0, 0x82, 0x80, 0, 0, 0x80}},
      {"return address above the frame", 12, {5, 0, 0, 4, 0, 0x80, 8, 0, 2}},
      {"return address far away", 12, {5, 0, 0, 4, 0, 0, 0x81, 0x80, 0x80, 0x80, 1}},
      {"register saved above the frame", 12, {5, 0, 0, 4, 0, 0x80, 8, 1, 0}},
      {"vector register saved above the frame", 12, {5, 0, 0, 4, 0, 0x80, 16, 1, 0}},
  };
  struct made_map m;
  struct cn_safepoint s;

  (void)state;
  for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
    assert_int_equal(make_map(&m, sound[i].rest, sound[i].count), CN_FRAMEMAP_OK);
    if (cn_framemap_read_safepoint(&m.f, 0, &s) != CN_FRAMEMAP_OK)
      fail_msg("refused: %s", sound[i].what);
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(make_map(&m, rows[i].rest, rows[i].count), CN_FRAMEMAP_OK);
    if (cn_framemap_read_safepoint(&m.f, 0, &s) != CN_FRAMEMAP_BAD)
      fail_msg("accepted: %s", rows[i].what);
  }
}

/* A callee-saved register takes one byte, another register two. Shape 3 has the places of LLVM's prologue. */
static void aarch64_registers(void **state)
{
  static const unsigned char bytes[] = {5, 0, 3 << 5, 6, 0x83, 3 << 2 | 2, 13 << 2 | 2, 0x80 | (9 << 2 | 2),
                                        1, 0, 0,      0};
  static const uint8_t want[] = {19, 29, 9};
  struct made_map m;
  struct cn_safepoint s;
  struct cn_root root;

  (void)state;
  assert_int_equal(make_map(&m, bytes, sizeof bytes), CN_FRAMEMAP_OK);
  assert_int_equal(cn_framemap_read_safepoint(&m.f, 0, &s), CN_FRAMEMAP_OK);
  assert_int_equal(s.saved, 1 << 10 | 7);
  assert_true(s.saved_offset[0] == -8 && s.saved_offset[1] == -16 && s.saved_offset[2] == -32);
  assert_true(s.return_address_offset == -40 && s.saved_offset[10] == -48);
  for (size_t i = 0; i < sizeof want; i++) {
    assert_int_equal(cn_framemap_next_root(&s, &root), CN_FRAMEMAP_OK);
    assert_true(root.base.is_register);
    assert_int_equal(root.base.reg, want[i]);
  }
}

/* The bytes after the only safepoint's would be one, too. */
static void index_beyond_the_end(void **state)
{
  struct made_map m;
  struct cn_safepoint s;
  uint32_t offset;

  (void)state;
  assert_int_equal(make_map(&m, (const unsigned char[]){5, 6, 6, 0, 0, 0, 0, 0, 0, 2, 0, 0}, 12), CN_FRAMEMAP_OK);
  assert_int_equal(cn_framemap_read_safepoint(&m.f, 0, &s), CN_FRAMEMAP_OK);
  assert_int_equal(cn_framemap_read_return_offset(&m.f, 1, &offset), CN_FRAMEMAP_BAD);
  assert_int_equal(cn_framemap_read_safepoint(&m.f, 1, &s), CN_FRAMEMAP_BAD);
}

static void wrong_headers_are_refused(void **state)
{
  static const uint32_t headers[][5] = {{12, 0, 20, 0},        {18, 0, 20, 0},        {24, 0, 20, 0},
                                        {20, 0, 20, 3u << 28}, {20, 0, 20, 3u << 30}, {20, 0, 20, 3}};

  (void)state;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    const unsigned char *cursor = (const unsigned char *)headers[i];
    struct cn_framemap_function f;
    assert_int_equal(cn_framemap_next_function(port, &cursor, cursor + sizeof headers[i], &f), CN_FRAMEMAP_BAD);
  }
}

static void wrong_places_are_refused(void **state)
{
  static const struct row roots[] = {
      {"register", 8, {5, 0, 1 << 5, 2, 0, 0x82, 1}},
      {"bits between base and offset", 8, {5, 0, 1 << 5, 2, 0, 37 << 1}},
      {"far from SP", 12, {5, 0, 1 << 5, 2, 0, 0x80, 0x80, 0x80, 0x80, 4}},
      {"far from another base", 12, {5, 0, 1 << 5, 2, 0, 0xc2, 0x80, 0x80, 0x80, 0x80, 2}},
      {"derived register", 8, {5, 0, 1 << 5, 2, 0, 1, 0x41}},
  };
  static const struct row areas[] = {
      {"offset", 16, {5, 0, 4, 2, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x40, 1, 8}},
      {"offset below", 16, {5, 0, 4, 2, 0, 0, 0x84, 0x80, 0x80, 0x80, 0x40, 1, 8}},
      {"tag of Cairn", 16, {5, 0, 4, 2, 0, 0, 3, (CAIRN_ABI_ROOT_USER - 1) << 2, 0, 1, 8}},
      {"base after a tag", 16, {5, 0, 4, 2, 0, 0, 3, CAIRN_ABI_ROOT_USER << 2 | 3, 0, 1, 8}},
      {"tag", 16, {5, 0, 4, 2, 0, 0, 3, 0x8c, 0x80, 0x80, 0x80, 0x40, 0, 1, 8}},
  };
  struct made_map m;
  struct cn_safepoint s;
  struct cn_root root;
  struct cn_described_area area;

  (void)state;
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    assert_int_equal(make_map(&m, roots[i].rest, roots[i].count), CN_FRAMEMAP_OK);
    assert_int_equal(cn_framemap_read_safepoint(&m.f, 0, &s), CN_FRAMEMAP_OK);
    if (cn_framemap_next_root(&s, &root) != CN_FRAMEMAP_BAD)
      fail_msg("accepted: %s", roots[i].what);
  }
  for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
    assert_int_equal(make_map(&m, areas[i].rest, areas[i].count), CN_FRAMEMAP_OK);
    assert_int_equal(cn_framemap_read_safepoint(&m.f, 0, &s), CN_FRAMEMAP_OK);
    if (cn_framemap_next_area(&s, &area) != CN_FRAMEMAP_BAD)
      fail_msg("accepted: %s", areas[i].what);
  }
}

/* Equal but for the flag of barriers, or different in one fact. */
static void maps_are_compared(void **state)
{
  static const unsigned char sound[] = {5, 0, 0, 2, 0, 0, 0, 0};
  struct made_map one, other;

  (void)state;
  assert_int_equal(make_map(&one, sound, 8), CN_FRAMEMAP_OK);
  other = one;
  other.f.data = other.bytes;
  other.f.end = other.bytes + (one.f.end - one.f.data);
  assert_true(cn_framemap_is_same(&one.f, &other.f));
  other.bytes[CN_FRAMEMAP_COUNT_OFFSET + 3] ^= CN_FRAMEMAP_NO_BARRIERS_FLAG >> 24;
  assert_true(cn_framemap_is_same(&one.f, &other.f));
  other.bytes[CN_FRAMEMAP_COUNT_OFFSET] ^= 2;
  assert_false(cn_framemap_is_same(&one.f, &other.f));
  other.bytes[CN_FRAMEMAP_COUNT_OFFSET] ^= 2;
  other.bytes[CN_FRAMEMAP_HEADER_BYTES] ^= 1;
  assert_false(cn_framemap_is_same(&one.f, &other.f));
  other.bytes[CN_FRAMEMAP_HEADER_BYTES] ^= 1;
  other.f.code_size++;
  assert_false(cn_framemap_is_same(&one.f, &other.f));
  other.f.code_size--;
  other.f.end += 4;
  assert_false(cn_framemap_is_same(&one.f, &other.f));
}

int main(void)
{
  static const struct cn_frame_port *const ports[] = {&cn_frame_port_x86_64, &cn_frame_port_aarch64};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate_setup_teardown(round_trips, choose_port, NULL, (void *)ports[0]),
      cmocka_unit_test_prestate_setup_teardown(round_trips, choose_port, NULL, (void *)ports[1]),
      cmocka_unit_test_prestate_setup_teardown(descriptors_are_shared, choose_port, NULL, (void *)ports[1]),
      cmocka_unit_test_prestate_setup_teardown(broken_maps_do_not_crash, choose_port, NULL, (void *)ports[1]),
      cmocka_unit_test_prestate_setup_teardown(wrong_aarch64_numbers_are_refused, choose_port, NULL, (void *)ports[1]),
      cmocka_unit_test_prestate_setup_teardown(aarch64_registers, choose_port, NULL, (void *)ports[1]),
      cmocka_unit_test_prestate_setup_teardown(entry_is_relative, choose_port, NULL, (void *)ports[0]),
      cmocka_unit_test(return_offsets_ascend),
      cmocka_unit_test(descriptors_are_shared),
      cmocka_unit_test(broken_maps_do_not_crash),
      cmocka_unit_test(wrong_numbers_are_refused),
      cmocka_unit_test(index_beyond_the_end),
      cmocka_unit_test(wrong_headers_are_refused),
      cmocka_unit_test(wrong_places_are_refused),
      cmocka_unit_test(maps_are_compared),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

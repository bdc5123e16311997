/* SPDX-License-Identifier: Apache-2.0
 *
 * Points written and read back: made up at random (the same in every run), at the edges of each field, cut short and
 * with bits flipped; and the validator of points, with an error planted in each place that it looks at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "framemap/framemap_format.h"
#include "framemap/frames_x86_64.h"
#include "framemap/points_format.h"
#include "fuzz/exercise.h"
#include "fuzz/exercise_points.h"
#include "unit/plant.h"
#include "unit/sample.h"

static uint64_t seed;
static const struct cn_frame_port *const port = &cn_frame_port_x86_64;

/* xorshift64 */
static uint32_t any(uint32_t below)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 11) % below;
}

/* A frame of rbp: its caller's at CFA - 16, rbx at CFA - 24. */
static struct cn_safepoint frame_of_rbp(void)
{
  struct cn_safepoint frame = {.cfa_reg = CN_DWARF_RBP,
                               .cfa_offset = 16,
                               .saved = 1 << CN_RBP | 1 << CN_RBX,
                               .return_address_offset = CN_RETURN_ADDRESS_OFFSET};

  frame.saved_offset[CN_RBP] = CN_FIRST_PUSH_OFFSET;
  frame.saved_offset[CN_RBX] = CN_FIRST_PUSH_OFFSET - 8;
  return frame;
}

static uint8_t any_value_register(void)
{
  uint8_t reg;

  do
    reg = (uint8_t)any(CN_DWARF_XMM31 + 1);
  while (!cn_port_is_value_register(port, reg));
  return reg;
}

static struct cn_frame_place any_memory(void)
{
  static const int32_t offsets[] = {0, 1, -1, -40, 4000, INT32_MAX, INT32_MIN};

  return (struct cn_frame_place){.reg = port->base[any(CN_PORT_BASE_COUNT)], .offset = offsets[any(7)]};
}

static struct cn_point_value any_value(void)
{
  static const uint8_t floats[] = {16, 32, 64};
  struct cn_point_value v = {.value_class = any(CN_POINT_CLASSES), .kind = any(4), .bits = 64};

  if (v.value_class == CN_POINT_INTEGER || v.value_class == CN_POINT_UNDEFINED)
    v.bits = (uint8_t)(1 + any(64));
  if (v.value_class == CN_POINT_FLOAT)
    v.bits = floats[any(3)];
  if (v.value_class == CN_POINT_UNDEFINED)
    v.kind = CN_POINT_CONSTANT;
  if (v.kind == CN_POINT_ADDRESS)
    v = (struct cn_point_value){.value_class = any(2) ? CN_POINT_LOCAL : CN_POINT_POINTER, .kind = v.kind, .bits = 64};
  if (v.kind == CN_POINT_CONSTANT)
    v.constant = cn_point_mask_value((uint64_t)any(UINT32_MAX) << 32 | any(UINT32_MAX), v.bits);
  else if (v.kind == CN_POINT_REGISTER)
    v.loc = (struct cn_frame_place){.is_register = 1, .reg = any_value_register()};
  else
    v.loc = any_memory();
  return v;
}

static void fill_patchpoint(struct cn_map_point *m)
{
  m->point.has_target = any(2);
  m->point.has_result = any(2);
  if (m->point.has_result) {
    struct cn_point_value result = {.kind = CN_POINT_REGISTER, .bits = 64};
    result.loc = (struct cn_frame_place){.is_register = 1, .reg = any_value_register()};
    cn_push(&m->values, result);
  }
  m->point.arguments = any(14);
  for (uint32_t i = 0; i < m->point.arguments; i++)
    cn_push(&m->values, any_value());
  for (uint32_t i = any(2) ? any(40) : 0; i > 0; i--)
    cn_push(&m->live_outs, (struct cn_point_live_out){any_value_register(), (uint8_t)(8 << any(4))});
}

static struct cn_map_point any_point(uint32_t start)
{
  static const uint64_t ids[] = {0, 1, 127, 128, UINT64_MAX};
  struct cn_map_point m = {.point = {.start = start, .id = ids[any(5)], .kind = any(CN_POINT_KINDS)}};

  m.point.frame = frame_of_rbp();
  m.point.length = any(3) ? any(20) : any(CN_POINTS_MAX_REGION_BYTES + 1);
  m.point.convention = any(2) ? (uint16_t)any(1024) : 0;
  if (m.point.kind == CN_POINT_PATCHPOINT)
    fill_patchpoint(&m);
  for (uint32_t i = any(8); i > 0; i--)
    cn_push(&m.values, any_value());
  m.point.values = (uint32_t)m.values.count;
  m.point.live_outs = (uint32_t)m.live_outs.count;
  return m;
}

static struct cn_function_points any_function(void)
{
  static const uint32_t gaps[] = {1, 30, 70000};
  struct cn_function_points f = {.port = port};
  uint32_t at = any(gaps[any(3)]);

  for (uint32_t i = 1 + any(6); i > 0; i--) {
    cn_push(&f.points, any_point(at));
    at += f.points.at[f.points.count - 1].point.length + any(gaps[any(3)]);
  }
  f.code_size = at + 1;
  return f;
}

static void assert_same_value(const struct cn_point_value *want, const struct cn_point_value *got)
{
  assert_int_equal(got->value_class, want->value_class);
  assert_int_equal(got->bits, want->bits);
  assert_int_equal(got->kind, want->kind);
  assert_true(got->constant == want->constant);
  assert_int_equal(cn_frame_place_compare(got->loc, want->loc), 0);
}

static void assert_same_point(const struct cn_map_point *want, struct cn_point got)
{
  struct cn_point_value value;
  struct cn_point_live_out live_out;

  assert_int_equal(got.kind, want->point.kind);
  assert_true(got.id == want->point.id);
  assert_int_equal(got.convention, want->point.convention);
  assert_int_equal(got.has_target, want->point.has_target);
  assert_int_equal(got.has_result, want->point.has_result);
  assert_int_equal(got.arguments, want->point.arguments);
  assert_int_equal(got.frame.cfa_reg, want->point.frame.cfa_reg);
  assert_int_equal(got.frame.cfa_offset, want->point.frame.cfa_offset);
  assert_int_equal(got.frame.saved, want->point.frame.saved);
  assert_int_equal(got.frame.return_address_offset, want->point.frame.return_address_offset);
  for (unsigned r = 0; r < port->saved_count; r++)
    assert_int_equal(got.frame.saved_offset[r], want->point.frame.saved_offset[r]);
  for (size_t i = 0; i < want->values.count; i++) {
    assert_int_equal(cn_points_next_value(&got, &value), 0);
    assert_same_value(&want->values.at[i], &value);
  }
  assert_int_equal(cn_points_next_value(&got, &value), CN_FRAMEMAP_NONE);
  for (size_t i = 0; i < want->live_outs.count; i++) {
    assert_int_equal(cn_points_next_live_out(&got, &live_out), 0);
    assert_int_equal(live_out.reg, want->live_outs.at[i].reg);
    assert_int_equal(live_out.size, want->live_outs.at[i].size);
  }
  assert_int_equal(cn_points_next_live_out(&got, &live_out), CN_FRAMEMAP_NONE);
}

static void assert_same_function(const struct cn_function_points *want, const struct cn_points_function *got)
{
  assert_int_equal(got->points, want->points.count);
  assert_int_equal(got->code_size, want->code_size);
  for (uint32_t i = 0; i < got->points; i++) {
    struct cn_point point;
    uint32_t start, length;
    assert_int_equal(cn_points_read_region(got, i, &start, &length), 0);
    assert_int_equal(start, want->points.at[i].point.start);
    assert_int_equal(length, want->points.at[i].point.length);
    assert_int_equal(cn_points_read_point(got, i, &point), 0);
    assert_same_point(&want->points.at[i], point);
  }
}

/* All that is written is read back. The reader skips zero words in between, which linkers write. */
static void round_trips(void **state)
{
  (void)state;
  seed = 88172645463325252;
  for (int round = 0; round < 400; round++) {
    struct cn_function_points functions[4];
    struct cn_bytes bytes = {0};
    uint32_t count = 1 + any(4);
    size_t fields[4];
    for (uint32_t i = 0; i < count; i++) {
      functions[i] = any_function();
      assert_null(cn_function_points_wrong(&functions[i]));
      for (uint32_t zeros = 4 * any(3); zeros > 0; zeros--)
        cn_push(&bytes, 0);
      fields[i] = bytes.count + CN_POINTS_ENTRY_OFFSET;
      cn_points_append_function(&bytes, &functions[i]);
    }
    const unsigned char *cursor = bytes.at;
    struct cn_points_function f;
    for (uint32_t i = 0; i < count; i++) {
      assert_int_equal(cn_points_next_function(port, &cursor, bytes.at + bytes.count, &f), 0);
      assert_true(f.entry == (uintptr_t)(bytes.at + fields[i])); /* distance 0, as nothing was relocated */
      assert_same_function(&functions[i], &f);
      cn_function_points_free(&functions[i]);
    }
    assert_int_equal(cn_points_next_function(port, &cursor, bytes.at + bytes.count, &f), CN_FRAMEMAP_NONE);
    cn_free(&bytes);
  }
}

/* Equal points cost their region and an offset. */
static void records_are_shared(void **state)
{
  struct cn_function_points function = {.port = port, .code_size = 5000};
  struct cn_bytes one = {0}, many = {0};

  (void)state;
  seed = 3;
  cn_push(&function.points, any_point(0));
  struct cn_map_point m = function.points.at[0];
  function.points.at[0].point.length = m.point.length = 8;
  cn_points_append_function(&one, &function);
  for (uint32_t i = 1; i < 100; i++) {
    m.point.start = i * 8;
    cn_push(&function.points, m);
  }
  cn_points_append_function(&many, &function);
  assert_in_range(many.count, one.count + 99 * 5, one.count + 99 * 5 + 8); /* starts of two bytes */
  function.points.count = 1;
  cn_function_points_free(&function);
  cn_free(&one);
  cn_free(&many);
}

static void broken_points_do_not_crash(void **state)
{
  (void)state;
  seed = 42;
  for (int round = 0; round < 20; round++) {
    struct cn_function_points function = any_function();
    struct cn_bytes bytes = {0};
    cn_points_append_function(&bytes, &function);
    assert_int_equal(exercise_exactly(exercise_points, bytes.at, bytes.count), 0);
    for (size_t size = 1; size < bytes.count; size++)
      assert_int_not_equal(exercise_exactly(exercise_points, bytes.at, size), 0);
    for (size_t bit = 0; bit < 8 * bytes.count; bit += sample(5)) { /* each bit of a byte, in some bytes */
      bytes.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
      exercise_exactly(exercise_points, bytes.at, bytes.count);
      bytes.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    cn_function_points_free(&function);
    cn_free(&bytes);
  }
}

/* A reader refuses regions that share bytes, descend or leave the code. */
static void regions_ascend(void **state)
{
  struct cn_map_point one = {
      .point = {.start = 5,
                .length = 4,
                .frame = {.cfa_reg = CN_DWARF_SP, .cfa_offset = 8, .return_address_offset = CN_RETURN_ADDRESS_OFFSET}}};
  struct cn_function_points from = {.port = port, .code_size = 20};
  struct cn_points_function f;
  struct cn_bytes bytes = {0};
  uint32_t start, length;

  (void)state;
  cn_push(&from.points, one);
  one.point.start = 9;
  cn_push(&from.points, one);
  cn_points_append_function(&bytes, &from);
  const unsigned char *cursor = bytes.at;
  unsigned char *second = bytes.at + CN_FRAMEMAP_HEADER_BYTES + 1;
  assert_int_equal(cn_points_next_function(port, &cursor, bytes.at + bytes.count, &f), 0);
  for (unsigned char at = 0; at <= 25; at++) {
    *second = at;
    assert_int_equal(cn_points_read_region(&f, 1, &start, &length),
                     at >= 9 && at <= 16 ? CN_FRAMEMAP_OK : CN_FRAMEMAP_BAD);
  }
  assert_int_equal(cn_points_read_region(&f, 2, &start, &length), CN_FRAMEMAP_BAD);
  cn_function_points_free(&from);
  cn_free(&bytes);
}

/* ---- the validator ---- */

static struct cn_point_value values[] = {
    {.value_class = CN_POINT_INTEGER, .bits = 64, .kind = CN_POINT_REGISTER, .loc = {1, CN_DWARF_R12, 0}},
    {.value_class = CN_POINT_REFERENCE, .bits = 64, .kind = CN_POINT_MEMORY, .loc = {0, CN_DWARF_SP, 8}},
    {.value_class = CN_POINT_INTEGER, .bits = 8, .kind = CN_POINT_CONSTANT, .constant = 255},
    {.value_class = CN_POINT_LOCAL, .bits = 64, .kind = CN_POINT_ADDRESS, .loc = {0, CN_DWARF_RBP, -64}},
};
static struct cn_point_live_out live_outs[] = {{CN_DWARF_RBX, 8}, {CN_DWARF_XMM16, 64}};
static struct cn_map_point points[2];
static struct cn_function_points function;
static struct cn_map_point *const p = &points[1];

static int build_points(void **state)
{
  (void)state;
  points[0] = (struct cn_map_point){.point = {.start = 5, .length = 8, .frame = frame_of_rbp()}};
  points[1] = (struct cn_map_point){.point = {.start = 13,
                                              .length = 15,
                                              .id = 77,
                                              .kind = CN_POINT_PATCHPOINT,
                                              .has_target = true,
                                              .has_result = true,
                                              .arguments = 1,
                                              .frame = frame_of_rbp(),
                                              .values = 4,
                                              .live_outs = 2}};
  p->values.at = values;
  p->live_outs.at = live_outs;
  p->values.count = 4;
  p->live_outs.count = 2;
  function = (struct cn_function_points){.port = port, .code_size = 28};
  function.points.at = points;
  function.points.count = 2;
  return 0;
}

#define POINT(place, value, message) PLANT(place, value, cn_function_points_wrong(&function), "points: " message)

static void regions(void **state)
{
  (void)state;
  POINT(function.points.count, (size_t)CN_POINTS_MAX_POINTS + 1, "a function has too many points");
  POINT(function.code_size, 27, "a region lies outside the function");
  POINT(p->point.length, 16, "a region lies outside the function");
  POINT(p->point.start, 12, "the regions do not ascend, or share bytes");
  POINT(p->point.start, 28, "a region lies outside the function");
  PLANT(p->point.frame.cfa_offset, 20, cn_function_points_wrong(&function),
        "frame map: a frame address is not above its base");
}

static void parts(void **state)
{
  (void)state;
  POINT(p->point.values, 3, "a point has other counts than its values and live-outs");
  POINT(p->point.live_outs, 1, "a point has other counts than its values and live-outs");
  POINT(p->point.kind, CN_POINT_KINDS, "a point is of no kind, or has roots");
  POINT(p->point.frame.roots, 1, "a point is of no kind, or has roots");
  POINT(p->point.kind, CN_POINT_SHADOW, "a point has parts of a patchpoint");
  POINT(p->point.kind, CN_POINT_STATEPOINT, "a point has parts of a patchpoint");
  POINT(p->point.arguments, 4, "a point has more arguments than values");
  POINT(live_outs[0].reg, CN_DWARF_RETURN_ADDRESS, "a live-out is in a strange register");
  POINT(live_outs[1].size, 65, "a live-out is wider than registers are");
}

static void places(void **state)
{
  (void)state;
  POINT(values[0].kind, CN_POINT_MEMORY, "a result is not in a register");
  POINT(values[0].loc.reg, CN_DWARF_SP, "a value is in a strange register");
  POINT(values[0].loc.reg, CN_DWARF_RETURN_ADDRESS, "a value is in a strange register");
  POINT(values[0].bits, 65, "a value has a width of another class");
  POINT(values[1].bits, 32, "a value has a width of another class");
  POINT(values[1].constant, 1, "a place has a constant");
  POINT(values[1].loc.reg, CN_DWARF_R12, "a place is not based on a base of the frame");
  POINT(values[1].kind, CN_POINT_ADDRESS, "a value of another class is an address");
  POINT(values[2].constant, 256, "a constant is wider than its class, or has a place");
  POINT(values[2].loc.reg, 1, "a constant is wider than its class, or has a place");
  POINT(values[3].loc.reg, CN_DWARF_R12, "a place is not based on a base of the frame");
  POINT(values[3].value_class, CN_POINT_UNDEFINED, "an undefined value has a place");
}

/* The bytes of another model. */
static void encodings(void **state)
{
  struct cn_bytes b = {0};

  (void)state;
  cn_points_append_function(&b, &function);
#define BYTES(place, value, message) \
  PLANT(place, value, cn_points_encoding_wrong(b.at, b.count, &function), "points: " message)
  BYTES(b.count, b.count - 4, "the bytes are not one function's");
  BYTES(function.code_size, 29, "the bytes have another header");
  BYTES(function.points.count, 1, "the bytes have another header");
#define OTHER(place, value) BYTES(place, value, "the bytes say something else of a point")
  OTHER(p->point.start, 14);
  OTHER(p->point.length, 14);
  OTHER(p->point.id, 78);
  OTHER(p->point.kind, CN_POINT_SHADOW);
  OTHER(p->point.convention, 13);
  OTHER(p->point.has_target, false);
  OTHER(p->point.has_result, false);
  OTHER(p->point.arguments, 2);
  OTHER(p->point.frame.cfa_offset, 24);
  OTHER(p->point.frame.saved, 1 << CN_RBP);
  OTHER(p->point.frame.saved_offset[CN_RBX], -32);
  OTHER(values[0].loc.reg, CN_DWARF_R13);
  OTHER(values[1].value_class, CN_POINT_POINTER);
  OTHER(values[1].loc.offset, 16);
  OTHER(values[2].bits, 9);
  OTHER(values[2].constant, 254);
  OTHER(live_outs[0].size, 16);
  OTHER(live_outs[1].reg, CN_DWARF_XMM16 + 1);
  cn_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),
      cmocka_unit_test(regions_ascend),
      cmocka_unit_test(records_are_shared),
      cmocka_unit_test(broken_points_do_not_crash),
      cmocka_unit_test_setup(regions, build_points),
      cmocka_unit_test_setup(parts, build_points),
      cmocka_unit_test_setup(places, build_points),
      cmocka_unit_test_setup(encodings, build_points),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

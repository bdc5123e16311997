/* SPDX-License-Identifier: Apache-2.0
 *
 * cairn_stackmap_point(): the parts of the records of stackmap, patchpoint and statepoint with the operands that Cairn
 * appends (abi.def, "Points"); each malformed description is refused, and a record without one is no point.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/stackmap.h>

#define R CAIRN_STACKMAP_REGISTER
#define D CAIRN_STACKMAP_DIRECT
#define I CAIRN_STACKMAP_INDIRECT
enum { MOST = 32 };

/* A record under construction, the only one of its map. */
struct made {
  struct cairn_stackmap_location location[MOST];
  uint64_t constant[MOST];
  unsigned count, constants;
  unsigned char bytes[2048];
  struct cairn_stackmap map;
  struct cairn_stackmap_record record;
};

static void add_place(struct made *made, enum cairn_stackmap_kind kind, uint16_t reg, int32_t offset)
{
  made->location[made->count++] =
      (struct cairn_stackmap_location){.kind = kind, .size = 8, .reg = reg, .offset = offset};
}

static void add_constant(struct made *made, uint64_t value)
{
  struct cairn_stackmap_location l = {.kind = CAIRN_STACKMAP_CONSTANT, .size = 8, .value = value};

  l.pooled = (uint64_t)(int64_t)(int32_t)value != value;
  l.offset = l.pooled ? (int32_t)made->constants : (int32_t)value;
  if (l.pooled)
    made->constant[made->constants++] = value;
  made->location[made->count++] = l;
}

static uint64_t kind_word(uint64_t kind, uint64_t convention, uint64_t flags)
{
  return kind | convention << CAIRN_ABI_POINT_CONVENTION_SHIFT | flags << CAIRN_ABI_POINT_FLAGS_SHIFT;
}

static uint64_t class_word(uint64_t class, uint64_t bits)
{
  return class | bits << CAIRN_ABI_POINT_BITS_SHIFT;
}

static void add_tail(struct made *made, uint64_t kind, uint64_t bytes, uint64_t arguments, const uint64_t *classes,
                     unsigned count)
{
  add_constant(made, CAIRN_ABI_POINT_MARK);
  add_constant(made, kind);
  add_constant(made, bytes);
  add_constant(made, arguments);
  for (unsigned i = 0; i < count; i++)
    add_constant(made, classes[i]);
  add_constant(made, 4 + count);
}

static void write_map(struct made *made)
{
  const struct cairn_stackmap_function function = {.address = 16, .stack_size = 8, .records = 1};
  const struct cairn_stackmap_record_model record = {
      .record = {.id = 7, .instruction_offset = 4, .locations = (uint16_t)made->count}, .location = made->location};
  const struct cairn_stackmap_model model = {.version = 3,
                                             .functions = 1,
                                             .constants = made->constants,
                                             .records = 1,
                                             .function = &function,
                                             .constant = made->constant,
                                             .record = &record};
  struct cairn_stackmap_cursor cursor = {0};
  size_t length;

  assert_int_equal(cairn_stackmap_write(&model, made->bytes, sizeof made->bytes, &length, NULL), CAIRN_OK);
  assert_int_equal(cairn_stackmap_open(made->bytes, length, &made->map, NULL), CAIRN_OK);
  assert_true(cairn_stackmap_next(&made->map, &cursor, &made->record));
}

static enum cairn_status read_point(struct made *made, struct cairn_stackmap_point *point)
{
  struct cairn_stackmap_error error = {0, NULL};

  write_map(made);
  enum cairn_status status = cairn_stackmap_point(&made->map, &made->record, point, &error);
  if (status < 0) {
    assert_int_equal(error.offset, made->record.offset);
    assert_non_null(error.reason);
  }
  return status;
}

static void assert_value(const struct made *made, const struct cairn_stackmap_point *point, uint32_t index,
                         enum cairn_stackmap_value_class class, uint32_t bits, uint32_t reg)
{
  struct cairn_stackmap_point_value value = cairn_stackmap_point_value(&made->map, &made->record, point, index);

  assert_int_equal(value.value_class, class);
  assert_int_equal(value.bits, bits);
  assert_int_equal(value.place.reg, reg);
}

/* stackmaps-v2, "llvm.experimental.stackmap": an id, a shadow, live values. */
static void shadow_with_values(void **state)
{
  static const uint64_t classes[] = {CAIRN_ABI_POINT_INTEGER | 1 << 8, CAIRN_ABI_POINT_FLOAT | 32 << 8,
                                     CAIRN_ABI_POINT_REFERENCE | 64 << 8, CAIRN_ABI_POINT_LOCAL | 64 << 8,
                                     CAIRN_ABI_POINT_UNDEFINED | 64 << 8};
  struct made made = {0};
  struct cairn_stackmap_point point;

  (void)state;
  add_place(&made, R, 3, 0);
  add_place(&made, R, 17, 0);
  add_place(&made, I, 7, 16);
  add_place(&made, D, 6, -24);
  add_constant(&made, 0);
  add_tail(&made, kind_word(CAIRN_ABI_POINT_SHADOW, 0, 0), 8, 0, classes, 5);
  assert_int_equal(read_point(&made, &point), CAIRN_OK);
  assert_int_equal(point.kind, CAIRN_STACKMAP_SHADOW);
  assert_int_equal(point.bytes, 8);
  assert_int_equal(point.values, 5);
  assert_false(point.has_result || point.has_target || point.arguments);
  assert_value(&made, &point, 0, CAIRN_STACKMAP_INTEGER, 1, 3);
  assert_value(&made, &point, 1, CAIRN_STACKMAP_FLOAT, 32, 17);
  assert_value(&made, &point, 2, CAIRN_STACKMAP_REFERENCE, 64, 7);
  assert_value(&made, &point, 3, CAIRN_STACKMAP_LOCAL, 64, 6);
  assert_value(&made, &point, 4, CAIRN_STACKMAP_UNDEFINED, 64, 0);
}

/* stackmaps-v2, "llvm.experimental.patchpoint": anyregcc has the result and the argument in the record. */
static void patchpoint_of_any_register(void **state)
{
  static const uint64_t classes[] = {CAIRN_ABI_POINT_INTEGER | 64 << 8, CAIRN_ABI_POINT_POINTER | 64 << 8};
  struct made made = {0};
  struct cairn_stackmap_point point;

  (void)state;
  add_place(&made, R, 9, 0);
  add_place(&made, R, 8, 0);
  add_tail(&made, kind_word(CAIRN_ABI_POINT_PATCHPOINT, 13, CAIRN_ABI_POINT_HAS_RESULT | CAIRN_ABI_POINT_HAS_TARGET),
           15, 1, classes, 2);
  assert_int_equal(read_point(&made, &point), CAIRN_OK);
  assert_int_equal(point.kind, CAIRN_STACKMAP_PATCHPOINT);
  assert_int_equal(point.calling_convention, 13);
  assert_true(point.has_result && point.has_target);
  assert_int_equal(point.arguments, 1);
  assert_value(&made, &point, 0, CAIRN_STACKMAP_INTEGER, 64, 9);
  assert_value(&made, &point, 1, CAIRN_STACKMAP_POINTER, 64, 8);
}

/* A statepoint's head and `deopt` values, with a description before the lists of allocas and spans. */
static void add_statepoint(struct made *made, uint64_t kind, bool lists, bool pair)
{
  static const uint64_t classes[] = {CAIRN_ABI_POINT_INTEGER | 32 << 8};

  add_constant(made, 0);
  add_constant(made, 0);
  add_constant(made, 1 + 6 + (lists ? 3 + 5 : 0));
  add_place(made, I, 7, 8);
  add_tail(made, kind, 5, 0, classes, 1);
  if (lists) {
    add_constant(made, CAIRN_ABI_ALLOCA_MARK);
    add_constant(made, 0);
    add_constant(made, 2);
    add_constant(made, CAIRN_ABI_SPAN_MARK);
    add_constant(made, 1);
    add_constant(made, 1);
    add_constant(made, 0);
    add_constant(made, 4);
  }
  for (int i = 0; pair && i < 2; i++)
    add_place(made, I, 7, 16);
}

/* statepoints-later, "num patch bytes": the record of a statepoint, with lists after its description, and with and
 * without references. */
static void patchable_statepoints(void **state)
{
  (void)state;
  for (unsigned n = 0; n < 4; n++) {
    struct made made = {0};
    struct cairn_stackmap_point point;
    struct cairn_stackmap_statepoint statepoint;
    struct cairn_stackmap_described described;

    add_statepoint(&made, kind_word(CAIRN_ABI_POINT_STATEPOINT, 0, 0), n & 1, n & 2);
    assert_int_equal(read_point(&made, &point), CAIRN_OK);
    assert_int_equal(point.kind, CAIRN_STACKMAP_PATCHABLE_STATEPOINT);
    assert_int_equal(point.bytes, 5);
    assert_int_equal(point.values, 1);
    assert_int_equal(point.values_first, 3);
    assert_value(&made, &point, 0, CAIRN_STACKMAP_INTEGER, 32, 7);
    assert_int_equal(cairn_stackmap_statepoint(&made.map, &made.record, &statepoint, NULL), CAIRN_OK);
    assert_int_equal(cairn_stackmap_described(&made.map, &made.record, &statepoint, &described, NULL), CAIRN_OK);
    assert_int_equal(described.deopt_count, 1);
    assert_int_equal(described.spans, n & 1);
  }
}

static void fences(void **state)
{
  struct made made = {0};
  struct cairn_stackmap_point point;

  (void)state;
  add_tail(&made, kind_word(CAIRN_ABI_POINT_FENCE, 0, 0), 0, 0, NULL, 0);
  assert_int_equal(read_point(&made, &point), CAIRN_OK);
  assert_int_equal(point.kind, CAIRN_STACKMAP_FENCE);
  assert_int_equal(point.values, 0);
}

static void records_that_are_no_points(void **state)
{
  struct made none = {0}, plain = {0};
  struct cairn_stackmap_point point;

  (void)state;
  assert_int_equal(read_point(&none, &point), CAIRN_E_NOT_POINT);
  add_constant(&plain, 0);
  add_constant(&plain, 0);
  add_constant(&plain, 1);
  add_place(&plain, R, 3, 0);
  assert_int_equal(read_point(&plain, &point), CAIRN_E_NOT_POINT);
}

static enum cairn_status status_of_shadow(uint64_t kind, uint64_t bytes, uint64_t arguments, uint64_t class,
                                          unsigned values)
{
  struct made made = {0};
  struct cairn_stackmap_point point;

  for (unsigned i = 0; i < values; i++)
    add_place(&made, R, 3, 0);
  add_tail(&made, kind, bytes, arguments, &class, 1);
  return read_point(&made, &point);
}

static void malformed_descriptions(void **state)
{
  const uint64_t integer = class_word(CAIRN_ABI_POINT_INTEGER, 64);
  const uint64_t shadow = kind_word(CAIRN_ABI_POINT_SHADOW, 0, 0),
                 patchpoint = kind_word(CAIRN_ABI_POINT_PATCHPOINT, 0, 0);

  (void)state;
  assert_int_equal(status_of_shadow(shadow, 4096, 0, integer, 1), CAIRN_OK);
  assert_int_equal(status_of_shadow(patchpoint, 65535, 1, integer, 1), CAIRN_OK);
  assert_int_equal(status_of_shadow(shadow, 4097, 0, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(patchpoint, 65536, 0, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(kind_word(4, 0, 0), 8, 0, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(kind_word(CAIRN_ABI_POINT_STATEPOINT, 0, 0), 8, 0, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(kind_word(CAIRN_ABI_POINT_SHADOW, 1024, 0), 8, 0, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(kind_word(CAIRN_ABI_POINT_SHADOW, 0, 4), 8, 0, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(kind_word(CAIRN_ABI_POINT_SHADOW, 0, CAIRN_ABI_POINT_HAS_TARGET), 8, 0, integer, 1),
                   CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(shadow, 8, 1, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(kind_word(CAIRN_ABI_POINT_FENCE, 0, 0), 0, 0, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(patchpoint, 8, 2, integer, 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(shadow, 8, 0, integer, 0), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(shadow, 8, 0, integer, 2), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(shadow, 8, 0, class_word(6, 64), 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(shadow, 8, 0, class_word(CAIRN_ABI_POINT_INTEGER, 0), 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(shadow, 8, 0, class_word(CAIRN_ABI_POINT_INTEGER, 65), 1), CAIRN_E_POINT);
  assert_int_equal(status_of_shadow(shadow, 8, 0, class_word(CAIRN_ABI_POINT_FLOAT, 24), 1), CAIRN_E_POINT);
}

/* A mark without its length, and a second description, hide values. */
static void marks_in_strange_places(void **state)
{
  static const uint64_t classes[] = {CAIRN_ABI_POINT_INTEGER | 64 << 8};
  struct made lone = {0}, twice = {0}, deopt = {0};
  struct cairn_stackmap_point point;
  struct cairn_stackmap_statepoint statepoint;
  struct cairn_stackmap_described described;

  (void)state;
  add_constant(&lone, CAIRN_ABI_POINT_MARK);
  add_place(&lone, R, 3, 0);
  assert_int_equal(read_point(&lone, &point), CAIRN_E_POINT);
  add_constant(&twice, CAIRN_ABI_POINT_MARK);
  add_tail(&twice, kind_word(CAIRN_ABI_POINT_SHADOW, 0, 0), 8, 0, classes, 1);
  assert_int_equal(read_point(&twice, &point), CAIRN_E_POINT);
  add_constant(&deopt, 0);
  add_constant(&deopt, 0);
  add_constant(&deopt, 2);
  add_constant(&deopt, CAIRN_ABI_POINT_MARK);
  add_constant(&deopt, 5);
  assert_int_equal(read_point(&deopt, &point), CAIRN_E_POINT);
  assert_int_equal(cairn_stackmap_statepoint(&deopt.map, &deopt.record, &statepoint, NULL), CAIRN_OK);
  assert_int_equal(cairn_stackmap_described(&deopt.map, &deopt.record, &statepoint, &described, NULL), CAIRN_E_POINT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shadow_with_values),         cmocka_unit_test(patchpoint_of_any_register),
      cmocka_unit_test(patchable_statepoints),      cmocka_unit_test(fences),
      cmocka_unit_test(records_that_are_no_points), cmocka_unit_test(malformed_descriptions),
      cmocka_unit_test(marks_in_strange_places),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

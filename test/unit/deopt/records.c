/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame records: what is decoded of joined bundles, what is said of malformed ones, bundles cut short and changed at
 * random, and the validator with an error planted in each place that it looks at. Wrong: an object of another frame; a
 * read beyond the operands; a fault at another operand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "deopt/records.h"
#include "fuzz/exercise_records.h"
#include "unit/plant.h"

enum { MOST = 200 };

/* A bundle being made. */
struct bundle {
  struct cn_operand at[MOST];
  uint32_t count;
};

static void number(struct bundle *b, uint64_t value)
{
  assert_true(b->count < MOST);
  b->at[b->count++] = (struct cn_operand){.bits = 64, .constant = value};
}

static void value(struct bundle *b, enum cairn_deopt_class value_class)
{
  number(b, 0);
  b->at[b->count - 1] = (struct cn_operand){
      .value_class = value_class, .bits = 64, .kind = CN_OPERAND_PLACE, .loc = {.reg = 7, .offset = (int)b->count}};
}

static void object_number(struct bundle *b, uint32_t object)
{
  number(b, object);
  b->at[b->count - 1].bits = CAIRN_ABI_DEOPT_OBJECT_BITS;
}

static void shared_number(struct bundle *b, uint32_t object)
{
  object_number(b, CAIRN_ABI_DEOPT_OBJECT_SHARED + object);
}

static uint32_t begin(struct bundle *b, uint64_t magic)
{
  number(b, magic << CAIRN_ABI_DEOPT_MAGIC_SHIFT);
  return b->count - 1;
}

static void end(struct bundle *b, uint32_t start)
{
  b->at[start].constant |= b->count - start;
}

static uint32_t begin_frame(struct bundle *b, unsigned language, uint64_t function, uint32_t locals, uint32_t stack,
                            uint32_t objects)
{
  uint32_t start = begin(b, CAIRN_ABI_DEOPT_FRAME);

  number(b, language | CAIRN_ABI_DEOPT_RESULT_REFERENCE << CAIRN_ABI_DEOPT_FLAGS_SHIFT);
  number(b, function);
  number(b, function + 1000);
  number(b, locals | (uint64_t)stack << CAIRN_ABI_DEOPT_STACK_SHIFT);
  number(b, objects);
  return start;
}

static uint32_t begin_objects(struct bundle *b, unsigned language, uint32_t objects)
{
  uint32_t start = begin(b, CAIRN_ABI_DEOPT_OBJECTS);

  number(b, language);
  number(b, objects);
  return start;
}

static void begin_object(struct bundle *b, uint32_t layout, uint32_t fields, uint64_t elements)
{
  number(b, layout | (uint64_t)fields << CAIRN_ABI_DEOPT_FIELDS_SHIFT);
  number(b, elements);
}

/* A frame with two locals, one of them an own object with itself as field, and one value on the stack; then an OBJECTS
 * record with one object, which the frame's second local is. 18 operands. */
static void add_caller(struct bundle *b)
{
  uint32_t start = begin_frame(b, 3, 70, 2, 1, 1);

  object_number(b, 0);
  shared_number(b, 0);
  value(b, CAIRN_DEOPT_INTEGER);
  begin_object(b, 5, 1, 0);
  number(b, 8);
  object_number(b, 0);
  end(b, start);
  start = begin_objects(b, 3, 1);
  begin_object(b, 6, 0, 12);
  end(b, start);
}

/* A frame whose local is an object of the OBJECTS record after it, with the bundle's other objects in its field. */
static void add_callee(struct bundle *b)
{
  uint32_t start = begin_frame(b, 4, 80, 1, 0, 0);

  shared_number(b, 1);
  end(b, start);
  start = begin_objects(b, 4, 2);
  begin_object(b, 7, 0, 0);
  begin_object(b, 8, 2, 0);
  number(b, 0);
  shared_number(b, 0);
  number(b, 8);
  shared_number(b, 2);
  end(b, start);
  start = begin_objects(b, 4, 1);
  begin_object(b, 9, 0, 0);
  end(b, start);
}

static uint32_t object_of(const struct bundle *b, uint32_t operand, const struct cn_object_scope *scope)
{
  uint32_t object = UINT32_MAX;

  assert_true(cn_records_find_object(&b->at[operand], scope, &object));
  return object;
}

struct decoded {
  struct cn_records_size size;
  struct cn_frame_record frames[10];
  struct cn_object_record objects[10];
};

static struct decoded decode(const struct bundle *b)
{
  struct decoded decoded;
  struct cn_records_fault fault;

  if (cn_records_check(b->at, b->count, &decoded.size, &fault) != CAIRN_OK)
    fail_msg("operand %u: %s", fault.operand, fault.text != NULL ? fault.text : "plain");
  assert_true(decoded.size.frames <= 10 && decoded.size.objects <= 10);
  cn_records_decode(b->at, b->count, &decoded.size, decoded.frames, decoded.objects);
  return decoded;
}

static void one_frame(void **state)
{
  struct bundle b = {0};

  (void)state;
  add_caller(&b);
  struct decoded d = decode(&b);
  assert_int_equal(d.size.frames, 1);
  assert_int_equal(d.size.values, 3);
  assert_int_equal(d.size.objects, 2);
  assert_int_equal(d.size.own_objects, 1);
  const struct cairn_deopt_frame *frame = &d.frames[0].frame;
  assert_int_equal(frame->language, 3);
  assert_int_equal(frame->result, CAIRN_ABI_DEOPT_RESULT_REFERENCE);
  assert_int_equal(frame->function, 70);
  assert_int_equal(frame->index, 1070);
  assert_int_equal(frame->locals, 2);
  assert_int_equal(frame->stack, 1);
  assert_int_equal(frame->first, 6);
  assert_int_equal(object_of(&b, 6, &d.frames[0].scope), 0);
  assert_int_equal(object_of(&b, 7, &d.frames[0].scope), 1);
  assert_int_equal(d.objects[0].object.layout, 5);
  assert_int_equal(object_of(&b, d.objects[0].object.first + 1, &d.objects[0].scope), 0);
  assert_int_equal(d.objects[1].object.layout, 6);
  assert_int_equal(d.objects[1].object.elements, 12);
  assert_int_equal(d.objects[1].object.fields, 0);
}

/* The inliner puts the caller's operands first: the numbers of both stay right. */
static void joined_bundles(void **state)
{
  struct bundle b = {0};

  (void)state;
  add_caller(&b);
  add_caller(&b);
  add_callee(&b);
  struct decoded d = decode(&b);
  assert_int_equal(d.size.frames, 3);
  assert_int_equal(d.size.values, 7);
  assert_int_equal(d.size.objects, 7);
  assert_int_equal(d.size.own_objects, 2);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(object_of(&b, d.frames[i].frame.first, &d.frames[i].scope), i);
    assert_int_equal(object_of(&b, d.frames[i].frame.first + 1, &d.frames[i].scope), 2 + i);
    assert_int_equal(object_of(&b, d.objects[i].object.first + 1, &d.objects[i].scope), i);
  }
  uint32_t found = object_of(&b, d.frames[2].frame.first, &d.frames[2].scope);
  assert_int_equal(d.objects[found].object.layout, 8);
  assert_int_equal(d.objects[found].object.language, 4);
  uint32_t first = d.objects[found].object.first;
  assert_int_equal(d.objects[object_of(&b, first + 1, &d.objects[found].scope)].object.layout, 7);
  assert_int_equal(d.objects[object_of(&b, first + 3, &d.objects[found].scope)].object.layout, 9);
}

static void plain_operands(void **state)
{
  struct bundle b = {0};

  (void)state;
  assert_int_equal(exercise_records(b.at, 0), CAIRN_E_PLAIN);
  number(&b, 7);
  assert_int_equal(exercise_records(b.at, 1), CAIRN_E_PLAIN);
  add_caller(&b);
  assert_int_equal(exercise_records(b.at, b.count), CAIRN_E_PLAIN);
}

/* ---- faults ---- */

static void expect_fault(const struct bundle *b, uint32_t operand, const char *text)
{
  struct cn_records_size size;
  struct cn_records_fault fault;

  assert_int_equal(cn_records_check(b->at, b->count, &size, &fault), CAIRN_E_RECORD);
  assert_string_equal(fault.text, text);
  assert_int_equal(fault.operand, operand);
  exercise_records(b->at, b->count);
}

/* The caller with one operand changed. */
#define CHANGED(operand, member, changed, at_operand, text) \
  do { \
    struct bundle changed_bundle = {0}; \
    add_caller(&changed_bundle); \
    changed_bundle.at[operand].member = (changed); \
    expect_fault(&changed_bundle, at_operand, text); \
  } while (0)

static void faults_of_heads(void **state)
{
  const uint64_t frame = (uint64_t)CAIRN_ABI_DEOPT_FRAME << CAIRN_ABI_DEOPT_MAGIC_SHIFT;

  (void)state;
  CHANGED(0, constant, frame | 2, 0, "the length of the record is not within the operands");
  CHANGED(0, constant, frame | 19, 0, "the length of the record is not within the operands");
  CHANGED(0, constant, frame | UINT32_MAX, 0, "the length of the record is not within the operands");
  CHANGED(0, constant, frame, 0, "the length of the record is not within the operands");
  CHANGED(0, constant, frame | 4, 4, "the record is cut short");
  CHANGED(0, constant, frame | 12, 9, "the record has too few operands for the object's fields");
  CHANGED(0, constant, frame | 14, 13, "the record is longer than its parts");
  CHANGED(1, constant, 256, 1, "the language's number is too large");
  CHANGED(1, constant, 3 | 4 << 16, 1, "unknown flags");
  CHANGED(1, constant, 3 | (uint64_t)1 << 63, 1, "unknown flags");
  CHANGED(2, kind, CN_OPERAND_PLACE, 2, "a constant 64-bit integer is expected");
  CHANGED(3, bits, 32, 3, "a constant 64-bit integer is expected");
  CHANGED(3, value_class, CAIRN_DEOPT_POINTER, 3, "a constant 64-bit integer is expected");
  CHANGED(4, constant, UINT32_MAX, 4, "the record has too few operands for its values");
  CHANGED(4, constant, UINT64_MAX, 4, "the record has too few operands for its values");
  CHANGED(4, constant, 7 | (uint64_t)1 << 32, 4, "the record has too few operands for its values");
  CHANGED(5, constant, 3, 5, "the record has too few operands for its objects");
  CHANGED(5, constant, UINT64_MAX, 5, "the record has too few operands for its objects");
  CHANGED(5, constant, 0, 9, "the record is longer than its parts");
  CHANGED(9, constant, (uint64_t)UINT32_MAX << 32, 9, "the record has too few operands for the object's fields");
  CHANGED(10, constant, (uint64_t)1 << 31, 10, "too many elements");
  CHANGED(13, constant, 13, 13, "a record is expected");
  CHANGED(14, constant, 3 | 1 << 16, 14, "unknown flags");
}

static void faults_of_values(void **state)
{
  (void)state;
  CHANGED(6, constant, 1, 6, "there is no object of this number");
  CHANGED(7, constant, CAIRN_ABI_DEOPT_OBJECT_SHARED + 1, 7, "there is no object of this number");
  CHANGED(7, kind, CN_OPERAND_PLACE, 7, "a 24-bit integer stands for an object, and must be a constant");
  CHANGED(8, value_class, CAIRN_DEOPT_LOCAL, 8, "the address of a local variable, which goes with the activation");
  CHANGED(11, constant, UINT64_MAX, 11, "the offset of the field is too large");
  CHANGED(11, bits, 63, 11, "a constant 64-bit integer is expected");
  CHANGED(12, constant, 7, 12, "there is no object of this number");
  CHANGED(12, is_derived, true, 12, "a field must refer to the start of an object");
}

/* Fields that come twice or overlap. */
static void faults_of_fields(void **state)
{
  static const struct {
    uint64_t one, other;
    uint8_t bits;
    bool good;
  } fields[] = {{0, 8, 64, true}, {8, 0, 64, false}, {0, 0, 64, false}, {0, 7, 64, false}, {0, 4, 32, true},
                {0, 1, 1, true},  {0, 1, 9, false},  {0, 2, 9, true},   {0, 8, 65, false}, {8, 24, 128, true}};

  (void)state;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    struct bundle b = {0};
    uint32_t start = begin_frame(&b, 1, 2, 0, 0, 1);
    begin_object(&b, 5, 2, 0);
    number(&b, fields[i].one);
    value(&b, CAIRN_DEOPT_INTEGER);
    b.at[b.count - 1].bits = fields[i].bits;
    number(&b, fields[i].other);
    value(&b, CAIRN_DEOPT_INTEGER);
    end(&b, start);
    if (fields[i].good)
      assert_int_equal(exercise_records(b.at, b.count), CAIRN_OK);
    else
      expect_fault(&b, 10, "the fields of an object do not ascend, or overlap");
  }
}

static void no_frame(void **state)
{
  struct bundle b = {0};
  uint32_t start = begin_objects(&b, 1, 0);

  (void)state;
  end(&b, start);
  expect_fault(&b, 0, "there is no frame");
}

/* A whole record more or less is a bundle, too; all other lengths are refused. */
static void cut_short(void **state)
{
  struct bundle b = {0};
  uint32_t good = 0;

  (void)state;
  add_caller(&b);
  add_callee(&b);
  for (uint32_t length = 0; length <= b.count; length++) {
    struct cn_operand *copy = malloc((length + 1) * sizeof *copy);
    memcpy(copy, b.at, length * sizeof *copy);
    good += exercise_records(copy, length) == CAIRN_OK;
    free(copy);
  }
  assert_int_equal(good, 2); /* the caller's records; all records */
}

/* Bundles as the fuzz target makes them. */
static void random_bundles(void **state)
{
  static struct exercise_bundle bundle;
  uint64_t seed = 20262;
  unsigned good = 0, bad = 0;

  (void)state;
  for (unsigned i = 0; i < 50000; i++) {
    unsigned char random[100];
    struct exercise_bytes bytes = {random, random + sizeof random};
    for (unsigned k = 0; k < sizeof random; k++) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      random[k] = (unsigned char)(seed >> 56);
    }
    exercise_make_bundle(&bundle, &bytes);
    *(exercise_records(bundle.at, bundle.count) == CAIRN_OK ? &good : &bad) += 1;
  }
  assert_true(good > 500 && bad > 10000);
}

/* ---- the validator ---- */

static const char *wrong(const struct bundle *b, const struct decoded *d)
{
  return cn_records_wrong(b->count, &d->size, d->frames, d->objects);
}

static void planted_errors(void **state)
{
  struct bundle b = {0};

  (void)state;
  add_caller(&b);
  add_callee(&b);
  struct decoded d = decode(&b);
  PLANT(d.size.own_objects, 9, wrong(&b, &d), "records: more objects in frames than objects");
  PLANT(d.frames[0].frame.first, b.count + 1, wrong(&b, &d),
        "records: the values of a frame are not operands, or not in order");
  PLANT(d.frames[1].frame.first, 6, wrong(&b, &d), "records: the values of a frame are not operands, or not in order");
  PLANT(d.frames[1].frame.stack, b.count, wrong(&b, &d),
        "records: the values of a frame are not operands, or not in order");
  PLANT(d.frames[1].frame.stack, 1, wrong(&b, &d), "records: the number of values is not that of the frames");
  PLANT(d.frames[0].scope.own_count, 9, wrong(&b, &d), "records: a frame refers to objects that are not there");
  PLANT(d.frames[0].scope.shared, 0, wrong(&b, &d), "records: a frame refers to objects that are not there");
  PLANT(d.frames[0].scope.shared_count, 9, wrong(&b, &d), "records: a frame refers to objects that are not there");
  PLANT(d.objects[3].object.fields, b.count, wrong(&b, &d), "records: the fields of an object are not operands");
  PLANT(d.objects[3].scope.own, 4, wrong(&b, &d), "records: an object is not in its scope");
  PLANT(d.objects[0].scope.own_count, 0, wrong(&b, &d), "records: an object is not in its scope");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_frame),       cmocka_unit_test(joined_bundles),   cmocka_unit_test(plain_operands),
      cmocka_unit_test(faults_of_heads), cmocka_unit_test(faults_of_values), cmocka_unit_test(faults_of_fields),
      cmocka_unit_test(no_frame),        cmocka_unit_test(cut_short),        cmocka_unit_test(random_bundles),
      cmocka_unit_test(planted_errors),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

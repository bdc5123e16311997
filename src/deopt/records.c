/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes and checks frame records: the encoding of frames and removed objects in the operands of a bundle "deopt". Any
 * thread, any phase. Stateless. Operands are untrusted input, since a front end writes them and an inliner joins them:
 * each number is compared with the operands that are left.
 */
#include "deopt/records.h"

#include <stddef.h>
#include "base/check.h"

_Static_assert((uint32_t)CAIRN_ABI_DEOPT_OBJECT_SHARED == UINT32_C(1) << (CAIRN_ABI_DEOPT_OBJECT_BITS - 1), "abi.def");

enum { OBJECT_HEAD = 2, FIELD_OPERANDS = 2, OFFSET_LIMIT = 1 << 30 };

/* The head of a record. */
struct record {
  uint32_t start, end; /* operands [start, end) */
  bool is_frame;
  struct cairn_deopt_frame frame;
  uint32_t objects;    /* number of objects */
  uint32_t objects_at; /* operand of the first object's head */
};

/* A reading of operands. */
struct reader {
  const struct cn_operand *operands;
  uint32_t count;
  struct cn_records_fault *fault;
};

static bool fails(const struct reader *reader, uint32_t operand, const char *text)
{
  if (reader->fault->text == NULL)
    *reader->fault = (struct cn_records_fault){operand, text};
  return false;
}

static bool read_number(const struct reader *reader, uint32_t at, uint32_t end, uint64_t *number)
{
  if (at >= end)
    return fails(reader, at, "the record is cut short");
  const struct cn_operand *operand = &reader->operands[at];
  if (operand->kind != CN_OPERAND_CONSTANT || operand->value_class != CAIRN_DEOPT_INTEGER || operand->bits != 64)
    return fails(reader, at, "a constant 64-bit integer is expected");
  *number = operand->constant;
  return true;
}

static bool is_record_start(const struct cn_operand *operand)
{
  uint64_t magic = operand->constant >> CAIRN_ABI_DEOPT_MAGIC_SHIFT;

  return operand->kind == CN_OPERAND_CONSTANT && operand->value_class == CAIRN_DEOPT_INTEGER && operand->bits == 64 &&
         (magic == CAIRN_ABI_DEOPT_FRAME || magic == CAIRN_ABI_DEOPT_OBJECTS);
}

/* ---- heads ---- */

static bool read_language(const struct reader *reader, const struct record *record, uint16_t *language, uint8_t *result)
{
  uint64_t number;

  if (!read_number(reader, record->start + 1, record->end, &number))
    return false;
  uint64_t flags = number >> CAIRN_ABI_DEOPT_FLAGS_SHIFT;
  if ((number & UINT16_MAX) >= CAIRN_DEOPT_LANGUAGES)
    return fails(reader, record->start + 1, "the language's number is too large");
  if (flags > (record->is_frame ? CAIRN_ABI_DEOPT_RESULT_REFERENCE : 0))
    return fails(reader, record->start + 1, "unknown flags");
  *language = (uint16_t)number;
  *result = (uint8_t)flags;
  return true;
}

static bool read_object_count(const struct reader *reader, struct record *record, uint32_t at, uint32_t next)
{
  uint64_t objects;

  if (!read_number(reader, at, record->end, &objects))
    return false;
  if (objects > (record->end - next) / OBJECT_HEAD)
    return fails(reader, at, "the record has too few operands for its objects");
  record->objects = (uint32_t)objects;
  record->objects_at = next;
  return true;
}

static bool read_frame_head(const struct reader *reader, struct record *record)
{
  uint32_t at = record->start + 2, end = record->end;
  struct cairn_deopt_frame *frame = &record->frame;
  uint64_t values;

  if (!read_number(reader, at, end, &frame->function) || !read_number(reader, at + 1, end, &frame->index) ||
      !read_number(reader, at + 2, end, &values))
    return false;
  frame->locals = (uint32_t)values;
  frame->stack = (uint32_t)(values >> CAIRN_ABI_DEOPT_STACK_SHIFT);
  frame->first = record->start + CAIRN_ABI_DEOPT_FRAME_HEAD;
  if (frame->first > end)
    return fails(reader, end, "the record is cut short");
  if ((uint64_t)frame->locals + frame->stack > end - frame->first)
    return fails(reader, at + 2, "the record has too few operands for its values");
  return read_object_count(reader, record, at + 3, frame->first + frame->locals + frame->stack);
}

/* Read the head of the record that begins at operand `start`. */
static bool read_head(const struct reader *reader, uint32_t start, struct record *record)
{
  uint64_t head;

  *record = (struct record){.start = start};
  if (!read_number(reader, start, reader->count, &head))
    return false;
  if (!is_record_start(&reader->operands[start]))
    return fails(reader, start, "a record is expected");
  if ((uint32_t)head < CAIRN_ABI_DEOPT_OBJECTS_HEAD || (uint32_t)head > reader->count - start)
    return fails(reader, start, "the length of the record is not within the operands");
  record->end = start + (uint32_t)head;
  record->is_frame = head >> CAIRN_ABI_DEOPT_MAGIC_SHIFT == CAIRN_ABI_DEOPT_FRAME;
  if (!read_language(reader, record, &record->frame.language, &record->frame.result))
    return false;
  return record->is_frame ? read_frame_head(reader, record)
                          : read_object_count(reader, record, start + 2, start + CAIRN_ABI_DEOPT_OBJECTS_HEAD);
}

static bool read_object_head(const struct reader *reader, const struct record *record, uint32_t at,
                             struct cairn_deopt_object *object)
{
  uint64_t layout;

  *object = (struct cairn_deopt_object){.language = record->frame.language, .first = at + OBJECT_HEAD};
  if (!read_number(reader, at, record->end, &layout) || !read_number(reader, at + 1, record->end, &object->elements))
    return false;
  object->layout = (uint32_t)layout;
  object->fields = (uint32_t)(layout >> CAIRN_ABI_DEOPT_FIELDS_SHIFT);
  if (object->fields > (record->end - object->first) / FIELD_OPERANDS)
    return fails(reader, at, "the record has too few operands for the object's fields");
  if (object->elements > OFFSET_LIMIT)
    return fails(reader, at + 1, "too many elements");
  return true;
}

static uint32_t end_of_object(const struct cairn_deopt_object *object)
{
  return object->first + object->fields * FIELD_OPERANDS;
}

/* True if the record ends after its last object. */
static bool has_all_objects(const struct reader *reader, const struct record *record)
{
  struct cairn_deopt_object object;
  uint32_t at = record->objects_at;

  for (uint32_t i = 0; i < record->objects; i++, at = end_of_object(&object))
    if (!read_object_head(reader, record, at, &object))
      return false;
  return at == record->end || fails(reader, at, "the record is longer than its parts");
}

/* ---- values ---- */

static bool is_object_number(const struct cn_operand *operand)
{
  return operand->value_class == CAIRN_DEOPT_INTEGER && operand->bits == CAIRN_ABI_DEOPT_OBJECT_BITS;
}

bool cn_records_find_object(const struct cn_operand *operand, const struct cn_object_scope *scope, uint32_t *object)
{
  if (!is_object_number(operand))
    return false;
  uint32_t number = (uint32_t)operand->constant & (CAIRN_ABI_DEOPT_OBJECT_SHARED - 1);
  bool shared = (operand->constant & CAIRN_ABI_DEOPT_OBJECT_SHARED) != 0;
  CN_ASSERT(number < (shared ? scope->shared_count : scope->own_count));
  *object = (shared ? scope->shared : scope->own) + number;
  return true;
}

static bool check_object_number(const struct reader *reader, uint32_t at, const struct cn_object_scope *scope)
{
  const struct cn_operand *operand = &reader->operands[at];
  uint64_t number = operand->constant & (CAIRN_ABI_DEOPT_OBJECT_SHARED - 1);

  if (operand->kind != CN_OPERAND_CONSTANT)
    return fails(reader, at, "a 24-bit integer stands for an object, and must be a constant");
  if (number >= ((operand->constant & CAIRN_ABI_DEOPT_OBJECT_SHARED) != 0 ? scope->shared_count : scope->own_count))
    return fails(reader, at, "there is no object of this number");
  return true;
}

static bool check_value(const struct reader *reader, uint32_t at, const struct cn_object_scope *scope)
{
  const struct cn_operand *operand = &reader->operands[at];

  if (operand->value_class == CAIRN_DEOPT_LOCAL)
    return fails(reader, at, "the address of a local variable, which goes with the activation");
  return !is_object_number(operand) || check_object_number(reader, at, scope);
}

/* Fields ascend, and overlaps are faults. */
static bool check_fields(const struct reader *reader, const struct cairn_deopt_object *object,
                         const struct cn_object_scope *scope)
{
  uint64_t next = 0, offset;

  for (uint32_t i = 0, at = object->first; i < object->fields; i++, at += FIELD_OPERANDS) {
    const struct cn_operand *value = &reader->operands[at + 1];
    if (!read_number(reader, at, reader->count, &offset) || !check_value(reader, at + 1, scope))
      return false;
    if (offset > OFFSET_LIMIT)
      return fails(reader, at, "the offset of the field is too large");
    if (offset < next)
      return fails(reader, at, "the fields of an object do not ascend, or overlap");
    if (value->is_derived)
      return fails(reader, at + 1, "a field must refer to the start of an object");
    next = offset + (is_object_number(value) ? sizeof(uintptr_t) : (value->bits + 7u) / 8);
  }
  return true;
}

/* ---- all records ---- */

/* The counts up to a record, while records are read in order. */
struct position {
  uint32_t frames, values, own, shared;
};

static void pass_record(struct position *position, const struct record *record)
{
  position->frames += record->is_frame;
  position->values += record->frame.locals + record->frame.stack;
  *(record->is_frame ? &position->own : &position->shared) += record->objects;
}

static struct cn_object_scope scope_of(const struct record *record, const struct position *at,
                                       const struct cn_records_size *size)
{
  uint32_t shared = size->own_objects + at->shared;

  CN_ASSERT(shared <= size->objects && at->own <= size->own_objects);
  return (struct cn_object_scope){record->is_frame ? at->own : shared, record->objects, shared, size->objects - shared};
}

static bool check_record(const struct reader *reader, const struct record *record, const struct cn_object_scope *scope)
{
  struct cairn_deopt_object object;
  uint32_t values = record->frame.locals + record->frame.stack, at = record->objects_at;

  for (uint32_t i = 0; i < values; i++)
    if (!check_value(reader, record->frame.first + i, scope))
      return false;
  for (uint32_t i = 0; i < record->objects; i++, at = end_of_object(&object))
    if (!read_object_head(reader, record, at, &object) || !check_fields(reader, &object, scope))
      return false;
  return true;
}

static bool count_records(const struct reader *reader, struct cn_records_size *size)
{
  struct position position = {0};
  struct record record;

  for (uint32_t at = 0; at < reader->count; at = record.end) {
    if (!read_head(reader, at, &record) || !has_all_objects(reader, &record))
      return false;
    pass_record(&position, &record);
  }
  *size = (struct cn_records_size){position.frames, position.values, position.own + position.shared, position.own};
  return position.frames != 0 || fails(reader, 0, "there is no frame");
}

static bool check_records(const struct reader *reader, const struct cn_records_size *size)
{
  struct position position = {0};
  struct record record;

  for (uint32_t at = 0; at < reader->count; at = record.end) {
    if (!read_head(reader, at, &record))
      return false;
    struct cn_object_scope scope = scope_of(&record, &position, size);
    if (!check_record(reader, &record, &scope))
      return false;
    pass_record(&position, &record);
  }
  return true;
}

enum cairn_status cn_records_check(const struct cn_operand *operands, uint32_t count, struct cn_records_size *size,
                                   struct cn_records_fault *fault)
{
  const struct reader reader = {operands, count, fault};

  *size = (struct cn_records_size){0};
  *fault = (struct cn_records_fault){0};
  if (count == 0 || !is_record_start(&operands[0]))
    return CAIRN_E_PLAIN;
  if (count_records(&reader, size) && check_records(&reader, size))
    return CAIRN_OK;
  *size = (struct cn_records_size){0};
  return CAIRN_E_RECORD;
}

static void decode_objects(const struct reader *reader, const struct record *record,
                           const struct cn_object_scope *scope, struct cn_object_record *objects)
{
  uint32_t at = record->objects_at;

  for (uint32_t i = 0; i < record->objects; i++, at = end_of_object(&objects[scope->own + i - 1].object)) {
    struct cn_object_record *out = &objects[scope->own + i];
    bool read = read_object_head(reader, record, at, &out->object);
    CN_CHECK(read);
    out->scope = *scope;
  }
}

void cn_records_decode(const struct cn_operand *operands, uint32_t count, const struct cn_records_size *size,
                       struct cn_frame_record *frames, struct cn_object_record *objects)
{
  struct cn_records_fault fault = {0};
  const struct reader reader = {operands, count, &fault};
  struct position position = {0};
  struct record record;

  for (uint32_t at = 0; at < count; at = record.end) {
    bool read = read_head(&reader, at, &record);
    CN_CHECK(read);
    struct cn_object_scope scope = scope_of(&record, &position, size);
    if (record.is_frame)
      frames[position.frames] = (struct cn_frame_record){record.frame, scope};
    decode_objects(&reader, &record, &scope, objects);
    pass_record(&position, &record);
  }
  CN_CHECK(position.frames == size->frames && position.own + position.shared == size->objects);
  CN_ASSERT_VALID(cn_records_wrong(count, size, frames, objects));
}

/* ---- check ---- */

static bool is_scope_wrong(const struct cn_object_scope *scope, const struct cn_records_size *size)
{
  return scope->own > size->objects || scope->own_count > size->objects - scope->own ||
         scope->shared < size->own_objects || scope->shared > size->objects ||
         scope->shared_count != size->objects - scope->shared;
}

const char *cn_records_wrong(uint32_t count, const struct cn_records_size *size, const struct cn_frame_record *frames,
                             const struct cn_object_record *objects)
{
  uint32_t values = 0, next = 0;

  if (size->own_objects > size->objects)
    return "records: more objects in frames than objects";
  for (uint32_t i = 0; i < size->frames; next = frames[i].frame.first, i++) {
    const struct cairn_deopt_frame *frame = &frames[i].frame;
    if (frame->first > count || frame->locals > count - frame->first ||
        frame->stack > count - frame->first - frame->locals || frame->first <= next)
      return "records: the values of a frame are not operands, or not in order";
    if (is_scope_wrong(&frames[i].scope, size))
      return "records: a frame refers to objects that are not there";
    values += frame->locals + frame->stack;
  }
  if (values != size->values)
    return "records: the number of values is not that of the frames";
  for (uint32_t i = 0; i < size->objects; i++) {
    const struct cairn_deopt_object *object = &objects[i].object;
    if (object->first > count || object->fields > (count - object->first) / FIELD_OPERANDS)
      return "records: the fields of an object are not operands";
    if (is_scope_wrong(&objects[i].scope, size) || i < objects[i].scope.own ||
        i - objects[i].scope.own >= objects[i].scope.own_count)
      return "records: an object is not in its scope";
  }
  return NULL;
}

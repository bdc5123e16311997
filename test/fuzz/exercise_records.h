/* SPDX-License-Identifier: Apache-2.0
 *
 * Check and decode operands of a bundle, whatever they are. Shared by the fuzz target and by the unit test.
 */
#ifndef CN_FUZZ_EXERCISE_RECORDS_H
#define CN_FUZZ_EXERCISE_RECORDS_H

#include <stdlib.h>
#include <string.h>
#include "deopt/records.h"

/* Values stand for objects that are there. */
static inline void exercise_values(const struct cn_operand *operands, uint32_t first, uint32_t count, uint32_t step,
                                   const struct cn_object_scope *scope, const struct cn_records_size *size)
{
  uint32_t object;

  for (uint32_t i = 0; i < count; i++)
    if (cn_records_find_object(&operands[first + i * step], scope, &object) && object >= size->objects)
      abort();
}

/* Returns the status. The arrays have exactly their sizes, so that a sanitizer sees a write beyond. */
static inline enum cairn_status exercise_records(const struct cn_operand *operands, uint32_t count)
{
  struct cn_records_size size;
  struct cn_records_fault fault;
  enum cairn_status status = cn_records_check(operands, count, &size, &fault);

  if (status != CAIRN_OK) {
    if ((status == CAIRN_E_RECORD) != (fault.text != NULL) || fault.operand > count || size.frames || size.objects)
      abort();
    return status;
  }
  struct cn_frame_record *frames = malloc(size.frames * sizeof *frames);
  struct cn_object_record *objects = malloc(size.objects * sizeof *objects);
  cn_records_decode(operands, count, &size, frames, objects);
  if (fault.text != NULL || cn_records_wrong(count, &size, frames, objects) != NULL)
    abort();
  for (uint32_t i = 0; i < size.frames; i++)
    exercise_values(operands, frames[i].frame.first, frames[i].frame.locals + frames[i].frame.stack, 1,
                    &frames[i].scope, &size);
  for (uint32_t i = 0; i < size.objects; i++)
    exercise_values(operands, objects[i].object.first + 1, objects[i].object.fields, 2, &objects[i].scope, &size);
  free(frames);
  free(objects);
  return status;
}

/* Bytes that choose operands; 0 after the end. */
struct exercise_bytes {
  const unsigned char *at, *end;
};

static inline unsigned exercise_next_byte(struct exercise_bytes *bytes)
{
  return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static inline uint64_t exercise_next_number(struct exercise_bytes *bytes, unsigned length)
{
  uint64_t number = 0;

  for (unsigned i = 0; i < length; i++)
    number |= (uint64_t)exercise_next_byte(bytes) << 8 * i;
  return number;
}

/* Any operand; heads and small numbers are likely. */
static inline struct cn_operand exercise_next_operand(struct exercise_bytes *bytes)
{
  static const uint64_t heads[] = {CAIRN_ABI_DEOPT_FRAME, CAIRN_ABI_DEOPT_OBJECTS};
  unsigned tag = exercise_next_byte(bytes), length = tag & 7;
  struct cn_operand operand = {.value_class = CAIRN_DEOPT_INTEGER, .bits = 64};

  operand.constant = exercise_next_number(bytes, length + (tag >> 3 & 1));
  tag >>= 4;
  if (tag < 2)
    operand.constant = heads[tag] << CAIRN_ABI_DEOPT_MAGIC_SHIFT | (uint32_t)operand.constant;
  else if (tag == 2)
    operand.constant = (operand.constant & 0xff) | operand.constant >> 8 << 32;
  else if (tag < 6)
    operand.bits = CAIRN_ABI_DEOPT_OBJECT_BITS, operand.constant &= 0x800003;
  else if (tag < 13) {
    operand.value_class = (uint8_t)(exercise_next_byte(bytes) % (CAIRN_DEOPT_VECTOR + 1));
    operand.kind = (unsigned char)(tag % 3);
    operand.bits = (uint8_t)(1 + exercise_next_byte(bytes) % 128);
    operand.is_derived = operand.kind == CN_OPERAND_PLACE && operand.value_class == CAIRN_DEOPT_REFERENCE && tag < 8;
  }
  return operand;
}

/* A bundle being made. */
struct exercise_bundle {
  struct cn_operand at[4096];
  uint32_t count;
};
enum { EXERCISE_RECORD_MAX = 256 };

static inline void exercise_push(struct exercise_bundle *bundle, uint64_t number)
{
  bundle->at[bundle->count++] = (struct cn_operand){.value_class = CAIRN_DEOPT_INTEGER, .bits = 64, .constant = number};
}

static inline void exercise_push_object(struct exercise_bundle *bundle, struct exercise_bytes *bytes)
{
  unsigned fields = exercise_next_byte(bytes) & 3;

  exercise_push(bundle, 5 | (uint64_t)fields << CAIRN_ABI_DEOPT_FIELDS_SHIFT);
  exercise_push(bundle, exercise_next_byte(bytes) & 7);
  for (unsigned i = 0; i < fields; i++) {
    exercise_push(bundle, 16 * i + (exercise_next_byte(bytes) & 15));
    bundle->at[bundle->count++] = exercise_next_operand(bytes);
  }
}

/* A record whose lengths are right. */
static inline void exercise_push_record(struct exercise_bundle *bundle, struct exercise_bytes *bytes)
{
  unsigned shape = exercise_next_byte(bytes), objects = shape >> 1 & 3, locals = shape >> 3 & 7, stack = shape >> 6;
  uint32_t start = bundle->count;
  bool is_frame = (shape & 1) == 0;

  exercise_push(bundle, 0);
  exercise_push(bundle, exercise_next_byte(bytes) & 15);
  if (is_frame) {
    exercise_push(bundle, 12);
    exercise_push(bundle, 40);
    exercise_push(bundle, locals | (uint64_t)stack << CAIRN_ABI_DEOPT_STACK_SHIFT);
  }
  exercise_push(bundle, objects);
  for (unsigned i = 0; is_frame && i < locals + stack; i++)
    bundle->at[bundle->count++] = exercise_next_operand(bytes);
  for (unsigned i = 0; i < objects; i++)
    exercise_push_object(bundle, bytes);
  bundle->at[start].constant = (uint64_t)(is_frame ? CAIRN_ABI_DEOPT_FRAME : CAIRN_ABI_DEOPT_OBJECTS)
                                   << CAIRN_ABI_DEOPT_MAGIC_SHIFT |
                               (bundle->count - start);
}

/* A bundle made of bytes: records, some operands of which are then replaced; or any operands. */
static inline void exercise_make_bundle(struct exercise_bundle *bundle, struct exercise_bytes *bytes)
{
  unsigned kind = exercise_next_byte(bytes), records = kind & 7, changes = kind >> 3 & 3;
  const uint32_t room = sizeof bundle->at / sizeof *bundle->at - EXERCISE_RECORD_MAX;

  bundle->count = 0;
  for (unsigned i = 0; i < records && bundle->count < room; i++)
    exercise_push_record(bundle, bytes);
  for (unsigned i = 0; i < changes && bundle->count != 0; i++) {
    uint32_t operand = (uint32_t)exercise_next_number(bytes, 2) % bundle->count;
    bundle->at[operand] = exercise_next_operand(bytes);
  }
  while (records == 0 && bytes->at < bytes->end && bundle->count < room)
    bundle->at[bundle->count++] = exercise_next_operand(bytes);
}

#endif

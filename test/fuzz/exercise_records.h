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

/* The next operand of some bytes; advances the cursor, and needs a byte. Heads and small numbers are likely. */
static inline struct cn_operand exercise_next_operand(const unsigned char **cursor, const unsigned char *end)
{
  static const uint64_t heads[] = {CAIRN_ABI_DEOPT_FRAME, CAIRN_ABI_DEOPT_OBJECTS};
  unsigned char tag = *(*cursor)++, bytes[8] = {0};
  struct cn_operand operand = {.value_class = CAIRN_DEOPT_INTEGER, .bits = 64};
  size_t have = (size_t)(end - *cursor), wanted = tag & 15;

  wanted = wanted > 8 ? 8 : wanted;
  memcpy(bytes, *cursor, wanted < have ? wanted : have);
  *cursor += wanted < have ? wanted : have;
  memcpy(&operand.constant, bytes, sizeof bytes);
  if (tag >> 4 < 2)
    operand.constant = heads[tag >> 4] << CAIRN_ABI_DEOPT_MAGIC_SHIFT | (uint32_t)operand.constant;
  else if (tag >> 4 == 2)
    operand.constant = (operand.constant & 0xff) | operand.constant >> 8 << 32;
  else if (tag >> 4 == 3)
    operand.bits = CAIRN_ABI_DEOPT_OBJECT_BITS, operand.constant &= 0xffffff;
  else if (tag >> 4 > 10) {
    operand.value_class = (uint8_t)(bytes[0] % (CAIRN_DEOPT_VECTOR + 1));
    operand.kind = bytes[1] % 3;
    operand.bits = (uint8_t)(1 + bytes[2] % 128);
    operand.is_derived =
        operand.kind == CN_OPERAND_PLACE && operand.value_class == CAIRN_DEOPT_REFERENCE && bytes[3] % 2;
  }
  return operand;
}

#endif

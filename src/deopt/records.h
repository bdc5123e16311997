/* SPDX-License-Identifier: Apache-2.0
 *
 * The decoder of frame records (docs/deopt.md, "Frame records"): a pure function over the operands of a call's bundle
 * "deopt". abi.def, DEOPT_FRAME, describes the encoding.
 */
#ifndef CN_DEOPT_RECORDS_H
#define CN_DEOPT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/deopt.h>
#include "framemap/framemap.h"
#include "runtime/arch/arch.h"

/* The place of a usual operand: an integer, a float, a pointer or a reference to an object's start, of 64 bits. */
enum cn_operand_source {
  CN_SOURCE_OTHER,    /* any other operand */
  CN_SOURCE_STACK,    /* at an offset from the stack pointer */
  CN_SOURCE_CONSTANT, /* in the operand */
  CN_SOURCE_REGISTER, /* in the callee-saved register with number `source - CN_SOURCE_REGISTER` in enum cn_reg */
  CN_SOURCES = CN_SOURCE_REGISTER + CN_CALLEE_SAVED_COUNT
};

/* An operand of the bundle. */
struct cn_operand {
  uint8_t value_class; /* enum cairn_deopt_class, up to CAIRN_DEOPT_VECTOR, or CAIRN_DEOPT_LOST */
  uint8_t bits;        /* 1 to 128 */
  enum { CN_OPERAND_CONSTANT, CN_OPERAND_PLACE, CN_OPERAND_ADDRESS } kind : 8;
  bool is_derived;           /* a PLACE with a reference into the object that the reference at `base` points to */
  uint8_t source;            /* enum cn_operand_source */
  struct cn_frame_place loc; /* ADDRESS: the value is loc.reg + loc.offset */
  union {
    uint64_t constant; /* masked to `bits`; an undefined value is the constant 0 */
    struct cn_frame_place base;
  };
};

/* The objects that values of a record may stand for: numbers from `own` on belong to the record; numbers from `shared`
 * on belong to this and later OBJECTS records. */
struct cn_object_scope {
  uint32_t own, own_count;
  uint32_t shared, shared_count;
};

struct cn_frame_record {
  struct cairn_deopt_frame frame;
  struct cn_object_scope scope;
};

/* A removed object. */
struct cn_object_record {
  struct cairn_deopt_object object;
  struct cn_object_scope scope;
};

/* The number of records' parts. Objects of FRAME records come first, objects of OBJECTS records last. */
struct cn_records_size {
  uint32_t frames, values, objects, own_objects;
};

struct cn_records_fault {
  uint32_t operand;
  const char *text; /* null if the operands are right */
};

/* Check the operands and count the parts. PLAIN: the first operand begins no record.
 * RECORD: *fault names the first operand that is wrong. */
enum cairn_status cn_records_check(const struct cn_operand *operands, uint32_t count, struct cn_records_size *size,
                                   struct cn_records_fault *fault);

/* Fill the arrays, which have the sizes of a successful check of the same operands. */
void cn_records_decode(const struct cn_operand *operands, uint32_t count, const struct cn_records_size *size,
                       struct cn_frame_record *frames, struct cn_object_record *objects);

/* True if the operand stands for an object, whose number `*object` gets. The operand is a value of the scope's record
 * in checked operands. */
bool cn_records_find_object(const struct cn_operand *operand, const struct cn_object_scope *scope, uint32_t *object);

/* Check decoded records. Returns the error, or null. Invariants: the values of frames and the fields of objects are
 * operands; scopes are within the objects; frames follow each other. */
const char *cn_records_wrong(uint32_t count, const struct cn_records_size *size, const struct cn_frame_record *frames,
                             const struct cn_object_record *objects);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Debug records, which give variables their values from a place on. LLVM-C cannot copy or move records: an instruction
 * that moves to another block leaves the records before it behind. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_DEBUG_RECORDS_H
#define CN_COMPILE_CORE_DEBUG_RECORDS_H

#include <llvm-c/DebugInfo.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"

/* DWARF tags. */
enum {
  CN_DW_TAG_ARRAY = 0x01,
  CN_DW_TAG_ENUMERATION = 0x04,
  CN_DW_TAG_MEMBER = 0x0d,
  CN_DW_TAG_POINTER = 0x0f,
  CN_DW_TAG_STRUCTURE = 0x13,
  CN_DW_TAG_TYPEDEF = 0x16,
  CN_DW_TAG_UNION = 0x17,
  CN_DW_TAG_BASE = 0x24
};
/* Operand numbers of type nodes and of variable nodes. */
enum {
  CN_DEBUG_FILE_OPERAND = 0,
  CN_DEBUG_BASE_OPERAND = 5,
  CN_DEBUG_ELEMENTS_OPERAND = 6,
  CN_DEBUG_ANNOTATIONS_OPERAND = 7
};
enum { CN_DEBUG_NAME_OPERAND = 1, CN_DEBUG_TYPE_OPERAND = 3 };

/* An operand of a node, as a value: a constant or metadata. Null if the operand is absent. */
LLVMValueRef cn_debug_operand_value(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned index);
LLVMMetadataRef cn_debug_operand(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned index);

/* True if `node` is a type node whose operands this file can read; false for null. */
bool cn_debug_is_type(LLVMMetadataRef node);

/* The type without its typedefs and qualifiers. */
LLVMMetadataRef cn_debug_strip_typedefs(struct cn_ctx *ctx, LLVMMetadataRef type);

/* True if the record gives a variable its value from this place on. False for a declaration, which holds everywhere. */
bool cn_debug_record_sets_value(LLVMDbgRecordRef record);

/* The part of its variable that a record describes, and the form of the record's expression. */
struct cn_debug_part {
  uint64_t offset, bits; /* bits is 0 for the whole variable */
  bool plain;            /* the record's value is the value of the part, without any operation */
  bool list;             /* the record has several values */
};
struct cn_debug_part cn_debug_record_part(struct cn_ctx *ctx, LLVMDbgRecordRef record);
static inline bool cn_debug_is_same_part(const struct cn_debug_part *a, const struct cn_debug_part *b)
{
  return a->bits == b->bits && a->offset == b->offset;
}
static inline bool cn_debug_parts_overlap(const struct cn_debug_part *a, const struct cn_debug_part *b)
{
  return !a->bits || !b->bits || (a->offset < b->offset + b->bits && b->offset < a->offset + a->bits);
}
/* The number of values in a record with several values. */
unsigned cn_debug_record_value_count(struct cn_ctx *ctx, LLVMDbgRecordRef record);
/* The place of the inlined call that the record's variable belongs to, or null. */
LLVMMetadataRef cn_debug_record_site(LLVMDbgRecordRef record);

/* The value in a record of a variable, or null if the record has several values or no value. */
LLVMValueRef cn_debug_record_value(struct cn_ctx *ctx, LLVMDbgRecordRef record);

/* Insert a record before `before`. The record has the variable and the expression of `record`, with the value `value`.
 * A null value says that the variable's value is lost. */
void cn_debug_record_insert(struct cn_ctx *ctx, LLVMDIBuilderRef builder, LLVMDbgRecordRef record, LLVMValueRef value,
                            LLVMValueRef before);

/* The records of instructions that are about to move to another block. */
struct cn_moving_records {
  struct cn_ctx *ctx;
  CN_VECTOR(struct cn_moving_record {
    LLVMDbgRecordRef record;
    LLVMValueRef at; /* the instruction after the record */
  })
  moving;
  CN_VECTOR(struct cn_staying_record {
    LLVMDbgRecordRef record; /* the last staying record of a variable with moving records */
    LLVMDbgRecordRef moving; /* a moving record of the variable */
    bool in_parts;           /* some records describe parts of the variable */
    uint64_t next;           /* index + 1 of another inlined copy of the variable, or 0 */
  })
  left;
  struct cn_ptrmap variables; /* variable -> index in `left` + 1 */
};

/* Note the records after `first`, up to the end of its block. */
void cn_moving_records_gather(struct cn_moving_records *records, struct cn_ctx *ctx, LLVMValueRef first);
/* Copies the records to their moved instructions, and inserts records of the variables' values before `end`. Call this
 * function after the instructions have left their block, whose terminator `end` then has all their records. */
void cn_moving_records_reinsert(struct cn_moving_records *records, LLVMValueRef end);

#endif

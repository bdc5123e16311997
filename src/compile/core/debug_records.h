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

/* True if the record gives a variable its value from this place on. False for a declaration, which holds everywhere. */
bool cn_debug_record_sets_value(LLVMDbgRecordRef record);

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

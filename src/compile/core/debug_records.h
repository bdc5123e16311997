/* SPDX-License-Identifier: Apache-2.0
 *
 * Debug records, which say from where on a variable has which value. LLVM's C interface can neither copy nor move one:
 * an instruction that is taken out of its block leaves the records before it there. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_DEBUG_RECORDS_H
#define CN_COMPILE_CORE_DEBUG_RECORDS_H

#include <llvm-c/DebugInfo.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"

/* True if the record says a variable's value from its place on. A declaration holds everywhere. */
bool cn_debug_record_sets_value(LLVMDbgRecordRef record);

/* The value of a record of a variable. Null if the record has several values, or zero. */
LLVMValueRef cn_debug_record_value(struct cn_ctx *ctx, LLVMDbgRecordRef record);

/* Insert before `before` a record that gives the variable of `record` the value `value`, as the subject of that
 * record's expression. Null says that the variable's value is lost. */
void cn_debug_record_insert(struct cn_ctx *ctx, LLVMDIBuilderRef builder, LLVMDbgRecordRef record, LLVMValueRef value,
                            LLVMValueRef before);

/* The records of instructions that are about to move to another block. */
struct cn_moving_records {
  struct cn_ctx *ctx;
  CN_VECTOR(struct cn_moving_record {
    LLVMDbgRecordRef record;
    LLVMValueRef at; /* the instruction that it stands before */
  })
  moving;
  CN_VECTOR(struct cn_staying_record {
    LLVMDbgRecordRef record; /* the last one that stays, of a variable that has moving ones */
    LLVMDbgRecordRef moving; /* one of those */
    bool in_parts;           /* records that move, or that stay, are about parts of the variable */
    uint64_t next;           /* another inlined copy of the variable: its index + 1, or 0 */
  })
  left;
  struct cn_ptrmap variables; /* variable -> index in `left` + 1 */
};

/* Note the records of `first` to the end of its block, except those before `first` itself. */
void cn_moving_records_gather(struct cn_moving_records *records, struct cn_ctx *ctx, LLVMValueRef first);
/* Call this when the instructions have moved, and their records have gathered at the end of the block that they left,
 * before its terminator `end`. Copies the records to their instructions, and says before `end` what the variables'
 * values are there. */
void cn_moving_records_reinsert(struct cn_moving_records *records, LLVMValueRef end);

#endif

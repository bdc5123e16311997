/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of deopt values in bundles "deopt" (abi.def, DEOPT_FRAME), and the language's numbers of layouts. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_EFFECTS_DEOPT_RECORDS_H
#define CN_COMPILE_EFFECTS_DEOPT_RECORDS_H

#include "base/vector.h"
#include "compile/core/pass.h"

/* True if the operand is a constant integer of 64 bits; sets *word. */
bool cn_deopt_read_word(LLVMValueRef operand, uint64_t *word);

/* True if the operands begin with the header of a record. */
bool cn_deopt_is_record(const LLVMValueRef *operands, size_t count);

/* A record among the operands of a call. */
struct cn_deopt_record {
  uint32_t start, end; /* operands of the call */
  uint64_t shared;     /* number of objects, of an OBJECTS record; 0 of a FRAME record */
};
struct cn_deopt_records {
  CN_VECTOR(struct cn_deopt_record) list;
};

/* Finds the records in [first, end), the operands of a call's bundle "deopt". False if the operands are anything else
 * than records; the caller frees `out->list` in both cases. */
bool cn_deopt_find_records(LLVMValueRef call, uint32_t first, uint32_t end, struct cn_deopt_records *out);

/* The named metadata with rows !{ptr @layout, i32 language, i32 number} (docs/deopt.md, "Removed objects"). */
#define CN_DEOPT_LAYOUTS "cairn.deopt.layouts"

/* Reports an error, rule deopt-layouts, for each row that is malformed or contradicts another; false if there is one.
 */
bool cn_deopt_check_layouts(struct cn_ctx *ctx);

/* The language and number of the layout `global`; false if it has none. */
bool cn_deopt_layout_number(struct cn_ctx *ctx, LLVMValueRef global, uint32_t *language, uint32_t *number);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The open spans at each place of a function, and the table of spans. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_SPANS_H
#define CN_COMPILE_MARKERS_SPANS_H

#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/emit.h"
#include "compile/core/pass.h"

/* ---- triples.c ---- */

/* Distinct triples of words, numbered from 0 in the order of their first insertion. */
struct cn_word_triple {
  uint64_t a, b, c;
};
struct cn_triple_set {
  CN_VECTOR(struct cn_word_triple) items;
  uint32_t *cells; /* index + 1; 0 is free */
  size_t room;
};
uint32_t cn_triples_add(struct cn_triple_set *triples, struct cn_word_triple triple);
void cn_triples_free(struct cn_triple_set *triples);

/* ---- spans.c ---- */

#define CN_NO_SPAN UINT32_MAX

/* A set of open spans is represented by the number of a triple, which has the innermost span and the number of the
 * outer set. Equal spans opened in the same order have the same number. */
struct cn_spans {
  struct cn_triple_set open;
  uint32_t *starts; /* per block of the struct cn_cfg */
};

/* The markers that a module declares, or null for a missing marker. */
struct cn_span_markers {
  LLVMValueRef begin, end;
};
struct cn_span_markers cn_span_markers(struct cn_ctx *ctx);

/* cn_spans_are_in_function() is true if `function` has markers or metadata of spans, cn_spans_have_markers_in() if it
 * has markers. */
bool cn_spans_are_in_function(const struct cn_span_markers *marks, LLVMValueRef function);
bool cn_spans_have_markers_in(const struct cn_span_markers *marks, LLVMValueRef function);

/* Per block: true if all paths from it are free of calls and cycles and end in returns, so that open spans are
 * irrelevant. The caller frees the array. */
bool *cn_spans_find_call_free_tails(const struct cn_cfg *cfg);

void cn_spans_find_open(struct cn_spans *spans, const struct cn_span_markers *marks, const struct cn_cfg *cfg);
void cn_spans_free(struct cn_spans *spans);
/* The open spans after `instruction`, if `open` are the open spans before it. CN_NO_SPAN if `instruction` ends a span
 * that is not open. */
uint32_t cn_spans_open_after(struct cn_spans *spans, const struct cn_span_markers *marks, LLVMValueRef instruction,
                             uint32_t open);
/* The open spans during `call`: `open`, and the spans in the metadata of `call`. */
uint32_t cn_spans_open_during_call(struct cn_spans *spans, LLVMValueRef call, uint32_t open);
/* Set the metadata of `call`, or remove the metadata if `node` is null. */
void cn_span_set_metadata(LLVMValueRef call, LLVMValueRef node);
/* A span. cn_spans_pop_innermost() removes the innermost span from the set *open; false if the set is empty. */
struct cn_open_span {
  LLVMValueRef key, value;
  uint32_t depth; /* abi.def, SPAN_MARK */
};
bool cn_spans_pop_innermost(const struct cn_spans *spans, uint32_t *open, struct cn_open_span *out);

/* cn_spans_check_markers() reports wrong declarations and uses of markers. cn_spans_check() reports ends without a
 * beginning, spans that are open on only some of the paths that meet, and keys and values that the table must refuse.
 * Keys and values of markers are checked only if `constants` is set, because they may become constants later. */
void cn_spans_check_markers(struct cn_ctx *ctx);
void cn_spans_check(struct cn_ctx *ctx, LLVMValueRef function, bool constants);

/* ---- spans_prepare.c ---- */

/* cn_spans_add_marker_attributes() describes the markers to the optimiser by attributes. cn_spans_prepare() replaces
 * metadata by markers, closes open spans at the returns of the function, and forbids the function's inlining if an
 * exception may leave the function inside a span. */
void cn_spans_add_marker_attributes(struct cn_ctx *ctx);
void cn_spans_prepare(struct cn_ctx *ctx, LLVMValueRef function);
/* Build the marker of a beginning before an instruction, or of an end if `value` is null. */
void cn_spans_build_marker(struct cn_ctx *ctx, LLVMValueRef before, LLVMMetadataRef location, LLVMValueRef key,
                           LLVMValueRef value);

/* ---- spans_table.c ---- */

/* The section `cairn_spans` of the module, while it grows. */
struct cn_span_table {
  struct cn_triple_set entries; /* triples of 0, key and canonical value; entry 0 is unused */
  LLVMValueRef global;          /* the table's constant in the module, or null */
};
/* The reason why the table must refuse the key and value, or null. */
const char *cn_span_refusal_reason(struct cn_ctx *ctx, LLVMValueRef key, LLVMValueRef value);
/* Read the table of the module. False if the section has another form. */
bool cn_span_table_read(struct cn_ctx *ctx, struct cn_span_table *table);
void cn_span_table_check(struct cn_ctx *ctx); /* reports an error if the section has another form */
uint32_t cn_span_table_add(struct cn_ctx *ctx, struct cn_span_table *table, LLVMValueRef key, LLVMValueRef value);
/* Write the table into the module if the table has grown, and free it. */
void cn_span_table_write(struct cn_ctx *ctx, struct cn_span_table *table);

/* The spans in pass rewrite-statepoints. */
struct cn_span_operands {
  struct cn_span_markers marks;
  struct cn_span_table table;
  struct cn_spans spans;  /* spans of the current function */
  struct cn_ptrmap calls; /* call of the current function -> its open spans, if it has any */
};
void cn_span_operands_begin_module(struct cn_ctx *ctx, struct cn_span_operands *tails);
void cn_span_operands_begin_function(struct cn_span_operands *tails, const struct cn_cfg *cfg);
/* Append the operands for the open spans at `call` (abi.def, SPAN_MARK). */
void cn_span_operands_append(struct cn_ctx *ctx, struct cn_span_operands *tails, LLVMValueRef call,
                             struct cn_operands *out);
void cn_span_operands_copy_metadata(const struct cn_span_operands *tails, LLVMValueRef call, LLVMValueRef statepoint);
void cn_span_operands_end_function(struct cn_span_operands *tails);
void cn_span_operands_end_module(struct cn_ctx *ctx, struct cn_span_operands *tails);

#endif

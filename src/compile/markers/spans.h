/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans: the open ones at each place of a function, and their table. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_SPANS_H
#define CN_COMPILE_MARKERS_SPANS_H

#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/emit.h"
#include "compile/core/pass.h"

/* ---- triples.c ---- */

/* Triples of words, each once, numbered from 0 in the order of their arrival. */
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

/* The set of open spans at some place is the number of a triple: the span opened last, and the set before it. The same
 * spans opened in the same order have the same number. */
struct cn_spans {
  struct cn_triple_set open;
  uint32_t *starts; /* per block of the struct cn_cfg */
};

/* The markers that a module declares; null for a missing one. */
struct cn_span_markers {
  LLVMValueRef begin, end;
};
struct cn_span_markers cn_span_markers(struct cn_ctx *ctx);
bool cn_span_is_begin(const struct cn_span_markers *marks, LLVMValueRef instruction);
bool cn_span_is_end(const struct cn_span_markers *marks, LLVMValueRef instruction);

/* True if `function` has markers or the metadata; true if it has markers. */
bool cn_spans_are_in_function(const struct cn_span_markers *marks, LLVMValueRef function);
bool cn_spans_have_markers_in(const struct cn_span_markers *marks, LLVMValueRef function);

/* Per block: true if it reaches only returns, on paths free of calls and cycles, so that open spans are irrelevant
 * there. The caller frees it. */
bool *cn_spans_find_call_free_tails(const struct cn_cfg *cfg);

void cn_spans_find_open(struct cn_spans *spans, const struct cn_span_markers *marks, const struct cn_cfg *cfg);
void cn_spans_free(struct cn_spans *spans);
/* The open spans after `instruction`, if `open` are before it. CN_NO_SPAN: it ends a span that is closed. */
uint32_t cn_spans_open_after(struct cn_spans *spans, const struct cn_span_markers *marks, LLVMValueRef instruction,
                             uint32_t open);
/* `open` and the spans of the metadata of `call`: the open spans for the call itself. */
uint32_t cn_spans_open_during_call(struct cn_spans *spans, LLVMValueRef call, uint32_t open);
/* Set the metadata of `call`, or remove it (null). */
void cn_span_set_metadata(LLVMValueRef call, LLVMValueRef node);
/* The span opened last; *open becomes the set before it. False: all are closed. */
struct cn_open_span {
  LLVMValueRef key, value;
  uint32_t depth; /* abi.def, SPAN_MARK */
};
bool cn_spans_pop_innermost(const struct cn_spans *spans, uint32_t *open, struct cn_open_span *out);

/* Report markers that are declared or used in another way; of a function, ends without a beginning, spans that are open
 * on only some of the paths that meet, and keys and values that the table must refuse. Those of metadata are always
 * reported, those of markers only if `constants` is set, since they may become constants later. */
void cn_spans_check_markers(struct cn_ctx *ctx);
void cn_spans_check(struct cn_ctx *ctx, LLVMValueRef function, bool constants);

/* ---- spans_prepare.c ---- */

/* Before the optimiser: describe the markers to it; make markers of metadata, close open spans where the function
 * returns, keep it out of its callers if an exception may leave it in a span. */
void cn_spans_add_marker_attributes(struct cn_ctx *ctx);
void cn_spans_prepare(struct cn_ctx *ctx, LLVMValueRef function);
/* Build a marker before an instruction: of a beginning, or of an end (`value` is null). */
void cn_spans_build_marker(struct cn_ctx *ctx, LLVMValueRef before, LLVMMetadataRef location, LLVMValueRef key,
                           LLVMValueRef value);

/* ---- spans_table.c ---- */

/* The section `cairn_spans` of the module, while it grows. */
struct cn_span_table {
  struct cn_triple_set entries; /* 0, key, value in its usual form; the first is unused */
  LLVMValueRef global;          /* its constant in the module, or null */
};
/* The reason why the table must refuse these, or null. */
const char *cn_span_refusal_reason(struct cn_ctx *ctx, LLVMValueRef key, LLVMValueRef value);
/* Read the table of the module. False: the section has another form. */
bool cn_span_table_read(struct cn_ctx *ctx, struct cn_span_table *table);
void cn_span_table_check(struct cn_ctx *ctx); /* report a section of another form */
uint32_t cn_span_table_add(struct cn_ctx *ctx, struct cn_span_table *table, LLVMValueRef key, LLVMValueRef value);
/* Write the table into the module if it has grown; frees it. */
void cn_span_table_write(struct cn_ctx *ctx, struct cn_span_table *table);

/* The spans in pass rewrite-statepoints. */
struct cn_span_operands {
  struct cn_span_markers marks;
  struct cn_span_table table;
  struct cn_spans spans;  /* of the function that is rewritten */
  struct cn_ptrmap calls; /* of that function -> the open spans there, unless empty */
};
void cn_span_operands_begin_module(struct cn_ctx *ctx, struct cn_span_operands *tails);
void cn_span_operands_begin_function(struct cn_span_operands *tails, const struct cn_cfg *cfg);
/* Append the operands for `call` (abi.def, SPAN_MARK). */
void cn_span_operands_append(struct cn_ctx *ctx, struct cn_span_operands *tails, LLVMValueRef call,
                             struct cn_operands *out);
/* Copy the metadata of `call` to its statepoint. */
void cn_span_operands_copy_metadata(const struct cn_span_operands *tails, LLVMValueRef call, LLVMValueRef statepoint);
void cn_span_operands_end_function(struct cn_span_operands *tails);
void cn_span_operands_end_module(struct cn_ctx *ctx, struct cn_span_operands *tails);

#endif

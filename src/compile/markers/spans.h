/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans: which are open where in a function, and their table. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_SPANS_H
#define CN_COMPILE_MARKERS_SPANS_H

#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/emit.h"
#include "compile/core/pass.h"

/* ---- triples.c ---- */

/* Triples of words, each once, numbered from 0 in the order in which they came. */
struct cn_triple {
  uint64_t a, b, c;
};
struct cn_triples {
  CN_VECTOR(struct cn_triple) items;
  uint32_t *cells; /* index + 1; 0 is free */
  size_t room;
};
uint32_t cn_triples_add(struct cn_triples *triples, struct cn_triple triple);
void cn_triples_free(struct cn_triples *triples);

/* ---- spans.c ---- */

#define CN_NO_SPAN UINT32_MAX

/* The set of open spans at some place is the number of a triple: the span opened last, and the set
 * before it. The same spans opened in the same order have the same number. */
struct cn_spans {
  struct cn_triples open;
  uint32_t *starts; /* per block of the struct cn_cfg */
};

/* The markers that a module declares (null: it does not). */
struct cn_span_marks {
  LLVMValueRef begin, end;
};
struct cn_span_marks cn_span_marks(struct cn_ctx *ctx);
bool cn_span_is_begin(const struct cn_span_marks *marks, LLVMValueRef instruction);
bool cn_span_is_end(const struct cn_span_marks *marks, LLVMValueRef instruction);

/* Does `function` have markers or the metadata? Does it have markers? */
bool cn_spans_in(const struct cn_span_marks *marks, LLVMValueRef function);
bool cn_spans_marked(const struct cn_span_marks *marks, LLVMValueRef function);

/* Per block: does it reach nothing but returns, without a call or a cycle, so that the open spans
 * do not matter there? The caller frees it. */
bool *cn_spans_idle(const struct cn_cfg *cfg);

void cn_spans_find(struct cn_spans *spans, const struct cn_span_marks *marks, const struct cn_cfg *cfg);
void cn_spans_free(struct cn_spans *spans);
/* The open spans after `instruction`, if `open` are before it. CN_NO_SPAN: it ends a span that
 * never began. */
uint32_t cn_spans_after(struct cn_spans *spans, const struct cn_span_marks *marks, LLVMValueRef instruction,
                        uint32_t open);
/* The same with the spans of the metadata of `call`, for the call itself. */
uint32_t cn_spans_around(struct cn_spans *spans, LLVMValueRef call, uint32_t open);
/* Set that metadata, or remove it (null). */
void cn_span_set_metadata(LLVMValueRef call, LLVMValueRef node);
/* One step outwards; false: nothing is open. */
struct cn_span_open {
  LLVMValueRef key, value;
  uint32_t depth; /* abi.def, SPAN_MARK */
};
bool cn_spans_outer(const struct cn_spans *spans, uint32_t *open, struct cn_span_open *out);

/* Report markers that are declared or used in another way, and, of a function, spans that do not
 * nest, and keys and values that the table cannot have: of metadata, and (if `constants`, which
 * they may not be yet) of markers. */
void cn_spans_check_markers(struct cn_ctx *ctx);
void cn_spans_check(struct cn_ctx *ctx, LLVMValueRef function, bool constants);

/* ---- spans_prepare.c ---- */

/* Before the optimiser: tell it what it may know of the markers; make markers of metadata, close
 * what is open where the function is left, keep it out of its callers if an exception may leave it
 * in a span. */
void cn_spans_describe(struct cn_ctx *ctx);
void cn_spans_prepare(struct cn_ctx *ctx, LLVMValueRef function);
/* Build a marker before an instruction: of a beginning, or of an end (`value` is null). */
void cn_spans_build_marker(struct cn_ctx *ctx, LLVMValueRef before, LLVMMetadataRef location, LLVMValueRef key,
                           LLVMValueRef value);

/* ---- spans_table.c ---- */

/* The section `cairn_spans` of the module, while it grows. */
struct cn_span_table {
  struct cn_triples entries; /* 0, key, value in its usual form; the first is none */
  LLVMValueRef global;       /* what there is of it in the module, or null */
};
/* Why the table cannot have this, or null. */
const char *cn_span_refused(struct cn_ctx *ctx, LLVMValueRef key, LLVMValueRef value);
/* Read what the module has. False: that is no table. */
bool cn_span_table_read(struct cn_ctx *ctx, struct cn_span_table *table);
void cn_span_table_check(struct cn_ctx *ctx); /* report one that is none */
uint32_t cn_span_table_add(struct cn_ctx *ctx, struct cn_span_table *table, LLVMValueRef key, LLVMValueRef value);
/* Put it into the module, if it has grown; frees it. */
void cn_span_table_write(struct cn_ctx *ctx, struct cn_span_table *table);

/* The spans in pass rewrite-statepoints. */
struct cn_span_tails {
  struct cn_span_marks marks;
  struct cn_span_table table;
  struct cn_spans spans;  /* of the function that is rewritten */
  struct cn_ptrmap calls; /* of it -> the open spans there, if there are any */
};
void cn_span_tails_start(struct cn_ctx *ctx, struct cn_span_tails *tails);
void cn_span_tails_enter(struct cn_span_tails *tails, const struct cn_cfg *cfg);
/* Append the operands for `call` (abi.def, SPAN_MARK). */
void cn_span_tails_push(struct cn_ctx *ctx, struct cn_span_tails *tails, LLVMValueRef call, struct cn_operands *out);
/* Copy the metadata of `call` to its statepoint. */
void cn_span_tails_hand_on(const struct cn_span_tails *tails, LLVMValueRef call, LLVMValueRef statepoint);
void cn_span_tails_leave(struct cn_span_tails *tails);
void cn_span_tails_end(struct cn_ctx *ctx, struct cn_span_tails *tails);

#endif

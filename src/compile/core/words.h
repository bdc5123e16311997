/* SPDX-License-Identifier: Apache-2.0
 *
 * How words are told apart in a module: references from immediate integers (docs/words.md). Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_WORDS_H
#define CN_COMPILE_CORE_WORDS_H

#include "compile/core/pass.h"

/* The kind of words by the options, or else by the module's flag; all zero if both are absent, or if the flag is
 * malformed (cn_words_check_and_keep_flag() reports that). */
struct cairn_word_kind cn_words(const struct cn_ctx *ctx);

/* Check that the flag is a kind, and the options' if both say one; and keep it in the module. If both are silent, the
 * kind of C with immediates is 0:1. */
void cn_words_check_and_keep_flag(struct cn_ctx *ctx);

/* Add the flag, also where words are plain, unless the module has it. */
void cn_words_add_flag(struct cn_ctx *ctx);

/* The kind as text, "0:1" or "plain"; into the caller's buffer. */
enum { CN_WORDS_TEXT_BYTES = 16 };
const char *cn_words_format_kind(struct cairn_word_kind kind, char buffer[CN_WORDS_TEXT_BYTES]);

/* Read the kind of that text into *kind: null; else a message to be given to free(), with *kind unchanged. */
char *cn_words_parse(const char *text, struct cairn_word_kind *kind);

/* True if a reference, or each reference of a vector or aggregate, surely ends in the kind's bits of references. A
 * reference that comes from elsewhere as a word ends so (word_ends.c). Requires a kind with such bits. */
bool cn_words_prove_tag_bits(struct cn_ctx *ctx, struct cairn_word_kind kind, LLVMValueRef reference);

/* The kind as a number, for struct cairn_image (abi.def, IMAGE_WORDS). */
uint64_t cn_words_encode_kind(struct cairn_word_kind kind);

#endif

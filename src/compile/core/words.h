/* SPDX-License-Identifier: Apache-2.0
 *
 * The kind of words in a module: the low bits that tell references from immediate integers (docs/words.md). Private to
 * src/compile.
 */
#ifndef CN_COMPILE_CORE_WORDS_H
#define CN_COMPILE_CORE_WORDS_H

#include "compile/core/pass.h"

/* The kind of words from the options, or else from the module's flag. The kind is all zero if both are absent, or if
 * the flag is malformed; cn_words_check_and_keep_flag() reports a malformed flag. */
struct cairn_word_kind cn_words(const struct cn_ctx *ctx);

/* Check that the flag is a valid kind and agrees with the options, and keep the kind in the module's flag. Without an
 * option or flag, C with immediates gets the kind 0:1. */
void cn_words_check_and_keep_flag(struct cn_ctx *ctx);

/* Add the flag if the module lacks it, even for plain words. */
void cn_words_add_flag(struct cn_ctx *ctx);

/* Writes the kind as text, "0:1" or "plain", to the caller's buffer. */
enum { CN_WORDS_TEXT_BYTES = 16 };
const char *cn_words_format_kind(struct cairn_word_kind kind, char buffer[CN_WORDS_TEXT_BYTES]);

/* Parse the text into *kind and return null. On failure, *kind is unchanged, and the caller frees the returned message.
 */
char *cn_words_parse(const char *text, struct cairn_word_kind *kind);

/* True if a reference, or each reference of a vector or aggregate, provably has the low bits that `kind` requires of
 * references. References that a function loads or receives have these bits by assumption (word_ends.c). `kind` must not
 * be plain. */
bool cn_words_prove_tag_bits(struct cn_ctx *ctx, struct cairn_word_kind kind, LLVMValueRef reference);

uint64_t cn_words_encode_kind(struct cairn_word_kind kind);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * How words are told apart in a module: references from immediate integers (docs/words.md). Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_WORDS_H
#define CN_COMPILE_CORE_WORDS_H

#include "compile/core/pass.h"

/* What the options say, or else the module's flag; all zero if neither says anything, or the flag
 * is no kind (cn_words_take() reports that). */
struct cairn_word_kind cn_words(const struct cn_ctx *ctx);

/* Check that the flag is a kind, and the options' if both say one; and keep it in the module. If
 * neither says one, that of C with immediates is 0:1. */
void cn_words_take(struct cn_ctx *ctx);

/* Add the flag, also where words are plain, unless the module has it. */
void cn_words_add_flag(struct cn_ctx *ctx);

/* As text, "0:1" or "plain"; into the caller's buffer. */
enum { CN_WORDS_TEXT = 16 };
const char *cn_words_text(struct cairn_word_kind kind, char buffer[CN_WORDS_TEXT]);

/* The kind of that text into *kind: null; else a message to be given to free(), and *kind is as it was. */
char *cn_words_parse(const char *text, struct cairn_word_kind *kind);

/* Does a reference, or each one of a vector or aggregate, surely end as one of the kind does? The
 * kind has bits for that. What comes from elsewhere as a word does (word_ends.c). */
bool cn_words_keep_end(struct cn_ctx *ctx, struct cairn_word_kind kind, LLVMValueRef reference);

/* As a number, for struct cairn_image (abi.def, IMAGE_WORDS). */
uint64_t cn_words_code(struct cairn_word_kind kind);

#endif

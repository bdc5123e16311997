/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages about C sources and links that neither clang, the passes nor the linker give.
 */
#ifndef CN_DRIVER_CC_HINTS_H
#define CN_DRIVER_CC_HINTS_H

#include "base/kinds.h"
#include "driver/cc/command.h"

/* Add a note to each error about `managed`. Clang failed with this command, which reads no standard
 * input. */
void cn_hints_explain(const struct cn_words *words);

/* Add a note for each function that the linker missed since it is not managed code, and one if
 * kinds of barriers or of words, or sizes of blocks in line, are mixed. This command to link
 * failed. */
void cn_hints_link(const struct cn_words *words);

/* kinds.c: the linker complained of these symbols, of which each kind of barriers, or of words, or
 * size of blocks in line, has a definition. Say which of the command's files have which kind. */
#define CN_KIND_OF_BARRIERS CN_BARRIERS_SYMBOL
void cn_hints_barriers(const struct cn_words *words);
#define CN_KIND_OF_WORDS "cairn.words.kind"
void cn_hints_words(const struct cn_words *words);
#define CN_KIND_OF_INLINE "cairn.inline.kind"
void cn_hints_inline(const struct cn_words *words);

/* misplaced.c: warn if `managed` follows the braces of a struct, in the file at `path` and in those
 * that it includes by name from its folder: it means nothing there, and clang is silent about it.
 */
void cn_hints_misplaced(const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The language's own roots in managed C: local words that hold a reference in the language's own form, for example with
 * tag bits (docs/spans.md). Tagged roots come from Pillar (pillar-stack-iterator-2011, PrtGcTag).
 *
 *   uintptr_t value;
 *   cairn_tag_root(&value, CAIRN_ROOT_USER, 0);
 *
 * <cairn/stack.h> has the tags; the handler of cairn_set_user_roots() (<cairn/collector.h>) processes such a word in a
 * collection.
 */
#ifndef CAIRN_ROOTS_H
#define CAIRN_ROOTS_H

#include <cairn/cairn.h>

#ifndef CAIRN_PLAIN

/* Makes the local word at `word` a root of the calling function, with the tag (CAIRN_ROOT_USER or greater) and the
 * parameter, both constants. The word is 0 at first. Each access to the word in the source reads or writes its memory,
 * as if it were volatile. A copy of the word in another variable, a parameter or a result is valid only until the next
 * safepoint.
 *
 * Only functions that cairn-cc compiles may call cairn_tag_root(), on any thread. The call is a marker for the
 * compiler, without code at run time, and so never fails. The compiler refuses misuse: docs/refused.md, "user-root",
 * "stale-word". In plain mode (CAIRN_PLAIN) the function sets the word to 0. */
void cairn_tag_root(void *word, unsigned tag, unsigned long parameter) __asm__("cairn.user.root");

#else

static inline void cairn_tag_root(void *word, unsigned tag, unsigned long parameter)
{
  (void)tag;
  (void)parameter;
  __builtin_memset(word, 0, sizeof(void *));
}

#endif

#endif

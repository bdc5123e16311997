/* SPDX-License-Identifier: Apache-2.0
 *
 * User roots in managed C: local words that hold a reference in the language's own form, for example with tag bits
 * (docs/spans.md). Tagged roots come from Pillar (pillar-stack-iterator-2011, PrtGcTag).
 *
 *   uintptr_t value;
 *   cairn_tag_root(&value, CAIRN_ROOT_USER, 0);
 *
 * The tags are those of <cairn/stack.h>; the handler of cairn_set_user_roots() (<cairn/collector.h>) processes such a
 * word in a collection.
 */
#ifndef CAIRN_ROOTS_H
#define CAIRN_ROOTS_H

#include <cairn/cairn.h>

#ifndef CAIRN_PLAIN

/* Shows collectors the local word at `word`, with the tag (CAIRN_ROOT_USER or greater) and the parameter, both
 * constants, while this function runs. The word is 0 at first. The compiler reads and writes the word in memory at each
 * access of the program, volatile or not. A copy of the word in another variable, a parameter or a result is valid only
 * until the next safepoint.
 *
 * For functions that cairn-cc compiles; on any thread. A marker for the compiler: the call disappears from the code,
 * and so never fails. Misuse is an error of compilation: docs/refused.md, "user-root", "stale-word". In plain mode
 * (CAIRN_PLAIN) the word is set to 0. */
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * User roots in managed C: local words that hold a reference in the language's own form, for example with tag bits
 * (docs/spans.md, "Words of one's own"). Tagged roots come from Pillar (pillar-stack-iterator-2011, PrtGcTag).
 *
 *   uintptr_t value;
 *   cairn_tag_root(&value, CAIRN_ROOT_USER, 0);
 *
 * The tags are those of <cairn/stack.h>; cairn_set_user_roots() of <cairn/collector.h> says what a
 * collection does with such a word.
 */
#ifndef CAIRN_ROOTS_H
#define CAIRN_ROOTS_H

#include <cairn/cairn.h>

#ifndef CAIRN_PLAIN

/* Show collectors the local word at `word`, with the tag (CAIRN_ROOT_USER or greater) and the
 * parameter, both constants, while this function runs. The word is 0 at first. The compiler reads
 * and writes it in memory each time that the program does, volatile or not. A copy that the program
 * keeps (in another variable, a parameter, a result) is right until the next safepoint only.
 *
 * For functions that cairn-cc compiles; on any thread. A marker for the compiler: no call is
 * left of it, and nothing fails at run time. What does not hold is an error of compilation:
 * docs/refused.md, "user-root", "stale-word". In plain mode (CAIRN_PLAIN) the word is set to 0. */
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

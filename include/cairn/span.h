/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans in managed C: data attached to ranges of code, which walks of the stack find (cairn_stack_span(),
 * <cairn/stack.h>). The rules are in docs/spans.md. Spans are Pillar's (pillar-stack-iterator-2011).
 *
 *   static const struct handlers handlers = { ... };
 *   cairn_span_begin(HANDLERS, &handlers);
 *   run(list);
 *   cairn_span_end(HANDLERS);
 *
 * For functions that cairn-cc compiles, as <cairn/cairn.h>; on any thread. The two are markers for the compiler: they
 * disappear from the code, and so never fail at run time. Misuse is an error of compilation: docs/refused.md,
 * "span-nesting", "span-value", "span-marker". In plain mode (CAIRN_PLAIN) they have no effect.
 */
#ifndef CAIRN_SPAN_H
#define CAIRN_SPAN_H

#include <cairn/cairn.h>

#ifndef CAIRN_PLAIN

/* Opens a span: from here to cairn_span_end(key), on every path, a walk of the stack finds `value` by `key` at this
 * activation. Both are constants; `value` is the address of a symbol that is linked with the program, preferably of a
 * static, or a number converted to a pointer. The runtime only passes the value on. Spans nest; an open span ends when
 * the function is left. */
void cairn_span_begin(unsigned long key, const void *value) __asm__("cairn.span.begin");

/* Ends the smallest open span with this key. */
void cairn_span_end(unsigned long key) __asm__("cairn.span.end");

#else

static inline void cairn_span_begin(unsigned long key, const void *value)
{
  (void)key;
  (void)value;
}

static inline void cairn_span_end(unsigned long key)
{
  (void)key;
}

#endif

#endif

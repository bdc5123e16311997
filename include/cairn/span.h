/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans in managed C: data attached to ranges of code, which walks of the stack find (cairn_stack_span(),
 * <cairn/stack.h>). The rules are in docs/spans.md. Spans come from Pillar (pillar-stack-iterator-2011).
 *
 *   static const struct handlers handlers = { ... };
 *   cairn_span_begin(HANDLERS, &handlers);
 *   run(list);
 *   cairn_span_end(HANDLERS);
 *
 * Only functions that cairn-cc compiles may call these functions, on any thread. The calls are markers for the
 * compiler, without code at run time, and so never fail. The compiler refuses misuse: docs/refused.md, "span-nesting",
 * "span-value", "span-marker". In plain mode (CAIRN_PLAIN) the calls have no effect.
 */
#ifndef CAIRN_SPAN_H
#define CAIRN_SPAN_H

#include <cairn/cairn.h>

#ifndef CAIRN_PLAIN

/* Opens a span: from this call to cairn_span_end(key), on every path, a walk of the stack finds `value` by `key` at
 * this activation. `key` and `value` are constants; `value` is a number converted to a pointer, or the address of a
 * symbol that is linked with the program, preferably of a static. The runtime only passes the value on. Spans nest; an
 * open span ends when the function is left. */
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

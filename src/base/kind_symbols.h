/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks of objects that linkers check. The kind of barriers is a hidden symbol, in a group that is named after the
 * kind: the compile side defines the symbol, and the object side checks for it. Code for the runtime in the executable
 * refers to a symbol of libcairn.a. cairn-cc explains the linkers' messages about both.
 */
#ifndef CN_BASE_KIND_SYMBOLS_H
#define CN_BASE_KIND_SYMBOLS_H

#define CN_BARRIERS_SYMBOL "cairn.barriers.kind"
/* A constructor in libcairn.a that does nothing. Code that finds the thread's mutator in the executable lists it, so
 * that a linker refuses to join the code with libcairn.so, which lacks it. The name states the remedy. */
#define CN_STATIC_RUNTIME "cairn_code_that_needs_libcairn_a_or_fpic"

#endif

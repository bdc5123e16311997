/* SPDX-License-Identifier: Apache-2.0
 *
 * The mark of an object's kind of barriers: a hidden symbol, in a group that is named after the kind. The compile side
 * defines the symbol, the object side checks for it, and cairn-cc explains the linkers' messages about it.
 */
#ifndef CN_BASE_KIND_SYMBOLS_H
#define CN_BASE_KIND_SYMBOLS_H

#define CN_BARRIERS_SYMBOL "cairn.barriers.kind"

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * How an object says which kind of barriers its code has: it defines this hidden symbol, in a group
 * that is named after the kind. Shared by the compile side, which defines it, the object side,
 * which looks whether it is there, and cairn-cc, which explains what linkers say of it.
 */
#ifndef CN_BASE_KIND_SYMBOLS_H
#define CN_BASE_KIND_SYMBOLS_H

#define CN_BARRIERS_SYMBOL "cairn.barriers.kind"

#endif

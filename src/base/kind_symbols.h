/* SPDX-License-Identifier: Apache-2.0
 *
 * The sign of the kind of an object's barriers: the object defines this hidden symbol, in a group that is named after
 * the kind. Shared by the compile side, which defines it, the object side, which checks for it, and cairn-cc, which
 * explains the linkers' messages about it.
 */
#ifndef CN_BASE_KIND_SYMBOLS_H
#define CN_BASE_KIND_SYMBOLS_H

#define CN_BARRIERS_SYMBOL "cairn.barriers.kind"

#endif

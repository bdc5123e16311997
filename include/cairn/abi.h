/* SPDX-License-Identifier: Apache-2.0
 *
 * abi.def as C constants, for the compile side, the runtime and collectors; user programs include other headers.
 */
#ifndef CAIRN_ABI_H
#define CAIRN_ABI_H

/* Each value has an anonymous enumeration, whose type the compiler chooses: some values exceed `int`. */
#define CAIRN_ABI(name, value) enum { CAIRN_ABI_##name = value };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cairn/abi.def>
#pragma GCC diagnostic pop
#undef CAIRN_ABI

#endif

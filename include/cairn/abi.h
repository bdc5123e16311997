/* SPDX-License-Identifier: Apache-2.0
 *
 * abi.def as C constants. Included by the compile side, the runtime and collectors; not by user
 * programs.
 */
#ifndef CAIRN_ABI_H
#define CAIRN_ABI_H

/* Values beyond `int` are needed, so one anonymous enumeration per value: each takes the type that
 * it needs. */
#define CAIRN_ABI(name, value) enum { CAIRN_ABI_##name = value };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cairn/abi.def>
#pragma GCC diagnostic pop
#undef CAIRN_ABI

#endif

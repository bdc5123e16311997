/* SPDX-License-Identifier: Apache-2.0
 *
 * abi.def and the .def of the port as C constants, for the compile side, the runtime and collectors; user programs
 * include other headers.
 */
#ifndef CAIRN_ABI_H
#define CAIRN_ABI_H

/* Each value has an anonymous enumeration, whose type the compiler chooses: some values exceed `int`. */
#define CAIRN_ABI(name, value) enum { CAIRN_ABI_##name = value };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cairn/abi.def>
#if defined __aarch64__
#include <cairn/abi_aarch64.def>
#elif defined __x86_64__
#include <cairn/abi_x86_64.def>
#else
#error "Cairn has no port to this machine"
#endif
#pragma GCC diagnostic pop
#undef CAIRN_ABI

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of an assembly function that compiled code may call as managed code (docs/stack.md): the mark, and the
 * entry for native callers. The entry makes the thread managed, and then calls the code after it. Native code calls the
 * entry, and managed code does, too, at a call of cairn_managed_callee(); other managed code calls the code after the
 * entry.
 *
 *   CAIRN_ENTRY(name)           in a .S file that the C preprocessor reads
 *   CAIRN_ENTRY_STRING(name)    in C, as part of the string of an __asm__
 *
 * Both macros define the labels `name` and, for calls that pass references, cairn.managed_code.name; the function's
 * first instruction follows the macro. The code overwrites registers that are free at the start of a function. Its
 * numbers come from <cairn/abi.def>: MANAGED_MARK, MUTATOR_STATE; and from the .def of the machine: ENTRY_SIZE.
 */
#ifndef CAIRN_ENTRY_H
#define CAIRN_ENTRY_H

#if defined __aarch64__
#include <cairn/entry_aarch64.h>
#elif defined __x86_64__
#include <cairn/entry_x86_64.h>
#else
#error "Cairn has no port to this machine"
#endif

#define CAIRN_ENTRY_STRING(name) CAIRN_ENTRY_QUOTE(CAIRN_ENTRY(name))
#define CAIRN_ENTRY_QUOTE(...) CAIRN_ENTRY_QUOTE_TEXT(__VA_ARGS__)
#define CAIRN_ENTRY_QUOTE_TEXT(...) #__VA_ARGS__ "\n"

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of functions: of files by their symbols, of loaded code by <cairn/code.h>. Look-ups are for any thread,
 * in any phase, also in signal handlers; they take no lock and never wait.
 */
#ifndef CN_RUNTIME_CODE_NAMES_H
#define CN_RUNTIME_CODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/code.h>

/* An entry of a debugger's list (debugger.c). */
struct cn_debugger_entry {
  struct cn_debugger_entry *next, *previous;
  const char *file;
  uint64_t file_size;
};

/* Names as the runtime keeps them: the functions ascend by their starts. One block of memory has all parts. */
struct cairn_named_code {
  struct cairn_code_names names;
  size_t bytes;
  uintptr_t start, end;           /* of all functions; equal if all functions are empty */
  struct cn_debugger_entry entry; /* if there is a debug file */
};

/* Write the name of the function with the code at `pc`, as "name+0x12". False: unknown. */
bool cn_code_describe(uintptr_t pc, char *buffer, size_t size);

/* Write the origin of the code at `pc`: its file, or the origin of its names. False: unknown. */
bool cn_code_find_origin(uintptr_t pc, char *buffer, size_t size);

/* Call `visit` for all named code, in the order of addresses. The calling thread holds CN_LOCK_CODE. */
typedef void cn_code_visitor(const struct cairn_named_code *named);
void cn_code_visit_named(cn_code_visitor *visit);

#endif

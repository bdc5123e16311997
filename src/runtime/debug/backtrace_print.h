/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a backtrace. No memory is allocated, but by libdw where `lines` allows it.
 */
#ifndef CN_RUNTIME_DEBUG_BACKTRACE_PRINT_H
#define CN_RUNTIME_DEBUG_BACKTRACE_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

struct cn_print {
  int fd;
  bool lines; /* cn_os_lines_begin() was called: files and lines may be looked up */
};

/* A line for each function that was inlined at `pc`, and one for the function itself:
 *   #7  0x000055d1c0de1234 in name at file.c:12:3 (inlined)
 * `interrupted`: pc is not after a call. `walk` is at the activation, or null. */
void cn_backtrace_print_activation(const struct cn_print *print, uint64_t number, uintptr_t pc, bool interrupted,
                                   const struct cn_walk *walk);

/* "     ... " and the text. */
void cn_backtrace_print_note(const struct cn_print *print, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

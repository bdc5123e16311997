/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a backtrace. These functions do not allocate.
 */
#ifndef CN_RUNTIME_DEBUG_BACKTRACE_PRINT_H
#define CN_RUNTIME_DEBUG_BACKTRACE_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

/* Write into `file` a line for each function inlined at `pc`, and a line for the enclosing function:
 *   #7  0x000055d1c0de1234 in name at file.c:12:3 (inlined)
 * `interrupted` is false if pc is a return address. `walk` is null, or at the activation. */
void cn_backtrace_print_activation(int file, uint64_t number, uintptr_t pc, bool interrupted,
                                   const struct cn_walk *walk);

/* Write a line with "     ... " and the text. */
void cn_backtrace_print_note(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

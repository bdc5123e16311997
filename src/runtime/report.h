/* SPDX-License-Identifier: Apache-2.0
 *
 * What the runtime says to people, all of it on the standard error stream and all of it after
 * "cairn: ". Nothing here allocates.
 */
#ifndef CN_RUNTIME_REPORT_H
#define CN_RUNTIME_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* Formatted text, unbuffered, without prefix. Longer than a kilobyte is cut. */
void cn_report_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The program asked for what it cannot have: say so and exit(1), so that its own exit handlers run.
 * */
_Noreturn void cn_report_exit(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "0x401136 (function+0x16)" into the caller's buffer. */
#define CN_REPORT_PC 160
const char *cn_report_pc(uintptr_t pc, char buffer[CN_REPORT_PC]);

#endif

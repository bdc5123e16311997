/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the runtime's messages on the standard error stream, after the prefix "cairn: ". These functions do not
 * allocate.
 */
#ifndef CN_RUNTIME_CORE_MESSAGES_H
#define CN_RUNTIME_CORE_MESSAGES_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* While a thread has a guard, cairn_fatal() prints no message and jumps to the guard. Code that must continue after a
 * failure to parse the stack, such as a backtrace, sets a guard. */
struct cn_report_guard {
  sigjmp_buf back;
  struct cn_report_guard *outer;
};
extern _Thread_local struct cn_report_guard *cn_report_guard;

/* Formatted text, unbuffered, without prefix. Drops all text after the first kilobyte. */
void cn_report_print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a line of the statistics: "name: 12", or "name: 12.3" in microseconds. */
void cn_report_print_count(const char *name, uint64_t value);
void cn_report_print_microseconds(const char *name, uint64_t nanoseconds);

/* Print the message and call exit(1), after an impossible request of the program. The program's exit handlers run. */
_Noreturn void cn_report_exit(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like cn_report_exit(), after a message that the caller has printed. */
_Noreturn void cn_report_exit_program(void);

/* Like cairn_fatal(), with a message that begins "thread 12, pc 0x401136 (function+0x16): ". `pc` is the return
 * address of the calling thread's call that misuses the runtime. */
_Noreturn void cn_report_fatal(uintptr_t pc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print a line that begins "cairn: out of memory: ", and end the program with exit status 1. Exit handlers run unless
 * the thread is in a slow path, because references may be stale then. */
_Noreturn void cn_report_out_of_memory(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Write "0x401136 (function+0x16)" into the caller's buffer. A safepoint in a program compiled with -g and stripped of
 * its symbols gives "0x401136 (function at file.c:12)". */
#define CN_REPORT_PC 160
const char *cn_report_format_pc(uintptr_t pc, char buffer[CN_REPORT_PC]);

/* The same for a return address: the function is that of the call. */
const char *cn_report_format_return(uintptr_t pc, char buffer[CN_REPORT_PC]);

#endif

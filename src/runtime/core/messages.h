/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the runtime to people: all on the standard error stream, and all after "cairn: ". They allocate
 * nothing.
 */
#ifndef CN_RUNTIME_CORE_MESSAGES_H
#define CN_RUNTIME_CORE_MESSAGES_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* While a thread has a guard, cairn_fatal() is silent and jumps to the guard: for code that must go on if the stack
 * cannot be parsed, such as a backtrace. */
struct cn_report_guard {
  sigjmp_buf back;
  struct cn_report_guard *outer;
};
extern _Thread_local struct cn_report_guard *cn_report_guard;

/* Formatted text, unbuffered, without prefix. Text longer than a kilobyte is cut. */
void cn_report_print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "name: 12", and "name: 12.3" of nanoseconds: lines of the statistics. */
void cn_report_print_count(const char *name, uint64_t value);
void cn_report_print_microseconds(const char *name, uint64_t nanoseconds);

/* The program asks for an impossible thing: print the message and exit(1), so that the program's exit handlers run. */
_Noreturn void cn_report_exit(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like cn_report_exit(), after a message of the caller's. */
_Noreturn void cn_report_exit_program(void);

/* Like cairn_fatal(), after "thread 12, pc 0x401136 (function+0x16): ". `pc` is the address of the calling thread's
 * misuse. */
_Noreturn void cn_report_fatal(uintptr_t pc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The runtime is out of memory: one line that begins "cairn: out of memory: ", exit status 1. Exit handlers run,
 * except in the middle of a slow path, where references may be stale. */
_Noreturn void cn_report_out_of_memory(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "0x401136 (function+0x16)" into the caller's buffer; for a safepoint in a program without symbols, compiled with
 * -g, "0x401136 (function at file.c:12)". */
#define CN_REPORT_PC 160
const char *cn_report_format_pc(uintptr_t pc, char buffer[CN_REPORT_PC]);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints messages, formats code addresses for them, and ends the program after an error. Runs on any thread, in any
 * phase, also in signal handlers. The file takes no lock itself; the source position of an address is looked up under
 * CN_LOCK_IMAGES. The file owns the guard that catches failures of a thread (`cn_report_guard`, thread-local), and a
 * count that detects a second exit.
 */
#include "runtime/core/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/mutator.h"
#include "runtime/os/os.h"

/* Writes the message by a single system call, so that lines of several processes stay whole. */
static void write_message(const char *prefix, const char *format, va_list args, const char *suffix)
{
  char text[1024];
  size_t used = (size_t)snprintf(text, sizeof text, "%s", prefix);
  int n = vsnprintf(text + used, sizeof text - used - 1, format, args);

  if (n > 0)
    used += (size_t)n < sizeof text - used - 1 ? (size_t)n : sizeof text - used - 2;
  used += (size_t)snprintf(text + used, sizeof text - used, "%s", suffix);
  CN_CHECK(used < sizeof text);
  cn_os_write_message(text, used);
}

void cn_report_print_text(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  write_message("", format, args, "");
  va_end(args);
}

void cn_report_print_count(const char *name, uint64_t value)
{
  cn_report_print_text("%s: %llu\n", name, (unsigned long long)value);
}

void cn_report_print_microseconds(const char *name, uint64_t nanoseconds)
{
  cn_report_print_text("%s: %llu.%llu\n", name, (unsigned long long)nanoseconds / 1000,
                       (unsigned long long)nanoseconds / 100 % 10);
}

_Thread_local struct cn_report_guard *cn_report_guard;

_Noreturn void cairn_fatal(const char *format, ...)
{
  va_list args;

  if (cn_report_guard != NULL)
    siglongjmp(cn_report_guard->back, 1);
  cn_defer_signals(); /* a handler could fail in the same way, and abort before the backtrace */
  va_start(args, format);
  write_message("cairn: fatal: ", format, args, "\n");
  va_end(args);
  cn_hooks.print_stack((uintptr_t)__builtin_frame_address(0));
  abort();
}

_Noreturn void cn_report_fatal(uintptr_t pc, const char *format, ...)
{
  char text[512], place[CN_REPORT_PC];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cairn_fatal("thread %d, pc %s: %s", cn_os_thread(), cn_report_format_return(pc, place), text);
}

_Noreturn void cn_report_exit(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  write_message("cairn: ", format, args, "\n");
  va_end(args);
  cn_report_exit_program();
}

static _Noreturn void exit_out_of_memory(const char *format, va_list args)
{
  write_message("cairn: out of memory: ", format, args, "\n");
  if (cairn_mutator.busy || cn_thread.works != 0) /* exit handlers would wait for this thread for ever */
    _exit(1);
  cn_report_exit_program();
}

_Noreturn void cn_report_out_of_memory(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  exit_out_of_memory(format, args);
}

_Noreturn void cairn_out_of_memory(bool intact, const char *format, ...)
{
  va_list args;

  if (intact) {
    cairn_mutator.busy = 0;
    cn_deliver_postponed_signals();
  }
  va_start(args, format);
  exit_out_of_memory(format, args);
}

_Noreturn void cn_report_exit_program(void)
{
  static int exiting;

  /* If an exit handler fails, exit() must not be called again. The code that a signal handler interrupted may hold a
   * lock that an exit handler takes. */
  if (exiting++ != 0 || cn_thread_is_in_handler())
    _exit(1);
  exit(1);
}

const char *cn_report_format_pc(uintptr_t pc, char buffer[CN_REPORT_PC])
{
  char symbol[CN_REPORT_PC - 32];

  if (cn_os_describe_symbol(pc, symbol, sizeof symbol) || cn_hooks.source(pc, symbol, sizeof symbol))
    snprintf(buffer, CN_REPORT_PC, "0x%lx (%s)", (unsigned long)pc, symbol);
  else
    snprintf(buffer, CN_REPORT_PC, "0x%lx (no symbol)", (unsigned long)pc);
  return buffer;
}

/* The byte at a return address may belong to the next function. */
static bool describe_call_before(uintptr_t pc, char *symbol, size_t size)
{
  if (!cn_os_describe_symbol(pc - 1, symbol, size) && !cn_hooks.source(pc - 1, symbol, size))
    return false;
  char *plus = strrchr(symbol, '+');
  if (plus != NULL)
    snprintf(plus, size - (size_t)(plus - symbol), "+0x%lx", strtoul(plus + 1, NULL, 16) + 1);
  return true;
}

const char *cn_report_format_return(uintptr_t pc, char buffer[CN_REPORT_PC])
{
  char symbol[CN_REPORT_PC - 32];

  if (!describe_call_before(pc, symbol, sizeof symbol))
    return cn_report_format_pc(pc, buffer);
  snprintf(buffer, CN_REPORT_PC, "0x%lx (%s)", (unsigned long)pc, symbol);
  return buffer;
}

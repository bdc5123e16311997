/* SPDX-License-Identifier: Apache-2.0
 *
 * GDB's interface for code that a program makes ("JIT Compilation Interface" of GDB's manual, which LLDB knows, too). A
 * debugger sets a breakpoint on a function of a fixed name, reads a variable of a fixed name there, and loads or drops
 * the ELF file that the variable's entry refers to. Owns the list of entries, under CN_LOCK_CODE; a debugger reads it
 * whenever the program is stopped. Also owns the result of the last look for a debugger, which is atomic. Runs on any
 * thread in phase MUTATE.
 */
#include "runtime/code/tools.h"

#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"

/* The names and the structures are the interface's, of version 1. */
enum { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };
struct jit_descriptor {
  uint32_t version, action;
  struct cn_debugger_entry *relevant, *first;
};
_Static_assert(sizeof(struct jit_descriptor) == 24 && offsetof(struct jit_descriptor, relevant) == 8, "GDB's layout");
_Static_assert(sizeof(struct cn_debugger_entry) == 32, "GDB's layout");
_Static_assert(offsetof(struct cn_debugger_entry, file) == 16, "GDB's layout");
static _Atomic uint64_t next_tracer_look; /* cn_os_clock_nanoseconds() */
static atomic_bool has_tracer;            /* at the last look */
struct jit_descriptor __jit_debug_descriptor = {.version = 1};
void __jit_debug_register_code(void);

/* Debuggers stop here. */
__attribute__((noinline)) void __jit_debug_register_code(void)
{
  __asm__ volatile("" ::: "memory");
}

/* A look for a tracer reads a file of the system: there are at most ten a second. */
bool cairn_code_is_debugged(void)
{
  enum { NANOSECONDS_BETWEEN_LOOKS = 100000000 };
  uint64_t now = cn_os_clock_nanoseconds();

  if ((cn_options.code & CN_CODE_GDB) != 0)
    return true;
  if (now >= atomic_load_explicit(&next_tracer_look, memory_order_relaxed)) {
    atomic_store_explicit(&has_tracer, cn_os_has_tracer(), memory_order_relaxed);
    atomic_store_explicit(&next_tracer_look, now + NANOSECONDS_BETWEEN_LOOKS, memory_order_relaxed);
  }
  return atomic_load_explicit(&has_tracer, memory_order_relaxed);
}

/* The first fault of the list, or null. Linear. */
static const char *entries_wrong(void)
{
  const struct cn_debugger_entry *previous = NULL;

  for (const struct cn_debugger_entry *entry = __jit_debug_descriptor.first; entry != NULL; entry = entry->next) {
    if (entry->previous != previous)
      return "debugger: an entry has the wrong predecessor";
    if (entry->file == NULL)
      return "debugger: an entry has no file";
    previous = entry;
  }
  return NULL;
}

static void tell_debugger(uint32_t action, struct cn_debugger_entry *entry)
{
  CN_ASSERT_VALID(entries_wrong());
  CN_ASSERT(__jit_debug_descriptor.version == 1 && entry != NULL);
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = JIT_NOACTION;
  __jit_debug_descriptor.relevant = NULL;
}

void cn_debugger_add(struct cairn_named_code *named)
{
  struct cn_debugger_entry *entry = &named->entry, *first = __jit_debug_descriptor.first;

  if (named->names.debug_file == NULL)
    return;
  *entry = (struct cn_debugger_entry){first, NULL, named->names.debug_file, named->names.debug_file_size};
  if (first != NULL)
    first->previous = entry;
  __jit_debug_descriptor.first = entry;
  tell_debugger(JIT_REGISTER_FN, entry);
}

void cn_debugger_remove(struct cairn_named_code *named)
{
  struct cn_debugger_entry *entry = &named->entry;

  if (named->names.debug_file == NULL)
    return;
  if (entry->next != NULL)
    entry->next->previous = entry->previous;
  if (entry->previous != NULL)
    entry->previous->next = entry->next;
  else
    __jit_debug_descriptor.first = entry->next;
  tell_debugger(JIT_UNREGISTER_FN, entry);
}

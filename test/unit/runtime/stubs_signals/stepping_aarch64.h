/* SPDX-License-Identifier: Apache-2.0
 *
 * Stepping by breakpoints in the stubs: programs cannot ask this processor for a trap after each instruction. All
 * instructions are breakpoints, except for the one that runs next. Included by stepping.c.
 */
#ifndef STEPPING_AARCH64_H
#define STEPPING_AARCH64_H

#include <string.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include "runtime/arch/arch.h"

enum { RESTORER_FLAG = 0, BREAKPOINT = 0xd4200000 /* brk #0 */, ENTRY_WORDS = 2, MAX_WORDS = 1 << 14 };

/* The kernel's own code returns from the handler. */
static void (*const step_restorer)(void) = NULL;

static uint32_t *code, words[MAX_WORDS];
static bool is_code[MAX_WORDS];
static size_t word_count;

static bool is_in(const uint32_t *word, uintptr_t start, size_t bytes)
{
  return (uintptr_t)word - start < bytes;
}

/* Data are the marks, the words after them, and all of the entries of replaced returns but the first entry's code. */
static void find_code(void)
{
  uintptr_t end, barriers = cn_arch_return_barrier_address(0), marked = (uintptr_t)cn_arch_marked_returns;
  uint64_t mark;

  code = (uint32_t *)cn_arch_stubs_range(&end);
  word_count = (end - (uintptr_t)code) / sizeof *code;
  if (word_count > MAX_WORDS)
    abort();
  memcpy(words, code, word_count * sizeof *words);
  for (size_t i = 0; i < word_count; i++) {
    bool is_entry = is_in(&code[i], barriers, CAIRN_ABI_BARRIERS * 32) ||
                    is_in(&code[i], marked, CAIRN_ABI_MARKED_BLOCKS * CAIRN_ABI_MARKED_BLOCK_BYTES);
    is_code[i] = words[i] != 0 && (!is_entry || is_in(&code[i], barriers, ENTRY_WORDS * sizeof *code));
  }
  for (size_t i = 0; i + 1 < word_count; i++) {
    memcpy(&mark, &words[i], sizeof mark);
    if (mark == CAIRN_ABI_MANAGED_MARK)
      is_code[i] = is_code[i + 1] = false;
  }
}

/* Make all instructions except for `at` breakpoints; null: without breakpoints. */
static void set_breakpoints(const uint32_t *at)
{
  for (size_t i = 0; i < word_count; i++)
    if (is_code[i])
      __atomic_store_n(&code[i], at == NULL || at == &code[i] ? words[i] : BREAKPOINT, __ATOMIC_RELAXED);
  __builtin___clear_cache((char *)code, (char *)(code + word_count));
}

/* The kernel has the handler's frame; the unwinder knows it by the code that returns from the handler. */
static void trapped(int signal, siginfo_t *info, void *context)
{
  const ucontext_t *interrupted = context;
  uint32_t *at = (uint32_t *)(uintptr_t)interrupted->uc_mcontext.pc;

  (void)signal;
  (void)info;
  set_breakpoints(NULL);
  call_between((uintptr_t)at);
  set_breakpoints(at);
}

static void begin_traps(void)
{
  static const uint32_t first; /* no instruction */

  if (code == NULL)
    find_code();
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)code & -page;
  if (mprotect((void *)start, (uintptr_t)(code + word_count) - start, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    abort();
  set_breakpoints(&first);
}

static void end_traps(void)
{
  set_breakpoints(NULL);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes written code visible to the instruction fetches of all processors, whose caches of instructions do not follow
 * memory: "Arm Architecture Reference Manual for A-profile architecture" (DDI 0487), "Synchronization and coherency
 * issues between data and instruction accesses". The register CTR_EL0 tells which steps this processor needs.
 * All ranges take a step before the next step begins, so that a batch waits twice. A line that several neighbouring
 * ranges share takes a step once: some systems emulate the invalidation, and then claim lines of a page.
 *
 * Emulators that translate code by its address miss a write through another mapping (qemu-user before 8.1). The first
 * publication finds this out by a small function; from then on the pages are also protected anew, which emulators
 * notice. Owns the result, under CN_LOCK_PATCH.
 */
#include "patch/machine.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/near_memory.h"
#include "patch/aarch64/encode.h"
#include "runtime/os/os.h"

enum code_visibility { UNTRIED, CACHES_SUFFICE, PAGES_ARE_RENEWED };
static enum code_visibility visibility;

struct cn_publication {
  void (*step)(uintptr_t line);
  uintptr_t line_bytes, previous;
};

/* ---- steps ---- */

static void clean_line(uintptr_t line)
{
  __asm__ volatile("dc cvau, %0" : : "r"(line) : "memory");
}

static void invalidate_line(uintptr_t line)
{
  __asm__ volatile("ic ivau, %0" : : "r"(line) : "memory");
}

static void renew_page(uintptr_t page)
{
  if (!cn_os_renew_code(page, cn_os_page_bytes()))
    cairn_fatal("the system refuses to protect code pages anew after a patch");
}

void cn_machine_publish_range(struct cn_publication *publication, uintptr_t start, size_t bytes)
{
  uintptr_t line = start & ~(publication->line_bytes - 1);

  for (; line < start + bytes; line += publication->line_bytes)
    if (line != publication->previous) {
      publication->step(line);
      publication->previous = line;
    }
}

static void take_step(cn_written_ranges *visit, const void *env, void (*step)(uintptr_t line), uintptr_t line_bytes)
{
  enum { NO_LINE = 1 };
  struct cn_publication publication = {step, line_bytes, NO_LINE};

  visit(env, &publication);
}

static void wait_for_caches(void)
{
  __asm__ volatile("dsb ish" : : : "memory");
}

/* The fields of CTR_EL0. A line's size is the logarithm of its number of words of 4 bytes. */
static void maintain_caches(cn_written_ranges *visit, const void *env)
{
  enum { INSTRUCTION_LINE_SHIFT = 0, DATA_LINE_SHIFT = 16, NO_CLEANING_SHIFT = 28, NO_INVALIDATION_SHIFT = 29 };
  uint64_t type;

  __asm__("mrs %0, ctr_el0" : "=r"(type));
  if ((type >> NO_CLEANING_SHIFT & 1) == 0)
    take_step(visit, env, clean_line, (uintptr_t)4 << (type >> DATA_LINE_SHIFT & 0xf));
  wait_for_caches();
  if ((type >> NO_INVALIDATION_SHIFT & 1) == 0)
    take_step(visit, env, invalidate_line, (uintptr_t)4 << (type >> INSTRUCTION_LINE_SHIFT & 0xf));
  wait_for_caches();
  __asm__ volatile("isb" : : : "memory");
}

static void publish(cn_written_ranges *visit, const void *env)
{
  maintain_caches(visit, env);
  if (visibility == PAGES_ARE_RENEWED)
    take_step(visit, env, renew_page, cn_os_page_bytes());
}

/* ---- the trial ---- */

/* A page of code with two mappings. */
struct trial {
  char *writable;
  uintptr_t code;
};

static void publish_trial(const void *env, struct cn_publication *publication)
{
  cn_machine_publish_range(publication, *(const uintptr_t *)env, 3 * CN_INSTRUCTION_BYTES);
}

/* True if a function that returns `number` runs as written. */
static bool runs_as_written(const struct trial *trial, uint64_t number)
{
  struct cairn_assembler code;

  cairn_assembler_begin(&code, trial->writable, 3 * CN_INSTRUCTION_BYTES, trial->code);
  cairn_assemble_constant(&code, 0, number, 4);
  cairn_assemble_return(&code);
  publish(publish_trial, &trial->code);
  return ((uint64_t (*)(void))trial->code)() == number;
}

/* Without two mappings of a page there are no patches, and the trial comes with the next publication. */
static void try_publication(void)
{
  struct trial trial;

  trial.writable =
      cn_map_code_near((uintptr_t)cn_machine_publish, cn_machine_reach_bytes, cn_os_page_bytes(), &trial.code);
  if (trial.writable == NULL)
    return;
  visibility = CACHES_SUFFICE;
  if (!runs_as_written(&trial, 1) || !runs_as_written(&trial, 2))
    visibility = PAGES_ARE_RENEWED;
  if (visibility == PAGES_ARE_RENEWED && (!runs_as_written(&trial, 3) || !runs_as_written(&trial, 4)))
    cairn_fatal("the processor runs code as it was before a patch");
  cn_os_free_mapping(trial.writable, cn_os_page_bytes());
  cn_os_free_mapping((void *)trial.code, cn_os_page_bytes());
}

void cn_machine_publish(cn_written_ranges *visit, const void *env)
{
  if (visibility == UNTRIED)
    try_publication();
  publish(visit, env);
}

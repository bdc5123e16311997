/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the names of functions in loaded code, for backtraces and messages, and tells debuggers and profilers about
 * them. Owns the published set of named code, its memory and the epochs of its readers. A writer holds CN_LOCK_CODE,
 * publishes a new set, and waits until all readers have left the old one (readers.h). Changes run on any thread in
 * phase MUTATE; look-ups on any thread, in any phase, also in signal handlers.
 */
#include "runtime/code/names.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/code/tools.h"
#include "runtime/core/lock.h"
#include "runtime/core/readers.h"
#include "runtime/os/os.h"
#include "runtime/tables/ranges.h"

_Static_assert(offsetof(struct cairn_code_function, start) == 0, "sorted.h");

static const struct cn_range_node *_Atomic all_named; /* by address, if the code has functions */
static struct cn_reader_epochs name_readers;
static struct cn_blocks name_memory;
static _Thread_local volatile unsigned reads_names; /* readers.h */

/* ---- look-ups ---- */

static bool contains(const struct cairn_code_function *function, uintptr_t pc)
{
  return pc - function->start < function->size;
}

/* The function with the code at `pc`, or null. */
static const struct cairn_code_function *find_function(const struct cairn_named_code *named, uintptr_t pc)
{
  const struct cairn_code_function *functions = named->names.functions;
  size_t below = cn_sorted_count_below(functions, named->names.count, sizeof *functions, pc + 1);

  CN_ASSERT(below <= named->names.count && (below == 0 || functions[below - 1].start <= pc));
  return below > 0 && contains(&functions[below - 1], pc) ? &functions[below - 1] : NULL;
}

/* Several modules may lie between the functions of one. */
static const struct cairn_named_code *find_named(uintptr_t pc, const struct cairn_code_function **function)
{
  const struct cn_range_node *tree = atomic_load(&all_named);
  const struct cn_range *range = NULL;

  CN_ASSERT(reads_names != 0 && pc != UINTPTR_MAX);
  while ((range = cn_ranges_next_overlap(tree, range, pc, pc + 1)) != NULL)
    if ((*function = find_function(range->value, pc)) != NULL)
      return range->value;
  return NULL;
}

/* True: the thread now reads, and the caller must leave. A signal handler may interrupt a look-up. */
static bool enter_readers(void)
{
  if (reads_names != 0)
    return false;
  cn_readers_enter(&name_readers, &reads_names);
  return true;
}

static void leave_readers(bool entered)
{
  CN_ASSERT_VALID(cn_readers_wrong(&name_readers, reads_names));
  if (entered)
    cn_readers_leave(&name_readers, &reads_names);
}

bool cn_code_describe(uintptr_t pc, char *buffer, size_t size)
{
  const struct cairn_code_function *function;

  if (atomic_load(&all_named) == NULL || pc == UINTPTR_MAX)
    return cn_os_describe_symbol(pc, buffer, size);
  bool entered = enter_readers();
  bool found = find_named(pc, &function) != NULL;
  if (found)
    snprintf(buffer, size, "%s+0x%lx", function->name, (unsigned long)(pc - function->start));
  leave_readers(entered);
  return found || cn_os_describe_symbol(pc, buffer, size);
}

bool cn_code_find_origin(uintptr_t pc, char *buffer, size_t size)
{
  const struct cairn_code_function *function;

  if (atomic_load(&all_named) == NULL || pc == UINTPTR_MAX)
    return cn_os_find_module_file(pc, buffer, size);
  bool entered = enter_readers();
  const struct cairn_named_code *named = find_named(pc, &function);
  if (named != NULL)
    snprintf(buffer, size, "%s", named->names.origin);
  leave_readers(entered);
  return named != NULL || cn_os_find_module_file(pc, buffer, size);
}

void cn_code_visit_named(cn_code_visitor *visit)
{
  const struct cn_range_node *tree = atomic_load(&all_named);
  const struct cn_range *range = NULL;

  while ((range = cn_ranges_next_overlap(tree, range, 0, UINTPTR_MAX)) != NULL)
    visit(range->value);
}

/* ---- copies ---- */

static size_t copy_bytes_of(const struct cairn_code_names *names)
{
  size_t bytes = sizeof(struct cairn_named_code) + names->count * sizeof *names->functions + names->debug_file_size +
                 strlen(names->origin) + 1;

  for (size_t i = 0; i < names->count; i++)
    bytes += strlen(names->functions[i].name) + 1;
  return bytes;
}

static char *copy_bytes(char **at, const void *bytes, size_t count)
{
  char *copy = *at;

  if (count != 0)
    memcpy(copy, bytes, count);
  *at += count;
  return copy;
}

static char *copy_text(char **at, const char *text)
{
  return copy_bytes(at, text, strlen(text) + 1);
}

/* The set has a range from the first function's start to the last end. */
static void set_range(struct cairn_named_code *named)
{
  const struct cairn_code_function *functions = named->names.functions;

  named->start = named->end = named->names.count != 0 ? functions[0].start : 0;
  for (size_t i = 0; i < named->names.count; i++)
    if (functions[i].start + functions[i].size > named->end)
      named->end = functions[i].start + functions[i].size;
}

/* The first fault of the copy, or null. Linear. */
static const char *copy_wrong(const struct cairn_named_code *named)
{
  const struct cairn_code_names *names = &named->names;
  const char *end = (const char *)named + named->bytes;

  for (size_t i = 0; i < names->count; i++) {
    if (i > 0 && names->functions[i - 1].start > names->functions[i].start)
      return "names: the functions do not ascend";
    if (names->functions[i].name < (const char *)named || names->functions[i].name >= end)
      return "names: the name of a function lies elsewhere";
    if (names->functions[i].start < named->start || names->functions[i].start + names->functions[i].size > named->end)
      return "names: a function lies outside of the range";
  }
  return names->origin > (const char *)named && names->origin < end ? NULL : "names: the origin lies elsewhere";
}

/* Copies the debug file, too, if `names` has one. */
static struct cairn_named_code *copy_names(const struct cairn_code_names *names)
{
  size_t bytes = copy_bytes_of(names);
  struct cairn_named_code *named = cn_blocks_take(&name_memory, bytes);

  if (named == NULL)
    return NULL;
  struct cairn_code_function *functions = (struct cairn_code_function *)(named + 1);
  char *text = (char *)(functions + names->count);
  *named = (struct cairn_named_code){.names = *names, .bytes = bytes};
  named->names.functions = functions;
  if (names->debug_file != NULL)
    named->names.debug_file = copy_bytes(&text, names->debug_file, names->debug_file_size);
  named->names.origin = copy_text(&text, names->origin);
  for (size_t i = 0; i < names->count; i++) {
    functions[i] = names->functions[i];
    functions[i].name = copy_text(&text, functions[i].name);
  }
  CN_CHECK(text == (char *)named + bytes);
  cn_sort_by_address(functions, names->count, sizeof *functions);
  set_range(named);
  CN_ASSERT_VALID(copy_wrong(named));
  return named;
}

/* ---- changes ---- */

static void reset_readers_in_child(void)
{
  cn_readers_reset_in_child(&name_readers, reads_names);
}

/* Insert or remove named code. False: out of memory, and the set is unchanged. */
static bool change_set(struct cairn_named_code *named, bool inserts)
{
  const struct cn_range_node *tree = atomic_load(&all_named);
  struct cn_range_change change = {.blocks = &name_memory};
  struct cn_range range = {named->start, named->end, named};

  CN_ASSERT(range.start <= range.end && reads_names == 0);
  if (range.start == range.end)
    return true;
  CN_ASSERT(inserts || cn_ranges_have(tree, range));
  if (!cn_blocks_reserve(&name_memory, cn_ranges_change_bytes(tree)))
    return false;
  atomic_store(&all_named, inserts ? cn_ranges_insert(&change, tree, range) : cn_ranges_remove(&change, tree, range));
  CN_ASSERT_VALID(cn_ranges_wrong(atomic_load(&all_named)));
  cn_readers_wait(&name_readers);
  cn_ranges_free_replaced(&name_memory, change.replaced);
  return true;
}

/* Take CN_LOCK_CODE. */
static void begin_change(void)
{
  static bool prepared;
  bool taken = cn_lock_take(CN_LOCK_CODE);

  CN_CHECK(taken);
  if (!prepared)
    cn_os_register_child_handler(reset_readers_in_child);
  prepared = true;
}

static enum cairn_status name_code(const struct cairn_code_names *names, struct cairn_named_code **named)
{
  *named = copy_names(names);
  if (*named == NULL)
    return CAIRN_E_MEMORY;
  if (change_set(*named, true)) {
    cn_debugger_add(*named);
    cn_profiler_add(*named);
    return CAIRN_OK;
  }
  cn_blocks_give(&name_memory, *named, (*named)->bytes);
  *named = NULL;
  return CAIRN_E_MEMORY;
}

enum cairn_status cairn_code_name(const struct cairn_code_names *names, struct cairn_named_code **named)
{
  struct cairn_code_names wanted = *names;

  if (wanted.debug_file == NULL || !cairn_code_is_debugged()) {
    wanted.debug_file = NULL;
    wanted.debug_file_size = 0;
  }
  begin_change();
  enum cairn_status status = name_code(&wanted, named);
  cn_lock_release(CN_LOCK_CODE);
  return status;
}

/* If memory is exhausted, the names stay, and so does their memory. */
void cairn_code_unname(struct cairn_named_code *named)
{
  if (named == NULL)
    return;
  begin_change();
  CN_ASSERT_VALID(copy_wrong(named));
  cn_debugger_remove(named);
  if (change_set(named, false))
    cn_blocks_give(&name_memory, named, named->bytes);
  cn_lock_release(CN_LOCK_CODE);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the details of safepoints (source positions with inlined functions, deopt values) by return address. Owns a
 * sorted table of all functions with details (`functions`), and the generation of images that it is made from.
 * CN_LOCK_IMAGES guards both; the first look-up after a change of the list of images makes the table anew. Runs on any
 * thread, in any phase, also in signal handlers, as a reader of images.
 */
#include "runtime/debug/backtrace.h"

#include <stdio.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/messages.h"

_Static_assert(offsetof(struct cn_details_function, entry) == 0 &&
                   sizeof(struct cn_details_function) <= CN_MAX_SORTED_ITEM_BYTES,
               "sorted.h");

static CN_GROW(struct cn_details_function) functions; /* by entry */
static uint64_t table_generation;                     /* the list's generation */

_Noreturn static void fail_bad_details(uintptr_t pc)
{
  char place[CN_REPORT_PC];

  cairn_fatal("bad details: section cairn_details, pc %s", cn_report_format_pc(pc, place));
}

static void gather_functions(const struct cn_image_list *list)
{
  functions.count = 0;
  for (const struct cn_registered_image *at = cn_image_from(list, 0); at != NULL;
       at = cn_image_from(list, at->id + 1)) {
    const struct cairn_image *image = &at->image;
    const unsigned char *cursor = image->details_start;
    struct cn_details_function function = {0};
    int status = CN_FRAMEMAP_NONE;
    while (cursor != NULL &&
           (status = cn_details_next_function(&cursor, image->details_stop, &function)) == CN_FRAMEMAP_OK)
      cn_grow_push(&functions, function);
    if (status != CN_FRAMEMAP_NONE)
      fail_bad_details((uintptr_t)cursor);
  }
}

/* The last function that begins below pc. pc is a return address, and may be the function's end if the call is the last
 * instruction. */
static const struct cn_details_function *find_function(uintptr_t pc)
{
  const struct cn_details_function *at = functions.at;
  size_t below = cn_sorted_count_below(at, functions.count, sizeof *at, pc);

  CN_ASSERT(below == 0 || at[below - 1].entry < pc);
  if (below == 0 || pc - at[below - 1].entry > at[below - 1].code_size)
    return NULL;
  return &at[below - 1];
}

/* Make the table anew if the list of images has changed. */
static void update_functions(void)
{
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();

  if (table_generation != list->generation) {
    gather_functions(list);
    cn_sort_by_address(functions.at, functions.count, sizeof *functions.at);
    table_generation = list->generation;
  }
  cn_image_end_reading(entered);
}

/* The images are locked during the look-up, so the sections that the functions point to stay mapped. */
bool cn_safepoint_find_details(uintptr_t pc, struct cn_details *details)
{
  if (!cn_images_lock())
    return false;
  update_functions();
  const struct cn_details_function *function = find_function(pc);
  int status = CN_FRAMEMAP_NONE;
  if (function != NULL)
    status = cn_details_find(function, (uint32_t)(pc - function->entry), details);
  if (status == CN_FRAMEMAP_BAD)
    fail_bad_details(pc);
  cn_images_unlock();
  return status == CN_FRAMEMAP_OK;
}

/* The return offset of the function's last safepoint up to `offset`, or of its first. */
static uint32_t find_nearest_offset(const struct cn_details_function *function, uint32_t offset)
{
  uint32_t nearest = 0, next;

  for (uint32_t i = 0; i < function->safepoints; i++) {
    if (cn_details_read_return_offset(function, i, &next) != CN_FRAMEMAP_OK)
      fail_bad_details(function->entry);
    if (i > 0 && next > offset)
      break;
    nearest = next;
  }
  return nearest;
}

/* An instruction belongs to the function that begins below the next address. */
uintptr_t cn_safepoint_find_nearest(uintptr_t pc)
{
  uintptr_t nearest = 0;

  if (pc == UINTPTR_MAX || !cn_images_lock())
    return 0;
  update_functions();
  const struct cn_details_function *function = find_function(pc + 1);
  if (function != NULL && function->safepoints != 0)
    nearest = function->entry + find_nearest_offset(function, (uint32_t)(pc - function->entry));
  cn_images_unlock();
  return nearest;
}

bool cn_safepoint_find_source(uintptr_t pc, uint32_t depth, struct cn_source_place *source, uint32_t *depths)
{
  struct cn_details details;

  if (!cn_safepoint_find_details(pc, &details) || depth >= details.sources)
    return false;
  *depths = details.sources;
  for (uint32_t i = 0; i <= depth; i++)
    if (cn_details_next_source(&details, source) != CN_FRAMEMAP_OK) {
      char place[CN_REPORT_PC];
      cairn_fatal("bad details: a source position cannot be read, pc %s", cn_report_format_pc(pc, place));
    }
  return true;
}

bool cn_safepoint_format_line(uintptr_t pc, char *buffer, size_t size)
{
  struct cn_source_place source;
  uint32_t depths;

  if (!cn_safepoint_find_source(pc, 0, &source, &depths) || source.file == NULL || source.line == 0)
    return false;
  int n = snprintf(buffer, size, "%s:%u", source.file, source.line);
  return n > 0 && (size_t)n < size;
}

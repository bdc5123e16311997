/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds details of safepoints in a sorted table of the functions of all images that have details, made at the first
 * look-up after an image came or went.
 */
#include "runtime/debug/safepoint_details.h"

#include <stdio.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/messages.h"

_Static_assert(offsetof(struct cn_details_function, entry) == 0 && sizeof(struct cn_details_function) <= CN_SORTED_ITEM,
               "sorted.h");

static CN_GROW(struct cn_details_function) functions; /* by entry */
static uint64_t built;                                /* the list's generation */

_Noreturn static void bad(uintptr_t pc)
{
  char place[CN_REPORT_PC];

  cairn_fatal("bad details: section cairn_details, pc %s", cn_report_pc(pc, place));
}

static void collect(const struct cn_image_list *list)
{
  functions.count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct cairn_image *image = &list->at[i].image;
    const unsigned char *cursor = image->details_start;
    struct cn_details_function function = {0};
    int status = CN_FRAMEMAP_NONE;
    while (cursor != NULL &&
           (status = cn_details_next_function(&cursor, image->details_stop, &function)) == CN_FRAMEMAP_OK)
      cn_grow_push(&functions, function);
    if (status != CN_FRAMEMAP_NONE)
      bad((uintptr_t)cursor);
  }
}

/* The last function that begins below pc: pc comes after a call, which may be its last instruction. */
static const struct cn_details_function *function_of(uintptr_t pc)
{
  const struct cn_details_function *at = functions.at;
  size_t below = cn_sorted_below(at, functions.count, sizeof *at, pc);

  CN_ASSERT(below == 0 || at[below - 1].entry < pc);
  if (below == 0 || pc - at[below - 1].entry > at[below - 1].code_size)
    return NULL;
  return &at[below - 1];
}

/* The functions of all images. */
static void update(void)
{
  bool entered = cn_image_enter();
  const struct cn_image_list *list = cn_image_list();

  if (built != list->generation) {
    collect(list);
    cn_sorted_sort(functions.at, functions.count, sizeof *functions.at);
    built = list->generation;
  }
  cn_image_leave(entered);
}

/* Images stay while they are held, so the data that the functions point to is there. */
bool cn_details_of(uintptr_t pc, struct cn_details *details)
{
  if (!cn_image_hold())
    return false;
  update();
  const struct cn_details_function *function = function_of(pc);
  int status = CN_FRAMEMAP_NONE;
  if (function != NULL)
    status = cn_details_find(function, (uint32_t)(pc - function->entry), details);
  if (status == CN_FRAMEMAP_BAD)
    bad(pc);
  cn_image_release();
  return status == CN_FRAMEMAP_OK;
}

bool cn_safepoint_details_source(uintptr_t pc, uint32_t depth, struct cn_source *source, uint32_t *depths)
{
  struct cn_details details;

  if (!cn_details_of(pc, &details) || depth >= details.sources)
    return false;
  *depths = details.sources;
  for (uint32_t i = 0; i <= depth; i++)
    if (cn_details_next_source(&details, source) != CN_FRAMEMAP_OK) {
      char place[CN_REPORT_PC];
      cairn_fatal("bad details: a source position cannot be read, pc %s", cn_report_pc(pc, place));
    }
  return true;
}

bool cn_safepoint_line(uintptr_t pc, char *buffer, size_t size)
{
  struct cn_source source;
  uint32_t depths;

  if (!cn_safepoint_details_source(pc, 0, &source, &depths) || source.file == NULL || source.line == 0)
    return false;
  int n = snprintf(buffer, size, "%s:%u", source.file, source.line);
  return n > 0 && (size_t)n < size;
}

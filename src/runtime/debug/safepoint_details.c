/* SPDX-License-Identifier: Apache-2.0
 *
 * A sorted table of the functions of all images that have details, made at the first look-up
 * after an image came or went.
 */
#include "runtime/debug/safepoint_details.h"

#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/report.h"

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
    while (cursor != NULL && (status = cn_details_next_function(&cursor, image->details_stop,
                                                                &function)) == CN_FRAMEMAP_OK)
      cn_grow_push(&functions, function);
    if (status != CN_FRAMEMAP_NONE)
      bad((uintptr_t)cursor);
  }
}

/* Heap sort: no memory, no recursion, never quadratic. */
static void sift(size_t root, size_t count)
{
  struct cn_details_function moving = functions.at[root];

  for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && functions.at[child].entry < functions.at[child + 1].entry)
      child++;
    if (moving.entry >= functions.at[child].entry)
      break;
    functions.at[root] = functions.at[child];
    root = child;
  }
  functions.at[root] = moving;
}

static void sort(void)
{
  for (size_t i = functions.count / 2; i-- > 0;)
    sift(i, functions.count);
  for (size_t last = functions.count; last-- > 1;) {
    struct cn_details_function greatest = functions.at[0];
    functions.at[0] = functions.at[last];
    functions.at[last] = greatest;
    sift(0, last);
  }
}

/* The last function that begins below pc: pc comes after a call, which may be its last
 * instruction. */
static const struct cn_details_function *function_of(uintptr_t pc)
{
  size_t low = 0, high = functions.count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (functions.at[middle].entry < pc)
      low = middle + 1;
    else
      high = middle;
  }
  CN_ASSERT(low == 0 || functions.at[low - 1].entry < pc); /* sorted */
  if (low == 0 || pc - functions.at[low - 1].entry > functions.at[low - 1].code_size)
    return NULL;
  return &functions.at[low - 1];
}

/* Those of all images. */
static void update(void)
{
  bool entered = cn_image_enter();
  const struct cn_image_list *list = cn_image_list();

  if (built != list->generation) {
    collect(list);
    sort();
    built = list->generation;
  }
  cn_image_leave(entered);
}

/* No image goes while they are held, so what the functions point at is there. */
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

bool cn_safepoint_details_source(uintptr_t pc, uint32_t depth, struct cn_source *source,
                                 uint32_t *depths)
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the frame maps, points, details and roots of loaded code by reading all that later walks, patches, backtraces
 * and collections may read, since these end the program at a malformed byte. All state is local; the caller registers
 * the code only if all checks succeed.
 */
#include "runtime/lifecycle/attach.h"

#include <stdio.h>
#include "base/check.h"
#include "base/sorted.h"
#include "framemap/details.h"
#include "framemap/points.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/walk/decode.h"

bool cn_code_check_fails(const struct cn_code_check *check, const char *section, size_t offset, const char *format, ...)
{
  CN_ASSERT(check->fault != NULL || check->size == 0);
  int used = snprintf(check->fault, check->size, "%s: section %s, offset %zu: ", check->code->name, section, offset);
  va_list args;

  va_start(args, format);
  if (used >= 0 && (size_t)used < check->size)
    vsnprintf(check->fault + used, check->size - (size_t)used, format, args);
  va_end(args);
  return false;
}

bool cn_code_check_contains(const struct cn_code_check *check, uintptr_t start, uintptr_t bytes)
{
  CN_ASSERT(check->code->start < check->code->end);
  return start >= check->code->start && start <= check->code->end && bytes <= check->code->end - start;
}

/* ---- functions of a section ---- */

struct function_range {
  uintptr_t start, end;
  size_t offset; /* in the section */
};

/* The functions of one section, which must be different code. */
struct section_check {
  const struct cn_code_check *check;
  const char *name;
  const unsigned char *start, *stop;
  CN_GROW(struct function_range) functions;
};

static bool section_fails(const struct section_check *s, const unsigned char *at, const char *what)
{
  CN_ASSERT(at >= s->start && at <= s->stop);
  return cn_code_check_fails(s->check, s->name, (size_t)(at - s->start), "%s", what);
}

static bool add_function(struct section_check *s, uintptr_t entry, uint32_t size, const unsigned char *at)
{
  CN_ASSERT(at >= s->start && at < s->stop);
  if (!cn_code_check_contains(s->check, entry, size))
    return section_fails(s, at, "a function lies outside of the code");
  cn_grow_push(&s->functions, (struct function_range){entry, entry + size, (size_t)(at - s->start)});
  return true;
}

static bool have_functions_own_code(struct section_check *s)
{
  const struct function_range *at = s->functions.at;

  cn_sort_by_address(s->functions.at, s->functions.count, sizeof *s->functions.at);
  for (size_t i = 1; i < s->functions.count; i++)
    if (at[i].start < at[i - 1].end || at[i].start == at[i - 1].start)
      return section_fails(s, s->start + at[i].offset, "two functions share code");
  return true;
}

/* ---- frame maps ---- */

static bool is_safepoint_readable(const struct cn_framemap_function *function, uint32_t index)
{
  struct cn_safepoint safepoint;
  struct cn_root root;
  struct cn_described_area area;
  uint32_t offset;

  CN_ASSERT(index < function->safepoints);
  if (cn_framemap_read_return_offset(function, index, &offset) != CN_FRAMEMAP_OK ||
      cn_framemap_read_safepoint(function, index, &safepoint) != CN_FRAMEMAP_OK || cn_maps_save_outside(&safepoint))
    return false;
  uint32_t roots = safepoint.roots, areas = safepoint.areas;
  for (uint32_t i = 0; i < roots; i++)
    if (cn_framemap_next_root(&safepoint, &root) != CN_FRAMEMAP_OK)
      return false;
  for (uint32_t i = 0; i < areas; i++)
    if (cn_framemap_next_area(&safepoint, &area) != CN_FRAMEMAP_OK)
      return false;
  return true;
}

static bool check_frames(struct section_check *s)
{
  const unsigned char *cursor = s->start;
  struct cn_framemap_function function;
  int status;

  while ((status = cn_framemap_next_function(CN_ARCH_FRAME_PORT, &cursor, s->stop, &function)) == CN_FRAMEMAP_OK) {
    if (!add_function(s, function.entry, function.code_size, function.data))
      return false;
    for (uint32_t i = 0; i < function.safepoints; i++)
      if (!is_safepoint_readable(&function, i))
        return cn_code_check_fails(s->check, s->name, (size_t)(function.data - s->start),
                                   "safepoint %u of a function is malformed", i);
  }
  if (status != CN_FRAMEMAP_NONE)
    return section_fails(s, cursor, "malformed");
  return have_functions_own_code(s);
}

/* ---- points ---- */

static bool is_point_readable(const struct cn_points_function *function, uint32_t index)
{
  struct cn_point point;
  struct cn_point_value value;
  struct cn_point_live_out live_out;
  uint32_t start, length;
  int status;

  CN_ASSERT(index < function->points);
  if (cn_points_read_region(function, index, &start, &length) != CN_FRAMEMAP_OK ||
      cn_points_read_point(function, index, &point) != CN_FRAMEMAP_OK)
    return false;
  while ((status = cn_points_next_value(&point, &value)) == CN_FRAMEMAP_OK)
    ;
  while (status == CN_FRAMEMAP_NONE && (status = cn_points_next_live_out(&point, &live_out)) == CN_FRAMEMAP_OK)
    status = CN_FRAMEMAP_NONE;
  return status == CN_FRAMEMAP_NONE;
}

static bool check_points(struct section_check *s)
{
  const unsigned char *cursor = s->start;
  struct cn_points_function function;
  int status;

  while ((status = cn_points_next_function(CN_ARCH_FRAME_PORT, &cursor, s->stop, &function)) == CN_FRAMEMAP_OK) {
    if (!add_function(s, function.entry, function.code_size, function.data))
      return false;
    for (uint32_t i = 0; i < function.points; i++)
      if (!is_point_readable(&function, i))
        return cn_code_check_fails(s->check, s->name, (size_t)(function.data - s->start),
                                   "point %u of a function is malformed", i);
  }
  if (status != CN_FRAMEMAP_NONE)
    return section_fails(s, cursor, "malformed");
  return have_functions_own_code(s);
}

/* ---- details ---- */

/* The values of spans lie in a table of the loader's, which stays unread. */
static bool are_details_readable(const struct cn_details_function *function, uint32_t index)
{
  struct cn_details details;
  struct cn_source_place source;
  struct cn_deopt_value value;
  uint32_t offset;
  int status;

  CN_ASSERT(index < function->safepoints);
  if (cn_details_read_return_offset(function, index, &offset) != CN_FRAMEMAP_OK ||
      cn_details_find(function, offset, &details) != CN_FRAMEMAP_OK)
    return false;
  while ((status = cn_details_next_source(&details, &source)) == CN_FRAMEMAP_OK)
    ;
  while (status == CN_FRAMEMAP_NONE && (status = cn_details_next_deopt(&details, &value)) == CN_FRAMEMAP_OK)
    status = CN_FRAMEMAP_NONE;
  return status == CN_FRAMEMAP_NONE;
}

static bool check_details(struct section_check *s)
{
  const unsigned char *cursor = s->start;
  struct cn_details_function function = {0};
  int status;

  while ((status = cn_details_next_function(&cursor, s->stop, &function)) == CN_FRAMEMAP_OK) {
    if (!add_function(s, function.entry, function.code_size, function.data))
      return false;
    for (uint32_t i = 0; i < function.safepoints; i++)
      if (!are_details_readable(&function, i))
        return cn_code_check_fails(s->check, s->name, (size_t)(function.data - s->start),
                                   "details %u of a function are malformed", i);
  }
  if (status != CN_FRAMEMAP_NONE)
    return section_fails(s, cursor, "malformed");
  return have_functions_own_code(s);
}

/* ---- roots ---- */

/* Null, or the fault of a shared layout. */
static const char *shared_layout_fault(const struct cn_code_check *check, const struct cairn_global_root *root)
{
  const struct cairn_shared_layout *shared = cn_image_shared_layout(root);

  if ((uintptr_t)shared % _Alignof(struct cairn_shared_layout) != 0)
    return "a shared layout is not aligned";
  if (shared->name == NULL || shared->module == NULL)
    return "a shared layout has no name";
  return root->layout != NULL && !cn_layouts_have(&check->code->image, root->layout)
             ? "a shared layout is none of the image's"
             : NULL;
}

/* Null, or the fault of a root. Collections read and write the words that the layout names. */
static const char *root_fault(const struct cn_code_check *check, const struct cairn_global_root *root)
{
  const struct cairn_layout *layout = root->layout;
  uintptr_t address = (uintptr_t)root->address & ~(uintptr_t)CAIRN_ABI_ROOT_THREAD_LOCAL;

  if (cn_image_shared_layout(root) != NULL)
    return shared_layout_fault(check, root);
  if (!cn_layouts_have(&check->code->image, layout))
    return "the layout of a root is none of the image's";
  if (layout->elem_size != 0 || layout->base_size % sizeof(uintptr_t) != 0)
    return "the layout of a root is not of a global";
  for (uint32_t i = 0; i < layout->base_refs; i++)
    if (layout->offsets[i] % sizeof(uintptr_t) != 0 || layout->offsets[i] >= layout->base_size)
      return "a root has a reference outside of its global";
  if (cn_image_root_is_thread_local(root) && !cn_code_check_contains(check, address, 1))
    return "the function of a thread-local root lies outside of the code";
  return !cn_image_root_is_thread_local(root) && address % sizeof(uintptr_t) != 0 ? "a root is not aligned" : NULL;
}

static bool check_roots(const struct cn_code_check *check)
{
  const struct cairn_global_root *start = check->code->image.roots_start;
  size_t count = (size_t)(check->code->image.roots_stop - start);

  for (size_t i = 0; i < count; i++) {
    const char *fault = root_fault(check, &start[i]);
    if (fault != NULL)
      return cn_code_check_fails(check, "cairn_roots", i * sizeof *start, "%s", fault);
  }
  return true;
}

/* ---- all ---- */

static bool check_section(const struct cn_code_check *check, const char *name, const unsigned char *start,
                          const unsigned char *stop, bool (*function)(struct section_check *))
{
  struct section_check s = {.check = check, .name = name, .start = start, .stop = stop};

  CN_ASSERT(start <= stop);
  if (start == stop)
    return true;
  if ((size_t)(stop - start) > UINT32_MAX || (uintptr_t)start % 4 != 0)
    return section_fails(&s, start, "the section is too large or not aligned");
  bool right = function(&s);
  cn_grow_free_array(&s.functions);
  return right;
}

bool cn_code_check_sections(const struct cn_code_check *check)
{
  const struct cairn_image *image = &check->code->image;

  return check_section(check, "cairn_frames", image->frames_start, image->frames_stop, check_frames) &&
         check_section(check, "cairn_points", image->points_start, image->points_stop, check_points) &&
         check_section(check, "cairn_details", image->details_start, image->details_stop, check_details) &&
         check_roots(check);
}

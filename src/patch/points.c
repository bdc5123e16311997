/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the look-ups of <cairn/patch.h>: points by id, function and address, and their values and live-outs. Runs
 * on any thread, in any phase, under CN_LOCK_PATCH; the file has no state.
 */
#include <cairn/patch.h>
#include "base/check.h"
#include "patch/images.h"
#include "patch/machine.h"
#include "patch/sites.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/threads/stop.h"

_Static_assert((int)CAIRN_POINT_SHADOW == CN_POINT_SHADOW && (int)CAIRN_POINT_PATCHPOINT == CN_POINT_PATCHPOINT &&
                   (int)CAIRN_POINT_STATEPOINT == CN_POINT_STATEPOINT,
               "kinds of points");
_Static_assert((int)CAIRN_POINT_INTEGER == CN_POINT_INTEGER && (int)CAIRN_POINT_FLOAT == CN_POINT_FLOAT &&
                   (int)CAIRN_POINT_POINTER == CN_POINT_POINTER && (int)CAIRN_POINT_REFERENCE == CN_POINT_REFERENCE &&
                   (int)CAIRN_POINT_UNDEFINED == CN_POINT_UNDEFINED && (int)CAIRN_POINT_LOCAL == CN_POINT_LOCAL,
               "classes of values");
_Static_assert((int)CAIRN_POINT_CONSTANT == CN_POINT_CONSTANT && (int)CAIRN_POINT_REGISTER == CN_POINT_REGISTER &&
                   (int)CAIRN_POINT_MEMORY == CN_POINT_MEMORY && (int)CAIRN_POINT_ADDRESS == CN_POINT_ADDRESS,
               "places of values");
_Static_assert((int)CN_CALLEE_SAVED_COUNT < (int)CAIRN_POINT_SAVED_MAX,
               "a place for each register, and for the return address");

/* Take the lock with all images indexed. */
static void begin_look_up(void)
{
  cn_unseen_check_process();
  bool taken = cn_lock_take(CN_LOCK_PATCH);

  CN_CHECK(taken); /* fails in a handler of a fault of this room */
  if (!cn_patch_index_images())
    cn_report_out_of_memory("no memory for the index of points");
}

static void end_look_up(void)
{
  cn_lock_release(CN_LOCK_PATCH);
}

static void fill_saved(struct cairn_point *point, const struct cn_safepoint *frame)
{
  point->frame_reg = frame->cfa_reg;
  point->frame_offset = frame->cfa_offset;
  for (unsigned reg = 0; reg < CN_CALLEE_SAVED_COUNT; reg++)
    if (frame->saved >> reg & 1)
      point->saved[point->saved_count++] =
          (struct cairn_point_saved){CN_ARCH_FRAME_PORT->callee_saved[reg], frame->saved_offset[reg]};
  if (CN_ARCH_FRAME_PORT->has_link_register)
    point->saved[point->saved_count++] =
        (struct cairn_point_saved){CN_ARCH_FRAME_PORT->return_address, frame->return_address_offset};
}

/* True if the region had only no-ops before the first patch. */
static bool was_nops(const struct cn_patch_function *function, uint32_t index, const struct cn_point *point)
{
  const struct cn_patch_image *image = function->image;
  const unsigned char *code = (const unsigned char *)(function->points.entry + point->start);

  if (image->sites != NULL)
    code = cn_patch_site_original(image, &image->sites[function->first + index]);
  return point->length != 0 && cn_machine_is_nops(code, point->length);
}

static void fill_point(const struct cn_patch_function *function, uint32_t index, struct cairn_point *out)
{
  struct cn_point point;
  int status = cn_points_read_point(&function->points, index, &point);

  CN_CHECK(status == CN_FRAMEMAP_OK); /* the index has read it before */
  *out = (struct cairn_point){.address = function->points.entry + point.start,
                              .length = point.length,
                              .kind = (enum cairn_point_kind)point.kind,
                              .id = point.id,
                              .function = function->points.entry,
                              .convention = point.convention,
                              .has_target = point.has_target,
                              .has_result = point.has_result,
                              .nops = was_nops(function, index, &point),
                              .arguments = point.arguments,
                              .values = point.values,
                              .live_outs = point.live_outs,
                              .private_data = {.image = function->image,
                                               .image_id = function->image->id,
                                               .function = (void *)(uintptr_t)function,
                                               .index = index}};
  fill_saved(out, &point.frame);
}

size_t cairn_points_with_id(uint64_t id, struct cairn_point *points, size_t capacity)
{
  size_t count = 0;

  begin_look_up();
  for (struct cn_id_node *node = cn_patch_first_with_id(id); node != NULL; node = cn_patch_next_with_id(node)) {
    if (count < capacity)
      fill_point(node->function, cn_patch_index_of(node), &points[count]);
    count++;
  }
  end_look_up();
  return count;
}

size_t cairn_points_of_function(uintptr_t entry, struct cairn_point *points, size_t capacity)
{
  begin_look_up();
  const struct cn_patch_function *function = cn_patch_find_function(entry);
  size_t count = function != NULL && function->points.entry == entry ? function->points.points : 0;

  for (uint32_t i = 0; i < count && i < capacity; i++)
    fill_point(function, i, &points[i]);
  end_look_up();
  return count;
}

/* The number of points whose regions begin at or below the offset. */
static uint32_t count_starts_to(const struct cn_points_function *points, uintptr_t offset)
{
  uint32_t low = 0, end = points->points;

  while (low < end) {
    uint32_t middle = low + (end - low) / 2, start, length;
    int status = cn_points_read_region(points, middle, &start, &length);
    CN_CHECK(status == CN_FRAMEMAP_OK);
    if (start <= offset)
      low = middle + 1;
    else
      end = middle;
  }
  return low;
}

/* Of the points that begin at or below the offset, the last with a region that contains the offset, or else the last at
 * the offset. False: there is no such point. Points with empty regions may lie at the start of a region, but not
 * inside. */
static bool find_at_offset(const struct cn_points_function *points, uintptr_t offset, uint32_t *index)
{
  bool found = false;

  for (uint32_t i = count_starts_to(points, offset); i-- > 0;) {
    uint32_t start, length;
    int status = cn_points_read_region(points, i, &start, &length);
    CN_CHECK(status == CN_FRAMEMAP_OK);
    if (offset - start < length) {
      *index = i;
      return true;
    }
    if (length != 0)
      break;
    if (start == offset && !found) {
      *index = i;
      found = true;
    }
  }
  return found;
}

enum cairn_status cairn_point_at(uintptr_t address, struct cairn_point *point)
{
  uint32_t index = 0;

  begin_look_up();
  const struct cn_patch_function *function = cn_patch_find_function(address);
  bool found = function != NULL && find_at_offset(&function->points, address - function->points.entry, &index);
  if (found)
    fill_point(function, index, point);
  end_look_up();
  return found ? CAIRN_OK : CAIRN_E_UNKNOWN;
}

/* ---- values ---- */

/* Decode the point again. The image's memory stays readable, and its id tells whether the image is still there. */
static enum cairn_status read_again(const struct cairn_point *point, struct cn_point *out)
{
  const struct cn_patch_image *image = point->private_data.image;
  const struct cn_patch_function *function = point->private_data.function;

  if (image == NULL)
    return CAIRN_E_UNKNOWN;
  if (image->id != point->private_data.image_id)
    return CAIRN_E_GONE;
  int status = cn_points_read_point(&function->points, point->private_data.index, out);
  CN_CHECK(status == CN_FRAMEMAP_OK); /* the index has read it before */
  return CAIRN_OK;
}

static enum cairn_status read_value(const struct cairn_point *point, uint32_t index, struct cn_point_value *value)
{
  struct cn_point read;
  enum cairn_status status = read_again(point, &read);

  if (status != CAIRN_OK)
    return status;
  if (index >= read.values)
    return CAIRN_E_BOUNDS;
  for (uint32_t i = 0; i <= index; i++)
    if (cn_points_next_value(&read, value) != CN_FRAMEMAP_OK)
      return CAIRN_E_BOUNDS;
  return CAIRN_OK;
}

enum cairn_status cairn_point_read_value(const struct cairn_point *point, uint32_t index,
                                         struct cairn_point_value *value)
{
  struct cn_point_value found;

  begin_look_up();
  enum cairn_status status = read_value(point, index, &found);
  end_look_up();
  if (status == CAIRN_OK)
    *value = (struct cairn_point_value){.value_class = (enum cairn_point_class)found.value_class,
                                        .place = (enum cairn_point_place)found.kind,
                                        .bits = found.bits,
                                        .reg = found.loc.reg,
                                        .offset = found.loc.offset,
                                        .constant = found.constant};
  return status;
}

static enum cairn_status read_live_out(const struct cairn_point *point, uint32_t index,
                                       struct cn_point_live_out *live_out)
{
  struct cn_point read;
  enum cairn_status status = read_again(point, &read);

  if (status != CAIRN_OK)
    return status;
  if (index >= read.live_outs)
    return CAIRN_E_BOUNDS;
  for (uint32_t i = 0; i <= index; i++)
    if (cn_points_next_live_out(&read, live_out) != CN_FRAMEMAP_OK)
      return CAIRN_E_BOUNDS;
  return CAIRN_OK;
}

enum cairn_status cairn_point_read_live_out(const struct cairn_point *point, uint32_t index,
                                            struct cairn_point_live_out *live_out)
{
  struct cn_point_live_out found;

  begin_look_up();
  enum cairn_status status = read_live_out(point, index, &found);
  end_look_up();
  if (status == CAIRN_OK)
    *live_out = (struct cairn_point_live_out){found.reg, found.size};
  return status;
}
